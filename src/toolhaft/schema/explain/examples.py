"""Examples of what belongs at a place, from what a schema says; never a value that was sent."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from toolhaft.jsonio import jsontext
from toolhaft.schema.document.kinds import constants_of, names_of
from toolhaft.schema.document.references import followed
from toolhaft.schema.engine import compiled
from toolhaft.schema.explain.wording import SUCH_AS
from toolhaft.schema.format_patterns import WORDS

__all__ = ["decimal_example", "example_of"]

EXAMPLES: Final[Mapping[str, Any]] = {"string": "a", "integer": 1, "number": 1.5, "boolean": True}
LIMITS: Final = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf")
# Under these keywords, one of `EXAMPLES` may be invalid itself.
NARROWING: Final = frozenset(
    {*LIMITS, "minLength", "maxLength", "format", "allOf", "anyOf", "oneOf", "not"}
)
DECIMALS: Final = ("12.50", "0.50")


def example_of(root: Any, schema: Any) -> str | None:
    """Return an example of an array as JSON text, from the schema, or None if it has too little.

    >>> example_of({}, {"type": "array", "items": {"enum": ["C", "F"]}})
    '["C"]'
    """
    examples = [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else ())]
    chosen = next((example for example in examples if isinstance(example, list) and example), None)
    if chosen is None and schema.get("minItems", 0) <= 1:
        item = _item_example(followed(root, schema.get("items")))
        chosen = None if item is None else [item]
    return None if chosen is None else jsontext.write(chosen)


def _item_example(items: Any) -> Any:
    if not isinstance(items, dict):
        return None
    if "pattern" in items:
        return WORDS.get(items["pattern"], "").partition(SUCH_AS)[2] or None
    examples = [*items.get("examples", ()), *(constants_of(items) or ())]
    if examples:
        return examples[0]
    names = names_of(items)
    return None if len(names) != 1 or NARROWING & items.keys() else EXAMPLES.get(names[0])


def decimal_example(schema: Mapping[str, Any]) -> str | None:
    """Return a decimal within the bounds, or None if there is none nearby.

    >>> decimal_example({"exclusiveMaximum": 1}), decimal_example({"minimum": 20})
    ('0.50', '20.00')
    """
    limits = [schema[word] for word in LIMITS if word in schema]
    nearby = [f"{limit + step:.2f}" for limit in limits for step in (0, 0.5, -0.5)]
    accepts = compiled({word: schema[word] for word in LIMITS if word in schema})
    return next((text for text in (*DECIMALS, *nearby) if accepts(Decimal(text))), None)
