"""pydantic's JSON Schemas express the authors' types, and nothing that pydantic makes up."""

from __future__ import annotations

import dataclasses
import enum
from datetime import date
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PlainSerializer,
    PlainValidator,
    RootModel,
    SecretStr,
    computed_field,
)
from pydantic_core import PydanticUndefined

from tests.vendors.pydantic.samples import Tree
from toolhaft.definition.markers import Doc
from toolhaft.schema.marks import without_marks
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.pydantic import adapter as pydantic

T = TypeVar("T")


def emitted(tp: Any, mode: Literal["input", "output"] = "input") -> dict[str, Any]:
    made: dict[str, Any] = without_marks(pydantic.adapter(tp).emit(mode))
    return made


class Kind(enum.Enum):
    """What kind it is."""

    OLD = "old"
    NEW = "new"


class Titled(BaseModel):
    model_config = ConfigDict(title="Titled")
    plain: int
    written: int = Field(title="Written")
    kind: Kind


class Generated(BaseModel):
    model_config = ConfigDict(model_title_generator=lambda cls: cls.__name__)
    n: int


class Extra(BaseModel):
    model_config = ConfigDict(json_schema_extra={"title": "Extra", "examples": [{"n": 1}]})
    n: int


@pytest.mark.requirement("vendor-no-made-up-titles")
def test_a_title_is_kept_only_where_the_author_wrote_it() -> None:
    assert emitted(Titled) == {
        "type": "object",
        "properties": {
            "plain": {"type": "integer"},
            "written": {"type": "integer", "title": "Written"},
            "kind": {"$ref": "#/$defs/Kind"},
        },
        "required": ["plain", "written", "kind"],
        "title": "Titled",
        "$defs": {
            "Kind": {"enum": ["old", "new"], "type": "string", "description": "What kind it is."}
        },
    }
    assert emitted(Generated)["title"] == "Generated"
    assert emitted(Extra)["title"] == "Extra"
    assert emitted(Extra)["examples"] == [{"n": 1}]
    assert "title" not in emitted(Tree)


class Documented(BaseModel):
    """A thing.

    It has a second paragraph.

    Attributes:
        a: said by the docstring
        b: said too late
        c: said too late
    """

    a: int
    b: Annotated[int, Doc("said by Doc")]
    c: Annotated[int, Doc("said too late"), Field(description="said by Field")]


@dataclasses.dataclass
class Undocumented:
    n: int


@pytest.mark.requirement("pain-44")
def test_a_description_comes_from_the_field_else_doc_else_the_docstring() -> None:
    assert emitted(Documented) == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "said by the docstring"},
            "b": {"type": "integer", "description": "said by Doc"},
            "c": {"type": "integer", "description": "said by Field"},
        },
        "required": ["a", "b", "c"],
        "description": "A thing.\n\nIt has a second paragraph.",
    }


def test_a_dataclass_has_no_description_but_the_one_that_was_written() -> None:
    assert emitted(Undocumented) == {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    }


class OneHome:
    class Same(BaseModel):
        a: int


class OtherHome:
    class Same(BaseModel):
        b: int


class Box(BaseModel, Generic[T]):
    value: T


class Names(BaseModel):
    one: OneHome.Same
    two: OtherHome.Same
    box: Box[int]
    boxes: Box[list[str]]


@pytest.mark.requirement("vendor-no-module-names")
def test_definitions_are_named_after_classes_and_numbered_where_they_collide() -> None:
    schema = emitted(Names)
    assert list(schema["$defs"]) == ["Same", "Same_2", "Box_int", "Box_list_str"]
    assert schema["properties"]["two"] == {"$ref": "#/$defs/Same_2"}
    assert "samples" not in repr(schema)
    assert "emission" not in repr(schema)


def test_a_recursive_root_has_the_type_object_itself() -> None:
    node = {
        "type": "object",
        "properties": {
            "v": {"type": "integer"},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}, "default": []},
        },
        "required": ["v"],
    }
    assert emitted(Tree) == {**node, "$defs": {"Tree": node}}


def test_definitions_that_nothing_refers_to_are_left_out() -> None:
    assert "$defs" not in emitted(Annotated[Documented, Doc("use")])
    assert emitted(Annotated[Documented, Doc("use")])["description"] == "use"


class Both(BaseModel):
    sold: date = Field(alias="sold_in", serialization_alias="soldOut")
    price: Annotated[float, PlainSerializer(str, return_type=str)] = 1.0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def label(self) -> str:
        return "x"


def test_input_and_output_differ_in_aliases_computed_fields_and_serialised_types() -> None:
    assert emitted(Both, "input")["properties"] == {
        "sold_in": {"type": "string", "format": "date"},
        "price": {"type": "number", "default": 1.0},
    }
    assert emitted(Both, "output")["properties"] == {
        "soldOut": {"type": "string", "format": "date"},
        "price": {"type": "string", "default": "1.0"},
        "label": {"type": "string", "readOnly": True},
    }


class Loose(BaseModel):
    anything: Any
    optional: Any = None
    items: list[Any]
    table: dict[str, Any]
    value: JsonValue


@pytest.mark.requirement("vendor-no-empty-schema")
def test_a_field_of_any_type_is_described_as_such() -> None:
    words = ["null", "boolean", "number", "string", "array", "object"]
    schema = emitted(Loose)
    assert schema["properties"] == {
        "anything": {"type": words},
        "optional": {"type": words, "default": None},
        "items": {"type": "array", "items": {}},
        "table": {"type": "object", "additionalProperties": True},
        "value": {"$ref": "#/$defs/JsonValue"},
    }
    assert schema["$defs"] == {"JsonValue": {"type": words}}
    assert emitted(JsonValue) == {"type": words}


class Declared(BaseModel):
    n: Annotated[int, PlainValidator(int, json_schema_input_type=int | str)]


def test_a_plain_validator_that_declares_what_it_takes_is_fine() -> None:
    assert emitted(Declared)["properties"] == {
        "n": {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    }


class Days(enum.Enum):
    FIRST = date(2026, 1, 1)


class Levels(enum.IntEnum):
    LOW = 1
    LEAST = 1
    HIGH = 2


def test_a_member_of_an_enum_is_listed_once_and_is_json() -> None:
    assert emitted(Levels) == {"type": "integer", "enum": [1, 2]}
    with pytest.raises(NoVendor, match=r"a member of Days is not JSON: .* received date"):
        emitted(Days)
    assert emitted(Days, "output") == {"type": "string", "enum": ["2026-01-01"]}


def test_a_class_is_no_json() -> None:
    with pytest.raises(NoVendor, match="a class, which is not JSON"):
        emitted(type[int])


class Defaults(BaseModel):
    day: date = date(2024, 1, 1)
    kind: Kind = Kind.OLD
    nested: Generated = Generated(n=1)
    many: list[int] = [1]
    tags: set[str] = {"b", "a"}
    infinite: float = float("inf")
    secret: SecretStr = SecretStr("hush")
    made: list[int] = Field(default_factory=list)


def test_defaults_are_plain_json_or_absent(recwarn: pytest.WarningsRecorder) -> None:
    found = {
        name: node.get("default", PydanticUndefined)
        for name, node in emitted(Defaults)["properties"].items()
    }
    assert found == {
        "day": "2024-01-01",
        "kind": "old",
        "nested": {"n": 1},
        "many": [1],
        "tags": ["a", "b"],
        "infinite": PydanticUndefined,
        "secret": PydanticUndefined,
        "made": PydanticUndefined,
    }
    assert recwarn.list == []


class Wrapped(RootModel[list[int]]):
    """Some numbers.

    Attributes:
        root: not a property
    """


def test_a_root_model_is_its_root() -> None:
    assert emitted(Wrapped) == {
        "type": "array",
        "items": {"type": "integer"},
        "description": "Some numbers.",
    }


@dataclasses.dataclass
class Shop:
    """A shop.

    Args:
        name: its name
    """

    name: str
    city: Annotated[str, Doc("where it is")] = ""
    stock: list[Undocumented] = dataclasses.field(default_factory=list[Undocumented])


def test_a_dataclass_is_described_by_its_docstring_and_its_docs() -> None:
    assert emitted(Shop) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "its name"},
            "city": {"type": "string", "default": "", "description": "where it is"},
            "stock": {"type": "array", "items": {"$ref": "#/$defs/Undocumented"}},
        },
        "required": ["name"],
        "description": "A shop.",
        "$defs": {"Undocumented": emitted(Undocumented)},
    }


def test_emitting_changes_nothing_that_pydantic_itself_would_emit() -> None:
    before = Titled.model_json_schema()
    emitted(Titled)
    assert Titled.model_json_schema() == before
    assert before["properties"]["plain"]["title"] == "Plain"
