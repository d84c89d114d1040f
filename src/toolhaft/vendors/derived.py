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
from toolhaft.vendors.composed import DelegatingAdapter

__all__ = ["Derived", "Terms"]


class Terms(NamedTuple):
    """How arguments are renamed and completed for the handler.

    `own` has the handler's name for each other one; `values`, `factories` and `defaults` are by
    the handler's names.
    """

    own: Mapping[str, str]
    values: Mapping[str, Any]
    factories: Mapping[str, Callable[[], Any]]
    defaults: Mapping[str, Any]

    def outer_name(self, name: str | int) -> str | int:
        """Give the name of a parameter in the derived schema."""
        return next((new for new, own in self.own.items() if own == name), name)


class Unfit(ToolhaftError):
    """A value that the model did not send was refused: an error of the deriving program."""


class Derived(DelegatingAdapter):
    """Reads arguments of the derived schema by the adapter of the original one."""

    def __init__(self, inner: Adapter[Any], schema: dict[str, Any], terms: Terms) -> None:
        super().__init__(inner)
        self.schema, self.terms = schema, terms
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
        own = self._to_inner(data)
        try:
            return self.inner.read(own)
        except Rejected as error:
            issues = error.issues
        raise Rejected(self._translate_issues(issues, data, own))

    async def construct_awaited(self, data: Any) -> Any:
        return (await self.accept_awaited(data))[0]

    async def accept_awaited(self, data: Any) -> tuple[Any, Any]:
        own = self._to_inner(data)
        try:
            return await self.inner.read_awaited(own)
        except Rejected as error:
            issues = error.issues
        raise Rejected(self._translate_issues(issues, data, own))

    def _to_inner(self, data: Any) -> dict[str, Any]:
        """Rename and complete the arguments for the handler; each factory is called once."""
        terms = self.terms
        own = {terms.own.get(name, name): value for name, value in data.items()}
        for name, value in terms.defaults.items():
            if name not in own:
                own[name] = deepcopy(value)
        own |= deepcopy(dict(terms.values))
        for name, make in terms.factories.items():
            own[name] = to_json_data(make(), foreign=Adapter.foreign)
        return own

    def _translate_issues(self, issues: list[Issue], data: Any, own: dict[str, Any]) -> list[Issue]:
        sent = {self.terms.own.get(name, name) for name in data}
        unsent = {name: value for name, value in own.items() if name not in sent}
        return [self._translate_issue(issue, unsent) for issue in issues]

    def _translate_issue(self, issue: Issue, unsent: dict[str, Any]) -> Issue:
        """Rename an issue for the model, without any value that the model did not send.

        Raises:
            Unfit: It is about a value that the model did not send.
        """
        path, message = issue.path, issue.message
        if path and path[0] in unsent:
            raise Unfit(f"{path[0]}: the value that the tool was derived with: {message}")
        if issue.code == "extra":
            message = "unknown"  # the message would list names that the model does not know
        if issue.code == "custom":
            for text in map(str, unsent.values()):
                message = message.replace(text, "…") if len(text) > 1 else message
        outer_path = (self.terms.outer_name(path[0]), *path[1:]) if path else path
        return reword_issue(move_issue(issue, outer_path), message)

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        hidden = self.terms.values.keys() | self.terms.factories.keys()
        return [
            ((self.terms.outer_name(path[0]), *path[1:]) if path else path, check)
            for path, check in self.inner.unexpressed_checks()
            if not path or path[0] not in hidden
        ]
