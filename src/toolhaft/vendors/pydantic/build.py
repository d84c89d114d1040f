"""Build a `TypeAdapter`, with the names that the author of a tool could see.

Metadata of other libraries in annotations are translated to pydantic's: `Doc` becomes a
description, `msgspec.Meta` a `Field`, a `Timezone` of annotated_types `AwareDatetime` or
`NaiveDatetime`, and a TypedDict of `typing`, which pydantic cannot read before Python 3.12, the
same one of `typing_extensions`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NotRequired, get_origin

from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.annotations import (
    describe_type,
    is_meta,
    is_timezone,
    is_typed_dict,
    map_parts,
    resolve_hints,
    split_required,
    types_in,
    visible_names,
)
from toolhaft.vendors.versions import require_library

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["ObjectType", "to_no_vendor", "translate_annotation", "type_adapter"]

# The constraints of `msgspec.Meta`, and their names in a `Field`.
META: Final = {
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


def type_adapter(tp: Any) -> TypeAdapter[Any]:
    """Compile a type.

    Raises:
        NoVendor: pydantic cannot build a validator for it, or is not there.
    """
    require_library("pydantic")
    from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
    from pydantic_core import SchemaError

    try:
        return _build(tp)
    except PydanticUndefinedAnnotation as error:
        reason = f"pydantic: {describe_type(tp)} names {error.name}, which is not defined"
        raise NoVendor(reason, f"define {error.name} before the tool is used") from None
    except (PydanticUserError, SchemaError) as error:
        raise to_no_vendor(tp, error) from None


def _build(tp: Any) -> TypeAdapter[Any]:
    """Build an adapter; names of local classes are looked up where the tool is defined."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUndefinedAnnotation

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(tp)
        adapter.rebuild()
    except PydanticUndefinedAnnotation:
        names = visible_names()
        if not names:
            raise
        return _build_with_names(names, tp)
    return adapter


def _build_with_names(names: Mapping[str, Any], tp: Any) -> TypeAdapter[Any]:
    """Build with local names: pydantic looks them up in the frame that calls it."""
    from pydantic import TypeAdapter

    class Namespace(type):
        @classmethod
        def __prepare__(cls, *_: Any, **__: Any) -> dict[str, object]:
            return dict(names)

    class Seen(metaclass=Namespace):
        __built__ = TypeAdapter[Any](tp)
        __built__.rebuild(force=True)

    return Seen.__built__


class ObjectType:
    """The type of a JSON object: for each key its type, and whether it is required.

    It is a TypedDict without a class: any text can be a key, and it is freed with its adapter. The
    result has the keys that were given.
    """

    def __init__(
        self, name: str, fields: Mapping[str, tuple[Any, bool]], extra: Literal["forbid", "ignore"]
    ) -> None:
        self.__name__ = self.__qualname__ = name
        self._fields = fields
        self._extra: Literal["forbid", "ignore"] = extra

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        del source
        keys = {
            key: core_schema.typed_dict_field(handler.generate_schema(tp), required=required)
            for key, (tp, required) in self._fields.items()
        }
        return core_schema.typed_dict_schema(keys, extra_behavior=self._extra)


def to_no_vendor(tp: Any, error: Exception) -> NoVendor:
    """Make the error that pydantic cannot carry a type, with the first line of its message."""
    # The setting that pydantic's message suggests would not result in a schema either.
    reason = str(getattr(error, "message", error)).partition("\n")[0].partition(". Set ")[0]
    reason = reason.removesuffix(".")
    return NoVendor(
        f"pydantic: {describe_type(tp)}: {reason}",
        "use a type with a JSON form, or give parameters=",
    )


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
    if get_origin(tp) is Annotated:
        # The constraints of pydantic's own Field are last, so they win.
        translations = [argument for note in tp.__metadata__ for argument in _to_pydantic(note)]
        others = [note for note in tp.__metadata__ if not _is_translatable(note)]
        return Annotated[(_translate(tp.__origin__, outer), *translations, *others)]
    return map_parts(tp, lambda part: _translate(part, outer))


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
        constraints = {ours: getattr(note, theirs) for theirs, ours in META.items()}
        yield field(**{name: value for name, value in constraints.items() if value is not None})
        if note.tz is not None:
            yield AwareDatetime if note.tz else NaiveDatetime


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
