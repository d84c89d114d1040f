"""The fast path of a valid call: its arguments are checked once, and constructed.

It gives what the whole pipeline would give. Arguments that have to be repaired, settled, dropped or
recorded are refused by the fast gate and go through the pipeline. `is_exact` and `plain_copy` check
that a dict is plain JSON data, `jsontext.read` that a text is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.call.decode import LIMITS
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.plaindata import is_exact, is_flat, plain_copy
from toolhaft.schema.closed import is_closed
from toolhaft.vendors.adapter import Adapter

if TYPE_CHECKING:
    from toolhaft.call.input import InputPipeline
    from toolhaft.call.outcome import Err
    from toolhaft.call.types import ValidatedInput

__all__ = ["Validate", "exactness_check", "fast_validation"]

Validate: TypeAlias = "Callable[[Any], ValidatedInput | tuple[Any, Any, Any] | Err]"
# A character has at most four bytes in UTF-8.
MOST_CHARS = LIMITS.max_bytes // 4


def fast_validation(pipeline: InputPipeline) -> Validate:  # noqa: C901 - one closure, for its speed
    """Put the fast path before a pipeline, where its adapter constructs from data as they are."""
    adapter, schema, validate_whole = pipeline.adapter, pipeline.schema, pipeline.validate
    constructs = type(adapter).accept is Adapter.accept and not adapter.may_await
    if not constructs or schema.has_decimals or pipeline.limits != LIMITS:
        return validate_whole
    accepts, construct, rejects = schema.fast_gate.accepts, adapter.construct, adapter.rejects
    may_hold_floats = schema.numbers.may_hold_floats
    looks_for_floats = not adapter.settles_floats
    is_bounded = exactness_check(schema.fast_gate.normalised)
    fits = is_bounded if adapter.copies else None
    read = jsontext.read_unbounded if is_bounded else jsontext.read
    to_refusal, validate_refused = pipeline.to_library_refusal, pipeline.validate_refused

    def validate(raw: Any) -> Any:  # noqa: PLR0911 - one for each way out
        kind = type(raw)
        try:
            if kind is dict:
                data: Any = raw.copy() if fits is is_flat else raw
                if fits is None or not fits(data):
                    data = plain_copy(raw)
            elif kind is str and len(raw) <= MOST_CHARS:
                data = read(raw)
            else:
                return validate_whole(raw)
            if type(data) is not dict:
                return validate_whole(raw)
            if not accepts(data):
                if data is raw or (is_bounded and kind is str):  # the gate was to bound it
                    data = plain_copy(data)
                return validate_whole(raw) if data is None else validate_refused(data)
        except (ValueError, RuntimeError):
            # Text that is no JSON, an object that the gate stumbles over, or that another thread
            # changes meanwhile: the pipeline takes a copy.
            return validate_whole(raw)
        if looks_for_floats and may_hold_floats((data,)):
            return validate_whole(raw)
        try:
            return construct(data), data, ()
        except rejects as error:
            return to_refusal(error, data, ())

    return validate


def exactness_check(gate: Any) -> Callable[[Any], bool] | None:
    """Give the check that data are exact JSON; None where the gate leaves open what they hold."""
    if not is_closed(gate):
        return None
    is_object = gate.get("type") == "object"
    return is_flat if is_object and is_closed(gate, depth=1) else is_exact
