"""The owner of a type is found without importing any library."""

from __future__ import annotations

import dataclasses
import enum
import gc
import subprocess
import sys
import weakref
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import attrs
import msgspec
import pytest
from pydantic import BaseModel, SecretStr, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass
from typing_extensions import TypedDict

from toolhaft import DefinitionError, Toolset, schema_of, tool, vendors
from toolhaft.jsonio.jsondata import UNKNOWN, NotJson, to_json_data
from toolhaft.spec import Issue, StandardSchema
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors.adapter import NoVendor


class Model(BaseModel):
    n: int
    day: date = date(2024, 1, 1)


class Struct(msgspec.Struct):
    n: int
    day: date = date(2024, 1, 1)


@dataclasses.dataclass
class Plain:
    n: int


@checked_dataclass
class Checked:
    n: int


@dataclasses.dataclass
class HoldsStruct:
    inner: list[Struct]


@dataclasses.dataclass
class HoldsMeta:
    n: Annotated[int, msgspec.Meta(ge=1)]


@dataclasses.dataclass
class HoldsItself:
    more: HoldsItself | None


class Keys(TypedDict):
    n: int


class KeysOfStructs(TypedDict):
    inner: Struct


class Pair(NamedTuple):
    n: int


class Color(enum.Enum):
    RED = "red"


class Stranger:
    pass


class Carrier:
    __standard_schema__: StandardSchema[Any] = vendors.adapt(Model)


@pytest.mark.parametrize(
    ("tp", "name"),
    [
        (Model, "pydantic"),
        (Checked, "pydantic"),
        (Plain, "pydantic"),
        (Keys, "pydantic"),
        (Pair, "pydantic"),
        (Color, "pydantic"),
        (HoldsItself, "pydantic"),
        (TypeAdapter(int), "pydantic"),
        (SecretStr, "pydantic"),
        (UUID, "pydantic"),
        (None, "pydantic"),
        (Any, "pydantic"),
        (list[Model] | None, "pydantic"),
        (Sequence[int], "pydantic"),
        (Literal["a"], "pydantic"),
        (Annotated[int, msgspec.Meta(ge=1)], "pydantic"),
        (Struct, "msgspec"),
        (list[Struct] | None, "msgspec"),
        (Annotated[Struct, "note"], "msgspec"),
        (HoldsStruct, "msgspec"),
        (HoldsMeta, "msgspec"),
        (KeysOfStructs, "msgspec"),
        ({"type": "object"}, "json-schema"),
        (Carrier, "standard-schema"),
        (Carrier(), "standard-schema"),
        (vendors.adapt(int), "standard-schema"),
    ],
)
def test_a_type_has_one_owner(tp: object, name: str) -> None:
    owner = vendors.find_owner(tp)
    assert owner is not None
    assert name == owner.NAME


@pytest.mark.requirement("vendor-unknown-type")
@pytest.mark.parametrize("tp", [Stranger, list[Stranger], len, "int", 5, {1: "a"}])
def test_a_type_that_nobody_owns_is_an_error_with_a_fix(tp: object) -> None:
    assert vendors.find_owner(tp) is None
    with pytest.raises(
        NoVendor, match=r"no validator owns .*; give its JSON Schema as parameters=,"
    ):
        vendors.adapt(tp)


def test_an_object_in_place_of_its_class_is_reported() -> None:
    with pytest.raises(NoVendor, match="no validator owns a Model; pass its class"):
        vendors.adapt(Model(n=1))


@dataclasses.dataclass
class Unresolved:
    there: "Nowhere"  # type: ignore[name-defined] # noqa: F821, UP037


def test_a_name_that_is_not_defined_yet_is_nobodys_mark() -> None:
    owner = vendors.find_owner(Unresolved)
    assert owner is not None
    assert owner.NAME == "pydantic"


@dataclasses.dataclass
class Late:
    inner: "list[Later]"  # type: ignore[name-defined] # noqa: F821, UP037


def test_an_answer_is_another_one_once_the_names_are_defined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owners = [vendors.find_owner(Late), vendors.find_owner(list["Later"])]  # type: ignore[name-defined] # noqa: F821
    monkeypatch.setitem(globals(), "Later", Struct)
    owners += [vendors.find_owner(Late), vendors.find_owner(Late)]
    assert [getattr(one, "NAME", None) for one in owners] == [
        "pydantic",
        "pydantic",
        "msgspec",
        "msgspec",
    ]


def test_an_answer_is_remembered() -> None:
    before = vendors._cached_owner.cache_info().hits
    assert vendors.find_owner(list[Plain]) is vendors.find_owner(list[Plain])
    assert vendors._cached_owner.cache_info().hits > before


@pytest.mark.parametrize("tp", [Model, Struct, dict[str, Any], dict[str, Model]])
def test_many_tools_of_one_type_share_its_adapter(tp: Any) -> None:
    def give(value: Any) -> Any:
        return value

    one, other = Toolset(
        tool(give, name=name, description="Give it back.", input=tp, output=tp)
        for name in ("one", "other")
    )
    assert one.input_schema is other.input_schema
    assert one.output_schema is other.output_schema


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Literal["a", "b"], Literal["b", "a"]),
        (int | str, str | int),
    ],
)
def test_annotations_that_are_equal_but_written_otherwise_keep_their_own_schemas(
    one: Any, other: Any
) -> None:
    assert one == other
    shown = [repr(vendors.shared_adapter(tp).checker("output").schema) for tp in (one, other)]
    assert shown == [repr(vendors.adapt(tp).checker("output").schema) for tp in (one, other)]
    assert shown[0] != shown[1]


def of_rows(kind: type) -> AnyTool:
    class Row(BaseModel):
        value: kind  # type: ignore[valid-type]

    @tool(input=list["Row"])
    def count(rows: list[Row]) -> int:
        """Count rows."""
        return len(rows)

    return count


def test_a_name_may_mean_another_class_in_each_scope() -> None:
    texts, numbers = of_rows(str), of_rows(int)
    assert texts.call_sync({"value": [{"value": "a"}]}).unwrap() == 1
    assert numbers.call_sync({"value": [{"value": 1}]}).unwrap() == 1


def test_types_that_are_not_used_any_more_are_let_go() -> None:
    kept = vendors._adapter_of.cache_info().maxsize
    assert kept is not None
    old = weakref.ref(vendors.shared_adapter(msgspec.defstruct("Old", [("n", int)])))
    for number in range(kept):
        vendors.shared_adapter(msgspec.defstruct(f"New{number}", [("n", int)]))
    gc.collect()
    assert old() is None


def test_an_error_about_a_type_shows_no_address() -> None:
    with pytest.raises(NoVendor, match=r"^no validator owns a function; "):
        vendors.adapt(test_an_error_about_a_type_shows_no_address)


NOTHING_IMPORTED = """
import sys
from dataclasses import dataclass
from toolhaft import vendors

@dataclass
class Plain:
    n: int

types = (int, list[str], Plain, {"type": "null"}, object())
names = [getattr(vendors.find_owner(tp), "NAME", None) for tp in types]
libraries = {"pydantic", "pydantic_core", "msgspec"}
print(names, sorted(libraries & sys.modules.keys()))
"""


@pytest.mark.requirement("vendor-nothing-imported")
def test_finding_the_owner_imports_no_vendor() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTHING_IMPORTED], capture_output=True, text=True, check=True
    )
    names = ["pydantic", "pydantic", "pydantic", "json-schema", None]
    assert done.stdout == f"{names} []\n"


# How a program declares the input of a tool, for each vendor, and which libraries it loads.
PROGRAMS = {
    "msgspec": (
        "import msgspec\nclass In(msgspec.Struct):\n    n: int",
        {"msgspec"},
    ),
    "pydantic": (
        "from pydantic import BaseModel\nclass In(BaseModel):\n    n: int",
        {"pydantic"},
    ),
    "dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass In:\n    n: int",
        {"pydantic"},
    ),
    "pydantic dataclass": (
        "from pydantic.dataclasses import dataclass\n@dataclass\nclass In:\n    n: int",
        {"pydantic"},
    ),
    "typed dict": (
        "from typing import TypedDict\nclass In(TypedDict):\n    n: int",
        {"pydantic"},
    ),
    "attrs": (
        "import attrs\n@attrs.define\nclass In:\n    n: int",
        {"attr", "attrs", "pydantic"},
    ),
    "schema_of": (
        """
from toolhaft import schema_of
In = schema_of(validate=dict, json_schema={
    'type': 'object', 'properties': {'n': {'type': 'integer'}}})""",
        set[str](),
    ),
    "marshmallow": (
        "import marshmallow\nclass In(marshmallow.Schema):\n    n = marshmallow.fields.Int()",
        {"marshmallow"},
    ),
    "voluptuous": (
        "import voluptuous\nIn = voluptuous.Schema({'n': int})",
        {"voluptuous"},
    ),
    "json-schema": (
        "In = {'type': 'object', 'properties': {'n': {'type': 'integer'}}, 'required': ['n']}",
        set[str](),
    ),
    "native": (
        """
from toolhaft.spec import Success
class Other:
    version, vendor = 1, 'other'
    def validate(self, value): return Success(value)
    def json_schema(self, **_):
        return {'type': 'object', 'properties': {'n': {'type': 'integer'}}}
In = Other()""",
        set[str](),
    ),
}
USE = """
import sys
from toolhaft import Toolset, tool
tools = Toolset([tool(lambda given: 1, name="t", description="d", input=In, output=None)])
tools.call_sync("t", {"n": 1}).unwrap()
tools.call_sync("t", {"n": "x"}).text
tools.export("openai", strict="prefer")
libraries = "apispec attr attrs cattrs marshmallow msgspec pydantic voluptuous".split()
print([name for name in libraries if name in sys.modules])
"""


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-nothing-imported")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_tool_loads_its_own_vendor_and_no_other(name: str) -> None:
    """pydantic is the engine of plain annotations, and of attrs classes."""
    program, loaded = PROGRAMS[name]
    done = subprocess.run(
        [sys.executable, "-c", program + USE], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{sorted(loaded)}\n"


def test_objects_of_a_vendor_are_dumped_by_their_own_class() -> None:
    found = to_json_data(
        [Model(n=1), {"s": Struct(n=2)}, Checked(n=3)], foreign=vendors.dump_foreign
    )
    assert found == [
        {"n": 1, "day": "2024-01-01"},
        {"s": {"n": 2, "day": "2024-01-01"}},
        {"n": 3},
    ]


@pytest.mark.parametrize("value", [Stranger(), Model, Struct, 5])
def test_only_objects_of_a_vendor_are_known(value: object) -> None:
    assert vendors.dump_foreign(value) is UNKNOWN


@pytest.mark.parametrize(
    "value",
    [Model.model_construct(n=object()), Struct(n=object())],  # type: ignore[arg-type]
)
def test_a_vendors_object_that_holds_no_json_is_refused(value: object) -> None:
    with pytest.raises(NotJson) as caught:
        vendors.dump_foreign(value)
    said = "expected plain JSON data, received object"
    assert caught.value.issues == [Issue(said, code="json")]


SIGNATURES = """
import sys
from typing import NamedTuple
from toolhaft import Toolset, schema_of, tool
class Pair(NamedTuple):
    n: int
@tool
def f(pair: Pair, n: int = 1) -> Pair:
    "F."
    return pair
In = schema_of(validate=dict, json_schema={"type": "object"})
@tool(output=In)
def g(one: In) -> dict:
    "G."
    return one
tools = Toolset([f, g])
tools.call_sync("f", {"pair": [1]}).unwrap()
tools.call_sync("g", {"one": {}}).unwrap()
libraries = "apispec attr attrs cattrs marshmallow msgspec pydantic voluptuous".split()
print([name for name in libraries if name in sys.modules])
"""


@pytest.mark.requirement("vendor-own-reader")
def test_a_dataclass_with_a_mixin_of_mashumaro_is_no_plain_one() -> None:
    mixin = type("DataClassDictMixin", (), {"__module__": "mashumaro.mixins.dict"})
    mixed: Any = dataclasses.make_dataclass("Mixed", [("n", int)], bases=(mixin,))
    for tp in (mixed, list[mixed], mixed | None):
        with pytest.raises(NoVendor, match="no validator owns"):
            vendors.adapt(tp)
    plain: Any = dataclasses.make_dataclass("Plain", [("inner", list[mixed])])
    struct: Any = msgspec.defstruct("Struct", [("inner", mixed)])
    for tp in (plain, struct, attrs.make_class("Own", {"inner": attrs.field(type=mixed)})):
        with pytest.raises(NoVendor, match="Mixed is read by its mixin"):
            vendors.adapt(tp).emit("input")


@pytest.mark.requirement("vendor-own-reader")
def test_a_class_of_mashumaros_own_is_a_tools_input_by_schema_of() -> None:
    mixins = pytest.importorskip("mashumaro.mixins.dict", reason="mashumaro is not installed")
    item: Any = dataclasses.make_dataclass("Item", [("n", int)], bases=(mixins.DataClassDictMixin,))
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    with pytest.raises(DefinitionError, match=r"no validator owns Item; .*schema_of"):
        Toolset(
            [tool(lambda item: item, name="f", description="F.", input=item, parameters=schema)]
        )
    read = schema_of(validate=item.from_dict, vendor="mashumaro", json_schema=schema)
    read_item: Any = tool(lambda item: item.n, name="f", description="F.", input=read)
    assert read_item.call_sync({"n": "1"}).unwrap() == 1


@pytest.mark.requirement("vendor-nothing-imported")
def test_signatures_and_results_load_the_engine_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SIGNATURES], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['pydantic']\n"
