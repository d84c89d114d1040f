"""A schema that accepts null beside other values, and the same without null."""

from __future__ import annotations

from typing import Any, Final

from toolhaft.schema.marks import merged_marks

__all__ = ["takes_null", "without_null"]

UNIONS: Final = ("anyOf", "oneOf")


def takes_null(node: Any) -> bool:
    """Whether a schema names null among what it takes.

    >>> takes_null({"type": ["string", "null"]}), takes_null({"type": "string"})
    (True, False)
    """
    if not isinstance(node, dict):
        return False
    types = node.get("type", ())
    if "null" in ([types] if isinstance(types, str) else types) or node.get("nullable") is True:
        return True
    if "type" not in node and (None in node.get("enum", ()) or node.get("const", 0) is None):
        return True
    return any(takes_null(form) for word in UNIONS for form in node.get(word, ()))


def without_null(node: Any) -> Any:
    """Return a schema that accepts the same values except null.

    >>> without_null({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None})
    {'type': 'string'}
    """
    if not takes_null(node):
        return node
    schema = {word: value for word, value in node.items() if word != "nullable"}
    if schema.get("default", 0) is None:
        del schema["default"]
    if isinstance(types := schema.get("type"), list):
        others = [name for name in types if name != "null"]
        schema["type"] = others[0] if len(others) == 1 else others
    if "enum" in schema:
        schema["enum"] = [member for member in schema["enum"] if member is not None]
    for word in UNIONS:
        if word in schema:
            schema = _without_null_form(schema, word)
    return schema


def _without_null_form(schema: dict[str, Any], word: str) -> dict[str, Any]:
    forms = [without_null(form) for form in schema[word] if not _is_null(form)]
    if len(forms) != 1 or not isinstance(forms[0], dict):
        return {**schema, word: forms}
    beside = {key: value for key, value in schema.items() if key != word}
    return {**forms[0], **beside, **merged_marks(forms[0], beside)}


def _is_null(form: Any) -> bool:
    is_null = isinstance(form, dict) and form.get("type") == "null"
    return is_null or form in ({"const": None}, {"enum": [None]})
