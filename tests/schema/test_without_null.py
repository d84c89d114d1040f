"""A schema without the null that it takes, in each way of writing it."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.without_null import takes_null, without_null

TEXT = {"type": "string"}
NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["string", "null"]}, TEXT),
        (
            {"type": ["string", "integer", "null"], "default": None},
            {"type": ["string", "integer"]},
        ),
        ({"type": "string", "nullable": True}, TEXT),
        ({"enum": ["a", None]}, {"enum": ["a"]}),
        ({"anyOf": [TEXT, NULL], "description": "A."}, {**TEXT, "description": "A."}),
        ({"oneOf": [TEXT, {"const": None}]}, TEXT),
        ({"anyOf": [TEXT, {"enum": [None]}]}, TEXT),
        (
            {"anyOf": [TEXT, {"anyOf": [{"type": "integer"}, NULL]}]},
            {"anyOf": [TEXT, {"type": "integer"}]},
        ),
    ],
)
def test_null_goes_and_the_rest_stays(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    assert takes_null(schema)
    assert without_null(schema) == expected
    assert not takes_null(expected)


@pytest.mark.parametrize("schema", [True, TEXT, {"anyOf": [TEXT, {"type": "integer"}]}])
def test_a_schema_that_takes_no_null_stays_as_it_is(schema: Any) -> None:
    assert without_null(schema) is schema
