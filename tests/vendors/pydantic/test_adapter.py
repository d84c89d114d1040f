"""The pydantic adapter: the data that it constructs, rejects and dumps, and unsupported types."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import (
    AfterValidator,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic.dataclasses import dataclass as checked_dataclass
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from tests.vendors.pydantic.samples import Box, Color, Flat, Keys, Plain, Tree
from toolhaft.spec import Failure, Issue, Success
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected
from toolhaft.vendors.pydantic import adapter as pydantic


def refused(adapter: Adapter[Any], data: Any) -> list[str]:
    result = adapter.validate(data)
    assert isinstance(result, Failure)
    return [str(issue) for issue in result.issues]


def value(adapter: Adapter[Any], data: Any) -> Any:
    result = adapter.validate(data)
    assert isinstance(result, Success)
    return result.value


def refused_by_vendor(adapter: Adapter[Any], data: Any) -> list[str]:
    """Return pydantic's own errors, without the emitted schema."""
    with pytest.raises(adapter.rejects) as caught:
        adapter.construct(data)
    return [str(issue) for issue in adapter.explain(caught.value, data)]


# ------------------------------------------------------------------------------- reading


NOON = datetime(2024, 1, 1, tzinfo=UTC)


class Widened(BaseModel):
    when: Annotated[datetime, BeforeValidator(lambda v: "2024-01-01T00:00:00Z" if v == 0 else v)]
    color: Annotated[Color, BeforeValidator(lambda v: Color.RED if v == "first" else v)]
    ids: Annotated[set[int], BeforeValidator(lambda v: {v} if type(v) is int else v)]


@pytest.mark.requirement("vendor-widened-field")
def test_an_authors_before_validator_sees_the_raw_value_and_may_widen_the_field() -> None:
    adapter = pydantic.adapter(Widened)
    made = value(adapter, {"when": 0, "color": "first", "ids": 3})
    assert made == Widened.model_construct(when=NOON, color=Color.RED, ids={3})
    admitted = adapter.input.admit({"when": 0, "color": "first", "ids": 3})
    assert admitted.widened == [("when",), ("color",), ("ids",)]


@pytest.mark.requirement("vendor-widened-field")
def test_behind_a_before_validator_the_json_form_is_read_as_ever() -> None:
    adapter = pydantic.adapter(Widened)
    made = value(adapter, {"when": "2024-01-01T00:00:00Z", "color": "b", "ids": [1]})
    assert made == Widened.model_construct(when=NOON, color=Color.BLUE, ids={1})
    right = {"when": "2024-01-01T00:00", "color": "b", "ids": []}
    assert adapter.input.admit(right).widened == []
    assert refused(adapter, {"when": "soon", "color": True, "ids": ["x"]}) == [
        "when: expected an ISO date-time, such as 2026-01-31T09:00:00Z",
        'color: expected one of "a", "b"',
        "ids.0: expected integer, received string",
    ]


@pytest.mark.requirement("vendor-widened-field")
def test_behind_a_before_validator_the_library_reads_as_its_author_configured_it() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        n: Annotated[int, BeforeValidator(lambda v: v)]

    class Lax(BaseModel):
        n: Annotated[int, BeforeValidator(lambda v: v)]

    assert value(pydantic.adapter(Lax), {"n": "1"}) == Lax(n=1)
    assert refused(pydantic.adapter(Strict), {"n": "1"}) == ["n: expected integer, received string"]


@pytest.mark.requirement("vendor-widened-field")
@pytest.mark.parametrize("wrong", ["1", "1_000", "\u0661", True, None, [1]])
def test_a_before_validator_opens_its_own_node_and_no_neighbour(wrong: Any) -> None:
    class Model(BaseModel):
        day: Annotated[date, BeforeValidator(lambda v: v)]
        n: int
        flat: list[Flat] = []

    adapter = pydantic.adapter(Model)
    for data in ({"n": wrong}, {"n": 1, "flat": [{"a": wrong}]}):
        result = adapter.validate({"day": "2024-01-01", **data})
        assert isinstance(result, Failure)
        assert [issue.code for issue in result.issues] == ["type"]


@pytest.mark.requirement("vendor-widened-field")
def test_a_before_validator_of_the_whole_opens_a_model_for_what_is_no_object() -> None:
    class Model(BaseModel):
        model_config = ConfigDict(extra="allow")
        n: int

        @model_validator(mode="before")
        @classmethod
        def read(cls, data: Any) -> Any:
            return {"n": data} if isinstance(data, int) else data

    adapter = pydantic.adapter(list[Model])
    assert value(adapter, [1, {"n": 2}]) == [Model(n=1), Model(n=2)]
    assert adapter.input.admit([1, {"n": 2}]).widened == [(0,)]
    assert refused(adapter, [{"n": "1"}]) == ["0.n: expected integer, received string"]
    assert refused(adapter, [{"n": 1, "more": 2}]) == ["0.more: unknown (allowed: n)"]


def test_a_wrap_validator_reads_the_json_form_too() -> None:
    class Both(BaseModel):
        either: UUID | str
        day: Annotated[date, WrapValidator(lambda v, read: read(v))]

    adapter = pydantic.adapter(Both)
    made = value(adapter, {"either": str(UUID(int=1)), "day": "2024-01-01"})
    assert (made.either, made.day) == (UUID(int=1), date(2024, 1, 1))
    assert refused(adapter, {"either": "x", "day": "soon"}) == [
        "day: expected an ISO date, such as 2026-01-31"
    ]


class StrictModel(BaseModel):
    model_config = ConfigDict(strict=True)
    n: Annotated[int, Field(strict=True)]
    day: date


class LaxModel(BaseModel):
    model_config = ConfigDict(strict=False)
    n: Annotated[int, Field(strict=False)]
    day: date


@pytest.mark.requirement("vendor-strict-json")
@pytest.mark.parametrize("model", [StrictModel, LaxModel])
def test_a_models_own_strict_setting_changes_nothing(model: type[BaseModel]) -> None:
    adapter = pydantic.adapter(model)
    assert value(adapter, {"n": 1, "day": "2024-01-01"}).day == date(2024, 1, 1)
    assert refused(adapter, {"n": "1", "day": 0}) == [
        "n: expected integer, received string",
        "day: expected an ISO date, such as 2026-01-31",
    ]


def test_a_model_with_its_own_init_is_no_laxer_than_its_schema() -> None:
    class Model(BaseModel):
        n: int

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)

    adapter = pydantic.adapter(Model)
    assert value(adapter, {"n": 1}) == Model(n=1)
    assert refused(adapter, {"n": "1"}) == ["n: expected integer, received string"]


@pytest.mark.parametrize("text", ["12\n", "१२", "1"])
def test_a_pattern_means_what_json_schema_means_by_it(text: str) -> None:
    adapter = pydantic.adapter(Annotated[str, Field(pattern=r"^\d{2}$")])
    assert adapter.construct("12") == "12"
    assert refused(adapter, text) == [r"expected string that matches ^\d{2}$"]


def test_defaults_of_a_model_are_filled_in_and_a_typed_dicts_left_out() -> None:
    assert pydantic.adapter(Flat).construct({"a": 1}) == Flat(a=1, b="x", c=None)
    assert pydantic.adapter(Keys).construct({"a": 1}) == {"a": 1}


def known(name: str) -> str:
    if name != "Ann":
        raise ValueError("not known")
    return name


class Dated(TypedDict):
    day: date
    name: Annotated[str, AfterValidator(known)]


class Loose(TypedDict, total=False):
    note: str


def test_data_of_one_branch_in_the_schema_are_not_read_as_another() -> None:
    either = pydantic.adapter(Loose | Dated)
    whole = {"day": "2024-02-29", "name": "Ann"}
    assert value(either, whole) == {"day": date(2024, 2, 29), "name": "Ann"}
    assert value(either, {**whole, "day": "2023-02-29"}) == {}  # all of it is unknown to `Loose`
    assert refused(either, {**whole, "name": "Bob"}) == ["name: not known"]


@pytest.mark.parametrize("further", [ConfigDict(), ConfigDict(extra="forbid")])
def test_a_type_adapter_keeps_its_config(further: ConfigDict) -> None:
    given = TypeAdapter(list[str], config={**further, "str_max_length": 2})
    adapter = pydantic.adapter(given)
    assert adapter.construct(["ab"]) == ["ab"]
    assert refused(adapter, ["abc"]) == ["0: expected at most 2 characters"]


def test_an_exception_that_is_no_validation_error_passes_through() -> None:
    class Model(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def look_up(cls, n: int) -> int:
            return {1: 1}[n]

    with pytest.raises(KeyError):
        pydantic.adapter(Model).validate({"n": 2})


def test_a_validator_of_the_whole_model_speaks_in_its_own_words() -> None:
    class Model(BaseModel):
        first: int
        last: int

        @model_validator(mode="after")
        def in_order(self) -> Model:
            if self.last < self.first:
                raise ValueError("last comes before first")
            return self

    adapter = pydantic.adapter(list[Model])
    issue = Issue("last comes before first", (0,), "custom", vendor_code="value_error")
    result = adapter.validate([{"first": 2, "last": 1}])
    assert isinstance(result, Failure)
    assert result.issues == (issue,)


def test_an_authors_message_is_reported_once_the_schema_is_satisfied() -> None:
    class Model(BaseModel):
        a: int
        b: str

        @field_validator("b")
        @classmethod
        def short(cls, b: str) -> str:
            raise ValueError("b is never right")

    adapter = pydantic.adapter(Model)
    assert refused(adapter, {"a": "x", "b": "y"}) == ["a: expected integer, received string"]
    assert refused(adapter, {"a": 1, "b": "y"}) == ["b: b is never right"]


def test_values_that_are_not_json_are_refused_before_pydantic_sees_them() -> None:
    assert refused(pydantic.adapter(Flat), {"a": {1}}) == [
        "a: expected plain JSON data, received set"
    ]


# ------------------------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("tp", "instance", "other"),
    [
        (Flat, Flat(a=1), {"a": 1}),
        (Box[int], Box[int](v=1), {"v": 1}),
        (Plain, Plain(a=1), {"a": 1}),
        (list[Flat], [Flat(a=1)], [{"a": 1}]),
        (Keys, {"a": 1}, {"a": "1"}),
        (int, 1, "1"),
        (Color, Color.RED, "a"),
    ],
)
def test_an_instance_is_distinguished_from_the_data_it_could_be_made_of(
    tp: Any, instance: Any, other: Any
) -> None:
    adapter = pydantic.adapter(tp)
    assert adapter.is_instance(instance)
    assert not adapter.is_instance(other)


def test_a_dump_follows_the_declared_type_and_trusts_nothing(
    recwarn: pytest.WarningsRecorder,
) -> None:
    class Priced(BaseModel):
        sold: date = Field(serialization_alias="soldOn")
        price: float

    adapter = pydantic.adapter(Priced)
    good = Priced(sold=date(2024, 1, 1), price=1.5)
    assert adapter.dump(good) == {"soldOn": "2024-01-01", "price": 1.5}
    bad = adapter.dump(Priced.model_construct(sold="x", price="dear"))
    assert bad == {"soldOn": "x", "price": "dear"}
    assert not adapter.checker("output").is_valid(bad)
    assert str(adapter.dump(Priced(sold=date(2024, 1, 1), price=float("nan")))["price"]) == "nan"
    assert recwarn.list == []


def test_a_value_without_a_json_form_cannot_be_dumped() -> None:
    with pytest.raises(Rejected) as caught:
        pydantic.adapter(Flat).dump(Flat.model_construct(a=object()))
    said = "expected plain JSON data, received object"
    assert caught.value.issues == [Issue(said, code="json")]


# ------------------------------------------------------------------------------ refusals


def refusal(tp: Any) -> str:
    with pytest.raises(NoVendor) as caught:
        pydantic.adapter(tp).emit("input")
    return str(caught.value)


class Unknown(BaseModel):
    later: "Nowhere"  # type: ignore[name-defined] # noqa: F821, UP037


async def never(value: Any) -> Any:
    return value


class Pathed(BaseModel):
    city: str = Field(validation_alias=AliasPath("place", 0))


class Opaque:
    """Of no library."""


class Mode(enum.Enum):
    FAST = Opaque()


class Modes(TypedDict):
    mode: Mode


@pytest.mark.parametrize(
    ("tp", "words"),
    [
        (Unknown, "pydantic: Unknown names Nowhere, which is not defined"),
        (Callable[[int], int], "Cannot generate a JsonSchema for core_schema.CallableSchema"),
        (object(), "pydantic: an object: Unable to generate pydantic-core schema"),
        (
            Opaque,
            "pydantic-core schema for <class 'tests.vendors.pydantic.test_adapter.Opaque'>; use",
        ),
        (Any, "the type does not describe its values; give it a type"),
        (Annotated[int, PlainValidator(int)], "a PlainValidator without json_schema_input_type"),
        (Annotated[int, BeforeValidator(never)], "pydantic does not await never"),
        (Annotated[int, AfterValidator(never)], "pydantic does not await never"),
        (Pathed, "the alias of city is a path"),
        (int | Callable[[], int], "CallableSchema"),
        (Mode, "a member of Mode is not JSON: expected plain JSON data, received Opaque"),
        (Modes, "a member of Mode is not JSON: expected plain JSON data, received Opaque"),
    ],
)
def test_a_type_that_would_mislead_is_refused_with_its_reason(tp: Any, words: str) -> None:
    assert words in refusal(tp)


def test_a_result_of_members_that_are_never_written_is_refused_too() -> None:
    with pytest.raises(NoVendor, match="pydantic: Modes: Unable to serialize unknown type"):
        pydantic.adapter(Modes).emit("output")


def test_a_function_is_never_run_by_compiling_it() -> None:
    ran: list[int] = []

    def act(n: int) -> None:
        ran.append(n)

    function: Any = act
    assert "run the function" in refusal(TypeAdapter(function))
    assert ran == []


def test_a_forward_reference_is_resolved_once_its_name_exists() -> None:
    assert pydantic.adapter(Tree).construct({"v": 1, "kids": [{"v": 2}]}).kids == [Tree(v=2)]


# ----------------------------------------------------------- what a later pydantic may bring


class Novel:
    """A type whose core schema has a node that the rules do not know."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        return core_schema.missing_sentinel_schema()


def test_an_unknown_node_without_a_schema_is_checked_by_its_library() -> None:
    assert refused_by_vendor(pydantic.adapter(list[Novel]), [1]) == ["0: not accepted"]


def test_an_unknown_node_that_no_schema_names_takes_nothing() -> None:
    adapter = pydantic.adapter(dict[str, Novel | int])
    assert value(adapter, {"a": 1}) == {"a": 1}
    assert refused(adapter, {"a": "b"}) == ["a: expected integer, received string"]


class Found(enum.Enum):
    """A member is looked for in a second way."""

    ONE = 1

    @classmethod
    def _missing_(cls, value: object) -> Found | None:
        return cls.ONE if value == 7 else None


def test_an_enum_takes_the_members_that_its_schema_lists() -> None:
    adapter = pydantic.adapter(Found)
    assert value(adapter, 1) is Found.ONE
    for wrong in (7, True):
        assert refused(adapter, wrong) == ["expected 1"]


class Late(BaseModel):
    color: Color = Field("a", validate_default=True)
    table: dict = {}  # type: ignore[type-arg]
    items: list = []  # type: ignore[type-arg]


def test_a_default_that_is_validated_may_be_written_as_json() -> None:
    made = pydantic.adapter(Late).construct({"table": {"a": [1]}, "items": [None]})
    assert (made.color, made.table, made.items) == (Color.RED, {"a": [1]}, [None])


@checked_dataclass
class Counted:
    n: Literal[1]
    more: list[int] = dataclasses.field(default_factory=list[int])


def test_a_pydantic_dataclass_is_read_as_strictly() -> None:
    adapter = pydantic.adapter(Counted)
    assert value(adapter, {"n": 1}) == Counted(n=1)
    assert refused(adapter, {"n": True}) == ["n: expected 1"]


class Card(BaseModel):
    kind: Literal["card"]
    number: str


class Debit(BaseModel):
    kind: Literal["bank"]
    way: Literal["debit"]
    iban: str


class Transfer(BaseModel):
    kind: Literal["bank"]
    way: Literal["transfer"]
    days: int


class Payment(BaseModel):
    by: Annotated[
        Card | Annotated[Debit | Transfer, Field(discriminator="way")],
        Field(discriminator="kind"),
    ]


def test_a_tagged_union_may_be_a_branch_of_another() -> None:
    adapter = pydantic.adapter(Payment)
    sent = {"by": {"kind": "bank", "way": "transfer", "days": 2}}
    taken = adapter.validate(sent)
    assert isinstance(taken, Success)
    assert taken.value == Payment(by=Transfer(kind="bank", way="transfer", days=2))
    refused = adapter.validate({"by": {"kind": "bank", "way": "debit", "days": 2}})
    assert isinstance(refused, Failure)
    assert [str(issue) for issue in refused.issues] == ["by.iban: required"]
    assert "discriminator" not in adapter.json_schema()["properties"]["by"]
