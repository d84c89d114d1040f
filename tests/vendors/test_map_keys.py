"""Two keys of a map that its type reads as one are refused: a person would be shown two entries."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Interface, IPv4Network, IPv6Address
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
import pydantic
import pytest

from tests.vendors.one_field import VENDORS, reading, sent, where
from toolhaft import Err, Ok, Prepared, tool
from toolhaft.schema.formats import FORMATS
from toolhaft.schema.map_keys import READERS
from toolhaft.spec import Issue

ANNOTATED = [name for name in VENDORS if name not in ("json-schema", "marshmallow", "voluptuous")]
# The type of keys, and the first two of three entries, whose keys are equal.
ROWS: list[tuple[Any, str, str]] = [
    (int, "0", "-0"),
    (float, "100", "1.00e2"),
    (Decimal, "1", "1.0"),
    (datetime, "2026-01-31T09:00Z", "2026-01-31 10:00:00+01:00"),
    (time, "09:00", "09:00:00.000"),
    (timedelta, "P1D", "PT24H"),
    (UUID, "123e4567-e89b-42d3-a456-426614174000", "123E4567-e89b-42d3-a456-426614174000"),
    (int | None, "0", "-0"),
    (int | Literal["all"], "0", "-0"),
    (int | float, "1", "1.0"),
]


@pytest.mark.requirement("view-law")
@pytest.mark.parametrize("name", ANNOTATED)
@pytest.mark.parametrize(
    ("tp", "first", "second"), ROWS, ids=lambda one: getattr(one, "__name__", "")
)
def test_two_keys_that_are_one_are_refused_alike_by_all_validators(
    name: str, tp: Any, first: str, second: str
) -> None:
    made = reading(name, dict[tp, int])
    outcome = made.call_sync(sent(name, {first: 1, second: 2}))
    assert isinstance(outcome, Err)
    words = "entries 1 and 2 have the same key, keep one of them"
    assert outcome.issues == (Issue(words, where(name), "value"),)
    for key in (first, second):
        assert isinstance(made.prepare(sent(name, {key: 1})), Prepared), key


def test_entries_are_counted_as_they_were_sent_and_one_map_has_one_issue() -> None:
    def count(stock: list[dict[int, int]]) -> int:
        return len(stock)

    made = tool(count, description="Count.")
    outcome = made.call_sync('{"stock": [{"1": 1}, {"7": 1, "-0": 2, "0": 3, "8": 4}]}')
    words = "entries 2 and 3 have the same key, keep one of them"
    assert isinstance(outcome, Err)
    assert outcome.issues == (Issue(words, ("stock", 1), "value"),)
    assert made.call_sync({"stock": [{"1": 1}, {"0": 2, "-1": 3}]}).unwrap() == 2


def test_no_person_is_asked_about_two_keys_that_are_one() -> None:
    def count(stock: dict[int, int]) -> dict[int, int]:
        return stock

    made = tool(count, description="Count.", requires_approval=True)
    outcome = made.call_sync({"stock": {"0": 1, "-0": 2}})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.prepared) == ("invalid_input", None)


def test_keys_that_are_text_are_different_however_alike_they_look() -> None:
    class Stock(pydantic.BaseModel):
        plain: dict[str, int] = {}
        either: dict[int | str, int] = {}
        lower: dict[Annotated[str, pydantic.StringConstraints(min_length=1)], int] = {}

    made = tool(lambda stock: stock, name="t", description="d", input=Stock, output=None)
    for field in ("plain", "either", "lower"):
        entries = {"0": 1, "-0": 2}
        assert getattr(made.call_sync({field: entries}).unwrap(), field) == entries
    schema = {"type": "object", "propertyNames": {"format": "uuid"}}
    raw = tool(lambda given: given, name="t", description="d", input=schema)
    entries = dict.fromkeys(next(keys for tp, *keys in ROWS if tp is UUID), 1)
    assert raw.call_sync(entries).unwrap() == entries


@pytest.mark.parametrize(
    ("tp", "keys"),
    [
        (bool, ("true", "1")),
        (Decimal, ("1.5", "1_5")),
        (int | None, ("1", "01")),
        (int | None, ("1", "null")),
        (int | Literal["all"], ("all", "1_0")),
        (Literal["all"] | Annotated[int, pydantic.Field(ge=1)], ("1", "+1")),
        (UUID | datetime, ("2026-01-31T09:00Z", "1767225600")),
    ],
)
def test_keys_of_pydantics_have_the_one_form_of_values(tp: Any, keys: tuple[str, str]) -> None:
    def count(stock: Any) -> Any:
        return stock

    count.__annotations__ = {"stock": dict[tp, int], "return": dict[tp, int]}
    made = tool(count, description="Count.")
    assert [bool(made.call_sync({"stock": {key: 1}})) for key in keys] == [True, False]


def test_a_null_among_the_keys_of_a_result_is_written_as_text() -> None:
    @tool
    def count() -> dict[int | None, int]:
        """Count."""
        return {1: 1, None: 2}

    outcome = count.call_sync()
    assert isinstance(outcome, Ok)
    assert (outcome.value, outcome.json) == ({1: 1, None: 2}, {"1": 1, "None": 2})


def test_a_key_of_another_branch_of_a_union_is_no_fault() -> None:
    def count(stock: dict[int, int] | dict[datetime, int]) -> int:
        return len(stock)

    made = tool(count, description="Count.")
    assert made.call_sync({"stock": {"2026-01-31T09:00": 1, "2026-01-31T10:00": 2}}).unwrap() == 2
    twice = made.call_sync({"stock": {"2026-01-31T09:00": 1, "2026-01-31 09:00": 2}})
    assert isinstance(twice, Err)


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("form", "tp"),
    [("date-time", datetime), ("duration", timedelta), ("uuid", UUID), ("ipv6", IPv6Address)],
)
def test_keys_are_equal_here_where_they_are_equal_as_pydantic_reads_them(
    form: str, tp: Any
) -> None:
    read, adapter, random = READERS[form], pydantic.TypeAdapter(tp), Random(form)
    texts = [FORMATS[form].draw(random) for _ in range(300)]
    texts += [text.lower().replace("t", "T") for text in texts] + ["PT24H", "P1D", "P2W", "P14D"]
    theirs: dict[Any, set[str]] = {}
    ours: dict[Any, set[str]] = {}
    for text in texts:
        try:
            theirs.setdefault(adapter.validate_strings(text), set()).add(text)
        except pydantic.ValidationError:
            continue
        ours.setdefault(read(text), set()).add(text)
    assert sorted(map(sorted, ours.values())) == sorted(map(sorted, theirs.values()))
    assert len(ours) > 2


@pytest.mark.parametrize(
    ("tp", "first", "second"),
    [
        (IPv6Address, "::1", "0:0::1"),
        (IPv4Interface, "192.0.2.1", "192.0.2.1/32"),
        (IPv4Network, "10.0.0.0/8", "10.0.0.0/255.0.0.0"),
        (Path, "a/b", "a//./b"),
        (pydantic.FilePath, __file__, f"/{__file__}".replace("//", "/./")),
        (pydantic.HttpUrl, "http://a", "HTTP://A:80/"),
        (pydantic.PostgresDsn, "postgres://a:b@c/d", "POSTGRES://a:b@c/d"),
        (pydantic.HttpUrl | None, "http://a", "http://a/"),
        (UUID | Literal["a"], str(UUID(int=10)), str(UUID(int=10)).upper()),
    ],
)
def test_paths_and_addresses_are_compared_as_what_they_are(
    tp: Any, first: str, second: str
) -> None:
    made = reading("pydantic", dict[tp, int])
    outcome = made.call_sync({"x": {first: 1, second: 2}})
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [("x",)]
    assert isinstance(made.prepare({"x": {first: 1}}), Prepared)


def test_bytes_in_the_base64_of_keys_are_compared_as_bytes() -> None:
    class Chunks(msgspec.Struct):
        sizes: dict[bytes, int]

    made = tool(lambda chunks: chunks, name="t", description="d", input=Chunks, output=None)
    assert made.call_sync({"sizes": {"YQ==": 1, "Yg==": 2}}).unwrap().sizes == {b"a": 1, b"b": 2}
    assert isinstance(made.call_sync({"sizes": {"YQ==": 1, "YR==": 2}}), Err)


class Stripped(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(str_strip_whitespace=True)

    prices: dict[str, int] = {}


class Lowered(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(str_to_lower=True)

    stripped: Stripped = Stripped()
    prices: dict[str, int] = {}
    exact: dict[Annotated[str, pydantic.StringConstraints(to_lower=False)], int] = {}


UPPER = Annotated[str, pydantic.StringConstraints(to_upper=True)]


@pytest.mark.requirement("view-law")
@pytest.mark.parametrize(
    ("tp", "data"),
    [
        (Stripped, {"prices": {" tea": 1, "tea": 2}}),
        (Lowered, {"prices": {"Tea": 1, "tea": 2}}),
        (Lowered, {"stripped": {"prices": {"tea ": 1, "tea": 2}}}),
        (dict[UPPER, int], {"Tea": 1, "tea": 2}),
    ],
)
def test_keys_that_a_setting_makes_one_are_refused(tp: Any, data: Any) -> None:
    called = tool(lambda data: data, name="keep", description="Keep.", input=tp)
    outcome = called.call_sync(data)
    assert isinstance(outcome, Err)
    words = "entries 1 and 2 have the same key, keep one of them"
    assert [issue.message for issue in outcome.issues] == [words]


@pytest.mark.parametrize(
    ("tp", "data"),
    [
        (Stripped, {"prices": {"Tea": 1, "tea": 2}}),
        (Lowered, {"exact": {"Tea": 1, "tea": 2}}),
        (Lowered, {"stripped": {"prices": {"Tea": 1, "tea": 2}}}),
    ],
)
def test_a_setting_changes_the_keys_of_its_own_class_alone(tp: Any, data: Any) -> None:
    assert tool(lambda data: data, name="keep", description="Keep.", input=tp).call_sync(data)
