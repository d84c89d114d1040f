"""The problems of users of tool libraries, for the vendors and the signatures of a tool."""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
from typing import Annotated, Any, Literal, Optional, TypeAlias, Union

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import TypedDict

from tests.share import share
from tests.vendors.booking.tools import NAMES, booking
from tests.vendors.one_field import VENDORS, Color, reading, sent
from toolhaft import Context, DefinitionError, Err, Injected, Ok, Toolset, tool
from toolhaft.schema.checker import Checker
from toolhaft.tools.tool import AnyTool

every_vendor = pytest.mark.parametrize("name", VENDORS)


def made(name: str, tp: Any, **options: Any) -> AnyTool:
    try:
        return reading(name, tp, **options)
    except KeyError:
        pytest.skip(f"{name} has no such type")


# ------------------------------------------------------- what reaches the handler


@pytest.mark.requirement("pain-71")
@every_vendor
@pytest.mark.parametrize("policy", ["none", "safe"])
def test_a_text_where_a_list_is_expected_is_not_taken_apart(name: str, policy: str) -> None:
    outcome = made(name, list[str], coerce=policy).call_sync(sent(name, "abc"))
    assert isinstance(outcome, Err)
    assert (outcome.kind, [one.code for one in outcome.issues]) == ("invalid_input", ["type"])


@pytest.mark.requirement("pain-45")
@every_vendor
def test_an_enum_arrives_as_its_member(name: str) -> None:
    outcome = made(name, Color).call_sync(sent(name, "red"))
    assert isinstance(outcome, Ok)
    assert outcome.value == ("red" if name == "json-schema" else Color.RED)


class PayloadModel(pydantic.BaseModel):
    n: int


@dataclasses.dataclass
class PayloadPlain:
    n: int


@attrs.define
class PayloadAttrs:
    n: int


class PayloadStruct(msgspec.Struct):
    n: int


PAYLOADS = (PayloadModel, PayloadPlain, PayloadAttrs, PayloadStruct)


@pytest.mark.requirement("pain-45")
@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_parameter_is_an_object_of_its_class_in_any_container(payload: Any) -> None:
    containers: Any = {
        "one": payload,
        "listed": list[payload],
        "named": dict[str, payload],
        "maybe": payload | None,
        "noted": Annotated[payload, "a note"],
    }

    def handler(one: Any, listed: Any, named: Any, maybe: Any, noted: Any) -> list[str]:
        """Return the types of the arguments."""
        return [type(it).__name__ for it in (one, listed[0], named["a"], maybe, noted)]

    handler.__annotations__ = {**containers, "return": list[str]}
    item = {"n": 1}
    outcome = tool(handler).call_sync(
        {"one": item, "listed": [item], "named": {"a": item}, "maybe": item, "noted": item}
    )
    assert outcome.unwrap() == [payload.__name__] * 5


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.floats(-2, 12) | st.text(max_size=3)
    | st.sampled_from(["cat", "dog", "old", "2024-01-01", "AB12"]),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(st.sampled_from(["lat", "name", "kind", "lives"]), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
REQUIRED: dict[str, Any] = {"id": 1, "text": "t", "tags": ["a"], "place": {"lat": 1.5}}
KEYS = [
    "id", "text", "tags", "place", "n", "ratio", "maybe", "flag", "kind", "size", "code", "label",
    "day", "either", "scores", "stops", "grid", "pet", "zz",
]  # fmt: skip


@functools.cache
def enforced(name: str) -> tuple[AnyTool, Checker]:
    one = booking(name).tool.replace(coerce="none")
    return one, Checker(one.input_schema.json_schema())


@pytest.mark.requirement("pain-46")
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=share(150))
@given(changed=st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=1, max_size=3))
def test_nothing_that_the_shown_schema_refuses_reaches_the_handler(
    name: str, changed: dict[str, Any]
) -> None:
    one, checker = enforced(name)
    data = {**REQUIRED, **changed}
    reached = bool(one.prepare(data))
    assert reached <= checker.is_valid(data)


@pytest.mark.requirement("pain-46")
def test_an_annotation_with_a_comma_is_enforced() -> None:
    @tool
    def f(by_name: dict[str, int], either: Union[int, None], word: Literal["a,b", "c"]) -> str:  # noqa: UP007 - as some write it
        """F."""
        return word

    right = {"by_name": {"a": 1}, "either": 1, "word": "a,b"}
    assert f.call_sync(right).unwrap() == "a,b"
    wrongs: list[dict[str, Any]] = [{"by_name": {"a": []}}, {"either": "x"}, {"word": "a"}]
    for wrong in wrongs:
        assert getattr(f.call_sync({**right, **wrong}), "kind", "") == "invalid_input"


# ------------------------------------------------------- what is injected


@dataclasses.dataclass
class Request:
    user: str


Ours: TypeAlias = Context[Request]


class NotOurs(pydantic.BaseModel):
    """A model that happens to have the marker's name."""

    place: str


NotOurs.__name__ = "Context"


@pytest.mark.requirement("pain-40")
def test_a_context_is_known_by_what_it_is_and_not_by_a_name() -> None:
    @tool
    def f(context: NotOurs, ctx: str, *, mine: Ours) -> list[str]:
        """F."""
        return [context.place, ctx, mine.user]

    assert list(f.input_schema.json_schema()["properties"]) == ["context", "ctx"]
    data = {"context": {"place": "here"}, "ctx": "x"}
    assert f.call_sync(data, context=Request("ann")).unwrap() == ["here", "x", "ann"]
    outcome = f.call_sync({**data, "mine": {"user": "eve"}}, context=Request("ann"))
    assert isinstance(outcome, Err)
    assert [(one.path, one.code) for one in outcome.issues] == [(("mine",), "extra")]


@pytest.mark.requirement("pain-40")
@pytest.mark.parametrize("default", [{}, {"ctx": None}])
def test_a_parameter_without_an_annotation_is_a_fault_and_no_text(default: dict[str, Any]) -> None:
    def f(q: str, ctx):  # type: ignore[no-untyped-def]
        """F."""
        return q

    f.__defaults__ = tuple(default.values()) or None
    with pytest.raises(DefinitionError, match=r"f\.ctx: .*annotat"):
        Toolset([f])


@pytest.mark.requirement("pain-63")
def test_given_parameters_and_injected_ones_are_both_honoured() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}

    @tool(parameters=schema)
    def f(q: str, *, user: Injected[str]) -> str:
        """F."""
        return f"{user}: {q}"

    assert f.input_schema.json_schema() == schema
    assert f.call_sync({"q": "x"}, context={"user": "ann"}).unwrap() == "ann: x"
    outcome = f.replace(parameters={**schema, "additionalProperties": False}).call_sync(
        {"q": "x", "user": "eve"}, context={"user": "ann"}
    )
    assert isinstance(outcome, Err)

    def g(q: str, other: int, *, user: Injected[str]) -> str:
        """G."""
        return q

    with pytest.raises(DefinitionError, match=r"g.*other"):
        Toolset([tool(g, parameters=schema)])


# ------------------------------------------------------- how a type is written


@pytest.mark.requirement("pain-39")
def test_every_spelling_of_an_optional_text_is_the_same() -> None:
    maybe: Any = Optional
    either: Any = Union
    spellings: list[Any] = [
        str | None, maybe[str], either[str, None], either[None, str], "str | None",
        "Optional[str]", Annotated[str | None, "a note"], maybe[Annotated[str, "a note"]],
    ]  # fmt: skip
    shown = set()
    for spelling in spellings:

        def f(name: Any = None) -> str:
            """F."""
            return repr(name)

        f.__annotations__ = {"name": spelling, "return": str}
        one = tool(f)
        properties = one.input_schema.json_schema()["properties"]["name"]
        kinds = sorted(part["type"] for part in properties["anyOf"])
        shown.add(json.dumps([kinds, properties["default"]]))
        for value in ("x", None, "null", "12"):
            assert one.call_sync({"name": value}).unwrap() == repr(value)
    assert shown == {'[["null", "string"], null]'}


@pytest.mark.requirement("pain-36")
def test_a_parameter_of_any_type_must_say_what_it_takes() -> None:
    @tool
    def f(anything: Any) -> str:
        """F."""
        return ""

    with pytest.raises(DefinitionError, match=r"f\.anything: "):
        Toolset([f])


# ------------------------------------------------------- what a model reads of a union


def variants(base: Any) -> Any:
    return functools.reduce(lambda one, other: one | other, [base(n) for n in range(8)])


def model(n: int) -> Any:
    create: Any = pydantic.create_model
    fields = {f"f{m}": (int, ...) for m in range(12)}
    return create(f"V{n}", kind=(Literal[f"k{n}"], ...), **fields)


def plain(n: int) -> Any:
    fields: list[Any] = [("kind", Literal[f"k{n}"])]
    return dataclasses.make_dataclass(f"V{n}", [*fields, *((f"f{m}", int) for m in range(12))])


def keys(n: int) -> Any:
    define: Any = TypedDict
    hints = {"kind": Literal[f"k{n}"], **{f"f{m}": int for m in range(12)}}
    return define(f"V{n}", hints)


def attributes(n: int) -> Any:
    hints: dict[str, Any] = {"kind": Literal[f"k{n}"], **{f"f{m}": int for m in range(12)}}
    return attrs.make_class(f"V{n}", {key: attrs.field(type=tp) for key, tp in hints.items()})


def struct(n: int) -> Any:
    fields: list[Any] = [(f"f{m}", int) for m in range(12)]
    return msgspec.defstruct(f"V{n}", fields, tag_field="kind", tag=f"k{n}")


@pytest.mark.unmeasured
@pytest.mark.requirement("pain-53")
@pytest.mark.parametrize("base", [model, plain, keys, attributes, struct])
@pytest.mark.parametrize(
    "sent_value",
    [{"kind": "k3", "f1": "x" * 900}, {"kind": "K9"}, {"f1": 1}, {}, "x" * 900, [1], None],
    ids=lambda one: str(one)[:12],
)
def test_a_mistake_in_a_union_of_eight_is_told_shortly_in_every_vendor(
    base: Any, sent_value: Any
) -> None:
    def f(shape: Any) -> int:
        """F."""
        return 1

    f.__annotations__ = {"shape": variants(base), "return": int}
    outcome = tool(f, coerce="none").call_sync({"shape": sent_value})
    assert isinstance(outcome, Err)
    assert outcome.kind == "invalid_input"
    assert len(outcome.text) <= 700
    assert "xxx" not in outcome.text
    assert "pydantic" not in outcome.text
    assert len(outcome.issues) <= 13  # the issues of the intended branch


# ------------------------------------------------------- results that are no objects


class Tree(TypedDict):
    value: int
    children: list[Tree]


@pytest.mark.requirement("pain-62")
def test_a_result_is_wrapped_only_where_its_root_is_no_object() -> None:
    tree: Tree = {"value": 1, "children": [{"value": 2, "children": []}]}

    @tool
    def grow() -> Tree:
        """Grow a tree."""
        return tree

    @tool
    def forest() -> list[Tree]:
        """Grow some."""
        return [tree]

    assert grow.call_sync().unwrap() == tree
    assert forest.call_sync().unwrap() == [tree]
    grown, many = Toolset([grow, forest]).export("mcp-2025-11-25").tools[::-1]
    assert "value" in grown["outputSchema"]["properties"]
    assert list(many["outputSchema"]["properties"]) == ["value"]
    assert many["outputSchema"]["properties"]["value"]["type"] == "array"


# ------------------------------------------------------- names


@pytest.mark.requirement("pain-28")
def test_a_name_is_had_by_one_tool_whoever_brings_it() -> None:
    def search(q: str) -> str:
        """Search."""
        return q

    first, second = tool(search), tool(search, name="search", description="Another.")
    with pytest.raises(DefinitionError, match=r"search"):
        Toolset([first, second])
    with pytest.raises(DefinitionError, match=r"search"):
        _ = Toolset([first]) + Toolset([second])


class Shade(enum.Enum):
    DARK = "dark"


@pytest.mark.requirement("pain-42")
def test_the_class_method_of_an_object_is_a_tool_without_its_class() -> None:
    class Client:
        @tool
        @classmethod
        def find(cls, shade: Shade) -> str:
            """Find."""
            return f"{cls.__name__} {shade.name}"

    found = Toolset.of(Client())
    assert list(found["find"].input_schema.json_schema()["properties"]) == ["shade"]
    assert found.call_sync("find", {"shade": "dark"}).unwrap() == "Client DARK"
