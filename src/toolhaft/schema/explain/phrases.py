"""What belongs at a place, as a phrase: `integer`, `array of strings`, `{city, days}`.

Each phrase is read from a schema node alone, in 2020-12 terms; references are followed a few steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from toolhaft.jsonio import jsontext
from toolhaft.schema import branches
from toolhaft.schema.document.kinds import constants_of, names_of
from toolhaft.schema.document.references import target_of
from toolhaft.schema.engine import compiled
from toolhaft.schema.explain.wording import (
    MAX_LIST,
    any_of,
    cut,
    list_members,
    number,
    one_of,
    quote,
)
from toolhaft.schema.format_patterns import DECIMAL, WORDS
from toolhaft.spec import Issue

__all__ = [
    "array_words",
    "branch_phrases",
    "is_decimal",
    "issue_phrase",
    "json_text_words",
    "missing_tag_words",
    "object_phrase",
    "object_words",
    "phrase_of",
]

MAX_DEPTH: Final = 4
MAX_KEYS: Final = 10
MAX_EXAMPLE: Final = 30
# Keywords that say of an untyped node which type is meant.
KEYWORDS_OF: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset({"properties", "required", "additionalProperties", "patternProperties"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
    "string": frozenset({"pattern", "minLength", "maxLength"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
}
EXAMPLES: Final[Mapping[str, Any]] = {"string": "a", "integer": 1, "number": 1.5, "boolean": True}
# Keyword of a number's bound, and the words for it.
BOUNDS: Final[Mapping[str, str]] = {
    "minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below",
}  # fmt: skip
LIMITS: Final = (*BOUNDS, "multipleOf")
DECIMALS: Final = ("12.50", "0.50")


def phrase_of(root: Any, schema: Any, depth: int = MAX_DEPTH) -> str:
    """Say what a schema takes.

    >>> phrase_of({}, {"type": "array", "items": {"type": "string"}})
    'array of strings'
    >>> phrase_of({}, {"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1}]})
    '"auto" or integer from 1'
    """
    return any_of(_phrases(root, schema, depth))


def branch_phrases(root: Any, forms: Sequence[Any], depth: int = MAX_DEPTH) -> list[str]:
    """Say what each branch of a union takes, equal ones once."""
    forms = [form for form in forms if form is not False]
    phrases = [_decimal_phrase(forms)] if is_decimal(forms) else []
    if phrases:
        forms = [form for form in forms if names_of(form) not in (("number",), ("string",))]
    objects = [form for form in forms if branches.types_of(root, form) == ("object",)]
    own = branches.own_keys(root, objects) or (frozenset[str](),) * len(objects)
    telling = {id(form): keys for form, keys in zip(objects, own, strict=True)}
    for form in forms:
        keys = telling.get(id(form))
        phrases += [object_phrase(root, form, keys)] if keys else _phrases(root, form, depth)
    return list(dict.fromkeys(phrases))


def _phrases(root: Any, schema: Any, depth: int) -> list[str]:
    """Give what a schema takes, each alternative by itself."""
    if not isinstance(schema, dict):
        return ["nothing" if schema is False else "any value"]
    if depth == 0:
        return ["a value"]
    target = target_of(root, schema)
    if target is not None:
        return _phrases(root, target, depth - 1)
    forms = schema.get("anyOf", schema.get("oneOf"))
    if forms and "properties" not in schema:
        return branch_phrases(root, forms, depth - 1)
    return _own_phrases(root, schema, depth)


def _own_phrases(root: Any, schema: Mapping[str, Any], depth: int) -> list[str]:
    """Give what a schema takes by its constants or its types."""
    members = constants_of(schema)
    if members is not None:
        quoted = list_members(members)
        more = len(members) - len(quoted)
        return [*quoted, *([f"{more} more values"] if more else [])]
    names = names_of(schema)
    if not names:
        return [_untyped_phrase(root, schema, depth)]
    return [_typed_phrase(root, schema, name, depth) for name in names]


def object_phrase(root: Any, schema: Any, telling: frozenset[str] = frozenset()) -> str:
    """Name an object by its constants and the keys that it needs, or else all.

    At least one of the `telling` keys, which tell it from others, is named.
    """
    form = branches.object_of(root, schema)
    constants = {
        name: f"{name}: {quote(members[0])}"
        for name, members in branches.constants_in(root, form).items()
        if len(members) == 1
    }
    declared = form.properties.keys()
    keys = [name for name in declared if name in form.required and name not in constants]
    if not constants and telling.isdisjoint(keys):
        keys += sorted(telling)
    named = [*constants.values(), *keys] or list(declared)
    named = [*named[:MAX_KEYS], *(["…"] if named[MAX_KEYS:] else [])]
    return f"{{{', '.join(named)}}}" if named else "object"


def object_words(root: Any, schema: Mapping[str, Any]) -> str | None:
    """Say which keys an object has; None where it declares none.

    >>> object_words({}, {"type": "object", "properties": {"street": {}, "country": {}}})
    'expected object {street, country}'
    """
    phrase = object_phrase(root, schema)
    return f"expected object {phrase}" if phrase.startswith("{") else None


def array_words(root: Any, schema: Mapping[str, Any]) -> str:
    """Say what a list is made of, with an example, and what may stand there instead.

    >>> array_words({}, {"type": ["array", "null"], "items": {"type": "integer"}})
    'expected array of integers or null, such as [1]'
    """
    phrase = any_of([_typed_phrase(root, schema, name, MAX_DEPTH) for name in names_of(schema)])
    example = example_of(root, schema)
    such_as = "" if example is None or len(example) > MAX_EXAMPLE else f", such as {example}"
    return f"expected {cut(phrase, MAX_LIST)}{such_as}"


def example_of(root: Any, schema: Any, depth: int = MAX_DEPTH) -> str | None:
    """Give a value for an array as JSON text, from what the schema says; None where it is silent.

    >>> example_of({}, {"type": "array", "items": {"enum": ["C", "F"]}})
    '["C"]'
    """
    examples = [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else ())]
    chosen = next((example for example in examples if isinstance(example, list) and example), None)
    if chosen is None and depth:
        items = target_of(root, schema.get("items")) or schema.get("items")
        item = _item_example(items)
        chosen = None if item is None else [item]
    return None if chosen is None else jsontext.write(chosen)


def _item_example(items: Any) -> Any:
    if not isinstance(items, dict) or "pattern" in items:
        return None
    examples = [*items.get("examples", ()), *(constants_of(items) or ())]
    names = names_of(items)
    return examples[0] if examples else EXAMPLES.get(names[0]) if len(names) == 1 else None


def _untyped_phrase(root: Any, schema: Mapping[str, Any], depth: int) -> str:
    """Say what is meant by keywords that apply to values of one type."""
    meant = [name for name, words in KEYWORDS_OF.items() if not words.isdisjoint(schema)]
    if len(meant) == 1:
        return _typed_phrase(root, schema, meant[0], depth)
    parts = schema.get("allOf", ())
    phrases = [phrase_of(root, part, depth - 1) for part in parts]
    return next((phrase for phrase in phrases if phrase not in ("any value", "a value")), "a value")


def _typed_phrase(root: Any, schema: Mapping[str, Any], name: str, depth: int) -> str:
    return _PHRASES.get(name, _plain_phrase)(root, schema, name, depth)


def _plain_phrase(_: Any, __: Mapping[str, Any], name: str, ___: int) -> str:
    return name


def _number_phrase(_: Any, schema: Mapping[str, Any], name: str, __: int) -> str:
    bounds = [f"{words} {number(schema[word])}" for word, words in BOUNDS.items() if word in schema]
    return " ".join([name, *bounds])


def _string_phrase(_: Any, schema: Mapping[str, Any], name: str, __: int) -> str:
    pattern = schema.get("pattern")
    if pattern is None:
        return name
    return WORDS.get(pattern) or f"string that matches {pattern}"


def _array_phrase(root: Any, schema: Mapping[str, Any], name: str, depth: int) -> str:
    items = schema.get("items", True)
    plural = _plural(root, items, depth - 1) if "prefixItems" not in schema else None
    return name if plural is None else f"{name} of {plural}"


def _object_phrase(root: Any, schema: Mapping[str, Any], name: str, _: int) -> str:
    is_told = "properties" in schema or "required" in schema
    return object_phrase(root, schema) if is_told else name


_PHRASES: Final[Mapping[str, Callable[[Any, Mapping[str, Any], str, int], str]]] = {
    "integer": _number_phrase,
    "number": _number_phrase,
    "string": _string_phrase,
    "array": _array_phrase,
    "object": _object_phrase,
}


def _plural(root: Any, schema: Any, depth: int) -> str | None:
    """Name the items of an array; None where they may be anything."""
    if not isinstance(schema, dict) or depth <= 0:
        return None
    target = target_of(root, schema)
    if target is not None:
        return _plural(root, target, depth - 1)
    if constants_of(schema) is not None:
        return phrase_of(root, schema, depth)
    names = names_of(schema)
    if "pattern" in schema or len(names) != 1:
        return None if not names else any_of([f"{name}s" for name in names])
    keys = object_phrase(root, schema) if names == ("object",) else ""
    return f"objects {keys}" if keys.startswith("{") else f"{names[0]}s"


def missing_tag_words(tag: branches.Tag) -> str:
    """Say that a union's tag is required, and its members."""
    members = [member for of_form in tag.members for member in of_form]
    return f"required, {one_of(members).removeprefix('expected ')}"


def json_text_words(root: Any, schema: Mapping[str, Any]) -> str:
    """Say what text that holds JSON has to hold.

    >>> json_text_words({}, {"contentSchema": {"type": "array", "items": {"type": "integer"}}})
    'expected text that holds JSON: array of integers'
    """
    content = schema.get("contentSchema")
    return "expected text that holds JSON" + (f": {phrase_of(root, content)}" if content else "")


def is_decimal(forms: Sequence[Any]) -> bool:
    """Whether a union is of a number and of the same as text."""
    numbers = [form for form in forms if names_of(form) == ("number",)]
    patterns = [form.get("pattern") for form in forms if isinstance(form, dict)]
    return len(numbers) == 1 and DECIMAL in patterns


def _decimal_phrase(forms: Sequence[Any]) -> str:
    """Name a number that may come as text, with its bounds."""
    number_form = next(form for form in forms if names_of(form) == ("number",))
    bounds = _number_phrase(None, number_form, "number", 0).removeprefix("number")
    example = _decimal_example(number_form)
    return f"a decimal number{bounds}" + (f", such as {example}" if example else "")


def _decimal_example(schema: Mapping[str, Any]) -> str | None:
    """Give a decimal that keeps the bounds; None where none is near.

    >>> _decimal_example({"exclusiveMaximum": 1}), _decimal_example({"minimum": 20})
    ('0.50', '20.00')
    """
    limits = [schema[word] for word in LIMITS if word in schema]
    nearby = [f"{limit + step:.2f}" for limit in limits for step in (0, 0.5, -0.5)]
    accepts = compiled({word: schema[word] for word in LIMITS if word in schema})
    return next((text for text in (*DECIMALS, *nearby) if accepts(Decimal(text))), None)


def issue_phrase(issue: Issue) -> str:
    """Give the words of an issue as what was expected, to stand beside others."""
    return issue.message.removeprefix("expected ").partition(", received")[0]
