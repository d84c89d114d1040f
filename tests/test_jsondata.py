"""Copies of plain JSON data, and results as JSON data: what is taken, and what is refused where."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter, OrderedDict, UserDict, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path, PureWindowsPath
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from toolhaft.jsondata import (
    UNKNOWN,
    NotJson,
    NotPlain,
    dumped,
    is_exact,
    is_flat,
    plain_copy,
    snapshot,
)
from toolhaft.spec import Issue

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
plain = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)
both = pytest.mark.parametrize("copy", [snapshot, dumped])


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Shape(Enum):
    ROUND = "round"
    PAIR = (1, "two")


def boom(*_: object) -> NoReturn:
    raise AssertionError("an overridden method was called")


def hostile(base: type, *names: str) -> Any:
    """A subclass of a plain type, every named method of which fails."""
    return type(base.__name__.title(), (base,), dict.fromkeys(names, boom))


Text = hostile(str, "__eq__", "__hash__", "__str__", "__repr__", "__len__", "isascii", "encode")
Whole = hostile(int, "__int__", "__index__", "__eq__", "__hash__", "__lt__", "__str__")
Real = hostile(float, "__float__", "__eq__", "__hash__", "__lt__", "__str__", "is_integer")
Row = hostile(dict, "__len__", "__eq__", "__contains__", "copy", "pop")
Rows = hostile(list, "__len__", "__eq__", "copy", "pop")


class TwoFaced(dict[str, Any]):
    """Answers differently the second time."""

    def items(self) -> NoReturn:
        boom()


class TwoFacedList(list[Any]):
    def __iter__(self) -> NoReturn:
        boom()


def refusal(copy: Callable[[Any], Any], value: Any) -> tuple[str, tuple[str | int, ...]]:
    with pytest.raises(NotPlain) as caught:
        copy(value)
    assert caught.value.__context__ is None
    (issue,) = caught.value.issues
    assert issue.code == "json"
    return issue.message, issue.path


def shape(value: Any) -> Any:
    """The exact types of data, all the way down."""
    if type(value) is dict:
        return dict, [(type(key), shape(item)) for key, item in value.items()]
    return (list, [shape(item) for item in value]) if type(value) is list else type(value)


@given(plain)
def test_a_copy_is_equal_and_shares_no_container(data: Any) -> None:
    for copy in (snapshot, dumped):
        made = copy(data)
        assert json.dumps(made) == json.dumps(data)
        if isinstance(data, dict | list):
            before = json.dumps(data)
            scramble(made)
            assert json.dumps(data) == before


def scramble(value: Any) -> None:
    """Empty every container of a copy."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            scramble(inner)
    value.clear()


class Word(str):
    """A subclass of text that is as harmless as it looks."""

    __slots__ = ()


ODD: list[Any] = [
    *(float("nan"), float("-inf"), 10**4300, -(10**4300), "\ud800", (1,), {1}, b"x", 1j),
    *(Text("x"), Whole(1), Real(1.0), Row(a=1), Rows([1]), MappingProxyType({}), object()),
]
# By their places: hypothesis would ask for hashes.
odd = st.integers(0, len(ODD) - 1).map(lambda place: ODD[place])
keys: st.SearchStrategy[Any] = st.text() | st.sampled_from([Word("k"), "\udfff", 1, None])
mixed = st.dictionaries(
    keys,
    st.recursive(scalars | odd, lambda inner: st.lists(inner) | st.dictionaries(keys, inner)),
)


@given(mixed)
def test_the_quick_copy_is_the_same_copy_or_none(data: Any) -> None:
    made = plain_copy(data)
    try:
        whole = snapshot([data])[0]  # a list is never copied the quick way
    except NotPlain:
        assert made is None
        assert not is_flat(data)
    else:
        assert made is None or shape(made) == shape(whole)
        assert made is None or json.dumps(made) == json.dumps(whole)


@given(st.dictionaries(st.text(), plain))
def test_all_plain_data_are_copied_the_quick_way(data: Any) -> None:
    made = plain_copy(data)
    assert json.dumps(made) == json.dumps(data)
    before = json.dumps(data)
    scramble(made)
    assert json.dumps(data) == before


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize(
    "within",
    [
        lambda value: {"a": value},
        lambda value: {"a": [value]},
        lambda value: {"a": {"b": value}},
        lambda value: {"a": [[value]]},
        lambda value: {"a": [{"b": value}]},
        lambda value: {"a": [{"b": {"c": value}}]},
    ],
)
def test_what_is_not_plain_is_never_copied_the_quick_way(
    value: Any, within: Callable[[Any], dict[str, Any]]
) -> None:
    assert plain_copy(within(value)) is None


@pytest.mark.parametrize("key", [1, None, Word("k"), Colour.RED, "\ud800"])
def test_keys_that_are_not_plain_text_are_never_copied_the_quick_way(key: Any) -> None:
    assert plain_copy({key: 1}) is None
    assert plain_copy({"a": {key: 1}}) is None
    assert plain_copy({"a": [{key: 1}]}) is None


def test_the_quick_copy_keeps_within_depth_and_size() -> None:
    deep: Any = {"a": [{"b": [[]]}]}
    assert [plain_copy(deep, depth=depth) == deep for depth in range(7)] == [False] * 5 + [True] * 2
    assert plain_copy({"a": {"b": {}}}, depth=2) is None
    wide: Any = {"a": [{"b": 1}] * 10, "c": {"d": 1}}
    assert plain_copy(wide, room=100) == wide
    assert plain_copy(wide, room=20) is None
    assert plain_copy({"a": 1, "b": 2}, room=1) is None
    doubling: Any = {}
    for _ in range(30):
        doubling = {"a": doubling, "b": [doubling] * 1000}
    assert plain_copy(doubling) is None


@both
@pytest.mark.requirement("data-plain")
@pytest.mark.parametrize(
    ("value", "message", "path"),
    [
        ({"a": [0, {"b": float("nan")}]}, "not a finite number", ("a", 1, "b")),
        ([float("inf")], "not a finite number", (0,)),
        ({"a": float("-inf")}, "not a finite number", ("a",)),
        ({"a": 10**4300}, "number too large", ("a",)),
        ([-(10**4300)], "number too large", (0,)),
        ({"a": "\ud800"}, "lone surrogate in a text", ("a",)),
        (["é\udfff"], "lone surrogate in a text", (0,)),
        ({"a": {"é\ud800": 1}}, "keys must be text", ("a",)),
        ({"a": {1: 2}}, "keys must be text", ("a",)),
        ({"a": {None: 2}}, "keys must be text", ("a",)),
        ({"a": deque([1])}, "expected plain JSON data, received deque", ("a",)),
        ({"a": 1j}, "expected plain JSON data, received complex", ("a",)),
        ([dict], "expected plain JSON data, received type", (0,)),
        ({"a": TwoFaced(b=1)}, "expected plain JSON data, received TwoFaced", ("a",)),
        ([TwoFacedList()], "expected plain JSON data, received TwoFacedList", (0,)),
        ([MappingProxyType(TwoFaced())], "expected plain JSON data, received TwoFaced", (0,)),
    ],
)
def test_what_is_not_plain_is_refused_with_its_path(
    copy: Callable[[Any], Any], value: Any, message: str, path: tuple[str | int, ...]
) -> None:
    assert refusal(copy, value) == (message, path)


@pytest.mark.requirement("data-plain")
@pytest.mark.parametrize("value", [(1, 2), b"x", {1}, Decimal(5), Shape.ROUND, Path(), object()])
def test_a_caller_hands_in_plain_data_only(value: Any) -> None:
    name = type(value).__name__
    assert refusal(snapshot, {"a": value}) == (f"expected plain JSON data, received {name}", ("a",))
    with pytest.raises(NotPlain) as caught:
        snapshot({"a": value})
    assert caught.value.issues == [
        Issue(f"expected plain JSON data, received {name}", ("a",), "json", received=name)
    ]


@both
def test_large_and_odd_but_plain_values_are_kept(copy: Callable[[Any], Any]) -> None:
    data: Any = {"é": "日本 😀", "n": [10**4299, -0.0, 2**64, True, False, None], "": {}, "l": [[]]}
    made = copy(data)
    assert made == data
    assert shape(made) == shape(data)
    assert str(made["n"][1]) == "-0.0"


@both
@pytest.mark.requirement("data-subclasses")
def test_subclasses_are_read_as_their_base_without_their_methods(
    copy: Callable[[Any], Any],
) -> None:
    data = [Row({"a": Text("b")}), Rows([Whole(5), Real(1.5)]), {"k": Text("é")}]
    made = copy(data)
    assert made == [{"a": "b"}, [5, 1.5], {"k": "é"}]
    assert shape(made) == shape([{"a": "b"}, [5, 1.5], {"k": "é"}])


class Key(str):
    """A key whose hash and equality are its own."""

    __slots__ = ()

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        return self is other


@both
def test_keys_become_exact_text_before_they_are_compared(copy: Callable[[Any], Any]) -> None:
    made = copy({"é": 1, Key("a"): 2})
    assert made == {"é": 1, "a": 2}
    assert shape(made) == shape({"é": 1, "a": 2})
    assert refusal(copy, {Key("a"): 1, "a": 2}) == ("key written twice", ())
    assert refusal(copy, [{Key("\ud800"): 1}]) == ("keys must be text", (0,))


@both
def test_well_known_mappings_are_read_as_the_dict_behind_them(copy: Callable[[Any], Any]) -> None:
    counted: defaultdict[str, int] = defaultdict(int, a=1)
    mappings = [OrderedDict(a=1), counted, Counter("a"), UserDict(a=1), MappingProxyType({"a": 1})]
    made = copy(mappings)
    assert made == [{"a": 1}] * 5
    assert shape(made) == shape([{"a": 1}] * 5)


@both
@pytest.mark.requirement("data-bounds")
def test_cycles_and_shared_parts_that_multiply_are_refused(copy: Callable[[Any], Any]) -> None:
    cycle: dict[str, Any] = {}
    cycle["again"] = cycle
    message, path = refusal(copy, cycle)
    assert message.startswith("nested deeper than ")
    assert set(path) == {"again"}
    doubling: Any = {}
    wide: Any = []
    for _ in range(30):
        doubling = {"a": doubling, "b": doubling}
        wide = [wide] * 1000
    assert refusal(copy, {"opts": doubling})[0] == "more than 524288 values"
    assert refusal(copy, wide)[0] == "more than 524288 values"


@pytest.mark.requirement("data-bounds")
def test_the_depth_is_counted_in_containers_and_settable() -> None:
    deep: Any = 1
    for _ in range(32):
        deep = {"a": deep}
    assert snapshot(deep) == deep
    assert refusal(snapshot, [deep]) == ("nested deeper than 32 levels", (0, *["a"] * 31))
    assert refusal(lambda value: snapshot(value, max_depth=1), [[]])[1] == (0,)
    assert refusal(lambda value: dumped(value, max_depth=1), {"a": {}})[1] == ("a",)
    assert dumped([deep]) == [deep]


@pytest.mark.parametrize(
    ("data", "exact"),
    [
        ({}, True),
        ({"a": None, "b": True, "c": 1, "d": 1.5, "e": "x", "f": "\ud55c"}, True),
        ({"a": [1, {"b": [[]]}], "c": {"d": 1}}, True),
        ({"a": {"b": Row()}}, False),
        ({"a": [Text("x")]}, False),
        ({"a": [1, OrderedDict()]}, False),
        ({"a": ["\ud800"]}, False),
        ({"\udfff": 1}, False),
        ({"a": "x" * 5000}, False),
    ],
)
def test_data_is_exact_if_every_type_in_it_is(data: Any, exact: bool) -> None:
    assert is_exact(data) is exact


class Point(NamedTuple):
    x: int
    y: float


@dataclass
class Inner:
    at: datetime


@dataclass
class Order:
    id: UUID
    lines: list[Inner]
    note: str | None = None
    kind: Shape = Shape.ROUND
    hidden: int = field(init=False)


AT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
ID = UUID("12345678-1234-5678-1234-567812345678")


@pytest.mark.requirement("data-table")
@pytest.mark.parametrize(
    ("value", "data"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (2.5, 2.5),
        ("é", "é"),
        ((1, (2,)), [1, [2]]),
        (Point(1, 2.0), [1, 2.0]),
        ({"b", "a"}, ["a", "b"]),
        (frozenset({10, 9, 2.5, "b", "a", None, (2, 1)}), [2.5, 9, 10, "a", "b", None, [2, 1]]),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Shape.PAIR, [1, "two"]),
        ({Colour.RED: 1, Shape.ROUND: 2}, {"red": 1, "round": 2}),
        ({ID: 1, date(2026, 1, 2): 2}, {str(ID): 1, "2026-01-02": 2}),
        (AT, "2026-11-20T09:30:00Z"),
        (AT.replace(tzinfo=None, microsecond=5), "2026-11-20T09:30:00.000005"),
        (AT.astimezone(timezone(timedelta(hours=2))), "2026-11-20T11:30:00+02:00"),
        (date(2026, 1, 2), "2026-01-02"),
        (time(9, 30, tzinfo=UTC), "09:30:00Z"),
        (Decimal("1.50"), "1.50"),
        (ID, str(ID)),
        (b"caf\xc3\xa9", "café"),
        (Path("a/b"), "a/b"),
        (PureWindowsPath("a\\b"), "a\\b"),
        (Inner(AT), {"at": "2026-11-20T09:30:00Z"}),
        ([(Inner(AT),)], [[{"at": "2026-11-20T09:30:00Z"}]]),
    ],
)
def test_a_result_is_dumped_by_the_table(value: Any, data: Any) -> None:
    made = dumped(value)
    assert made == data
    assert shape(made) == shape(data)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (timedelta(), "PT0S"),
        (timedelta(days=1, hours=2, minutes=30), "P1DT2H30M"),
        (timedelta(seconds=90), "PT1M30S"),
        (timedelta(days=-1), "-P1D"),
        (timedelta(microseconds=-1), "-PT0.000001S"),
        (timedelta(days=800, seconds=61, microseconds=500), "P800DT1M1.000500S"),
    ],
)
def test_a_duration_is_written_as_iso_8601_does(value: timedelta, text: str) -> None:
    assert dumped(value) == text


@given(st.timedeltas() | st.datetimes(timezones=st.none() | st.just(UTC)) | st.times() | st.dates())
def test_what_pydantic_reads_back_from_a_dumped_time_is_that_time(value: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(type(value))
    assert adapter.validate_python(dumped(value)) == value


@given(st.sets(st.integers() | st.text() | st.tuples(st.integers())), st.randoms())
def test_the_order_of_a_set_does_not_depend_on_how_it_was_made(
    members: set[Any], random: Any
) -> None:
    shuffled = list(members)
    random.shuffle(shuffled)
    assert dumped(set(shuffled)) == dumped(members)


class Broken(Exception):
    pass


async def coroutine() -> None: ...


def generator() -> Iterator[int]:
    yield 1


@pytest.mark.requirement("data-not-json")
@pytest.mark.requirement("pain-59")
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b"\xff", "bytes that are not UTF-8"),
        (Decimal("NaN"), "not a finite number"),
        (Decimal("Infinity"), "not a finite number"),
        (Path("\udc80"), "lone surrogate in a text"),
        (Broken("s3cret"), "expected plain JSON data, received Broken"),
        (threading.Lock(), "expected plain JSON data, received lock"),
        (generator(), "expected plain JSON data, received generator"),
        (boom, "expected plain JSON data, received function"),
        (object(), "expected plain JSON data, received object"),
        (bytearray(b"x"), "expected plain JSON data, received bytearray"),
        (Order, "expected plain JSON data, received type"),
        (Order(ID, []), "a field has no value"),
        ({1: 2}, "keys must be text"),
        ({Level.HIGH: 2}, "keys must be text"),
        ({Shape.ROUND: 1, "round": 2}, "key written twice"),
    ],
)
def test_a_result_that_is_not_json_is_refused_with_path_and_type(value: Any, message: str) -> None:
    assert refusal(dumped, {"a": [value]}) == (message, ("a", 0))
    with pytest.raises(NotJson):
        dumped(value)


@pytest.mark.requirement("data-not-json")
def test_a_coroutine_is_refused() -> None:
    forgotten = coroutine()
    assert refusal(dumped, [forgotten]) == ("expected plain JSON data, received coroutine", (0,))
    forgotten.close()


class Model:
    """Stands for an object of a vendor's."""

    def __init__(self, data: Any) -> None:
        self.data = data


def foreign(value: Any) -> Any:
    return value.data if isinstance(value, Model) else UNKNOWN


def test_foreign_objects_become_the_data_that_their_vendor_gives() -> None:
    assert dumped(Model({"at": (AT,)}), foreign=foreign) == {"at": ["2026-11-20T09:30:00Z"]}
    assert dumped({"a": [Model(None), Level.HIGH]}, foreign=foreign) == {"a": [None, 3]}
    assert dumped({Shape.ROUND: Inner(AT)}, foreign=foreign) == {
        "round": {"at": "2026-11-20T09:30:00Z"}
    }


def test_foreign_data_is_checked_like_any_other() -> None:
    def copy(value: Any) -> Any:
        return dumped(value, foreign=foreign)

    assert refusal(copy, [Model({"v": float("nan")})]) == ("not a finite number", (0, "v"))
    assert refusal(copy, [object()])[0] == "expected plain JSON data, received object"
    itself = Model(None)
    itself.data = itself
    assert refusal(copy, [itself]) == ("nested deeper than 200 levels", (0,))


def test_the_modules_of_the_table_are_imported_when_first_needed() -> None:
    program = (
        "import sys; from toolhaft.jsondata import dumped\n"
        "dumped({'a': [1]})\n"
        "print(sorted({'decimal', 'pathlib', 'uuid', 'dataclasses'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, 'src')\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "[]\n"
