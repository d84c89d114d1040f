"""Types of every library, and what handlers return for them: right, nearly right and hostile."""

from __future__ import annotations

import dataclasses
import enum
import math
import threading
from collections import OrderedDict
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Self

import attrs
import msgspec
import pydantic
from hypothesis import strategies as st
from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from toolhaft import vendors

# ------------------------------------------------------------------- the types


class Flat(pydantic.BaseModel):
    city: str
    days: int
    temp: float
    wet: bool
    note: str | None


class Defaults(pydantic.BaseModel):
    city: str
    days: int = 3
    temp: float = 1
    note: str | None = None


class Lone(pydantic.BaseModel):
    city: str = "\ud800"


class Wrong(pydantic.BaseModel):
    city: int = "no"  # type: ignore[assignment]  # pydantic does not look at defaults


class Made(pydantic.BaseModel):
    city: str = Field(default_factory=lambda: "\ud800")
    tags: list[str] = Field(default_factory=list)


class Closed(pydantic.BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    city: str = Field(max_length=5)
    days: int = Field(ge=1, le=14)
    units: Literal["C", "F"] = "C"


class Open(pydantic.BaseModel):
    model_config = ConfigDict(extra="allow")
    city: str


class Anything(pydantic.BaseModel):
    city: Any
    days: int


class Stripped(pydantic.BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)
    city: str


class Renamed(pydantic.BaseModel):
    city: str = Field(alias="cityName")


class Apart(pydantic.BaseModel):
    city: str = Field(validation_alias="name", serialization_alias="city")


class Excluded(pydantic.BaseModel):
    city: str
    days: int = Field(default=1, exclude=True)


class Computed(pydantic.BaseModel):
    city: str

    @pydantic.computed_field
    def shout(self) -> str:
        return f"{self.city}!"


class Serialized(pydantic.BaseModel):
    days: int

    @pydantic.field_serializer("days")
    def write(self, value: int) -> str:
        return f"{value} days"


class Whole(pydantic.BaseModel):
    days: int

    @pydantic.model_serializer
    def write(self) -> dict[str, Any]:
        return {"city": self.days}


class Says(pydantic.BaseModel):
    """Its serializer may write anything, whatever it declares."""

    days: int

    @pydantic.field_serializer("days")
    def write(self, value: int) -> str:
        found: Any = (GOOD + WILD)[value % len(GOOD + WILD)]
        return found  # type: ignore[no-any-return]  # what is tested


class SaysMany(pydantic.BaseModel):
    days: int

    @pydantic.field_serializer("days")
    def write(self, value: int) -> list[int]:
        found: Any = (GOOD + WILD)[value % len(GOOD + WILD)]
        return [found, 1] if value % 2 else found


class Unsaid(pydantic.BaseModel):
    days: int

    @pydantic.field_serializer("days", return_type=int)
    def write(self, value: int) -> Any:
        return value

    @pydantic.model_serializer(mode="wrap")
    def write_all(self, write: Any) -> Any:
        return write(self)


class Upper(pydantic.BaseModel):
    city: str

    @pydantic.field_validator("city")
    @classmethod
    def upper(cls, value: str) -> str:
        return value.upper()


class UpperDefaults(pydantic.BaseModel):
    """Its validator does not see omitted fields."""

    city: str = "paris"
    days: int = 3

    @pydantic.field_validator("city")
    @classmethod
    def upper(cls, value: str) -> str:
        return value.upper()


class Seen(pydantic.BaseModel):
    """Its validator sees the returned value: an integer, which is no float yet."""

    temp: float

    @pydantic.field_validator("temp", mode="wrap")
    @classmethod
    def see(cls, value: Any, handler: Any) -> float:
        return handler(value) + (1 if type(value) is int else 0)  # type: ignore[no-any-return]


class Posted(pydantic.BaseModel):
    city: str

    def model_post_init(self, context: Any) -> None:
        self.city = self.city.upper()


class Told(pydantic.BaseModel):
    """Its output schema says more than pydantic checks."""

    days: Annotated[int, Field(json_schema_extra={"maximum": 5})]


class ToldWhole(pydantic.BaseModel):
    model_config = ConfigDict(json_schema_extra={"maxProperties": 1})
    city: str
    days: int = Field(ge=1)


class Half(pydantic.BaseModel):
    temp: float = Field(multiple_of=0.1)


class Color(enum.Enum):
    RED = "red"


class Scalars(pydantic.BaseModel):
    color: Color
    at: datetime
    price: Decimal
    either: int | str


class Item(pydantic.BaseModel):
    sku: str
    price: float
    left: int = 0


class Order(pydantic.BaseModel):
    city: str
    items: list[Item]
    first: Item | None
    counts: dict[str, int]
    tags: list[str] = Field(default=["a"])


class Node(pydantic.BaseModel):
    city: str
    next: Node | None = None


class Base(pydantic.RootModel[dict[str, int]]):
    pass


@dataclasses.dataclass
class Plain:
    city: str
    days: int
    temp: float


@dataclasses.dataclass
class PlainDefaults:
    city: str
    days: int = 3
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True, frozen=True)
class Slotted:
    city: str
    days: int


@dataclasses.dataclass
class Shouting:
    city: str

    def __getattribute__(self, name: str) -> Any:
        found = object.__getattribute__(self, name)
        return f"{found}!" if name == "city" else found


@dataclasses.dataclass
class PlainOrder:
    city: str
    items: list[Plain]


class Keys(TypedDict):
    city: str
    days: int
    temp: NotRequired[float]


class KeysOfKeys(TypedDict):
    city: str
    inner: Keys
    items: list[Item]


class Struct(msgspec.Struct):
    city: str
    days: int
    temp: float
    note: str | None


class StructDefaults(msgspec.Struct):
    city: str
    days: int = 3
    tags: list[str] = []


class StructClosed(msgspec.Struct, forbid_unknown_fields=True, rename="camel", frozen=True):
    city_name: Annotated[str, msgspec.Meta(max_length=5)]
    days: Annotated[int, msgspec.Meta(ge=1, extra_json_schema={"maximum": 5})]


class StructTold(msgspec.Struct):
    """Its schema says more than msgspec checks."""

    city: Annotated[str, msgspec.Meta(min_length=1)]
    days: Annotated[int, msgspec.Meta(extra_json_schema={"maximum": 5})]


class StructBounded(msgspec.Struct):
    city: Annotated[str, msgspec.Meta(max_length=5)]
    days: Annotated[int, msgspec.Meta(ge=1, le=5)]
    units: Literal["C", "F"]
    either: int | str | None


class StructTagged(msgspec.Struct, tag=True):
    city: str


class StructPosted(msgspec.Struct):
    city: str

    def __post_init__(self) -> None:
        self.city = self.city.upper()


class StructOmits(msgspec.Struct, omit_defaults=True):
    city: str
    days: int = 3


class StructArray(msgspec.Struct, array_like=True):
    city: str
    days: int


class StructItem(msgspec.Struct):
    sku: str
    price: float


class StructOrder(msgspec.Struct):
    city: str
    items: list[StructItem]
    counts: dict[str, int]
    first: StructItem | None = None


class StructOpen(msgspec.Struct):
    city: Any
    color: Color | None = None


def upper(text: str) -> str:
    return text.upper()


@attrs.define
class Attributes:
    city: str
    days: int
    temp: float


@attrs.define(slots=False)
class AttributesDefaults:
    city: str
    days: int = 3
    tags: list[str] = attrs.field(factory=list)


@attrs.define
class AttributesUpper:
    city: str = attrs.field(converter=upper)
    days: int = attrs.field(default=1, validator=attrs.validators.le(5))


@attrs.define
class AttributesPosted:
    city: str

    def __attrs_post_init__(self) -> None:
        self.city = self.city.upper()


@attrs.define
class AttributesOrder:
    city: str
    items: list[Attributes]


FLAT = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 14}},
    "required": ["city"],
}
DEEP = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "items": {"type": "array", "items": FLAT}},
}
TYPES: dict[str, Any] = {
    **{
        one.__name__: one
        for one in (
            Flat, Defaults, Lone, Wrong, Made, Closed, Open, Anything, Stripped, Renamed, Apart,
            Excluded, Computed, Serialized, Whole, Says, SaysMany, Unsaid, Upper, UpperDefaults,
            Seen, Posted, Told, ToldWhole, Half, Scalars, Order, Node, Base, Plain, PlainDefaults,
            Slotted, Shouting,
            PlainOrder, Keys, KeysOfKeys, Struct, StructDefaults, StructClosed, StructTold,
            StructBounded, StructTagged, StructPosted, StructOmits, StructArray,
            StructOrder, StructOpen, Attributes, AttributesDefaults, AttributesUpper,
            AttributesPosted, AttributesOrder,
        )
    },
    "map": dict[str, int],
    "open map": dict[str, Any],
    "list of models": list[Item],
    "list of dicts": list[Keys],
    "list of structs": list[StructItem],
    "numbers": list[float],
    "numbers in lists": list[list[int]],
    "numbers in deep lists": list[list[list[int]]],
    "numbers or text": list[int | str],
    "numbers as keys": dict[int, str],
    "number or letter": Literal["a", 1],
    "number": float,
    "json schema": FLAT,
    "deep json schema": DEEP,
}  # fmt: skip

# ------------------------------------------------------------------- the results


class Text(str):
    """Text that answers for itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return "other"


class Number(int):
    """A number that answers for itself."""

    def __int__(self) -> int:
        return 77


class Measure(float):
    """The same for floats."""


class Named(str, enum.Enum):  # noqa: UP042 - its value is not its text
    """Text whose value is other text."""

    PARIS = "Paris"

    def __new__(cls, text: str) -> Self:
        made = str.__new__(cls, text)
        made._value_ = "London"
        return made


class Level(int, enum.Enum):
    """A number whose value is text."""

    LOW = 1

    def __new__(cls, number: int) -> Self:
        made = int.__new__(cls, number)
        made._value_ = "low"
        return made

    def __repr__(self) -> str:
        return "Level.LOW"


class Mapping(dict[Any, Any]):
    """A dict that answers for itself."""

    def __getitem__(self, key: Any) -> Any:
        return "other"


class Pair(NamedTuple):
    city: str
    days: int


TEXTS = ["Paris", "C", "red", "Zürich", "", " x ", "2026-11-21T08:00:00Z", "1.50"]
GOOD = [*TEXTS, 0, 3, 6, -1, 1.5, 0.1, 5.0, True, None]
WILD: list[Any] = [
    "\ud800", Text("Paris"), Named.PARIS, 1 << 63, -(1 << 63) - 1, 10**400, 10**4400, -(10**4400),
    Number(3), Level.LOW, Measure(1.5), math.nan, math.inf, -math.inf, 2.0**60, b"text", b"\xff",
    datetime(2026, 1, 1, tzinfo=UTC), Decimal("1.5"), Color.RED, {"a"}, (1, 2), ("Paris",), 1j,
    threading.Lock(), ValueError("secret"), Pair("Paris", 1), [], {}, Item(sku="a", price=1),
    Item.model_construct(sku=1), StructItem("a", 1.0), StructItem("a", "b"),  # type: ignore[arg-type]
    Attributes("a", 1, 2.0), Plain("a", 1, 2), range(2), object,
    MappingProxyType({"city": "Paris"}),
]  # fmt: skip
KEYS: list[Any] = [
    "city", "days", "temp", "wet", "note", "units", "cityName", "name", "color", "at", "price",
    "either", "items", "first", "counts", "tags", "next", "inner", "sku", "left", "type",
    "city_name",
]  # fmt: skip
ODD_KEYS: list[Any] = [
    Text("city"),
    Named.PARIS,
    Text("days"),
    1,
    None,
    "\ud800",
    "zürich",
    "extra",
]
# By their places, as hypothesis cannot write all of them.
scalars = st.sampled_from(GOOD) | st.sampled_from(range(len(WILD))).map(lambda at: WILD[at])
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=2).map(OrderedDict)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=2).map(Mapping)
    ),
    max_leaves=8,
)


def right(name: str) -> Any:
    """Data that are right, or nearly."""
    if "number" in name:
        number = st.sampled_from([1, 1.5, -2.5, 2**70, math.nan])
        several = st.lists(st.lists(st.integers() | st.just(Level.LOW), max_size=3), max_size=3)
        return {"numbers": st.lists(number), "number": number}.get(name, several)
    text, number = st.sampled_from(TEXTS), st.sampled_from([0, 1, 3, 6])
    if name.startswith("Says"):
        return st.fixed_dictionaries({"days": st.integers(0, 99)})
    item = st.fixed_dictionaries(
        {"sku": text, "price": st.sampled_from([1.5, 2, 0.1])}, optional={"left": number}
    )
    flat = {"city": text, "days": number, "temp": st.sampled_from([1.5, 2])}
    inner = st.fixed_dictionaries(flat)
    if name.startswith("list"):
        return st.lists(inner if "dicts" in name else item, max_size=3)
    if name == "map":
        return st.dictionaries(text, number, max_size=3)
    if name == "open map":
        return st.dictionaries(text, st.sampled_from(GOOD), max_size=3)
    items = inner if name in ("PlainOrder", "AttributesOrder", "deep json schema") else item
    every = {
        **flat, "wet": st.booleans(), "note": st.none() | text,
        "units": st.sampled_from(["C", "F"]), "cityName": text, "name": text,
        "color": st.just("red"),
        "at": st.just("2026-11-21T08:00:00+00:00"), "price": st.just("1.50"),
        "either": text | number, "items": st.lists(items, max_size=3),
        "first": st.none() | item, "inner": inner,
        "counts": st.dictionaries(text, number, max_size=2), "tags": st.lists(text, max_size=2),
        "next": st.none() | st.fixed_dictionaries({"city": text}), "type": st.just("StructTagged"),
    }  # fmt: skip
    schema = adapter_of(name).json_schema(mode="input")
    wanted = schema.get("properties", {"city": {}, "days": {}})
    needed = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {key: every[key] for key in wanted if key in needed},
        optional={key: every[key] for key in wanted if key not in needed},
    )


def adapter_of(name: str) -> Any:
    return vendors.adapt(TYPES[name])


@st.composite
def results(draw: st.DrawFn, name: str) -> Any:
    """A result that is right, changed in a few places, or anything."""
    made = draw(right(name))
    if draw(st.booleans()):
        with suppress(Exception):
            made = adapter_of(name).construct(made)
    for _ in range(draw(st.integers(0, 2))):
        _change(draw, made)
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(anything)
    if kind == 1 and isinstance(made, dict):
        return draw(st.sampled_from([Mapping, OrderedDict, MappingProxyType]))(made)
    return made


def _change(draw: st.DrawFn, made: Any) -> None:
    """Put something else somewhere."""
    value = draw(anything)
    if isinstance(made, list):
        at = draw(st.integers(0, len(made)))
        if at < len(made) and draw(st.booleans()):
            _change(draw, made[at])
        else:
            made[at:] = [value]
    elif isinstance(made, dict):
        keys = st.sampled_from([*made, *ODD_KEYS]) | st.sampled_from(KEYS)
        key = draw(keys)
        if key in made and draw(st.booleans()):
            _change(draw, made[key])
        elif key in made and draw(st.booleans()):
            del made[key]
        else:
            made[key] = value
    elif not isinstance(made, str | int | float | enum.Enum | None):
        name = draw(st.sampled_from([*KEYS, "extra"]))
        with suppress(Exception):
            if draw(st.booleans()):
                _change(draw, getattr(made, name))
            elif draw(st.integers(0, 3)):
                object.__setattr__(made, name, value)
            else:
                object.__delattr__(made, name)
