"""The adapter of a derived tool: other names outside, the handler's own inside.

What the model may send is what the derived schema says. It is put into the handler's terms,
completed with what is hidden and what has a new default, and read by the adapter that was there
before; what that one complains of is told in the new names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from toolhaft.errors import ToolhaftError
from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, Rejected
from toolhaft.vendors.composed import DelegatingAdapter

__all__ = ["Derived", "Terms"]


class Terms(NamedTuple):
    """How arguments are put into the handler's terms.

    `own` has the handler's name for each other one; `values`, `factories` and `defaults` are by
    the handler's names.
    """

    own: Mapping[str, str]
    values: Mapping[str, Any]
    factories: Mapping[str, Callable[[], Any]]
    defaults: Mapping[str, Any]

    def outer_name(self, name: str | int) -> str | int:
        """Give the name that the model knows a parameter by."""
        return next((new for new, own in self.own.items() if own == name), name)


class Unfit(ToolhaftError):
    """A value that the model has not sent was refused: a fault of whoever derived the tool."""


class Derived(DelegatingAdapter):
    """Arguments by the derived schema, put into the handler's terms and read as before."""

    def __init__(self, inner: Adapter[Any], schema: dict[str, Any], terms: Terms) -> None:
        super().__init__(inner)
        self.schema, self.terms = schema, terms
        self.rejects = (Rejected,)

    @property
    def base(self) -> Adapter[Any]:
        """The adapter of the handler's own terms."""
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
        """The arguments in the handler's terms, complete; each factory is asked once for a call."""
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
        """The issue under the name that the model knows, without a word of what it did not send.

        Raises:
            Unfit: It is about a value that the model did not send.
        """
        path, message = issue.path, issue.message
        if path and path[0] in unsent:
            raise Unfit(f"{path[0]}: the value that the tool was derived with: {message}")
        if issue.code == "extra":
            message = "unknown"  # the names that there are, are not those that the model knows
        if issue.code == "custom":
            for text in map(str, unsent.values()):
                message = message.replace(text, "…") if len(text) > 1 else message
        outer_path = (self.terms.outer_name(path[0]), *path[1:]) if path else path
        return Issue(
            message, outer_path, issue.code, issue.expected, issue.received, issue.vendor_code
        )

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        hidden = self.terms.values.keys() | self.terms.factories.keys()
        return [
            ((self.terms.outer_name(path[0]), *path[1:]) if path else path, check)
            for path, check in self.inner.unexpressed_checks()
            if not path or path[0] not in hidden
        ]
