"""Hidden values always apply, at any depth, and nothing that leaves says what they are."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired

import attrs
import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, TypeAdapter
from typing_extensions import TypedDict

from toolhaft import DefinitionError, Err, Ok, Toolset, schema_of, tool
from toolhaft.spec import Failure, Issue, Success
from toolhaft.tools.tool import AnyTool


class Filter(BaseModel):
    tenant: str = "everybody"
    limit: int = 3


class Needy(BaseModel):
    text: str
    tenant: str = "everybody"


class Node(BaseModel):
    name: str
    tenant: str = "everybody"
    filter: Filter | None = None
    kids: list[Node] = []
    named: dict[str, Node] = {}
    next: Node | None = None


class Cat(BaseModel):
    kind: Literal["cat"]
    tenant: str
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    tenant: str
    owner: str = "ann"


@dataclass
class Made:
    filter: Filter = field(default_factory=lambda: Filter(limit=7))
    filters: list[Filter] = field(default_factory=list)


def taking(annotation: Any, *default: Any) -> AnyTool:
    """Return a tool of one parameter, whose handler returns it as data."""

    def find(filter: Any = None) -> Any:
        return TypeAdapter(annotation).dump_python(filter, mode="json")

    def find_required(filter: Any) -> Any:
        return TypeAdapter(annotation).dump_python(filter, mode="json")

    handler = find if default else find_required
    handler.__annotations__["filter"] = annotation
    if default:
        find.__defaults__ = default
    made: AnyTool = tool(handler, name="find", description="Find.", output=None)
    return made


def schema(one: AnyTool) -> dict[str, Any]:
    return one.input_schema.json_schema()["properties"]["filter"]  # type: ignore[no-any-return]


def value(outcome: Ok[Any] | Err) -> Any:
    assert isinstance(outcome, Ok), outcome
    return outcome.value


HIDE = {"filter.tenant": "acme"}


@pytest.mark.requirement("transform-applies")
@pytest.mark.parametrize("sent", [{}, {"filter": None}, {"filter": ""}, {"filter": {}}, None, "{}"])
def test_a_hidden_value_applies_where_its_parent_is_left_out(sent: Any) -> None:
    ours = taking(Filter, Filter(limit=7)).transform(hide=HIDE)
    limit = 3 if sent == {"filter": {}} else 7
    assert value(ours.call_sync(sent)) == {"tenant": "acme", "limit": limit}
    assert value(asyncio.run(ours.call(sent))) == {"tenant": "acme", "limit": limit}


@pytest.mark.requirement("transform-applies")
def test_no_parent_is_null_where_something_in_it_is_hidden() -> None:
    ours = taking(Filter | None, None).transform(hide=HIDE)
    for sent in ({}, {"filter": None}):
        assert value(ours.call_sync(sent)) == {"tenant": "acme", "limit": 3}
    needed = taking(Needy | None, None).transform(hide=HIDE)
    assert needed.input_schema.json_schema() == {
        "type": "object",
        "properties": {
            "filter": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
            }
        },
        "required": ["filter"],
        "additionalProperties": False,
    }
    texts = [
        needed.call_sync(sent).text.partition("Errors: ")[2] for sent in ({}, {"filter": None})
    ]
    assert texts == ["filter: required", "filter: expected object {text}"]


@pytest.mark.requirement("transform-applies")
def test_a_factorys_value_is_checked() -> None:
    made = tool(lambda given: None, name="make", description="Make.", input=Made, output=None)
    hidden = made.transform(hide={"filter.tenant": "acme", "filters.tenant": "acme"})
    shown = hidden.input_schema.json_schema()
    assert shown["required"] == ["filter", "filters"]


@pytest.mark.requirement("transform-applies")
def test_a_path_goes_through_lists_maps_and_recursions() -> None:
    ours = taking(Node).transform(
        hide={"filter.tenant": "acme", "filter.filter.tenant": "inner"},
        rename={"filter.kids": "children"},
    )
    inner = {"name": "c", "next": {"name": "d"}}
    sent = {"name": "a", "children": [{"name": "b", "named": {"x": inner}}]}
    given = value(ours.call_sync({"filter": sent}))
    nodes = [given, given["kids"][0], given["kids"][0]["named"]["x"]]
    nodes.append(nodes[-1]["next"])
    assert [(node["name"], node["tenant"]) for node in nodes] == [
        ("a", "acme"), ("b", "acme"), ("c", "acme"), ("d", "acme"),
    ]  # fmt: skip
    assert [node["filter"] for node in nodes] == [{"tenant": "inner", "limit": 3}] * 4
    assert nodes[-1]["next"] is None
    said = json.dumps(ours.input_schema.json_schema())
    assert [word for word in ("tenant", "everybody", "kids") if word in said] == []
    wrong = {"name": "a", "children": [{"name": 1, "named": {"x": {"tenant": "evil"}}}]}
    assert ours.call_sync({"filter": wrong}).text.partition("Errors: ")[2] == (
        "filter.children.0.named, 1st entry, name: required; "
        "filter.children.0.name: expected string, received integer; "
        "filter.children.0.named, 1st entry, tenant: unknown"
    )


@pytest.mark.requirement("transform-applies")
def test_the_root_of_a_recursion_and_its_further_levels_are_one() -> None:
    @tool(input=Node, output=None)
    def keep(node: Node) -> Any:
        "Keep."
        return (node.tenant, node.kids[0].tenant)

    ours = keep.transform(hide={"tenant": "acme"})
    assert value(ours.call_sync({"name": "a", "kids": [{"name": "b"}]})) == ("acme", "acme")
    again = ours.transform(rename={"kids": "children"}, hide={"filter.tenant": "x"})
    assert value(again.call_sync({"name": "a", "children": [{"name": "b"}]})) == ("acme", "acme")


@pytest.mark.requirement("transform-applies")
def test_a_path_goes_into_every_branch_that_has_the_name() -> None:
    pets = taking(dict[str, Annotated[Cat | Dog, Field(discriminator="kind")] | int])
    ours = pets.transform(
        hide={"filter.tenant": lambda context: context}, rename={"filter.kind": "sort"}
    )
    sent = {"a": {"sort": "dog"}, "b": {"sort": "cat", "lives": 1}, "c": 5}
    assert value(ours.call_sync({"filter": sent}, context="acme")) == {
        "a": {"kind": "dog", "tenant": "acme", "owner": "ann"},
        "b": {"kind": "cat", "tenant": "acme", "lives": 1},
        "c": 5,
    }
    dogs = pets.transform(hide={"filter.tenant": "acme", "filter.kind": "dog"})
    assert value(dogs.call_sync({"filter": {"a": {}}})) == {
        "a": {"kind": "dog", "tenant": "acme", "owner": "ann"}
    }
    assert "lives" not in json.dumps(dogs.input_schema.json_schema())


@pytest.mark.requirement("transform-faults")
def test_a_value_that_no_branch_takes_is_a_fault() -> None:
    with pytest.raises(DefinitionError) as raised:
        taking(Cat | Dog).transform(hide={"filter.kind": "cow"})
    assert [fault.where for fault in raised.value.faults] == ["hide.filter.kind"] * 2


@pytest.mark.requirement("transform-silent")
def test_defaults_and_examples_are_without_what_is_hidden() -> None:
    example = {"filter": {"tenant": "x", "limit": 1}}
    base = taking(Filter, Filter(tenant="everybody", limit=7)).replace(examples=[example])
    ours = base.transform(hide=HIDE, rename={"filter.limit": "most"})
    assert schema(ours) == {
        "type": "object",
        "properties": {"most": {"type": "integer", "default": 3}},
        "default": {"most": 7},
    }
    assert ours.examples == [{"filter": {"most": 1}}]
    assert ours.transform(rename={"filter.most": "n"}).examples == [{"filter": {"n": 1}}]


@pytest.mark.requirement("transform-silent")
@pytest.mark.parametrize("sent", [5, [], {"limit": "x"}, {"tenant": "evil"}])
def test_no_text_names_what_is_hidden(sent: Any) -> None:
    ours = taking(Filter, Filter()).transform(hide=HIDE)
    text = ours.call_sync({"filter": sent}).text
    assert "tenant" not in text.replace("filter.tenant: unknown", "")
    assert "acme" not in text


@pytest.mark.requirement("transform-silent")
def test_an_objects_words_name_the_keys_that_a_model_may_send() -> None:
    ours = taking(Filter, Filter()).transform(hide=HIDE, rename={"filter.limit": "most"})
    text = ours.call_sync({"filter": 5}).text
    assert text.endswith("filter: expected object {most}")


def rejecting(words: str) -> AnyTool:
    def check(given: Any) -> Any:
        return Success(given) if given["a"] < 9 else Failure([Issue(words, ("a",))])

    declared = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "tenant": {"type": "string"}},
    }
    one = schema_of(validate=check, vendor="ours", json_schema=declared)
    made: AnyTool = tool(
        lambda given: given, name="check", description="Check.", input=one, output=None
    )
    return made


@pytest.mark.requirement("transform-silent")
def test_an_authors_message_uses_the_names_that_are_shown() -> None:
    ours = rejecting("a of tenant acme-1 is too much").transform(
        hide={"tenant": "acme-1"}, rename={"a": "amount"}
    )
    text = ours.call_sync({"amount": 9}).text
    assert text.endswith("amount: amount of … is too much")


@pytest.mark.requirement("transform-silent")
@pytest.mark.parametrize(
    ("hidden", "words", "told"),
    [
        ("7", "a must be below 7, not 70", "amount must be below …, not 70"),
        ("acme-1", "a of ACME-1s is too much", "amount of …s is too much"),
        (" ", "a is too much", "amount is too much"),
    ],
)
def test_an_authors_words_do_not_quote_a_hidden_value(hidden: str, words: str, told: str) -> None:
    ours = rejecting(words).transform(hide={"tenant": hidden}, rename={"a": "amount"})
    assert ours.call_sync({"amount": 9}).text.endswith(f"amount: {told}")


def named(text: str) -> str:
    if text == "bad":
        raise ValueError("no such tenant")
    return text


class Strict(BaseModel):
    tenant: Annotated[str, AfterValidator(named)] = "everybody"
    limit: int = 3


@pytest.mark.requirement("transform-applies")
@pytest.mark.parametrize("hidden", ["bad", lambda: "bad", lambda: 5])
@pytest.mark.parametrize("annotation", [Strict, list[Strict], dict[str, Strict], Strict | int])
def test_a_hidden_value_that_its_type_rejects_is_an_error_of_the_program(
    annotation: Any, hidden: Any
) -> None:
    ours = taking(annotation).transform(hide={"filter.tenant": hidden})
    sent: Any = {"filter": {}}
    if annotation == list[Strict]:
        sent = {"filter": [{}]}
    elif annotation == dict[str, Strict]:
        sent = {"filter": {"k": {}}}
    outcome = ours.call_sync(sent)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, outcome.issues) == ("runtime_error", "none", ())
    assert "tenant" not in outcome.text


def parsed(text: Any) -> Any:
    return {"limit": int(text)} if isinstance(text, str) else text


@pytest.mark.requirement("transform-applies")
def test_a_value_that_an_authors_function_reads_as_an_object_gets_no_hidden_value() -> None:
    written = taking(Annotated[Filter, BeforeValidator(parsed)])
    assert value(written.call_sync({"filter": "5"})) == {"tenant": "everybody", "limit": 5}
    ours = written.transform(hide=HIDE)
    assert isinstance(ours.call_sync({"filter": "5"}), Err)
    assert value(ours.call_sync({"filter": {"limit": 5}})) == {"tenant": "acme", "limit": 5}


CONDITIONS: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "key": {"enum": ["x", "y"]}, "b": {}},
    "if": {"properties": {"key": {"const": "x"}}, "required": ["key"]},
    "then": {"required": ["a"]},
    "else": {"required": ["b"]},
    "dependentRequired": {"key": ["a"]},
}


@pytest.mark.requirement("transform-silent")
def test_conditions_on_a_hidden_value_are_decided() -> None:
    made = tool(lambda given: given, name="c", description="C.", input=CONDITIONS, output=None)
    shown = made.transform(hide={"key": "x"}, rename={"a": "n"}).input_schema.json_schema()
    assert shown == {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "b": {}},
        "if": {"properties": {}, "required": []},
        "then": {"required": ["n"]},
        "else": {"required": ["b"]},
        "dependentRequired": {},
        "required": ["n"],
    }
    other = made.transform(hide={"key": "y"}).input_schema.json_schema()
    assert (other["if"], other["else"]) == (False, {"required": ["b"]})
    with pytest.raises(DefinitionError, match="if says something of the arguments by their names"):
        made.transform(hide={"key": lambda: "x"})


@pytest.mark.requirement("transform-applies")
def test_tools_made_from_a_tool_hide_the_same() -> None:
    ours = taking(Filter, Filter()).transform(hide=HIDE)
    others = [
        *Toolset([ours]).prefix("x_").select("x_*"),
        *(Toolset([]) + Toolset([ours])),
        ours.replace(name="other", timeout=60),
        ours.with_format(lambda result: result),
        ours.transform(describe={"filter": "What."}),
    ]
    for one in others:
        assert one.call_sync({}).text == '{"tenant":"acme","limit":3}'
        assert "tenant" not in json.dumps(one.describe())
    formatted: Any = ours.formatted()
    assert asyncio.run(formatted.execute({}, None)) == {"tenant": "acme", "limit": 3}


@pytest.mark.requirement("transform-program")
def test_a_person_who_approves_or_resumes_a_call_sees_the_applied_values() -> None:
    ours = taking(Filter, Filter()).transform(hide=HIDE)
    tools = Toolset([ours.replace(requires_approval=True)])
    waiting = tools.call_sync("find", {})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert waiting.prepared.arguments == {"filter": {"tenant": "acme", "limit": 3}}
    resumed = tools.resume(waiting.prepared.to_json(key=b"k"), key=b"k")
    assert not isinstance(resumed, Err)
    assert value(resumed.call_sync()) == {"tenant": "acme", "limit": 3}


@attrs.frozen(kw_only=True)
class Step:
    tenant: str = "everybody"
    further: list[Step] = attrs.field(factory=list)


@pytest.mark.requirement("transform-applies")
def test_a_recursion_whose_first_level_is_written_out_is_one() -> None:
    @tool(output=None)
    def walk(step: Step) -> Any:
        "Walk."
        return (step.tenant, step.further[0].tenant)

    ours = walk.transform(hide={"step.tenant": "acme"})
    sent: Any = {"step": {"further": [{"further": []}]}}
    assert value(ours.call_sync(sent)) == ("acme", "acme")
    assert "tenant" not in json.dumps(ours.input_schema.json_schema())


class Person(BaseModel):
    name: str
    tenant: str = "everybody"
    friends: list[Person] = []


@pytest.mark.requirement("transform-applies")
@pytest.mark.parametrize("hide", [{"filter.tenant": "acme"}, {"filter.tenant": lambda: "acme"}])
def test_a_second_transform_knows_the_levels_that_a_first_one_made_different(hide: Any) -> None:
    once = taking(Person).transform(rename={"filter.friends.name": "nick"})
    ours = once.transform(hide=hide)
    assert "tenant" not in json.dumps(ours.input_schema.json_schema())
    friend = {"nick": "b", "friends": [{"nick": "c"}]}
    given = value(ours.call_sync({"filter": {"name": "a", "friends": [friend]}}))
    people = [given, given["friends"][0], given["friends"][0]["friends"][0]]
    assert [(one["name"], one["tenant"]) for one in people] == [
        ("a", "acme"), ("b", "acme"), ("c", "acme"),
    ]  # fmt: skip


@attrs.frozen(kw_only=True)
class Leaf:
    tenant: str = "everybody"


@attrs.frozen(kw_only=True)
class Tree:
    trees: list[Tree] = attrs.field(factory=list)
    leaf: Leaf | None = None
    leaves: list[Leaf] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class Forest:
    forests: list[Forest] = attrs.field(factory=list)
    name: str = "green"


@pytest.mark.requirement("transform-applies")
def test_a_recursion_asks_only_for_what_something_is_hidden_in() -> None:
    def grow(tree: Tree, forest: dict[str, Forest | Leaf]) -> Any:
        "Grow."
        return tree.trees[0].leaves[0].tenant

    ours = tool(grow, output=None).transform(hide={"tree.leaves.tenant": "acme"})
    level = ours.input_schema.json_schema()["$defs"]["Tree"]
    assert level["required"] == ["trees", "leaves"]
    ours = tool(grow, output=None).transform(hide={"forest.tenant": "acme"})
    shown = ours.input_schema.json_schema()
    assert "required" not in shown["$defs"]["Forest"]
    assert value(ours.call_sync({"tree": {"trees": [{"leaves": [{}]}]}, "forest": {"a": {}}}))


class Row(TypedDict):
    tenant: str
    next: NotRequired[Row | None]
    filter: NotRequired[FilterDict]


class FilterDict(TypedDict, total=False):
    tenant: str
    limit: int


@pytest.mark.requirement("transform-applies")
def test_nothing_is_made_for_what_may_be_absent() -> None:
    @tool(input=Row, output=None)
    def keep(row: Row) -> Any:
        "Keep."
        return row

    ours = keep.transform(hide={"tenant": "acme", "filter.tenant": "inner"})
    made: Any = {"tenant": "acme", "filter": {"tenant": "inner"}}
    assert value(ours.call_sync({})) == made
    assert value(ours.call_sync({"next": None})) == {**made, "next": None}
    assert value(ours.call_sync({"next": {}})) == {**made, "next": made}
    assert ours.input_schema.json_schema()["required"] == []


def tree(default: Any) -> AnyTool:
    """Return a tool of a recursive schema, whose list of further levels has a default."""
    kids = {"type": "array", "items": {"$ref": "#"}, "default": default}
    properties = {"tenant": {"type": "string"}, "kids": kids, "twin": {"$ref": "#"}}
    given = {"type": "object", "properties": properties, "required": ["tenant"]}
    made: AnyTool = tool(
        lambda node: node, input=given, name="grow", description="Grow.", output=None
    )
    return made


@pytest.mark.requirement("transform-applies")
def test_a_default_that_holds_further_levels_is_filled_in_or_a_fault() -> None:
    ours = tree([{"tenant": "all", "kids": []}]).transform(hide={"tenant": "acme"})
    assert value(ours.call_sync({})) == {
        "tenant": "acme", "kids": [{"tenant": "acme", "kids": []}],
    }  # fmt: skip
    with pytest.raises(DefinitionError) as error:
        tree([{"tenant": "all"}]).transform(hide={"tenant": "acme"})
    assert str(error.value) == (
        "grow.parameters.kids.kids: the value for an absent one has objects in which it is absent "
        "again; make it required, or change its default"
    )


@pytest.mark.requirement("transform-applies")
def test_a_new_default_of_null_applies_where_something_further_inside_is_hidden() -> None:
    made = taking(list[Filter] | None, [Filter()])
    ours = made.transform(hide=HIDE, defaults={"filter": None})
    assert value(ours.call_sync({})) is None
    assert schema(ours)["default"] is None


class Box(BaseModel):
    tenant: str = "everybody"
    left: Box | None = None
    right: Box | None = None
    boxes: list[Box] = []


@pytest.mark.requirement("transform-applies")
def test_paths_that_pass_a_recursion_in_turn_apply_where_they_lead() -> None:
    ours = taking(Box, Box()).transform(
        hide={"filter.left.right.tenant": "lr", "filter.right.right.tenant": "rr"}
    )
    given = value(ours.call_sync({}))
    assert [given["left"]["right"]["tenant"], given["right"]["right"]["tenant"]] == ["lr", "rr"]
    sent: Any = {"left": {"left": {"right": {}}, "right": {"left": {"right": {}}}}}
    left = value(ours.call_sync({"filter": sent}))["left"]
    inner = [left["left"], left["right"], left["left"]["right"], left["right"]["left"]["right"]]
    assert [box["tenant"] for box in inner] == ["everybody", "lr", "lr", "lr"]


@pytest.mark.requirement("transform-applies")
@pytest.mark.parametrize("sent", [{}, {"filter": {}}, {"filter": {"left": None}}])
def test_objects_of_a_first_transform_have_the_values_that_a_second_one_hides(sent: Any) -> None:
    once = taking(Box, Box()).transform(hide={"filter.left.right.tenant": "inner"})
    ours = once.transform(hide={"filter.tenant": "outer"})
    left = value(ours.call_sync(sent))["left"]
    assert [left["tenant"], left["right"]["tenant"]] == ["outer", "inner"]
    assert "tenant" not in json.dumps(ours.input_schema.json_schema())


@pytest.mark.requirement("transform-applies")
def test_paths_that_make_ever_more_kinds_of_levels_are_a_fault() -> None:
    sides = ("left", "right", "boxes")
    paths = [f"filter.{one}.{two}.{three}" for one in sides for two in sides for three in sides]
    hide = {f"{path}.tenant": path for path in paths}
    with pytest.raises(DefinitionError) as error:
        taking(Box).transform(hide=hide)
    assert str(error.value) == (
        "find.parameters: the changes make more than 32 kinds of objects of one definition; "
        "write shorter paths: each applies at every level of a recursion"
    )
