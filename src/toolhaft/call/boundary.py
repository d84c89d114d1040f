"""The way of every call: decode, validate, repair, supply, run, check the result, report.

One `Boundary` is made for each tool, at its first use, with everything decided that can be:
how arguments reach the handler, where it runs, what its result must be. A call then only
does the work that its own data asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from toolhaft.call import feedback, report, workers
from toolhaft.call.decode import Undecodable, decode
from toolhaft.call.ignored import watch
from toolhaft.call.outcome import Coercion, Err, ErrKind, Ok
from toolhaft.call.prepare import Prepared
from toolhaft.call.recover import Refused, recover
from toolhaft.call.results import Broken, Results
from toolhaft.call.supply import Supply
from toolhaft.errors import ContextMissing, Effect, ToolError
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import Adapter

__all__ = ["Boundary", "Rules"]

class Rules(NamedTuple):
    """What a tool's author settled about its calls."""

    name: str
    coerce: str = "safe"
    timeout: float | None = None
    offload: bool = True
    max_result_chars: int | None = None
    render: Callable[[Any], Any] | None = None
    errors: Mapping[type[Exception], str] = {}


class Raised(NamedTuple):
    """An exception on its way out; `begun` says whether the handler had started."""

    error: BaseException
    begun: bool


class Admitted(NamedTuple):
    """Arguments that passed: the declared object, the JSON behind it, what was repaired."""

    value: Any
    data: Any
    coercions: tuple[Coercion, ...]


class Boundary:
    """Everything that the calls of one tool need, compiled."""

    def __init__(
        self,
        rules: Rules,
        adapter: Adapter[Any],
        function: Callable[..., Any],
        supply: Supply,
        results: Results,
        *,
        asynchronous: bool,
        ignored: str | None,
    ) -> None:
        self.rules = rules
        self.adapter = adapter
        self.function = function
        self.supply = supply
        self.results = results
        self.asynchronous = asynchronous
        self.ignored = ignored
        self.watch = watch(adapter.checker("input").schema) if ignored else None

    def call_sync(self, raw: Any, context: Any) -> Ok[Any] | Err:
        """Run one call to its outcome; only `KeyboardInterrupt` and the like pass through."""
        return self._told(self._run_sync(raw, context))

    async def call(self, raw: Any, context: Any) -> Ok[Any] | Err:
        """The same for a caller with a loop; its own cancellation passes through."""
        return self._told(await self._run(raw, context))

    def execute_sync(self, data: Any, context: Any) -> Any:
        """Run one call and give its value, or raise why there is none."""
        return _unwrapped(self._run_sync(data, context))

    async def execute(self, data: Any, context: Any) -> Any:
        """The same for a caller with a loop."""
        return _unwrapped(await self._run(data, context))

    def prepare(self, raw: Any) -> Prepared[Any] | Err:
        """Do all that comes before the handler, and stop there."""
        admitted = self._admit(raw)
        return admitted if isinstance(admitted, Err) else Prepared(self, admitted)

    def _run_sync(self, raw: Any, context: Any) -> Ok[Any] | Err | Raised:
        if self.asynchronous or self.adapter.awaits:
            done: Ok[Any] | Err | Raised = workers.in_loop(self._run(raw, context))
            return done
        begun = False
        try:
            admitted = self._admit(raw)
            if isinstance(admitted, Err):
                return admitted
            args, kwargs = self.supply.arguments(admitted.value, context)
            begun, timeout = True, self.rules.timeout
            if timeout is None:
                result = self.function(*args, **kwargs)
            else:
                job = partial(self.function, *args, **kwargs)
                result = workers.in_thread_sync(job, timeout)
        except BaseException as error:  # the handler runs here; `_told` lets through what must
            return Raised(error, begun)
        return self._finish(result, admitted)

    async def _run(self, raw: Any, context: Any) -> Ok[Any] | Err | Raised:
        begun = False
        try:
            admitted = await self._admit_awaited(raw) if self.adapter.awaits else self._admit(raw)
            if isinstance(admitted, Err):
                return admitted
            args, kwargs = self.supply.arguments(admitted.value, context)
            begun = True
            result = await self._result(args, kwargs)
        except BaseException as error:  # as above
            if _is_cancelled(error):
                raise
            return Raised(error, begun)
        return self._finish(result, admitted)

    async def _result(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        timeout = self.rules.timeout
        if not self.asynchronous:
            if self.rules.offload:
                return await workers.in_thread(partial(self.function, *args, **kwargs), timeout)
            return self.function(*args, **kwargs)
        if timeout is None:
            return await self.function(*args, **kwargs)
        return await workers.within(self.function(*args, **kwargs), timeout)

    def _admit(self, raw: Any) -> Admitted | Err:
        """Decode, validate, and only where that failed repair and validate again."""
        if type(raw) is Admitted:
            return raw._replace(value=self.adapter.construct(raw.data))
        try:
            data, coercions = decode(raw, self.adapter, self.rules.coerce)
        except Undecodable as fault:
            return self._refusal(fault.kind, fault.issues)
        try:
            value = self.adapter.construct(data)
        except self.adapter.rejects as error:
            return self._recover(data, error, coercions)
        return Admitted(value, data, self._noticed(data, coercions))

    def _recover(self, data: Any, error: Exception, before: tuple[Coercion, ...]) -> Admitted | Err:
        try:
            value, data, more = recover(self.adapter, data, error, self.rules.coerce)
        except Refused as refused:
            return self._refusal("invalid_input", refused.issues, before + refused.coercions)
        return Admitted(value, data, self._noticed(data, before + more))

    def _noticed(self, data: Any, coercions: tuple[Coercion, ...]) -> tuple[Coercion, ...]:
        """Record what the validator let pass on its own account."""
        if self.watch is not None:
            found = [Coercion(path, self.ignored or "") for path in self.watch(data, ())]
            coercions += tuple(found)
        if self.adapter.widens:
            found = [Coercion(f.issue.path, "vendor") for f in self.adapter.findings(data)]
            coercions += tuple(found)
        return coercions

    def _finish(self, result: Any, admitted: Admitted) -> Ok[Any] | Err | Raised:
        """Check the result, once the handler is done or given up."""
        if isinstance(result, workers.Ended):
            return self._ended(result)
        try:
            value, data = self.results.check(result)
        except Broken as broken:
            error_id = report.log_output(self.rules.name, broken.issues)
            return self._err("output_invalid", feedback.output_broken(error_id), "done", error_id)
        except Exception as error:  # a foreign dumper or the author's serializer runs in there
            return Raised(error, begun=True)
        return Ok(value, data, admitted.data, self.rules, admitted.coercions)

    def _ended(self, result: workers.Ended) -> Err | Raised:
        if isinstance(result, workers.Crash):
            return Raised(result.error, begun=True)
        if isinstance(result, workers.Late):
            effect: Effect = "unknown" if result.begun else "none"
            text = feedback.timed_out(self.rules.timeout or 0.0, begun=result.begun)
            return self._err("timeout", text, effect)
        return self._err("overloaded", feedback.overloaded(), "none")

    def _told(self, done: Ok[Any] | Err | Raised) -> Ok[Any] | Err:
        """Turn a handler's exception into an outcome; only what concerns the caller passes."""
        if not isinstance(done, Raised):
            return done
        error = done.error
        if isinstance(error, KeyboardInterrupt):
            raise error
        effect: Effect = "unknown" if done.begun else "none"
        if isinstance(error, ContextMissing) and not done.begun:
            error_id = report.log_missing_context(self.rules.name, error.names)
        elif (words := self._words(error)) is not None and done.begun:
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

    def _refusal(
        self, kind: ErrKind, issues: tuple[Issue, ...], coercions: tuple[Coercion, ...] = ()
    ) -> Err:
        text: str | feedback.Words = feedback.TRUNCATED
        if kind != "truncated":
            text = partial(feedback.invalid, issues, self.adapter.checker("input").schema)
        return Err(kind, text, self.rules, issues, coercions)

    def _err(
        self, kind: ErrKind, text: str, effect: Effect, error_id: str | None = None
    ) -> Err:
        return Err(kind, text, self.rules, effect=effect, error_id=error_id)


def _text_of(error: ToolError) -> str | None:
    """An author's exception may fail to say itself; then it is a crash like any other."""
    try:
        return str(error)
    except Exception:  # the author's __str__ runs here
        return None


def _is_cancelled(error: BaseException) -> bool:
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
