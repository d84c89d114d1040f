"""Copies of plain JSON data, and results as JSON data: the accepted and the rejected values."""

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
from pathlib import Path, PureWindowsPath
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tests.plain_samples import (
    Colour,
    Level,
    Real,
    Row,
    Rows,
    Shape,
    Text,
    Whole,
    boom,
    plain,
    scramble,
    shape,
)
from toolhaft.jsonio.jsondata import UNKNOWN, NotJson, NotPlain, snapshot, to_exact, to_json_data
from toolhaft.spec import Issue

both = pytest.mark.parametrize("copy", [snapshot, to_json_data])


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


@given(plain)
def test_a_copy_is_equal_and_shares_no_container(data: Any) -> None:
    for copy in (snapshot, to_json_data):
        made = copy(data)
        assert json.dumps(made) == json.dumps(data)
        if isinstance(data, dict | list):
            before = json.dumps(data)
            scramble(made)
            assert json.dumps(data) == before


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
        ({"a": {"é\ud800": 1}}, "lone surrogate in a key", ("a",)),
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
    assert refusal(copy, [{Key("\ud800"): 1}]) == ("lone surrogate in a key", (0,))


@both
def test_well_known_mappings_are_read_as_the_dict_behind_them(copy: Callable[[Any], Any]) -> None:
    counted: defaultdict[str, int] = defaultdict(int, a=1)
    mappings = [OrderedDict(a=1), counted, Counter("a"), UserDict(a=1), MappingProxyType({"a": 1})]
    made = copy(mappings)
    assert made == [{"a": 1}] * 5
    assert shape(made) == shape([{"a": 1}] * 5)


@both
@pytest.mark.unmeasured
@pytest.mark.requirement("data-bounds")
def test_cycles_and_shared_parts_that_multiply_are_refused(copy: Callable[[Any], Any]) -> None:
    cycle: dict[str, Any] = {}
    cycle["again"] = cycle
    message, path = refusal(copy, cycle)
    assert message.startswith("nested deeper than ")
    assert set(path) == {"again"}
    doubling: Any = {}
    for _ in range(30):
        doubling = {"a": doubling, "b": doubling}
    wide: Any = [[[]] * 1000] * 1000
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
    assert refusal(lambda value: to_json_data(value, max_depth=1), {"a": {}})[1] == ("a",)
    assert to_json_data([deep]) == [deep]


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
    made = to_json_data(value)
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
    assert to_json_data(value) == text


@given(st.timedeltas() | st.datetimes(timezones=st.none() | st.just(UTC)) | st.times() | st.dates())
def test_what_pydantic_reads_back_from_a_dumped_time_is_that_time(value: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(type(value))
    assert adapter.validate_python(to_json_data(value)) == value


@given(st.sets(st.integers() | st.text() | st.tuples(st.integers())), st.randoms())
def test_the_order_of_a_set_does_not_depend_on_how_it_was_made(
    members: set[Any], random: Any
) -> None:
    shuffled = list(members)
    random.shuffle(shuffled)
    assert to_json_data(set(shuffled)) == to_json_data(members)


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
    assert refusal(to_json_data, {"a": [value]}) == (message, ("a", 0))
    with pytest.raises(NotJson):
        to_json_data(value)


@pytest.mark.parametrize(
    ("value", "received"), [(b"\xff", "bytes"), (Broken(), "Broken"), (Order(ID, []), "Order")]
)
def test_the_type_of_what_is_refused_is_named(value: Any, received: str) -> None:
    with pytest.raises(NotPlain) as caught:
        to_json_data([value])
    [issue] = caught.value.issues
    assert (issue.received, str(caught.value)) == (received, str(issue))


@pytest.mark.requirement("data-not-json")
def test_a_coroutine_is_refused() -> None:
    forgotten = coroutine()
    assert refusal(to_json_data, [forgotten]) == (
        "expected plain JSON data, received coroutine",
        (0,),
    )
    forgotten.close()


class Model:
    """Stands for an object of a vendor's."""

    def __init__(self, data: Any) -> None:
        self.data = data


def foreign(value: Any) -> Any:
    return value.data if isinstance(value, Model) else UNKNOWN


def test_foreign_objects_become_the_data_that_their_vendor_gives() -> None:
    assert to_json_data(Model({"at": (AT,)}), foreign=foreign) == {"at": ["2026-11-20T09:30:00Z"]}
    assert to_json_data({"a": [Model(None), Level.HIGH]}, foreign=foreign) == {"a": [None, 3]}
    assert to_json_data({Shape.ROUND: Inner(AT)}, foreign=foreign) == {
        "round": {"at": "2026-11-20T09:30:00Z"}
    }


def test_foreign_data_is_checked_like_any_other() -> None:
    def copy(value: Any) -> Any:
        return to_json_data(value, foreign=foreign)

    assert refusal(copy, [Model({"v": float("nan")})]) == ("not a finite number", (0, "v"))
    assert refusal(copy, [object()])[0] == "expected plain JSON data, received object"
    itself = Model(None)
    itself.data = itself
    assert refusal(copy, [itself]) == ("nested deeper than 200 levels", (0,))


def test_the_modules_of_the_table_are_imported_when_first_needed() -> None:
    program = (
        "import sys; from toolhaft.jsonio.jsondata import to_json_data\n"
        "to_json_data({'a': [1]})\n"
        "print(sorted({'decimal', 'pathlib', 'uuid', 'dataclasses'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, 'src')\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "[]\n"


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        return self.upper()


def test_a_subclass_of_text_or_of_a_number_is_read_as_its_base() -> None:
    assert [(type(one), one) for one in map(to_exact, (Loud("a"), Level.HIGH))] == [
        (str, "a"), (int, Level.HIGH.value)
    ]  # fmt: skip
    others: list[Any] = [True, None, "a", 1, 1.5, [1]]
    assert all(to_exact(one) is one for one in others)
