"""Read a request as a server does that knows the document, and none of what wrote the request.

Requests are taken apart by urllib.parse, json and python-multipart; the styles by the table of the
specification (3.1.1, 4.8.12.3): delimiters are found in the encoded text, and only then is each
part decoded.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any
from urllib.parse import parse_qsl, unquote, unquote_plus

from python_multipart.multipart import MultipartParser, parse_options_header

from tests.laws_of_openapi.server import Arrived

__all__ = ["read_request"]

DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def read_request(
    arrived: Arrived, operation: dict[str, Any]
) -> tuple[dict[tuple[str, str], Any], Any]:
    """Return the value of each parameter in the request, and the body."""
    assert arrived.method.lower() == operation["method"]
    path, _, query = arrived.target.partition("?")
    values: dict[tuple[str, str], Any] = {}
    by_place: dict[str, list[Any]] = {}
    for parameter in operation["parameters"]:
        by_place.setdefault(parameter["in"], []).append(parameter)
    named = _match_path(operation["path"], path)
    for parameter in by_place.get("path", []):
        values["path", parameter["name"]] = _read_path(parameter, named[parameter["name"]])
    pairs = [tuple(pair.split("=", 1)) for pair in query.split("&") if pair]
    for parameter in by_place.get("query", []):
        _read_query(parameter, pairs, values)
    assert not pairs, f"unknown names in the query: {len(pairs)}"
    for parameter in by_place.get("header", []):
        text = arrived.header(parameter["name"])
        if text is not None:
            values["header", parameter["name"]] = _read_header(parameter, text)
    cookies = arrived.header("cookie")
    crumbs = dict(crumb.split("=", 1) for crumb in cookies.split("; ")) if cookies else {}
    for parameter in by_place.get("cookie", []):
        if parameter["name"] in crumbs:
            text = crumbs.pop(parameter["name"])
            values["cookie", parameter["name"]] = _read_items(parameter, text, ",")
    assert not crumbs
    content = operation.get("requestBody", {}).get("content")
    return values, _read_body(arrived, content) if content else None


def _match_path(template: str, path: str) -> dict[str, str]:
    """Return the path's text for each name of the template, still encoded."""
    parts = re.split(r"\{([^}]+)\}", template.partition("#")[0])
    pattern = "".join("([^/]*)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
    match = re.fullmatch(pattern, path)
    assert match is not None
    return dict(zip(parts[1::2], match.groups(), strict=True))


def _scalar(schema: dict[str, Any], text: str) -> Any:
    return text if schema["type"] == "string" else json.loads(text)


def _read_path(parameter: dict[str, Any], segment: str) -> Any:
    style = parameter.get("style")
    if style == "label":
        assert segment.startswith(".")
        delimiter = "." if parameter["explode"] else ","
        return _read_items(parameter, segment[1:], delimiter)
    if style == "matrix":
        name = re.escape(parameter["name"])
        if parameter["explode"] and parameter["schema"]["type"] == "array":
            assert segment.startswith(";")
            parts = segment[1:].split(";")
            texts = [re.fullmatch(f"{name}=(.*)", part) for part in parts]
            items = parameter["schema"]["items"]
            return [_scalar(items, unquote(text[1])) for text in texts if text]
        if parameter["explode"] and parameter["schema"]["type"] == "object":
            return _read_items(parameter, segment[1:], ";")
        head = f";{parameter['name']}="
        assert segment.startswith(head)
        return _read_items(parameter, segment[len(head) :], ",")
    return _read_items(parameter, segment, ",")


def _read_items(parameter: dict[str, Any], text: str, delimiter: str, decode: Any = unquote) -> Any:
    if "content" in parameter:
        return json.loads(decode(text))
    schema = parameter["schema"]
    if schema["type"] == "array":
        return [_scalar(schema["items"], decode(part)) for part in text.split(delimiter)]
    if schema["type"] != "object":
        return _scalar(schema, decode(text))
    parts = text.split(delimiter)
    if parameter["explode"]:
        pairs = [tuple(part.split("=", 1)) for part in parts]
    else:
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
    properties = schema["properties"]
    return {decode(key): _scalar(properties[decode(key)], decode(part)) for key, part in pairs}


def _read_query(
    parameter: dict[str, Any], pairs: list[Any], values: dict[tuple[str, str], Any]
) -> None:
    name, place = parameter["name"], ("query", parameter["name"])
    if parameter.get("style") == "deepObject":
        own = [
            pair
            for pair in pairs
            if re.fullmatch(rf"{re.escape(name)}(\[[^]]*\])+", unquote(pair[0]))
        ]
        if own:
            values[place] = _read_deep(parameter["schema"], name, own)
    else:
        own = [pair for pair in pairs if unquote(pair[0]) == name]
        if own:
            values[place] = _read_form(parameter, [text for _, text in own])
    for pair in own:
        pairs.remove(pair)


def _read_form(parameter: dict[str, Any], texts: list[str]) -> Any:
    """Read a query as servers do, for which a plus is a space too."""
    is_list = "content" not in parameter and parameter["schema"]["type"] == "array"
    if is_list and parameter["explode"]:
        return [_scalar(parameter["schema"]["items"], unquote_plus(text)) for text in texts]
    (text,) = texts
    delimiter = DELIMITERS[parameter.get("style", "form")]
    return _read_items(parameter, text, delimiter, decode=unquote_plus)


def _read_deep(schema: dict[str, Any], name: str, pairs: list[Any]) -> Any:
    tree: dict[str, Any] = {}
    for key, text in pairs:
        steps = re.findall(r"\[([^]]*)\]", unquote(key)[len(name) :])
        node = tree
        for step in steps[:-1]:
            node = node.setdefault(step, {})
        assert steps[-1] not in node
        node[steps[-1]] = unquote(text)
    return _typed(schema, tree)


def _typed(schema: dict[str, Any], tree: Any) -> Any:
    if schema["type"] == "array":
        assert list(tree) == [str(at) for at in range(len(tree))]
        return [_typed(schema["items"], tree[key]) for key in tree]
    if schema["type"] == "object":
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        return {key: _typed(properties.get(key, others), tree[key]) for key in tree}
    return _scalar(schema, tree)


def _read_header(parameter: dict[str, Any], text: str) -> Any:
    return _read_items(parameter, text, ",", decode=str)


def _read_body(arrived: Arrived, content: dict[str, Any]) -> Any:
    ((media_type, media),) = content.items()
    header = arrived.header("content-type") or ""
    sent, options = parse_options_header(header)
    assert sent.decode() == media_type
    if "json" in media_type:
        return json.loads(arrived.body)
    if media_type == "text/plain":
        return arrived.body.decode()
    if media_type == "application/octet-stream":
        return base64.b64encode(arrived.body).decode()
    schema = media["schema"]
    if media_type == "multipart/form-data":
        return _collect(schema, _read_multipart(options[b"boundary"], arrived.body), {})
    pairs = parse_qsl(arrived.body.decode(), keep_blank_values=True, strict_parsing=True)
    assert all(unquote_plus(text) is not None for _, text in pairs)
    return _collect(schema, pairs, media.get("encoding", {}))


def _read_multipart(boundary: bytes, body: bytes) -> list[tuple[str, Any]]:
    parts: list[tuple[str, Any]] = []
    state: dict[str, Any] = {}

    def begin() -> None:
        state.update(headers={}, field=b"", value=b"", data=b"")

    def on(name: str) -> Any:
        def add(data: bytes, start: int, end: int) -> None:
            state[name] += data[start:end]

        return add

    def end_header() -> None:
        state["headers"][state["field"].lower()] = state["value"]
        state.update(field=b"", value=b"")

    def end() -> None:
        kind, options = parse_options_header(state["headers"][b"content-disposition"])
        assert kind == b"form-data"
        name = options[b"name"].decode()
        is_file = b"filename" in options
        data = base64.b64encode(state["data"]).decode() if is_file else state["data"].decode()
        parts.append((name, data))

    parser = MultipartParser(boundary, {
        "on_part_begin": begin, "on_part_data": on("data"), "on_part_end": end,
        "on_header_field": on("field"), "on_header_value": on("value"),
        "on_header_end": end_header,
    })  # fmt: skip
    parser.write(body)
    parser.finalize()
    return parts


def _collect(schema: dict[str, Any], pairs: list[tuple[str, Any]], encoding: dict[str, Any]) -> Any:
    body: dict[str, Any] = {}
    for name in encoding:
        own = [pair for pair in pairs if pair[0].startswith(f"{name}[")]
        pairs = [pair for pair in pairs if pair not in own]
        if own:
            quoted = [(key, text.replace("%", "%25")) for key, text in own]
            body[name] = _read_deep(schema["properties"][name], name, quoted)
    for name, text in pairs:
        node = schema["properties"][name]
        if node.get("type") == "array":
            body.setdefault(name, []).append(text)
        else:
            assert name not in body
            kind = node.get("type", "string")
            body[name] = text if kind == "string" else json.loads(text)
    return body
