"""Permission to run a call: the program's (`authorize`), and a person's (`approve`).

Both are asked with the validated arguments. Only `True` permits: any other answer, an exception
included, is a denial whose reason stays in the log. `visible` says before that whether there is
such a tool for whoever calls; only `True` shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypedDict, TypeVar

from toolhaft.call.callbacks import CallbackAnswer, ask_callback
from toolhaft.definition.signature import takes_positional

if TYPE_CHECKING:
    from toolhaft.call.call_options import CallOptions
    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared

__all__ = [
    "NOBODY",
    "Approve",
    "Authorize",
    "Deny",
    "Permission",
    "PermissionOptions",
    "Visible",
    "needs_approval",
    "reason_of",
    "run_or_decline",
    "to_denial",
]

T = TypeVar("T")

# (arguments, context), or (arguments, context, name of the tool); sync or async.
Authorize: TypeAlias = Callable[..., Any]
Approve: TypeAlias = Callable[["Prepared[Any]"], Any]
# Is given a tool and a context.
Visible: TypeAlias = Callable[[Any, Any], bool]


class PermissionOptions(TypedDict, total=False):
    """The callbacks of one call, besides those of its tool and toolset."""

    authorize: Authorize | None
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
    """Give the reason of a `Deny`; empty for any other answer, and for a reason that is no text."""
    try:
        return str.__str__(answer.reason) if issubclass(type(answer), Deny) else ""
    except BaseException as error:  # noqa: BLE001  the reason may be a property of a subclass
        from toolhaft.call.interrupts import raise_interrupt

        raise_interrupt(error)
        return ""


class Permission(NamedTuple):
    """The callbacks that permit a tool's calls: every `authorize`, and at most one `approve`.

    `visible` are those that hide the tool. Where it is `observed`, somebody is shown the arguments
    who is not asked.
    """

    authorize: tuple[Authorize, ...] = ()
    approve: Approve | None = None
    visible: tuple[Visible, ...] = ()
    observed: bool = False

    @classmethod
    def of(
        cls,
        authorize: Authorize | None = None,
        approve: Approve | None = None,
        **unknown: object,
    ) -> Permission:
        """Make the permission of a toolset's or a call's options.

        Raises:
            TypeError: There is another option, such as an argument of the tool itself.
        """
        for name in unknown:
            arguments = f"arguments are one object, such as {{{name!r}: ...}}"
            raise TypeError(f"a call has no option {name}; {arguments}")
        return cls(() if authorize is None else (authorize,), approve)

    def combine(self, other: Permission) -> Permission:
        """Combine two permissions; the `approve` of the other replaces this one's."""
        approve = self.approve if other.approve is None else other.approve
        authorize = _distinct(self.authorize + other.authorize)
        visible = _distinct(self.visible + other.visible)
        return Permission(authorize, approve, visible, self.observed or other.observed)

    @property
    def asks_nobody(self) -> bool:
        """Whether there is nobody to ask or to show; a callback's own truth value is not asked."""
        return not (self.authorize or self.visible or self.observed) and self.approve is None

    def shows(self, tool: Any, context: Any) -> bool:
        """Whether a tool is there for whoever calls in a context; an exception hides it."""
        return all(_shows(callback, tool, context) for callback in self.visible)

    async def ask_program(
        self, options: CallOptions, prepared: Prepared[Any], context: Any, *, has_loop: bool
    ) -> Err | None:
        """Ask every `authorize` callback; give the denial, if there is one.

        Without `has_loop`, async callbacks are awaited on the library's own loop, and this
        coroutine never waits.
        """
        from toolhaft.call import feedback  # calls load it: programs start without

        for callback in self.authorize:
            call = callback, prepared.arguments, context, options.name
            answer = await ask_callback(options.name, _call_authorize, *call, has_loop=has_loop)
            if answer.value is not True:
                text = feedback.describe_denial(reason_of(answer.value))
                return to_denial(options, prepared, text, _error_id(options, answer))
        return None

    async def ask(
        self, options: CallOptions, prepared: Prepared[Any], context: Any, *, has_loop: bool
    ) -> Err | None:
        """Ask the program, then a person where the call needs approval."""
        from toolhaft.call import feedback

        refused = await self.ask_program(options, prepared, context, has_loop=has_loop)
        if refused is not None or not await needs_approval(options, prepared, has_loop=has_loop):
            return refused
        if self.approve is None:
            return prepared.waiting()
        answer = await ask_callback(options.name, self.approve, prepared, has_loop=has_loop)
        if answer.value is True:
            # The approver may still have the prepared call, or have run it.
            is_first = await prepared.ticket.spend(options.name, has_loop=has_loop)
            return None if is_first else to_denial(options, prepared, feedback.SPENT)
        is_denial = issubclass(type(answer.value), Deny)
        text = feedback.describe_decline(reason_of(answer.value)) if is_denial else feedback.DENIED
        return to_denial(options, prepared, text, _error_id(options, answer))


NOBODY: Final = Permission()


def _distinct(callbacks: tuple[T, ...]) -> tuple[T, ...]:
    """Give each callback once, by identity."""
    return tuple({id(callback): callback for callback in callbacks}.values())


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


def _call_authorize(callback: Authorize, arguments: Any, context: Any, name: str) -> Any:
    """Call an `authorize` callback, with the tool's name where it has a third parameter."""
    return (
        callback(arguments, context, name)
        if takes_positional(callback, 3)
        else callback(arguments, context)
    )


def _error_id(options: CallOptions, answer: CallbackAnswer) -> str | None:
    """Give the id under which the log has what was raised, or an answer that is no answer."""
    if answer.value is None or answer.value is False or issubclass(type(answer.value), Deny):
        return answer.error_id
    from toolhaft.call import report

    return report.log_answer(options.name, answer.value)


def to_denial(
    options: CallOptions, prepared: Prepared[Any], text: str, error_id: str | None = None
) -> Err:
    """Make the outcome of a denied call."""
    from toolhaft.call.outcome import Err

    return Err("denied", text, options, (), prepared.coercions, error_id=error_id)


async def needs_approval(options: CallOptions, prepared: Prepared[Any], *, has_loop: bool) -> bool:
    """Whether a person must approve the call; True where `requires_approval` raises."""
    wanted = options.requires_approval
    if not callable(wanted):
        return wanted
    answer = await ask_callback(options.name, wanted, prepared.arguments, has_loop=has_loop)
    return answer.value is not False


async def run_or_decline(
    prepared: Prepared[T], answer: Any, context: Any, *, has_loop: bool
) -> Ok[T] | Err:
    """Run a call that waited where the answer is True; any other answer declines it for good."""
    if answer is True:
        if has_loop:
            return await prepared.call(context=context)
        return prepared.call_sync(context=context)
    reason = reason_of(answer)
    if has_loop:
        return await prepared.decline(reason, context=context)
    return prepared.decline_sync(reason, context=context)
