"""`Prepared`: a call that was decoded, validated and repaired, and has not run yet."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, Protocol, Self, TypeAlias

from toolhaft.call import feedback
from toolhaft.call.callbacks import give, has_running_loop, run_without_loop
from toolhaft.call.callers import write_info
from toolhaft.call.edit import Decision, record_edit
from toolhaft.call.once_token import OnceToken
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.signing import Key, sign
from toolhaft.call.types import AnyOrigin, Coercion
from toolhaft.definition.typevars import Out_co
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio.canonical import digest
from toolhaft.jsonio.plaindata import MAX_DEPTH, MAX_VALUES
from toolhaft.jsonio.primitives import plain_copy

if TYPE_CHECKING:
    from toolhaft.call.boundary import Boundary
    from toolhaft.call.view import View
    from toolhaft.definition.call_info import CallInfo

__all__ = ["KIND", "Keep", "Observe", "Prepared"]

KIND = "call"


class _Observation(Protocol):
    """An observed run, which is given its outcome before the `with` block ends."""

    outcome: Ok[Any] | Err | None


class _Unobserved:
    """A run that nobody observes."""

    outcome: Ok[Any] | Err | None = None


Keep: TypeAlias = Callable[["Ok[Any] | Err", Any], "Ok[Any] | Err"]
Observe: TypeAlias = Callable[..., AbstractContextManager[_Observation]]


class Prepared(Generic[Out_co]):
    """A call whose arguments passed every check and that has not run yet.

    Show `arguments` to the person who decides, and keep `digest`, which changes with the arguments
    and with everything that a model reads about the tool. Calling it approves it. It runs once.

    Attributes:
        coercions: The repairs that were made, as a tuple of `Coercion`.
        call_id: The provider's id of the call, if it came with one.
        origin: The kind of caller: "direct" is a model or your own program, "programmatic" is code
            that runs at the provider.
        caller: The maker of the call, as the provider wrote it; None without one.

    >>> from toolhaft import tool
    >>> @tool(requires_approval=True)
    ... def transfer(account: str, amount: int, currency: str = "EUR") -> str:
    ...     "Move money."
    ...     return f"{amount} {currency} to {account}"
    >>> waiting = transfer.call_sync('{"account": "A-1", "amount": "20"}')
    >>> waiting.kind, waiting.prepared.arguments["currency"]
    ('approval_required', 'EUR')
    >>> waiting.prepared.call_sync().text, waiting.prepared.call_sync().kind
    ('20 EUR to A-1', 'denied')
    """

    __slots__ = (
        "_boundary",
        "_edit",
        "_keep",
        "_observed",
        "_ticket",
        "_view",
        "_was_tried",
        "call_id",
        "caller",
        "coercions",
        "origin",
    )

    def __init__(
        self,
        boundary: Boundary,
        coercions: tuple[Coercion, ...],
        view: View,
        token: OnceToken | None = None,
    ) -> None:
        self._boundary = boundary
        self._view: View = view
        self.coercions: tuple[Coercion, ...] = coercions
        self._ticket: OnceToken = token or OnceToken()
        self.call_id: str | None = None
        self.origin: AnyOrigin = "direct" if boundary.info is None else boundary.info.origin
        self.caller: dict[str, Any] | None = boundary.caller
        self._was_tried = False
        # Of a call whose arguments a person changed.
        self._edit: Decision | None = None
        # Set by a toolset with observers.
        self._observed: Observe | None = None
        # Set by a toolset that keeps results: takes the outcome and the context.
        self._keep: Keep | None = None

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self._boundary.options.name

    @property
    def arguments(self) -> Any:
        """A read-only JSON view of the arguments, repaired and with defaults."""
        return feedback.freeze(self._view.shown)

    @property
    def json(self) -> Any:
        """A copy of the arguments as JSON data, repaired and without static defaults."""
        admitted = self._view.admitted
        return plain_copy(admitted, MAX_VALUES, MAX_DEPTH) or deepcopy(admitted)

    @property
    def digest(self) -> str:
        """The SHA-256 of the arguments, with defaults, and of the tool.

        The tool counts by its name, description, annotations and schemas; the form is RFC 8785.
        """
        return digest({"arguments": self._view.shown, "tool": self._boundary.identity})

    def edited(
        self, arguments: Mapping[str, Any], /, *, notify_model: bool = False
    ) -> Prepared[Out_co] | Err:
        """Return the same call with other arguments, validated again; only one of the two can run.

        Args:
            arguments: The arguments to use instead, by the names of `arguments`. What
                `transform(hide=)` hides stays as it is: leave it out, or send the same value.
            notify_model: Whether the model reads which arguments changed.

        Returns:
            The edited call, or an `Err` if the arguments are invalid.
        """
        edited_call: Prepared[Out_co] | Err
        edited_call = self._boundary.prepare_again(arguments, self._view.admitted, self._ticket)
        edited_call.call_id, edited_call.caller = self.call_id, self.caller
        if isinstance(edited_call, Prepared):
            edited_call.origin = self.origin
            show = self._boundary.show_model
            edited_call._edit = record_edit(self, edited_call, show, notify=notify_model)  # noqa: SLF001  its own kind
            edited_call._observed = self._observed  # noqa: SLF001  its own kind
            edited_call._keep = self._keep  # noqa: SLF001  its own kind
        return edited_call

    def to_json(self, *, key: Key = None) -> str:
        """Return the call as text for `Toolset.resume`, in this process or another one.

        The context is not in the text.

        Args:
            key: A secret that seals the text by HMAC-SHA256; a changed text is then denied. Without
                one, anybody who can write the text can change the arguments.

        Raises:
            ToolhaftError: The call was made already, or the key is empty.
        """
        if self._ticket.spent:
            raise ToolhaftError(f"{self.name}: the call has been made already; make a new one")
        return sign(KIND, self._written(), key)

    async def call(self, *, context: Any = None) -> Ok[Out_co] | Err:
        """Run the tool if `authorize` still permits it. A second time is denied.

        Args:
            context: The context of the call, passed to the handler and to `authorize`.
        """
        with self._observe(context) as observation:
            observation.outcome = outcome = self._with_call_fields(
                await self._next_attempt().call_prepared(self, context), context
            )
        return outcome

    def call_sync(self, *, context: Any = None) -> Ok[Out_co] | Err:
        """Like `call`, but synchronous, with the same arguments."""
        with self._observe(context) as observation:
            observation.outcome = outcome = self._with_call_fields(
                self._next_attempt().call_prepared_sync(self, context), context
            )
        return outcome

    def decline(self, reason: str = "", *, context: Any = None) -> Coroutine[Any, Any, Err]:
        """Reject the call permanently.

        Without a running event loop it takes effect at once, even if nobody awaits the outcome.

        Args:
            reason: Words for the model.
            context: The context of the person who decides, for observers.

        Returns:
            The outcome, of the kind "denied".
        """
        if has_running_loop():
            return self._decline(reason, context, has_loop=True)
        return give(self.decline_sync(reason, context=context))

    def decline_sync(self, reason: str = "", *, context: Any = None) -> Err:
        """Like `decline`, but synchronous, with the same arguments."""
        return run_without_loop(self._decline(reason, context, has_loop=False))

    async def _decline(self, reason: str, context: Any, *, has_loop: bool) -> Err:
        with self._observe(context) as observation:
            is_first = await self._ticket.spend(self.name, has_loop=has_loop)
            text = feedback.describe_decline(reason) if is_first else feedback.SPENT
            observation.outcome = err = self._complete_err(
                Err("denied", text, self._boundary.options)
            )
        return err

    def _written(self) -> dict[str, Any]:
        """Return the call as plain JSON data, for a text that holds more than this."""
        info = self._next_info
        return {
            "name": self.name,
            "call_id": self.call_id,
            "origin": self.origin,
            "caller": self.caller,
            "info": None if info is None else write_info(info),
            "arguments": self.json,
            "coercions": [[list(coercion.path), coercion.rule] for coercion in self.coercions],
            "digest": self.digest,
            "nonce": self._ticket.nonce,
            "edit": None if self._edit is None else [self._edit.asked, list(self._edit.changed)],
        }

    @property
    def _next_info(self) -> CallInfo | None:
        """The information about the next attempt to make the call."""
        info = self._boundary.info
        return info and info._replace(attempt=info.attempt + self._was_tried)

    def _next_attempt(self) -> Boundary:
        """Begin an attempt; return the boundary, which tells the handler of it."""
        info = self._next_info
        if info is not None and self._was_tried:
            self._boundary = self._boundary.with_info(info)
        self._was_tried = True
        return self._boundary

    def _waiting(self) -> Err:
        """Return the outcome of a call that waits for a person."""
        options = self._boundary.options
        return self._complete_err(
            Err("approval_required", feedback.APPROVAL, options, prepared=self)
        )

    def _observe(self, context: Any) -> AbstractContextManager[_Observation]:
        """Open the observation of a run; a plain record where nobody observes."""
        if self._observed is None:
            return nullcontext(_Unobserved())
        return self._observed(self, context)

    def _complete_err(self, err: Err) -> Err:
        err.coercions, err.call_id, err.caller = self.coercions, self.call_id, self.caller
        return err

    def _with_call_fields(self, outcome: Ok[Out_co] | Err, context: Any) -> Ok[Out_co] | Err:
        if self._keep is not None:
            outcome = self._keep(outcome, context)
        outcome.call_id, outcome.caller = self.call_id, self.caller
        return outcome

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # one call, which is made once

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self.name}: carry a prepared call by to_json(key=...), not by pickle")

    def __bool__(self) -> Literal[True]:
        return True

    def __repr__(self) -> str:
        call_id = "" if self.call_id is None else f", call_id={self.call_id!r}"
        decided = ", made" if self._ticket.spent else ""
        return f"Prepared(name={self.name!r}, coercions={self.coercions!r}{call_id}{decided})"
