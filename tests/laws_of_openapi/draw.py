"""Random documents, and random calls of their operations with what they mean."""

from __future__ import annotations

import base64
import random
import re
from typing import Any, NamedTuple

__all__ = ["Call", "Drawn", "draw_call", "draw_document"]

Json = Any
STYLES = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
NAMES = ("id", "q", "filter[id]", "X-Trace", "page", "body", "$top", "id__query", "self", "ähm")
HEADERS = ("X-Trace", "If-Match", "id", "x_y", "body")
COOKIES = ("session-name", "id", "theme")
METHODS = ("get", "post", "put", "patch", "delete")
WORDS = (
    "a",
    "Rex",
    "x y",
    "100%",
    "%2Fa",
    "a=b",
    "a&b=c",
    "?",
    "#top",
    "+1",
    "ü",
    "猫",
    "a:b",
    "@",
)
EXACT = (
    "'",
    '"',
    "\\",
    "/",
    "..",
    "\r\n",
    "<x>",
    "{id}",
    "",
    " ",
    ";",
    ",",
    "|",
    ".",
    "a.b",
    "[0]",
)


class Drawn(NamedTuple):
    """A document, and what its operations take: places and bodies by operation."""

    document: dict[str, Any]
    operations: dict[str, dict[str, Any]]


class Call(NamedTuple):
    """One call: the arguments, and what is meant by them for each place and the body."""

    operation: str
    arguments: dict[str, Any]
    meant: dict[tuple[str, str], Any]
    body: Any


def draw_document(seed: int, count: int = 40) -> Drawn:
    rng = random.Random(seed)
    paths: dict[str, Any] = {}
    operations = {}
    for number in range(count):
        parameters = [
            *_draw_parameters(rng, "path", ("id", "name", "body"), 2),
            *_draw_parameters(rng, "query", NAMES, 3),
            *_draw_parameters(rng, "header", HEADERS, 2),
            *_draw_parameters(rng, "cookie", COOKIES, 2),
        ]
        template = "".join(f"/{{{p['name']}}}" for p in parameters if p["in"] == "path")
        method = rng.choice(METHODS)
        operation: dict[str, Any] = {"operationId": f"op{number}", "parameters": parameters}
        if method != "get" and rng.random() < 0.8:
            operation["requestBody"] = {"required": True, "content": _draw_content(rng)}
        operations[f"op{number}"] = {**operation, "method": method}
        paths[f"/o{number}{template}/end"] = {method: operation}
        operations[f"op{number}"]["path"] = f"/o{number}{template}/end"
    return Drawn({"openapi": "3.1.0", "paths": paths}, operations)


def _draw_parameters(
    rng: random.Random, place: str, names: tuple[str, ...], most: int
) -> list[dict[str, Any]]:
    chosen = rng.sample(names, rng.randint(0, most))
    return [_draw_parameter(rng, place, name) for name in chosen]


def _draw_parameter(rng: random.Random, place: str, name: str) -> dict[str, Any]:
    required = place == "path" or rng.random() < 0.5
    node: dict[str, Any] = {"name": name, "in": place, "required": required}
    if rng.random() < 0.1:
        schema = {"type": "object", "additionalProperties": {"type": "string"}}
        return {**node, "content": {"application/json": {"schema": schema}}}
    style = rng.choice(STYLES[place])
    kind = rng.choice(("scalar", "array", "object"))
    if style in ("spaceDelimited", "pipeDelimited"):
        kind = rng.choice(("array", "object"))
    if style == "deepObject":
        kind = rng.choice(("nested", "array"))
    explode = rng.random() < 0.5 and style not in ("spaceDelimited", "pipeDelimited")
    if place == "cookie":
        explode = False
    if place == "query" and kind == "object" and explode:
        explode = style == "deepObject"  # its keys would be names of parameters; drawn apart
    return {**node, "style": style, "explode": explode, "schema": _draw_schema(rng, kind)}


def _draw_schema(rng: random.Random, kind: str) -> dict[str, Any]:
    scalar: dict[str, Any] = {"type": rng.choice(("string", "integer", "number", "boolean"))}
    if kind == "scalar":
        return scalar
    if kind == "array":
        return {"type": "array", "items": scalar, "minItems": 1}
    properties: dict[str, Any] = {"k": {"type": "string"}, "n": {"type": "integer"}}
    if kind == "nested":
        inner = {"type": "object", "properties": properties, "required": ["k"]}
        properties = {**properties, "list": {"type": "array", "items": inner, "minItems": 1}}
    return {"type": "object", "properties": properties, "required": ["k"],
            "additionalProperties": False}  # fmt: skip


FLAT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "count": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "more": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["title"],
    "additionalProperties": False,
}
UPLOAD = {**FLAT, "properties": {**FLAT["properties"], "file": {"contentMediaType": "image/png"}}}


def _draw_content(rng: random.Random) -> dict[str, Any]:
    return rng.choice([
        {"application/json": {"schema": {"type": "object"}}},
        {"application/merge-patch+json": {"schema": {"type": ["array", "object", "string"]}}},
        {"application/x-www-form-urlencoded": {"schema": FLAT}},
        {"application/x-www-form-urlencoded": {
            "schema": FLAT, "encoding": {"more": {"style": "deepObject", "explode": True}}}},
        {"multipart/form-data": {"schema": UPLOAD}},
        {"text/plain": {"schema": {"type": "string"}}},
        {"application/octet-stream": {}},
    ])  # fmt: skip


# ------------------------------------------------------------------------------------------- calls


def draw_call(rng: random.Random, drawn: Drawn) -> Call:
    """Draw a right call: values that the styles of their places can say."""
    name = rng.choice(sorted(drawn.operations))
    operation = drawn.operations[name]
    parameters = operation["parameters"]
    content = operation.get("requestBody", {}).get("content")
    arguments: dict[str, Any] = {}
    meant: dict[tuple[str, str], Any] = {}
    for parameter in parameters:
        if parameter["required"] or rng.random() < 0.7:
            value = _draw_value(rng, parameter)
            meant[parameter["in"], parameter["name"]] = value
            arguments[_argument_name(parameter, parameters, content)] = value
    body = None
    if content:
        ((media_type, media),) = content.items()
        body = arguments["body"] = _draw_body(rng, media_type, media.get("schema"))
    return Call(name, arguments, meant, body)


def _argument_name(parameter: dict[str, Any], parameters: list[Any], content: Any) -> str:
    """As the page describes: a name that occurs in two places gets its place as a suffix."""
    name: str = parameter["name"]
    is_taken = [each["name"] for each in parameters].count(name) > 1
    is_taken |= name == "body" and content is not None
    return f"{name}_{parameter['in']}" if is_taken else name


def _draw_value(rng: random.Random, parameter: dict[str, Any]) -> Any:
    if "content" in parameter:
        text = _text(rng, parameter["in"], "json")
        return {"key": text, "more": _text(rng, parameter["in"], "json")}
    return _fill(rng, parameter["schema"], parameter["in"], parameter["style"])


def _fill(rng: random.Random, schema: dict[str, Any], place: str, style: str) -> Any:
    kind = schema["type"]
    if kind == "array":
        return [
            _fill(rng, schema["items"], place, f"{style} item") for _ in range(rng.randint(1, 3))
        ]
    if kind == "object":
        properties = schema["properties"]
        names = [n for n in properties if n in schema["required"] or rng.random() < 0.6]
        return {n: _fill(rng, properties[n], place, f"{style} item") for n in names}
    if kind == "string":
        return _text(rng, place, style)
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "integer":
        return rng.choice((0, 7, -3, 12345678901234567890))
    return rng.choice((0.5, -2.25, 1e-7, 3.0)) if "label" not in style else 3


def _text(rng: random.Random, place: str, style: str) -> str:
    """Draw text that is allowed at a place, without text that the page excludes for a style."""
    text = "".join(rng.choice(WORDS + EXACT) for _ in range(rng.randint(1, 4)))
    is_item = style.endswith("item")
    if place in ("header", "cookie") and not style.startswith("json"):
        if place == "header":
            text = "".join(c for c in text if c.isascii() and c.isprintable()).strip() or "x"
            return text.replace(",", "").replace("=", "").strip() or "x" if is_item else text
        return text
    if style.startswith("spaceDelimited"):
        text = text.replace(" ", "")
    if style.startswith("pipeDelimited"):
        text = text.replace("|", "")
    if place == "path":
        kept = "".join(c for c in text if c not in '/\\\r\n"').replace("%2F", "").replace("..", "")
        # Text that would leave its segment if it were decoded once more is rejected too.
        while re.search("%[0-9A-Fa-f]{2}", kept):
            kept = re.sub("%([0-9A-Fa-f]{2})", r"\1", kept)
        kept = kept.replace(".", "") if "label" in style else kept
        text = f"v{kept.strip()}"
    return text


def _draw_body(rng: random.Random, media_type: str, schema: Any) -> Any:
    if media_type == "text/plain":
        return _text(rng, "body", "text")
    if media_type == "application/octet-stream":
        return base64.b64encode(rng.randbytes(rng.randint(0, 40))).decode()
    if "json" in media_type:
        return {
            _text(rng, "body", "json"): [_text(rng, "body", "json"), None, True, 1.5, {"a": []}]
        }
    body: dict[str, Any] = {"title": _text(rng, "body", "form")}
    if rng.random() < 0.5:
        body["count"] = rng.randint(-5, 5)
    if rng.random() < 0.5:
        body["tags"] = [_text(rng, "body", "form") for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.5:
        body["more"] = {rng.choice(("k", "ü x", "a=b&c")): _text(rng, "body", "form")}
    if "file" in schema["properties"] and rng.random() < 0.7:
        body["file"] = base64.b64encode(rng.randbytes(rng.randint(1, 40))).decode()
    return body
