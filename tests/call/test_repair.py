"""Repair: only values that the schema rejects, only exactly, only if one value can be meant."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.schema.random_schemas import schemas, values
from tests.share import step
from toolhaft.call.decode import Undecodable, decode
from toolhaft.call.repair import repair
from toolhaft.call.types import Coercion
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import hashable
from toolhaft.schema.limits import faults_of

SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
DATA = Path(__file__).parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data folder is not here")

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
TEXT = {"type": "string"}
FLAG = {"type": "boolean"}
NULL = {"type": "null"}


def repaired(checker: Checker, data: Any, policy: str) -> tuple[Any, Any]:
    """The repaired data, and the changes."""
    return repair(checker, data, policy)[:2]


def many(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def record(*required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def either(*forms: Any) -> dict[str, Any]:
    return {"anyOf": list(forms)}


def mended(schema: Any, value: Any, policy: str = "safe") -> tuple[Any, list[tuple[Any, str]]]:
    """The value and its coercions, as one of an optional property `v`."""
    data, coercions = repaired(Checker(record(v=schema)), {"v": value}, policy)
    return data.get("v", "(absent)"), [(it.path[1:], it.rule) for it in coercions]


def untouched(schema: Any, value: Any, policy: str = "safe") -> bool:
    data = {"v": value}
    made, coercions = repaired(Checker(record(v=schema)), data, policy)
    return made is data and coercions == ()


@pytest.mark.requirement("coerce-safe")
@pytest.mark.parametrize(
    ("schema", "value", "expected", "rule"),
    [
        (INTEGER, "42", 42, "number_text"),
        (INTEGER, "42.0", 42, "number_text"),
        (INTEGER, "1234567890123456789", 1234567890123456789, "number_text"),
        (NUMBER, "-1.5e3", -1500.0, "number_text"),
        (either(INTEGER, NULL), "7", 7, "number_text"),
        ({"type": ["integer", "null"]}, "7", 7, "number_text"),
        ({"enum": [1, 2]}, "2", 2, "number_text"),
        (FLAG, "FALSE", False, "boolean_text"),
        (many(TEXT), '["a","b"]', ["a", "b"], "json_text"),
        (record(a=TEXT), '{"a":"b"}', {"a": "b"}, "json_text"),
        (many(TEXT), "['a']", ["a"], "python_literal"),
        (many(NUMBER), "1, 2.5", [1, 2.5], "python_literal"),
        ({"enum": ["C", "F"]}, "f", "F", "enum_case"),
        ({"type": "string", "enum": ["C", "F"]}, "c", "C", "enum_case"),
        (either({"const": "auto"}, NULL), "Auto", "auto", "enum_case"),
        (INTEGER, None, "(absent)", "null_absent"),
        (TEXT, None, "(absent)", "null_absent"),
        (INTEGER, "", "(absent)", "empty_absent"),
        ({"type": "string", "minLength": 1}, "", "(absent)", "empty_absent"),
        ({"enum": ["a", "b"]}, "", "(absent)", "empty_absent"),
        ({"minLength": 1, "pattern": "^a", **TEXT}, "", "(absent)", "empty_absent"),
    ],
)
def test_a_value_is_read_by_the_rule_that_its_schema_asks_for(
    schema: Any, value: Any, expected: Any, rule: str
) -> None:
    made, coercions = mended(schema, value)
    assert (made, type(made), coercions) == (expected, type(expected), [((), rule)])
    assert mended(schema, value, "lenient") == (made, coercions)
    assert untouched(schema, value, "none")


@pytest.mark.requirement("coerce-never")
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (TEXT, "42"),
        (TEXT, '["a"]'),
        (either(TEXT, INTEGER), "42"),
        (either(TEXT, NULL), ""),
        (either(INTEGER, NULL), ""),
        ({"type": ["integer", "null"], "minimum": 1}, None),
        (INTEGER, "5.5"),
        (INTEGER, 5.5),
        (INTEGER, True),
        (INTEGER, "5 apples"),
        (INTEGER, "five"),
        (FLAG, "yes"),
        (FLAG, 1),
        (FLAG, "1"),
        (TEXT, 5),
        (TEXT, True),
        (TEXT, ["a"]),
        (TEXT, {"a": 1}),
        ({"minimum": 5, **INTEGER}, "4"),
        (many(INTEGER), '["a"]'),
        (many(INTEGER), "[1, 2"),
        (many(TEXT), "a"),
        (many(TEXT), "a, b"),
        (many(TEXT), [["a"]]),
        (record("a", a=TEXT), "{}"),
        ({"enum": ["c", "C"]}, "ç"),
        ({"enum": ["aa", "AA"]}, "Aa"),
        ({"enum": ["Paris"]}, "Pari"),
        (either(many(TEXT), many(INTEGER)), "[[]]"),
        (False, "x"),
    ],
)
def test_what_no_exact_rule_reads_is_left_alone(schema: Any, value: Any) -> None:
    assert untouched(schema, value)


@pytest.mark.requirement("coerce-safe")
def test_what_is_optional_is_absent_at_any_depth_and_what_is_required_is_not() -> None:
    inner = record("id", id=INTEGER, note=TEXT, size={"enum": ["S", "L"]})
    schema = record("rows", rows=many(inner))
    data = {"rows": [{"id": 1, "note": None, "size": ""}, {"id": None, "note": "x"}]}
    made, coercions = repaired(Checker(schema), data, "safe")
    assert made == {"rows": [{"id": 1}, {"id": None, "note": "x"}]}
    assert coercions == (
        Coercion(("rows", 0, "note"), "null_absent"),
        Coercion(("rows", 0, "size"), "empty_absent"),
    )


@pytest.mark.parametrize("policy", ["safe", "lenient"])
@pytest.mark.parametrize("nothing", ["", None, "None"])
def test_a_required_key_that_was_filled_with_nothing_stays(policy: str, nothing: Any) -> None:
    number = {"type": "integer"}
    schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a"]}
    data, coercions, remaining = repair(Checker(schema), {"a": nothing}, policy)
    assert (data, coercions) == ({"a": nothing}, ())
    assert [one.issue.code for one in remaining or ()] == ["type"]


def test_entries_of_an_open_map_and_items_of_a_list_are_not_left_out() -> None:
    assert untouched({"additionalProperties": INTEGER}, {"ann": None})
    assert untouched({"patternProperties": {"^a": INTEGER}}, {"ann": ""})
    assert untouched(many(INTEGER), [None])


@pytest.mark.requirement("coerce-safe")
def test_what_was_read_is_repaired_inside_and_recorded_with_its_path() -> None:
    schema = record(n=INTEGER, m=record(x=many(FLAG)))
    assert mended(schema, '{"n": "5", "m": "{\'x\': (\'true\', False)}"}') == (
        {"n": 5, "m": {"x": [True, False]}},
        [((), "json_text"), (("n",), "number_text"), (("m",), "python_literal"),
         (("m", "x", 0), "boolean_text")],
    )  # fmt: skip


def test_one_value_is_repaired_though_another_stays_wrong() -> None:
    schema = record("a", "b", a=INTEGER, b=INTEGER)
    made, coercions = repaired(Checker(schema), {"a": "1", "b": "x"}, "safe")
    assert made == {"a": 1, "b": "x"}
    assert coercions == (Coercion(("a",), "number_text"),)


@pytest.mark.requirement("coerce-unions")
@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (either(INTEGER, {"const": "auto"}), "5", 5),
        (either(INTEGER, {"const": "auto"}), "AUTO", "auto"),
        (either(many(INTEGER), {"const": "all"}), "[1, 2]", [1, 2]),
        (either(INTEGER, NUMBER), "5", 5),
        (either(many(INTEGER), many(NUMBER)), "[1]", [1]),
        (either(record("a", a=INTEGER), record("a", a=FLAG)), {"a": "5"}, {"a": 5}),
        (either(record("a", a=INTEGER), record("a", a=FLAG)), '{"a": "5"}', {"a": 5}),
        (either(record("a", a=INTEGER), record("b", b=FLAG)), '{"b":"true"}', {"b": True}),
        ({"$ref": "#/$defs/n"}, "5", 5),
        ({"allOf": [INTEGER, {"minimum": 1}]}, "5", 5),
    ],
)
def test_a_union_is_repaired_if_all_forms_that_accept_agree(
    schema: Any, value: Any, expected: Any
) -> None:
    checker = Checker({**record(v=schema), "$defs": {"n": INTEGER}})
    made, coercions = repaired(checker, {"v": value}, "safe")
    assert json.dumps(made) == json.dumps({"v": expected})
    assert len(coercions) >= 1


@pytest.mark.requirement("coerce-unions")
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (either(FLAG, {"enum": ["TRUE", "NO"]}), "true"),
        (either(INTEGER, {"allOf": [{"const": "x"}]}), "y"),
        (either(record("a", a=INTEGER), record("a", a={"enum": ["A"]})), {"a": "b"}),
        (
            either(record("a", a=either(FLAG, NULL)), record("a", a={"const": "TRUE"})),
            {"a": "true"},
        ),
    ],
)
def test_a_union_whose_forms_disagree_is_left_alone(schema: Any, value: Any) -> None:
    assert untouched(schema, value)


def test_the_tag_of_a_union_is_read_too() -> None:
    forms = either(record("k", k={"const": "x"}, a=INTEGER), record("k", k={"const": "y"}, a=TEXT))
    assert mended(forms, {"k": "X", "a": "5"}) == (
        {"k": "x", "a": 5},
        [(("k",), "enum_case"), (("a",), "number_text")],
    )


@pytest.mark.requirement("coerce-whole-floats")
@pytest.mark.parametrize("policy", ["safe", "lenient", "none"])
def test_a_whole_float_for_an_integer_needs_no_repair(policy: str) -> None:
    assert untouched(INTEGER, 5.0, policy)
    assert untouched(INTEGER, 2.0**53, policy)
    assert untouched(NUMBER, 5, policy)


@pytest.mark.requirement("coerce-lenient")
@pytest.mark.parametrize(
    ("schema", "value", "expected", "rules"),
    [
        (many(TEXT), "a", ["a"], ["scalar_to_list"]),
        (many(INTEGER), 5, [5], ["scalar_to_list"]),
        (many(INTEGER), "5", [5], ["scalar_to_list", "number_text"]),
        (many(TEXT), "a, b c", ["a", "b c"], ["comma_list"]),
        (many(FLAG), "true, x", "true, x", []),
        (many(TEXT), '["a"]', ["a"], ["json_text"]),
        (many(many(TEXT)), "a", [["a"]], ["scalar_to_list", "scalar_to_list"]),
        (many(TEXT), "", "(absent)", ["empty_absent"]),
        (INTEGER, "None", "(absent)", ["none_text"]),
        (either(INTEGER, NULL), "None", None, ["none_text"]),
        (many(TEXT), "None", "(absent)", ["none_text"]),
        (many(TEXT), {"a": 1}, {"a": 1}, []),
    ],
)
def test_lenient_rules_come_after_the_exact_ones(
    schema: Any, value: Any, expected: Any, rules: list[str]
) -> None:
    made, coercions = mended(schema, value, "lenient")
    assert (made, [rule for _, rule in coercions]) == (expected, rules)
    if not {"json_text", "empty_absent"} & set(rules):
        assert untouched(schema, value)


@pytest.mark.requirement("coerce-lenient")
def test_undeclared_keys_are_dropped_only_by_the_lenient_policy() -> None:
    checker = Checker(record(a=INTEGER, b=record(c=INTEGER)))
    data = {"a": 1, "x": 2, "b": {"c": "3", "y": None}}
    made, coercions = repaired(checker, data, "lenient")
    assert made == {"a": 1, "b": {"c": 3}}
    assert set(coercions) == {
        Coercion(("x",), "undeclared_dropped"),
        Coercion(("b", "y"), "undeclared_dropped"),
        Coercion(("b", "c"), "number_text"),
    }
    assert repaired(checker, data, "safe")[0] == {"a": 1, "x": 2, "b": {"c": 3, "y": None}}


def test_a_list_of_thousands_is_repaired() -> None:
    made, coercions = mended(many(INTEGER), [str(n) for n in range(4000)])
    assert made == list(range(4000))
    assert len(coercions) == 4000


def test_a_repair_may_uncover_another_but_not_for_ever() -> None:
    names = "abcdef"
    chain = [
        {"if": {"properties": {one: {"type": "integer"}}}, "then": {"properties": {two: INTEGER}}}
        for one, two in pairwise(names)
    ]
    schema = {"properties": {"a": INTEGER}, "allOf": chain}
    made, coercions = repaired(Checker(schema), dict.fromkeys(names, "1"), "safe")
    assert made == {"a": 1, "b": 1, "c": 1, "d": 1, "e": "1", "f": "1"}
    assert len(coercions) == 4


DEEP: dict[str, Any] = {
    "$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}}},
    **record(v={"$ref": "#/$defs/t"}),
}
FORM = {"c": {"$ref": "#/$defs/t"}, "l": many(INTEGER)}
FORMS: dict[str, Any] = {
    "$defs": {"t": either(record("x", x=INTEGER, **FORM), record("y", y=INTEGER, **FORM))},
    **record(c={"$ref": "#/$defs/t"}),
}


def deep_forms(width: int) -> Any:
    data: Any = {"l": [1] * width}
    for _ in range(25):
        data = {"c": data}
    return data


@pytest.mark.unmeasured
@pytest.mark.requirement("coerce-bounded")
@pytest.mark.parametrize(
    ("schema", "data"),
    [
        (DEEP, {"v": "x"}),
        (FORMS, deep_forms(1)),
        (FORMS, deep_forms(50_000)),
        (record(v=many(INTEGER)), {"v": ["x"] * 100_000}),
        (record(v=many(INTEGER)), {"v": "[" * 100_000}),
        (record(v=many(INTEGER)), {"v": "a," * 100_000}),
        (record(v=many(many(INTEGER))), {"v": ["[[]]"] * 50_000}),
        (record(v=many(INTEGER), w=many(INTEGER)), dict.fromkeys("vw", f"[{'1,' * 350_000}1]")),
    ],
)
def test_work_that_leads_nowhere_is_given_up(schema: Any, data: Any) -> None:
    for policy in ("safe", "lenient"):
        made, coercions = repaired(Checker(schema), data, policy)
        assert not Checker(schema).is_valid(made)
        assert len(coercions) <= 100_000


# -------------------------------------------------------------------------------------- laws


def texts() -> st.SearchStrategy[str]:
    spelled = [
        "1",
        "-2.0",
        "0.5",
        "true",
        "FALSE",
        "None",
        "[1]",
        "['a']",
        '{"a":"1"}',
        "1, 2",
        "A",
    ]
    return st.sampled_from([*spelled, "a", "", "abc", "{"])


def calls() -> st.SearchStrategy[Any]:
    return st.dictionaries(
        st.sampled_from(["a", "b", "ab", "c"]), texts() | values() | st.lists(texts(), max_size=2)
    )


@SLOW
@given(schemas(), calls(), st.sampled_from(["safe", "lenient", "none"]))
def test_valid_data_stays_as_it_is_and_no_data_is_changed(
    schema: Any, data: Any, policy: str
) -> None:
    assume(faults_of(schema) == [])
    before = copy.deepcopy(data)
    made, coercions = repaired(Checker(schema), data, policy)
    assert json.dumps(data) == json.dumps(before)
    if Checker(schema).is_valid(data) or policy == "none":
        assert (made, coercions) == (data, ())
    if coercions == ():
        assert hashable(made) == hashable(data)


@SLOW
@given(schemas(), calls(), st.sampled_from(["safe", "lenient"]))
def test_repaired_data_needs_no_repair(schema: Any, data: Any, policy: str) -> None:
    assume(faults_of(schema) == [])
    checker = Checker(schema)
    made, coercions = repaired(checker, data, policy)
    assert repaired(checker, data, policy) == (made, coercions)
    if checker.is_valid(made):
        assert repaired(checker, made, policy) == (made, ())


# ------------------------------------------------------------------------- calls of real models


def rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@pytest.fixture(scope="module")
def checkers() -> dict[str, Checker]:
    return {tool["id"]: Checker(tool["inputSchema"]) for tool in rows("tools_for_calls")}


def test_more_repairs_than_are_allowed_are_refused_in_words_that_say_so() -> None:
    checker = Checker({"type": "array", "items": INTEGER})
    *_, remaining = repair(checker, [str(number) for number in range(16_384)], "safe")
    assert remaining is not None
    assert remaining[0].issue.message.startswith("too many values to repair; send numbers")
    assert repair(checker, ["1"] * 4_096, "safe")[2] == []


@needs_data
@pytest.mark.unmeasured
@pytest.mark.requirement("coerce-real-calls")
def test_no_valid_call_is_changed_or_refused(checkers: dict[str, Checker]) -> None:
    calls = 0
    for call in islice(rows("calls_valid"), None, None, step()):
        arguments, coercions = decode(call["arguments_text"])
        made, more = repaired(checkers[call["tool_id"]], arguments, "safe")
        assert coercions == more == ()
        assert made == json.loads(call["arguments_text"])
        assert checkers[call["tool_id"]].is_valid(made)
        calls += 1
    assert calls == len(range(0, 29_366, step()))


@needs_data
@pytest.mark.requirement("coerce-real-calls")
def test_two_in_five_failing_calls_are_accepted_once_repaired(checkers: dict[str, Checker]) -> None:
    known = accepted = 0
    for call in rows("calls_failing"):
        if not call.get("tool_id"):
            continue
        known += 1
        try:
            arguments, _ = decode(call["arguments_text"])
        except Undecodable:
            continue
        checker = checkers[call["tool_id"]]
        accepted += checker.is_valid(repaired(checker, arguments, "safe")[0])
    assert (known, accepted) == (1298, 522)
