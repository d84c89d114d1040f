"""The fast path of a valid call: its arguments are examined once, and constructed.

Its result equals the whole pipeline's. Arguments that have to be repaired, normalised, dropped or
recorded do not fit the shape and go through the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.call.decode import LIMITS
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import native, plain_copy

if TYPE_CHECKING:
    from toolhaft.call.input import InputPipeline
    from toolhaft.call.outcome import Err
    from toolhaft.call.types import Coercion, ValidatedInput

__all__ = ["FastPath", "Validate", "fast_path_of"]

Validate: TypeAlias = "Callable[[Any], ValidatedInput | Err]"
# A character has at most four bytes in UTF-8.
MOST_CHARS = LIMITS.max_bytes // 4


def fast_path_of(pipeline: InputPipeline) -> FastPath | None:
    """Return the fast path before a pipeline, or None if nothing is admitted as it is sent."""
    # Data that are written anew keep the digits of decimals, which text is not read with here.
    keeps_digits = pipeline.schema.has_decimals and not pipeline.adapter.constructs_as_sent
    return None if pipeline.shape is None or keeps_digits else FastPath(pipeline)


class FastPath:
    """How the arguments of one tool are constructed that fit its shape."""

    def __init__(self, pipeline: InputPipeline) -> None:
        adapter = pipeline.adapter
        self.pipeline: InputPipeline = pipeline
        self.shape: Any = pipeline.shape
        # Some adapters make objects of other data than the admitted ones, and give both.
        self.accepts: bool = not adapter.constructs_as_sent
        own = None if self.accepts else adapter.construct_own
        construct: Any = adapter.construct_fitting or adapter.construct
        if self.accepts:
            construct = adapter.accept if adapter.copies else partial(_accept, pipeline)
        elif own is not None:
            construct = partial(_construct, *own)
        self.construct: Any = construct
        self.construct_text: Any = adapter.construct_text if native else None
        # For the primitives in C: the constructor, and its second argument beside the data, if any.
        self.construct_with: Any = own or adapter.construct_with or (self.construct, None)
        self.copies: bool = adapter.copies and own is None
        self.rejects: tuple[type[Exception], ...] = adapter.rejects

    def refuse(
        self,
        error: Exception,
        data: Any,
        coercions: tuple[Coercion, ...] = (),
        sent: Any = None,
    ) -> Err:
        """Return why the library rejected data that fit, or did once `sent` were repaired."""
        data = jsontext.read(data) if type(data) is str else data
        sent = sent if coercions else data
        return self.pipeline.to_library_refusal(error, data, coercions, sent)

    @property
    def validate(self) -> Validate:
        """Validate raw arguments as the pipeline does."""
        return _validation(self)


def _construct(construct: Callable[..., Any], tp: Any, data: Any) -> Any:
    return construct(data) if tp is None else construct(data, tp)


def _accept(pipeline: InputPipeline, data: Any) -> tuple[Any, Any]:
    value, admitted = pipeline.adapter.accept(data)
    return value, pipeline.record(admitted)


def _validation(path: FastPath) -> Validate:  # noqa: C901 - every call would pay for a second one
    construct, construct_text, copies = path.construct, path.construct_text, path.copies
    rejects, refuse, accepts = path.rejects, path.refuse, path.accepts
    fits, fits_text = path.shape.fits, path.shape.fits_text
    fits_read = fits if native else path.shape.fits_read
    validate_whole = path.pipeline.validate
    validate_refused = path.pipeline.validate_refused

    def validate(raw: Any) -> Any:
        kind, build, sent = type(raw), construct, raw
        try:
            if kind is bytes:
                kind, raw = str, raw.decode()
            if kind is dict:
                data: Any = raw if copies else plain_copy(raw)
                is_fitting = fits(data)
            elif kind is str and native and fits_text(raw):
                is_fitting = True
                if construct_text is None:
                    data = jsontext.read_scanned(raw)
                else:
                    data, build = raw, construct_text
            elif kind is str and len(raw) <= MOST_CHARS:
                if jsontext.may_round(raw):
                    return validate_whole(sent)
                data = jsontext.read_unbounded(raw)
                is_fitting = fits_read(data)
            else:
                return validate_whole(sent)
        except (ValueError, RuntimeError):
            # Text that is no JSON, or data that another thread changes meanwhile: the pipeline
            # takes a copy.
            return validate_whole(sent)
        if not is_fitting:
            data = plain_copy(data) if type(data) is dict else None
            return validate_whole(sent) if data is None else validate_refused(data)
        try:
            # Recorded are the raw arguments: a handler can change its own.
            return (*build(data), ()) if accepts else (build(data), raw, ())
        except rejects as error:
            return refuse(error, data)

    return validate
