"""The meaning of a keyword in words, for descriptions of keywords that the target lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from toolhaft.jsonio import jsontext
from toolhaft.lowering.keywords import ANNOTATIONS
from toolhaft.lowering.nodes.references import standalone
from toolhaft.schema.document.kinds import names_of
from toolhaft.schema.explain.phrases import phrase_of
from toolhaft.schema.explain.reasons import reason_of
from toolhaft.schema.explain.requirements import demands_of, forbidden_together
from toolhaft.schema.explain.wording import any_of, counted, number

__all__ = ["requirement_words", "sentence"]

# Writes the sentence for the value of a keyword: (root, node, value); empty if there is none.
Write: TypeAlias = Callable[[Any, Mapping[str, Any], Any], str]
LONGEST: Final = 400


def sentence(root: Any, node: Mapping[str, Any], keyword: str, value: Any) -> str:
    """Describe a keyword of a node, in the schema's own names; empty if it asserts nothing.

    >>> sentence({}, {}, "minLength", 3), sentence({}, {}, "not", {"type": "string"})
    ('at least 3 characters', 'not string')
    """
    write = _SENTENCES.get(keyword)
    return f"{keyword} {_json(root, value)}" if write is None else write(root, node, value)


def requirement_words(word: str, branches: Sequence[Any]) -> str:
    """Write the sentence for `anyOf: [{required: [a]}, {required: [b]}]`; empty for other unions.

    >>> requirement_words("anyOf", [{"required": ["a"]}, {"required": ["b"]}])
    'give at least one of a, b'
    """
    if not all(isinstance(each, dict) and _only_required(each) for each in branches):
        return ""
    groups = [" and ".join(each["required"]) for each in branches]
    if len(groups) == 1:
        return f"give {groups[0]}"
    many = "at least" if word == "anyOf" else "exactly"
    return f"give {many} one of {', '.join(groups)}"


def _only_required(branch: dict[str, Any]) -> bool:
    required = branch.get("required")
    return isinstance(required, list) and bool(required) and branch.keys() <= {"required", "type"}


def _json(root: Any, value: Any) -> str:
    """Write a schema, or other data, as JSON text that is complete in itself."""
    return jsontext.write(standalone(root, value) if isinstance(value, dict) else value)


def _excerpt(value: Any) -> str:
    """Write an author's value as JSON text, cut if it is longer than `LONGEST` characters."""
    text = jsontext.write(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def _meaning(root: Any, schema: Any) -> str:
    """Describe the values of a schema: by its type and bounds in words, else as JSON text."""
    if not isinstance(schema, dict):
        return "any value" if schema else "no value"
    asserted = {word: value for word, value in schema.items() if word not in ANNOTATIONS}
    names = names_of(asserted)
    if asserted.keys() <= SAID_BY_PHRASE and (names or "type" not in asserted):
        return phrase_of(root, asserted)
    if len(names) == 1 and asserted.keys() <= {"type", *_BOUNDS}:
        bounds = [sentence(root, {}, word, asserted[word]) for word in asserted if word != "type"]
        return ", ".join([phrase_of(root, {"type": names[0]}), *filter(None, bounds)])
    return _json(root, schema)


SAID_BY_PHRASE: Final = frozenset({"type", "const"})


def _bound(words: str) -> Write:
    return lambda _, __, value: f"{words} {number(value)}"


def _count(words: str, noun: str) -> Write:
    def write(_: Any, __: Any, value: Any) -> str:
        is_bound = value or words != "at least"
        return counted(words, value, noun).removeprefix("expected ") if is_bound else ""

    return write


def _text(words: str) -> Write:
    return lambda root, _, value: (
        f"{words} {value if isinstance(value, str) else _json(root, value)}"
    )


def _quoted(words: str) -> Write:
    return lambda _, __, value: f"{words} {_excerpt(value)}"


def _flag(words: str) -> Write:
    return lambda _, __, value: words if value is True else ""


def _examples(_: Any, __: Any, value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    return f"such as {', '.join(map(_excerpt, values))}" if values else ""


def _union(word: str, words: str) -> Write:
    def write(root: Any, _: Any, branches: Sequence[Any]) -> str:
        demands = requirement_words(word, branches)
        return demands or f"{words}: {any_of([_meaning(root, branch) for branch in branches])}"

    return write


def _all_of(root: Any, _: Any, parts: Sequence[Any]) -> str:
    return f"all of this: {' and '.join(_meaning(root, part) for part in parts)}"


def _further(noun: str) -> Write:
    def write(root: Any, _: Any, schema: Any) -> str:
        if isinstance(schema, bool):
            return "" if schema else f"no further {noun}"
        return f"further {noun}: {_meaning(root, schema)}"

    return write


def _contains(root: Any, _: Any, schema: Any) -> str:
    return f"at least one item is {_meaning(root, schema)}"


def _property_names(root: Any, _: Any, schema: Any) -> str:
    typed = {"type": "string", **schema} if isinstance(schema, dict) else schema
    return f"each key: {_meaning(root, typed).replace('a string', 'text', 1)}"


def _patterns(root: Any, _: Any, schemas: Mapping[str, Any]) -> str:
    rules = (f"keys that match {key}: {_meaning(root, sub)}" for key, sub in schemas.items())
    return "; ".join(rules)


def _dependent(_: Any, __: Any, names: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"with {name} also give {', '.join(more)}" for name, more in names.items())


def _dependent_schemas(root: Any, _: Any, schemas: Mapping[str, Any]) -> str:
    return "; ".join(f"with {name}, {_demand(root, sub)}" for name, sub in schemas.items())


def _not(root: Any, _: Any, schema: Any) -> str:
    demands = demands_of([schema])
    return forbidden_together(demands[0]) if demands else f"not {_meaning(root, schema)}"


def _demand(root: Any, schema: Any) -> str:
    """Describe what a schema demands of an object that is present."""
    demands = demands_of([schema])
    if demands:
        return f"give {', '.join(demands[0])}"
    if isinstance(schema, dict) and schema.keys() == {"not"} and demands_of([schema["not"]]):
        return _not(root, {}, schema["not"])
    return f"it must match {_meaning(root, schema)}"


def _condition(root: Any, node: Mapping[str, Any], condition: Any) -> str:
    reason = reason_of(condition) or f"it matches {_meaning(root, condition)}"
    parts = [_demand(root, node["then"])] if "then" in node else []
    parts += [f"else {_demand(root, node['else'])}"] if "else" in node else []
    return f"if {reason}, {', '.join(parts)}" if parts else ""


def _nothing(_: Any, __: Any, ___: Any) -> str:
    return ""


_BOUNDS: Final[Mapping[str, Write]] = {
    "minimum": _bound("at least"),
    "maximum": _bound("at most"),
    "exclusiveMinimum": _bound("more than"),
    "exclusiveMaximum": _bound("less than"),
    "multipleOf": _bound("a multiple of"),
    "minLength": _count("at least", "character"),
    "maxLength": _count("at most", "character"),
    "pattern": _text("matches"),
    "minItems": _count("at least", "item"),
    "maxItems": _count("at most", "item"),
    "uniqueItems": _flag("no duplicate items"),
    "minProperties": _count("at least", "key"),
    "maxProperties": _count("at most", "key"),
}
_SENTENCES: Final[Mapping[str, Write]] = {
    **_BOUNDS,
    "format": _text("format"),
    "title": _text("title"),
    "default": _quoted("default"),
    "const": _quoted("always"),
    "examples": _examples,
    "example": _examples,
    "deprecated": _flag("deprecated"),
    "readOnly": _flag("read only"),
    "writeOnly": _flag("write only"),
    "contains": _contains,
    "minContains": _count("at least", "such item"),
    "maxContains": _count("at most", "such item"),
    "unevaluatedItems": _further("items"),
    "additionalProperties": _further("keys"),
    "unevaluatedProperties": _further("keys"),
    "propertyNames": _property_names,
    "patternProperties": _patterns,
    "dependentRequired": _dependent,
    "dependentSchemas": _dependent_schemas,
    "allOf": _all_of,
    "anyOf": _union("anyOf", "one or more of these"),
    "oneOf": _union("oneOf", "exactly one of these"),
    "not": _not,
    "if": _condition,
    "then": _nothing,  # said with `if`, and nothing without it
    "else": _nothing,
}
