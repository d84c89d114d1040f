"""The same tool in every vendor: one table of arguments, and one outcome for each row of it.

`argument_rows.json` has 99 rows, each with the arguments beside the required ones (`given`) or all
arguments (`raw`), and the expected result: `issues`, or else `coercions` and the `value` that the
handler sees, by default `given`. An `undeclared` key is rejected or recorded, by the vendor's own
policy. A row about a key that a vendor cannot have is skipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.vendors.booking.tools import NAMES, Booking, booking
from toolhaft import Err, Ok

ROWS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "argument_rows.json").read_text(encoding="utf-8")
)
REQUIRED: dict[str, Any] = {"id": 1, "text": "t", "tags": ["a"], "place": {"lat": 1.5}}
BOOKINGS = {name: booking(name) for name in NAMES}


def skip_what_it_lacks(made: Booking, row: dict[str, Any]) -> None:
    touched = [*row.get("given", ()), *(["format"] if row.get("format") else [])]
    for key in touched:
        if key in made.lacks:
            pytest.skip(made.lacks[key])


def expected(made: Booking, row: dict[str, Any]) -> tuple[Any, Any]:
    """The issues and the coercions that a row asks for."""
    issues, coercions = row.get("issues", []), row.get("coercions", [])
    if "undeclared" in row:
        path = row["undeclared"]
        if made.policy == "forbid":
            issues = [[path, "extra"]]
        else:
            coercions = [[path, "vendor_ignored"]]
    return issues, coercions


@pytest.mark.requirement("row-44")
@pytest.mark.requirement("pain-20")
@pytest.mark.requirement("vendor-conformance")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["why"])
@pytest.mark.parametrize("name", NAMES)
def test_a_row_has_the_same_outcome_in_every_vendor(name: str, row: dict[str, Any]) -> None:
    made = BOOKINGS[name]
    skip_what_it_lacks(made, row)
    issues, coercions = expected(made, row)
    outcome = made.tool.call_sync(row.get("raw", {**REQUIRED, **row.get("given", {})}))
    if issues:
        assert isinstance(outcome, Err)
        assert outcome.kind == "invalid_input"
        assert sorted([list(one.path), one.code] for one in outcome.issues) == sorted(issues)
        return
    assert isinstance(outcome, Ok), outcome
    assert [[list(one.path), one.rule] for one in outcome.coercions] == coercions
    value = row.get("value", row.get("given", {}))
    if "undeclared" not in row:
        assert seen(outcome.arguments, value) == value
        assert seen(outcome.json, value) == value


def seen(whole: Any, part: Any) -> Any:
    """Return the part of an object under another's keys; defaults are the vendor's own."""
    if isinstance(part, dict):
        return {key: seen(whole[key], part[key]) for key in part}
    if isinstance(part, list):
        return [seen(one, other) for one, other in zip(whole, part, strict=True)]
    return whole


# ------------------------------------------------------------------------------- exports


@pytest.mark.requirement("pain-20")
@pytest.mark.requirement("vendor-conformance")
@pytest.mark.parametrize("name", NAMES)
def test_the_schemas_of_all_vendors_are_equal_but_for_titles_and_descriptions(name: str) -> None:
    made, plain = BOOKINGS[name], BOOKINGS["json_schema"].tool.input_schema.json_schema()
    for key in made.lacks.keys() & plain["properties"].keys():
        del plain["properties"][key]
    closed = made.policy == "forbid"
    schema = made.tool.input_schema.json_schema()
    assert bare(schema, schema.get("$defs", {}), closed) == bare(plain, {}, closed)


def bare(node: Any, definitions: dict[str, Any], closed: bool) -> Any:
    """A schema without titles, descriptions, defaults and references, in one spelling.

    Where a tag tells forms apart, `oneOf` is `anyOf`; not every vendor has defaults. Of one that
    lets undeclared keys pass, the objects are not compared in that.
    """
    if isinstance(node, list):
        return [bare(one, definitions, closed) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        node = {**definitions[node["$ref"].removeprefix("#/$defs/")], **node}
    dropped = {"$ref", "$defs", "title", "description", "discriminator", "default"}
    if not closed and node.get("additionalProperties") is False:
        dropped = {*dropped, "additionalProperties"}
    found = {
        key: bare(below, definitions, closed) for key, below in node.items() if key not in dropped
    }
    if "oneOf" in found:
        found["anyOf"] = found.pop("oneOf")
    return found
