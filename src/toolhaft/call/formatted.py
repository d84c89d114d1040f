"""A tool whose result is what a function makes of the output, or of why there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from toolhaft.call.boundary import Boundary
from toolhaft.call.callbacks import await_answer, run_without_loop
from toolhaft.call.failures import OnError
from toolhaft.call.outcome import Err, Ok, RaisedError, with_decision
from toolhaft.call.prepared import Prepared
from toolhaft.call.results import InvalidResult
from toolhaft.jsonio.jsondata import NotJson, to_json_data

__all__ = ["Format", "FormattedBoundary", "format_outcome", "format_output"]

Format = Callable[[Any], Any]
# Nothing ran, and what the model reads is not the author's to word.
KEPT = frozenset({"invalid_input", "truncated", "denied", "approval_required", "loop"})


def format_output(result: Any) -> Any:
    """Return the output, or the exception's text under `error`; the default format."""
    return {"error": str(result)} if isinstance(result, Exception) else result


async def format_outcome(
    format: Format, outcome: Ok[Any] | Err, *, has_loop: bool
) -> tuple[Any, Any]:
    """Return a format's result for an outcome, and that as JSON data.

    Raises:
        NotJson: The format returns something that has no JSON form.
        Exception: Any exception of the format.
    """
    if format is format_output and isinstance(outcome, Ok):
        return outcome.value, outcome.json
    written = format(outcome.value if isinstance(outcome, Ok) else outcome.to_exception())
    if isinstance(written, Awaitable):
        written = await await_answer(written, has_loop=has_loop)
    return written, to_json_data(written)


class FormattedBoundary(Boundary):
    """The boundary of a formatted tool: its function writes each result.

    The function sees the validated output, the author's `ToolError`, or an exception that has the
    id of the log and never a crash's own text.
    """

    format: Format

    def _route(self) -> None:
        """Have no short way: it knows of no function that writes."""
        super()._route()
        self.right_call = None

    async def run(self, raw: Any, context: Any, on_error: OnError) -> Ok[Any] | Err | RaisedError:
        del on_error  # what is raised to a caller is masked too
        outcome: Any = await super().run(raw, context, self.to_outcome)
        return await self._write(outcome, has_loop=True)

    def run_whole_sync(
        self, raw: Any, context: Any, on_error: OnError, unfit: Any = None
    ) -> Ok[Any] | Err | RaisedError:
        del on_error
        outcome: Any = super().run_whole_sync(raw, context, self.to_outcome, unfit)
        return run_without_loop(self._write(outcome, has_loop=False))

    async def call_prepared(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        return await self._write(await super().call_prepared(prepared, context), has_loop=True)

    def call_prepared_sync(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        outcome = super().call_prepared_sync(prepared, context)
        return run_without_loop(self._write(outcome, has_loop=False))

    async def _write(self, outcome: Ok[Any] | Err, *, has_loop: bool) -> Ok[Any] | Err:
        from toolhaft.call import workers

        if isinstance(outcome, Err) and outcome.kind in KEPT:
            return outcome
        if isinstance(outcome, Ok) and self.format is format_output:
            return outcome
        try:
            written, data = await format_outcome(self.format, outcome, has_loop=has_loop)
        except NotJson as error:
            invalid = InvalidResult(error.issues)
            refused: Any = self.failures.to_result_error(invalid, None, self.to_outcome)
            return refused  # type: ignore[no-any-return]
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return self.to_outcome(error, "unknown")
        arguments = outcome.raw_arguments if isinstance(outcome, Ok) else {}
        formatted = Ok(written, data, arguments, self.options, outcome.coercions)
        return with_decision(formatted, outcome.decision)
