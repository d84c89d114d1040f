"""Permission to run a call: the program's (`authorize`), and a person's (`approve`).

The program receives the values that the handler receives, a person their JSON. Only `True` permits:
any other answer, an exception included, is a denial whose reason stays in the log. `visible`
decides before that whether the caller has such a tool; only `True` shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypedDict, TypeVar

from toolhaft.call.callbacks import (
    CallbackAnswer,
    ask_callback,
    settle_answer,
    to_no_answer,
)
from toolhaft.call.edit import Edit
from toolhaft.definition.predicates import (
    Authorize,
    call_predicate,
    fault_of_approver,
    fault_of_predicate,
)
from toolhaft.errors import DefinitionError, Fault

if TYPE_CHECKING:
    from toolhaft.call.call_options import CallOptions
    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.call.types import Coercion

__all__ = [
    "NOBODY",
    "Approve",
    "Attempt",
    "Deny",
    "Permission",
    "PermissionOptions",
    "Visible",
    "ask_nobody",
    "needs_approval",
    "reason_of",
    "run_or_decline",
]

T = TypeVar("T")

Approve: TypeAlias = Callable[["Prepared[Any]"], Any]
# Is given a tool and a context.
Visible: TypeAlias = Callable[[Any, Any], bool]


class Attempt(NamedTuple):
    """One call that predicates decide about, with the arguments that the handler receives."""

    options: CallOptions
    arguments: Any
    context: Any
    coercions: tuple[Coercion, ...]

    def denied(self, text: str, error_id: str | None = None) -> Err:
        """Make the outcome of the denied call."""
        from toolhaft.call.outcome import Err

        return Err("denied", text, self.options, (), self.coercions, error_id=error_id)

    def ask(self, predicate: Callable[..., Any]) -> Any:
        """Ask a predicate with as many arguments as it requires; other answers than True settle.

        The answer is a `CallbackAnswer` if it raised.
        """
        options, arguments, context, _ = self
        try:
            return call_predicate(predicate, arguments, context, options.name)
        except BaseException as error:  # noqa: BLE001  the program's own function
            return to_no_answer(options.name, error)

    async def settle(self, answer: Any, *, has_loop: bool) -> CallbackAnswer:
        """Await the answer of a predicate, if it is to be awaited."""
        return await settle_answer(self.options.name, answer, has_loop=has_loop)


class PermissionOptions(TypedDict, total=False):
    """The callbacks of one call, in addition to its tool's and toolset's."""

    authorize: Authorize[Any] | None
    approve: Approve | None


class Deny:
    """The answer of a person or of `authorize` that rejects a call.

    Args:
        reason: Words for the model.

    >>> Deny("too expensive")
    Deny('too expensive')
    """

    __match_args__ = ("reason",)
    __slots__ = ("reason",)

    def __init__(self, reason: str = "") -> None:
        self.reason: str = str(reason)

    def __repr__(self) -> str:
        return f"Deny({self.reason!r})"


def reason_of(answer: Any) -> str:
    """Return the reason of a `Deny`; empty for other answers, and for a reason that is not text."""
    try:
        return str.__str__(answer.reason) if issubclass(type(answer), Deny) else ""
    except BaseException as error:  # noqa: BLE001  the reason may be a property of a subclass
        from toolhaft.call.interrupts import raise_interrupt

        raise_interrupt(error)
        return ""


class Permission(NamedTuple):
    """The callbacks that permit a tool's calls: every `authorize`, and at most one `approve`.

    `visible` are the callbacks that hide the tool. If it is `observed`, an observer sees the
    arguments without deciding.
    """

    authorize: tuple[Authorize[Any], ...] = ()
    approve: Approve | None = None
    visible: tuple[Visible, ...] = ()
    observed: bool = False

    @classmethod
    def of(
        cls,
        authorize: Authorize[Any] | None = None,
        approve: Approve | None = None,
        **unknown: object,
    ) -> Permission:
        """Make the permission of a toolset's or a call's options.

        Raises:
            TypeError: There is another option, such as an argument of the tool itself.
            DefinitionError: `authorize` or `approve` is not callable, or takes another number of
                arguments.
        """
        for name in unknown:
            arguments = f"arguments are one object, such as {{{name!r}: ...}}"
            raise TypeError(f"a call has no option {name}; {arguments}")
        if authorize is not None and (fault := fault_of_predicate(authorize)):
            raise DefinitionError([Fault("", "authorize", *fault)])
        if approve is not None and (fault := fault_of_approver(approve)):
            raise DefinitionError([Fault("", "approve", *fault)])
        if authorize is None and approve is None:
            return NOBODY
        return cls(() if authorize is None else (authorize,), approve)

    def combine(self, other: Permission) -> Permission:
        """Combine two permissions; the `approve` of the other replaces this one's."""
        if self is NOBODY or other is NOBODY:
            return other if self is NOBODY else self
        approve = self.approve if other.approve is None else other.approve
        authorize = _join(self.authorize, other.authorize)
        visible = _join(self.visible, other.visible)
        return Permission(authorize, approve, visible, self.observed or other.observed)

    @property
    def asks_nobody(self) -> bool:
        """Whether there is nobody to ask or to show; a callback's own truth value is not asked."""
        return not (self.authorize or self.visible or self.observed) and self.approve is None

    def shows(self, tool: Any, context: Any) -> bool:
        """Return whether a tool is visible in a caller's context; an exception hides it."""
        return not self.visible or all(_shows(each, tool, context) for each in self.visible)

    async def ask_program(self, attempt: Attempt, *, has_loop: bool) -> Err | None:
        """Ask every `authorize` callback; give the denial, if there is one.

        Without `has_loop`, async callbacks are awaited on the library's own loop, and this
        coroutine never waits.
        """
        for callback in self.authorize:
            answered = attempt.ask(callback)
            if answered is True:
                continue
            answer = await attempt.settle(answered, has_loop=has_loop)
            if answer.value is not True:
                from toolhaft.call import feedback  # calls load it: programs start without

                text = feedback.describe_denial(reason_of(answer.value))
                return attempt.denied(text, _error_id(attempt.options, answer))
        return None

    async def ask_person(
        self, attempt: Attempt, prepared: Prepared[Any], *, has_loop: bool
    ) -> Prepared[Any] | Err:
        """Ask `approve` about a call that needs a person; give the call that runs if they permit.

        Without `approve` the call waits.
        """
        from toolhaft.call import feedback
        from toolhaft.call.internals import waiting_outcome

        if self.approve is None:
            return waiting_outcome(prepared)
        if self.approve is ask_nobody:
            return attempt.denied(feedback.UNASKED)
        answer = await ask_callback(prepared.name, self.approve, prepared, has_loop=has_loop)
        if answer.value is True:
            return prepared
        if type(answer.value) is Edit:
            edited = answer.value.apply(prepared)
            return edited or _denied_edit(attempt, edited)
        is_denial = issubclass(type(answer.value), Deny)
        text = feedback.describe_decline(reason_of(answer.value)) if is_denial else feedback.DENIED
        return attempt.denied(text, _error_id(attempt.options, answer))


NOBODY: Final = Permission()


def ask_nobody(_: Prepared[Any]) -> bool:
    """Stand for the `approve` of a caller that has nobody to ask, and cannot wait."""
    return False


def _denied_edit(attempt: Attempt, invalid: Err) -> Err:
    """Deny a call that a person edited to be invalid; the log has why."""
    from toolhaft.call import feedback, report

    error_id = invalid.error_id or report.log_edit(attempt.options.name, invalid.issues)
    return attempt.denied(feedback.DENIED, error_id)


def _join(callbacks: tuple[T, ...], others: tuple[T, ...]) -> tuple[T, ...]:
    """Return each callback once, by identity."""
    if not callbacks or not others:
        return callbacks or others
    callbacks += others
    return tuple({_identity(callback): callback for callback in callbacks}.values())


def _identity(callback: Any) -> object:
    """Return what tells callbacks apart; a bound method is made anew at each access."""
    if type(callback) is MethodType:
        return id(callback.__self__), id(callback.__func__)
    return id(callback)


def _shows(callback: Visible, tool: Any, context: Any) -> bool:
    try:
        answer: object = callback(tool, context)
    except BaseException as error:  # noqa: BLE001  the program's own function
        from toolhaft.call import report
        from toolhaft.call.interrupts import raise_interrupt

        raise_interrupt(error)
        report.log_permission(tool.name, error)
        return False
    return answer is True


def _error_id(options: CallOptions, answer: CallbackAnswer) -> str | None:
    """Return the id under which the log has the exception, or the invalid answer."""
    if answer.value is None or answer.value is False or issubclass(type(answer.value), Deny):
        return answer.error_id
    from toolhaft.call import report

    return report.log_answer(options.name, answer.value)


async def needs_approval(attempt: Attempt, *, has_loop: bool) -> bool:
    """Whether a person must approve the call; True where `requires_approval` raises."""
    wanted = attempt.options.requires_approval
    if not callable(wanted):
        return wanted
    answer = attempt.ask(wanted)
    if answer is False:
        return False
    return (await attempt.settle(answer, has_loop=has_loop)).value is not False


async def run_or_decline(
    prepared: Prepared[T], answer: Any, context: Any, *, has_loop: bool
) -> Ok[T] | Err:
    """Run a call that waited where the answer is True or an `Edit`; any other answer declines it.

    An invalid edit declines it too.
    """
    if type(answer) is Edit:
        edited = answer.apply(prepared)
        prepared, answer = (edited, True) if edited else (prepared, False)
    if answer is True:
        if has_loop:
            return await prepared.call(context=context)
        return prepared.call_sync(context=context)
    reason = reason_of(answer)
    if has_loop:
        return await prepared.decline(reason, context=context)
    return prepared.decline_sync(reason, context=context)
