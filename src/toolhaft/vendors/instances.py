"""Whether a handler's result is built of objects of the declared classes already."""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin

__all__ = ["IsInstance", "instance_check", "is_plain"]

IsInstance: TypeAlias = Callable[[object], bool]


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
