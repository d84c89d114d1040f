"""Each field is read from one key, and no other name of it reads one."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import attrs
import pydantic.dataclasses
import pytest
from pydantic import (
    AliasChoices,
    AliasGenerator,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    computed_field,
)
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from toolhaft.spec import Failure
from toolhaft.vendors import adapt
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.fields import FieldKey


def ones() -> list[int]:
    return [1]


class Plain(BaseModel):
    first: int
    second: int = 2
    third: list[int] = Field(default_factory=list)
    fourth: list[int] = Field(default_factory=ones)


class Aliased(BaseModel):
    total: int = Field(0, alias="amount")


class Apart(BaseModel):
    total: int = Field(0, validation_alias="amount", serialization_alias="sum")


class Several(BaseModel):
    city: str = Field("", validation_alias=AliasChoices("town", "place", AliasPath("at", "city")))


class Pathed(BaseModel):
    city: str = Field("", validation_alias=AliasChoices(AliasPath("at", 0), "town"))


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    first_name: str = ""


class Both(BaseModel):
    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=str.upper, serialization_alias=to_camel),
        populate_by_name=True,
    )
    first_name: str = ""


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    total: int = Field(0, alias="amount")

    @computed_field(alias="twoTotals")
    def twice(self) -> int:
        return 2 * self.total


@dataclasses.dataclass
class Partly:
    n: int
    later: int = dataclasses.field(init=False, default=1)
    dropped: dataclasses.InitVar[int] = 3


@pydantic.dataclasses.dataclass
class Checked:
    total: Annotated[int, Field(alias="amount")] = 0


class Keys(TypedDict, total=False):
    total: Annotated[int, Field(alias="amount")]


@attrs.define
class Private:
    _total: int = attrs.field(default=0)
    shown: int = attrs.field(default=0, alias="amount")


FIELDS: list[tuple[Any, tuple[FieldKey, ...]]] = [
    (
        Plain,
        (
            FieldKey("first", "first", None),
            FieldKey("second", "second", "static", declared=2),
            FieldKey("third", "third", "static", declared=[]),
            FieldKey("fourth", "fourth", "factory", make=ones),
        ),
    ),
    (Aliased, (FieldKey("amount", "total", "static", declared=0),)),
    (Several, (FieldKey("town", "city", "static", declared=""),)),
    (Pathed, (FieldKey("town", "city", "static", declared=""),)),
    (Camel, (FieldKey("firstName", "first_name", "static", declared=""),)),
    (Both, (FieldKey("FIRST_NAME", "first_name", "static", declared=""),)),
    (RootModel[int], (FieldKey("", "root", None),)),
    (
        Private,
        (
            FieldKey("total", "_total", "static", declared=0),
            FieldKey("amount", "shown", "static", declared=0),
        ),
    ),
]


@pytest.mark.parametrize(("tp", "fields"), FIELDS)
def test_a_field_has_its_key_its_attribute_and_how_it_is_filled(tp: Any, fields: Any) -> None:
    adapter = adapt(tp)
    adapter.json_schema()
    assert tuple(adapter.fields[tp].keys) == fields
    names = list(adapter.json_schema().get("properties", {"": ...}))
    assert names == [field.key for field in fields]


OTHER_NAMES: list[tuple[Any, dict[str, Any], str]] = [
    (Aliased, {"total": 1}, "total: unknown (did you mean amount?)"),
    (Aliased, {"amount": 0, "total": 1}, "total: unknown (did you mean amount?)"),
    (Apart, {"total": 1}, "total: unknown (did you mean amount?)"),
    (Apart, {"sum": 1}, "sum: unknown (did you mean amount?)"),
    (Several, {"city": ""}, "city: unknown (did you mean town?)"),
    (Several, {"place": ""}, "place: unknown (did you mean town?)"),
    (Several, {"at": {"city": ""}}, "at: unknown (did you mean town?)"),
    (Pathed, {"at": [""]}, "at: unknown (did you mean town?)"),
    (Camel, {"first_name": ""}, "first_name: unknown (did you mean firstName?)"),
    (Both, {"first_name": ""}, "first_name: unknown (did you mean FIRST_NAME?)"),
    (Both, {"firstName": ""}, "firstName: unknown (did you mean FIRST_NAME?)"),
    (Open, {"total": 1}, "total: unknown (did you mean amount?)"),
    (Open, {"twice": 1}, "twice: unknown"),
    (Open, {"twoTotals": 1}, "twoTotals: unknown"),
    (Partly, {"n": 1, "later": 1}, "later: unknown"),
    (Checked, {"total": 1}, "total: unknown (did you mean amount?)"),
    (Keys, {"total": 1}, "total: unknown (did you mean amount?)"),
    (Private, {"_total": 1}, "_total: unknown (did you mean total?)"),
    (Private, {"shown": 1}, "shown: unknown (did you mean amount?)"),
]


@pytest.mark.parametrize(("tp", "data", "told"), OTHER_NAMES)
@pytest.mark.parametrize("extra", [None, "ignore", "forbid"])
def test_another_name_of_a_field_is_refused_under_every_policy(
    tp: Any, data: Any, told: str, extra: Any
) -> None:
    for adapter, sent, start in (
        (adapt(tp), data, ""),
        (adapt(list[tp]), [data], "0."),
        (adapt(tp | None), data, ""),
    ):
        result = adapter.with_extra(extra).validate(sent)
        assert isinstance(result, Failure)
        assert [str(issue) for issue in result.issues] == [start + told]


@pydantic.dataclasses.dataclass(config=ConfigDict(extra="allow"))
class Limited:
    n: int
    most: ClassVar[int] = 100

    def save(self) -> int:
        return min(self.n, self.most)


@pytest.mark.requirement("view-law")
@pytest.mark.parametrize("name", ["most", "save"])
def test_an_extra_hides_no_attribute_of_a_class(name: str) -> None:
    result = adapt(Limited).validate({"n": 500, name: 1000})
    assert isinstance(result, Failure)
    assert [str(issue) for issue in result.issues] == [f"{name}: unknown"]
    kept: Any = adapt(Limited).construct({"n": 500, "further": 1})
    assert (kept.save(), kept.further) == (100, 1)


def test_the_name_of_a_parameter_that_is_not_kept_is_a_key_like_any_other() -> None:
    assert adapt(Partly).validate({"n": 1, "dropped": 5})


@pytest.mark.parametrize(
    ("fields", "config", "reason"),
    [
        ({"a": (int, Field(1, alias="x")), "b": (int, Field(2, alias="x"))}, {}, "two fields read"),
        ({"a": (int, Field(1, alias="b")), "b": (int, 2)}, {}, "two fields read the key b"),
        (
            {"a": (int, Field(1, validation_alias=AliasChoices("x", "b"))), "b": (int, 2)},
            {},
            "a further alias of a is the key of another field: b",
        ),
        (
            {"a": (int, Field(1, validation_alias=AliasChoices("x", AliasPath("b", 0)))),
             "b": (int, 2)},
            {},
            "a further alias of a is the key of another field: b",
        ),
        ({"a": (int, Field(1, validation_alias=AliasPath("x", 0)))}, {}, "alias of a is a path"),
        (
            {"a": (int, Field(1, alias="x"))},
            {"validate_by_alias": False, "validate_by_name": True},
            "a has an alias that validate_by_alias=False leaves unread",
        ),
    ],
)  # fmt: skip
def test_keys_that_no_schema_could_distinguish_are_rejected_at_the_definition(
    fields: Any, config: Any, reason: str
) -> None:
    model: Any = pydantic.create_model("Model", __config__=config or None, **fields)
    with pytest.raises(NoVendor, match=reason) as caught:
        adapt(model).json_schema()
    assert caught.value.fix


def test_a_field_may_be_named_like_the_key_of_another() -> None:
    class Crossed(BaseModel):
        a: int = Field(1, alias="b")
        c: int = Field(2, alias="a")

    result: Any = adapt(Crossed).validate({"a": 5, "b": 6})
    assert (result.value.a, result.value.c) == (6, 5)
