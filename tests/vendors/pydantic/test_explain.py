"""pydantic's errors come out in our words, at exact paths, without values or class names."""

from __future__ import annotations

import inspect
from datetime import date, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Interface, ip_address
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    AnyUrl,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    FutureDatetime,
    IPvAnyNetwork,
    Json,
    PastDate,
    StringConstraints,
    Tag,
    create_model,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from tests.vendors.pydantic.samples import (
    Aliased,
    Checked,
    Color,
    Flat,
    Level,
    Open,
    Pair,
    Pet,
    Plain,
    Tree,
)
from toolhaft import tool
from toolhaft.spec import Failure, Issue
from toolhaft.vendors.pydantic import adapter as pydantic


def issues(tp: Any, data: Any) -> list[Issue]:
    result = pydantic.adapter(tp).validate(data)
    assert isinstance(result, Failure)
    return list(result.issues)


def words(tp: Any, data: Any) -> list[str]:
    return [str(issue) for issue in issues(tp, data)]


@pytest.mark.parametrize(
    ("tp", "expected"),
    [
        (IPv4Address, "an IPv4 address, such as 192.0.2.1"),
        (IPv6Interface, "an IPv6 address with a prefix, such as 2001:db8::1/32"),
        (IPv4Network | None, "an IPv4 network without host bits, such as 192.0.2.0/24"),
        (IPvAnyNetwork, "a network without host bits, such as 192.0.2.0/24"),
        (
            IPv4Address | IPv6Address,
            "an IPv4 address, such as 192.0.2.1 or an IPv6 address, such as 2001:db8::1",
        ),
    ],
)
def test_an_address_is_checked_by_its_format_and_never_quoted(tp: Any, expected: str) -> None:
    model = create_model("Host", at=(tp, ...))
    assert words(model, {"at": "10.0.0.1/33"}) == [f"at: expected {expected}"]


def test_an_author_who_reads_an_address_speaks_in_their_own_words() -> None:
    read = Annotated[str, AfterValidator(lambda text: str(ip_address(text)))]
    model = create_model("Host", at=(read, ...))
    assert words(model, {"at": "soon"}) == [
        "at: 'soon' does not appear to be an IPv4 or IPv6 address"
    ]


def ge(bound: Any) -> Any:
    return Annotated[float, Field(ge=bound)]


def digits(**constraints: Any) -> Any:
    return Annotated[Decimal, Field(**constraints)]


@pytest.mark.requirement("vendor-one-error-language")
@pytest.mark.parametrize(
    ("tp", "data", "code", "message"),
    [
        (int, "x", "type", "expected integer, received string"),
        (int | None, "x", "type", "expected integer or null, received string"),
        (int | str | None, [], "type", "expected integer, string or null, received array"),
        (bool, 1, "type", "expected boolean, received integer"),
        (float, None, "type", "expected number, received null"),
        (set[int], {}, "type", "expected array of integers, such as [1]"),
        (dict[str, int], [], "type", "expected object of integers"),
        (Flat, 1.5, "type", "expected object {a}"),
        (Decimal, True, "type", "expected a decimal number, such as 12.50"),
        (Decimal, "x", "format", "expected a decimal number, such as 12.50"),
        (ge(2), 1, "value", "expected at least 2"),
        (ge(2.5), 1, "value", "expected at least 2.5"),
        (Annotated[int, Field(gt=2)], 1, "value", "expected more than 2"),
        (Annotated[int, Field(lt=2)], 3, "value", "expected less than 2"),
        (Annotated[int, Field(le=2)], 3, "value", "expected at most 2"),
        (Annotated[int, Field(multiple_of=5)], 3, "value", "expected a multiple of 5"),
        (Annotated[str, Field(min_length=2)], "", "value", "expected at least 2 characters"),
        (Annotated[str, Field(max_length=1)], "ab", "value", "expected at most 1 character"),
        (Annotated[list[int], Field(min_length=1)], [], "value", "expected at least 1 item"),
        (
            Annotated[dict[str, int], Field(min_length=1)],
            {},
            "value",
            "expected at least 1 key",
        ),
        (digits(max_digits=2), "1.23", "value", "expected at most 2 digits"),
        (digits(decimal_places=1), "1.23", "value", "expected at most 1 decimal places"),
        (digits(max_digits=3, decimal_places=2), "12", "value", "expected at most 1 whole digits"),
        (digits(ge=Decimal("2.50")), "1", "value", "expected at least 2.50"),
        (digits(multiple_of=2), "1", "value", "expected a multiple of 2"),
        (
            Annotated[date, Field(gt=date(2024, 1, 1))],
            "2024-01-01",
            "value",
            "expected more than 2024-01-01",
        ),
        (PastDate, "9999-01-01", "value", "expected a date in the past"),
        (FutureDatetime, "1999-01-01T00:00", "value", "expected a time in the future"),
        (set[int], [1, 1], "value", "expected no duplicate items"),
        (Literal["a", "b"], "c", "enum", 'expected one of "a", "b"'),
        (Literal[1], 2, "enum", "expected 1"),
        (Color, "c", "enum", 'expected one of "a", "b"'),
        (Level, 3, "enum", "expected one of 1, 2"),
        (
            Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"],
            "0",
            "enum",
            'expected one of "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"',
        ),
        (Annotated[str, Field(pattern="^a$")], "b", "format", "expected string that matches ^a$"),
        (
            Annotated[str, Field(pattern="a" * 80)],
            "b",
            "format",
            f"expected string that matches {'a' * 60}...",
        ),
        (AnyUrl, "nope", "format", "expected a URI, such as https://example.com/"),
        (timedelta, "3600", "format", "expected an ISO duration, such as PT1H30M"),
        (timedelta, "soon", "format", "expected an ISO duration, such as PT1H30M"),
        (Pet, {"k": "cow"}, "enum", 'expected one of "cat", "dog"'),
    ],
)
def test_a_fault_has_its_code_and_its_words(tp: Any, data: Any, code: str, message: str) -> None:
    assert [(issue.code, issue.message) for issue in issues(tp, data)] == [(code, message)]


class House(BaseModel):
    model_config = ConfigDict(extra="forbid")
    pets: list[Pet] = []
    count: int | list[Flat] = 0
    by_name: dict[str, Flat | int] = {}
    pair: Pair | None = None
    plain: Plain | None = None
    checked: Checked | None = None
    tree: Tree | None = None
    alias: Aliased | None = None
    more: Open | None = None
    key: dict[int, tuple[int, str]] = {}


@pytest.mark.requirement("vendor-exact-paths")
@pytest.mark.parametrize(
    ("data", "found"),
    [
        (
            {"pets": [{"k": "cat", "lives": "9"}]},
            ["pets.0.lives: expected integer, received string"],
        ),
        (
            {"pets": [{"k": "dog", "bark": True}, {"k": "dog", "bark": 1, "dog": {"bark": 2}}]},
            ["pets.1.bark: expected boolean, received integer"],
        ),
        (
            {"count": [{"a": 1}, {"a": "x"}]},
            ["count.1.a: expected integer, received string"],
        ),
        (
            {"by_name": {"int": {"a": "x"}}},
            ["by_name.int.a: expected integer, received string"],
        ),
        ({"pair": ["x"]}, ["pair.0: expected integer, received string"]),
        ({"plain": {"a": 1, "t": [1, 2]}}, ["plain.t.1: expected string, received integer"]),
        ({"checked": {"a": 1, "s": ["q", 1]}}, ["checked.s.1: expected string, received integer"]),
        ({"tree": {"v": 1, "kids": [{"v": 2, "kids": [{}]}]}}, ["tree.kids.0.kids.0.v: required"]),
        ({"alias": {}}, ["alias: expected object {theA} or null"]),
        ({"alias": {"theA": 1, "bb": "x"}}, ["alias.bb: expected integer, received string"]),
        ({"more": {"a": 1, "z": "q"}}, ["more.z: expected integer, received string"]),
        ({"key": {"x": [1, "a"]}}, ["key.x: keys must be integers"]),
        ({"key": {"1": ["a", 1]}}, [
            "key.1.0: expected integer, received string",
            "key.1.1: expected string, received integer",
        ]),
        ({"kee": 1}, ["kee: unknown (did you mean key?)"]),
    ],
)  # fmt: skip
def test_a_path_leads_into_the_data_and_names_no_branch(data: Any, found: list[str]) -> None:
    assert words(House, data) == found


class Spread(BaseModel):
    """It is written as text, and read as two numbers."""

    first: Annotated[int, Field(le=5)]
    last: int

    @model_validator(mode="before")
    @classmethod
    def split(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return dict(zip(("first", "last"), value.split("-"), strict=False))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ("1-x", ["0: expected object {first, last}"]),
        ("1", ["0: expected object {first, last}"]),
        ("9-1", ["0: expected at most 5"]),
        ({"first": 9, "last": 1}, ["0.first: expected at most 5"]),
        ({"first": 1}, ["0.last: required"]),
    ],
)
def test_a_path_that_an_author_made_up_ends_where_the_data_do(data: Any, found: list[str]) -> None:
    assert words(list[Spread], [data]) == found


class Emptied(BaseModel):
    """Its validator loses the sent value."""

    n: int

    @model_validator(mode="before")
    @classmethod
    def lose(cls, value: Any) -> Any:
        return {}


def test_a_key_that_an_author_lost_is_required_at_its_own_place() -> None:
    assert words(list[Emptied], [{"n": 1}]) == ["0.n: required"]
    assert words(list[Emptied], [5]) == ["0: expected object {n}"]


class Parsed(BaseModel):
    few: Annotated[int, Field(le=5), BeforeValidator(lambda v: int(v) if v.isdigit() else v)]
    kind: Annotated[Literal["a", "b"], BeforeValidator(lambda v: v)] = "a"
    some: Annotated[int | None, BeforeValidator(lambda v: v)] = None


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"few": "9"}, ["few: expected at most 5"]),
        ({"few": "x"}, ["few: expected integer, received string"]),
        ({"few": "1", "kind": 5}, ['kind: expected one of "a", "b"']),
        ({"few": "1", "some": "x"}, ["some: expected integer or null, received string"]),
    ],
)
def test_behind_an_authors_function_a_fault_has_the_words_of_the_schema(
    data: Any, found: list[str]
) -> None:
    assert words(Parsed, data) == found


class Guarded(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def judge(cls, n: int) -> int:
        if n == 1:
            raise ValueError("one is too few")
        if n == 2:
            raise AssertionError
        if n == 3:
            raise PydanticCustomError("three", "three is {word}", {"word": "a crowd"})
        if n == 4:
            raise ValueError("x" * 1_000)
        return n


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (1, "one is too few"),
        (2, "refused"),
        (3, "three is a crowd"),
        (4, "x" * 299 + "…"),
    ],
)
def test_an_authors_own_words_are_shown_and_bounded(n: int, message: str) -> None:
    (issue,) = issues(Guarded, {"n": n})
    assert (issue.code, issue.message, issue.path) == ("custom", message, ("n",))


def test_neither_the_value_nor_a_class_or_a_link_is_in_an_issue() -> None:
    found = issues(House, {"pets": [{"k": "s3cret"}], "count": "s3cret", "tree": {"v": "s3cret"}})
    text = repr(found)
    assert not any(word in text for word in ("s3cret", "House", "Cat", "Tree", "https://"))


def test_a_message_of_pydantics_own_is_not_shown() -> None:
    assert words(Json[int], "{") == ["expected text that holds JSON: integer"]
    assert words(AnyUrl, "http://") == ["expected a URI, such as https://example.com/"]


def test_text_that_holds_json_is_described_with_its_content() -> None:
    expected = ["expected text that holds JSON: array of integers"]
    assert words(Json[list[int]], '[1,"a"]') == expected
    assert words(Json[list[int]], '{"a": 1}') == expected
    assert words(Json, "{") == ["expected text that holds JSON"]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({}, "expected a decimal number, such as 12.50"),
        ({"lt": 1}, "expected a decimal number below 1, such as 0.50"),
        ({"ge": 20}, "expected a decimal number from 20, such as 20.00"),
        ({"lt": -3}, "expected a decimal number below -3, such as -3.50"),
        ({"gt": 0, "lt": Decimal("0.001")}, "expected a decimal number above 0 below 0.001"),
    ],
)
def test_the_example_of_a_decimal_keeps_its_bounds(bounds: Any, expected: str) -> None:
    gate = pydantic.adapter(Annotated[Decimal, Field(**bounds)]).input.gate
    assert [str(issue) for issue in gate.issues(None)] == [expected]


def test_a_value_that_is_not_text_gets_the_issue_that_text_holds_json() -> None:
    gate = pydantic.adapter(Json[int]).input.gate
    assert [str(it) for it in gate.issues(5)] == ["expected text that holds JSON: integer"]


class Cash(BaseModel):
    kind: Literal["cash"] = "cash"


class Card(BaseModel):
    kind: Literal["card"] = "card"
    number: str = ""


def test_a_tag_with_a_default_is_required_all_the_same_and_named() -> None:
    payment: Any = Annotated[Cash | Card, Field(discriminator="kind")]
    (issue,) = issues(payment, {"number": "1"})
    assert (issue.path, issue.message) == (("kind",), 'required, one of "cash", "card"')


@pytest.mark.skipif(
    "ascii_only" not in inspect.signature(StringConstraints).parameters,
    reason="pydantic has it from 2.13 on",
)
def test_a_message_that_has_no_words_of_ours_is_not_shown() -> None:
    constraints: Any = StringConstraints
    assert words(Annotated[str, constraints(ascii_only=True)], "ü") == ["not accepted"]


class Place(BaseModel):
    name: str = Field(alias="placeName")


class Trip(BaseModel):
    to: Annotated[Place | None, BeforeValidator(lambda value: value)]


def test_an_optional_object_behind_a_validator_is_explained_as_the_object() -> None:
    book = tool(lambda trip: None, name="book", description="Book.", input=Trip)

    outcome = book.call_sync({"to": {"name": "Rome"}})

    assert outcome.text == (
        "Please rewrite the input with valid arguments. Errors: to.placeName: required; "
        "to.name: unknown (did you mean placeName?)"
    )


class Encoded(BaseModel):
    model_config = ConfigDict(val_json_bytes="hex")

    digits: bytes


def test_text_of_bytes_is_described_with_its_encoding_and_counted_in_bytes() -> None:
    assert words(Encoded, {"digits": "zz"}) == ["digits: expected hex text, such as 6a"]
    assert words(Annotated[bytes, Field(max_length=2)], "éé") == ["expected at most 2 bytes"]


class Inch(BaseModel):
    inches: int
    kind: str


class Metre(BaseModel):
    metres: int
    kind: str


def kind_of(value: Any) -> Any:
    return value.get("kind") if isinstance(value, dict) else None


def test_a_functions_error_in_a_union_is_reported_by_its_branches() -> None:
    lengths: Any = Annotated[Inch, Tag("in")] | Annotated[Metre, Tag("m")]
    (issue,) = issues(Annotated[lengths, Discriminator(kind_of)], {"metres": 1, "kind": "km"})
    assert (issue.code, issue.path, issue.vendor_code) == ("union", (), "union_tag_invalid")
    assert issue.message == "expected object {inches, kind} or object {metres, kind}"


class Guessed(BaseModel):
    model_config = ConfigDict(validate_default=True)

    count: int = "some"  # type: ignore[assignment]
    how_many: int = Field("more", alias="howMany")  # type: ignore[assignment]


def not_none(value: Any) -> Any:
    if value is None:
        raise ValueError("give one")
    return value


class Demanded(BaseModel):
    one: Annotated[int | None, AfterValidator(not_none), Field(validate_default=True)] = None


def test_a_key_whose_default_is_refused_is_required() -> None:
    assert words(Guessed, {}) == ["count: required", "howMany: required"]
    assert words(list[Guessed], [{"count": 1}]) == ["0.howMany: required"]
    assert words(Demanded, {}) == ["give one"]


def below_ten(value: int) -> int:
    if value >= 10:
        raise ValueError("too many")
    return value


Few = Annotated[int, AfterValidator(below_ten)]
BY_NAME = ConfigDict(loc_by_alias=False, validate_by_name=True)


class Swapped(BaseModel):
    model_config = BY_NAME

    a: Few = Field(alias="b")
    b: Few = Field(alias="a")


class Line(BaseModel):
    model_config = BY_NAME

    how_many: Few = Field(alias="howMany")
    kept_as: Annotated[int, BeforeValidator(lambda value: value)] = Field(0, alias="keptAs")


class Order(BaseModel):
    order_lines: list[Line] = Field([], alias="orderLines")
    by_name: dict[str, Line] = Field({}, alias="byName")


@pytest.mark.parametrize(
    ("tp", "data", "path"),
    [
        (Swapped, {"a": 1, "b": 10}, ("b",)),
        (Swapped, {"a": 10, "b": 1}, ("a",)),
        (Line, {"howMany": 10}, ("howMany",)),
        (Line, {"howMany": 1, "keptAs": "s"}, ("keptAs",)),
        (Order, {"orderLines": [{"howMany": 1}, {"howMany": 10}]}, ("orderLines", 1, "howMany")),
        (Order, {"byName": {"how_many": {"howMany": 10}}}, ("byName", "how_many", "howMany")),
    ],
)
def test_a_path_has_the_keys_that_were_sent_where_pydantic_names_fields(
    tp: Any, data: Any, path: tuple[str | int, ...]
) -> None:
    assert [issue.path for issue in issues(tp, data)] == [path]
