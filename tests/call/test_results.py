"""Results that are content, rendered or returned, and what the model reads of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft import DefinitionError, Doc, Err, Ok, Toolset, tool, vendors
from toolhaft.call.feedback import describe_invalid_output
from toolhaft.call.parts import describe_part
from toolhaft.call.results import Check, InvalidResult, Results
from toolhaft.content import Content, File, Image, ResourceLink
from toolhaft.spec import Issue

IMAGE = Image(b"123", "image/png")
PDF = File(b"1234", "application/pdf", "a\nb.pdf")
LINK = ResourceLink("https://example.com/r", "report", "All of it.")


@tool
def photo() -> Image:
    "A photo."
    return IMAGE


@tool
def page() -> list[Content] | None:
    "A page."
    return ["See:", IMAGE, PDF, LINK]


def returning(value: Any, limit: int | None = None) -> Any:
    """The outcome of a tool without a declared output."""

    @tool(max_result_chars=limit)
    def give() -> Any:
        "Give it."
        return value

    return give.call_sync()


@pytest.mark.requirement("content-results")
def test_a_part_is_the_value_and_is_stated_in_the_text() -> None:
    outcome = photo.call_sync()
    assert isinstance(outcome, Ok)
    assert photo.output_schema is None
    assert outcome.value is IMAGE
    assert outcome.content == (IMAGE,)
    assert outcome.text == "[image: image/png, 3 bytes]"
    assert outcome.json == [{"type": "image", "data": "MTIz", "mimeType": "image/png"}]


@pytest.mark.requirement("content-results")
@pytest.mark.parametrize("outcome", [page.call_sync(), returning(["See:", IMAGE, PDF, LINK])])
def test_a_list_of_parts_and_text_is_content(outcome: Any) -> None:
    assert outcome.content == ("See:", IMAGE, PDF, LINK)
    assert outcome.text == (
        "See:\n[image: image/png, 3 bytes]\n[file a\\nb.pdf: application/pdf, 4 bytes]\n"
        "[link: report, https://example.com/r, All of it.]"
    )


def test_other_results_are_text_as_ever() -> None:
    for value, text in (("a", "a"), (["a", "b"], '["a","b"]'), (None, "null"), ([], "[]")):
        outcome = returning(value)
        assert (outcome.text, outcome.content, outcome.json) == (text, text, value)
    refused = page.call_sync({"n": 1})
    assert refused.content == refused.text


def test_text_alone_from_a_tool_that_declares_content_is_parts() -> None:
    @tool
    def lines(n: int) -> Sequence[Annotated[str | Image, Doc("A line.")]] | None:
        "Lines."
        return ["a"] * n if n else None

    outcome = lines.call_sync({"n": 2})
    assert isinstance(outcome, Ok)
    assert (outcome.content, outcome.text) == (("a", "a"), "a\na")
    assert lines.call_sync({"n": 0}).text == "null"


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ([IMAGE, {"a": 1}, 3, "\ud800"], [(1,), (2,), (3,)]),
        ([[IMAGE]], [(0, 0)]),
        ({"image": IMAGE}, [("image",)]),
        ([object()], [(0,)]),
    ],
)
def test_what_is_neither_data_nor_content_is_an_invalid_output(value: Any, paths: Any) -> None:
    outcome = returning(value)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")
    assert [issue.path for issue in outcome.issues] == paths


def test_a_tool_that_declares_content_returns_nothing_else() -> None:
    @tool
    def wrong() -> str | Image:
        "Wrong."
        return {"a": 1}  # type: ignore[return-value]  # what is tested

    outcome = wrong.call_sync()
    assert isinstance(outcome, Err)
    assert [(one.path, one.message) for one in outcome.issues] == [((), "expected text or content")]


def test_content_can_be_declared_as_the_output() -> None:
    declared: Any = Image
    shown = photo.replace(output=declared)
    assert (shown.output_schema, shown.call_sync().content) == (None, (IMAGE,))


def test_content_inside_other_types_is_no_output() -> None:
    @tool
    def wrong() -> dict[str, Image]:
        "Wrong."
        return {}

    with pytest.raises(DefinitionError, match=r"wrong\.output: .*; pass output=None"):
        _ = wrong.input_schema


@pytest.mark.requirement("content-render")
def test_render_shows_content_and_leaves_value_and_schema_as_they_were() -> None:
    @tool(render=lambda value: [f"{value['n']} pages", PDF])
    def report() -> dict[str, int]:
        "Report."
        return {"n": 2}

    outcome = report.call_sync()
    assert isinstance(outcome, Ok)
    assert outcome.value == outcome.json == {"n": 2}
    assert outcome.content == ("2 pages", PDF)
    assert report.output_schema is not None
    assert report.replace(render=lambda _: IMAGE).call_sync().content == (IMAGE,)


@pytest.mark.requirement("content-render")
def test_a_rendering_that_raises_is_a_failure_after_the_fact() -> None:
    def render(value: Any) -> str:
        raise KeyError("secret")

    outcome = photo.replace(render=render).call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "done")
    assert "secret" not in outcome.text


@pytest.mark.requirement("pain-19")
def test_texts_of_content_are_cut_and_parts_are_whole() -> None:
    outcome = returning(["a" * 500, IMAGE, "b"], 100)
    first, image, last = outcome.content
    assert (len(first), image, last) == (99, IMAGE, "b")
    assert first.endswith("… (500 characters in all)")
    assert len(outcome.text) <= 100
    assert len(outcome.value[0]) == 500


@pytest.mark.requirement("pain-19")
def test_a_long_result_is_whole_for_the_program() -> None:
    rows = [{"id": n} for n in range(1000)]
    outcome = returning(rows, 1000)
    assert outcome.value == outcome.json == rows
    assert len(outcome.text) <= 1000
    assert outcome.text.endswith(' more"]\n… (10891 characters in all)')


def test_ignored_arguments_are_a_text_of_their_own_among_parts() -> None:
    for limit in (None, 100):
        loose = photo.replace(extra="ignore", max_result_chars=limit)
        outcome = loose.call_sync({"size": 3})
        assert outcome.content == (IMAGE, "(ignored unknown arguments: size)")
        assert outcome.text == f"{describe_part(IMAGE)}\n(ignored unknown arguments: size)"
    many = loose.call_sync({f"unknown{n}": n for n in range(50)})
    assert len(many.text) <= 100


@pytest.mark.requirement("pain-68")
@pytest.mark.parametrize("value", ["\ud800", {"a": ["\udfff"]}, {"\ud800": 1}])
def test_a_lone_surrogate_in_a_result_is_an_invalid_output(value: Any) -> None:
    outcome = returning(value)
    assert isinstance(outcome, Err)
    assert outcome.kind == "output_invalid"


# ------------------------------------------------------------------- types that are JSON data

PLAIN_TYPES = (
    dict[str, Any], dict[str, int], dict[str, list[bool | None]], list[str | None], list[Any],
    dict, list, list[dict[str, int | str]],
)  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates()
    | st.frozensets(st.integers(), max_size=2) | st.binary(max_size=2)
)  # fmt: skip
RETURNED = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


def outcome_of(check: Check, value: Any) -> str:
    """A check's result, with the types of all parts, or the issues of its error."""
    try:
        return repr(check(value))
    except InvalidResult as error:
        return repr(error.issues)


@given(st.sampled_from(PLAIN_TYPES), RETURNED)
def test_results_of_plain_types_are_what_the_whole_check_makes_of_them(tp: Any, value: Any) -> None:
    results = Results(vendors.adapt(tp))
    assert outcome_of(results.check, value) == outcome_of(results.check_whole, value)


def test_a_plain_result_is_written_as_a_copy_of_its_own() -> None:
    value: dict[str, Any] = {"days": [1]}
    result, data = Results(vendors.adapt(dict[str, Any])).check(value)
    value["days"].append(2)
    assert (result is value, data) == (True, {"days": [1]})


@dataclass
class Counts:
    by_word: dict[str, int]


@pytest.mark.requirement("data-not-json")
@pytest.mark.parametrize("output", [None, Any, dict, dict[str, int], dict[str, Any], Counts])
def test_two_keys_that_no_text_can_hold_are_no_result_rather_than_one_entry(output: Any) -> None:
    lone: dict[str, int] = dict(zip("\ud800\udfff", (1, 2), strict=True))

    def count() -> Any:
        return Counts(lone) if output is Counts else lone

    wire = Toolset([tool(count, description="Count.", output=output)]).export("mcp")
    params = {"name": "count", "arguments": {}}
    turn = wire.answer_sync({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    [outcome] = turn.outcomes
    assert isinstance(outcome, Err)
    path = ("by_word",) if output is Counts else ()
    assert outcome.issues == (Issue("lone surrogate in a key", path, "json"),)
    text = describe_invalid_output(str(outcome.error_id))
    assert turn.results[0]["content"] == [{"type": "text", "text": text}]
    assert (turn.results[0]["isError"], "structuredContent" in turn.results[0]) == (True, False)


DAYS: dict[str, date] = {"new year": date(2026, 1, 1)}
LIST: list[date] = [*DAYS.values()]


def days() -> dict[str, date]:
    """Return a dict that is kept elsewhere, too."""
    return DAYS


def list_days() -> list[date]:
    """Return a list that is kept elsewhere, too."""
    return LIST


@pytest.mark.parametrize(("function", "kept"), [(days, DAYS), (list_days, LIST)])
def test_a_container_that_validation_leaves_equal_is_returned_itself(
    function: Callable[[], Any], kept: Any
) -> None:
    outcome = tool(function).call_sync()
    assert isinstance(outcome, Ok)
    assert outcome.value is kept
