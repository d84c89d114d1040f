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
from toolhaft.jsondata import dumped
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, Rejected

__all__ = ["Derived", "Terms"]


class Terms(NamedTuple):
    """How arguments are put into the handler's terms.

    `own` has the handler's name for each other one; `values`, `factories` and `defaults` are by
    the handler's names. `reserved` is what no model may send: names that are not shown any more.
    """

    own: Mapping[str, str]
    values: Mapping[str, Any]
    factories: Mapping[str, Callable[[], Any]]
    defaults: Mapping[str, Any]
    reserved: frozenset[str]

    def shown(self, name: str | int) -> str | int:
        """Give the name that the model knows a parameter by."""
        return next((new for new, own in self.own.items() if own == name), name)


class Unfit(ToolhaftError):
    """A value that the model has not sent was refused: a fault of whoever derived the tool."""


class _Misfit(Exception):
    """What the inner adapter raised, with the arguments as it was given them."""

    def __init__(self, error: Exception, data: dict[str, Any]) -> None:
        super().__init__()
        self.error = error
        self.data = data


class Derived(Adapter[Any]):
    """Arguments by the derived schema, checked and read by the inner adapter."""

    authored = True
    own_checks = True

    def __init__(self, inner: Adapter[Any], schema: dict[str, Any], terms: Terms) -> None:
        super().__init__()
        self.inner, self.schema, self.terms = inner, schema, terms
        self.vendor = inner.vendor
        self.widens = inner.widens
        self.awaits, self.may_await = inner.awaits, inner.may_await
        self.rejects = (Rejected, _Misfit)
        # A factory is asked once for a call: not before what the model sent is right.
        self.first = bool(terms.factories) and not inner.widens

    @property
    def base(self) -> Adapter[Any]:
        """The adapter of the handler's own terms."""
        return self.inner.base if isinstance(self.inner, Derived) else self.inner

    def construct(self, data: Any) -> Any:
        return self.completed(data)[0]

    async def construct_awaited(self, data: Any) -> Any:
        return (await self.completed_awaited(data))[0]

    def completed(self, data: Any) -> tuple[Any, dict[str, Any]]:
        """Give the declared object, and the arguments as the handler's own terms have them."""
        own, inner = self._own(data), self.inner
        try:
            if isinstance(inner, Derived):
                return inner.completed(own)
            return inner.construct(own), own
        except inner.rejects as error:
            raise _Misfit(error, own) from None

    async def completed_awaited(self, data: Any) -> tuple[Any, dict[str, Any]]:
        """Do as `completed` does, where the library may answer later."""
        own, inner = self._own(data), self.inner
        try:
            if isinstance(inner, Derived):
                return await inner.completed_awaited(own)
            return await inner.construct_awaited(own), own
        except inner.rejects as error:
            raise _Misfit(error, own) from None

    def _own(self, data: Any) -> dict[str, Any]:
        """The arguments in the handler's terms, complete."""
        terms = self.terms
        if not isinstance(data, dict):
            raise Rejected(self.refused(data) or [Issue("expected object", (), "type", "object")])
        if found := sorted(terms.reserved & data.keys()):
            raise Rejected([Issue("unknown", (name,), "extra") for name in found])
        if self.first:
            if not self.checker().is_valid(data):
                raise Rejected([])
            data, _ = self.checker().numbers.integers(data)  # 5.0 would be read a second time
        own = {terms.own.get(name, name): value for name, value in data.items()}
        for name, value in terms.defaults.items():
            if name not in own:
                own[name] = deepcopy(value)
        own |= deepcopy(dict(terms.values))
        for name, make in terms.factories.items():
            own[name] = dumped(make(), foreign=Adapter.foreign)
        return own

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        if not isinstance(error, _Misfit):
            return super().explain(error, data)
        found = self.inner.issues(error.error, error.data)
        sent = {self.terms.own.get(name, name) for name in data}
        unsent = {name: value for name, value in error.data.items() if name not in sent}
        return [self._told(issue, unsent) for issue in found]

    def _told(self, issue: Issue, unsent: dict[str, Any]) -> Issue:
        """The issue under the name that the model knows, without a word of what it did not send.

        Raises:
            Unfit: It is about a value that the model did not send.
        """
        path, words = issue.path, issue.message
        if path and path[0] in unsent:
            raise Unfit(f"{path[0]}: the value that the tool was derived with: {words}")
        if issue.code == "extra":
            words = "unknown"  # the names that there are, are not those that the model knows
        if issue.code == "custom":
            for text in map(str, unsent.values()):
                words = words.replace(text, "…") if len(text) > 1 else words
        shown = (self.terms.shown(path[0]), *path[1:]) if path else path
        return Issue(words, shown, issue.code, issue.expected, issue.received, issue.vendor_code)

    def unwritten(self) -> list[tuple[Path, str]]:
        hidden = self.terms.values.keys() | self.terms.factories.keys()
        return [
            ((self.terms.shown(path[0]), *path[1:]) if path else path, what)
            for path, what in self.inner.unwritten()
            if not path or path[0] not in hidden
        ]

    def emit(self, mode: Mode) -> dict[str, Any]:
        del mode
        return deepcopy(self.schema)
