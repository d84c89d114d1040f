"""Check what a handler returned: it is dumped, and the dump must fit; nothing is trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CoroutineType
from typing import Any

from toolhaft import vendors
from toolhaft.jsondata import NotJson, dumped
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import Adapter, Rejected

__all__ = ["Broken", "Results", "plain"]


class Broken(Exception):
    """A result that is not JSON, or not what the tool declares."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        super().__init__()
        self.issues: tuple[Issue, ...] = tuple(issues)


class Results:
    """The check of one tool's results: against its output schema, or for being JSON at all.

    `check` gives the validated output and its JSON data, or raises `Broken` with the path of
    everything that does not fit.
    """

    def __init__(self, adapter: Adapter[Any] | None) -> None:
        self.adapter = adapter
        self.check: Callable[[Any], tuple[Any, Any]] = (
            _undeclared if adapter is None else self._checked
        )

    def _checked(self, value: Any) -> tuple[Any, Any]:
        adapter: Any = self.adapter
        if not adapter.is_instance(value):
            value = _constructed(adapter, plain(value))
        data = _dumped(adapter, value)
        checker = adapter.checker("output")
        if not checker.is_valid(data):
            raise Broken(checker.failure(data))
        return value, data


def _undeclared(value: Any) -> tuple[Any, Any]:
    try:
        return value, dumped(value, foreign=vendors.dumped)
    except NotJson as fault:
        issues = fault.issues
    if isinstance(value, CoroutineType):
        value.close()  # it will never be awaited, and Python would say so
    raise Broken(issues)


def plain(value: Any) -> Any:
    """Give the JSON data of a value, or raise `Broken`."""
    return _undeclared(value)[1]


def _constructed(adapter: Adapter[Any], data: Any) -> Any:
    try:
        return adapter.construct(data)
    except adapter.rejects as error:
        issues = adapter.issues(error, data)
    raise Broken(issues)


def _dumped(adapter: Adapter[Any], value: Any) -> Any:
    try:
        return plain(adapter.dump(value))
    except Rejected as error:
        issues = error.issues
    plain(value)  # the library says not where; what the value's own classes say has a path
    raise Broken(issues)
