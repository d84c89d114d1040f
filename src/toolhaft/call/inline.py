"""The shortest way of a call: the handler is run where the call is made, all in one closure.

Most calls of most programs go this way, and most of those are right at once. What is bound
here is what `Supply.arguments` and `Results.check` would do for them; anything that is not
the common case is handed to those.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.call.entrance import entrance
from toolhaft.call.gate import Refused
from toolhaft.call.outcome import Err, Ok, Raised
from toolhaft.call.workers import is_stopping
from toolhaft.errors import Effect
from toolhaft.jsondata import is_flat

if TYPE_CHECKING:
    from toolhaft.call.boundary import Boundary

__all__ = ["Inline", "InlineLater", "inline", "inline_later"]

Done: TypeAlias = Ok[Any] | Err | Raised
Inline: TypeAlias = Callable[[Any, Any], Any]
InlineLater: TypeAlias = Callable[[Any, Any], Coroutine[Any, Any, Any]]
# What becomes of an exception; the effect says whether the handler may have acted.
Failed: TypeAlias = Callable[[BaseException, Effect], Raised | Err]


def inline(boundary: Boundary, failed: Failed) -> Inline:
    """Bind a boundary's parts into the function that runs a sync handler in place."""
    enter, function, rules = entrance(boundary.gate), boundary.function, boundary.rules
    plain, finish, supply = boundary.plain, _finish(boundary, failed), boundary.supply
    arguments, bare, whole = supply.arguments, supply.bare, supply.whole

    def run(raw: Any, context: Any) -> Done:
        effect: Effect = "none"
        try:
            entered = enter(raw)
            if isinstance(entered, Err):
                return entered
            value, data, coercions = entered
            if not bare:
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
            return refused.err
        except BaseException as error:  # noqa: BLE001  the handler runs here
            return failed(error, effect)
        if plain and type(result) is dict and is_flat(result):
            return Ok(result, result.copy(), data, rules, coercions)
        return finish(result, data, coercions)

    return run


def inline_later(boundary: Boundary, failed: Failed) -> InlineLater:
    """The same for an async handler, awaited where the call is; a cancelled caller is stopped."""
    enter, function, rules = entrance(boundary.gate), boundary.function, boundary.rules
    plain, finish, supply = boundary.plain, _finish(boundary, failed), boundary.supply
    arguments, bare, whole = supply.arguments, supply.bare, supply.whole

    async def run(raw: Any, context: Any) -> Done:
        effect: Effect = "none"
        try:
            entered = enter(raw)
            if isinstance(entered, Err):
                return entered
            value, data, coercions = entered
            if not bare:
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
            return refused.err
        except BaseException as error:
            if is_stopping(error):
                raise
            return failed(error, effect)
        if plain and type(result) is dict and is_flat(result):
            return Ok(result, result.copy(), data, rules, coercions)
        return finish(result, data, coercions)

    return run


def _finish(boundary: Boundary, failed: Failed) -> Callable[[Any, Any, Any], Done]:
    """Bind what becomes of a result that is not seen to be right at once."""

    def finish(result: Any, data: Any, coercions: Any) -> Done:
        done = boundary.finished(result, data, coercions)
        return failed(done.error, done.effect) if isinstance(done, Raised) else done

    return finish
