"""The tools that are served, and cached views of them by what a caller may see."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

from toolhaft.definition.targets import Target
from toolhaft.tools.internals import is_always_visible
from toolhaft.toolset.export import Export
from toolhaft.toolset.internals import search_mode, with_repairs
from toolhaft.toolset.toolset import Toolset

__all__ = ["Catalogue"]

T = TypeVar("T")

# Views that are cached: one for each form and each set of visible tools.
MOST_VIEWS: Final = 256


class Catalogue:
    """A toolset that may be replaced while it is served.

    `tools` keep their own policies; of `strict`, none repairs anything: there the published
    document rules. `defers` is whether sessions of MCP find deferred tools by a search.
    """

    def __init__(self, tools: Toolset) -> None:
        self.tools: Toolset
        self.strict: Toolset
        self._views: dict[Hashable, Any]
        self.replace(tools)

    def replace(self, tools: Toolset) -> None:
        """Serve other tools from now on; running calls finish with the former ones."""
        self.strict = with_repairs(tools, "none")
        self.tools, self._views = tools, {}
        self._hides = not all(is_always_visible(tool) for tool in tools)
        # With "native", clients search themselves.
        self.defers = any(tool.defer for tool in tools) and search_mode(tools) != "native"

    def wire(self, target: Target, context: Any, *, in_session: bool = False) -> Export:
        """Export the tools that a caller may see to a target.

        A session is shown deferred tools once it has found them.
        """
        defers = in_session and self.defers
        form = target, defers
        return self.view(form, lambda tools: Export(tools, target, in_session=defers), context)

    def view(self, form: Hashable, make: Callable[[Toolset], T], context: Any) -> T:
        """Apply `make` to the tools that a caller may see; cached by `form` and those tools."""
        visible = None
        if self._hides:
            visible = frozenset(tool.name for tool in self.tools if tool.is_visible(context))
        view: T | None = self._views.get((form, visible))
        if view is None:
            if len(self._views) >= MOST_VIEWS:
                self._views.clear()
            tools = self.tools.visible_to(context)
            if self._hides:  # `visible` ran again, and may have answered otherwise
                visible = frozenset(tool.name for tool in tools)
            view = self._views[form, visible] = make(tools)
        return view
