"""The shortest way in: right arguments are read in one step, without being decoded first.

Whatever is not right at once goes the whole way through the gate, which finds out why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from toolhaft.call.decode import LIMITS
from toolhaft.call.gate import Refused
from toolhaft.call.outcome import Raised
from toolhaft.vendors.adapter import NEVER, Rejected

if TYPE_CHECKING:
    from toolhaft.call.gate import Admitted, Gate
    from toolhaft.call.outcome import Err

__all__ = ["Entered", "Entrance", "entered_after", "entrance"]

# What becomes of arguments that were not right at once.
Entered: TypeAlias = "Admitted | Err | Raised"
# A character has at most four bytes in UTF-8.
MOST_CHARS: Final = LIMITS.max_bytes // 4


class Entrance(NamedTuple):
    """What reads the arguments of a call that nobody looks at before the handler.

    Of `kind` are arguments that `read` may take, and texts of up to `longest` characters may go
    to `read_text`, as a library's `Direct` says. Where there is no short way no arguments are.
    """

    kind: type | None
    read: Callable[[Any], Any]
    fits: Callable[[Any], bool] | None
    width: int
    longest: int
    read_text: Callable[[str], Any]
    keys_read: Callable[[Any], int]
    fixed: int | None
    unfit: tuple[type[Exception], ...]


def entrance(gate: Gate) -> Entrance:
    """Give the short way in, or one that nothing takes."""
    direct = gate.adapter.direct
    if direct is None or gate.limits != LIMITS:
        return Entrance(None, gate.construct, None, NEVER, NEVER, gate.construct, len, None, ())
    read, fits, width, read_text, keys_read, fixed = direct
    unfit = (*gate.rejects, UnicodeEncodeError)
    return Entrance(dict, read, fits, width, MOST_CHARS, read_text, keys_read, fixed, unfit)


def entered_after(gate: Gate, failure: Exception, raw: Any) -> Entered:
    """Give what the whole way makes of arguments that the short one refused, or did not read."""
    try:
        return gate.admit(raw) if type(failure) is Rejected else gate.recovered_raw(raw)
    except Refused as refused:
        return refused.err
    except BaseException as error:  # noqa: BLE001  a foreign validator runs in there
        return Raised(error, "none")
