"""voluptuous behind the boundary: strict, and in one error language."""

from __future__ import annotations

import enum
import sys
from typing import Any

import pytest
import voluptuous as vol

from tests.share import share
from toolhaft import Err, tool, vendors
from toolhaft.spec import Failure, Issue
from toolhaft.testing import agreement
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.voluptuous import adapter as voluptuous


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


ORDER = vol.Schema(
    {
        vol.Required("id"): int,
        "price": float,
        "paid": bool,
        "level": vol.Any(1, 2),
        "colour": vol.Coerce(Colour),
        "count": vol.All(vol.Coerce(int), vol.Range(1, 99)),
        "day": vol.Date(),
        "sku": vol.Match(r"^[A-Z]{2}\d{3}$"),
        "items": [{vol.Required("sku"): str, vol.Optional("count", default=1): int}],
        "by_name": {str: {vol.Required("sku"): str}},
        "tags": vol.All([str], vol.Length(max=3), vol.Unique()),
        "note": vol.Maybe(str),
        "either": vol.Any(int, {"a": int}),
    }
)


def handler(schema: Any, **options: Any) -> AnyTool:
    def shown(given: Any) -> str:
        return repr(given)

    return tool(shown, name="t", description="d", input=schema, **options)


def issues(data: Any, schema: Any = ORDER) -> list[Issue]:
    found = vendors.adapt(schema).validate(data)
    assert isinstance(found, Failure)
    return list(found.issues)


# ----------------------------------------------------------------------------- ownership


def test_a_schema_and_a_dict_of_markers_are_owned_and_nothing_else() -> None:
    assert vendors.find_owner(ORDER) is voluptuous
    assert vendors.find_owner({vol.Required("a"): int, "b": int}) is voluptuous
    assert not any(map(voluptuous.owns, ({}, {"type": "null"}, int, vol.Schema, vol.Any(1))))


@pytest.mark.requirement("vendor-nothing-imported")
def test_nothing_is_owned_where_the_library_was_not_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "voluptuous")
    assert not voluptuous.owns(ORDER)
    assert "voluptuous" not in sys.modules


# ----------------------------------------------------------------------------- strictness


@pytest.mark.requirement("vendor-strict-json")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", True), ("id", 3.5), ("price", True), ("price", "1.5"), ("paid", 1),
        ("level", True), ("colour", "RED"), ("count", "7"), ("count", 3.7), ("count", True),
        ("day", "2024-1-1"), ("sku", "AB123\n"), ("sku", "AB\u0661\u0662\u0663"),
        ("tags", ["a", "a"]), ("note", 5),
    ],
)  # fmt: skip
def test_values_that_only_voluptuous_would_accept_or_convert_are_rejected(
    key: str, value: Any
) -> None:
    [found] = issues({"id": 1, key: value})
    assert found.path[:1] == (key,)
    assert found.code in ("type", "format", "enum", "value")


def test_a_valid_value_is_passed_as_the_validator_makes_it() -> None:
    found = vendors.adapt(ORDER).validate(
        {"id": 1, "price": 5, "colour": "r", "items": [{"sku": "a"}], "note": None}
    )
    assert found
    assert found.value == {  # type: ignore[union-attr]
        "id": 1,
        "price": 5.0,
        "colour": Colour.RED,
        "items": [{"sku": "a", "count": 1}],
        "note": None,
    }
    assert type(found.value["price"]) is float  # type: ignore[union-attr]


def test_an_integer_that_no_float_holds_exactly_is_refused() -> None:
    for price in (2**53 + 1, 10**400):
        assert [str(one) for one in issues({"id": 1, "price": price})] == [
            "price: expected a number that a 64-bit float holds exactly"
        ]


# ----------------------------------------------------------------------------- issues


@pytest.mark.requirement("vendor-one-error-language")
def test_all_faults_are_found_at_once_with_exact_paths() -> None:
    data = {
        "id": "x",
        "items": [{"sku": "a"}, {"count": 0}],
        "by_name": {"a.b": {"sku": 1}},
        "either": {"a": "x"},
        "zz": 1,
    }
    found = issues(data)
    assert [(one.code, str(one)) for one in found] == [
        ("type", "id: expected integer, received string"),
        ("missing", "items.1.sku: required"),
        ("type", "by_name.a.b.sku: expected string, received integer"),
        ("type", "either.a: expected integer, received string"),
        ("extra", "zz: unknown"),
    ]
    assert found[2].path == ("by_name", "a.b", "sku")


def test_a_day_that_no_calendar_has_is_refused_by_the_library() -> None:
    expected = ["day: not a real date (the calendar has no such day)"]
    assert [str(one) for one in issues({"id": 1, "day": "2024-02-30"})] == expected


def small(value: Any) -> Any:
    if value > 9:
        raise vol.Invalid(f"{value} is too much")
    if value == 7:
        raise KeyError("a bug")
    return value


CHECKED = vol.Schema(
    {
        vol.Required("n"): vol.All(int, small),
        "deep": {str: [vol.All(int, small)]},
        "pair": vol.ExactSequence([int, str]),
        vol.Exclusive("a", "one"): int,
        vol.Exclusive("b", "one"): int,
        "closed": vol.Msg({"x": int}, "no"),
    }
)
PARAMETERS = {"type": "object", "properties": {"n": {"type": "integer"}}}


def err(raw: Any, schema: Any = CHECKED) -> Err:
    outcome = handler(schema, parameters=PARAMETERS).call_sync(raw)
    assert isinstance(outcome, Err)
    return outcome


@pytest.mark.requirement("vendor-lossy-with-parameters")
def test_with_parameters_a_validator_with_losses_is_used_all_the_same() -> None:
    checked = handler(CHECKED, parameters=PARAMETERS)
    assert checked.call_sync({"n": 3}).unwrap() == "{'n': 3}"
    assert checked.input_schema.json_schema() == PARAMETERS
    assert agreement(checked, values=20).unwritten == (
        "input: n: the function small",
        "input: deep.*.[]: the function small",
        "input: pair: ExactSequence",
        "input: Exclusive('a')",
        "input: Exclusive('b')",
        "input: closed: Msg",
    )


@pytest.mark.requirement("vendor-exact-paths")
def test_an_authors_own_words_come_with_the_path_and_without_the_value() -> None:
    found = err({"n": 12, "deep": {"a.b": [1, 99]}})
    assert [(one.path, one.message) for one in found.issues] == [
        (("n",), "… is too much"),
        (("deep", "a.b", 1), "… is too much"),
    ]


def test_a_message_that_was_left_out_is_no_crash() -> None:
    assert [str(one) for one in err({"n": 1, "pair": [1, 2, 3]}).issues] == [
        "2nd entry: not accepted"
    ]


def test_a_path_ends_where_the_data_do() -> None:
    found = err({"n": 1, "a": 1, "b": 2})
    assert [(one.path, one.code) for one in found.issues] == [((), "custom")]


def test_missing_keys_that_only_the_library_requires_have_our_words() -> None:
    lossy = vol.Schema(vol.Union({vol.Required("x"): int}, discriminant=lambda value, forms: forms))
    found = [err(raw, lossy).issues[0] for raw in ({}, {"x": 1, "z": 1})]
    assert [(str(one), one.code) for one in found] == [
        ("x: required", "missing"),
        ("z: unknown", "extra"),
    ]


def test_constraints_after_a_function_do_not_apply_to_the_data() -> None:
    schema = vol.Schema({"n": vol.All(str, len, vol.Any(int), vol.Range(max=3))})
    read = handler(schema, parameters={"type": "object"})
    assert read.call_sync({"n": "abc"}).unwrap() == "{'n': 3}"
    assert [str(one) for one in err({"n": 3}, schema).issues] == [
        "n: expected string, received integer"
    ]


@pytest.mark.requirement("vendor-author-bug")
def test_an_authors_bug_is_a_runtime_error_and_not_the_models_fault() -> None:
    outcome = err({"n": 7})
    assert outcome.kind == "runtime_error"
    assert outcome.error_id is not None
    assert "a bug" not in outcome.text


# ----------------------------------------------------------------------------- async


async def later(value: Any) -> Any:
    return value


class Later:
    async def __call__(self, value: Any) -> Any:
        return value


@pytest.mark.requirement("vendor-async-refused")
@pytest.mark.parametrize(
    "tree",
    [later, {"n": later}, [vol.All(int, later)], {vol.Required("n"): vol.Any(None, later)},
     vol.Coerce(later), Later(), vol.ExactSequence([later])],
)  # fmt: skip
def test_an_async_function_is_refused_at_the_definition(tree: Any) -> None:
    with pytest.raises(NoVendor, match=r"voluptuous: the function (later|Later) is async; use def"):
        vendors.adapt(vol.Schema(tree))


# ----------------------------------------------------------------------------- results


@pytest.mark.requirement("vendor-dump-is-checked")
def test_a_result_is_validated_and_its_dump_is_checked() -> None:
    def result(value: Any) -> Any:
        made = tool(lambda: value, name="t", description="d", output=ORDER)
        return made.call_sync({})

    assert result({"id": 1, "colour": "r"}).json == {"id": 1, "colour": "r"}
    outcome = result({"id": "1"})
    assert isinstance(outcome, Err)
    assert outcome.kind == "output_invalid"


# ----------------------------------------------------------------------------- agreement


EVERYTHING = {
    "any": vol.Any(int, [int], None),
    "share": vol.All(float, vol.Range(0, 1)),
    "not": vol.NotIn([1]),
    "items": [vol.Any("a", 1, True)],
    "contains": vol.All([str], vol.Contains("x")),
    "object": object,
    "open": {vol.Extra: int},
    "named": {vol.Required(str): vol.Schema({"x": int}, extra=vol.ALLOW_EXTRA)},
    "at": vol.Datetime("%H:%M"),
    "text": vol.Coerce(str),
    "least": vol.All(vol.Coerce(float), vol.Range(min=3)),
    "equal": vol.Equal(2),
    "one": 1,
    "small": vol.All(dict, vol.Length(max=2)),
    "either": vol.Any({"a": int}, {"b": str}),
    "unique": vol.All([vol.Any(int, str)], vol.Unique()),
}


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-loaders-agree")
@pytest.mark.parametrize(
    ("schema", "whole"),
    [
        (ORDER, 2000),
        (vol.Schema(EVERYTHING), 1000),
        (vol.Schema(EVERYTHING, required=True), 200),
        (vol.Schema(EVERYTHING, extra=vol.ALLOW_EXTRA), 200),
        (vol.Schema(EVERYTHING, extra=vol.REMOVE_EXTRA), 200),
        (vol.Schema([vol.Any(int, str)]), 200),
    ],
)
def test_the_schema_and_the_library_agree_on_thousands_of_values(schema: Any, whole: int) -> None:
    values = share(whole)
    found = agreement(handler(schema), values=values)
    assert [str(one) for one in found.disagreements] == []
    assert (found.values, found.unwritten, found.widened) == (values, (), ())
    assert found.mutations >= values
