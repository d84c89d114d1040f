"""The route of every call: decode, lift, check, repair, ask, construct, run, check, report.

One `Boundary` is compiled for each tool at its first use: how arguments reach the handler, where it
runs, what its result must be. Sync and async calls share every step that does not await.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from functools import cached_property, partial
from typing import Any, TypeAlias

from toolhaft.call import feedback, workers
from toolhaft.call.argument_binder import ArgumentBinder
from toolhaft.call.call_options import CallOptions
from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.failures import Failures, OnError
from toolhaft.call.fast_path import FastPath, Validate, fast_path_of
from toolhaft.call.input import InputPipeline
from toolhaft.call.limits import Limit
from toolhaft.call.once_token import OnceToken
from toolhaft.call.outcome import Err, Ok, RaisedError, Rendered, finish
from toolhaft.call.permission import NOBODY, Permission, to_denial
from toolhaft.call.prepared import Prepared, what_runs
from toolhaft.call.results import Check, InvalidResult, Results, dump_any, to_content
from toolhaft.call.running import Runner
from toolhaft.call.view import (
    Unrepeatable,
    View,
    has_factories,
    has_static_defaults,
    is_same,
    make_view,
    with_static_defaults,
    write_object,
)
from toolhaft.errors import ContextMissing, Effect
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.canonical import digest
from toolhaft.jsonio.primitives import compiled, native
from toolhaft.vendors.adapter import Rejected
from toolhaft.vendors.call_context import call_context

__all__ = ["Boundary"]

CallResult: TypeAlias = Ok[Any] | Err | RaisedError
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
        self.failures: Failures = Failures(options, results.shown_issues)
        self.to_outcome: Callable[[BaseException, Effect], Err] = self.failures.to_outcome
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
        self.finish_plain: Callable[..., Ok[Any] | None] | None = finish if is_plain else None
        self.describe = describe
        self.use_pipeline(pipeline)
        self.use_permission(NOBODY)

    def use_pipeline(self, pipeline: InputPipeline) -> None:
        """Set the pipeline that validates the arguments."""
        self.pipeline = pipeline
        self.fast_path: FastPath | None = fast_path_of(pipeline)
        # Another process gets data that nobody else can change, which the whole way makes.
        path = None if self.isolated else self.fast_path
        self.validate: Validate = (path or pipeline).validate
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
        observed = self.permission.observed
        adapter = self.pipeline.handler_pipeline.adapter
        self.shows_class_defaults: bool = observed and has_static_defaults(adapter)
        self.shows_defaults: bool = self.shows_class_defaults or (
            observed and self.binder.has_defaults
        )
        awaits = self.asynchronous or self.awaits
        self.takes_context: bool = self.pipeline.adapter.takes_context
        can_run_at_once = self.runner.in_place and not (
            self.asks_permission or self.shows_defaults or self.takes_context
        )
        self.is_in_place: bool = can_run_at_once and not awaits
        self.is_awaited_in_place: bool = (
            can_run_at_once and self.asynchronous and not self.may_await
        )
        # The commonest handlers take one object, or parameters and nothing that is supplied.
        self.takes_value: bool = self.binder.single_argument and self.binder.no_injection
        self.takes_members: bool = self.binder.no_injection and not self.binder.single_argument
        self.right_call: RightCall | None = self._right_call()

    def _right_call(self) -> RightCall | None:
        """Compile right calls in place; the others are left to `run_whole_sync`."""
        path = self.fast_path
        if not native or path is None or not (self.is_in_place and self.binder.no_injection):
            return None
        calls = compiled.RightCall(
            shape=path.shape,
            construct=path.construct_with,
            construct_text=path.construct_text,
            function=self.function,
            options=self.options,
            copies=path.copies,
            spreads=not self.binder.single_argument,
            finishes=self.finish_plain is not None,
            steps=None if self.options.render else self.results.fast_steps(),
        )
        run: RightCall = calls.run
        return run

    def refuse(self, error: Exception, data: Any, on_error: OnError) -> CallResult:
        """Turn an exception of the constructor of data that fit into an outcome."""
        path = self.fast_path
        if path is None or not issubclass(type(error), path.rejects):
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
            elif self.takes_members:
                effect = "unknown"
                result = self.function(**value)
            else:
                args, kwargs = self._bind_arguments(value, data, context)
                effect = "unknown"
                result = self.function(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001  a validator or the handler runs here
            return on_error(error, effect)
        return self._finish(result, data, coercions, on_error)

    def _finish(self, result: Any, data: Any, coercions: Any, on_error: OnError) -> CallResult:
        """Make the outcome of what a handler gave."""
        if self.finish_plain is not None:
            try:
                outcome = self.finish_plain(result, data, self.options, coercions)
            except BaseException as error:  # noqa: BLE001  keys may be objects of the handler's
                return on_error(error, "done")
            if outcome is not None:
                return outcome
        return self.check_result(result, data, coercions, on_error)

    def _run_elsewhere_sync(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Run a call that needs permission, a thread, another process or a loop."""
        if self.asks_permission:
            return self._ask_and_run_sync(raw, context, on_error)
        if self.asynchronous or self.awaits:
            running = self._run_elsewhere(raw, context, on_error)
            result: CallResult = _run_in_loop(running, on_error, "unknown")
            return result
        try:
            with self._given(context):
                validated = self.validate(raw)
        except BaseException as error:  # noqa: BLE001  a foreign validator runs here
            return on_error(error, "none")
        if type(validated) is Err:
            return validated
        return self.run_validated_sync(validated, context, on_error, self._shown(validated))

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
            elif self.takes_members:
                effect = "unknown"
                result = await self.function(**value)
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
            with self._given(context):
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
        return await self.run_validated(validated, context, on_error, self._shown(validated))

    # ------------------------------------------------------------------- asking

    def _given(self, context: Any) -> AbstractContextManager[None]:
        """Give the context to what makes values of it inside the block."""
        return call_context(context) if self.takes_context else nullcontext()

    def prepare(
        self, raw: Any, token: OnceToken | None = None, context: Any = None
    ) -> Prepared[Any] | Err:
        """Validate arguments for a later run, without asking anybody."""
        with self._given(context):
            if not self.pipeline.adapter.awaits:
                return run_without_loop(self._prepare(raw, token, has_loop=False))
            preparing = self._prepare(raw, token, has_loop=True)
            prepared: Prepared[Any] | Err = _run_in_loop(preparing, self.to_outcome, "none")
            return prepared

    async def ask_program(self, raw: Any, context: Any) -> Err | None:
        """Validate arguments and ask the program, for nothing to be run."""
        with self._given(context):
            prepared = await self._prepare(raw, has_loop=True)
        if isinstance(prepared, Err):
            return prepared
        return await self.permission.ask_program(self.options, prepared, context, has_loop=True)

    def ask_program_sync(self, raw: Any, context: Any) -> Err | None:
        """Do as `ask_program` does, without a loop."""
        prepared = self.prepare(raw, context=context)
        if isinstance(prepared, Err):
            return prepared
        call = self.options, prepared, context
        return run_without_loop(self.permission.ask_program(*call, has_loop=False))

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
        return value, view._replace(shown=self._with_parameter_defaults(view.shown))

    def _with_parameter_defaults(self, shown: Any) -> Any:
        """Add the static defaults of the handler's own parameters."""
        write = partial(write_object, self.pipeline.handler_pipeline.adapter)
        return self.binder.add_defaults(shown, write)

    def _shown(self, validated: Any) -> Any:
        """Give the arguments as observers are shown them; None where there are no more defaults."""
        if not self.shows_defaults:
            return None
        value, data, _ = validated
        try:
            data = jsontext.read(data) if type(data) is str else data
            if self.shows_class_defaults:
                adapter = self.pipeline.handler_pipeline.adapter
                data = with_static_defaults(adapter, data, value)
            return self._with_parameter_defaults(data)
        except Exception:  # noqa: BLE001  an author's object may raise: the call is right
            return None

    async def _ask_and_run(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        with self._given(context):
            prepared = await self._prepare(raw, has_loop=True)
        if isinstance(prepared, Err):
            return prepared
        refused = await self.permission.ask(self.options, prepared, context, has_loop=True)
        if refused is not None:
            return refused
        return await self._run_prepared(prepared, context, on_error)

    def _ask_and_run_sync(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        prepared = self.prepare(raw, context=context)
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
        validated, shown = what_runs(prepared)
        return await self.run_validated(validated, context, on_error, shown)

    def _run_prepared_sync(
        self, prepared: Prepared[Any], context: Any, on_error: OnError
    ) -> CallResult:
        if self.asynchronous or self.awaits:
            running = self._run_prepared(prepared, context, on_error)
            result: CallResult = _run_in_loop(running, on_error, "unknown")
            return result
        validated, shown = what_runs(prepared)
        return self.run_validated_sync(validated, context, on_error, shown)

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
            return self.failures.to_result_error(error, result, on_error)

    def check_result(self, result: Any, data: Any, coercions: Any, on_error: OnError) -> CallResult:
        """Check the result of a handler that has ended or was given up."""
        try:
            value, json = self.check(result)
            return self.make_ok(value, json, data, self.options, coercions)
        except BaseException as error:  # noqa: BLE001  the author's serializers run in there
            return self.failures.to_result_error(error, result, on_error)

    def check_dump(self, value: Any, dump: Any, data: Any, on_error: OnError) -> CallResult:
        """Check the dump of an object that a handler gave: an object is never dumped twice."""
        try:
            json = self.results.check_dump(dump)
        except BaseException as error:  # noqa: BLE001  a handler's objects may be in the dump
            return self.failures.to_result_error(error, value, on_error)
        return self.make_ok(value, json, data, self.options, ())

    def refuse_dump(self, error: Any, value: Any, on_error: OnError) -> CallResult:
        """Turn an exception of what dumps an object that a handler gave into an outcome."""
        if issubclass(type(error), Rejected):
            error = InvalidResult(self.results.explain_dump(error, value))
        return self.failures.to_result_error(error, value, on_error)

    def _bind_arguments(self, value: Any, data: Any, context: Any) -> tuple[Any, dict[str, Any]]:
        """Give the handler's arguments."""
        if self.isolated:
            return (data,), {}
        return self.binder.bind(value, context)

    def _render(
        self, value: Any, json: Any, data: Any, options: CallOptions, coercions: Any
    ) -> Ok[Any]:
        """Render the value now: what the author's function raises is an outcome too."""
        render: Any = options.render
        return Rendered(to_content(render(value)), value, json, data, options, coercions)


def _run_in_loop(coroutine: Coroutine[Any, Any, Any], on_error: OnError, effect: Effect) -> Any:
    """Run a step of a call for a caller without a loop.

    Nobody outside can cancel it: a handler did, this one or another on the same loop.
    """
    import asyncio

    try:
        return workers.run_in_loop(coroutine)
    except asyncio.CancelledError as error:
        return on_error(error, effect)


def _unwrap_result(result: Ok[Any] | Err | RaisedError) -> Any:
    try:
        if isinstance(result, RaisedError):
            raise result.error
        return result.unwrap()
    finally:
        del result  # an exception knows this frame, and they would hold each other
