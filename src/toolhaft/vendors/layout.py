"""How objects of plain classes are dumped: field by field, as the primitives in C can do it.

A layout is the type of a scalar, True for plain data, `[layout]` for a list, `(class, function)`
for objects that a function dumps, and `(class, ((key, attribute, layout), ...))` for an object;
null is allowed anywhere. Its dumps equal the library's; objects that it cannot dump, such as one
with a value of another type, are left to the library.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, EnumMeta
from inspect import getattr_static
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin

__all__ = ["FieldsOf", "layout_of", "value_of"]

# The key, the attribute and the type of each field of a class, or the function that dumps its
# objects; None if it has no layout.
FieldsOf: TypeAlias = Callable[[type], list[tuple[str, str, Any]] | Callable[[Any], Any] | None]
SCALARS: Final = (str, int, float, bool, NoneType)
# Notes of these libraries do not change dumps.
SILENT: Final = ("annotated_types", "msgspec")
value_of: Final = attrgetter("_value_")


class _UnknownError(Exception):
    """A type is dumped in ways that no layout says."""


def layout_of(tp: Any, fields_of: FieldsOf) -> Any:
    """Return the layout of a class, or of lists of it, or None for other types.

    >>> class Seen:
    ...     city: str
    >>> layout_of(list[Seen], lambda cls: [("city", "city", str)])[0][1]
    (('city', 'city', <class 'str'>),)
    """
    inner = tp
    while get_origin(inner) is list and get_args(inner):
        [inner] = get_args(inner)
    if not isinstance(inner, type) or not isinstance(fields_of(inner), list):
        return None
    try:
        return _layout(tp, fields_of, ())
    except _UnknownError:
        return None


def _layout(tp: Any, fields_of: FieldsOf, outer: tuple[type, ...]) -> Any:
    inner = _inner(tp)
    if inner is not None:
        layout = _layout(inner, fields_of, outer)
        return [layout] if get_origin(tp) is list else layout
    if tp in SCALARS:
        return tp
    if isinstance(tp, EnumMeta) and _is_worth_text(tp):
        return tp, value_of
    fields = fields_of(tp) if isinstance(tp, type) and tp not in outer else None
    if not isinstance(fields, list):
        if fields is None:
            raise _UnknownError
        return tp, fields
    if not _is_read(tp):
        raise _UnknownError
    return tp, tuple(
        (key, name, _layout(inner, fields_of, (*outer, tp))) for key, name, inner in fields
    )


def _inner(tp: Any) -> Any:
    """Return the type inside a list, a nullable type, an annotation or a `Literal` of texts."""
    origin, args = get_origin(tp), get_args(tp)
    if origin is list or (origin is Annotated and all(map(_is_silent, tp.__metadata__))):
        return args[0]
    if origin is Literal and all(type(word) is str for word in args):
        return str
    others = [arg for arg in args if arg is not NoneType]
    return others[0] if origin in (Union, UnionType) and len(others) == 1 else None


def _is_silent(note: Any) -> bool:
    return type(note).__module__.partition(".")[0] in SILENT


def _is_worth_text(enum: Any) -> bool:
    """Whether the members of an Enum are dumped as their own values, which are text."""
    value: Any = getattr_static(enum, "value")
    return value is vars(Enum)["value"] and all(type(member._value_) is str for member in enum)


def _is_read(cls: type) -> bool:
    """Whether the attributes of objects are what they hold."""
    read: Any = cls.__getattribute__
    return read is object.__getattribute__ and not hasattr(cls, "__getattr__")
