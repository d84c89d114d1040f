"""Translate metadata of other libraries in annotations to pydantic's.

`Doc` becomes a description, `msgspec.Meta` becomes a `Field`, a `Timezone` of annotated_types
becomes `AwareDatetime` or `NaiveDatetime`, and a TypedDict of `typing`, which pydantic cannot read
before Python 3.12, becomes the same one of `typing_extensions`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import reduce
from operator import or_
from types import GenericAlias, UnionType
from typing import Annotated, Any, Final, Literal, NotRequired, get_args, get_origin

from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.annotations import (
    describe_type,
    is_meta,
    is_timezone,
    is_typed_dict,
    resolve_hints,
    split_required,
    types_in,
)

__all__ = ["translate_annotation"]


def translate_annotation(tp: Any) -> Any:
    """Translate an annotation for pydantic; most are returned as they are."""
    return _translate(tp, ()) if any(map(_is_foreign, types_in(tp))) else tp


def _is_foreign(tp: Any) -> bool:
    if get_origin(tp) is Annotated:
        return any(map(_is_translatable, tp.__metadata__))
    return _is_old_typed_dict(tp)


def _is_translatable(note: Any) -> bool:
    is_known = is_meta(note) or is_timezone(note)
    return is_known or isinstance(getattr(note, "documentation", None), str)


def _is_old_typed_dict(tp: Any) -> bool:
    return sys.version_info < (3, 12) and is_typed_dict(tp) and type(tp).__module__ == "typing"


def _translate(tp: Any, outer: tuple[Any, ...]) -> Any:
    if _is_old_typed_dict(tp):
        return _new_typed_dict(tp, outer)
    origin = get_origin(tp)
    if origin is Annotated:
        # The constraints of pydantic's own Field are last, so they win.
        translations = [argument for note in tp.__metadata__ for argument in _to_pydantic(note)]
        others = [note for note in tp.__metadata__ if not _is_translatable(note)]
        return Annotated[(_translate(tp.__origin__, outer), *translations, *others)]
    inner = get_args(tp)
    if not inner or origin is Literal or any(isinstance(argument, list) for argument in inner):
        return tp
    parts = tuple(_translate(argument, outer) for argument in inner)
    if isinstance(tp, UnionType):
        return reduce(or_, parts)
    return origin[parts] if isinstance(tp, GenericAlias) else tp.copy_with(parts)


def _to_pydantic(note: Any) -> Iterator[Any]:
    from pydantic import AwareDatetime, Field, NaiveDatetime

    field: Any = Field

    text = getattr(note, "documentation", None)
    if isinstance(text, str):
        yield field(description=text)
    elif is_timezone(note):
        if note.tz not in (None, ...):
            reason = f"pydantic: Timezone({note.tz!r}), but only any time zone or none is supported"
            raise NoVendor(reason, "write Timezone(...) or Timezone(None)")
        yield NaiveDatetime if note.tz is None else AwareDatetime
    elif is_meta(note):
        constraints = {ours: getattr(note, theirs) for theirs, ours in _META.items()}
        yield field(**{name: value for name, value in constraints.items() if value is not None})
        if note.tz is not None:
            yield AwareDatetime if note.tz else NaiveDatetime


_META: Final = {
    "gt": "gt",
    "ge": "ge",
    "lt": "lt",
    "le": "le",
    "multiple_of": "multiple_of",
    "pattern": "pattern",
    "min_length": "min_length",
    "max_length": "max_length",
    "title": "title",
    "description": "description",
    "examples": "examples",
    "extra_json_schema": "json_schema_extra",
}


def _resolve_hints(tp: Any) -> dict[str, Any]:
    try:
        return resolve_hints(tp)
    except NameError as error:
        reason = f"pydantic: {describe_type(tp)} names {error.name}, which is not defined"
        raise NoVendor(reason, f"define {error.name} before the tool is used") from None


def _new_typed_dict(tp: Any, outer: tuple[Any, ...]) -> Any:
    if tp in outer:
        return tp  # it holds itself: pydantic says what to do
    from typing_extensions import TypedDict

    define: Any = TypedDict
    optional: Any = NotRequired[Any]
    fields: dict[str, Any] = {}
    for name, hint in _resolve_hints(tp).items():
        inner, required = split_required(hint, required=name in tp.__required_keys__)
        inner = _translate(inner, (*outer, tp))
        # Of equal unions `NotRequired[...]` itself gives the first that anybody has written.
        fields[name] = inner if required else optional.copy_with((inner,))
    typed_dict = define(tp.__name__, fields)
    for name in ("__doc__", "__module__", "__qualname__", "__pydantic_config__"):
        if name in vars(tp):
            setattr(typed_dict, name, vars(tp)[name])
    return typed_dict
