"""The route of every call: decode, lift, check, repair, ask, construct, run, check, report.

One `Boundary` is compiled for each tool at its first use: how arguments reach the handler, where it
runs, what its result must be. Sync and async calls share every step that does not await.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property, partial
from typing import Any, TypeAlias

from toolhaft.call import feedback, report, workers
from toolhaft.call.argument_binder import ArgumentBinder
from toolhaft.call.call_options import CallOptions
from toolhaft.call.callbacks import raise_interrupt, run_without_loop
from toolhaft.call.fast_path import FastPath, Validate, fast_path_of
from toolhaft.call.input import InputPipeline
from toolhaft.call.invalid import ForeignInputInvalid, ForeignOutputInvalid
from toolhaft.call.limits import Limit
from toolhaft.call.once_token import OnceToken
from toolhaft.call.outcome import Err, ErrKind, Ok, RaisedError, Rendered, finish
from toolhaft.call.permission import NOBODY, Permission, to_denial
from toolhaft.call.prepared import Prepared
from toolhaft.call.process import InvalidAnswer
from toolhaft.call.results import Check, InvalidResult, Results, dump_any, to_content
from toolhaft.call.running import Runner
from toolhaft.call.view import Unrepeatable, View, has_factories, is_same, make_view, write_object
from toolhaft.errors import ContextMissing, Effect, ToolError
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.canonical import digest
from toolhaft.jsonio.primitives import compiled, native
from toolhaft.spec import Issue

__all__ = ["Boundary"]

CallResult: TypeAlias = Ok[Any] | Err | RaisedError
# Turns an exception into a result; the effect says whether the handler may have acted.
OnError: TypeAlias = Callable[[BaseException, Effect], Err | RaisedError]
# Takes a boundary, raw arguments, the context, and `to_outcome` or what stands for it.
RightCall: TypeAlias = "Callable[..., CallResult]"


class Boundary:
    """The compiled boundary of one tool: validates arguments, asks permission, runs the handler."""

    def __init__(
        self,
        options: CallOptions,
        pipeline: InputPipeline,
        function: Callable[..., Any],
        binder: ArgumentBinder,
        results: Results,
        *,
        asynchronous: bool,
        limits: tuple[Limit, ...] = (),
        describe: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.options = options
        self.function = function
        self.binder = binder
        self.results = results
        self.asynchronous = asynchronous
        self.runner: Runner = Runner(function, options, limits, asynchronous=asynchronous)
        # Another process makes the handler's objects from JSON data itself.
        self.isolated: bool = options.isolation == "process"
        self.check: Check = results.check
        self.make_ok: Callable[..., Ok[Any]] = Ok.of if options.render is None else self._render
        # Most results are undeclared and plain.
        is_plain = results.check is dump_any and options.render is None
        self.finish: Callable[..., Ok[Any] | None] | None = finish if is_plain else None
        self.describe = describe
        self.use_pipeline(pipeline)
        self.use_permission(NOBODY)

    def use_pipeline(self, pipeline: InputPipeline) -> None:
        """Set the pipeline that validates the arguments."""
        self.pipeline = pipeline
        self.fast_path: FastPath | None = fast_path_of(pipeline)
        self.validate: Validate = (self.fast_path or pipeline).validate
        adapter = pipeline.adapter
        self.awaits: bool = adapter.awaits or self.results.awaits
        # Where it is not known whether a validator is async, a caller with a loop awaits it.
        self.may_await: bool = adapter.may_await or self.results.may_await

    def use_permission(self, permission: Permission) -> None:
        """Set who is asked before a call runs, besides the tool's own `authorize`."""
        self.permission: Permission = Permission.of(self.options.authorize).combine(permission)
        self.asks_permission: bool = bool(
            self.permission.authorize or self.options.requires_approval
        )
        awaits = self.asynchronous or self.awaits
        can_run_at_once = not self.asks_permission and self.runner.in_place
        self.is_in_place: bool = can_run_at_once and not awaits
        self.is_awaited_in_place: bool = (
            can_run_at_once and self.asynchronous and not self.may_await
        )
        # The commonest handler takes one object.
        self.takes_value: bool = self.binder.single_argument and self.binder.no_injection
        self.right_call: RightCall | None = self._right_call()

    def _right_call(self) -> RightCall | None:
        """Compile right calls in place; the others are left to `run_whole_sync`."""
        path = self.fast_path
        if not native or path is None or not (self.is_in_place and self.binder.no_injection):
            return None
        calls = compiled.RightCall(
            shape=path.shape,
            construct=path.construct,
            construct_text=path.construct_text,
            function=self.function,
            options=self.options,
            copies=path.copies,
            spreads=not self.binder.single_argument,
            finishes=self.finish is not None,
            # In C a declared result that can be iterated once would be read twice.
            steps=None,
        )
        run: RightCall = calls.run
        return run

    def refuse(self, error: Exception, data: Any, on_error: OnError) -> CallResult:
        """Turn an exception of the constructor of data that fit into an outcome."""
        path = self.fast_path
        if path is None or not isinstance(error, path.rejects):
            return on_error(error, "none")
        try:
            return path.refuse(error, data)
        except BaseException as another:  # noqa: BLE001  explaining runs the author's code
            return on_error(another, "none")

    def with_permission(self, permission: Permission) -> Boundary:
        """Give a copy of the boundary that asks these too."""
        boundary = copy(self)
        boundary.use_permission(self.permission.combine(permission))
        return boundary

    @property
    def handler_boundary(self) -> Boundary:
        """The same boundary for arguments under the handler's own names, before any transform."""
        if self.pipeline is self.pipeline.handler_pipeline:
            return self
        boundary = copy(self)
        boundary.use_pipeline(self.pipeline.handler_pipeline)
        boundary.use_permission(self.permission)
        return boundary

    # ------------------------------------------------------------------- whole calls

    def call_sync(self, raw: Any, context: Any) -> Ok[Any] | Err:
        """Run a call for a caller without a loop; failures are outcomes."""
        outcome: Any = self.run_sync(raw, context, self.to_outcome)
        return outcome  # type: ignore[no-any-return]

    async def call(self, raw: Any, context: Any) -> Ok[Any] | Err:
        """Run a call; failures are outcomes."""
        outcome: Any = await self.run(raw, context, self.to_outcome)
        return outcome  # type: ignore[no-any-return]

    def execute_sync(self, data: Any, context: Any) -> Any:
        """Run one call and give its value, or raise why there is none."""
        return _unwrap_result(self.run_sync(data, context, RaisedError))

    async def execute(self, data: Any, context: Any) -> Any:
        """Do as `execute_sync` does, in a loop."""
        return _unwrap_result(await self.run(data, context, RaisedError))

    def run_sync(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Validate, ask, and run; `on_error` turns an exception into what is returned."""
        if self.right_call is not None:
            return self.right_call(self, raw, context, on_error)
        return self.run_whole_sync(raw, context, on_error)

    def run_whole_sync(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Do as `run_sync` does, in Python."""
        if not self.is_in_place:
            return self._run_elsewhere_sync(raw, context, on_error)
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
            return on_error(error, effect)
        return self._finish(result, data, coercions, on_error)

    def _finish(self, result: Any, data: Any, coercions: Any, on_error: OnError) -> CallResult:
        """Make the outcome of what a handler gave."""
        if self.finish is not None:
            outcome = self.finish(result, data, self.options, coercions)
            if outcome is not None:
                return outcome
        return self.check_result(result, data, coercions, on_error)

    def _run_elsewhere_sync(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Run a call that needs permission, a thread, another process or a loop."""
        if self.asks_permission:
            return self._ask_and_run_sync(raw, context, on_error)
        if self.asynchronous or self.awaits:
            result: CallResult = workers.run_in_loop(self.run(raw, context, on_error))
            return result
        try:
            validated = self.validate(raw)
        except BaseException as error:  # noqa: BLE001  a foreign validator runs here
            return on_error(error, "none")
        if type(validated) is Err:
            return validated
        return self.run_validated_sync(validated, context, on_error)

    async def run(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Do as `run_sync` does, in a loop."""
        if not self.is_awaited_in_place:
            return await self._run_elsewhere(raw, context, on_error)
        effect: Effect = "none"
        try:
            validated: Any = self.validate(raw)
            if type(validated) is Err:
                return validated
            value, data, coercions = validated
            if self.takes_value:
                effect = "unknown"
                result = await self.function(value)
            else:
                args, kwargs = self._bind_arguments(value, data, context)
                effect = "unknown"
                result = await self.function(*args, **kwargs)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return on_error(error, effect)
        return self._finish(result, data, coercions, on_error)

    async def _run_elsewhere(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Run a call that needs permission, a thread or another process, or whose types await."""
        if self.asks_permission:
            return await self._ask_and_run(raw, context, on_error)
        try:
            if self.may_await:
                validated: Any = await self.pipeline.validate_awaited(raw)
            else:
                validated = self.validate(raw)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return on_error(error, "none")
        if type(validated) is Err:
            return validated
        return await self.run_validated(validated, context, on_error)

    # ------------------------------------------------------------------- asking

    def prepare(self, raw: Any, token: OnceToken | None = None) -> Prepared[Any] | Err:
        """Validate arguments for a later run, without asking anybody."""
        if self.pipeline.adapter.awaits:
            prepared: Prepared[Any] | Err = workers.run_in_loop(
                self._prepare(raw, token, has_loop=True)
            )
            return prepared
        return run_without_loop(self._prepare(raw, token, has_loop=False))

    async def _prepare(
        self, raw: Any, token: OnceToken | None = None, *, has_loop: bool
    ) -> Prepared[Any] | Err:
        """Do as `prepare` does; async validators are awaited only where `has_loop`."""
        waits = has_loop and self.may_await
        try:
            if waits:
                validated: Any = await self.pipeline.validate_awaited(raw)
            else:
                validated = self.pipeline.validate(raw)
            if isinstance(validated, Err):
                return validated
            value = self.binder.copy_mutable_defaults(validated.value)
            value, view = await self._make_view(value, validated.data, waits=waits)
            return Prepared(self.handler_boundary, validated._replace(value=value), view, token)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return self.to_outcome(error, "none")

    async def _make_view(self, value: Any, data: Any, *, waits: bool) -> tuple[Any, View]:
        """Make the view of the arguments; give it with the value that its JSON constructs.

        Where default factories run, the value is constructed again from what was admitted, and
        must be the same.
        """
        adapter = self.pipeline.handler_pipeline.adapter
        view = make_view(adapter, data, value)
        if has_factories(adapter):
            data = view.admitted
            accepted = await adapter.accept_awaited(data) if waits else adapter.accept(data)
            first, value = value, self.binder.copy_mutable_defaults(accepted[0])
            if not is_same(adapter.fields, first, value):
                raise Unrepeatable
        shown = self.binder.add_defaults(view.shown, partial(write_object, adapter))
        return value, view._replace(shown=shown)

    async def _ask_and_run(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        prepared = await self._prepare(raw, has_loop=True)
        if isinstance(prepared, Err):
            return prepared
        refused = await self.permission.ask(self.options, prepared, context, has_loop=True)
        if refused is not None:
            return refused
        return await self._run_prepared(prepared, context, on_error)

    def _ask_and_run_sync(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        prepared = self.prepare(raw)
        if isinstance(prepared, Err):
            return prepared
        asking = self.permission.ask(self.options, prepared, context, has_loop=False)
        refused = run_without_loop(asking)
        if refused is not None:
            return refused
        return self._run_prepared_sync(prepared, context, on_error)

    async def call_prepared(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        """Run a prepared call once, if the program authorises it still."""
        refused = await self._use_once(prepared, context, has_loop=True)
        if refused is not None:
            return refused
        outcome: Any = await self._run_prepared(prepared, context, self.to_outcome)
        return outcome  # type: ignore[no-any-return]

    def call_prepared_sync(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        """Do as `call_prepared` does, without a loop."""
        refused = run_without_loop(self._use_once(prepared, context, has_loop=False))
        if refused is not None:
            return refused
        outcome: Any = self._run_prepared_sync(prepared, context, self.to_outcome)
        return outcome  # type: ignore[no-any-return]

    async def _use_once(
        self, prepared: Prepared[Any], context: Any, *, has_loop: bool
    ) -> Err | None:
        """Authorise, then spend the once token: a denied call can still be made later.

        Values that are missing from the context are reported before anybody is asked.
        """
        try:
            missing = self.binder.missing_names(context)
        except BaseException as error:  # noqa: BLE001  the program's context may raise
            return self.to_outcome(error, "none")
        if missing:
            return self.to_outcome(ContextMissing(self.options.name, missing), "none")
        call = self.options, prepared, context
        refused = await self.permission.ask_program(*call, has_loop=has_loop)
        if refused is None and not await prepared.ticket.spend(
            self.options.name, has_loop=has_loop
        ):
            return to_denial(self.options, prepared, feedback.SPENT)
        return refused

    async def _run_prepared(
        self, prepared: Prepared[Any], context: Any, on_error: OnError
    ) -> CallResult:
        return await self.run_validated(prepared.validated, context, on_error, prepared.view.shown)

    def _run_prepared_sync(
        self, prepared: Prepared[Any], context: Any, on_error: OnError
    ) -> CallResult:
        if self.asynchronous or self.awaits:
            result: CallResult = workers.run_in_loop(
                self._run_prepared(prepared, context, on_error)
            )
            return result
        return self.run_validated_sync(prepared.validated, context, on_error, prepared.view.shown)

    @cached_property
    def identity(self) -> str:
        """The digest of the tool as models and people see it."""
        return digest(self.describe())

    # ------------------------------------------------------------------- running

    def run_validated_sync(
        self, validated: Any, context: Any, on_error: OnError, shown: Any = None
    ) -> CallResult:
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
            return on_error(error, effect)
        return self.check_result(result, data if shown is None else shown, coercions, on_error)

    async def run_validated(
        self, validated: Any, context: Any, on_error: OnError, shown: Any = None
    ) -> CallResult:
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
            return on_error(error, effect)
        data = data if shown is None else shown
        if not self.results.may_await:
            return self.check_result(result, data, coercions, on_error)
        try:
            value, json = await self.results.check_awaited(result)
            return self.make_ok(value, json, data, self.options, coercions)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return self._to_result_error(error, result, on_error)

    def check_result(self, result: Any, data: Any, coercions: Any, on_error: OnError) -> CallResult:
        """Check the result of a handler that has ended or was given up."""
        try:
            value, json = self.check(result)
            return self.make_ok(value, json, data, self.options, coercions)
        except BaseException as error:  # noqa: BLE001  the author's serializers run in there
            return self._to_result_error(error, result, on_error)

    def _bind_arguments(self, value: Any, data: Any, context: Any) -> tuple[Any, dict[str, Any]]:
        """Give the handler's arguments."""
        if self.isolated:
            return (jsontext.read(data) if type(data) is str else data,), {}
        return self.binder.bind(value, context)

    def _render(
        self, value: Any, json: Any, data: Any, options: CallOptions, coercions: Any
    ) -> Ok[Any]:
        """Render the value now: what the author's function raises is an outcome too."""
        render: Any = options.render
        return Rendered(to_content(render(value)), value, json, data, options, coercions)

    # ------------------------------------------------------------------- reporting

    def _to_result_error(
        self, error: BaseException, result: Any, on_error: OnError
    ) -> Err | RaisedError:
        """Turn a failed check of a result, or a handler that gave none, into an outcome.

        Only the type of the result is read: a proxy may raise on any access to its attributes.
        """
        if issubclass(type(result), workers.RunEnded):
            return self._to_early_end(result, on_error)
        if not isinstance(error, InvalidResult):
            return on_error(error, "done")
        return self._to_invalid_result(error.issues)

    def _to_invalid_result(self, issues: tuple[Issue, ...]) -> Err:
        error_id = report.log_output(self.options.name, issues)
        return self._err(
            "output_invalid", feedback.describe_invalid_output(error_id), "done", error_id, issues
        )

    def _to_early_end(self, result: workers.RunEnded, on_error: OnError) -> Err | RaisedError:
        if isinstance(result, workers.Crashed):
            return on_error(result.error, "unknown")
        if isinstance(result, InvalidAnswer):
            return self._to_invalid_result(result.issues)
        if isinstance(result, workers.TimedOut):
            effect: Effect = "unknown" if result.begun else "none"
            text = feedback.describe_timeout(
                self.options.timeout or 0.0,
                begun=result.begun,
                may_repeat=self.options.may_repeat,
            )
            return self._err("timeout", text, effect)
        return self._err("overloaded", feedback.describe_overload(), "none")

    def to_outcome(self, raised: BaseException, effect: Effect) -> Err:
        """Turn an exception into an outcome; `KeyboardInterrupt` passes.

        The kind is read from its type, as a class may override `__class__`.
        """
        try:
            raise_interrupt(raised)
            error: Any = raised
        finally:
            del raised  # a Ctrl-C knows this frame, and would be held by it
        if issubclass(type(error), ForeignOutputInvalid):
            return self._to_invalid_result(error.issues)
        if issubclass(type(error), ForeignInputInvalid):
            text = feedback.describe_invalid(error.issues)
            return self._err("invalid_input", text, "none", None, error.issues)
        if issubclass(type(error), ContextMissing) and effect == "none":
            error_id = report.log_missing_context(self.options.name, error.names)
        elif effect == "unknown" and (message := self._author_message(error)) is not None:
            return self._err("tool_error", feedback.describe_author_error(message), effect)
        else:
            error_id = report.log_crash(self.options.name, error)
        text = feedback.describe_crash(error_id, effect, may_repeat=self.options.may_repeat)
        return self._err("runtime_error", text, effect, error_id)

    def _author_message(self, error: Any) -> str | None:
        """Give the author's text for an exception; None where there is none."""
        if issubclass(type(error), ToolError):
            return _message_of(error)
        for kind in report.class_mro(type(error)):
            for known, message in self.options.errors.items():
                if known is kind:
                    return message
        return None

    def _err(
        self,
        kind: ErrKind,
        text: str,
        effect: Effect,
        error_id: str | None = None,
        issues: tuple[Issue, ...] = (),
    ) -> Err:
        return Err(kind, text, self.options, issues, effect=effect, error_id=error_id)


def _message_of(error: ToolError) -> str | None:
    """Give the text of a `ToolError`; None where its `__str__` fails, which makes it a crash."""
    try:
        message = str.__str__(str(error))
    except BaseException as fault:  # noqa: BLE001  the author's __str__ runs here
        raise_interrupt(fault)
        return None
    return message if message.strip() else feedback.NO_REASON


def _unwrap_result(result: Ok[Any] | Err | RaisedError) -> Any:
    try:
        if isinstance(result, RaisedError):
            raise result.error
        return result.unwrap()
    finally:
        del result  # an exception knows this frame, and they would hold each other
