"""The route of every call: decode, lift, check, repair, ask, construct, run, check, report.

One `Boundary` is compiled for each tool at its first use: how arguments reach the handler, where it
runs, what its result must be. Sync and async calls share every step that does not await.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from functools import cached_property
from typing import Any, Final, Self, TypeAlias

from toolhaft.call import workers
from toolhaft.call.argument_binder import ArgumentBinder
from toolhaft.call.call_options import CallOptions
from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.callers import info_of, with_deadline
from toolhaft.call.edit import Decision
from toolhaft.call.failures import Failures, OnError, run_step_in_loop
from toolhaft.call.fast_path import FastPath, Validate, fast_path_of
from toolhaft.call.filling import DefaultFill, Defaults
from toolhaft.call.input import InputPipeline, RefusedInput
from toolhaft.call.internals import edit_of, view_of
from toolhaft.call.limits import Limit
from toolhaft.call.once_token import OnceToken
from toolhaft.call.outcome import Err, Ok, RaisedError, with_decision
from toolhaft.call.output import CallResult, OutputPipeline
from toolhaft.call.permission import NOBODY, Attempt, Permission, needs_approval
from toolhaft.call.prepared import Prepared
from toolhaft.call.preparing import (
    Permitted,
    permit,
    prepare,
    to_prepared,
    validate,
    validate_at_once,
)
from toolhaft.call.results import Results
from toolhaft.call.running import Runner
from toolhaft.call.types import Coercion, ToolCall, ValidatedInput
from toolhaft.call.unfit_defaults import faults_of
from toolhaft.call.view import ViewBuilder
from toolhaft.definition.call_info import CallInfo
from toolhaft.errors import DefinitionError, Effect, ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.canonical import digest
from toolhaft.jsonio.primitives import compiled, native
from toolhaft.vendors.adapter import Rejected
from toolhaft.vendors.call_context import call_context
from toolhaft.vendors.derived import Derived

__all__ = ["Boundary"]

# Takes a boundary, raw arguments, the context, and `to_outcome` or a stand-in for it.
RightCall: TypeAlias = "Callable[..., CallResult]"
NO_CONTEXT: Final = nullcontext()


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
        self.limits = limits
        # Another process makes the handler's objects from JSON data itself.
        self.isolated: bool = options.isolation == "process"
        self.output: OutputPipeline = OutputPipeline(options, results, self.failures)
        # Of these `native/call.c` asks the boundary.
        self.check_result: Callable[..., CallResult] = self.output.check
        self.check_dump: Callable[..., CallResult] = self.output.check_dump
        self.refuse_dump: Callable[..., CallResult] = self.output.refuse_dump
        self.describe = describe
        # Completes the handler's arguments with what is hidden, of its own boundary.
        self.hide_again: Callable[[Any, Any], Any] | None = None
        # Writes arguments of that boundary as the model knows them.
        self.show_model: Callable[[Any], Any] = _same
        # Of the one call that the boundary is for; None if it is for every call.
        self.info: CallInfo | None = None
        self.caller: dict[str, Any] | None = None
        # Compiled once: the boundary of the handler's own names has the same.
        self.defaults: Defaults = Defaults(pipeline.handler_pipeline.adapter)
        self.own_permission: Permission = Permission.of(options.authorize)
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
        # If it is unknown whether a validator is async, a caller with a loop awaits it.
        self.may_await: bool = adapter.may_await or self.results.may_await
        self.takes_context: bool = adapter.takes_context
        self.asks_person: bool = bool(self.options.requires_approval)
        # The commonest handlers take one object, or parameters and nothing that is supplied.
        takes_input = self.binder.no_injection and not self.isolated
        self.takes_value: bool = takes_input and self.binder.single_argument
        self.takes_members: bool = takes_input and not self.binder.single_argument
        self.steps: Any = self._compile_steps()

    def use_permission(self, permission: Permission) -> None:
        """Set who is asked before a call runs, besides the tool's own `authorize`."""
        self.permission: Permission = self.own_permission.combine(permission)
        self.views: ViewBuilder = ViewBuilder(
            self.defaults, self.binder, observed=self.permission.observed
        )
        self._route()

    def _route(self) -> None:
        """Choose the way of the calls, once it is known who is asked."""
        awaits = self.asynchronous or self.awaits
        self.is_for_each_call: bool = self.info is None and (
            bool(self.binder.roles.calls) or "direct" not in self.options.allowed_callers
        )
        # Nothing is done between the arguments and the handler but to bind them.
        is_straight = not (
            self.views.shows_defaults
            or self.takes_context
            or self.is_for_each_call
            or self.isolated
        )
        self.is_straight_sync: bool = is_straight and not awaits
        self.is_straight_awaited: bool = is_straight and self.asynchronous and not self.may_await
        steps: Any = self.steps if self.is_straight_sync and self.info is None else None
        self.right_call: RightCall | None = None if steps is None else steps.run
        self.asks_permission: bool = False
        if self.asks_person or self.permission.authorize:
            self._ask_before_calls()

    def _ask_before_calls(self) -> None:
        """Have no short way: somebody is asked before each call."""
        self.asks_permission = True
        self.is_straight_sync = self.is_straight_awaited = False
        self.right_call = None

    def _compile_steps(self) -> Any:
        """Compile the steps of right calls in C; other calls are left to `run_whole_sync`."""
        path, call_handler = self.fast_path, self.runner.call_sync  # made once for all copies
        if not native or path is None:
            return None
        return compiled.RightCall(
            shape=path.shape,
            construct=path.construct_with,
            construct_text=path.construct_text,
            read_text=jsontext.read_scanned,
            function=call_handler,
            options=self.options,
            record_dropped=path.pipeline.record_dropped,
            bind=None if self.binder.no_injection else self.binder.bind,
            copies=path.copies,
            accepts=path.accepts,
            spreads=not self.binder.single_argument,
            finishes=self.output.finish_plain is not None,
            steps=None if self.options.render else self.results.fast_steps(),
        )

    def refuse(
        self,
        error: Exception,
        data: Any,
        on_error: OnError,
        coercions: tuple[Coercion, ...],
        sent: Any,
    ) -> CallResult:
        """Turn an exception of the constructor of data that fit into an outcome."""
        path = self.fast_path
        if path is None or not issubclass(type(error), path.rejects):
            return on_error(error, "none")
        try:
            return path.refuse(error, data, coercions, sent)
        except BaseException as another:  # noqa: BLE001  explaining runs the author's code
            return on_error(another, "none")

    @cached_property
    def runner(self) -> Runner:
        """The runner of the handler, in its turn and in its time."""
        return Runner(self.function, self.options, self.limits, asynchronous=self.asynchronous)

    def run_bound_sync(self, function: Callable[..., Any], raw: Any, context: Any) -> CallResult:
        """Run one call of another function, such as the method of another object."""
        if self.right_call is None or not self.runner.is_direct:
            boundary = self.with_function(function)
            return boundary.run_sync(raw, context, boundary.to_outcome)
        return self.steps.run_with(self, raw, context, function)  # type: ignore[no-any-return]

    def with_function(self, function: Callable[..., Any]) -> Boundary:
        """Return the same boundary of another function, such as the method of another object."""
        boundary = self.__copy__()
        boundary.function = function
        boundary.__dict__.pop("runner", None)
        if self.steps is not None:
            run = function if self.runner.is_direct else boundary.runner.call_sync
            boundary.steps = self.steps.bind(run)
            boundary.right_call = self.right_call and boundary.steps.run
        return boundary

    def with_permission(self, permission: Permission) -> Boundary:
        """Return a copy of the boundary with further callbacks."""
        boundary = self.__copy__()
        boundary.permission = self.permission.combine(permission)
        if boundary.permission.observed != self.permission.observed:
            boundary.use_permission(boundary.permission)
        elif permission.authorize and not self.asks_permission:
            boundary._ask_before_calls()  # noqa: SLF001  of this class
        return boundary

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__ = self.__dict__.copy()
        return twin

    @property
    def of_one_call(self) -> Boundary:
        """The boundary of a direct call, of which nothing else is known."""
        return self.for_call() if self.is_for_each_call else self

    def for_call(self, call: ToolCall | None = None) -> Boundary:
        """Return the boundary of one call, which judges who calls; by default that is direct."""
        call = call or ToolCall(None, self.options.name)
        if not self.is_for_each_call and call.origin == "direct" and call.caller is None:
            return self
        boundary = self.with_info(info_of(call, self.options.name))
        boundary.caller = call.caller
        return boundary

    def with_info(self, info: CallInfo) -> Boundary:
        """Return a copy for the call that this is known of."""
        boundary = copy(self)
        boundary.info = info
        if info.origin not in self.options.allowed_callers:
            boundary.use_pipeline(RefusedInput(self.pipeline))
        boundary.use_permission(self.permission)
        return boundary

    @property
    def handler_boundary(self) -> Boundary:
        """The same boundary for arguments under the handler's own names, before any transform."""
        if self.pipeline is self.pipeline.handler_pipeline:
            return self
        boundary = copy(self)
        adapter = self.pipeline.adapter
        if isinstance(adapter, Derived):
            boundary.hide_again, boundary.show_model = adapter.hide_again, adapter.show
        boundary.use_pipeline(self.pipeline.handler_pipeline)
        boundary.use_permission(self.permission)
        return boundary

    # ------------------------------------------------------------------- whole calls

    def execute_sync(self, data: Any, context: Any) -> Any:
        """Run one call and return its value, or raise the reason why there is none."""
        return _unwrap_result(self.run_sync(data, context, RaisedError))

    async def execute(self, data: Any, context: Any) -> Any:
        """Async version of `execute_sync`."""
        return _unwrap_result(await self.run(data, context, RaisedError))

    def run_sync(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Validate, ask, and run; `on_error` turns an exception into what is returned."""
        if self.right_call is not None:
            return self.right_call(self, raw, context, on_error)
        return self.run_whole_sync(raw, context, on_error)

    def run_whole_sync(
        self, raw: Any, context: Any, on_error: OnError, unfit: Any = None
    ) -> CallResult:
        """Like `run_sync`, in Python; `unfit` is a plain copy of a dict that does not fit."""
        if not self.is_straight_sync:
            boundary = self.for_call() if self.is_for_each_call else self
            return boundary._run_elsewhere_sync(raw, context, on_error)  # noqa: SLF001  of this class
        try:
            refused = unfit is not None
            validated: Any = (
                self.pipeline.validate_refused(unfit) if refused else self.validate(raw)
            )
        except BaseException as error:  # noqa: BLE001  a validator runs here
            return on_error(error, "none")
        if type(validated) is Err:
            return validated
        return self.run_validated_sync(validated, context, on_error)

    def _run_elsewhere_sync(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Run a call that needs permission, a thread, another process or a loop."""
        if self.asks_permission:
            permitted = run_without_loop(self._ask(raw, context, has_loop=False))
            if isinstance(permitted, Err):
                return permitted
            return self._run_permitted_sync(permitted, context, on_error)
        if self.asynchronous or self.awaits:
            running = self._run_elsewhere(raw, context, on_error)
            result: CallResult = run_step_in_loop(running, on_error, "unknown")
            return result
        try:
            with self.given(context):
                validated = self.validate(raw)
        except BaseException as error:  # noqa: BLE001  a foreign validator runs here
            return on_error(error, "none")
        if type(validated) is Err:
            return validated
        return self.run_validated_sync(validated, context, on_error, self.views.show(validated))

    async def run(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Async version of `run_sync`."""
        if not self.is_straight_awaited:
            boundary = self.for_call() if self.is_for_each_call else self
            return await boundary._run_elsewhere(raw, context, on_error)  # noqa: SLF001  of this class
        effect: Effect = "none"
        try:
            validated: Any = self.validate(raw)
            if type(validated) is Err:
                return validated
            value, data, coercions = validated
            if self.takes_value:
                effect = "unknown"
                result = await self.runner.call(value)
            elif self.takes_members:
                effect = "unknown"
                result = await self.runner.call(**value)
            else:
                args, kwargs = self._bind_arguments(value, data, context)
                effect = "unknown"
                result = await self.runner.call(*args, **kwargs)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return on_error(error, effect)
        return self.finish(result, data, coercions, on_error)

    async def _run_elsewhere(self, raw: Any, context: Any, on_error: OnError) -> CallResult:
        """Run a call that needs permission, a thread or another process, or whose types await."""
        if self.asks_permission:
            permitted = await self._ask(raw, context, has_loop=True)
            if isinstance(permitted, Err):
                return permitted
            return await self._run_permitted(permitted, context, on_error)
        try:
            with self.given(context):
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
        return await self.run_validated(validated, context, on_error, self.views.show(validated))

    # ------------------------------------------------------------------- asking

    def given(self, context: Any) -> AbstractContextManager[None]:
        """Pass the context to what makes values of it inside the block."""
        return call_context(context) if self.takes_context else NO_CONTEXT

    def prepare(
        self, raw: Any, token: OnceToken | None = None, context: Any = None
    ) -> Prepared[Any] | Err:
        """Validate arguments for a later run, without asking anybody.

        Raises:
            DefinitionError: A default is not known before the object is made.
        """
        return prepare(self.of_one_call, raw, self._fill(), context, token)

    def prepare_again(self, raw: Any, made: Any, token: OnceToken) -> Prepared[Any] | Err:
        """Validate other arguments in the handler's terms; hidden values stay as `made`."""
        hide_again = self.hide_again
        if hide_again is None:
            return self.prepare(raw, token)
        prepared = self._prepare_hidden(hide_again, raw, made, token)
        if isinstance(prepared, Err) or not prepared.coercions:
            return prepared
        # A repair may change what is hidden: an object may be sent as text, or as null.
        again = self._prepare_hidden(hide_again, view_of(prepared).admitted, made, token)
        is_same = not isinstance(again, Err) and again.digest == prepared.digest
        return prepared if is_same else again

    def _prepare_hidden(
        self, hide_again: Callable[[Any, Any], Any], raw: Any, made: Any, token: OnceToken
    ) -> Prepared[Any] | Err:
        decoded = self.pipeline.decode(raw)
        if isinstance(decoded, Err):
            return decoded
        try:
            completed = hide_again(decoded[0], made)
        except Rejected as refusal:
            return self.pipeline.to_refusal(refusal.issues, decoded[0], decoded[1])
        except ToolhaftError as error:  # a function for a hidden value
            return self.to_outcome(error, "none")
        return self.prepare(completed, token)

    def check(self, raw: Any) -> Prepared[Any] | Err:
        """Validate arguments without approval, with factories if those can be called.

        The call is not for a run.
        """
        fill = None if self.defaults.unfit else self.defaults.fill()
        return prepare(self, raw, fill)

    def attempt(self, validated: ValidatedInput, context: Any) -> Attempt:
        """Return what predicates are called with."""
        value, data, coercions = validated
        return Attempt(self.options, self.binder.arguments_of(value, data), context, coercions)

    async def authorize(
        self, validated: ValidatedInput, context: Any, *, has_loop: bool
    ) -> Attempt | Err:
        """Ask the program about validated arguments; return the attempt if it permits it."""
        attempt = self.attempt(validated, context)
        refused = await self.permission.ask_program(attempt, has_loop=has_loop)
        return attempt if refused is None else refused

    def _fill(self) -> DefaultFill:
        """Return what inserts the values of factories.

        Raises:
            DefinitionError: A default is not known before the object is made.
        """
        if unfit := self.defaults.unfit:
            raise DefinitionError(faults_of(self.options.name, unfit))
        return self.defaults.fill()

    def _fill_before_asking(self) -> DefaultFill | None:
        """Like `_fill`, if a person sees the values or the objects are made twice, else None."""
        return self._fill() if self.asks_person or self.isolated else None

    async def ask_program(self, raw: Any, context: Any, *, has_loop: bool) -> Err | None:
        """Validate arguments and ask the program, for nothing to be run."""
        fill = self._fill_before_asking()
        validated = await validate(self.of_one_call, raw, fill, context, has_loop=has_loop)
        if isinstance(validated, Err):
            return validated
        attempt = await self.authorize(validated, context, has_loop=has_loop)
        return attempt if isinstance(attempt, Err) else None

    async def _ask(self, raw: Any, context: Any, *, has_loop: bool) -> Permitted | Err:
        """Validate arguments, ask the program and a person, and return the permitted call."""
        fill = self._fill_before_asking()
        if self.may_await:
            validated = await validate(self, raw, fill, context, has_loop=has_loop)
        else:
            validated = validate_at_once(self, raw, fill, context)
        if isinstance(validated, Err):
            return validated
        attempt = self.attempt(validated, context)
        refused = await self.permission.ask_program(attempt, has_loop=has_loop)
        if refused is not None:
            return refused
        if not (self.asks_person and await needs_approval(attempt, has_loop=has_loop)):
            return validated, self.views.show(validated), None
        prepared = to_prepared(self, validated, fill)
        if isinstance(prepared, Err):
            return prepared
        return await self._ask_person(attempt, prepared, context, has_loop=has_loop)

    async def _ask_person(
        self, attempt: Attempt, prepared: Prepared[Any], context: Any, *, has_loop: bool
    ) -> Permitted | Err:
        """Ask a person about a call, and return the call that they permit."""
        decided = await self.permission.ask_person(attempt, prepared, has_loop=has_loop)
        if isinstance(decided, Err):
            waits = decided.prepared is not None
            return decided if waits else with_decision(decided, Decision(prepared.digest))
        permitted = await permit(self, decided, context, has_loop=has_loop)
        decision = edit_of(decided) or Decision(decided.digest)
        if isinstance(permitted, Err):
            return with_decision(permitted, decision)
        validated, shown, _ = permitted
        return validated, shown, decision

    async def call_prepared(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        """Run a prepared call once, if the program authorises it still."""
        permitted = await permit(self, prepared, context, has_loop=True)
        if isinstance(permitted, Err):
            return permitted
        outcome: Any = await self._run_permitted(permitted, context, self.to_outcome)
        return outcome  # type: ignore[no-any-return]

    def call_prepared_sync(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        """Synchronous version of `call_prepared`."""
        permitted = run_without_loop(permit(self, prepared, context, has_loop=False))
        if isinstance(permitted, Err):
            return permitted
        outcome: Any = self._run_permitted_sync(permitted, context, self.to_outcome)
        return outcome  # type: ignore[no-any-return]

    async def _run_permitted(
        self, permitted: Permitted, context: Any, on_error: OnError
    ) -> CallResult:
        validated, shown, decision = permitted
        # Without a name for the result: an exception in it would keep this frame.
        return with_decision(
            await self.run_validated(validated, context, on_error, shown), decision
        )

    def _run_permitted_sync(
        self, permitted: Permitted, context: Any, on_error: OnError
    ) -> CallResult:
        if self.asynchronous or self.awaits:
            running = self._run_permitted(permitted, context, on_error)
            result: CallResult = run_step_in_loop(running, on_error, "unknown")
            return result
        validated, shown, decision = permitted
        if decision is None:
            return self.run_validated_sync(validated, context, on_error, shown)
        return with_decision(self.run_validated_sync(validated, context, on_error, shown), decision)

    @cached_property
    def identity(self) -> str:
        """The digest of the tool as models and people see it."""
        return digest(self.describe())

    # ------------------------------------------------------------------- running

    def run_validated_sync(
        self, validated: Any, context: Any, on_error: OnError, shown: Any = None
    ) -> CallResult:
        """Run the handler with arguments that passed, and check its result.

        `shown` is the view of the arguments, if a person approved them.
        """
        value, data, coercions = validated
        effect: Effect = "none"
        try:
            if self.takes_value:
                effect = "unknown"
                result = self.runner.call_sync(value)
            elif self.takes_members:
                effect = "unknown"
                result = self.runner.call_sync(**value)
            else:
                args, kwargs = self._bind_arguments(value, data, context)
                effect = "unknown"
                result = self.runner.call_sync(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001  the handler runs here
            return on_error(error, effect)
        return self.finish(result, data if shown is None else shown, coercions, on_error)

    async def run_validated(
        self, validated: Any, context: Any, on_error: OnError, shown: Any = None
    ) -> CallResult:
        """Async version of `run_validated_sync`."""
        value, data, coercions = validated
        effect: Effect = "none"
        try:
            args, kwargs = self._bind_arguments(value, data, context)
            effect = "unknown"
            result = await self.runner.call(*args, **kwargs)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return on_error(error, effect)
        data = data if shown is None else shown
        if not self.results.may_await:
            return self.finish(result, data, coercions, on_error)
        try:
            value, json = await self.results.check_awaited(result)
            return self.output.make_ok(value, json, data, self.options, coercions)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return self.failures.to_result_error(error, result, on_error)

    def finish(self, result: Any, data: Any, coercions: Any, on_error: OnError) -> CallResult:
        """Make the outcome of the handler's result."""
        if self.steps is None:
            return self.output.finish(result, data, coercions, on_error)
        outcome: CallResult = self.steps.finish(self, result, data, coercions, on_error)
        return outcome

    def _bind_arguments(self, value: Any, data: Any, context: Any) -> tuple[Any, dict[str, Any]]:
        """Return the handler's arguments."""
        info = self.info and with_deadline(self.info, self.options.timeout)
        if self.isolated:
            return (data, info if self.binder.roles.calls else None), {}
        return self.binder.bind(value, context, info)


def _same(arguments: Any) -> Any:
    return arguments


def _unwrap_result(result: Ok[Any] | Err | RaisedError) -> Any:
    try:
        if isinstance(result, RaisedError):
            raise result.error
        return result.unwrap()
    finally:
        del result  # an exception knows this frame, and they would hold each other
