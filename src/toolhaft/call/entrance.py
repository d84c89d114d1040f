"""The shortest way in: right arguments are read in one step, without being decoded first.

Whatever is not right at once goes the whole way through the gate, which finds out why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolhaft.call.decode import LIMITS

if TYPE_CHECKING:
    from toolhaft.call.gate import Admitted, Gate
    from toolhaft.call.outcome import Err
    from toolhaft.vendors.adapter import Direct

__all__ = ["Enter", "entrance"]

Enter: TypeAlias = "Callable[[Any], Admitted | Err]"

# A character has at most four bytes in UTF-8.
MOST_CHARS: Final = LIMITS.max_bytes // 4


def entrance(gate: Gate) -> Enter:
    """Give the way in for a call whose arguments nobody looks at before the handler.

    In place of the data it may give the JSON text that they were read from, and in place of
    everything the outcome, where nothing can be made of the arguments.
    """
    direct = gate.adapter.direct
    if direct is None or gate.limits != LIMITS:
        return gate.admit
    return _shortened(gate, direct)


def _shortened(gate: Gate, direct: Direct) -> Enter:  # noqa: C901  one function, for its speed
    admit, recovered, looked_at = gate.admit, gate.recovered_raw, gate.looked_at
    fits, read, read_text, keys_read, keys_held, fixed = direct
    rejects = gate.rejects
    unfit: tuple[type[Exception], ...] = (*rejects, UnicodeEncodeError)

    def enter(raw: Any) -> Admitted | Err:  # noqa: PLR0911  as above
        kind = type(raw)
        if kind is dict:
            if fits is None:
                for key in raw:
                    if type(key) is not str:
                        return admit(raw)
            elif not fits(raw):
                return admit(raw)
            try:
                value = read(raw)
            except rejects as error:
                return recovered(error, raw)
            keys = keys_held(raw)
        elif kind is str and len(raw) <= MOST_CHARS:
            try:
                value = read_text(raw)
            except unfit as error:
                return recovered(error, raw)
            keys = raw.count(":")
        else:
            return admit(raw)
        if keys == fixed or keys == keys_read(value):
            return value, raw, ()
        return looked_at(value, raw)

    return enter
