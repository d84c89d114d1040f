"""Access to the inside of a prepared call for the rest of toolhaft.

The code that decides about a call needs none of it, so it is not part of `Prepared`.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolhaft.call.edit import Decision
    from toolhaft.call.once_token import OnceToken
    from toolhaft.call.outcome import Err
    from toolhaft.call.prepared import Keep, Observe, Prepared
    from toolhaft.call.view import View

__all__ = [
    "edit_of",
    "keep_result",
    "observe_run",
    "set_edit",
    "ticket_of",
    "view_of",
    "waiting_outcome",
]
__all__ += ["write_call"]


def view_of(prepared: Prepared[Any]) -> View:
    """Return the arguments as they were sent, as they are admitted and as they are shown."""
    return prepared._view


def ticket_of(prepared: Prepared[Any]) -> OnceToken:
    """Return the token by which the call runs once."""
    return prepared._ticket


def edit_of(prepared: Prepared[Any]) -> Decision | None:
    """Return what a person changed of the call, if anybody did."""
    return prepared._edit


def set_edit(prepared: Prepared[Any], edit: Decision | None) -> None:
    """Set what a person changed of the call."""
    prepared._edit = edit


def observe_run(prepared: Prepared[Any], observe: Observe) -> None:
    """Have the later run of a call that waits for a person observed."""
    prepared._observed = observe


def write_call(prepared: Prepared[Any]) -> dict[str, Any]:
    """Return a call as plain JSON data, for a text that holds more than this."""
    return prepared._written()


def keep_result(prepared: Prepared[Any], keep: Keep) -> None:
    """Have the result of a call that waits looked at when it runs."""
    prepared._keep = keep


def waiting_outcome(prepared: Prepared[Any]) -> Err:
    """Return the outcome that says that a call waits for a person."""
    return prepared._waiting()
