"""Of an array that is not one, an example is shown: the author's, or of what its items are."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.explain.explainer import explain

TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (TEXTS, 'strings, such as ["a"]'),
        ({**TEXTS, "examples": [["x", "y"]]}, 'strings, such as ["x","y"]'),
        ({**TEXTS, "examples": ["x", []], "default": ["d"]}, 'strings, such as ["d"]'),
        ({**TEXTS, "items": {"type": "string", "examples": ["e"]}}, 'strings, such as ["e"]'),
        ({**TEXTS, "items": {"type": "integer"}}, "integers, such as [1]"),
        ({**TEXTS, "items": {"type": "boolean"}}, "booleans, such as [true]"),
        ({**TEXTS, "items": {"enum": ["x", "y"]}}, '"x" or "y", such as ["x"]'),
        ({**TEXTS, "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"const": 5}}}, "5, such as [5]"),
        ({**TEXTS, "items": {"type": ["string", "integer"]}}, "strings or integers"),
        ({**TEXTS, "items": {"type": "string", "pattern": "^a+$"}}, "strings"),
        ({**TEXTS, "items": {"type": "object"}}, "objects"),
        ({**TEXTS, "items": {"type": "string", "minLength": 5}}, "strings"),
        ({**TEXTS, "items": {"type": "integer", "minimum": 5}}, "integers"),
        ({**TEXTS, "minItems": 2}, "strings"),
    ],
)
def test_an_array_is_explained_by_an_example(schema: Any, words: str) -> None:
    assert [str(found.issue) for found in explain(schema, 5)] == [f"expected array of {words}"]
