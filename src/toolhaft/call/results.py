"""Check what a handler returned: it is dumped, and the dump must fit; nothing is trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolhaft import jsondata, vendors
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import Adapter

__all__ = ["Broken", "Results"]


class Broken(Exception):
    """A result that is not JSON, or not what the tool declares."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        super().__init__(issues)
        self.issues = tuple(issues)


class Results:
    """The check of one tool's results: against its output schema, or for being JSON at all."""

    def __init__(self, adapter: Adapter[Any] | None) -> None:
        self.adapter = adapter

    def check(self, value: Any) -> tuple[Any, Any]:
        """Give the validated output and its JSON data.

        Raises:
            Broken: with the path of everything that does not fit.
        """
        try:
            if self.adapter is None:
                return value, jsondata.dumped(value, foreign=vendors.dumped)
            return self._declared(self.adapter, value)
        except jsondata.NotJson as fault:
            issues = fault.issues
        raise Broken(issues)

    def _declared(self, adapter: Adapter[Any], value: Any) -> tuple[Any, Any]:
        if not adapter.is_instance(value):
            value = self._constructed(adapter, value)
        data = jsondata.dumped(adapter.dump(value), foreign=vendors.dumped)
        checker = adapter.checker("output")
        if not checker.is_valid(data):
            raise Broken(checker.failure(data))
        return value, data

    def _constructed(self, adapter: Adapter[Any], value: Any) -> Any:
        plain = jsondata.dumped(value, foreign=vendors.dumped)
        try:
            return adapter.construct(plain)
        except adapter.rejects as error:
            issues = adapter.issues(error, plain)
        raise Broken(issues)
