"""The shortest way of a call: a sync handler run in place, as one closure with its parts bound.

Most calls of most programs go this way, and most of those are right at once. What is bound
here is what `Gate.admit`, `Supply.arguments` and `Results.check` would do for them; anything
that is not the common case is handed to those.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolhaft.call.gate import NOTHING, Refused
from toolhaft.call.outcome import Err, Ok, Raised
from toolhaft.jsondata import is_exact

if TYPE_CHECKING:
    from toolhaft.call.boundary import Boundary

__all__ = ["Inline", "inline"]

Inline = Callable[[Any, Any], Ok[Any] | Err | Raised]


def inline(boundary: Boundary) -> Inline:
    """Bind a boundary's parts into the function that runs its calls in place."""
    gate, supply, rules = boundary.gate, boundary.supply, boundary.rules
    construct, rejects, known = gate.construct, gate.rejects, gate.known
    admit, unfit, check = gate.admit, boundary.unfit, boundary.results.check
    arguments, function = supply.arguments, boundary.function
    bare, whole = supply.bare, supply.whole

    def run(raw: Any, context: Any) -> Ok[Any] | Err | Raised:
        begun, coercions = False, NOTHING
        try:
            if known is not None and type(raw) is dict and raw.keys() <= known and is_exact(raw):
                try:
                    value, data = construct(raw), raw
                except rejects:
                    value, data, coercions = admit(raw)
            else:
                value, data, coercions = admit(raw)
            if not bare:
                args, kwargs = arguments(value, context)
                begun = True
                result = function(*args, **kwargs)
            elif whole:
                begun = True
                result = function(value)
            else:
                begun = True
                result = function(**value)
        except Refused as refused:
            return refused.err
        except BaseException as error:  # noqa: BLE001  the handler runs here
            return Raised(error, begun)
        try:
            value, json = check(result)
        except Exception as error:  # noqa: BLE001  the author's serializers run in there
            return unfit(error, result)
        return Ok(value, json, data, rules, coercions)

    return run
