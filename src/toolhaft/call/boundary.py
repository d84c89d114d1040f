"""The way of every call: admit the arguments, run the handler, check the result, report.

One `Boundary` is made for each tool, at its first use, with everything decided that can be:
how arguments reach the handler, where it runs, what its result must be. A call then only
does the work that its own data asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from copy import copy
from functools import cached_property
from typing import Any, TypeAlias

from toolhaft.call import feedback, report, workers
from toolhaft.call.entrance import Entered
from toolhaft.call.gate import Admitted, Gate, Refused
from toolhaft.call.inline import Inline, InlineLater, inline, inline_later
from toolhaft.call.limits import Limit
from toolhaft.call.outcome import Err, ErrKind, Ok, Raised, Rendered
from toolhaft.call.permission import NOBODY, Permission, denied, finished
from toolhaft.call.prepare import Prepared
from toolhaft.call.process import Misfit
from toolhaft.call.results import Broken, Results, shown, undeclared
from toolhaft.call.rules import Rules
from toolhaft.call.running import Runner
from toolhaft.call.supply import Supply
from toolhaft.call.ticket import Ticket
from toolhaft.canonical import digest
from toolhaft.errors import ContextMissing, Effect, ToolError
from toolhaft.schema.defaults import filled
from toolhaft.spec import Issue

__all__ = ["Boundary"]

CallSync: TypeAlias = Callable[[Any, Any], Ok[Any] | Err]
Call: TypeAlias = Callable[[Any, Any], Coroutine[Any, Any, Ok[Any] | Err]]


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
        self.give: Callable[..., Ok[Any]] = Ok.of if rules.render is None else self._rendered
        # A result that is plain data needs no more than to be seen to be that.
        self.plain: bool = results.check is undeclared and rules.render is None
        self.described = described
        self.use(gate)
        self.ask(NOBODY)

    def use(self, gate: Gate) -> None:
        """Settle how arguments come in."""
        self.gate = gate
        adapter, results = gate.adapter, self.results
        self.awaits: bool = adapter.awaits or results.awaits
        # A caller with a loop waits for a validator of which nobody knows whether it answers later.
        self.may_await: bool = adapter.may_await or results.may_await
        in_place = self.runner.in_place
        self.here: bool = in_place and not (self.asynchronous or self.awaits)
        self.later: bool = in_place and self.asynchronous and not self.may_await
        self.direct_sync: Inline = inline(self, Raised) if self.here else self._run_away
        self.direct: InlineLater = inline_later(self, Raised) if self.later else self._run

    def ask(self, permission: Permission) -> None:
        """Settle who is asked before a call runs; where nobody is, nothing stands in its way."""
        self.permission: Permission = Permission.of(self.rules.authorize).joined(permission)
        asks = bool(self.permission.authorize or self.rules.requires_approval)
        self.run_sync: Inline = self._ask_and_run_sync if asks else self.direct_sync
        self.run: InlineLater = self._ask_and_run if asks else self.direct
        # To an outcome; only `KeyboardInterrupt` and the like, and a cancellation, pass through.
        here, later = self.here and not asks, self.later and not asks
        self.call_sync: CallSync = inline(self, self._failed) if here else self._call_sync
        self.call: Call = inline_later(self, self._failed) if later else self._call

    def asking(self, permission: Permission) -> Boundary:
        """Give the same boundary with these asked as well."""
        made = copy(self)
        made.ask(self.permission.joined(permission))
        return made

    @property
    def own(self) -> Boundary:
        """The same boundary for arguments in the handler's own terms."""
        if self.gate.own is None:
            return self
        made = copy(self)
        made.use(self.gate.own)
        made.ask(self.permission)
        return made

    def _call_sync(self, raw: Any, context: Any) -> Ok[Any] | Err:
        done = self.run_sync(raw, context)
        return self._told(done) if isinstance(done, Raised) else done

    async def _call(self, raw: Any, context: Any) -> Ok[Any] | Err:
        done = await self.run(raw, context)
        return self._told(done) if isinstance(done, Raised) else done

    def _failed(self, error: BaseException, effect: Effect) -> Err:
        return self._told(Raised(error, effect))

    def execute_sync(self, data: Any, context: Any) -> Any:
        """Run one call and give its value, or raise why there is none."""
        return _unwrapped(self.run_sync(data, context))

    async def execute(self, data: Any, context: Any) -> Any:
        """The same for a caller with a loop."""
        return _unwrapped(await self.run(data, context))

    def prepare(self, raw: Any, ticket: Ticket | None = None) -> Prepared[Any] | Err:
        """Do all that comes before the handler but for asking, and stop there."""
        if self.gate.adapter.awaits:
            found: Prepared[Any] | Err = workers.in_loop(self._prepared(raw, ticket, looped=True))
            return found
        return finished(self._prepared(raw, ticket, looped=False))

    async def _prepared(
        self, raw: Any, ticket: Ticket | None = None, *, looped: bool
    ) -> Prepared[Any] | Err:
        """The same; it waits only for a validator that answers later, and only in a loop."""
        gate = self.gate
        try:
            waits = looped and self.may_await
            admitted = await gate.admit_awaited(raw) if waits else gate.admit(raw)
            return Prepared(self.own, admitted[1], admitted[2], ticket)
        except Refused as refused:
            return refused.err
        except Exception as error:  # noqa: BLE001  a foreign validator runs in there
            return self._told(Raised(error, "none"))

    async def call_prepared(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        """Run a prepared call once, if the program authorises it still."""
        refused = await self._spent(prepared, context, looped=True)
        if refused is not None:
            return refused
        done = await self.direct(prepared, context)
        return self._told(done) if isinstance(done, Raised) else done

    def call_prepared_sync(self, prepared: Prepared[Any], context: Any) -> Ok[Any] | Err:
        """The same for a caller without a loop."""
        refused = finished(self._spent(prepared, context, looped=False))
        if refused is not None:
            return refused
        done = self.direct_sync(prepared, context)
        return self._told(done) if isinstance(done, Raised) else done

    async def _spent(self, prepared: Prepared[Any], context: Any, *, looped: bool) -> Err | None:
        """Authorise and use up the ticket, in this order: a denial leaves the call to be made."""
        asked = self.rules, prepared, context
        refused = await self.permission.authorized(*asked, looped=looped)
        if refused is None and not await prepared.ticket.spend(self.rules.name, looped=looped):
            return denied(self.rules, prepared, feedback.SPENT)
        return refused

    @cached_property
    def identity(self) -> str:
        """The digest of what a model and a person are told of the tool."""
        return digest(self.described())

    def filled(self, data: Any) -> Any:
        """Give arguments with the defaults that the handler takes, as far as they are JSON."""
        adapter = self.gate.adapter
        if not adapter.authored:
            data = filled(adapter.checker("input").schema, data)
        return self.supply.with_defaults(data)

    async def _ask_and_run(self, raw: Any, context: Any) -> Ok[Any] | Err | Raised:
        prepared = await self._prepared(raw, looped=True)
        if isinstance(prepared, Err):
            return prepared
        refused = await self.permission.asked(self.rules, prepared, context, looped=True)
        return await self.direct(prepared, context) if refused is None else refused

    def _ask_and_run_sync(self, raw: Any, context: Any) -> Ok[Any] | Err | Raised:
        prepared = self.prepare(raw)
        if isinstance(prepared, Err):
            return prepared
        asked = self.permission.asked(self.rules, prepared, context, looped=False)
        refused = finished(asked)
        return self.direct_sync(prepared, context) if refused is None else refused

    def _run_away(self, raw: Any, context: Any) -> Ok[Any] | Err | Raised:
        """Run what needs a loop on ours, and what has a deadline in a thread."""
        if self.asynchronous or self.awaits:
            done: Ok[Any] | Err | Raised = workers.in_loop(self._run(raw, context))
            return done
        try:
            entered: Entered = self.gate.admit(raw)
        except Refused as refused:
            return refused.err
        except BaseException as error:  # noqa: BLE001  a foreign validator runs here
            return Raised(error, "none")
        return self.resumed(entered, context)

    def resumed(self, entered: Entered, context: Any) -> Ok[Any] | Err | Raised:
        """Go on with a call whose arguments were admitted, if they were."""
        if not isinstance(entered, tuple):
            return entered
        effect: Effect = "none"
        try:
            args, kwargs = self._supplied(entered, context)
            effect = "unknown"
            result = self.runner.run_sync(args, kwargs)
        except BaseException as error:  # noqa: BLE001  the handler runs here
            return Raised(error, effect)
        return self.finished(result, entered[1], entered[2])

    async def _run(self, raw: Any, context: Any) -> Ok[Any] | Err | Raised:
        gate = self.gate
        try:
            entered = await gate.admit_awaited(raw) if self.may_await else gate.admit(raw)
        except Refused as refused:
            return refused.err
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return Raised(error, "none")
        return await self.resumed_later(entered, context)

    async def resumed_later(self, entered: Entered, context: Any) -> Ok[Any] | Err | Raised:
        """Do as `resumed` does, in a loop."""
        if not isinstance(entered, tuple):
            return entered
        effect: Effect = "none"
        try:
            args, kwargs = self._supplied(entered, context)
            effect = "unknown"
            result = await self.runner.run(args, kwargs)
        except BaseException as error:
            if workers.is_stopping(error):
                raise
            return Raised(error, effect)
        if not self.results.may_await:
            return self.finished(result, entered[1], entered[2])
        return await self._finished_later(result, entered[1], entered[2])

    def _supplied(self, admitted: Admitted, context: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Give the handler's arguments."""
        if self.isolated:
            return (admitted[1],), {}
        return self.supply.arguments(admitted[0], context)

    def finished(self, result: Any, data: Any, coercions: Any) -> Ok[Any] | Err | Raised:
        """Check the result, once the handler is done or given up."""
        try:
            value, json = self.results.check(result)
            return self.give(value, json, data, self.rules, coercions)
        except Exception as error:  # noqa: BLE001  the author's serializers run in there
            return self.unfit(error, result)

    async def _finished_later(
        self, result: Any, data: Any, coercions: Any
    ) -> Ok[Any] | Err | Raised:
        """The same for a validator that may answer later."""
        try:
            value, json = await self.results.check_awaited(result)
            return self.give(value, json, data, self.rules, coercions)
        except Exception as error:  # noqa: BLE001  as above
            return self.unfit(error, result)

    def _rendered(self, value: Any, json: Any, data: Any, rules: Rules, coercions: Any) -> Ok[Any]:
        """Render the value now: what the author's function raises is an outcome too."""
        render: Any = rules.render
        return Rendered(shown(render(value)), value, json, data, rules, coercions)

    def unfit(self, error: Exception, result: Any) -> Err | Raised:
        """Say what became of a call whose result did not pass, or of one that has none.

        A result is asked nothing, not even for its class: proxies raise where they stand alone.
        """
        if issubclass(type(result), workers.Ended):
            return self._ended(result)
        if not isinstance(error, Broken):
            return Raised(error, "done")
        return self._broken(error.issues)

    def _broken(self, issues: tuple[Issue, ...]) -> Err:
        error_id = report.log_output(self.rules.name, issues)
        return self._err(
            "output_invalid", feedback.output_broken(error_id), "done", error_id, issues
        )

    def _ended(self, result: workers.Ended) -> Err | Raised:
        if isinstance(result, workers.Crash):
            return Raised(result.error, "unknown")
        if isinstance(result, Misfit):
            return self._broken(result.issues)
        if isinstance(result, workers.Late):
            effect: Effect = "unknown" if result.begun else "none"
            text = feedback.timed_out(self.rules.timeout or 0.0, begun=result.begun)
            return self._err("timeout", text, effect)
        return self._err("overloaded", feedback.overloaded(), "none")

    def _told(self, raised: Raised) -> Err:
        """Turn a handler's exception into an outcome; only what concerns the caller passes.

        What it is says its type: the `__class__` of an object is its author's.
        """
        error: Any = raised.error
        if issubclass(type(error), KeyboardInterrupt):
            raise error
        effect = raised.effect
        if issubclass(type(error), ContextMissing) and effect == "none":
            error_id = report.log_missing_context(self.rules.name, error.names)
        elif effect == "unknown" and (words := self._words(error)) is not None:
            return self._err("tool_error", words, effect)
        else:
            error_id = report.log_crash(self.rules.name, error)
        return self._err("runtime_error", feedback.crashed(error_id), effect, error_id)

    def _words(self, error: Any) -> str | None:
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


def _unwrapped(done: Ok[Any] | Err | Raised) -> Any:
    try:
        if isinstance(done, Raised):
            raise done.error
        return done.unwrap()
    finally:
        del done  # an exception knows this frame, and they would hold each other
