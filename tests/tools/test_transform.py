"""Tools derived for another audience: other names, other words, parameters out of sight."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Mapping
from copy import deepcopy
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import pytest
from hypothesis import given
from pydantic import BaseModel, BeforeValidator, Field, field_validator, model_validator

from toolhaft import (
    Coercion,
    Context,
    DefinitionError,
    Doc,
    Edit,
    Err,
    Ok,
    Toolset,
    schema_of,
    tool,
)
from toolhaft.definition.targets import TARGETS
from toolhaft.spec import Failure, Issue, Success
from toolhaft.testing import arguments_for


class Found(NamedTuple):
    """The handler's arguments."""

    q: str
    tenant: str
    limit: int
    tags: list[str]


@tool(output=None, examples=[{"q": "tea", "tenant": "ann", "limit": 3}])
def search(
    q: Annotated[str, Doc("Text.")],
    tenant: str,
    limit: int = 3,
    tags: list[str] = [],  # noqa: B006  copied for each call
) -> Found:
    """Search."""
    tags.append("seen")
    return Found(q, tenant, limit, tags)


ours = search.transform(
    rename={"q": "query", "limit": "most"},
    describe={"q": "What to look for."},
    hide={"tenant": "ann"},
    defaults={"limit": 10},
)


def value(outcome: Ok[Any] | Err) -> Any:
    assert isinstance(outcome, Ok)
    return outcome.value


def refusal(outcome: Ok[Any] | Err) -> list[tuple[Any, str]]:
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("invalid_input", "none")
    return [(issue.path, issue.code) for issue in outcome.issues]


@pytest.mark.requirement("transform-shown")
def test_the_schema_has_the_new_names_and_words() -> None:
    assert ours.input_schema.json_schema() == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "most": {"default": 10, "type": "integer"},
            "tags": {"default": [], "type": "array", "items": {"type": "string"}},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    assert ours.examples == [{"query": "tea", "most": 3}]
    assert search.input_schema.json_schema()["required"] == ["q", "tenant"]


@pytest.mark.requirement("transform-shown")
def test_the_handler_is_called_in_its_own_terms() -> None:
    for raw in ('{"query": "x"}', {"query": "x"}):
        assert value(ours.call_sync(raw)) == Found("x", "ann", 10, ["seen"])
        assert value(asyncio.run(ours.call(raw))) == Found("x", "ann", 10, ["seen"])
    assert value(ours.call_sync({"query": "x", "most": 1})) == Found("x", "ann", 1, ["seen"])
    assert ours("x", "bob", 3, []) == Found("x", "bob", 3, ["seen"])  # the function it was


@pytest.mark.requirement("transform-shown")
def test_repairs_and_issues_are_in_the_new_names() -> None:
    mended = ours.call_sync({"query": "x", "most": "4"})
    assert mended.coercions == (Coercion(("most",), "number_text"),)
    refused = ours.call_sync({"qury": "x", "most": "many", "tags": [1]})
    assert refused.text == (
        "Please rewrite the input with valid arguments. Errors: "
        "qury: unknown (did you mean query?); most: expected integer, received string; "
        "tags.0: expected string, received integer"
    )


WHOLE = {"q": "x", "tenant": "ann", "limit": 10, "tags": ()}


@pytest.mark.requirement("transform-program")
def test_the_program_sees_what_the_handler_is_given() -> None:
    seen: list[Any] = []

    def authorize(arguments: Any, context: Any) -> bool:
        seen.append(deepcopy(dict(arguments)))  # the handler changes what it is given
        return bool(context != "nobody")

    asking = ours.replace(authorize=authorize, requires_approval=lambda given: given["limit"] > 5)
    waiting = asking.call_sync({"query": "x"})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert waiting.prepared.arguments == WHOLE
    done = waiting.prepared.call_sync()
    assert value(done) == Found("x", "ann", 10, ["seen"])
    assert isinstance(done, Ok)
    given = {**WHOLE, "tags": []}
    assert seen == [given, given]
    assert value(asking.call_sync({"query": "x", "most": "1"})).limit == 1
    denied = asyncio.run(asking.call({"query": "x", "most": 1}, context="nobody"))
    assert isinstance(denied, Err)
    assert denied.kind == "denied"


@pytest.mark.requirement("transform-program")
def test_an_edit_does_not_drop_what_is_hidden() -> None:
    waiting = search.transform(hide={"tenant": "acme"}).replace(requires_approval=True)
    asked = waiting.call_sync({"q": "x"})
    assert isinstance(asked, Err)
    assert asked.prepared is not None
    for edit in ({"q": "y"}, {"q": "y", "tenant": "acme"}):
        edited = asked.prepared.edited(edit)
        assert not isinstance(edited, Err)
        assert (edited.arguments["q"], edited.arguments["tenant"]) == ("y", "acme")


@pytest.mark.requirement("transform-program")
@pytest.mark.parametrize("other", ["globex", {"a": [1]}])
def test_an_edit_does_not_replace_what_is_hidden(other: Any) -> None:
    asking = search.transform(hide={"tenant": "acme"}).replace(requires_approval=True)
    asked = asking.call_sync({"q": "x"})
    assert isinstance(asked, Err)
    assert asked.prepared is not None
    refused = asked.prepared.edited({"q": "y", "tenant": other})
    assert isinstance(refused, Err)
    assert [str(issue) for issue in refused.issues] == ["tenant: hidden, and stays as it is"]
    told = asking.call_sync({"q": "x"}, approve=lambda _: Edit({"q": "y", "tenant": other}))
    assert isinstance(told, Err)
    assert (told.kind, "tenant" in told.text) == ("denied", False)


@pytest.mark.requirement("transform-program")
@pytest.mark.parametrize(
    ("sent", "ran"),
    [
        ('{"tenant": "evil"}', "where.tenant: hidden, and stays as it is"),
        ("{'tenant': 'evil'}", "where.tenant: hidden, and stays as it is"),
        ('{"limit": 5}', "acme 5"),
        ({"limit": "5"}, "acme 5"),
        (None, "acme 3"),
    ],
)
def test_a_repaired_edit_keeps_what_is_hidden(sent: Any, ran: str) -> None:
    class Where(BaseModel):
        tenant: str = "everybody"
        limit: int = 3

    @tool(requires_approval=True)
    def find(where: Where = Where()) -> str:  # noqa: B008  no call changes it
        "Find."
        return f"{where.tenant} {where.limit}"

    asked = find.transform(hide={"where.tenant": "acme"}).call_sync({})
    assert isinstance(asked, Err)
    assert asked.prepared is not None
    edited = asked.prepared.edited({"where": sent})
    if isinstance(edited, Err):
        assert [str(issue) for issue in edited.issues] == [ran]
    else:
        assert edited.call_sync().unwrap() == ran


@pytest.mark.requirement("transform-program")
def test_a_call_is_not_resumed_with_another_hidden_value() -> None:
    waiting = search.transform(hide={"tenant": "acme"}).prepare({"q": "x"})
    assert not isinstance(waiting, Err)
    changed = Toolset([search.transform(hide={"tenant": "globex"})])
    resumed = changed.resume(waiting.to_json(key=b"k"), key=b"k")
    assert isinstance(resumed, Err)
    assert resumed.kind == "denied"


@pytest.mark.requirement("transform-program")
def test_a_prepared_call_is_edited_stored_and_run_as_it_was_shown() -> None:
    asked: list[int] = []

    def tenant() -> str:
        asked.append(1)
        return f"tenant {len(asked)}"

    tools = Toolset([search.transform(rename={"q": "query"}, hide={"tenant": tenant})])
    prepared = tools["search"].prepare({"query": "x"})
    assert not isinstance(prepared, Err)
    edited = prepared.edited({**prepared.json, "limit": 7})
    assert not isinstance(edited, Err)
    again = tools["search"].prepare({"query": "x"})
    assert not isinstance(again, Err)
    resumed = tools.resume(again.to_json(key=b"k"), key=b"k")
    assert not isinstance(resumed, Err)
    assert value(edited.call_sync()) == Found("x", "tenant 1", 7, ["seen"])
    assert value(resumed.call_sync()) == Found("x", "tenant 2", 3, ["seen"])
    assert isinstance(prepared.edited({"query": "x"}), Err)
    assert len(asked) == 2


@pytest.mark.requirement("transform-hidden")
@pytest.mark.parametrize("name", ["tenant", "q", "limit"])
def test_names_that_are_not_shown_any_more_are_unknown(name: str) -> None:
    refused = ours.call_sync({"query": "x", name: "bob"})
    assert refusal(refused) == [((name,), "extra")]
    assert "ann" not in refused.text


@pytest.mark.requirement("transform-hidden")
@pytest.mark.parametrize("target", TARGETS)
def test_no_target_receives_hidden_values_or_the_handlers_names(target: str) -> None:
    inner = search.replace(metadata={"tenant": "ann"}).transform(
        rename={"q": "query", "limit": "most"}, hide={"tenant": "ann"}
    )
    wire = Toolset([inner]).export(target)
    said = json.dumps([wire.request, wire.tools, wire.losses, wire.problems])
    assert [word for word in ("tenant", "ann", '"q"', "limit") if word in said] == []


@pytest.mark.requirement("transform-shown")
def test_a_strict_wire_lifts_into_the_new_names() -> None:
    wire = Toolset([ours]).export("openai", strict="require")
    [declared] = wire.tools
    assert declared["parameters"]["required"] == ["query", "most", "tags"]
    arguments = json.dumps({"query": "x", "most": None, "tags": None})
    call = {"type": "function_call", "call_id": "c", "name": "search", "arguments": arguments}
    [outcome] = wire.answer_sync({"output": [call]}).outcomes
    assert value(outcome) == Found("x", "ann", 10, ["seen"])


@given(arguments_for(search))
def test_a_derived_tool_does_what_the_tool_does(arguments: dict[str, Any]) -> None:
    new = {"q": "query", "limit": "most"}
    sent = {new.get(name, name): one for name, one in arguments.items() if name != "tenant"}
    own = {"limit": 10, **arguments, "tenant": "ann"}
    assert value(ours.call_sync(sent)) == value(search.call_sync(own))


@pytest.mark.requirement("transform-hidden")
def test_a_factory_runs_once_for_each_call() -> None:
    asked: list[int] = []

    def next_day() -> dt.date:
        asked.append(1)
        return dt.date(2026, 1, len(asked))

    @tool
    def note(text: str, size: int, day: dt.date) -> str:
        "Note."
        return f"{day:%d} {text} {size}"

    dated = note.transform(hide={"day": next_day})
    assert asked == []
    assert value(dated.call_sync({"text": "a", "size": 1})) == "01 a 1"
    assert value(dated.call_sync({"text": "a", "size": "2"})) == "02 a 2"
    assert value(dated.call_sync({"text": "a", "size": 3.0})) == "03 a 3"
    assert refusal(dated.call_sync({"text": 1, "size": 2})) == [(("text",), "type")]
    assert len(asked) == 3


@pytest.mark.requirement("transform-hidden")
def test_a_hidden_value_is_never_shared_between_calls() -> None:
    tagged = ours.transform(hide={"tags": ["x"]})
    for _ in range(2):
        assert value(tagged.call_sync({"query": "q"})).tags == ["x", "seen"]


class Query(BaseModel):
    """A vendor's model, with checks of its own."""

    text: str
    tenant: str = "nobody"
    limit: int = Field(default=3, ge=1)

    @field_validator("text", "tenant")
    @classmethod
    def known(cls, text: str) -> str:
        if text == "bad":
            raise ValueError(f"{text} is bad")
        return text

    @model_validator(mode="after")
    def allowed(self) -> Query:
        if self.limit > 100:
            raise ValueError(f"{self.tenant} may not have {self.limit}")
        return self


@tool(input=Query, output=None)
def find(query: Query, context: Context[Any] = None) -> Any:
    """Find."""
    return (query, context)


theirs = find.transform(rename={"text": "q"}, hide={"tenant": "acme"}, defaults={"limit": 5})


@pytest.mark.requirement("transform-shown")
def test_a_vendors_model_is_given_to_the_handler() -> None:
    made, context = value(theirs.call_sync({"q": "x"}, context=7))
    assert (made.model_dump(), context) == ({"text": "x", "tenant": "acme", "limit": 5}, 7)
    assert refusal(theirs.call_sync({"q": "x", "tenant": "evil"})) == [(("tenant",), "extra")]
    assert refusal(theirs.call_sync({"text": "x"})) == [(("q",), "missing"), (("text",), "extra")]
    ignored = theirs.call_sync({"q": "x", "more": 1})
    assert ignored.coercions == (Coercion(("more",), "vendor_ignored"),)


def test_an_authors_words_are_under_the_new_name_and_without_what_is_hidden() -> None:
    refused = theirs.call_sync({"q": "bad", "limit": 0})
    assert refusal(refused) == [(("limit",), "value")]
    assert refusal(theirs.call_sync({"q": "bad"})) == [(("q",), "custom")]
    refused = theirs.call_sync({"q": "x", "limit": 101})
    assert refused.text.endswith("Errors: … may not have …")


def test_unexpressed_checks_are_named_by_the_new_names() -> None:
    adapter: Any = find.transform(rename={"text": "q"}, hide={"tenant": "acme"}).input_schema
    own: Any = find.input_schema
    assert [path for path, _ in own.unexpressed_checks()] == [(), ("text",), ("tenant",)]
    assert [path for path, _ in adapter.unexpressed_checks()] == [(), ("q",)]


@pytest.mark.requirement("transform-hidden")
@pytest.mark.parametrize(
    "changes",
    [
        {"hide": {"tenant": lambda: "bad"}},
        {"hide": {"tenant": "bad"}},
        {"hide": {"tenant": lambda: 1}},
        {"hide": {"tenant": object}},
        {"hide": {"tenant": lambda: 1 / 0}},
        {"defaults": {"tenant": "bad"}},
    ],
)
def test_a_value_of_ours_that_does_not_fit_is_no_mistake_of_the_models(changes: Any) -> None:
    outcome = find.transform(**changes).call_sync({"text": "x"})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, outcome.issues) == ("runtime_error", "none", ())
    assert "tenant" not in outcome.text


@pytest.mark.requirement("transform-shown")
def test_a_schema_of_the_authors_own_keeps_its_conditions() -> None:
    declared = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "key": {}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }

    @tool(parameters=declared, output=None)
    def either(a: int = 1, b: str = "b", key: str = "k") -> Any:
        "Either."
        return (a, b, key)

    changed = either.transform(rename={"a": "n"}, hide={"key": "secret"})
    assert changed.input_schema.json_schema() == {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["n"]}, {"required": ["b"]}],
    }
    assert value(changed.call_sync({"n": 2})) == (2, "b", "secret")
    assert isinstance(changed.call_sync({}), Err)
    assert refusal(changed.call_sync({"n": 1, "a": 2})) == [(("a",), "extra")]


@pytest.mark.requirement("transform-shown")
def test_a_derived_tool_can_be_changed_and_derived_again() -> None:
    again = ours.transform(rename={"most": "n"}, hide={"tags": ["t"]}).replace(name="look")
    assert list(again.input_schema.json_schema()["properties"]) == ["query", "n"]
    assert value(again.call_sync({"query": "x", "n": 2})) == Found("x", "ann", 2, ["t", "seen"])
    assert again.examples == [{"query": "tea", "n": 3}]
    swapped = search.transform(rename={"q": "tenant", "tenant": "q"})
    assert value(swapped.call_sync({"tenant": "a", "q": "b"})) == Found("a", "b", 3, ["seen"])
    assert again.name == "look"
    assert [one.name for one in Toolset([again]).prefix("x_")] == ["x_look"]


@tool(isolation="process")
def shout(text: str, mark: str) -> str:
    "Shout."
    return text.upper() + mark


shout = shout.transform(rename={"text": "words"}, hide={"mark": "!"})


def test_a_derived_tool_runs_in_a_process_of_its_own() -> None:
    assert value(shout.call_sync({"words": "tea"})) == "TEA!"


def test_a_tool_and_what_is_derived_from_it_count_together_towards_a_limit() -> None:
    running: list[int] = []
    most: list[int] = []

    @tool(limit=1)
    async def slow(a: int) -> int:
        "Take a while."
        running.append(a)
        most.append(len(running))
        await asyncio.sleep(0)
        running.pop()
        return a

    derived = slow.transform(rename={"a": "b"})

    async def both() -> list[Any]:
        calls = [one for _ in range(3) for one in (slow.call({"a": 1}), derived.call({"b": 2}))]
        found: list[Any] = await asyncio.gather(*calls)
        return found

    assert [value(one) for one in asyncio.run(both())] == [1, 2] * 3
    assert set(most) == {1}


class Shop:
    """An object with a tool."""

    name = "shop"

    @tool
    def buy(self, item: str, shop: str) -> str:
        "Buy."
        return f"{item} at {shop} of {self.name}"

    buy_here = buy.transform(hide={"shop": "ours"})


def test_a_derived_method_binds_as_the_method_does() -> None:
    assert value(Shop().buy_here.call_sync({"item": "tea"})) == "tea at ours of shop"
    assert value(Shop().buy.transform(hide={"shop": "b"}).call_sync({"item": "tea"})).startswith(
        "t"
    )


def test_a_validator_that_answers_later_is_awaited() -> None:
    async def check(data: Any) -> Any:
        return Success(data) if data["key"] == "k" else Failure([Issue("no", ("n",))])

    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "key": {}}}

    @tool(input=schema_of(validate=check, vendor="ours", json_schema=schema), output=None)
    def late(arguments: Any) -> Any:
        "Late."
        return arguments

    changed = late.transform(rename={"n": "count"}, hide={"key": lambda: "k"})
    assert value(changed.call_sync({"count": 1})) == {"n": 1, "key": "k"}
    prepared = changed.transform(rename={"count": "size"}).prepare({"size": 2})
    assert not isinstance(prepared, Err)
    assert value(prepared.call_sync()) == {"n": 2, "key": "k"}
    assert refusal(late.transform(rename={"n": "count"}, hide={"key": "x"}).call_sync({})) == [
        (("count",), "custom")
    ]


@pytest.mark.requirement("transform-faults")
def test_everything_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(DefinitionError) as raised:
        search.transform(
            rename={"qq": "x", "q": "limit", "tenant": "\u202e"},
            describe={"q": " "},
            hide={"nope": 1, "tags": "text"},
            defaults={"limit": "x", "tags": []},
        )
    assert [(one.where, one.reason) for one in raised.value.faults] == [
        ("rename.qq", "unknown parameter"),
        ("hide.nope", "unknown parameter"),
        ("defaults.tags", "the parameter is hidden"),
        ("rename", "2 parameters would be named limit"),
        ("rename", "a new name holds a bidirectional character (U+202E RIGHT-TO-LEFT OVERRIDE)"),
        ("describe.q", "not a text, or empty"),
        (
            "hide.tags",
            (
                "the parameter does not take the value "
                '(tags: expected array of strings, such as ["a"])'
            ),
        ),
        (
            "defaults.limit",
            "the parameter does not take the value (limit: expected integer, received string)",
        ),
    ]
    assert {one.tool for one in raised.value.faults} == {"search"}


@pytest.mark.requirement("transform-faults")
@pytest.mark.parametrize("option", ["hide", "defaults"])
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("amount", 2**53 + 1, "expected a number that a 64-bit float holds exactly"),
        ("count", 2.0**53, "expected integer, received number"),
        ("day", "2026-02-30", "not a real date (the calendar has no such day)"),
        ("stock", {"0": 1, "-0": 2}, "entries 1 and 2 have the same key, keep one of them"),
    ],
)
def test_a_value_that_every_call_would_refuse_is_refused_at_once(
    option: str, name: str, value: Any, words: str
) -> None:
    @tool
    def pay(
        amount: float = 1,
        count: int = 1,
        day: dt.date = dt.date.min,
        stock: dict[int, int] | None = None,
    ) -> None:
        """Pay."""

    with pytest.raises(DefinitionError) as raised:
        pay.transform(**{option: {name: value}})
    [fault] = raised.value.faults
    reason = f"the parameter does not take the value ({name}: {words})"
    assert (fault.where, fault.reason) == (f"{option}.{name}", reason)


@pytest.mark.requirement("transform-faults")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hide": ["tenant"]}, "search.hide: not a mapping; write {'tenant': value}: each needs"),
        ({"rename": "q"}, "search.rename: not a mapping; write {'q': 'query'}"),
        ({"hide": {"tenant": object()}}, "search.hide.tenant: not JSON (expected plain JSON data"),
        ({"rename": {"quer": "x"}}, "search.rename.quer: unknown parameter; use one of: q"),
    ],
)
def test_a_fault_has_a_fix(changes: Mapping[str, Any], words: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        search.transform(**changes)
    assert str(raised.value).startswith(words)


@pytest.mark.requirement("transform-faults")
def test_arguments_that_are_described_by_patterns_cannot_be_renamed() -> None:
    declared = {"type": "object", "properties": {"a": True}, "patternProperties": {"^x": {}}}
    echo = tool(lambda arguments: arguments, name="echo", description="Echo.", input=declared)
    with pytest.raises(DefinitionError, match="patternProperties says something of the arguments"):
        echo.transform(rename={"a": "b"})
    described = echo.transform(describe={"a": "A."}, defaults={"a": 1})
    assert described.input_schema.json_schema()["properties"] == {
        "a": {"description": "A.", "default": 1}
    }
    assert value(described.call_sync({"xy": 2})) == {"a": 1, "xy": 2}
    bare = tool(
        lambda arguments: arguments, name="bare", description="Bare.", input={"type": "object"}
    )
    with pytest.raises(DefinitionError, match="unknown parameter; use one of: none"):
        bare.transform(hide={"a": 1})


def test_validation_by_itself_refuses_what_is_no_object() -> None:
    values: list[Any] = [[], "x", None]
    for bad in values:
        refused = ours.input_schema.validate(bad)
        assert isinstance(refused, Failure)
        assert [(one.path, one.code) for one in refused.issues] == [((), "type")]


def test_values_that_an_authors_function_accepts_are_accepted_under_the_new_name_too() -> None:
    def whole(value: object) -> object:
        return value.split() if isinstance(value, str) else value

    @tool(output=None)
    def tag(words: Annotated[list[str], BeforeValidator(whole)], price: Decimal) -> Any:
        "Tag."
        return (words, price)

    done = tag.transform(rename={"words": "w"}).call_sync('{"w": "a b", "price": 0.10}')
    assert value(done) == (["a", "b"], Decimal("0.10"))
    assert str(value(done)[1]) == "0.10"
    assert done.coercions == (Coercion(("w",), "vendor"),)


def test_other_names_of_a_renamed_key_are_still_refused() -> None:
    class Aliased(BaseModel, extra="allow"):
        max_amount: int = Field(alias="maxAmount")

    @tool(input=Aliased, output=None)
    def pay(given: Aliased) -> int:
        "Pay."
        return given.max_amount

    limited = pay.transform(rename={"maxAmount": "limit"})
    assert limited.call_sync({"limit": 1}).unwrap() == 1
    refused = limited.call_sync({"max_amount": 9, "maxAmount": 9})
    assert refused.text.endswith(
        "Errors: limit: required; max_amount, maxAmount: unknown (did you mean limit?)"
    )
    attribute = pay.transform(rename={"maxAmount": "max_amount"})
    assert attribute.call_sync({"max_amount": 2}).unwrap() == 2
