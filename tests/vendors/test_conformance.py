"""The same type in every vendor: equal schemas, exactly the data that they accept, and equal bytes.

The outcomes of a table of arguments are in `test_argument_rows.py`.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from dataclasses import field
from typing import Annotated, Any, Literal, NotRequired

import marshmallow
import msgspec
import pytest
import voluptuous
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import fields, validate
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from toolhaft import vendors
from toolhaft.schema.checker import Checker
from toolhaft.schema.marks import without_marks
from toolhaft.spec import Success
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.parameters import Parameter, compile_parameters

Kind = Literal["old", "new"]


class ModelPlace(BaseModel):
    model_config = ConfigDict(extra="forbid")
    lat: float
    name: str | None = None


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: int
    text: str
    tags: list[str]
    place: ModelPlace
    n: Annotated[int, Field(ge=1, le=9)] = 3
    maybe: int | None = 3
    flag: bool = False
    kind: Kind = "old"
    scores: dict[str, float] = {}


@dataclasses.dataclass
class PlainPlace:
    lat: float
    name: str | None = None


@dataclasses.dataclass
class Plain:
    id: int
    text: str
    tags: list[str]
    place: PlainPlace
    n: Annotated[int, Field(ge=1, le=9)] = 3
    maybe: int | None = 3
    flag: bool = False
    kind: Kind = "old"
    scores: dict[str, float] = field(default_factory=dict[str, float])


class KeysPlace(TypedDict):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    lat: float
    name: NotRequired[str | None]


class Keys(TypedDict):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    id: int
    text: str
    tags: list[str]
    place: KeysPlace
    n: NotRequired[Annotated[int, Field(ge=1, le=9)]]
    maybe: NotRequired[int | None]
    flag: NotRequired[bool]
    kind: NotRequired[Kind]
    scores: NotRequired[dict[str, float]]


class StructPlace(msgspec.Struct, forbid_unknown_fields=True):
    lat: float
    name: str | None = None


class Struct(msgspec.Struct, forbid_unknown_fields=True):
    id: int
    text: str
    tags: list[str]
    place: StructPlace
    n: Annotated[int, msgspec.Meta(ge=1, le=9)] = 3
    maybe: int | None = 3
    flag: bool = False
    kind: Kind = "old"
    scores: dict[str, float] = {}


class LoadedPlace(marshmallow.Schema):
    lat = fields.Float(required=True)
    name = fields.String(allow_none=True, load_default=None)


class Loaded(marshmallow.Schema):
    id = fields.Integer(required=True)
    text = fields.String(required=True)
    tags = fields.List(fields.String(), required=True)
    place = fields.Nested(LoadedPlace, required=True)
    n = fields.Integer(validate=validate.Range(1, 9), load_default=3)
    maybe = fields.Integer(allow_none=True, load_default=3)
    flag = fields.Boolean(load_default=False)
    kind = fields.String(validate=validate.OneOf(["old", "new"]), load_default="old")
    scores = fields.Dict(keys=fields.String(), values=fields.Float(), load_default=dict)


VOLUPTUOUS = voluptuous.Schema(
    {
        "id": int,
        "text": str,
        "tags": [str],
        "place": {
            "lat": float,
            voluptuous.Optional("name", default=None): voluptuous.Any(str, None),
        },
        voluptuous.Optional("n", default=3): voluptuous.All(int, voluptuous.Range(1, 9)),
        voluptuous.Optional("maybe", default=3): voluptuous.Maybe(int),
        voluptuous.Optional("flag", default=False): bool,
        voluptuous.Optional("kind", default="old"): voluptuous.In(["old", "new"]),
        voluptuous.Optional("scores", default=dict): {voluptuous.Optional(str): float},
    },
    required=True,
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "text": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {
            "type": "object",
            "properties": {
                "lat": {"type": "number"},
                "name": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            },
            "required": ["lat"],
            "additionalProperties": False,
        },
        "n": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 3},
        "flag": {"type": "boolean", "default": False},
        "kind": {"type": "string", "enum": ["old", "new"], "default": "old"},
        "scores": {"type": "object", "additionalProperties": {"type": "number"}, "default": {}},
    },
    "required": ["id", "text", "tags", "place"],
    "additionalProperties": False,
}


def signature(place: Any) -> Adapter[Any]:
    listed = [
        Parameter("id", int),
        Parameter("text", str),
        Parameter("tags", list[str]),
        Parameter("place", place),
        Parameter("n", Annotated[int, Field(ge=1, le=9)], False, 3),
        Parameter("maybe", int | None, False, 3),
        Parameter("flag", bool, False, False),
        Parameter("kind", Kind, False, "old"),
        Parameter("scores", dict[str, float], False, {}),
    ]
    return compile_parameters("sample", listed)


class Native:
    """Another library's schema: it checks with the model, and implements the protocol itself."""

    version = 1
    vendor = "native"

    def validate(self, value: Any, /) -> Any:
        return vendors.adapt(Model).validate(value)

    def json_schema(self, *, target: str, mode: Any) -> Any:
        return vendors.adapt(Model).json_schema(target=target, mode=mode)


SHAPES: dict[str, Adapter[Any]] = {
    "pydantic": vendors.adapt(Model),
    "dataclass": vendors.adapt(Plain),
    "typed dict": vendors.adapt(Keys),
    "msgspec": vendors.adapt(Struct),
    "signature": signature(ModelPlace),
    "mixed signature": signature(StructPlace),
    "json-schema": vendors.adapt(SCHEMA),
    "native": vendors.adapt(Native()),
    "marshmallow": vendors.adapt(Loaded),
    "voluptuous": vendors.adapt(VOLUPTUOUS),
}
every_shape = pytest.mark.parametrize("name", SHAPES)


def inlined(node: Any, definitions: dict[str, Any]) -> Any:
    """A schema without titles, descriptions, references and parts that not every vendor has.

    A dataclass cannot forbid further keys, a TypedDict has no defaults, and pydantic leaves out a
    factory's default.
    """
    if isinstance(node, list):
        return [inlined(one, definitions) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        node = {**definitions[node["$ref"].removeprefix("#/$defs/")], **node}
    dropped = {"$ref", "$defs", "title", "description", "default"}
    if node.get("additionalProperties") is False:
        dropped = {*dropped, "additionalProperties"}
    return {key: inlined(below, definitions) for key, below in node.items() if key not in dropped}


@pytest.mark.requirement("vendor-conformance")
@every_shape
def test_the_emitted_schemas_are_equal(name: str) -> None:
    schema = without_marks(SHAPES[name].emit("input"))
    assert inlined(schema, schema.get("$defs", {})) == inlined(SCHEMA, {})


@pytest.mark.requirement("vendor-conformance")
@pytest.mark.parametrize(
    "name",
    [
        "pydantic", "msgspec", "signature", "mixed signature", "native", "marshmallow",
        "voluptuous",
    ],
)  # fmt: skip
def test_defaults_and_closed_objects_are_emitted_for_vendors_that_have_them(name: str) -> None:
    schema = without_marks(SHAPES[name].emit("input"))
    defaults = {key: node.get("default") for key, node in schema["properties"].items()}
    assert defaults == {key: node.get("default") for key, node in SCHEMA["properties"].items()}
    assert schema["additionalProperties"] is False


GOOD: dict[str, Any] = {"id": 1, "text": "t", "tags": ["a"], "place": {"lat": 1.5}}


@every_shape
def test_accepted_data_can_be_dumped_and_fit_the_output_schema(name: str) -> None:
    adapter = SHAPES[name]
    data = {**GOOD, "place": {"lat": 1.5, "name": "x"}, "scores": {"a": 1.5}}
    if name.endswith("signature"):
        pytest.skip("the arguments of a call are never a result")
    result = adapter.validate(data)
    assert isinstance(result, Success)
    dumped = adapter.dump(result.value)
    dumped = vendors.dump_foreign(dumped) if name == "native" else dumped
    assert adapter.checker("output").is_valid(dumped)
    assert {key: dumped[key] for key in data} == data


# ----------------------------------------------------------------------------- agreement

CHECKER = Checker(SCHEMA)
scalars = st.none() | st.booleans() | st.integers(-2, 12) | st.floats(-2, 12) | st.text(max_size=3)
words = st.sampled_from(["old", "new", "a", "1", "true", "null"])
values = st.recursive(
    scalars | words,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["lat", "name", "a"]), inner, max_size=2)
    ),
    max_leaves=4,
)
changes = st.dictionaries(st.sampled_from([*SCHEMA["properties"], "zz"]), values, max_size=3)
losses = st.sets(st.sampled_from(SCHEMA["required"]), max_size=1)


def whole(value: Any) -> Any:
    """`5.0` and `5` are the same number to JSON Schema; the boundary writes it as an integer."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [whole(one) for one in value]
    if isinstance(value, dict):
        return {key: whole(one) for key, one in value.items()}
    return value


@pytest.mark.requirement("vendor-schema-is-enforced")
@pytest.mark.parametrize("name", [name for name in SHAPES if name != "dataclass"])
@given(changed=changes, lost=losses)
def test_a_vendor_accepts_exactly_what_its_schema_accepts(
    name: str, changed: dict[str, Any], lost: set[str]
) -> None:
    data = whole({key: one for key, one in {**GOOD, **changed}.items() if key not in lost})
    assert bool(SHAPES[name].validate(data)) == CHECKER.is_valid(data)


# --------------------------------------------------------------------------- determinism


def written() -> dict[str, Any]:
    return {
        name: [without_marks(one.emit("input")), without_marks(one.emit("output"))]
        for name, one in SHAPES.items()
    }


EMIT = """
import json
from tests.vendors.test_conformance import written
print(json.dumps(written()))
"""


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-deterministic")
def test_schemas_are_the_same_bytes_in_every_process_and_under_every_hash_seed() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", EMIT],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ".:src", "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    ]
    assert runs == [json.dumps(written()) + "\n"] * 3
