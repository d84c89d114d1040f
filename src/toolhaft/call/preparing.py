"""Validate a call that needs approval, and make its objects anew once it is approved.

Without `has_loop`, async validators are awaited on the library's own loop, and these coroutines
never wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolhaft.call import feedback, workers
from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.failures import run_step_in_loop
from toolhaft.call.internals import edit_of, ticket_of, view_of
from toolhaft.call.outcome import Err
from toolhaft.call.permission import needs_approval
from toolhaft.call.prepared import Prepared
from toolhaft.errors import ContextMissing
from toolhaft.jsonio.canonical import canonical
from toolhaft.jsonio.primitives import plain_copy
from toolhaft.vendors.call_context import call_context

if TYPE_CHECKING:
    from toolhaft.call.boundary import Boundary
    from toolhaft.call.edit import Decision
    from toolhaft.call.filling import DefaultFill
    from toolhaft.call.once_token import OnceToken
    from toolhaft.call.types import ValidatedInput

__all__ = ["CHANGED", "Permitted", "needs_person", "permit", "prepare", "to_prepared", "validate"]
__all__ += ["validate_at_once"]

CHANGED: Final = "the tool or the arguments have changed since it was prepared"

# The values for the handler, the values to show if they are more, and a person's changes.
Permitted: TypeAlias = "tuple[ValidatedInput, Any, Decision | None]"


async def validate(
    boundary: Boundary, raw: Any, fill: DefaultFill | None, context: Any, *, has_loop: bool
) -> ValidatedInput | Err:
    """Validate arguments, and make all that the handler receives of them.

    `fill` inserts what default factories give, which a person may be shown.
    """
    if boundary.pipeline.adapter.awaits and not has_loop:
        validating = validate(boundary, raw, fill, context, has_loop=True)
        result: ValidatedInput | Err = run_step_in_loop(validating, boundary.to_outcome, "none")
        return result
    if not (has_loop and boundary.may_await):
        return validate_at_once(boundary, raw, fill, context)
    try:
        with boundary.given(context):
            return _complete(boundary, await boundary.pipeline.validate_awaited(raw, fill))
    except BaseException as error:
        if workers.is_stopping(error):
            raise
        return boundary.to_outcome(error, "none")


def validate_at_once(
    boundary: Boundary, raw: Any, fill: DefaultFill | None, context: Any
) -> ValidatedInput | Err:
    """Do the same with a validator that need not be awaited."""
    try:
        if not boundary.takes_context:
            return _validate(boundary, raw, fill)
        with call_context(context):
            return _validate(boundary, raw, fill)
    except BaseException as error:
        if workers.is_stopping(error):
            raise
        return boundary.to_outcome(error, "none")


def _validate(boundary: Boundary, raw: Any, fill: DefaultFill | None) -> ValidatedInput | Err:
    if fill is None or not (fill.calls_factories or boundary.pipeline.schema.has_decimals):
        validated = boundary.validate(_own(raw))
    else:  # a person is shown the values of factories, and decimals with all their digits
        validated = boundary.pipeline.validate(raw, fill)
    return _complete(boundary, validated) if boundary.binder.completes else validated


def _complete(boundary: Boundary, validated: ValidatedInput | Err) -> ValidatedInput | Err:
    if isinstance(validated, Err):
        return validated
    value, data, coercions = validated
    return boundary.binder.complete(value), data, coercions


def _own(raw: Any) -> Any:
    """Copy a dict that the caller may change while a person decides."""
    copied = plain_copy(raw) if type(raw) is dict else None
    return raw if copied is None else copied


def prepare(
    boundary: Boundary,
    raw: Any,
    fill: DefaultFill | None,
    context: Any = None,
    token: OnceToken | None = None,
) -> Prepared[Any] | Err:
    """Validate arguments for a later run, without asking anybody."""
    validated = run_without_loop(validate(boundary, raw, fill, context, has_loop=False))
    if isinstance(validated, Err):
        return validated
    return to_prepared(boundary, validated, fill, token)


def to_prepared(
    boundary: Boundary,
    validated: ValidatedInput,
    fill: DefaultFill | None,
    token: OnceToken | None = None,
) -> Prepared[Any] | Err:
    """Make the call that a person is shown."""
    value, data, coercions = validated
    try:
        data = boundary.pipeline.admitted_data(data) if type(data) is str else data
        view = boundary.views.build(data, value, fill)
    except BaseException as error:  # noqa: BLE001  an author's defaults are written
        return boundary.to_outcome(error, "none")
    return Prepared(boundary.handler_boundary, coercions, view, token)


async def permit(
    boundary: Boundary, prepared: Prepared[Any], context: Any, *, has_loop: bool
) -> Permitted | Err:
    """Make the objects of an approved call anew, ask the program again, and use the call up.

    A denied call can still be made later. Values that are missing from the context are reported
    before the program's `authorize` runs again.
    """
    try:
        missing = boundary.binder.missing_names(context)
    except BaseException as error:  # noqa: BLE001  the program's context may raise
        return boundary.to_outcome(error, "none")
    if missing:
        return boundary.to_outcome(ContextMissing(prepared.name, missing), "none")
    validated = await _renew(boundary, prepared, context, has_loop=has_loop)
    if isinstance(validated, Err):
        return validated
    attempt = await boundary.authorize(validated, context, has_loop=has_loop)
    if isinstance(attempt, Err):
        return attempt
    if not await ticket_of(prepared).spend(prepared.name, has_loop=has_loop):
        return attempt.denied(feedback.SPENT)
    return validated, view_of(prepared).shown, edit_of(prepared)


async def needs_person(
    boundary: Boundary, prepared: Prepared[Any], context: Any, *, has_loop: bool
) -> bool:
    """Whether a person must approve a prepared call; a call that will be refused needs none."""
    if not callable(boundary.options.requires_approval):
        return boundary.asks_person
    validated = await _renew(boundary, prepared, context, has_loop=has_loop)
    if isinstance(validated, Err):
        return False
    return await needs_approval(boundary.attempt(validated, context), has_loop=has_loop)


async def _renew(
    boundary: Boundary, prepared: Prepared[Any], context: Any, *, has_loop: bool
) -> ValidatedInput | Err:
    """Make the objects anew from the JSON that was shown: nothing that changed since runs."""
    validated = await validate(boundary, prepared, None, context, has_loop=has_loop)
    if isinstance(validated, Err):
        # The issues are in the handler's terms, which the model of a derived tool does not know.
        is_derived = boundary.handler_boundary.hide_again is not None
        return _changed(boundary, prepared) if is_derived else validated
    value, data, _ = validated
    validated = value, data, prepared.coercions
    try:
        shown = boundary.views.build(data, value, boundary.defaults.fill()).shown
    except BaseException as error:  # noqa: BLE001  an author's defaults are written
        return boundary.to_outcome(error, "none")
    if canonical(shown) == canonical(view_of(prepared).shown):
        return validated
    return _changed(boundary, prepared)


def _changed(boundary: Boundary, prepared: Prepared[Any]) -> Err:
    text = feedback.describe_not_resumed(CHANGED)
    return Err("denied", text, boundary.options, (), prepared.coercions)
