"""The fast path of a right call: its arguments are looked at once, and constructed.

What is not right at once goes the whole way through the pipeline, which finds out why. The fast
path gives what that would give; three functions are all that it adds, and each is plain Python:
`plain_copy` sees that a dict is plain JSON data, `jsontext.read` that a text is, and the fast gate
that nothing has to be repaired, settled, dropped or recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft import jsontext
from toolhaft.call.decode import LIMITS
from toolhaft.plaindata import plain_copy
from toolhaft.vendors.adapter import Adapter

if TYPE_CHECKING:
    from toolhaft.call.input import InputPipeline, ValidatedInput
    from toolhaft.call.outcome import Err

__all__ = ["Validate", "fast_validation"]

Validate: TypeAlias = "Callable[[Any], ValidatedInput | tuple[Any, Any, Any] | Err]"
# A character has at most four bytes in UTF-8.
MOST_CHARS = LIMITS.max_bytes // 4


def fast_validation(pipeline: InputPipeline) -> Validate:
    """Put the fast path before a pipeline, where its adapter constructs from data as they are."""
    adapter, schema, whole = pipeline.adapter, pipeline.schema, pipeline.validate
    constructs = type(adapter).accept is Adapter.accept
    if not constructs or adapter.may_await or schema.has_decimals or pipeline.limits != LIMITS:
        return whole
    accepts, construct, rejects = schema.accepts_at_once, adapter.construct, adapter.rejects
    refused, may_hold_floats = pipeline.refused_by_library, schema.numbers.may_hold_floats

    def validate(raw: Any) -> Any:
        kind = type(raw)
        if kind is dict:
            data: Any = plain_copy(raw)
        elif kind is str and len(raw) <= MOST_CHARS:
            try:
                data = jsontext.read(raw)
            except jsontext.JsonFault:
                return whole(raw)
        else:
            return whole(raw)
        if type(data) is not dict or not accepts(data) or may_hold_floats((data,)):
            return whole(raw)
        try:
            return construct(data), data, ()
        except rejects as error:
            return refused(error, data, ())

    return validate
