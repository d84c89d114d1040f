"""The way of every call: admit the arguments, run the handler, check the result, report.

One `Boundary` is made for each tool, at its first use, with everything decided that can be:
how arguments reach the handler, where it runs, what its result must be. A call then only
does the work that its own data asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolhaft.call import feedback, report, workers
from toolhaft.call.gate import Admitted, Gate, Refused
from toolhaft.call.inline import Inline, inline
from toolhaft.call.limits import Limit
from toolhaft.call.outcome import Err, ErrKind, Ok, Raised, Rendered
from toolhaft.call.prepare import Prepared
from toolhaft.call.results import Broken, Results, shown
from toolhaft.call.rules import Rules
from toolhaft.call.running import Runner
from toolhaft.call.supply import Supply
from toolhaft.errors import ContextMissing, Effect, ToolError
from toolhaft.spec import Issue

__all__ = ["Boundary"]


class Boundary:
    """Everything that the calls of one tool need, compiled."""

    def __init__(
        self,
        rules: Rules,
        gate: Gate,
        function: Callable[..., Any],
        supply: Supply,
        results: Results,
        *,
        asynchronous: bool,
        limits: tuple[Limit, ...] = (),
    ) -> None:
        self.rules = rules
        self.gate = gate
        self.function = function
        self.supply = supply
        self.results = results
        self.asynchronous = asynchronous
        self.runner = Runner(function, rules, limits, asynchronous=asynchronous)
        self.awaits: bool = gate.adapter.awaits
        self.give: Callable[..., Ok[Any]] = Ok if rules.render is None else self._rendered
        in_place = self.runner.in_place and not self.awaits
        self.run_sync: Inline = inline(self) if in_place else self._run_away

    def call_sync(self, raw: Any, context: Any) -> Ok[Any] | Err:
        """Run one call to its outcome; only `KeyboardInterrupt` and the like pass through."""
        done = self.run_sync(raw, context)
        return self._told(done) if isinstance(done, Raised) else done

    async def call(self, raw: Any, context: Any) -> Ok[Any] | Err:
        """The same for a caller with a loop; its own cancellation passes through."""
        done = await self._run(raw, context)
        return self._told(done) if isinstance(done, Raised) else done

    def execute_sync(self, data: Any, context: Any) -> Any:
        """Run one call and give its value, or raise why there is none."""
        return _unwrapped(self.run_sync(data, context))

    async def execute(self, data: Any, context: Any) -> Any:
        """The same for a caller with a loop."""
        return _unwrapped(await self._run(data, context))

    def prepare(self, raw: Any) -> Prepared[Any] | Err:
        """Do all that comes before the handler, and stop there."""
        try:
            if self.awaits:
                admitted: Admitted = workers.in_loop(self.gate.admit_awaited(raw))
            else:
                admitted = self.gate.admit(raw)
        except Refused as refused:
            return refused.err
        except Exception as error:  # noqa: BLE001  a foreign validator runs in there
            return self._told(Raised(error, "none"))
        return Prepared(self, admitted[1], admitted[2])

    def _run_away(self, raw: Any, context: Any) -> Ok[Any] | Err | Raised:
        """Run what needs a loop on ours, and what has a deadline in a thread."""
        if self.asynchronous or self.awaits:
            done: Ok[Any] | Err | Raised = workers.in_loop(self._run(raw, context))
            return done
        effect: Effect = "none"
        try:
            value, data, coercions = self.gate.admit(raw)
            args, kwargs = self.supply.arguments(value, context)
            effect = "unknown"
            result = self.runner.run_sync(args, kwargs)
        except Refused as refused:
            return refused.err
        except BaseException as error:  # noqa: BLE001  a foreign validator runs here
            return Raised(error, effect)
        return self._finished(result, data, coercions)

    async def _run(self, raw: Any, context: Any) -> Ok[Any] | Err | Raised:
        effect: Effect = "none"
        gate = self.gate
        try:
            admitted = await gate.admit_awaited(raw) if self.awaits else gate.admit(raw)
            args, kwargs = self.supply.arguments(admitted[0], context)
            effect = "unknown"
            result = await self.runner.run(args, kwargs)
        except Refused as refused:
            return refused.err
        except BaseException as error:
            if _is_stopping(error):
                raise
            return Raised(error, effect)
        return self._finished(result, admitted[1], admitted[2])

    def _finished(self, result: Any, data: Any, coercions: Any) -> Ok[Any] | Err | Raised:
        """Check the result, once the handler is done or given up."""
        try:
            value, json = self.results.check(result)
            return self.give(value, json, data, self.rules, coercions)
        except Exception as error:  # noqa: BLE001  the author's serializers run in there
            return self.unfit(error, result)

    def _rendered(self, value: Any, json: Any, data: Any, rules: Rules, coercions: Any) -> Ok[Any]:
        """Render the value now: what the author's function raises is an outcome too."""
        render: Any = rules.render
        made = Rendered[Any](value, json, data, rules, coercions)
        made.rendered = shown(render(value))
        return made

    def unfit(self, error: Exception, result: Any) -> Err | Raised:
        """Say what became of a call whose result did not pass, or of one that has none."""
        if isinstance(result, workers.Ended):
            return self._ended(result)
        if not isinstance(error, Broken):
            return Raised(error, "done")
        error_id = report.log_output(self.rules.name, error.issues)
        text = feedback.output_broken(error_id)
        return self._err("output_invalid", text, "done", error_id, error.issues)

    def _ended(self, result: workers.Ended) -> Err | Raised:
        if isinstance(result, workers.Crash):
            return Raised(result.error, "unknown")
        if isinstance(result, workers.Late):
            effect: Effect = "unknown" if result.begun else "none"
            text = feedback.timed_out(self.rules.timeout or 0.0, begun=result.begun)
            return self._err("timeout", text, effect)
        return self._err("overloaded", feedback.overloaded(), "none")

    def _told(self, raised: Raised) -> Err:
        """Turn a handler's exception into an outcome; only what concerns the caller passes."""
        error = raised.error
        if isinstance(error, KeyboardInterrupt):
            raise error
        effect = raised.effect
        if isinstance(error, ContextMissing) and effect == "none":
            error_id = report.log_missing_context(self.rules.name, error.names)
        elif effect == "unknown" and (words := self._words(error)) is not None:
            return self._err("tool_error", words, effect)
        else:
            error_id = report.log_crash(self.rules.name, error)
        return self._err("runtime_error", feedback.crashed(error_id), effect, error_id)

    def _words(self, error: BaseException) -> str | None:
        """What the author wants the model to read of an exception, if anything."""
        if isinstance(error, ToolError):
            return _text_of(error)
        for kind in type(error).__mro__:
            if kind in self.rules.errors:
                return self.rules.errors[kind]
        return None

    def _err(
        self,
        kind: ErrKind,
        text: str,
        effect: Effect,
        error_id: str | None = None,
        issues: tuple[Issue, ...] = (),
    ) -> Err:
        return Err(kind, text, self.rules, issues, effect=effect, error_id=error_id)


def _text_of(error: ToolError) -> str | None:
    """An author's exception may fail to say itself; then it is a crash like any other."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001  the author's __str__ runs here
        return None


def _is_stopping(error: BaseException) -> bool:
    """Whether the caller is being stopped, as against a handler that raised such a thing."""
    if isinstance(error, GeneratorExit):
        return True
    if type(error).__name__ != "CancelledError":
        return False
    import asyncio

    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _unwrapped(done: Ok[Any] | Err | Raised) -> Any:
    if isinstance(done, Raised):
        raise done.error
    return done.unwrap()
