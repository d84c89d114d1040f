"""Make outcomes of handlers' results: checked, rendered, or rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from toolhaft.call.call_options import CallOptions
from toolhaft.call.failures import Failures, OnError
from toolhaft.call.outcome import Err, Ok, RaisedError, Rendered, finish
from toolhaft.call.results import InvalidResult, Results, dump_any, to_content
from toolhaft.vendors.adapter import Rejected

__all__ = ["CallResult", "OutputPipeline"]

CallResult: TypeAlias = Ok[Any] | Err | RaisedError


class OutputPipeline:
    """Makes the outcomes of one tool's calls whose handler has run."""

    def __init__(self, options: CallOptions, results: Results, failures: Failures) -> None:
        self.options = options
        self.results = results
        self.failures = failures
        self.make_ok: Callable[..., Ok[Any]] = Ok.of if options.render is None else self._render
        # Most results are undeclared and plain.
        is_plain = results.check is dump_any and options.render is None
        self.finish_plain: Callable[..., Ok[Any] | None] | None = finish if is_plain else None

    def finish(self, result: Any, data: Any, coercions: Any, on_error: OnError) -> CallResult:
        """Return the outcome of a handler's result."""
        if self.finish_plain is not None:
            try:
                outcome = self.finish_plain(result, data, self.options, coercions)
            except BaseException as error:  # noqa: BLE001  keys may be objects of the handler's
                return on_error(error, "done")
            if outcome is not None:
                return outcome
        return self.check(result, data, coercions, on_error)

    def check(self, result: Any, data: Any, coercions: Any, on_error: OnError) -> CallResult:
        """Check the result of a handler that has ended or was given up."""
        try:
            value, json = self.results.check(result)
            return self.make_ok(value, json, data, self.options, coercions)
        except BaseException as error:  # noqa: BLE001  the author's serializers run in there
            return self.failures.to_result_error(error, result, on_error)

    def check_dump(
        self, value: Any, dump: Any, data: Any, coercions: Any, on_error: OnError
    ) -> CallResult:
        """Check the dump of an object that a handler gave: an object is never dumped twice."""
        try:
            json = self.results.check_dump(dump)
        except BaseException as error:  # noqa: BLE001  a handler's objects may be in the dump
            return self.failures.to_result_error(error, value, on_error)
        return self.make_ok(value, json, data, self.options, coercions)

    def refuse_dump(self, error: Any, value: Any, on_error: OnError) -> CallResult:
        """Turn an exception of what dumps an object that a handler gave into an outcome."""
        if issubclass(type(error), Rejected):
            error = InvalidResult(self.results.explain_dump(error, value))
        return self.failures.to_result_error(error, value, on_error)

    def _render(
        self, value: Any, json: Any, data: Any, options: CallOptions, coercions: Any
    ) -> Ok[Any]:
        """Render the value now: an exception of the author's function is an outcome too."""
        render: Any = options.render
        return Rendered(to_content(render(value)), value, json, data, options, coercions)
