"""The adapter of a derived tool: its own parameter names outside, the handler's inside.

The model sends what the derived schema says. The data are renamed for the handler, completed with
hidden values and new defaults, and read by the adapter of the tool it was derived from; the issues
of that one are renamed back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from toolhaft.errors import ToolhaftError
from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.schema.issues import move_issue, reword_issue
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, Rejected
from toolhaft.vendors.call_context import CONTEXT
from toolhaft.vendors.composed import DelegatingAdapter

__all__ = ["Derived", "Terms"]


class Terms(NamedTuple):
    """How the keys of an object are renamed and completed for the handler.

    `own` has the handler's name for each other one; `values`, `factories`, `defaults`, and the
    terms `inside` of a key's value are by the handler's names.
    """

    own: Mapping[str, str]
    values: Mapping[str, Any]
    factories: Mapping[str, Callable[[Any], Any]]
    defaults: Mapping[str, Any]
    inside: Mapping[str, Terms]

    def outer_path(self, path: Path) -> Path:
        """Give a path in the derived schema for the handler's; indexes lead to no other terms."""
        if not path:
            return path
        name, *rest = path
        if isinstance(name, int):
            return (name, *self.outer_path(tuple(rest)))
        outer = next((new for new, own in self.own.items() if own == name), name)
        inner = self.inside.get(name)
        return (outer, *(rest if inner is None else inner.outer_path(tuple(rest))))

    def is_hidden(self, path: Path) -> bool:
        """Say whether a path leads to a value that the model neither sees nor sends."""
        if not path:
            return False
        name, rest = path[0], path[1:]
        if isinstance(name, int):
            return self.is_hidden(rest)
        inner = self.inside.get(name)
        is_own = name in self.values or name in self.factories
        return is_own or (inner is not None and inner.is_hidden(rest))

    @property
    def has_factories(self) -> bool:
        """Whether some value is made for each call."""
        return bool(self.factories) or any(terms.has_factories for terms in self.inside.values())

    def to_inner(self, data: Any, path: Path, unsent: dict[Path, Any]) -> Any:
        """Rename and complete an object, or each of a list; note what was not sent.

        Each factory is called once for an object.
        """
        if isinstance(data, list):
            return [self.to_inner(item, (*path, i), unsent) for i, item in enumerate(data)]
        if not isinstance(data, dict):
            return data
        own = {self.own.get(name, name): value for name, value in data.items()}
        for name, terms in self.inside.items():
            if name in own:
                own[name] = terms.to_inner(own[name], (*path, name), unsent)
        added = {name: value for name, value in self.defaults.items() if name not in own}
        added |= self.values
        added = deepcopy(added)
        for name, make in self.factories.items():
            added[name] = to_json_data(make(CONTEXT.get()), foreign=Adapter.foreign)
        unsent.update({(*path, name): value for name, value in added.items()})
        return own | added


class Unfit(ToolhaftError):
    """A value that the model did not send was refused: an error of the deriving program."""


class Derived(DelegatingAdapter):
    """Reads arguments of the derived schema by the adapter of the original one."""

    def __init__(self, inner: Adapter[Any], schema: dict[str, Any], terms: Terms) -> None:
        super().__init__(inner)
        self.schema, self.terms = schema, terms
        self.takes_context = inner.takes_context or terms.has_factories
        self.rejects = (Rejected,)

    @property
    def base(self) -> Adapter[Any]:
        """The adapter of the handler's own parameters."""
        return self.inner.base if isinstance(self.inner, Derived) else self.inner

    def emit(self, mode: Mode) -> dict[str, Any]:
        del mode
        return deepcopy(self.schema)

    def construct(self, data: Any) -> Any:
        return self.accept(data)[0]

    def accept(self, data: Any) -> tuple[Any, Any]:
        unsent: dict[Path, Any] = {}
        own = self.terms.to_inner(data, (), unsent)
        try:
            return self.inner.read(own)
        except Rejected as error:
            issues = error.issues
        raise Rejected([self._translate_issue(issue, unsent) for issue in issues])

    async def construct_awaited(self, data: Any) -> Any:
        return (await self.accept_awaited(data))[0]

    async def accept_awaited(self, data: Any) -> tuple[Any, Any]:
        unsent: dict[Path, Any] = {}
        own = self.terms.to_inner(data, (), unsent)
        try:
            return await self.inner.read_awaited(own)
        except Rejected as error:
            issues = error.issues
        raise Rejected([self._translate_issue(issue, unsent) for issue in issues])

    def _translate_issue(self, issue: Issue, unsent: dict[Path, Any]) -> Issue:
        """Rename an issue for the model, without any value that the model did not send.

        Raises:
            Unfit: It is about a value that the model did not send.
        """
        path, message = issue.path, issue.message
        if any(path[:length] in unsent for length in range(1, len(path) + 1)):
            where = ".".join(map(str, path))
            raise Unfit(f"{where}: the value that the tool was derived with: {message}")
        if issue.code == "extra":
            message = "unknown"  # the message would list names that the model does not know
        if issue.code == "custom":
            for text in map(str, unsent.values()):
                message = message.replace(text, "…") if len(text) > 1 else message
        return reword_issue(move_issue(issue, self.terms.outer_path(path)), message)

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        return [
            (self.terms.outer_path(path), check)
            for path, check in self.inner.unexpressed_checks()
            if not self.terms.is_hidden(path)
        ]
