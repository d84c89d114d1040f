"""The text is within its bounds, whatever a validator raises and a schema has."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Annotated, Any

import attrs
import marshmallow
import msgspec
import pydantic
import pytest
import voluptuous

from toolhaft import Err, Issue, schema_of, tool
from toolhaft.call import feedback
from toolhaft.definition.names import hidden_character
from toolhaft.schema.checker import Checker

MOST_CHARS = 700


class Unspeakable(ValueError):
    """An exception whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError("never")


def raising(error: Exception) -> Callable[[Any], Any]:
    def validate(value: Any) -> Any:
        raise error

    return validate


def is_bounded(outcome: Err) -> bool:
    return len(outcome.text) <= MOST_CHARS and outcome.text.isprintable()


@pytest.mark.requirement("texts-hostile")
@pytest.mark.parametrize(
    "error",
    [
        ValueError(),
        ValueError(""),
        ValueError("x" * 100_000),
        ValueError("a\x00b\x1b[31m\u202e\ud800\nc"),
        ValueError("; " * 500),
        Unspeakable("x"),
        KeyError("a", "b"),
    ],
    ids=["bare", "empty", "100 KB", "controls", "separators", "unspeakable", "key"],
)
def test_whatever_a_validator_raises_is_an_outcome_with_a_bounded_text(error: Exception) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    own = schema_of(validate=raising(error), vendor="own", json_schema=schema)
    outcome = tool(lambda _: "", name="f", description="A tool.", input=own).call_sync({"n": 1})
    assert isinstance(outcome, Err)
    assert outcome.kind in ("invalid_input", "runtime_error")
    assert is_bounded(outcome)


IMPOSSIBLE: dict[str, Any] = {
    "never": False,
    "no forms": {"anyOf": [False, False]},
    "two at once": {"oneOf": [{"type": "integer"}, {"type": "number"}]},
    "forbidden": {"not": {}},
    "itself": {"allOf": [{"type": "string"}, {"type": "integer"}]},
    "many forms": {"anyOf": [{"const": f"{n}-{'x' * 90}"} for n in range(300)]},
    "empty": {"enum": []},
    "deep": {"anyOf": [{"anyOf": [{"anyOf": [{"type": "array", "items": False}]}]}]},
    "long": {"enum": [f"member number {n}" for n in range(5_000)]},
    "pattern": {"type": "string", "pattern": f"^({'a|' * 400}b)$"},
    "keys": {
        "type": "object",
        "properties": {f"{'k' * 50}{n}{'z' * 50}": {"type": "integer"} for n in range(20)},
        "required": [f"{'k' * 50}{n}{'z' * 50}" for n in range(20)],
        "additionalProperties": False,
    },
}


@pytest.mark.requirement("texts-hostile")
@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.parametrize("value", ["member nubmer 77", 5, 2.5, None, [1, "x"], {"a": {"b": 1}}, {}])
def test_no_schema_is_too_strange_for_a_text(name: str, value: Any) -> None:
    schema = {"type": "object", "properties": {"n": IMPOSSIBLE[name]}, "required": ["n"]}
    outcome = tool(lambda _: "", name="f", description="A tool.", input=schema).call_sync(
        {"n": value}
    )
    if not outcome:
        assert is_bounded(outcome)


@pytest.mark.requirement("texts-hostile")
def test_ten_thousand_members_are_counted_and_the_near_one_is_named() -> None:
    checker = Checker({"enum": [f"member number {n}" for n in range(10_000)]})
    [issue] = checker.issues("membr number 77")
    assert issue.message == (
        'expected one of 10000 values, such as "member number 77", "member number 177", '
        '"member number 277", "member number 377", "member number 477"'
    )
    assert (len(issue.facts["members"]), issue.facts["member_count"]) == (100, 10_000)


@pytest.mark.requirement("texts-hostile")
def test_long_names_stay_apart_when_they_are_cut() -> None:
    schema = {"type": "object", "properties": {"n": IMPOSSIBLE["keys"]}, "required": ["n"]}
    outcome = tool(lambda _: "", name="f", description="A tool.", input=schema).call_sync(
        {"n": {f"{'k' * 50}{n}{'z' * 50}": "x" for n in range(20)}}
    )
    lines = outcome.text.removeprefix(feedback.INVALID).split("; ")
    assert len({line.partition(":")[0] for line in lines}) == len(lines)


@pytest.mark.requirement("texts-hostile")
def test_sixteen_thousand_issues_are_counted() -> None:
    issues = [Issue("expected integer", ("a", n, f"k{n}"), "type") for n in range(16_000)]
    text = feedback.describe_invalid(issues)
    assert text.endswith(" more: expected integer (+15800 more)")
    assert len(text) <= MOST_CHARS
    equal = [Issue("expected integer", ("a", n), "type") for n in range(16_000)]
    assert feedback.describe_invalid(equal).endswith(
        "Errors: a (200 items): expected integer (+15800 more)"
    )


WORDS = {
    "empty": "",
    "100 KB": "x" * 100_000,
    "controls": "a\x00b\x1b[31m\u202e\ud800\nc",
    "separators": "; a: required" * 500,
}


def refusing_types(words: str | None) -> dict[str, Any]:
    """Return a type of each library whose own code raises an error; None has no text."""

    def refuse(value: Any, *_: Any) -> Any:
        raise Unspeakable if words is None else ValueError(words)

    class Struct(msgspec.Struct):
        n: int

        def __post_init__(self) -> None:
            refuse(self.n)

    def check(_: Any, __: Any, value: Any) -> None:
        refuse(value)

    Schema = marshmallow.Schema.from_dict(  # noqa: N806 - a class
        {"n": marshmallow.fields.Integer(required=True, validate=refuse)}
    )
    return {
        "pydantic": pydantic.create_model("M", n=Annotated[int, pydantic.AfterValidator(refuse)]),
        "msgspec": Struct,
        "attrs": attrs.make_class("A", {"n": attrs.field(type=int, validator=check)}),
        "marshmallow": Schema(),
        "voluptuous": voluptuous.Schema({"n": voluptuous.All(int, refuse)}),
    }


# The library's own reaction; marshmallow does not treat ValueError as a rejection.
CRASHES = {("pydantic", "controls"), ("pydantic", "unspeakable"), ("msgspec", "unspeakable")}


@pytest.fixture
def unlogged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep lone surrogates of a traceback out of pytest's report, which has to be UTF-8."""
    monkeypatch.setattr(logging.getLogger("toolhaft"), "disabled", True)


# The compiled library warns that it ignored an exception without a text.
@pytest.mark.usefixtures("unlogged")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.requirement("texts-hostile")
@pytest.mark.parametrize("vendor", ["pydantic", "msgspec", "attrs", "marshmallow", "voluptuous"])
@pytest.mark.parametrize("words", [*WORDS, "unspeakable"])
def test_the_code_of_every_library_may_raise_strange_things(vendor: str, words: str) -> None:
    if (vendor, words) == ("attrs", "unspeakable"):
        pytest.skip("pytest cannot format what the library says that it ignored")
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    outcome = tool(
        lambda _: "",
        name="f",
        description="A tool.",
        input=refusing_types(WORDS.get(words))[vendor],
        parameters=schema if vendor in ("marshmallow", "voluptuous") else None,
    ).call_sync({"n": 1})
    assert isinstance(outcome, Err)
    is_crash = vendor == "marshmallow" or (vendor, words) in CRASHES
    assert outcome.kind == ("runtime_error" if is_crash else "invalid_input")
    assert len(outcome.text) <= MOST_CHARS
    assert outcome.text.isprintable()
    assert all(len(feedback.describe_invalid([issue])) <= MOST_CHARS for issue in outcome.issues)


HOSTILE_NAMES = [
    "",
    " ",
    "; a: required",
    "1st entry",
    "(+3 more)",
    "a.b",
    "…",
    "\u202e\u2066x",
    "\x1b[2J\n\r\t\x00",
    "\U000e0041",
    "x" * 5_000,
    "é" * 5_000,
    "\n" * 5_000,
]
# A definition may have these; a model may send the others.
DECLARED = [name for name in HOSTILE_NAMES if hidden_character(name) is None]


@pytest.mark.requirement("texts-hostile")
@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
def test_whatever_the_names_are_the_text_is_within_its_bounds(
    required: bool, is_open: bool
) -> None:
    schema = {
        "type": "object",
        "properties": {name: {"type": "object", "required": DECLARED} for name in DECLARED},
        "required": DECLARED if required else [],
        "additionalProperties": {"type": "integer"} if is_open else False,
    }
    one = tool(lambda _: "", name="f", description="A tool.", input=schema)
    calls: tuple[dict[str, Any], ...] = (
        {},
        dict.fromkeys(HOSTILE_NAMES, 5),
        {name: {"": 1} for name in HOSTILE_NAMES},
        {f"{name}!": "x" for name in HOSTILE_NAMES},
        {"wrap": {name: {} for name in HOSTILE_NAMES}},
    )
    for sent in calls:
        outcome = one.call_sync(sent)
        if outcome:
            continue
        assert len(outcome.text) <= MOST_CHARS
        assert outcome.text.isprintable()
        alone = [feedback.describe_invalid([issue]) for issue in outcome.issues]
        assert all(len(text) <= MOST_CHARS for text in alone)
