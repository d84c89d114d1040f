"""The way of every call: decode, lift, check, repair, ask, construct, run, check, tell.

One `Boundary` is made for each tool, at its first use, with everything decided that can be: how
arguments reach the handler, where it runs, what its result must be. Sync and async calls share
all that does not await.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property, partial
from typing import Any, TypeAlias

from toolhaft.call import feedback, report, workers
from toolhaft.call.argument_binder import ArgumentBinder
from toolhaft.call.call_options import CallOptions
from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.fast_path import Validate, fast_validation
from toolhaft.call.input import InputPipeline
from toolhaft.call.limits import Limit
from toolhaft.call.once_token import OnceToken
from toolhaft.call.outcome import Err, ErrKind, Ok, RaisedError, Rendered
from toolhaft.call.permission import NOBODY, Permission, to_denial
from toolhaft.call.prepared import Prepared
from toolhaft.call.process import InvalidAnswer
from toolhaft.call.results import Check, InvalidResult, Results, to_content
from toolhaft.call.running import Runner
from toolhaft.call.types import ValidatedInput
from toolhaft.call.view import Unrepeatable, View, has_factories, is_same, view_of, written
from toolhaft.errors import ContextMissing, Effect, ToolError
from toolhaft.jsonio.canonical import digest
from toolhaft.spec import Issue

__all__ = ["Boundary"]

Done: TypeAlias = Ok[Any] | Err | RaisedError
# What becomes of an exception; the effect says whether the handler may have acted.
Failed: TypeAlias = Callable[[BaseException, Effect], Err | RaisedError]


class Boundary:
    """Everything that the calls of one tool need, compiled."""

    def __init__(
        self,
        rules: CallOptions,
        pipeline: InputPipeline,
        function: Callable[..., Any],
        supply: ArgumentBinder,
        results: Results,
        *,
        asynchronous: bool,
        limits: tuple[Limit, ...] = (),
        described: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.rules = rules
        self.function = function
        self.supply = supply
        self.results = results
        self.asynchronous = asynchronous
        self.runner: Runner = Runner(function, rules, limits, asynchronous=asynchronous)
        # Another process makes the handler's objects from JSON data itself.
        self.isolated: bool = rules.isolation == "process"
        self.check: Check = results.check
        self.give: Callable[..., Ok[Any]] = Ok.of if rules.render is None else self._render
        self.described = described
        self.use_pipeline(pipeline)
        self.use_permission(NOBODY)

    def use_pipeline(self, pipeline: InputPipeline) -> None:
        """Settle how arguments come in."""
        self.pipeline = pipeline
        self.validate: Validate = fast_validation(pipeline)
        adapter = pipeline.adapter
        self.awaits: bool = adapter.awaits or self.results.awaits
        # A caller with a loop waits for a validator of which nobody knows whether it answers later.
        self.may_await: bool = adapter.may_await or self.results.may_await

    def use_permission(self, permission: Permission) -> None:
        """Settle who is asked before a call runs."""
        self.permission: Permission = Permission.of(self.rules.authorize).joined(permission)
        self.asks: bool = bool(self.permission.authorize or self.rules.requires_approval)
        awaits = self.asynchronous or self.awaits
        self.is_in_place: bool = not (self.asks or awaits) and self.runner.in_place
        # The commonest handler takes one object.
        self.takes_value: bool = self.supply.whole and self.supply.no_injection

    def with_permission(self, permission: Permission) -> Boundary:
        """Give the same boundary with these asked as well."""
        made = copy(self)
        made.use_permission(self.permission.joined(permission))
        return made

    @property
    def own(self) -> Boundary:
        """The same boundary for arguments in the handler's own terms."""
        if self.pipeline is self.pipeline.own:
            return self
        made = copy(self)
        made.use_pipeline(self.pipeline.own)
        made.use_permission(self.permission)
        return made

    # ------------------------------------------------------------------- whole calls

    def call_sync(self, raw: Any, context: Any) -> Ok[Any] | Err:
        """Take what a model sent to an outcome, without a loop."""
        done: Any = self.run_sync(raw, context, self.to_outcome)
        return done  # type: ignore[no-any-return]

    async def call(self, raw: Any, context: Any) -> Ok[Any] | Err:
        """Take what a model sent to an outcome."""
        done: Any = await self.run(raw, context, self.to_outcome)
        return done  # type: ignore[no-any-return]

    def execute_sync(self, data: Any, context: Any) -> Any:
        """Run one call and give its value, or raise why there is none."""
        return _unwrapped(self.run_sync(data, context, RaisedError))

    async def execute(self, data: Any, context: Any) -> Any:
        """The same for a caller with a loop."""
        return _unwrapped(await self.run(data, context, RaisedError))

    def run_sync(self, raw: Any, context: Any, failed: Failed) -> Done:
        """Validate, ask, and run; `failed` is given an exception and what may have been done."""
        if not self.is_in_place:
            return self._run_elsewhere_sync(raw, context, failed)
        effect: Effect = "none"
        try:
            validated: Any = self.validate(raw)
            if type(validated) is Err:
                return validated
            value, data, coercions = validated
            if self.takes_value:
                effect = "unknown"
                result = self.function(value)
            else:
                args, kwargs = self._bind_arguments(value, data, context)
                effect = "unknown"
                result = self.function(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001  a validator or the handler runs here
            return failed(error, effect)
        return self._check_result(result, data, coercions, failed)

    def _run_elsewhere_sync(self, raw: Any, context: Any, failed: Failed) -> Done:
        """Do so where somebody is asked, in a thread, another process or a loop."""
        if self.asks:
            return self._ask_and_run_sync(raw, context, failed)
        if self.asynchronous or self.awaits:
            done: Done = workers.in_loop(self.run(raw, context, failed))
            return done
        try:
            validated = self.validate(raw)
        except BaseException as error:  # noqa: BLE001  a foreign validator runs here
            return failed(error, "none")
        if type(validated) is Err:
            return validated
        return self.run_validated_sync(validated, context, failed)

    async def run(self, raw: Any, context: Any, failed: Failed) -> Done:
        """Do as `run_sync` does, in a loop."""
        if self.asks:
            return await self._ask_and_run(raw, context, failed)
        try:
            if self.may_await:
                validated: Any = await self.pipeline.validate_awaited(raw)
            else:
                validated = self.validate(raw)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return failed(error, "none")
        if type(validated) is Err:
            return validated
        return await self.run_validated(validated, context, failed)

    # ------------------------------------------------------------------- asking

    def prepare(self, raw: Any, ticket: OnceToken | None = None) -> Prepared[Any] | Err:
        """Do all that comes before the handler but for asking, and stop there."""
        if self.pipeline.adapter.awaits:
            found: Prepared[Any] | Err = workers.in_loop(self._prepare(raw, ticket, looped=True))
            return found
        return run_without_loop(self._prepare(raw, ticket, looped=False))

    async def _prepare(
        self, raw: Any, ticket: OnceToken | None = None, *, looped: bool
    ) -> Prepared[Any] | Err:
        """The same; it waits only for a validator that answers later, and only in a loop."""
        waits = looped and self.may_await
        try:
            if waits:
                validated: Any = await self.pipeline.validate_awaited(raw)
            else:
                validated = self.pipeline.validate(raw)
            if isinstance(validated, Err):
                return validated
            value = self.supply.with_mutable_defaults(validated.value)
            validated = validated._replace(value=value)
            view = await self._view(validated, waits=waits)
            return Prepared(self.own, validated, view, ticket)
        except Exception as error:  # noqa: BLE001  a foreign validator runs in there
            return self.to_outcome(error, "none")

    async def _view(self, validated: ValidatedInput, *, waits: bool) -> View:
        """Read back what the object was made from; a factory must be one that can be repeated."""
        adapter = self.pipeline.own.adapter
        value = validated.value
        view = view_of(adapter, validated.data, value)
        if has_factories(adapter):
            data = view.admitted
            again = await adapter.accept_awaited(data) if waits else adapter.accept(data)
            if not is_same(adapter.fields, value, self.supply.with_mutable_defaults(again[0])):
                raise Unrepeatable(
                    f"{self.rules.name}: the arguments made of what was admitted are others; let "
                    "default factories give values that their own schema takes"
                )
        return view._replace(shown=self.supply.with_defaults(view.shown, partial(written, adapter)))

    async def _ask_and_run(self, raw: Any, context: Any, failed: Failed) -> Done:
        prepared = await self._prepare(raw, looped=True)
        if isinstance(prepared, Err):
            return prepared
        refused = await self.permission.asked(self.rules, prepared, context, looped=True)
        if refused is not None:
            return refused
        return await self._run_prepared(prepared, context, failed)

    def _ask_and_run_sync(self, raw: Any, context: Any, failed: Failed) -> Done:
        prepared = self.prepare(raw)
        if isinstance(prepared, Err):
            return prepared
        asked = self.permission.asked(self.rules, prepared, context, looped=False)
        refused = run_without_loop(asked)
        if refused is not None:
            return refused
        return self._run_prepared_sync(prepared, context, failed)

    async def call_prepared(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        """Run a prepared call once, if the program authorises it still."""
        refused = await self._use_once(prepared, context, looped=True)
        if refused is not None:
            return refused
        done: Any = await self._run_prepared(prepared, context, self.to_outcome)
        return done  # type: ignore[no-any-return]

    def call_prepared_sync(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        """The same for a caller without a loop."""
        refused = run_without_loop(self._use_once(prepared, context, looped=False))
        if refused is not None:
            return refused
        done: Any = self._run_prepared_sync(prepared, context, self.to_outcome)
        return done  # type: ignore[no-any-return]

    async def _use_once(self, prepared: Prepared[Any], context: Any, *, looped: bool) -> Err | None:
        """Authorise and use up the ticket, in this order: a denial leaves the call to be made.

        What the program forgot is said before anybody is asked.
        """
        if missing := self.supply.missing(context):
            return self.to_outcome(ContextMissing(self.rules.name, missing), "none")
        asked = self.rules, prepared, context
        refused = await self.permission.authorized(*asked, looped=looped)
        if refused is None and not await prepared.ticket.spend(self.rules.name, looped=looped):
            return to_denial(self.rules, prepared, feedback.SPENT)
        return refused

    async def _run_prepared(self, prepared: Prepared[Any], context: Any, failed: Failed) -> Done:
        return await self.run_validated(prepared.validated, context, failed, prepared.view.shown)

    def _run_prepared_sync(self, prepared: Prepared[Any], context: Any, failed: Failed) -> Done:
        if self.asynchronous or self.awaits:
            done: Done = workers.in_loop(self._run_prepared(prepared, context, failed))
            return done
        return self.run_validated_sync(prepared.validated, context, failed, prepared.view.shown)

    @cached_property
    def identity(self) -> str:
        """The digest of what a model and a person are told of the tool."""
        return digest(self.described())

    # ------------------------------------------------------------------- running

    def run_validated_sync(
        self, validated: Any, context: Any, failed: Failed, shown: Any = None
    ) -> Done:
        """Run the handler with arguments that passed, and check its result.

        `shown` is the view of the arguments, where somebody was asked.
        """
        value, data, coercions = validated
        effect: Effect = "none"
        try:
            args, kwargs = self._bind_arguments(value, data, context)
            effect = "unknown"
            result = self.runner.run_sync(args, kwargs)
        except BaseException as error:  # noqa: BLE001  the handler runs here
            return failed(error, effect)
        return self._check_result(result, data if shown is None else shown, coercions, failed)

    async def run_validated(
        self, validated: Any, context: Any, failed: Failed, shown: Any = None
    ) -> Done:
        """Do as `run_validated_sync` does, in a loop."""
        value, data, coercions = validated
        effect: Effect = "none"
        try:
            args, kwargs = self._bind_arguments(value, data, context)
            effect = "unknown"
            result = await self.runner.run(args, kwargs)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return failed(error, effect)
        data = data if shown is None else shown
        if not self.results.may_await:
            return self._check_result(result, data, coercions, failed)
        try:
            value, json = await self.results.check_awaited(result)
            return self.give(value, json, data, self.rules, coercions)
        except Exception as error:  # noqa: BLE001  the author's serializers run in there
            return self._result_error(error, result, failed)

    def _check_result(self, result: Any, data: Any, coercions: Any, failed: Failed) -> Done:
        """Check the result, once the handler is done or given up."""
        try:
            value, json = self.check(result)
            return self.give(value, json, data, self.rules, coercions)
        except Exception as error:  # noqa: BLE001  the author's serializers run in there
            return self._result_error(error, result, failed)

    def _bind_arguments(self, value: Any, data: Any, context: Any) -> tuple[Any, dict[str, Any]]:
        """Give the handler's arguments."""
        return ((data,), {}) if self.isolated else self.supply.arguments(value, context)

    def _render(
        self, value: Any, json: Any, data: Any, rules: CallOptions, coercions: Any
    ) -> Ok[Any]:
        """Render the value now: what the author's function raises is an outcome too."""
        render: Any = rules.render
        return Rendered(to_content(render(value)), value, json, data, rules, coercions)

    # ------------------------------------------------------------------- telling

    def _result_error(self, error: Exception, result: Any, failed: Failed) -> Err | RaisedError:
        """Say what became of a call whose result did not pass, or of one that has none.

        A result is asked nothing, not even for its class: proxies raise where they stand alone.
        """
        if issubclass(type(result), workers.RunEnded):
            return self._ended_early(result, failed)
        if not isinstance(error, InvalidResult):
            return failed(error, "done")
        return self._invalid_result(error.issues)

    def _invalid_result(self, issues: tuple[Issue, ...]) -> Err:
        error_id = report.log_output(self.rules.name, issues)
        return self._err(
            "output_invalid", feedback.output_broken(error_id), "done", error_id, issues
        )

    def _ended_early(self, result: workers.RunEnded, failed: Failed) -> Err | RaisedError:
        if isinstance(result, workers.Crashed):
            return failed(result.error, "unknown")
        if isinstance(result, InvalidAnswer):
            return self._invalid_result(result.issues)
        if isinstance(result, workers.TimedOut):
            effect: Effect = "unknown" if result.begun else "none"
            text = feedback.timed_out(self.rules.timeout or 0.0, begun=result.begun)
            return self._err("timeout", text, effect)
        return self._err("overloaded", feedback.overloaded(), "none")

    def to_outcome(self, raised: BaseException, effect: Effect) -> Err:
        """Turn an exception into an outcome; only what concerns the caller passes.

        What it is says its type: the `__class__` of an object is its author's.
        """
        error: Any = raised
        if issubclass(type(error), KeyboardInterrupt):
            try:
                raise error
            finally:
                del error, raised  # they know this frame, and would be held by it
        if issubclass(type(error), ContextMissing) and effect == "none":
            error_id = report.log_missing_context(self.rules.name, error.names)
        elif effect == "unknown" and (words := self._author_words(error)) is not None:
            return self._err("tool_error", feedback.raised(words), effect)
        else:
            error_id = report.log_crash(self.rules.name, error)
        return self._err("runtime_error", feedback.crashed(error_id), effect, error_id)

    def _author_words(self, error: Any) -> str | None:
        """What the author wants the model to read of an exception, if anything."""
        if issubclass(type(error), ToolError):
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
        words = str.__str__(str(error))
    except (Exception, SystemExit):  # noqa: BLE001  the author's __str__ runs here
        return None
    return words if words.strip() else feedback.WORDLESS


def _unwrapped(done: Ok[Any] | Err | RaisedError) -> Any:
    try:
        if isinstance(done, RaisedError):
            raise done.error
        return done.unwrap()
    finally:
        del done  # an exception knows this frame, and they would hold each other
