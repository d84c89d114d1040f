"""Which msgspec types are read in one step, and how many keys an object of them was read from.

Only of types whose fields are all required: a Struct does not remember which keys it was given.
From a dict msgspec takes a little more than JSON: what it made of it is looked at afterwards. It
refuses keys that are not exactly text by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from gc import is_tracked
from operator import attrgetter
from typing import Any, Final, NamedTuple

from toolhaft.plaindata import MAX_DEPTH, is_exact
from toolhaft.vendors.adapter import MOST_ITEMS, NEVER, Direct, Rejected

__all__ = ["direct"]

LEAVES: Final = frozenset({"StrType", "IntType", "FloatType", "BoolType", "NoneType"})
MOST_TYPES: Final = 200
MOST_LISTS: Final = 2
# What stands in a list of lists counts as so many types: `is_exact` lets through 200,000 of it.
MANY: Final = 60
# Of infinities and of what is no number, as IEEE 754 writes them, by their sign.
FIRST_BYTES: Final = (0x7F, 0xFF)
Count = Callable[[Any], int]
Sum = Callable[[Any], float]
Look = Callable[[Any], bool]


class _Uncounted(Exception):
    """A type whose keys cannot be counted."""


class _Struct(NamedTuple):
    """What is looked at in a Struct's data: how many keys, which scalars, what holds others."""

    own: int
    texts: tuple[str, ...]
    floats: tuple[str, ...]
    others: tuple[tuple[str, Look], ...]


class _Keys(NamedTuple):
    """How many keys a value was read from, by `read` or always `fixed`, and whether data fit.

    Data fit if their containers are exactly dicts and lists, without other keys, and their texts
    are no subclasses, which msgspec keeps as they are; `fits` is None where there is nothing to
    look at. `total` adds up a value's numbers; None where it holds none.
    """

    fixed: int | None
    read: Count
    fits: Look | None
    struct: _Struct | None = None
    total: Sum | None = None


def direct(tp: Any) -> Direct | None:
    """Give the way to read a type in one step; None where there is none."""
    from msgspec import inspect, json

    info: Any = inspect.type_info(tp)
    counting = _Counting()
    try:
        fixed, count, _, struct, total = counting.keys(info)
    except _Uncounted:
        return None
    if struct is None:
        return None
    read, first = _reader(tp, struct, total), is_exact if counting.nested else None
    return Direct(read, first, NEVER, json.Decoder(tp).decode, count, fixed)


def _reader(  # noqa: C901 - a call for each kind of field would cost as much as reading it
    tp: Any, struct: _Struct, total: Sum | None
) -> Callable[[Any], Any]:
    """Read data, and refuse what no JSON text could hold.

    Nothing sees faster than msgpack's writer that no text has a lone surrogate and no integer more
    than 64 bits; what it writes is never read. Of the subclasses of text it writes only enums'
    members, and what holds one is tracked by the garbage collector, as most flat dicts are not.
    Without the first byte of an infinity all numbers are finite; with it they are if their sum is.
    """
    from msgspec import convert
    from msgspec.msgpack import Encoder

    write = Encoder().encode
    positive, negative = FIRST_BYTES
    own, texts, floats, others = struct

    def read(data: Any) -> Any:
        value = convert(data, tp)
        try:
            written = write(value)
        except (TypeError, UnicodeEncodeError, OverflowError):
            raise Rejected([]) from None
        if len(data) != own:
            raise Rejected([])
        for name in texts if is_tracked(data) else ():
            if type(data[name]) is not str:
                raise Rejected([])
        for name in floats:
            if type(data[name]) is not float and type(data[name]) is not int:
                raise Rejected([])
        for name, look in others:
            if not look(data[name]):
                raise Rejected([])
        suspect = positive in written or negative in written
        if suspect and total is not None and not _is_finite(total(value)):
            raise Rejected([])
        return value

    return read


def _is_finite(number: float) -> bool:
    return number - number == 0


class _Counting:
    """The counts of one type; lists that are `nested` could share parts without bound."""

    def __init__(self) -> None:
        self.left = MOST_TYPES  # a type may recur, or be used in many places
        self.nested = False

    def keys(self, info: Any, depth: int = 0, lists: int = 0) -> _Keys:
        kind = type(info).__name__
        self.left -= 1 if lists < MOST_LISTS else MANY
        if self.left <= 0 or depth > MAX_DEPTH:
            raise _Uncounted
        if kind == "Metadata":
            return self.keys(info.type, depth, lists)
        if kind in LEAVES:
            total = _itself if kind == "FloatType" else None
            return _Keys(0, lambda _: 0, LOOKS.get(kind), None, total)
        if kind == "ListType" and lists < MOST_LISTS:
            self.nested |= lists > 0
            return _items(self.keys(info.item_type, depth + 1, lists + 1))
        if kind == "StructType":
            return self.fields(info, depth + 1, lists)
        raise _Uncounted

    def fields(self, info: Any, depth: int, lists: int) -> _Keys:
        """A Struct's fields, and those of what it holds; a tag would be one key more."""
        if info.array_like or info.tag_field is not None or hasattr(info.cls, "__post_init__"):
            raise _Uncounted
        if not all(field.required for field in info.fields):
            raise _Uncounted
        found = [(one, self.keys(one.type, depth, lists)) for one in info.fields]
        own = len(found)
        looks = [(one.encode_name, keys.fits) for one, keys in found if keys.fits]
        texts = tuple(name for name, look in looks if look is _is_text)
        floats = tuple(name for name, look in looks if look is _is_number)
        scalars = LOOKS.values()
        others = tuple((name, look) for name, look in looks if look not in scalars)
        struct = _Struct(own, texts, floats, others)
        counts = [(one.name, keys.read) for one, keys in found if keys.fixed != 0]
        total = _sum([(one.name, keys.total) for one, keys in found if keys.total])
        if not counts:
            return _Keys(own, lambda _: own, _look(struct), struct, total)

        def read(value: Any) -> int:
            total = own
            for name, count in counts:
                total += count(getattr(value, name))
            return total

        return _Keys(None, read, _look(struct), struct, total)


def _look(struct: _Struct) -> Look:
    """Say whether a Struct's data are exact, and hold its keys alone."""
    own, texts, floats, others = struct

    def fits(data: Any) -> bool:
        if type(data) is not dict or len(data) != own:
            return False
        for name in texts if is_tracked(data) else ():
            if type(data[name]) is not str:
                return False
        for name in floats:
            if type(data[name]) is not float and type(data[name]) is not int:
                return False
        for name, look in others:  # noqa: SIM110 - twice as fast as a generator
            if not look(data[name]):
                return False
        return True

    return fits


def _itself(number: float) -> float:
    return number


def _sum(parts: list[tuple[str, Sum]]) -> Sum | None:
    """Add up the numbers that a Struct holds."""
    getters = [(attrgetter(name), total) for name, total in parts]
    if len(getters) == 1 and getters[0][1] is _itself:
        return getters[0][0]

    def add(value: Any) -> float:
        return sum([total(get(value)) for get, total in getters])

    return add if getters else None


def _is_text(data: Any) -> bool:
    return type(data) is str


def _is_number(data: Any) -> bool:
    """Whether msgspec read a number from one: it reads a `Decimal` too."""
    return type(data) is float or type(data) is int


LOOKS: Final[dict[str, Look]] = {"StrType": _is_text, "FloatType": _is_number}


def _items(keys: _Keys) -> _Keys:
    fixed, read, fits, struct, total = keys

    def count(value: Any) -> int:
        return sum(map(read, value)) if fixed is None else fixed * len(value)

    look = _look_each(fits) if struct is None or struct.others else _look_flat(struct)
    sums = None if total is None else lambda items: sum(map(total, items))
    return _Keys(0 if fixed == 0 else None, count, look, None, sums)


def _look_each(fits: Look | None) -> Look:
    if fits is _is_text:
        return _look_texts

    def fit(items: Any) -> bool:
        is_list = type(items) is list and len(items) <= MOST_ITEMS
        return is_list and (fits is None or all(map(fits, items)))

    return fit


def _look_texts(items: Any) -> bool:
    if type(items) is not list or len(items) > MOST_ITEMS:
        return False
    for item in items:  # noqa: SIM110 - as above
        if type(item) is not str:
            return False
    return True


def _look_flat(struct: _Struct) -> Look:
    """Say the same of a list of Structs' data, which are seen in place."""
    own, texts, floats, _ = struct

    def fit(items: Any) -> bool:
        if type(items) is not list or len(items) > MOST_ITEMS:
            return False
        for data in items:
            if type(data) is not dict or len(data) != own:
                return False
            for name in texts if is_tracked(data) else ():
                if type(data[name]) is not str:
                    return False
            for name in floats:
                if type(data[name]) is not float and type(data[name]) is not int:
                    return False
        return True

    return fit
