"""Build the request of a call from its arguments; an argument that cannot be sent is an issue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from toolhaft.imports.openapi.bodies import Body, write_body
from toolhaft.imports.openapi.forms import form_sources
from toolhaft.imports.openapi.media_types import FORM
from toolhaft.imports.openapi.parameters import BODY, Parameter
from toolhaft.imports.openapi.paths import PathTemplate
from toolhaft.imports.openapi.sent_names import TAKEN, Source, find_clashes
from toolhaft.imports.openapi.styles import (
    Pairs,
    Unsendable,
    encode,
    join_pairs,
    scalar_text,
    write_cookie,
    write_header,
    write_json,
    write_path,
    write_query,
)
from toolhaft.schema.components import View
from toolhaft.spec import Issue, Path
from toolhaft.vendors.adapter import Rejected
from toolhaft.vendors.json_schema import JsonSchemaAdapter

__all__ = ["Request", "RequestAdapter", "RequestPlan"]


class Request(NamedTuple):
    """A request: an address that is fully encoded, headers, and the body."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None


class RequestPlan(NamedTuple):
    """How the arguments of one operation become a request."""

    method: str
    base_url: str
    path: PathTemplate
    parameters: tuple[Parameter, ...]
    body: Body | None
    accept: str | None
    reserved: frozenset[str] = frozenset()
    """Names in the query that the client sends, that the path has, or that are left out."""

    def describe(self, base_url: str) -> dict[str, Any]:
        """Describe the requests of the operation as plain JSON data, which the model never sees.

        `base_url` is how the address is shown.
        """
        described = {
            "method": self.method,
            "address": f"{base_url}{self.path.path}",
            "parameters": {
                each.argument: f"{each.name} in the {each.place}" for each in self.parameters
            },
        }
        return described if self.body is None else {**described, "body": self.body.media_type}

    def build(self, arguments: Mapping[str, Any]) -> Request:
        """Write the request of arguments that passed their schema.

        Raises:
            Rejected: with an issue for each argument that cannot be sent.
        """
        return _Builder(self, arguments).build()


class RequestAdapter(JsonSchemaAdapter):
    """The schema of an operation's arguments, which are made into a request."""

    def __init__(self, schema: dict[str, Any], plan: RequestPlan, view: View) -> None:
        super().__init__(schema, view)
        self.plan = plan

    @property
    def may_quote(self) -> bool:
        return False  # issues have the texts of `styles.py` and its neighbours

    def construct(self, data: Any) -> Any:
        return self.plan.build(data)


class _Builder:
    """One request while it is being made; issues are collected."""

    def __init__(self, plan: RequestPlan, arguments: Mapping[str, Any]) -> None:
        self.plan = plan
        self.values = [
            (parameter, arguments[parameter.argument])
            for parameter in plan.parameters
            if parameter.argument in arguments
        ]
        self.arguments = arguments
        self.issues: list[Issue] = []

    def build(self) -> Request:
        path = self.write_path()
        query = self.write_query()
        headers = self.write_headers()
        content = self.write_content(headers)
        if self.issues:
            raise Rejected(self.issues)
        url = f"{self.plan.base_url}{path}{f'?{query}' if query else ''}"
        return Request(self.plan.method, url, headers, content)

    def write_each(
        self, place: str, write: Callable[[Parameter, Any], Any]
    ) -> list[tuple[Parameter, Any]]:
        """Write each argument of a place that is given; one that cannot be written is an issue."""
        written = []
        for parameter, value in self.values:
            if parameter.place == place and (value is not None or parameter.required):
                try:
                    text = write(parameter, value)
                except Unsendable as error:
                    self.issues.append(error.issue(parameter.argument))
                else:
                    written.append((parameter, text))
        return written

    def write_path(self) -> str:
        arguments = {p.name: p.argument for p, _ in self.values if p.place == "path"}
        texts = {p.name: text for p, text in self.write_each("path", _path_text)}
        if len(texts) < len(self.plan.path.names):
            return ""  # an issue is noted
        try:
            return self.plan.path.fill(texts)
        except Unsendable as error:
            name, *_ = map(str, error.path)
            self.issues.append(Issue(error.message, (arguments[name],), "value"))
            return ""

    def write_query(self) -> str:
        written = self.write_each("query", _query_pairs)
        written += self.write_each("querystring", _querystring)
        self.check_names(written)
        pairs = [pair for _, each in written for pair in each]
        return "&".join(each for each in (self.plan.path.query, join_pairs(pairs)) if each)

    def check_names(self, written: list[tuple[Parameter, Pairs]]) -> None:
        """Refuse a key of an object that goes out under the name of something else."""
        owned: dict[str, Path] = {
            p.name: (p.argument,) for p in self.plan.parameters if p.place == "query"
        }
        sources = [
            Source((p.argument,), p.name, pairs, p.place == "query", p.style == "deepObject")
            for p, pairs in written
        ]
        taken = find_clashes(sources, {**owned, **dict.fromkeys(self.plan.reserved, ())})
        self.issues += [Issue(TAKEN, path, "value") for path in taken]

    def write_headers(self) -> dict[str, str]:
        headers = {"Accept": self.plan.accept} if self.plan.accept else {}
        headers |= {p.name: text for p, text in self.write_each("header", _header_text)}
        cookies = [text for _, text in self.write_each("cookie", _cookie_text)]
        return {**headers, "Cookie": "; ".join(cookies)} if cookies else headers

    def write_content(self, headers: dict[str, str]) -> bytes | None:
        body = self.plan.body
        if body is None or BODY not in self.arguments:
            return None
        try:
            headers["Content-Type"], content = write_body(body, self.arguments[BODY])
        except Unsendable as error:
            self.issues.append(error.issue(BODY))
            return None
        return content


def _path_text(parameter: Parameter, value: Any) -> str:
    if parameter.media_type is None:
        return write_path(parameter, value)
    return encode(_content_text(parameter, value))


def _query_pairs(parameter: Parameter, value: Any) -> Pairs:
    if parameter.media_type is None:
        return write_query(parameter, value)
    return [(encode(parameter.name), encode(_content_text(parameter, value)))]


def _querystring(parameter: Parameter, value: Any) -> Pairs:
    if parameter.media_type != FORM:
        return [(encode(_content_text(parameter, value)), None)]
    pairs = [pair for source in form_sources({}, value) for pair in source.pairs]
    # A plus is a space only in forms, %20 everywhere.
    return [(name.replace("+", "%20"), (text or "").replace("+", "%20")) for name, text in pairs]


def _header_text(parameter: Parameter, value: Any) -> str:
    return write_header(parameter, _content_or_value(parameter, value))


def _cookie_text(parameter: Parameter, value: Any) -> str:
    return write_cookie(parameter, _content_or_value(parameter, value))


def _content_or_value(parameter: Parameter, value: Any) -> Any:
    return value if parameter.media_type is None else _content_text(parameter, value)


def _content_text(parameter: Parameter, value: Any) -> str:
    """Write a value as its media type has it: JSON, or text."""
    is_text = (parameter.media_type or "").startswith("text/")
    # Headers have no declared encoding: only ASCII is sure to be read as it was meant.
    return scalar_text(value) if is_text else write_json(value, ascii=parameter.place == "header")
