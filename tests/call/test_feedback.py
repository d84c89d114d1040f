"""The texts that a model reads are short, bounded, and on one line."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft import tool
from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.masking import literal_words, mask_issues, words_of
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.paths import show_path, value_at
from toolhaft.call.types import Coercion, ToolCall
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.spec import Code, Issue

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "object", "properties": {"name": {}}}},
        "pair": {"type": "array", "prefixItems": [{"properties": {"left": {}}}]},
        "opts": {"type": "object", "additionalProperties": {"$ref": "#/$defs/opt"}},
        "either": {"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}, True]},
        "deep": {
            "anyOf": [{"properties": {"a": {"properties": {"b": {}}}}}, {"properties": {"c": {}}}]
        },
    },
    "$defs": {"opt": {"type": "object", "properties": {"depth": {}}}},
}


@pytest.mark.requirement("feedback-paths")
@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        ((), "type", ""),
        (("tags", 0, "name"), "type", "tags.0.name"),
        (("tags", 0, "secret"), "type", "tags.0, an entry"),
        (("pair", 0, "left"), "type", "pair.0.left"),
        (("pair", 1, "left"), "type", "pair.1, an entry"),
        (("opts", "secret", "depth"), "type", "opts, an entry, depth"),
        (("either", "b"), "type", "either.b"),
        (("either", "c"), "type", "either, an entry"),
        (("deep", "a", "b"), "type", "deep.a.b"),
        (("deep", "a", "b", 0), "type", "deep.a.b.0"),
        (("typo",), "extra", "typo"),
        (("opts", "secret", "typo"), "missing", "opts, an entry, typo"),
        (("bad\nkey",), "extra", "bad\\nkey"),
    ],
)
def test_declared_keys_are_named_and_others_are_not(path: Any, code: Code, expected: str) -> None:
    assert show_path(Issue("x", path, code), PlaceIndex(SCHEMA)) == expected


def test_a_place_that_is_not_there_holds_nothing() -> None:
    assert value_at({"a": [1]}, ("a", 0)) == 1
    assert value_at({"a": [1]}, ("a", 5)) is None
    assert value_at({"a": [1]}, ("a", "b", "c")) is None


@pytest.mark.requirement("feedback-bounds")
@given(
    st.lists(
        st.builds(
            Issue,
            st.text(max_size=300),
            st.lists(st.text(max_size=80) | st.integers(), max_size=5),
            st.sampled_from(["type", "extra", "missing", "custom"]),
        ),
        min_size=1,
        max_size=9,
    )
)
def test_the_text_for_wrong_arguments_is_bounded_and_on_one_line(issues: list[Issue]) -> None:
    text = feedback.describe_invalid(issues)
    assert len(text) <= 700
    assert text.isprintable() or "\n" not in text
    assert text.startswith(feedback.INVALID)


def test_a_long_path_leaves_room_for_what_is_wrong() -> None:
    deep = Issue("expected integer, received string", ("items", 0) * 30, "type")
    text = feedback.describe_invalid([deep])
    [line] = text.removeprefix(feedback.INVALID).split("; ")
    assert len(line) < 150
    assert line.startswith("items….0.items.0.")
    assert line.endswith(".items.0: expected integer, received string")


@pytest.mark.requirement("feedback-joined")
def test_places_with_the_same_message_are_joined() -> None:
    issues = [Issue("required", (name,), "missing") for name in "abcdefg"]
    assert feedback.describe_invalid(issues) == f"{feedback.INVALID}a, b, c, d, e, f, g: required"
    places = [f"stock, {n}th entry" for n in (4, 5)]
    entries = [Issue("no", (place,), facts={"place": place}) for place in places]
    assert feedback.describe_invalid([*entries, Issue("no", ("a",))]) == (
        f"{feedback.INVALID}a: no; stock, 4th and 5th entries: no"
    )


def test_many_places_that_differ_in_numbers_alone_are_counted() -> None:
    few = [Issue("no", (name, n)) for name in "ab" for n in range(2)]
    assert feedback.describe_invalid(few).endswith("Errors: a.0, a.1, b.0, b.1: no")
    many = [Issue("no", (name, n)) for name in "ab" for n in range(6)]
    assert feedback.describe_invalid(many).endswith("Errors: a (6 items), b (6 items): no")
    deep = [Issue("no", ("rows", row, n)) for row in range(6) for n in range(3)]
    assert feedback.describe_invalid(deep).endswith("Errors: rows.*.* (18 places): no")
    entries = [f"stock, {n}th entry, value" for n in range(4, 7)]
    inner = [Issue("no", (place,), facts={"place": place}) for place in entries]
    text = feedback.describe_invalid(inner)
    assert text.endswith("Errors: stock, any entry, value (3 places): no")


@pytest.mark.requirement("feedback-joined")
def test_issues_share_the_room_that_there_is() -> None:
    short = [Issue(f"expected at most {n}", (f"key_{n}",)) for n in range(8)]
    long = Issue("expected one of " + ", ".join(f'"member {n}"' for n in range(20)), ("x",))
    text = feedback.describe_invalid([*short, long])
    assert all(str(issue) in text for issue in short)
    assert text.endswith('"member 19"')
    others = [Issue(f"expected more than {n} {'z' * 60}", (f"other_{n}",)) for n in range(3)]
    text = feedback.describe_invalid([*short, *others, long])
    assert all(str(issue) in text for issue in [*short[:3], *others])
    assert text.endswith('", …')
    many = [Issue(f"expected {n} {'y' * 200}", (f"key_{n}",)) for n in range(20)]
    text = feedback.describe_invalid(many, unread=7)
    assert text.endswith("… (+21 more)")
    assert text.count("…; key_") == 5
    assert len(text) <= 700


def test_what_is_missing_for_two_reasons_is_told_once() -> None:
    reasons = ["required", "required, because a is given"]
    issues = [Issue(words, ("b",), "missing") for words in reasons]
    assert feedback.describe_invalid(issues).endswith("Errors: b: required")


def test_of_one_place_another_type_is_told_once_and_two_types_are_told_both() -> None:
    integer = Issue("expected integer, received string", ("a",), "type", "integer", "string")
    again = Issue("an integer because b is given", ("a",), "type", "integer", "string")
    null = Issue("null because b is given", ("a",), "type", "null", "string")
    unknown = Issue("another type", ("a",), "type")
    for issues, told in (
        ([integer, again], "a: expected integer, received string"),
        ([integer, null], "a: expected integer, received string; a: null because b is given"),
        ([unknown, again], "a: another type; a: an integer because b is given"),
    ):
        assert feedback.describe_invalid(issues) == feedback.INVALID + told


def test_entries_are_counted_as_they_were_sent() -> None:
    schema = {
        "type": "object",
        "properties": {"note": {"type": "integer"}},
        "additionalProperties": {"type": "boolean"},
    }
    one = tool(lambda _: "", name="f", description="A tool.", input=schema)
    outcome = one.call_sync({"note": "", "x": True, "y": "never"})  # an empty note is absent
    assert outcome.text.endswith("Errors: 3rd entry: expected boolean, received string")


def test_a_number_that_is_not_exact_is_told_with_the_rest() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "m": {"type": "string"}}}
    one = tool(lambda _: "", name="f", description="A tool.", input=schema)
    assert one.call_sync({"n": 2.0**53, "m": 5}).text.endswith(
        "Errors: m: expected string, received integer; n: expected integer, received number"
    )


def test_a_cut_text_says_how_long_it_was() -> None:
    assert feedback.cut_text("abc", 3) == "abc"
    assert feedback.cut_text("abcdef", 3) == "ab…"
    assert feedback.cut_text("x" * 1000, 200).endswith("… (1000 characters in all)")
    assert len(feedback.cut_text("x" * 1000, 200)) == 200
    assert feedback.cut_text("abc", None) == "abc"


def test_of_the_arguments_that_a_person_changed_twenty_are_named() -> None:
    words = "A person changed these arguments before the call ran: "
    listed = ", ".join(f"a{n}" for n in range(20))
    assert feedback.describe_edit([f"a{n}" for n in range(20)]) == f"{words}{listed}."
    assert feedback.describe_edit([f"a{n}" for n in range(22)]) == f"{words}{listed} (+2 more)."


def test_the_reason_of_a_person_is_whole_up_to_700_characters() -> None:
    words = "This call was declined by a person and was not run: "
    assert feedback.describe_decline("x" * 700) == words + "x" * 700
    assert feedback.describe_decline("x" * 701) == words + "x" * 699 + "…"


def test_each_ending_has_its_own_words() -> None:
    assert feedback.describe_timeout(2.5, begun=False, may_repeat=False) == (
        "The tool did not finish within 2.5 seconds; it had not begun. You may try once more."
    )
    assert "later" in feedback.describe_overload()
    assert feedback.describe_crash("abc", "unknown", may_repeat=False) == (
        "The tool failed (id abc) and may have taken effect: do not repeat the call."
    )
    assert feedback.describe_crash("abc", "unknown", may_repeat=True) == (
        "The tool failed (id abc). You may try once more."
    )
    assert feedback.describe_crash("abc", "none", may_repeat=False) == (
        "The tool failed (id abc) before it did anything. You may try once more."
    )
    assert "id abc" in feedback.describe_invalid_output("abc")


def test_a_long_result_keeps_the_note_on_ignored_arguments() -> None:
    text = feedback.format_result("x" * 1000, (Coercion(("b",), "ignored"),), 200)
    assert text.endswith("… (1000 characters in all)\n(ignored unknown arguments: b)")
    assert len(text) == 200


def test_frozen_data_cannot_be_changed() -> None:
    frozen = feedback.freeze({"a": [1, {"b": 2}]})
    assert frozen == {"a": (1, {"b": 2})}
    assert isinstance(frozen, MappingProxyType)
    assert isinstance(frozen["a"][1], MappingProxyType)


@pytest.mark.requirement("feedback-masked")
@pytest.mark.parametrize(
    ("words", "data", "expected"),
    [
        ("'hunter2' is no account", {"a": "hunter2"}, "'…' is no account"),
        ("it is 5, not 15 or 5", {"a": 5}, "it is …, not 15 or …"),
        ("got ['ab', 'cde'] and cde", {"a": ["ab", "cde"]}, "got ['…'] and …"),
        ("PADDED is no name", {"a": "  padded "}, "… is no name"),
        ("'long-sec' is refused", {"a": "long-secret-text"}, "'…' is refused"),
        ("b is not in order", {"a": 1, "b": "left"}, "… is not in order"),
        ("end must be after start", {"start": "before", "end": "must"}, "end … be after start"),
        ("no line\\nbreak", {"a": "line\nbreak"}, "no …"),
        ("nothing said", {"a": None}, "nothing said"),
        ("nowhere", {}, "nowhere"),
    ],
)
def test_an_authors_words_lose_what_they_quote(words: str, data: Any, expected: str) -> None:
    known = words_of({"properties": {"start": {}, "end": {}}})
    [masked] = mask_issues([Issue(words, ("a",), "custom")], data, known)
    assert masked.message == expected
    ours = Issue(words, ("a",), "type")
    assert mask_issues([ours], data, known) == [ours]


@pytest.mark.requirement("feedback-masked")
def test_the_words_of_the_code_that_refused_are_kept() -> None:
    def refuse(value: str) -> None:
        raise ValueError(f"must be after noon, not {value}")

    with pytest.raises(ValueError, match="must be") as caught:
        refuse("after")
    known, words = literal_words(caught.value), str(caught.value)
    [masked] = mask_issues([Issue(words)], {"be": "noon", "x": "be after"}, known)
    assert masked.message == "must be after noon, not after"


def test_outcomes_compare_and_show_no_values() -> None:
    ok: Ok[int] = Ok(1, 1, {"secret": "hunter2"}, CallOptions("f"))
    assert repr(ok) == "Ok(name='f', coercions=())"
    assert ok.content == ok.text == "1"
    err = Err("denied", "No.", CallOptions("f"))
    assert (err.content, err.name, err.retryable) == ("No.", "f", False)
    assert repr(ToolCall("1", "f", {"secret": 1})) == "ToolCall('1', 'f')"
    one = Coercion(("a",), "json_text")
    assert one == Coercion(("a",), "json_text")
    assert one != "json_text"
    assert hash(one) == hash(Coercion(("a",), "json_text"))


@pytest.mark.requirement("feedback-keys")
def test_the_keys_of_open_maps_are_shown_if_the_author_says_so() -> None:
    schema = {
        "type": "object",
        "properties": {
            "stock": {"type": "object", "additionalProperties": {"type": "integer"}},
            "rows": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "integer"}},
            },
        },
    }
    one = tool(lambda _: "", name="f", description="A tool.", input=schema)
    wrong = {"stock": {"nuts": 1, "bolts\u202e": "x"}, "rows": {"a": [1, "x"]}}
    words = "expected integer, received string"
    assert one.call_sync(wrong).text == (
        f"{feedback.INVALID}stock, 2nd entry: {words}; rows, 1st entry, 1: {words}"
    )
    shown = one.replace(feedback="keys")
    assert shown.call_sync(wrong).text == (
        f'{feedback.INVALID}stock["bolts\\\\u202e"], rows["a"].1: {words}'
    )
    assert shown.replace(feedback="ordinals").call_sync(wrong).text == one.call_sync(wrong).text
