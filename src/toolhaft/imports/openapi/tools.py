"""`from_openapi`: make a tool of each operation of an OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from toolhaft.definition import names
from toolhaft.definition.options import faults_of
from toolhaft.errors import DefinitionError, Fault
from toolhaft.imports.imported import Imported, LeftOut
from toolhaft.imports.openapi.bodies import Body, read_body
from toolhaft.imports.openapi.clients import Client, telling_failures
from toolhaft.imports.openapi.document import Document, Refused, read_document
from toolhaft.imports.openapi.operations import (
    Operation,
    Select,
    list_operations,
    select_operations,
)
from toolhaft.imports.openapi.outputs import Output, OutputReader
from toolhaft.imports.openapi.parameters import (
    BODY,
    Parameter,
    Sent,
    name_arguments,
    read_parameters,
    security_parameters,
    sent_as,
)
from toolhaft.imports.openapi.paths import PathTemplate, check_base_url, hide_path, server_urls
from toolhaft.imports.openapi.requests import Request, RequestAdapter, RequestPlan
from toolhaft.imports.openapi.responses import Responses
from toolhaft.imports.openapi.schemas import SchemaWriter
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.components import Components, View
from toolhaft.schema.invisible import strip_invisible
from toolhaft.spec import Path as Steps
from toolhaft.tools.definition import LIMITS, Definition
from toolhaft.tools.internals import resolve_types
from toolhaft.tools.invisible import InvisibleCharacters, describe_stripped, require_choice
from toolhaft.tools.tool import AnyTool, Tool

__all__ = ["from_openapi"]

# RFC 9110, 9.2.1 and 9.2.2.
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})
IDEMPOTENT: Final = frozenset({"PUT", "DELETE"})
MAX_TITLE: Final = 200


def from_openapi(
    document: Mapping[str, Any] | str | Path,
    /,
    *,
    client: Any,
    base_url: str | None = None,
    select: Select | None = None,
    limits: DefinitionLimits = LIMITS,
    invisible_characters: InvisibleCharacters = "reject",
) -> Imported:
    """Make a tool from each operation of an OpenAPI document.

    The body of a request is the argument `body`.

    Args:
        document: The data of the document, or the path of its JSON.
        client: Sends the requests and authenticates: a client of httpx or httpx2, sync or async, or
            any object with their `request` method.
        base_url: The address of the service; by default that of the client, else the first server
            of the document.
        select: Patterns of the operations to import: `{"tags": [...], "methods": [...],
            "operations": [...]}`.
        limits: See `DefinitionLimits`.
        invisible_characters: How to handle an operation with characters that a person cannot see:
            "reject" it, or "strip" its texts and leave out defaults, examples and extensions
            with them. Names, enums and patterns are never changed.

    Returns:
        A toolset, with the rejected operations in `refusals` and the fields that it cannot
        represent in `left_out`.

    Raises:
        DefinitionError: The document, the client or the selection is invalid, or no operation is
            left; lists why.

    >>> import httpx
    >>> paths = {"/pets/{id}": {"get": {"operationId": "get_pet", "parameters": [
    ...     {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}]}}}
    >>> def answer(request):
    ...     return httpx.Response(200, json={"asked": request.url.path})
    >>> client = httpx.Client(base_url="https://pets.test", transport=httpx.MockTransport(answer))
    >>> tools = from_openapi({"openapi": "3.1.0", "paths": paths}, client=client)
    >>> tools.call_sync("get_pet", '{"id": "7"}').value
    {'asked': '/pets/7'}
    """
    require_choice("from_openapi", invisible_characters)
    parsed = read_document(document)
    operations = select_operations(list_operations(parsed), {} if select is None else select)
    strips = invisible_characters == "strip"
    importer = _Importer(parsed, Client(client), base_url, limits, strips=strips)
    tools: list[AnyTool] = []
    refusals: list[Fault] = []
    for operation in operations:
        try:
            tools.append(importer.make_tool(operation))
        except Refused as error:
            refusals.append(operation.fault(*error.fault))
        except DefinitionError as error:
            first = error.faults[0]
            refusals.append(operation.fault(first.where, first.reason, first.fix))
    if not tools:
        nothing = Fault("document", "paths", "no operation", "select another, or another document")
        raise DefinitionError(refusals or [nothing])
    return Imported(tools, limits=limits, refusals=refusals, left_out=importer.left_out)


class _Importer:
    """Makes the tools of one document; parts that their schemas share are written once."""

    def __init__(
        self,
        document: Document,
        client: Client,
        base_url: str | None,
        limits: DefinitionLimits,
        *,
        strips: bool,
    ) -> None:
        self.document, self.client, self.limits, self.strips = document, client, limits, strips
        self.reasons = {
            **dict.fromkeys(client.own_parameters(), "the client's own"),
            **dict.fromkeys(_read_secrets(document), "the client authenticates"),
        }
        self.requests = SchemaWriter(document, "request")
        self.components = Components(limits)
        self.outputs = OutputReader(document, limits, strips=strips)
        self.left_out: list[LeftOut] = []
        servers = server_urls(document.data)
        self.servers = servers[:1]
        address = base_url or client.base_url or next(iter(self.servers), "")
        try:
            self.base_url = client.normalise(check_base_url(str(address)))
        except Refused as error:
            where, reason, fix = error.fault
            fault = Fault("document", where, reason, fix)
            if base_url:
                fault = Fault("base_url", "", reason, 'write it as "https://example.com/v1"')
            raise DefinitionError([fault]) from None
        self.shown_url = hide_path(self.base_url, servers)

    def make_tool(self, operation: Operation) -> AnyTool:
        """Make one tool.

        Raises:
            Refused, DefinitionError: The operation cannot be one.
        """
        if operation.problem is not None:
            raise operation.problem
        path = PathTemplate(operation.path)
        in_path = {sent_as("query", name): "the path has it" for name in path.query_names}
        reasons = self.reasons | in_path
        parameters, unsent = read_parameters(self.document, operation, path.names, reasons)
        body = read_body(self.document, operation.node.get("requestBody"))
        parameters = name_arguments(parameters, has_body=body is not None)
        schema, view, stripped = self.write_arguments(parameters, body)
        declared = self.outputs.read(operation.node.get("responses"))
        plan = RequestPlan(
            operation.method,
            self.choose_server(operation),
            path,
            tuple(parameters),
            body,
            declared.accept,
            frozenset(name for place, name in (*reasons, *unsent) if place == "query"),
        )
        options: Any = {
            "name": operation.name,
            "input": RequestAdapter(schema, plan, view),
            "output": declared.output.adapter,
            **self.describe(operation),
            "annotations": _annotate(operation.method),
        }
        responses = Responses(operation.name, declared, self.document)
        handler = _make_handler(self.client, responses)
        source = plan.describe(self.shown_url)
        imported: AnyTool = Tool(Definition(handler, options, is_own=False, source=source))
        resolve_types(imported, self.limits)
        self.note_left_out(operation, unsent, declared.output, stripped)
        return imported

    def note_left_out(
        self,
        operation: Operation,
        unsent: Mapping[Sent, str],
        output: Output,
        stripped: list[tuple[Steps, str]],
    ) -> None:
        """Note the parameters that are not arguments, stripped characters, and unchecked parts."""
        fields = [
            f"{place} {names.escape_text(name, 60)} ({reason})"
            for (place, name), reason in unsent.items()
        ]
        fields += [describe_stripped(("arguments", *at), hidden) for at, hidden in stripped]
        fields += [describe_stripped(("output", *at), hidden) for at, hidden in output.stripped]
        if output.unchecked:
            fields.append(f"output ({output.unchecked})")
        self.left_out += [LeftOut(operation.name, field) for field in fields]

    def choose_server(self, operation: Operation) -> str:
        """Return the address of the server; reject an operation that names another one."""
        for holder in (operation.node, operation.shared):
            own = server_urls(holder)
            if own and {*own}.isdisjoint({*self.servers, self.base_url}):
                fix = "import it by itself, with base_url= and select="
                raise Refused("servers", "a different server than the document's", fix)
        return self.base_url

    def write_arguments(
        self, parameters: list[Parameter], body: Body | None
    ) -> tuple[dict[str, Any], View, list[tuple[Steps, str]]]:
        """Write the schema of the arguments; also return what is known of it and was stripped.

        Raises:
            Refused: It cannot be followed, or a validator cannot use it.
        """
        properties = {each.argument: _describe(each) for each in parameters}
        required = [each.argument for each in parameters if each.required]
        if body is not None:
            properties[BODY] = _add_description(body.schema, body.description)
            required += [BODY] * body.required
        bundled = self.requests.bundle({"allOf": list(properties.values())}).schema
        whole = {
            "type": "object",
            "properties": dict(zip(properties, bundled.pop("allOf"), strict=True)),
            **({"required": required} if required else {}),
            "additionalProperties": False,
            **bundled,
        }
        whole, stripped = strip_invisible(whole) if self.strips else (whole, [])
        view = self.components.view(whole)
        for fault in view.faults[:1]:
            raise Refused(f"arguments{fault.pointer}", fault.reason, fault.fix)
        return whole, view, stripped

    def describe(self, operation: Operation) -> dict[str, Any]:
        """Return the texts of an operation that a model and a person may read.

        Raises:
            Refused: One has a character that a person cannot see, and is not to be stripped.
        """
        summary, description = (
            text.strip() if isinstance(text := operation.node.get(word), str) else ""
            for word in ("summary", "description")
        )
        texts = {"description": description or summary, "title": summary[:MAX_TITLE]}
        for option, text in texts.items():
            hidden = names.hidden_character(text)
            if hidden is not None and not self.strips:
                raise Refused(option, f"holds {hidden}", "remove it")
            if hidden is not None:
                texts[option] = names.strip_hidden(text)
                field = describe_stripped((option,), hidden)
                self.left_out.append(LeftOut(operation.name, field))
        options: dict[str, Any] = {}
        for option, text in texts.items():
            output_option: Any = {option: text}
            fault = next(faults_of(output_option), None) if text else None
            if fault is not None:
                self.left_out.append(LeftOut(operation.name, f"{option} ({fault.reason})"))
            elif text:
                options[option] = text
        return options


def _read_secrets(document: Document) -> set[Sent]:
    try:
        return security_parameters(document)
    except Refused as error:
        raise DefinitionError([Fault("document", *error.fault)]) from None


def _describe(parameter: Parameter) -> Any:
    """Return the schema of an argument with the document's description of the parameter."""
    description = parameter.description
    if parameter.argument != parameter.name:
        shown = names.escape_text(parameter.name, 60)
        description = f"{description} ({shown} in the {parameter.place})".strip()
    schema = _add_description(parameter.schema, description)
    is_deprecated = parameter.is_deprecated and isinstance(schema, dict)
    return {**schema, "deprecated": True} if is_deprecated else schema


def _add_description(schema: Any, description: str) -> Any:
    if not description or not isinstance(schema, Mapping):
        return schema
    if "$ref" in schema:
        return {"allOf": [schema], "description": description}
    return {**schema, "description": description}


def _annotate(method: str) -> dict[str, bool]:
    if method in SAFE:
        return {"readOnlyHint": True}
    hints = {"idempotentHint": True} if method in IDEMPOTENT else {}
    return {**hints, "destructiveHint": True} if method == "DELETE" else hints


def _make_handler(client: Client, responses: Responses) -> Callable[..., Any]:
    """Make the function that runs a tool. It has no docstring: that would be the description."""

    def run(request: Request) -> Any:
        with telling_failures(responses.name):
            response = client.send(request)
        client.check(response, request)
        return responses.read(response)

    async def run_awaited(request: Request) -> Any:
        with telling_failures(responses.name):
            response = await client.send(request)
        client.check(response, request)
        return responses.read(response)

    return run_awaited if client.is_async else run
