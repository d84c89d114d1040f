"""A model's arguments become validated ones: read, checked by the schema, repaired, constructed."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from typing import Any, NotRequired, TypedDict, cast

import marshmallow
import msgspec
import pytest
from pydantic import (
    BaseModel,
    Field,
    SecretStr,
    computed_field,
    field_serializer,
    field_validator,
)

from toolhaft import DefinitionError, Err, Ok, Prepared, ToolCall, Toolset, tool
from toolhaft.lowering import lower
from toolhaft.spec import Failure, Issue, Success

SHAPE = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class Later:
    """A schema that answers later."""

    version = 1
    vendor = "later"

    async def validate(self, value: Any, /) -> Success[Any] | Failure:
        await asyncio.sleep(0)
        if value["n"] > 0:
            return Success(value["n"])
        return Failure([Issue(f"{value['n']} is not positive", ("n",))])

    def json_schema(self, *, target: str = "", mode: str = "input") -> dict[str, Any]:
        return SHAPE


class Broken(Later):
    """A schema with a bug."""

    def validate(self, value: Any, /) -> Any:
        raise KeyError("bug")


def take(value: Any) -> Any:
    """Return the value."""
    return value


LATER: Any = tool(take, input=Later(), name="later")
BROKEN: Any = tool(take, input=Broken(), name="broken")


@pytest.mark.requirement("gate-awaits")
def test_a_validator_that_answers_later_is_awaited_by_both_doors() -> None:
    assert asyncio.run(LATER.call('{"n": "3"}')).unwrap() == 3
    assert LATER.call_sync({"n": 3}).unwrap() == 3
    prepared = LATER.prepare({"n": 3})
    assert isinstance(prepared, Prepared)
    assert (prepared.name, prepared.coercions) == ("later", ())
    assert asyncio.run(prepared.call()).unwrap() == 3
    assert asyncio.run(prepared.call()).text.startswith("This call has been decided already")
    for wrong in ({"n": -3}, '{"n": "-3"}'):
        refused = LATER.call_sync(wrong)
        assert isinstance(refused, Err)
        assert [(i.path, i.message) for i in refused.issues] == [(("n",), "… is not positive")]
    assert isinstance(LATER.call_sync({}), Err)


@pytest.mark.requirement("gate-broken-validator")
def test_a_validator_that_breaks_is_a_runtime_error(caplog: pytest.LogCaptureFixture) -> None:
    for outcome in (
        BROKEN.call_sync({"n": 1}),
        asyncio.run(BROKEN.call({"n": 1})),
        BROKEN.prepare({"n": 1}),
        BROKEN.replace(timeout=5).call_sync({"n": 1}),
    ):
        assert isinstance(outcome, Err)
        assert (outcome.kind, outcome.effect) == ("runtime_error", "none")
        assert "bug" not in outcome.text
    assert "KeyError" in caplog.text


def test_a_prepared_call_keeps_what_was_checked() -> None:
    sent: dict[str, Any] = {"n": 1}

    @tool
    def f(n: int) -> int:
        "F."
        return n

    prepared = f.prepare(sent)
    assert isinstance(prepared, Prepared)
    sent["n"] = 2
    assert repr(prepared) == "Prepared(name='f', coercions=())"
    assert bool(prepared)
    assert prepared.call_sync().unwrap() == 1


def test_both_doors_give_the_same_outcome_for_every_spelling() -> None:
    @tool
    def f(n: int, s: str = "x") -> list[Any]:
        "F."
        return [n, s]

    spellings: list[Any] = ['{"n": 1}', b'{"n": 1}', {"n": 1}, "{'n': 1}", '"{\\"n\\": 1}"']
    for raw in spellings:
        sync, later = f.call_sync(raw), asyncio.run(f.call(raw))
        assert isinstance(sync, Ok)
        assert isinstance(later, Ok)
        assert sync.value == later.value == [1, "x"]
        assert sync.coercions == later.coercions


def test_a_sync_handler_may_stay_on_the_loop() -> None:
    import threading

    @tool(offload=False)
    def where() -> int:
        "Where."
        return threading.get_ident()

    async def main() -> tuple[int, int]:
        return (await where.call()).unwrap(), threading.get_ident()

    here, there = asyncio.run(main())
    assert here == there


def test_an_overloaded_pool_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolhaft.call import workers

    monkeypatch.setattr(workers, "POOL", workers.Pool(size=0))
    outcome = tool(take, input=SHAPE, timeout=1).call_sync({"n": 1})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, outcome.retryable) == ("overloaded", "none", True)


def test_a_widening_validator_is_recorded() -> None:
    class Lines(BaseModel):
        lines: list[str]

        @field_validator("lines", mode="before")
        @classmethod
        def split(cls, value: Any) -> Any:
            return value.split("\n") if isinstance(value, str) else value

    @tool(input=Lines)
    def count(value: Lines) -> int:
        "Count."
        return len(value.lines)

    outcome = count.call_sync({"lines": "a\nb"})
    assert isinstance(outcome, Ok)
    assert outcome.value == 2
    assert [(c.path, c.rule) for c in outcome.coercions] == [(("lines",), "vendor")]
    assert Toolset([count]).call_sync("count", {"lines": ["a"]}).unwrap() == 1


# ----------------------------------------------------------------------------------- limits


def nested(levels: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return dict(value)


def keep(notes: dict[str, Any]) -> int:
    """Keep notes."""
    return len(str(notes))


KEEP: Any = tool(keep)


@pytest.mark.unmeasured
@pytest.mark.requirement("decode-limits")
def test_a_tool_says_how_long_its_arguments_may_be() -> None:
    long = json.dumps({"notes": {"a": "x" * (1 << 20)}})
    many = {"notes": {"a": [0] * (1 << 19)}}
    roomy = KEEP.replace(max_argument_bytes=4 << 20)
    raws: list[Any] = [long, long.encode(), many]
    for raw in raws:
        assert KEEP.call_sync(raw).kind == "invalid_input"
        assert roomy.call_sync(raw).unwrap() > 1 << 20
    waiting = roomy.replace(requires_approval=True).call_sync(many)
    assert waiting.prepared.call_sync().unwrap() > 1 << 20
    short = KEEP.replace(max_argument_bytes=20)
    assert short.call_sync('{"notes":{"a":1}}').unwrap() == 8
    assert short.call_sync('{"notes":{"a":1000}}').unwrap() == 11
    assert short.call_sync('{"notes":{"a":10000}}').text.endswith("text longer than 20 bytes")


@pytest.mark.requirement("decode-limits")
def test_a_tool_says_how_deep_its_arguments_may_be() -> None:
    deep = KEEP.replace(max_argument_depth=100, requires_approval=True)
    data = {"notes": nested(99)}
    raws: list[Any] = [data, json.dumps(data), str(data), {"notes": str(nested(99))}]
    for raw in raws:
        assert KEEP.call_sync(raw).kind == "invalid_input"
        waiting = deep.call_sync(raw)
        again: Any = Toolset([deep]).resume(waiting.prepared.to_json(key="k"), key="k")
        assert again.call_sync().unwrap() == len(str(nested(99)))
    flat = KEEP.replace(max_argument_depth=2)
    assert flat.call_sync({"notes": {"a": 1}}).unwrap() == 8
    refused: list[Any] = [{"notes": nested(2)}, json.dumps({"notes": nested(2)})]
    for raw in refused:
        assert flat.call_sync(raw).text.endswith("nested deeper than 2 levels")
    assert flat.call_sync({"notes": '{"a": {"b": 1}}'}).kind == "invalid_input"


@pytest.mark.requirement("decode-limits")
@pytest.mark.parametrize("strict", [False, "prefer"])
def test_the_limits_of_a_tool_hold_for_its_exports(strict: Any) -> None:
    sent = lower(KEEP.input_schema.json_schema(), "openai", strict).lens.put({"notes": nested(20)})
    call = ToolCall("1", "keep", json.dumps(sent))

    def told(**options: Any) -> str:
        wire = Toolset([KEEP.replace(**options)]).export("openai", strict=strict)
        return wire.call_sync(call).text

    assert told() == told(max_argument_depth=21, max_argument_bytes=1 << 21) == "141"
    assert "nested deeper than" in told(max_argument_depth=20)
    assert "text longer than 50 bytes" in told(max_argument_bytes=50)


@pytest.mark.parametrize(
    "options",
    [
        {"max_argument_bytes": 0},
        {"max_argument_bytes": (64 << 20) + 1},
        {"max_argument_depth": 101},
        {"max_argument_depth": True},
    ],
)
def test_limits_are_whole_numbers_within_reason(options: dict[str, Any]) -> None:
    KEEP.replace(max_argument_bytes=64 << 20, max_argument_depth=100)
    with pytest.raises(DefinitionError, match="not a whole number from 1 to"):
        KEEP.replace(**options)


# ----------------------------------------------------------------------------------- order


class Aliased(BaseModel):
    total: int = Field(0, alias="amount")
    more: int = 0

    @field_validator("more")
    @classmethod
    def few(cls, more: int) -> int:
        if more > 9:
            raise ValueError("too many")
        return more


def given(tp: Any, raw: Any, **options: Any) -> tuple[Any, list[tuple[Any, str]]] | list[str]:
    """The handler's arguments and the repairs, or the issues."""
    took: list[Any] = []
    options = {"description": "Take.", "output": None, **options}

    def take(value: Any) -> None:
        took.append(value)

    outcome = tool(take, input=tp, **options).call_sync(raw)
    if isinstance(outcome, Err):
        return [str(issue) for issue in outcome.issues]
    return took[0], [(one.path, one.rule) for one in outcome.coercions]


def test_an_authors_faults_are_told_once_the_schema_is_satisfied() -> None:
    assert given(Aliased, {"more": 10, "amount": "x"}) == [
        "amount: expected integer, received string"
    ]
    assert given(Aliased, {"more": 10, "amount": 1}) == ["more: too many"]


@pytest.mark.requirement("coerce-whole-floats")
@pytest.mark.parametrize("policy", ["safe", "lenient", "none"])
def test_a_whole_float_for_an_integer_is_no_coercion(policy: str) -> None:
    found = given(Aliased, {"more": 5.0}, coerce=policy)
    assert found == (Aliased.model_validate({"more": 5}), [])
    assert type(cast("Any", found)[0].more) is int
    assert given(Aliased, {"more": 2.0**53}, coerce=policy) == [
        "more: expected integer, received number"
    ]


@pytest.mark.parametrize("policy", ["safe", "lenient", "none"])
@pytest.mark.parametrize("extra", ["ignore", "forbid"])
def test_another_name_of_a_field_is_refused_whatever_the_policy(policy: str, extra: str) -> None:
    told = ["total: unknown (did you mean amount?)"]
    assert given(Aliased, {"total": 1_000_000}, coerce=policy, extra=extra) == told
    assert given(list[Aliased], {"value": [{"total": 1}]}, coerce=policy, extra=extra) == [
        "value.0.total: unknown (did you mean amount?)"
    ]


def test_undeclared_keys_are_dropped_and_recorded_as_the_policy_says() -> None:
    sent = {"amount": 1, "x": 2}
    assert given(Aliased, sent) == (Aliased(amount=1), [(("x",), "vendor_ignored")])
    assert given(Aliased, sent, extra="ignore") == (Aliased(amount=1), [(("x",), "ignored")])
    assert given(Aliased, sent, extra="forbid") == ["x: unknown (allowed: amount, more)"]
    lenient = given(Aliased, sent, extra="forbid", coerce="lenient")
    assert lenient == (Aliased(amount=1), [(("x",), "undeclared_dropped")])


class Priced(BaseModel):
    price: Decimal
    parts: list[Decimal] = []
    share: float = 0.0


LONG = "0.1000000000000000055511151231257827021181583404541015625"


@pytest.mark.parametrize(
    ("raw", "rules"),
    [
        ('{"price": LONG, "parts": [LONG, 5.0]}', []),
        ({"price": LONG, "parts": [LONG, "5.0"]}, []),
        ('"{\\"price\\": LONG, \\"parts\\": [LONG, 5.0]}"', ["double_encoded"]),
        ("{'price': LONG, 'parts': (LONG, 5.0)}", ["python_literal"]),
        ({"price": LONG, "parts": "[LONG, 5.0]"}, ["json_text"]),
        ({"price": LONG, "parts": "LONG, 5.0"}, ["python_literal"]),
    ],
)
def test_a_decimal_has_the_digits_of_the_text_in_every_spelling(raw: Any, rules: list[str]) -> None:
    text = raw if isinstance(raw, str) else json.dumps(raw)
    sent: Any = text.replace("LONG", LONG)
    value, coercions = cast("Any", given(Priced, sent))
    assert repr(value) == repr(Priced(price=Decimal(LONG), parts=[Decimal(LONG), Decimal("5.0")]))
    assert [rule for _, rule in coercions] == rules


def test_beside_a_decimal_a_float_is_the_nearest_one() -> None:
    found = given(Priced, '{"price": 1, "share": LONG}'.replace("LONG", LONG))
    assert found == (Priced(price=Decimal(1), share=0.1), [])
    assert given(Priced, '{"price": 1, "share": 1e400}') == ["share: number too large"]


def test_an_object_of_the_declared_type_is_read_as_the_data_that_it_stands_for() -> None:
    assert given(Aliased, Aliased(amount=3)) == (Aliased(amount=3), [])
    wrong = Aliased.model_construct(total="x", more=1)
    assert given(Aliased, wrong) == ["amount: expected integer, received string"]


def test_what_a_library_refuses_beyond_the_schema_is_masked() -> None:
    class Held(BaseModel):
        secret: str

        @field_validator("secret")
        @classmethod
        def judge(cls, secret: str) -> str:
            raise ValueError(f"{secret} is no secret")

    assert given(Held, {"secret": "hunter2"}) == ["secret: … is no secret"]


class Secretive(BaseModel):
    """Its written form differs from the data it is made from."""

    name: str = Field(validation_alias="callMe", serialization_alias="called")
    hidden: int = Field(1, exclude=True)
    day: int = 0

    @field_serializer("day")
    def other(self, day: int) -> int:
        return day + 100

    @computed_field
    def twice(self) -> str:
        return self.name * 2


def test_an_object_is_the_same_call_as_the_data_that_it_is_made_from() -> None:
    run = tool(lambda given: given, name="run", description="Run.", input=Secretive, output=None)
    data = {"callMe": "ann", "hidden": 5, "day": 3}
    made: Any = Secretive.model_validate(data)
    by_data, by_object = run.prepare(data), run.prepare(made)
    assert isinstance(by_data, Prepared)
    assert isinstance(by_object, Prepared)
    assert by_object.arguments == by_data.arguments == data
    assert by_object.call_sync().unwrap() == made


def test_a_secret_that_an_object_holds_is_never_read_as_its_stars() -> None:
    class Login(BaseModel):
        password: SecretStr

    run = tool(lambda given: given, name="run", description="Run.", input=Login, output=None)
    login: Any = Login(password=SecretStr("sesame"))
    refused = run.call_sync(login)
    assert isinstance(refused, Err)
    assert refused.kind == "invalid_input"


@pytest.mark.parametrize("raw", [object(), bytearray(b'{"n": 1}'), memoryview(b"{}"), {1}])
def test_what_is_no_data_is_no_object_of_a_loader_either(raw: Any) -> None:
    class Loaded(marshmallow.Schema):
        n = marshmallow.fields.Integer(load_default=1)

    run = tool(lambda given: given, name="run", description="Run.", input=Loaded, output=None)
    refused = run.call_sync(raw)
    assert isinstance(refused, Err)
    assert refused.kind == "invalid_input"


def test_keys_that_are_ignored_still_count_for_the_schema() -> None:
    def total(n: int = 0) -> int:
        "Total."
        return n

    few: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    made = tool(total, parameters={**few, "maxProperties": 2}, extra="ignore")
    taken = made.call_sync({"n": 1, "m": 2})
    assert (bool(taken), [one.rule for one in taken.coercions]) == (True, ["ignored"])
    assert not made.call_sync({"n": 1, "m": 2, "k": 3})


def test_data_of_any_kind_are_no_part_of_what_was_sent() -> None:
    class Event(BaseModel):
        facts: dict[str, Any]
        rest: list  # type: ignore[type-arg]
        n: int

    @tool
    def keep(event: Event) -> None:
        "Keep an event."
        event.facts["seen"], event.facts["deep"]["seen"] = True, True
        event.rest.append({})

    sent = {"event": {"facts": {"deep": {"x": 5.0}}, "rest": [1.0], "n": 5.0}}
    done = keep.call_sync(sent)
    assert isinstance(done, Ok)
    assert sent == {"event": {"facts": {"deep": {"x": 5.0}}, "rest": [1.0], "n": 5.0}}
    assert repr(done.arguments) == repr(keep.call_sync(json.dumps(sent)).arguments)  # type: ignore[union-attr]


class Line(BaseModel):
    sku: str
    tags: list[str] = []


class Order(BaseModel):
    lines: list[Line]
    first: Line | None = None
    facts: dict[str, Any] = {}


class LineDict(TypedDict):
    sku: str
    tags: NotRequired[list[str]]


class OrderDict(TypedDict):
    lines: list[LineDict]
    first: NotRequired[LineDict | None]
    facts: NotRequired[dict[str, Any]]


LineStruct = msgspec.defstruct("LineStruct", [("sku", str), ("tags", list[str], [])])
OrderStruct = msgspec.defstruct(
    "OrderStruct",
    [
        ("lines", list[LineStruct]),  # type: ignore[valid-type]
        ("first", LineStruct | None, None),
        ("facts", dict[str, Any], {}),
    ],
)


@pytest.mark.parametrize("form", [Order, OrderDict, OrderStruct])
def test_keys_are_dropped_at_every_depth_and_no_handler_changes_what_is_recorded(form: Any) -> None:
    def take(order: Any) -> int:
        lines = order["lines"] if isinstance(order, dict) else order.lines
        lines.append(0)
        (order["facts"] if isinstance(order, dict) else order.facts)["deep"]["n"] = 2
        return len(lines)

    made: Any = tool(take, name="take", description="Take.", input=form)
    note = {"why": [1.0, 1 << 70, {"x": None}]}
    sent = {
        **note,
        "first": {"sku": "c", "note": note},
        "facts": {"deep": {"n": 1}},
        "lines": [{"sku": "a", "tags": ["x"], **note}, {"b": 1, "sku": "b", "a": 1}],
    }
    before = repr(sent)
    outcomes = [
        made.call_sync(sent),
        made.call_sync(json.dumps(sent)),
        made.call_sync(json.dumps(sent).encode()),
        asyncio.run(made.call(sent)),
        asyncio.run(made.call(json.dumps(sent))),
    ]
    kept = {
        "first": {"sku": "c"},
        "facts": {"deep": {"n": 1}},
        "lines": ({"sku": "a", "tags": ("x",)}, {"sku": "b"}),
    }
    paths = [("why",), ("lines", 0, "why"), ("lines", 1, "b"), ("lines", 1, "a"), ("first", "note")]
    for done in outcomes:
        assert (done.value, repr(sent)) == (3, before)
        assert done.arguments == kept
        assert [(one.path, one.rule) for one in done.coercions] == [
            (path, "vendor_ignored") for path in paths
        ]


def test_what_an_author_refuses_of_data_without_their_ignored_keys_says_where() -> None:
    class Even(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def is_even(cls, n: int) -> int:
            if n % 2:
                raise ValueError("must be even")
            return n

    made = tool(take, name="take", description="Take.", input=Even, output=None)
    refused = [made.call_sync(sent) for sent in ({"x": 1, "n": 3}, '{"x": 1, "n": 3}')]
    told = [(outcome.text, [one.path for one in outcome.coercions]) for outcome in refused]
    assert (
        told
        == [("Please rewrite the input with valid arguments. Errors: n: must be even", [("x",)])]
        * 2
    )
