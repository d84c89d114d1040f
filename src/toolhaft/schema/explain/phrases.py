"""The expected value at a place, as a phrase: `integer`, `array of strings`, `{city, days}`.

Each phrase is read from a schema node alone, in 2020-12 terms; references are followed a few steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from toolhaft.schema import branches
from toolhaft.schema.document.kinds import constants_of, names_of
from toolhaft.schema.document.references import followed
from toolhaft.schema.explain.examples import decimal_example, example_of
from toolhaft.schema.explain.wording import (
    MAX_LIST,
    any_of,
    cut,
    list_members,
    number,
    one_of,
    quote,
)
from toolhaft.schema.format_patterns import DECIMAL, PLURALS, WORDS
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
ALL_TYPES: Final = 6  # integers are numbers
# Keywords that imply the type of an untyped node.
KEYWORDS_OF: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset({"properties", "required", "additionalProperties", "patternProperties"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
    "string": frozenset({"pattern", "minLength", "maxLength"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
}
# Keyword of a number's bound, and the words for it.
BOUNDS: Final[Mapping[str, str]] = {
    "minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below",
}  # fmt: skip


def phrase_of(root: Any, schema: Any, depth: int = MAX_DEPTH) -> str:
    """Describe the values that a schema accepts.

    >>> phrase_of({}, {"type": "array", "items": {"type": "string"}})
    'array of strings'
    >>> phrase_of({}, {"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1}]})
    '"auto" or integer from 1'
    """
    return any_of(_phrases(root, schema, depth))


def branch_phrases(root: Any, forms: Sequence[Any], depth: int = MAX_DEPTH) -> list[str]:
    """Describe the values of each branch of a union, without repeats."""
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
    """Return a phrase for each alternative that a schema accepts."""
    if not isinstance(schema, dict):
        return ["nothing" if schema is False else "any value"]
    if depth == 0:
        return ["a value"]
    target = followed(root, schema)
    if target is not schema:
        return _phrases(root, target, depth - 1)
    forms = schema.get("anyOf", schema.get("oneOf"))
    if forms and "properties" not in schema:
        return branch_phrases(root, forms, depth - 1)
    return _own_phrases(root, schema, depth)


def _own_phrases(root: Any, schema: Mapping[str, Any], depth: int) -> list[str]:
    """Return the phrases of a schema by its constants or its types."""
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
    return f"object {{{', '.join(named)}}}" if named else "object"


def object_words(root: Any, schema: Mapping[str, Any]) -> str | None:
    """Describe the keys of an object, or its values; None if the schema has neither.

    >>> object_words({}, {"type": "object", "properties": {"street": {}, "country": {}}})
    'expected object {street, country}'
    """
    names = names_of(schema)
    phrase = any_of([_typed_phrase(root, schema, name, MAX_DEPTH) for name in names])
    return None if phrase == any_of(names) else f"expected {cut(phrase, MAX_LIST)}"


def array_words(root: Any, schema: Mapping[str, Any]) -> str:
    """Describe the items of a list, with an example, and the alternatives to a list.

    >>> array_words({}, {"type": ["array", "null"], "items": {"type": "integer"}})
    'expected array of integers or null, such as [1]'
    """
    names = names_of(schema) or ("array",)
    phrase = any_of([_typed_phrase(root, schema, name, MAX_DEPTH) for name in names])
    example = example_of(root, schema)
    such_as = "" if example is None or len(example) > MAX_EXAMPLE else f", such as {example}"
    return f"expected {cut(phrase, MAX_LIST)}{such_as}"


def _untyped_phrase(root: Any, schema: Mapping[str, Any], depth: int) -> str:
    """Describe a node without types by its keywords, which apply to values of one type."""
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
    if "prefixItems" in schema:
        return f"{name} [{', '.join(_by_place(root, schema, depth - 1))}]"
    return _of_plural(root, name, schema.get("items", True), depth)


def _by_place(root: Any, schema: Mapping[str, Any], depth: int) -> list[str]:
    """Name the items of a tuple, the first of them if they are many."""
    items = [phrase_of(root, item, depth) for item in schema["prefixItems"][:MAX_KEYS]]
    is_more = len(schema["prefixItems"]) > MAX_KEYS or schema.get("items", True) is not False
    return [*items, "…"] if is_more and schema.get("maxItems") != len(items) else items


def _object_phrase(root: Any, schema: Mapping[str, Any], name: str, depth: int) -> str:
    if "properties" in schema or "required" in schema:
        return object_phrase(root, schema)
    return _of_plural(root, name, schema.get("additionalProperties", True), depth)


def _of_plural(root: Any, name: str, parts: Any, depth: int) -> str:
    """Name an array by its items, or an object by its values."""
    plural = _plural(root, parts, depth - 1)
    return name if plural is None else f"{name} of {plural}"


_PHRASES: Final[Mapping[str, Callable[[Any, Mapping[str, Any], str, int], str]]] = {
    "integer": _number_phrase,
    "number": _number_phrase,
    "string": _string_phrase,
    "array": _array_phrase,
    "object": _object_phrase,
}


def _plural(root: Any, schema: Any, depth: int) -> str | None:
    """Name the items of an array or the values of a map; None if they may be anything."""
    if not isinstance(schema, dict) or depth <= 0:
        return None
    target = followed(root, schema)
    if target is not schema:
        return _plural(root, target, depth - 1)
    forms = schema.get("anyOf", schema.get("oneOf"))
    if forms and "properties" not in schema:
        return _plural_of_forms(root, forms, depth)
    if constants_of(schema) is not None:
        return phrase_of(root, schema, depth)
    names = names_of(schema)
    if not names or len(names) >= ALL_TYPES:
        return None
    return any_of([_typed_plural(root, schema, name, depth) for name in names])


def _plural_of_forms(root: Any, forms: Sequence[Any], depth: int) -> str | None:
    if is_decimal(forms):
        return PLURALS[DECIMAL]
    plurals = [_plural(root, form, depth - 1) for form in forms]
    return None if None in plurals else any_of([plural for plural in plurals if plural])


def _typed_plural(root: Any, schema: Mapping[str, Any], name: str, depth: int) -> str:
    """Name many values of one type.

    >>> _typed_plural({}, {"items": {"type": "integer"}}, "array", 2)
    'arrays of integers'
    """
    if name == "string":
        return PLURALS.get(schema.get("pattern", ""), "strings")
    if name not in ("array", "object"):
        return f"{name}s"
    return f"{name}s{_typed_phrase(root, schema, name, depth).removeprefix(name)}"


def missing_tag_words(tag: branches.Tag) -> str:
    """Describe a union's missing tag, with its members."""
    members = [member for of_form in tag.members for member in of_form]
    return f"required, {one_of(members).removeprefix('expected ')}"


def json_text_words(root: Any, schema: Mapping[str, Any]) -> str:
    """Describe the JSON that a text must contain.

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
    example = decimal_example(number_form)
    return f"a decimal number{bounds}" + (f", such as {example}" if example else "")


def issue_phrase(issue: Issue) -> str:
    """Return the expectation of an issue, in words that fit beside others."""
    return issue.message.removeprefix("expected ").partition(", received")[0]
