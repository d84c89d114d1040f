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


def inline(boundary: Boundary) -> Inline:  # noqa: C901  one function, for its speed
    """Bind a boundary's parts into the function that runs its calls in place."""
    gate, supply, rules = boundary.gate, boundary.supply, boundary.rules
    construct, rejects, known = gate.construct, gate.rejects, gate.known
    admit, recovered = gate.admit, gate.recovered_raw
    unfit, check = boundary.unfit, boundary.results.check
    arguments, function = supply.arguments, boundary.function
    bare, whole, flat = supply.bare, supply.whole, gate.adapter.flat

    def run(raw: Any, context: Any) -> Ok[Any] | Err | Raised:  # noqa: C901  as above
        begun, coercions = False, NOTHING
        try:
            plain = known is not None and type(raw) is dict
            if plain:
                for key in raw:
                    if type(key) is not str or key not in known:
                        plain = False
            if plain and (flat or is_exact(raw)):
                try:
                    value, data = construct(raw), raw
                except rejects as error:
                    value, data, coercions = recovered(error, raw)
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
