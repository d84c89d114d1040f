"""The shortest way of a call: the handler is run where the call is made, all in one closure.

Most calls of most programs go this way, and most of those are right at once. What is bound
here is what `Gate.admit`, `Supply.arguments` and `Results.check` would do for them; anything that
is not the common case is handed to those. It stands here twice, for what awaits is another kind of
function; each call of one function from another would cost a tenth of what all of it does.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.call.entrance import entered_after, entrance
from toolhaft.call.gate import Refused
from toolhaft.call.outcome import Err, Ok, Raised
from toolhaft.call.workers import is_stopping
from toolhaft.errors import Effect
from toolhaft.plaindata import is_flat

if TYPE_CHECKING:
    from toolhaft.call.boundary import Boundary
    from toolhaft.call.decode import Coercions

__all__ = ["Inline", "InlineLater", "inline", "inline_later"]

Done: TypeAlias = Ok[Any] | Err | Raised
Inline: TypeAlias = Callable[[Any, Any], Any]
InlineLater: TypeAlias = Callable[[Any, Any], Coroutine[Any, Any, Any]]
# What becomes of an exception; the effect says whether the handler may have acted.
Failed: TypeAlias = Callable[[BaseException, Effect], Raised | Err]


def inline(boundary: Boundary, failed: Failed) -> Inline:  # noqa: C901, PLR0915  see above
    """Bind a boundary's parts into the function that runs a sync handler in place."""
    quick, read, fits, width, longest, read_text, keys_read, fixed, unfit = entrance(boundary.gate)
    gate, function, rules = boundary.gate, boundary.function, boundary.rules
    admit, looked_at = gate.admit, gate.looked_at
    plain, renders = boundary.plain, rules.render is not None
    check, finished, unfitting = boundary.results.check, boundary.finished, boundary.unfit
    supply = boundary.supply
    arguments, bare, whole = supply.arguments, supply.bare, supply.whole
    completed, told = Ok.of, _told(failed)

    def run(raw: Any, context: Any) -> Done:  # noqa: C901, PLR0912
        effect: Effect = "none"
        kind: Any = type(raw)
        try:
            data: Any = raw
            coercions: Coercions = ()
            if kind is quick:
                if len(raw) == width:
                    for key in raw:
                        if type(key) is not str:
                            value, data, coercions = admit(raw)
                            break
                    else:
                        value = read(raw)
                elif fits is None or fits(raw):
                    value = read(raw)
                else:
                    value, data, coercions = admit(raw)
            elif kind is str and len(raw) <= longest:
                value = read_text(raw)
                keys = raw.count(":")
                if keys != fixed and keys != keys_read(value):
                    value, data, coercions = looked_at(value, raw)
            else:
                value, data, coercions = admit(raw)
            if not bare:
                kind = None  # what is raised from here on refuses no arguments
                args, kwargs = arguments(value, context)
                effect = "unknown"
                result = function(*args, **kwargs)
            elif whole:
                effect = "unknown"
                result = function(value)
            else:
                effect = "unknown"
                result = function(**value)
        except Refused as refused:
            return refused.err if effect == "none" else failed(refused, effect)
        except BaseException as error:  # noqa: BLE001  the handler runs here
            if effect != "none" or kind is None or not isinstance(error, unfit):
                return failed(error, effect)
            entered = entered_after(gate, error, raw)
        else:
            if plain and type(result) is dict and is_flat(shown := result.copy()):
                value = result
            elif renders:
                return told(finished(result, data, coercions))
            else:
                try:
                    value, shown = check(result)
                except Exception as error:  # noqa: BLE001  the author's serializers run in there
                    return told(unfitting(error, result))
            return completed(value, shown, data, rules, coercions)
        return told(boundary.resumed(entered, context) if isinstance(entered, tuple) else entered)

    return run


def inline_later(boundary: Boundary, failed: Failed) -> InlineLater:  # noqa: C901, PLR0915
    """The same for an async handler, awaited where the call is; a cancelled caller is stopped."""
    quick, read, fits, width, longest, read_text, keys_read, fixed, unfit = entrance(boundary.gate)
    gate, function, rules = boundary.gate, boundary.function, boundary.rules
    admit, looked_at = gate.admit, gate.looked_at
    plain, renders = boundary.plain, rules.render is not None
    check, finished, unfitting = boundary.results.check, boundary.finished, boundary.unfit
    supply = boundary.supply
    arguments, bare, whole = supply.arguments, supply.bare, supply.whole
    completed, told = Ok.of, _told(failed)

    async def run(raw: Any, context: Any) -> Done:  # noqa: C901, PLR0912
        effect: Effect = "none"
        kind: Any = type(raw)
        try:
            data: Any = raw
            coercions: Coercions = ()
            if kind is quick:
                if len(raw) == width:
                    for key in raw:
                        if type(key) is not str:
                            value, data, coercions = admit(raw)
                            break
                    else:
                        value = read(raw)
                elif fits is None or fits(raw):
                    value = read(raw)
                else:
                    value, data, coercions = admit(raw)
            elif kind is str and len(raw) <= longest:
                value = read_text(raw)
                keys = raw.count(":")
                if keys != fixed and keys != keys_read(value):
                    value, data, coercions = looked_at(value, raw)
            else:
                value, data, coercions = admit(raw)
            if not bare:
                kind = None  # what is raised from here on refuses no arguments
                args, kwargs = arguments(value, context)
                effect = "unknown"
                result = await function(*args, **kwargs)
            elif whole:
                effect = "unknown"
                result = await function(value)
            else:
                effect = "unknown"
                result = await function(**value)
        except Refused as refused:
            return refused.err if effect == "none" else failed(refused, effect)
        except BaseException as error:
            if is_stopping(error):
                raise
            if effect != "none" or kind is None or not isinstance(error, unfit):
                return failed(error, effect)
            entered = entered_after(gate, error, raw)
        else:
            if plain and type(result) is dict and is_flat(shown := result.copy()):
                value = result
            elif renders:
                return told(finished(result, data, coercions))
            else:
                try:
                    value, shown = check(result)
                except Exception as error:  # noqa: BLE001  the author's serializers run in there
                    return told(unfitting(error, result))
            return completed(value, shown, data, rules, coercions)
        return (
            entered
            if isinstance(entered, Err)
            else told(await boundary.resumed_later(entered, context))
        )

    return run


def _told(failed: Failed) -> Callable[[Done], Done]:
    return lambda done: failed(done.error, done.effect) if isinstance(done, Raised) else done
