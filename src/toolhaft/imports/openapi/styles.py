"""Write a value in a style of OpenAPI (3.1.1, 4.8.12.3; RFC 6570).

A value that a style cannot write so that the same value is read back is an issue. Such values are
null, an empty list if nothing would be sent, a delimiter inside of a value, and nested values in a
style without nesting. Nested values of `deepObject` are written as `name[key][0]=value`, which the
specification leaves open and servers read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from toolhaft.imports.openapi.parameters import Parameter
from toolhaft.spec import Issue, Path

__all__ = [
    "Pairs",
    "Unsendable",
    "encode",
    "join_pairs",
    "scalar_text",
    "write_cookie",
    "write_header",
    "write_json",
    "write_path",
    "write_query",
]

# Names and values, both encoded already; None for a name without a value.
Pairs = list[tuple[str, str | None]]
UNRESERVED: Final = "-._~"
# Reserved characters (RFC 3986, 2.2) without a meaning in a query that is read as a form.
RESERVED: Final = "/:?@!$'()*"
# The prefix of a path value, and the separator of the items of an exploded one.
PREFIXES: Final = {"simple": ("", ","), "label": (".", "."), "matrix": (";", ";")}
DELIMITED: Final = {
    "form": (",", ","),
    "spaceDelimited": ("%20", " "),
    "pipeDelimited": ("%7C", "|"),
}


class Unsendable(Exception):
    """Raised if a value that passed its schema cannot be sent: the reason, and its place."""

    def __init__(self, message: str, path: Path = ()) -> None:
        super().__init__(message, path)
        self.message, self.path = message, path

    def issue(self, *outer: str) -> Issue:
        """Write it as an issue of the arguments."""
        return Issue(self.message, (*outer, *self.path), "value")


def encode(text: str, safe: str = "") -> str:
    """Percent-encode text, but for what is unreserved (RFC 3986, 2.3)."""
    return quote(text, safe=UNRESERVED + safe)


def join_pairs(pairs: Pairs) -> str:
    """Write pairs as a query or a form has them."""
    return "&".join(name if text is None else f"{name}={text}" for name, text in pairs)


def write_json(value: Any, *, ascii: bool = False) -> str:
    """Write a value as JSON text, in ASCII where that is all that can be sent."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=ascii)


def scalar_text(value: Any, path: Path = ()) -> str:
    """Write a scalar as text; numbers and booleans as JSON writes them."""
    if isinstance(value, str):
        return value
    if value is None:
        raise Unsendable("null cannot be sent here; leave it out", path)
    if isinstance(value, dict | list):
        raise Unsendable("nothing can be nested here; expected text, a number or a boolean", path)
    return write_json(value)


# ------------------------------------------------------------------------------------------- query


def write_query(parameter: Parameter, value: Any) -> Pairs:
    """Write the pairs of a query parameter."""
    safe = RESERVED if parameter.allow_reserved else ""
    name = encode(parameter.name)
    if parameter.style == "deepObject":
        return list(_deep_pairs(name, value, (), safe))
    if not isinstance(value, dict | list):
        return [(name, encode(scalar_text(value), safe))]
    _require_items(value)
    if parameter.explode:
        if isinstance(value, dict):
            items = _texts_of(value)
            return [(encode(key), encode(text, safe)) for key, text in items]
        return [(name, encode(text, safe)) for _, text in _texts_of(value)]
    delimiter, character = DELIMITED[parameter.style]
    texts = list(_flat(value))
    if character != ",":  # servers read it alike encoded or not, so values must not have it
        _forbid(character, texts)
    return [(name, delimiter.join(encode(text) for _, text in texts))]


def _deep_pairs(name: str, value: Any, path: Path, safe: str) -> Iterator[tuple[str, str | None]]:
    if not isinstance(value, dict | list):
        yield name, encode(scalar_text(value, path), safe)
        return
    _require_items(value, path)
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(key, str) and ("[" in key or "]" in key or not key):
            raise Unsendable("a key is empty or holds a bracket, which cannot be sent", path)
        yield from _deep_pairs(f"{name}%5B{encode(str(key))}%5D", item, (*path, key), safe)


# --------------------------------------------------------------------------------- path and headers


def write_path(parameter: Parameter, value: Any) -> str:
    """Write the value of a path parameter, encoded."""
    prefix, separator = PREFIXES[parameter.style]
    name = f"{encode(parameter.name)}=" if parameter.style == "matrix" else ""
    if not isinstance(value, dict | list):
        return prefix + name + encode(scalar_text(value), "/" if parameter.has_segments else "")
    _require_items(value)
    if not parameter.explode:
        return prefix + name + ",".join(encode(text) for _, text in _flat(value))
    if parameter.style == "label":  # servers read its separator alike encoded or not
        _forbid(".", list(_flat(value)))
    if isinstance(value, dict):
        items = [f"{encode(key)}={encode(text)}" for key, text in _texts_of(value)]
    else:
        items = [name + encode(text) for _, text in _texts_of(value)]
    return prefix + separator.join(items)


def write_header(parameter: Parameter, value: Any) -> str:
    """Write the value of a header, which is not encoded: other characters are refused."""
    if not isinstance(value, dict | list):
        text = scalar_text(value)
        _require_header_text(text, ())
        return text
    _require_items(value)
    items = list(_flat(value))
    if isinstance(value, dict) and parameter.explode:
        _forbid("=", [(key, key) for key in value])
        items = [(key, f"{key}={text}") for key, text in _texts_of(value)]
    _forbid(",", items)
    for key, text in items:
        _require_header_text(text, (key,))
        if not text:
            raise Unsendable("an item must not be empty here", (key,))
    return ",".join(text for _, text in items)


def _require_header_text(text: str, path: Path) -> None:
    """Refuse what a header cannot hold as it is (RFC 9110, 5.5)."""
    if not text.isascii() or not text.isprintable():
        raise Unsendable("only printable ASCII characters can be sent in a header", path)
    if text != text.strip():
        raise Unsendable("a header cannot begin or end with a space", path)


def write_cookie(parameter: Parameter, value: Any) -> str:
    """Write the pair of a cookie."""
    if isinstance(value, dict | list):
        _require_items(value)
        if parameter.explode:
            raise Unsendable("a cookie cannot hold a list or an object here")
        return f"{parameter.name}={','.join(encode(text) for _, text in _flat(value))}"
    text = scalar_text(value)
    if parameter.style == "form":
        return f"{parameter.name}={encode(text)}"
    # RFC 6265, 4.1.1: printable ASCII without these.
    if not text.isascii() or not text.isprintable() or any(each in ' ",;\\' for each in text):
        raise Unsendable("a cookie cannot hold such characters")
    return f"{parameter.name}={text}"


# ------------------------------------------------------------------------------------------- values


def _texts_of(value: Any) -> Iterator[tuple[Any, str]]:
    """Yield the text of each item with its key or its number."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield key, scalar_text(item, (key,))


def _flat(value: Any) -> Iterator[tuple[Any, str]]:
    """Yield items as texts; for an object, keys and values in turn."""
    for key, text in _texts_of(value):
        if isinstance(value, dict):
            yield key, key
        yield key, text


def _forbid(character: str, texts: list[tuple[Any, str]]) -> None:
    for key, text in texts:
        if character in text:
            words = {" ": "a space", ",": "a comma", "|": "a bar", ".": "a dot"}
            shown = words.get(character, character)
            raise Unsendable(f"{shown} separates items here; an item must not hold one", (key,))


def _require_items(value: Any, path: Path = ()) -> None:
    if not value:
        kind = "object" if isinstance(value, dict) else "list"
        raise Unsendable(f"an empty {kind} cannot be sent here; leave it out", path)
