"""A call's questions to an input's schema: whether data are accepted, and in which form."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

import msgspec
import pytest
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from typing_extensions import TypedDict

from toolhaft.schema.checker import Checker
from toolhaft.schema.marks import MARK
from toolhaft.spec import Issue
from toolhaft.vendors import adapt
from toolhaft.vendors.input_schema import Admitted, InputSchema, with_extra

INTEGER: dict[str, Any] = {"type": "integer"}
NUMBER: dict[str, Any] = {"type": "number"}


def objects(marks: dict[str, Any] | None = None, **properties: Any) -> dict[str, Any]:
    made = {"type": "object", "properties": properties}
    return made if marks is None else {**made, MARK: marks}


def opened(node: dict[str, Any]) -> dict[str, Any]:
    return {**node, MARK: {"open": True}}


# ------------------------------------------------------------------- what is admitted


@pytest.mark.parametrize(
    ("marked", "data", "admitted"),
    [
        (objects(n=INTEGER), {"n": 5}, Admitted({"n": 5}, [])),
        (objects(n=INTEGER), {"n": 5.0}, Admitted({"n": 5}, [])),
        (
            objects(n=INTEGER),
            {"n": "5"},
            Admitted(
                {"n": "5"},
                [Issue("expected integer, received string", ("n",), "type", "integer", "string")],
            ),
        ),
        (
            objects(n=NUMBER),
            {"n": 2**53 + 1},
            Admitted(
                {"n": 2**53 + 1},
                [Issue("expected a number that a 64-bit float holds exactly", ("n",), "value")],
            ),
        ),
        (
            objects({"extra": "ignore"}, n=INTEGER),
            {"n": 1, "x": 2},
            Admitted({"n": 1}, [], [("x",)]),
        ),
        (objects({"extra": "allow"}, n=INTEGER), {"n": 1, "x": 2}, Admitted({"n": 1, "x": 2}, [])),
        (
            objects(n=opened(INTEGER), m=INTEGER),
            {"n": "5", "m": 1.0},
            Admitted({"n": "5", "m": 1}, [], (), [("n",)]),
        ),
        (
            objects({"extra": "ignore"}, n=opened(INTEGER)),
            {"n": "5", "x": 1},
            Admitted({"n": "5"}, [], [("x",)], [("n",)]),
        ),
    ],
)
def test_data_are_admitted_as_objects_are_made_from_them(
    marked: Any, data: Any, admitted: Admitted
) -> None:
    found = InputSchema(marked).admit(data)
    assert (found.data, found.issues) == (admitted.data, admitted.issues)
    assert (list(found.ignored), list(found.widened)) == (
        list(admitted.ignored),
        list(admitted.widened),
    )


def test_a_schema_that_a_person_wrote_is_taken_literally() -> None:
    schema = InputSchema(objects(n=NUMBER, day={"type": "string", "format": "date"}), authored=True)
    data = {"n": 2**53 + 1, "day": "today", "x": 1}
    admitted = schema.admit(data)
    assert (admitted.data, admitted.issues, *map(list, admitted[2:])) == (data, [], [], [])
    assert schema.plain
    assert schema.fast_gate is schema.gate
    assert schema.gate.schema is schema.marked


def test_without_holes_the_exact_gate_is_the_gate() -> None:
    closed, holed = InputSchema(objects(n=INTEGER)), InputSchema(objects(n=opened(INTEGER)))
    assert (closed.has_holes, closed.exact is closed.gate) == (False, True)
    assert (holed.has_holes, holed.is_open) == (True, False)
    assert [holed.gate.is_valid({"n": "x"}), holed.exact.is_valid({"n": "x"})] == [True, False]
    assert InputSchema(opened(objects(n=INTEGER))).is_open


def test_decimals_are_seen_at_any_depth() -> None:
    decimal = {**NUMBER, MARK: {"decimal": True}}
    assert InputSchema(objects(prices={"type": "array", "items": decimal})).has_decimals
    assert not InputSchema(objects(prices={"type": "array", "items": NUMBER})).has_decimals


# ------------------------------------------------------------------- policies


def test_a_policy_that_is_given_wins_at_every_depth() -> None:
    ignoring = objects({"extra": "ignore"}, n=INTEGER)
    keeping = objects({"extra": "allow"}, inner=ignoring)
    closed = with_extra(keeping, "forbid", authored=False)
    assert closed == {
        "type": "object",
        "properties": {"inner": {**ignoring, "additionalProperties": False,
                                 MARK: {"extra": "forbid"}}},
        "additionalProperties": False,
        MARK: {"extra": "forbid"},
    }  # fmt: skip
    again = with_extra(closed, "ignore", authored=False)
    assert again["properties"]["inner"] == ignoring
    assert "additionalProperties" not in again


def test_of_a_schema_that_a_person_wrote_the_policy_is_the_roots() -> None:
    inner = {**objects(n=INTEGER), "additionalProperties": False}
    made = with_extra(objects(inner=inner), "ignore", authored=True)
    assert made["properties"]["inner"] == inner
    assert made[MARK] == {"extra": "ignore"}


def test_a_map_has_no_policy() -> None:
    made = {"type": "object", "additionalProperties": INTEGER}
    assert with_extra(made, "forbid", authored=False) == made


class Model(BaseModel):
    model_config = ConfigDict(extra="allow")
    n: int = 0


@dataclass
class Plain:
    n: int = 0


class Keys(TypedDict, total=False):
    n: int


class Struct(msgspec.Struct, forbid_unknown_fields=True):
    n: int = 0


RAW = {"type": "object", "properties": {"n": INTEGER}}
OWN: dict[Any, str] = {Model: "kept", Plain: "dropped", Keys: "dropped", Struct: "refused"}


def fate(adapter: Any, data: Any) -> str:
    """Return how the undeclared key `x` is handled before the library sees it."""
    admitted = adapter.input.admit(data)
    if admitted.issues:
        assert [issue.code for issue in admitted.issues] == ["extra"]
        return "refused"
    return "dropped" if admitted.ignored else "kept"


@pytest.mark.parametrize("tp", OWN)
def test_a_librarys_own_policy_holds_until_another_is_given(tp: Any) -> None:
    for adapter, data in ((adapt(tp), {"x": 1}), (adapt(list[tp]), [{"x": 1}])):
        assert fate(adapter, data) == OWN[tp]
        assert fate(adapter.with_extra("forbid"), data) == "refused"
        assert fate(adapter.with_extra("ignore"), data) == "dropped"
        assert adapter.with_extra(None) is adapter


def test_an_adapter_with_another_policy_is_another_one() -> None:
    adapter = adapt(Model)
    before = adapter.json_schema()
    closed = adapter.with_extra("forbid")
    assert closed.json_schema()["additionalProperties"] is False
    assert adapter.json_schema() == before
    assert closed.read({"n": 1})[0] == Model(n=1)


# ------------------------------------------------------------------- of real types


class Renamed(BaseModel):
    city: str = Field("", validation_alias=AliasChoices("town", "city"))
    days: Annotated[int, BeforeValidator(lambda days: 3 if days == "few" else days)] = 1
    price: Decimal = Decimal(1)


class Whole(BaseModel):
    model_config = ConfigDict(extra="allow")
    n: int

    @model_validator(mode="before")
    @classmethod
    def read(cls, data: Any) -> Any:
        return {"n": int(data)} if isinstance(data, str) else data


def test_the_facts_of_a_type_never_leave_it() -> None:
    adapter = adapt(Renamed)
    assert adapter.input.has_holes
    assert adapter.input.has_decimals
    for schema in (adapter.json_schema(), adapter.json_schema(mode="output")):
        assert MARK not in str(schema)
    assert not Checker(adapter.json_schema()).is_valid({"days": "few"})
    assert adapter.input.admit({"days": "few"}).widened == [("days",)]
    assert [str(one) for one in adapter.input.admit({"city": ""}).issues] == [
        "city: unknown (did you mean town?)"
    ]


def test_an_object_with_a_validator_of_the_whole_is_closed() -> None:
    schema = adapt(Whole).input
    assert schema.is_open
    assert schema.admit("5").widened == [()]
    assert [str(one) for one in schema.admit({"n": 1, "x": 1}).issues] == [
        "x: unknown (allowed: n)"
    ]
    assert adapt(Whole).json_schema()["additionalProperties"] is False


def test_a_recursive_type_is_admitted_all_the_way() -> None:
    class Node(BaseModel):
        n: int
        inner: list[Node] = []

    admitted = adapt(Node).input.admit({"n": 1.0, "inner": [{"n": 2.0, "x": 1}]})
    assert admitted.data == {"n": 1, "inner": [{"n": 2}]}
    assert list(admitted.ignored) == [("inner", 0, "x")]
    assert repr(admitted.data) == "{'n': 1, 'inner': [{'n': 2}]}"


def test_a_schema_that_a_person_wrote_is_admitted_as_it_came() -> None:
    data = {"n": 5.0, "x": 1}
    assert adapt(RAW).input.admit(data).data == {"n": 5, "x": 1}
    assert fate(adapt(RAW), data) == "kept"
    assert fate(adapt(RAW).with_extra("ignore"), data) == "dropped"
    assert fate(adapt(RAW).with_extra("forbid"), data) == "refused"


def test_a_place_that_a_function_widens_gets_the_issue_of_the_intended_branch() -> None:
    first = {**objects({"open": True}, a=INTEGER, b=INTEGER), "required": ["a", "b"]}
    second = {**objects({"open": True}, inner=first, n=opened(INTEGER)), "required": ["inner", "n"]}
    schema = InputSchema(objects(form={"anyOf": [first, second]}))
    admitted = schema.admit({"form": {"inner": {"a": 1, "b": 2}, "n": "5"}})
    assert (admitted.issues, admitted.widened) == ([], [("form", "n")])
