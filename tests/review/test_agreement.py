"""The agreement audit finds what a schema and its validator say differently."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from ipaddress import IPv4Network
from typing import Annotated, Any, NamedTuple

import annotated_types
import msgspec
import pytest
import voluptuous
from pydantic import (
    AfterValidator,
    AnyUrl,
    AwareDatetime,
    Base64Bytes,
    BaseModel,
    BeforeValidator,
    ByteSize,
    Field,
    Json,
    PastDate,
    StringConstraints,
    UrlConstraints,
    field_serializer,
    field_validator,
)

from toolhaft import tool
from toolhaft.review.agreement import Agreement, Disagreement
from toolhaft.spec import Failure, Issue, Success
from toolhaft.testing import agreement

RAN: list[str] = []


def audited(annotation: Any, **options: Any) -> Agreement:
    def handler(x: Any) -> None:
        RAN.append("handler")

    handler.__annotations__["x"] = annotation
    made: Any = tool(handler, name="t", description="Do.", **options)
    return agreement(made, values=60)


def even(number: int) -> int:
    if number % 2:
        raise ValueError("odd")
    return number


def split(value: object) -> object:
    return value.split(",") if isinstance(value, str) else value


@pytest.mark.requirement("agreement-audit")
def test_a_tool_that_agrees_has_no_disagreement_and_the_handler_never_runs() -> None:
    found = audited(dict[str, Annotated[list[int], Field(max_length=3)]])
    assert (bool(found), found.disagreements, found.unwritten) == (True, (), ())
    assert (found.tool, found.values, found.mutations) == ("t", 60, 600)
    assert RAN == []


@pytest.mark.requirement("agreement-audit")
def test_a_schema_valid_value_that_is_refused_is_listed_with_pointer_codes_and_value() -> None:
    found = audited(Annotated[int, AfterValidator(even)])
    [one] = found.disagreements
    assert not found
    assert (one.kind, one.side, one.pointer, one.reasons) == (
        "refused",
        "input",
        "/x",
        ("custom", "odd"),
    )
    assert one.value["x"] % 2 == 1
    assert one.times > 1
    assert str(one) == "input/x: refused (custom, odd)"
    assert found.unwritten == ("input/x: validator even",)


@pytest.mark.requirement("agreement-audit")
def test_a_schema_invalid_value_that_is_accepted_is_listed_with_the_change() -> None:
    @tool(input={"type": "object", "properties": {"x": {"maximum": 5}}, "required": ["x"]})
    def strict(given: Any) -> None:
        "Take a number."

    class Careless:
        """A tool that lets everything pass."""

        name, input_schema, output_schema = "t", strict.input_schema, None

        def _compile(self) -> object:
            return self

        def check(self, raw: object) -> object:
            return strict.prepare({"x": 1})

    careless: Any = Careless()
    assert {
        (one.kind, one.pointer, one.reasons) for one in agreement(careless, values=60).disagreements
    } == {
        ("accepted", "/x", ("value",)),
        ("accepted", "/x", ("missing",)),
        ("accepted", "", ("type",)),
    }


def test_constraints_that_an_author_adds_to_a_schema_alone_apply() -> None:
    found = audited(Annotated[int, Field(json_schema_extra={"maximum": 5})])
    assert (bool(found), found.disagreements) == (True, ())


@pytest.mark.requirement("agreement-audit")
def test_values_that_a_before_validator_widens_are_listed_and_no_disagreement() -> None:
    found = audited(Annotated[list[str], BeforeValidator(split)])
    assert (found.disagreements, found.widened) == ((), ("/x",))
    assert found.unwritten == ("input/x: validator split",)


@pytest.mark.requirement("agreement-audit")
def test_a_repair_is_no_acceptance() -> None:
    assert audited(int, coerce="lenient").disagreements == ()
    assert audited(int, coerce="none").disagreements == ()


def test_constraints_that_no_schema_expresses_are_named() -> None:
    class Checked(msgspec.Struct):
        n: int

        def __post_init__(self) -> None:
            even(self.n)

    found = audited(dict[str, Checked])
    assert [one.split("validator ")[0] for one in found.unwritten] == ["input/x: "]
    predicate = annotated_types.Predicate(str.isupper)
    assert audited(Annotated[str, predicate]).unwritten == ("input/x: a predicate",)


def test_text_of_another_format_that_passes_is_listed_apart() -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"type": "string", "format": "uuid"}},
        "required": ["x"],
        "additionalProperties": False,
    }
    found = audited(str, parameters=schema)
    assert (found.disagreements, found.loose) == ((), ("/x",))


def test_declared_parameters_that_allow_more_than_the_handler_takes_are_a_disagreement() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    found = audited(str, parameters=schema)
    assert ("refused", "/x", ("missing", "required")) in {
        (one.kind, one.pointer, one.reasons) for one in found.disagreements
    }


@pytest.mark.requirement("agreement-audit")
def test_rules_of_numbers_and_zones_beyond_schemas_are_no_disagreement() -> None:
    class Measured(BaseModel):
        at: AwareDatetime
        share: float

    @tool(input=Measured)
    def measure(value: Measured) -> int:
        "Measure."
        return 1

    for sent in (
        {"at": "2026-03-01T10:00", "share": 1},
        {"at": "2026-03-01T10:00Z", "share": 2**53 + 1},
    ):
        assert not measure.call_sync(sent)
    found = agreement(measure, values=200)
    assert (found.disagreements, found.values) == ((), 200)


class Version(NamedTuple):
    number: Annotated[Decimal, Field(max_digits=3)]


EXCEPTED: dict[str, tuple[Any, str]] = {
    "digits": (
        Annotated[Decimal, Field(max_digits=5, decimal_places=2)],
        "max_digits=5, decimal_places=2",
    ),
    "bounds of a decimal's text": (Annotated[Decimal, Field(ge=0)], "ge=0"),
    "steps of a decimal's text": (
        Annotated[Decimal, Field(multiple_of=2)],
        "multiple_of=2",
    ),
    "a bound of a date": (Annotated[date, Field(ge=date(2020, 1, 1))], "ge=2020-01-01"),
    "a date in the past": (PastDate, "now_op=past"),
    "spaces": (
        Annotated[str, StringConstraints(strip_whitespace=True, min_length=2)],
        "min_length=2 without the spaces around it",
    ),
    "a unit": (ByteSize, "a unit of bytes"),
    "JSON": (Json[int], "text that holds JSON"),
    "a format": (IPv4Network, "a text without its format"),
    "an encoding": (Base64Bytes, "a text without its format"),
    "a scheme": (
        Annotated[AnyUrl, UrlConstraints(allowed_schemes=["ftp"])],
        "allowed_schemes=['ftp']",
    ),
    "a member of an array": (Version, "max_digits=3"),
    "entries of a map": (dict[str, Annotated[Decimal, Field(max_digits=3)]], "max_digits=3"),
}


@pytest.mark.requirement("agreement-exceptions")
@pytest.mark.parametrize("case", EXCEPTED)
def test_a_reason_that_no_schema_states_is_listed_and_no_disagreement(case: str) -> None:
    annotation, reason = EXCEPTED[case]
    found = audited(annotation)
    assert found.disagreements == ()
    assert {one.partition(": ")[2] for one in found.excepted} == {reason}


@pytest.mark.requirement("agreement-exceptions")
def test_a_check_of_an_author_is_not_in_the_list() -> None:
    price = Annotated[Decimal, Field(max_digits=5), AfterValidator(even)]
    found = audited(price)
    assert {one.reasons for one in found.disagreements} == {("custom", "odd")}
    assert found.excepted == ("input/x: max_digits=5",)


@pytest.mark.requirement("agreement-exceptions")
def test_a_day_that_the_calendar_lacks_is_in_the_list() -> None:
    schema = voluptuous.Schema({voluptuous.Required("x"): voluptuous.Datetime()})
    made: Any = tool(lambda x: 1, name="t", description="Do.", input=schema, output=None)
    found = agreement(made, values=200)
    assert (found.disagreements, found.excepted) == (
        (),
        ("input/x: a day that the calendar lacks",),
    )


def test_a_pattern_without_texts_is_named_and_an_audit_without_values_is_not_true() -> None:
    pattern = r"^(a|b)\1$"
    schema = {
        "type": "object",
        "properties": {"x": {"type": "string", "pattern": pattern}},
        "required": ["x"],
    }
    found = audited(str, parameters=schema)
    assert (bool(found), found.values, found.unreadable) == (False, 0, (pattern,))


class Crashing:
    """A library whose validator has a bug."""

    version = 1
    vendor = "mine"

    def validate(self, value: Any, /) -> Success[Any] | Failure:
        if value["n"] == 7:
            return Failure([Issue("seven", ("n",))])
        if value["n"] == 0:
            raise KeyError("bug")
        return Success(value)

    def json_schema(self, *, target: str = "", mode: str = "input") -> dict[str, Any]:
        return {"type": "object", "properties": {"n": {"enum": [0, 1, 7]}}, "required": ["n"]}


def test_a_validator_that_raises_something_unforeseen_is_a_disagreement() -> None:
    made: Any = tool(lambda x: x, name="t", description="Do.", input=Crashing(), output=None)
    found = agreement(made, values=30)
    assert {(one.kind, one.pointer, one.reasons) for one in found.disagreements} == {
        ("crashed", "", ()),
        ("refused", "/n", ("custom", "seven")),
    }
    assert "input: crashed" in map(str, found.disagreements)


class Wrong(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def positive(cls, n: int) -> int:
        if n < 0:
            raise KeyError("bug")
        return n

    @field_serializer("n")
    def as_text(self, n: int) -> int:
        return str(n)  # type: ignore[return-value]


@pytest.mark.requirement("agreement-audit")
def test_a_result_whose_dump_its_own_schema_refuses_is_a_disagreement() -> None:
    nothing: Any = lambda: None  # noqa: E731  the checkers see that it does not fit
    made: Any = tool(nothing, name="t", description="Do.", output=Wrong)
    found = agreement(made, values=60)
    assert {(one.kind, one.side, one.pointer, one.reasons) for one in found.disagreements} == {
        ("refused", "output", "/n", ("type", "expected integer, received string")),
        ("crashed", "output", "", ()),
    }


@pytest.mark.requirement("agreement-audit")
def test_the_same_seed_has_the_same_audit() -> None:
    def pair(number: Annotated[int, AfterValidator(even)]) -> None:
        """Pair things."""

    def found(seed: int) -> tuple[Disagreement, ...]:
        return agreement(tool(pair), values=20, seed=seed).disagreements

    assert found(1) == found(1)
    assert found(1) != found(2)
