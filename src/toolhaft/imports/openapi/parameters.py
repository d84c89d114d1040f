"""The parameters of an operation, and the name of each among the arguments.

A parameter keeps its name. Where two places have one of the same name, or the body has it, each is
named with its place (`id_path`, `id_query`), and numbered where that is taken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft.definition import names
from toolhaft.imports.openapi.document import Document, Refused, as_object
from toolhaft.imports.openapi.operations import Operation

__all__ = ["BODY", "Parameter", "Sent", "name_arguments", "read_parameters", "sent_as"]
__all__ += ["security_parameters"]

# The place of a parameter, and the name that a server reads there.
Sent: TypeAlias = tuple[str, str]

BODY: Final = "body"
STYLES: Final = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form", "cookie"),
    "querystring": (),
}
# RFC 9110, 5.6.2; of a cookie RFC 6265, 4.1.1.
TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# OpenAPI 3.1.1, 4.8.12.2.1: the document may not declare these; the rest are the client's own.
CLIENT_HEADERS: Final = frozenset({
    "accept", "authorization", "client-ip", "connection", "content-encoding", "content-length",
    "content-type", "cookie", "expect", "fastly-client-ip", "forwarded", "host", "keep-alive",
    "origin", "proxy", "referer", "remote-user", "te", "trailer", "transfer-encoding",
    "true-client-ip", "upgrade", "via", "x-client-ip", "x-cluster-client-ip", "x-host",
    "x-http-host-override", "x-http-method", "x-http-method-override", "x-method-override",
    "x-proxyuser-ip", "x-real-ip", "x-rewrite-url",
})  # fmt: skip
# Prefixes of headers to proxies and from them, and of headers that only browsers set.
OF_PROXIES: Final = (
    "cf-", "fly-", "proxy-", "sec-", "x-appengine-", "x-azure-", "x-envoy-", "x-forwarded",
    "x-original-", "x-originating-", "x-remote-",
)  # fmt: skip


class Parameter(NamedTuple):
    """One parameter as it is declared; `media_type` is that of a value written as `content`."""

    name: str
    place: str
    style: str
    explode: bool
    required: bool
    schema: Any
    media_type: str | None = None
    description: str = ""
    is_deprecated: bool = False
    allow_reserved: bool = False
    has_segments: bool = False  # a path value that is one segment or several
    argument: str = ""


def read_parameters(
    document: Document,
    operation: Operation,
    template_names: Iterable[str],
    reasons: Mapping[Sent, str],
) -> tuple[list[Parameter], dict[Sent, str]]:
    """Read the parameters of an operation; return them with the left-out ones and the reasons.

    `reasons` has the reasons for parameters that others send.

    Raises:
        Refused: A required parameter cannot be sent.
    """
    in_path = set(template_names)
    parameters: list[Parameter] = []
    left_out: dict[Sent, str] = {}
    for where, node in _merge(document, operation).items():
        place, name = where[0], str(node["name"])
        if reason := _reason_to_leave_out(place, name, reasons, in_path):
            left_out[place, name] = reason
            continue
        try:
            parameters.append(_read_parameter(document, place, name, node))
        except Refused as refused:
            if node.get("required") is True or place == "path":
                raise
            left_out[place, name] = refused.fault[1]
    declared = {parameter.name for parameter in parameters if parameter.place == "path"}
    if missing := sorted(in_path - declared):
        shown = names.escape_text(missing[0], 60)
        raise Refused("parameters", f"the path has {shown}, which is not declared", "declare it")
    return parameters, left_out


def name_arguments(parameters: list[Parameter], *, has_body: bool) -> list[Parameter]:
    """Assign a unique argument name to each parameter."""
    claims = Counter(parameter.name for parameter in parameters) + Counter([BODY] * has_body)
    plain = {name for name, count in claims.items() if count == 1 and not _is_dunder(name)}
    taken = set(claims)
    named = []
    for parameter in parameters:
        argument = parameter.name
        if argument not in plain:
            argument = names.free_name(f"{argument.strip('_')}_{parameter.place}", taken)
            taken.add(argument)
        named.append(parameter._replace(argument=argument))
    return named


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def sent_as(place: str, name: str) -> Sent:
    """Return place and name as servers compare them; CGI knows neither hyphens nor case.

    >>> sent_as("header", "X_Real-IP")
    ('header', 'x-real-ip')
    """
    folded = name.lower()
    return place, folded.replace("_", "-") if place == "header" else folded


def _merge(document: Document, operation: Operation) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return each parameter by its place and name; the operation's own replace the path's.

    Headers are one in small and in capital letters (RFC 9110, 5.1).
    """
    merged: dict[tuple[str, str], Mapping[str, Any]] = {}
    for holder in (operation.shared, operation.node):
        listed = holder.get("parameters", [])
        if not isinstance(listed, list):
            raise Refused("parameters", "not a list", "correct the document")
        spelled: dict[tuple[str, str], str] = {}
        for number, item in enumerate(listed):
            node = document.follow(item, f"parameters/{number}")
            place, name = node.get("in"), node.get("name")
            if not isinstance(place, str) or not isinstance(name, str) or place not in STYLES:
                raise Refused(f"parameters/{number}", "missing name or in", "correct it")
            key = (place, name.lower() if place == "header" else name)
            if spelled.setdefault(key, name) != name:
                raise Refused(f"parameters/{number}", "a duplicate header", "leave one out")
            merged[key] = node
    return merged


def security_parameters(document: Document) -> set[Sent]:
    """Return each API key that the security schemes have the client send.

    Raises:
        Refused: A scheme cannot be read, so it is unknown which arguments are secrets.
    """
    declared = as_object(document.mapping("components").get("securitySchemes"))
    schemes = [document.follow(node, "components/securitySchemes") for node in declared.values()]
    return {
        sent_as(str(scheme.get("in")), str(scheme.get("name")))
        for scheme in schemes
        if scheme.get("type") == "apiKey"
    }


def _reason_to_leave_out(
    place: str, name: str, reasons: Mapping[Sent, str], in_path: set[str]
) -> str | None:
    sent = sent_as(place, name)
    if sent in reasons:
        return reasons[sent]
    if place == "header" and (sent[1] in CLIENT_HEADERS or sent[1].startswith(OF_PROXIES)):
        return "the client's own"
    if place == "path" and name not in in_path:
        return "not in the path"
    return None


def _read_parameter(
    document: Document, place: str, name: str, node: Mapping[str, Any]
) -> Parameter:
    where = f"parameters/{place}/{names.escape_text(name, 60)}"
    if not name or names.hidden_character(name):
        raise Refused(where, "a name that cannot be read", "rename it")
    if place in ("header", "cookie") and not TOKEN.fullmatch(name):
        raise Refused(where, f"a name that no {place} has", "rename it")
    media_type, schema = _read_content(document, node, where)
    styles = STYLES[place]
    style = node.get("style", styles[0] if styles else "")
    if media_type is None and style not in styles:
        raise Refused(where, f"a style that the {place} does not have", "correct it")
    return Parameter(
        name,
        place,
        style,
        node.get("explode", style in ("form", "cookie")) is True,
        node.get("required") is True or place == "path",
        schema,
        media_type,
        str(node.get("description") or ""),
        node.get("deprecated") is True,
        node.get("allowReserved") is True,
        # GitHub's documents mark values of several segments so.
        place == "path" and True in (node.get("x-multi-segment"), node.get("allowReserved")),
    )


def _read_content(
    document: Document, node: Mapping[str, Any], where: str
) -> tuple[str | None, Any]:
    """Return the schema of a parameter, and its media type if it has one."""
    content = node.get("content")
    if content is None:
        if node.get("in") == "querystring" or not isinstance(node.get("schema"), Mapping | bool):
            raise Refused(where, "no schema", "give it one")
        return None, node["schema"]
    if not isinstance(content, Mapping) or len(content) != 1:
        raise Refused(where, "not one media type", "give it one")
    ((media_type, media),) = content.items()
    return str(media_type).lower(), document.follow(media, where).get("schema", {})
