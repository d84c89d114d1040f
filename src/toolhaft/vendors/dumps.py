"""What is known of a result before it is dumped: its objects, how many values it has, its layout.

A layout is how objects of plain classes are dumped: field by field, as the primitives in C can do
it. It is the type of a scalar, True for plain data, `[layout]` for a list, `(class, function)` for
objects that a function dumps, and `(class, ((key, attribute, layout), ...))` for an object; null is
allowed anywhere. Its dumps equal the library's; objects that it cannot dump, such as one with a
value of another type, are left to the library.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum, EnumMeta
from inspect import getattr_static
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin

from toolhaft.jsonio.plaindata import MAX_VALUES
from toolhaft.jsonio.primitives import is_small
from toolhaft.spec import Issue

__all__ = [
    "FieldsOf",
    "IsInstance",
    "count_values",
    "instance_check",
    "is_plain",
    "layout_of",
    "too_large",
    "value_of",
]

IsInstance: TypeAlias = Callable[[object], bool]
_SEQUENCES: Final = (list, tuple, set, frozenset, deque)
# Where the classes of libraries list their fields, and whatever else their objects are dumped with.
_FIELDS: Final = ("__dataclass_fields__", "__struct_fields__", "__pydantic_fields__")
_MORE: Final = "__pydantic_extra__"
# The key, the attribute and the type of each field of a class, or the function that dumps its
# objects; None if it has no layout.
FieldsOf: TypeAlias = Callable[[type], list[tuple[str, str, Any]] | Callable[[Any], Any] | None]
SCALARS: Final = (str, int, float, bool, NoneType)
# Notes of these libraries do not change dumps.
SILENT: Final = ("annotated_types", "msgspec")
value_of: Final = attrgetter("_value_")


def instance_check(tp: Any, is_own: Callable[[Any], bool]) -> IsInstance | None:
    """Make the check of a class that `is_own`, or of lists of it; None for other types.

    It reads the type of an object alone, because a class may override `__instancecheck__`, which is
    also slow.

    >>> holds = instance_check(list[int], lambda cls: cls is int)
    >>> holds([1, True]), holds([1, "2"]), holds((1,))
    (True, False, False)
    """
    cls = get_origin(tp) or tp
    if is_own(cls):
        return lambda value: cls in type(value).__mro__
    items = instance_check(get_args(tp)[0], is_own) if cls is list and get_args(tp) else None
    return None if items is None else _are_items(items)


def _are_items(is_item: IsInstance) -> IsInstance:
    return lambda value: type(value) is list and all(map(is_item, value))


def is_plain(tp: Any) -> bool:
    """Whether data that fit a type are its objects: nothing is made of them.

    A float is made of an integer.

    >>> is_plain(dict[str, list[int] | None]), is_plain(list[float])
    (True, False)
    """
    origin, args = get_origin(tp) or tp, get_args(tp)
    if origin is dict:
        return not args or (args[0] is str and is_plain(args[1]))
    if origin in (list, Union, UnionType):
        return all(map(is_plain, args))
    return tp in (Any, str, int, bool, None, NoneType)


def too_large(value: object) -> list[Issue]:
    """Return an issue if the dump of an object would hold too many values, otherwise none."""
    if is_small(value) or count_values(value) <= MAX_VALUES:
        return []
    return [Issue(f"more than {MAX_VALUES} values", code="json")]


def count_values(value: object) -> int:
    """Count the values of a dump, each wherever it stands; a cycle counts once.

    Every object is looked at once, however often it stands in others: twenty lists, each twice in
    the next one, are a million values of twenty objects.

    >>> twice = [1, 2]
    >>> count_values([twice, twice])
    6
    """
    # The objects are kept, or another one could have the place of one in memory.
    sizes: dict[int, tuple[int, object]] = {}
    stack: list[tuple[object, list[Any] | None]] = [(value, None)]
    while stack:
        item, parts = stack.pop()
        if parts is not None:
            held = sum(sizes[id(part)][0] for part in parts if id(part) in sizes)
            sizes[id(item)] = len(parts) + held, item
        elif id(item) not in sizes:
            parts = list(_parts(item))
            sizes[id(item)] = 0, item
            if parts:
                stack.append((item, parts))
                stack += [(part, None) for part in parts if not isinstance(part, str | int | float)]
    return sizes[id(value)][0]


def _parts(value: Any) -> Iterable[Any]:
    """Return what an object of a container or of a library's class is dumped with."""
    if isinstance(value, dict):
        return dict.values(value)
    if isinstance(value, _SEQUENCES):
        return value
    parts = [getattr(value, name, None) for name in _names(type(value))]
    return parts + list((getattr(value, _MORE, None) or {}).values())


def _names(kind: Any) -> Iterable[str]:
    for listed in _FIELDS:
        fields: Any = getattr(kind, listed, None)
        if isinstance(fields, dict):
            return [name for name, field in fields.items() if not getattr(field, "exclude", None)]
        if fields is not None:
            return [str(name) for name in fields]
    return [field.name for field in getattr(kind, "__attrs_attrs__", ())]


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
