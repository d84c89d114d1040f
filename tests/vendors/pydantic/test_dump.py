"""Results are written as pydantic writes them, unless that is more or less than JSON."""

from __future__ import annotations

import math
import threading
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    SecretBytes,
    SecretStr,
    TypeAdapter,
    field_serializer,
)
from pydantic.dataclasses import dataclass as checked_dataclass

from toolhaft.jsonio.jsondata import NotJson
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import Rejected
from toolhaft.vendors.pydantic import adapter as pydantic
from toolhaft.vendors.pydantic.dump import explain_unwritten, scalar_writer


def dumped(tp: Any, value: Any) -> Any:
    return pydantic.adapter(tp).dump(value)


def reason(tp: Any, value: Any) -> str:
    """Why a value has no JSON form, or is not what its schema says."""
    adapter = pydantic.adapter(tp)
    try:
        data = adapter.dump(value)
    except Rejected as error:
        (issue,) = error.issues
        assert issue.code == "json"
        return issue.message
    assert not adapter.checker("output").is_valid(data)
    return "not what the schema says"


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Loose(BaseModel):
    anything: Any = None
    several: list[Any] = []
    named: dict[str, Any] = {}


class Typed(BaseModel):
    span: timedelta = timedelta()
    secret: SecretStr = SecretStr("x")
    words: set[str] = set()
    sets: list[frozenset[int]] = []
    colors: dict[Color, set[str]] = {}


class Written(BaseModel):
    model_config = ConfigDict(ser_json_timedelta="float")
    span: timedelta
    at: Any = Field(None, serialization_alias="place")

    @field_serializer("at")
    def text(self, at: Any) -> str:
        return f"at {at}"


@pytest.mark.parametrize(
    ("tp", "value", "data"),
    [
        (Typed, Typed(words={"c", "a", "b"}), ["a", "b", "c"]),
        (set[int], {10, 9, 1, 100}, [1, 9, 10, 100]),
        (list[set[int]], [{3, 1}, {2}], [[1, 3], [2]]),
        (dict[str, frozenset[str]], {"x": frozenset({"b", "a"})}, {"x": ["a", "b"]}),
        (set[Color], {Color.RED, Color.BLUE}, ["blue", "red"]),
    ],
)
def test_a_set_has_one_order_in_every_process(tp: Any, value: Any, data: Any) -> None:
    found = dumped(tp, value)
    assert (found["words"] if tp is Typed else found) == data


def test_a_declared_type_is_written_by_its_library_and_its_author() -> None:
    made = dumped(Typed, Typed(span=timedelta(days=400), secret=SecretStr("s3cret")))
    assert (made["span"], made["secret"]) == ("P1Y35D", "**********")
    assert dumped(Written, Written(span=timedelta(minutes=1), at=UUID(int=1))) == {
        "span": 60.0,
        "place": f"at {UUID(int=1)}",
    }
    assert dumped(TypeAdapter(int), 5) == 5


@pytest.mark.parametrize("hold", ["anything", "several", "named"])
@pytest.mark.parametrize(
    ("value", "data"),
    [
        (timedelta(days=400, seconds=90), "P400DT1M30S"),
        ({"b", "a"}, ["a", "b"]),
        (Color.RED, "red"),
        (b"text", "text"),
        (Loose(anything=Color.RED), {"anything": "red", "several": [], "named": {}}),
        ({"a": [(1, 2)]}, {"a": [[1, 2]]}),
    ],
)
def test_undeclared_values_are_written_by_the_table_of_results(
    hold: str, value: Any, data: Any
) -> None:
    held = {"anything": value, "several": [value], "named": {"k": value}}[hold]
    written = {"anything": data, "several": [data], "named": {"k": data}}[hold]
    assert dumped(Loose, Loose.model_validate({hold: held}))[hold] == written


@pytest.mark.parametrize("hold", ["anything", "several", "named"])
@pytest.mark.parametrize(
    ("value", "why"),
    [
        (math.nan, "not a finite number"),
        (SecretStr("secret"), "expected plain JSON data, received SecretStr"),
        (1j, "expected plain JSON data, received complex"),
        (threading.Lock(), "expected plain JSON data, received lock"),
        (ValueError("secret"), "expected plain JSON data, received ValueError"),
    ],
)
def test_an_undeclared_result_that_is_no_json_is_withheld(hold: str, value: Any, why: str) -> None:
    held: dict[str, Any] = {"anything": value, "several": [value], "named": {"k": value}}
    assert reason(Loose, Loose.model_construct(None, **{hold: held[hold]})) == why


def test_a_declared_number_that_is_none_is_no_result() -> None:
    class Numbered(BaseModel):
        share: float
        maybe: float | None = None

    for wrong in (math.nan, math.inf):
        for made in (Numbered(share=wrong), Numbered(share=1.0, maybe=wrong)):
            data = pydantic.adapter(Numbered).dump(made)
            assert any(value is not None and not math.isfinite(value) for value in data.values())


def test_an_object_that_holds_itself_has_no_json_form() -> None:
    held: list[Any] = []
    held.append(held)
    assert reason(list[Any], held) == "it holds itself"


def test_a_dataclass_without_a_value_gets_its_own_message() -> None:
    @checked_dataclass
    class Gap:
        n: int

    made = Gap(n=1)
    del made.n
    assert reason(Gap, made) == "a field has no value"


def test_bytes_that_are_no_text_have_no_json_form() -> None:
    assert reason(bytes, b"\xff") == "bytes that are not UTF-8"


def test_an_exception_of_an_authors_serializer_is_raised_unchanged() -> None:
    class Broken(BaseModel):
        n: int

        @field_serializer("n")
        def write(self, n: int) -> int:
            raise LookupError("a bug")

    with pytest.raises(LookupError, match="a bug"):
        dumped(Broken, Broken(n=1))


def test_an_error_without_a_cause_has_a_bare_message() -> None:
    from pydantic_core import PydanticSerializationError

    assert explain_unwritten(PydanticSerializationError("secret")) == "not JSON data"


def test_an_unknown_object_is_an_issue_of_the_dump() -> None:
    with pytest.raises(Rejected) as caught:
        dumped(list[Any], [object()])
    assert caught.value.issues == [Issue("expected plain JSON data, received object", code="json")]


class Counts(BaseModel):
    by_word: dict[str, int]


class Shaped(BaseModel):
    at: int = 1

    @field_serializer("at", when_used="json")
    def count(self, at: int) -> dict[str, int]:
        return {"\ud800": at}


LONE: dict[str, int] = dict(zip("\ud800\udfff", (1, 2), strict=True))
REPLACED = {"\ufffd" * 3: 1, "b": 2}


@pytest.mark.requirement("data-not-json")
@pytest.mark.parametrize(
    ("tp", "value"),
    [
        (Counts, Counts(by_word=LONE)),
        (Counts, Counts(by_word={"\ud800": 1, **REPLACED})),
        (dict[str, Counts], {"a": Counts(by_word=REPLACED), "\udfff": Counts(by_word={})}),
        (list[dict[str, timedelta]], [{"\ud800": timedelta(1)}]),
        (dict[str, set[str]], {"\ud800": {"b", "a"}}),
        (dict[str | int, Counts], {"\ud800": Counts(by_word={})}),
        (dict[Any, int], {"\ud800": 1}),
        (Shaped, Shaped()),
    ],
)
def test_a_key_is_never_written_with_a_replacement_for_a_lone_surrogate(
    tp: Any, value: Any
) -> None:
    assert reason(tp, value) == "lone surrogate in a key"


@pytest.mark.requirement("data-not-json")
@pytest.mark.parametrize(
    ("tp", "value", "data"),
    [
        (Counts, Counts(by_word=REPLACED), {"by_word": REPLACED}),
        (list[dict[str, timedelta]], [{"\ufffd": timedelta(1)}], [{"\ufffd": "P1D"}]),
        (dict[str, dict[Color, str]], {"a": {Color.RED: "\ufffd"}}, {"a": {"red": "\ufffd"}}),
    ],
)
def test_a_replacement_that_was_in_a_key_or_a_value_stays(tp: Any, value: Any, data: Any) -> None:
    assert dumped(tp, value) == data


def test_text_with_a_lone_surrogate_beside_a_map_is_left_to_the_check_of_the_dump() -> None:
    assert dumped(dict[str, dict[str, str]], {"a": {"b": "\ud800"}}) == {"a": {"b": "\ud800"}}


class Size(Enum):
    S = 1


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (AnyUrl("https://example.org/a"), "https://example.org/a"),
        (IPv4Address("127.0.0.1"), "127.0.0.1"),
        (ZoneInfo("UTC"), "UTC"),
        (b"text", "text"),
        (Size.S, 1),
    ],
)
def test_written_data_are_read_back_as_the_same(value: Any, data: Any) -> None:
    assert scalar_writer({})(value) == data
    assert TypeAdapter(type(value)).validate_python(data) == value


def test_a_decimal_keeps_its_digits() -> None:
    assert str(scalar_writer({})(Decimal("1.10"))) == "1.10"


@pytest.mark.parametrize(("form", "text"), [("base64", "_wA="), ("hex", "ff00")])
def test_bytes_are_text_as_the_class_reads_them(form: str, text: str) -> None:
    assert scalar_writer({"val_json_bytes": form})(b"\xff\x00") == text


@pytest.mark.parametrize("secret", [SecretStr("sesame"), SecretBytes(b"sesame"), object()])
def test_a_secret_has_no_json_form(secret: Any) -> None:
    with pytest.raises(NotJson):
        scalar_writer({})(secret)
