"""Offers to MCP clients: `resources/*`, `prompts/*`, and the deferred tools they have found.

A session lists a deferred tool once its own search has found it, and is notified that its list has
changed. A client without a session, which any process may answer, is shown every tool.
"""

from __future__ import annotations

import weakref
from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal, NamedTuple

from toolhaft.call.outcome import Err, Ok
from toolhaft.content import block
from toolhaft.serve.access import Access
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.context import Caller
from toolhaft.serve.messages import INTERNAL_ERROR, INVALID_PARAMS, NEWEST_REVISION
from toolhaft.serve.offers import MOST_URI_CHARS, Offers, Prompt, Resource
from toolhaft.toolset.deferral import names_of
from toolhaft.toolset.export import Export
from toolhaft.toolset.internals import is_search

__all__ = ["CACHING", "Caching", "FoundTools", "Offering"]

NOT_FOUND_BEFORE: Final = -32002  # up to 2025-11-25
CLIENTS_FAULTS: Final = ("invalid_input", "unknown_tool")
UNKNOWN: Final = "Resource not found: see resources/list and resources/templates/list"


class Caching(NamedTuple):
    """How long clients of the newest revision may keep a result, and whether for all users."""

    ttl_ms: int = 0
    scope: Literal["private", "public"] = "private"

    def marks(self, context: Any) -> dict[str, Any]:
        """Return the fields of a result for caches."""
        if not is_newest(context):
            return {}
        return {"resultType": "complete", "ttlMs": self.ttl_ms, "cacheScope": self.scope}


def is_newest(context: Any) -> bool:
    """Check whether a client speaks the newest revision."""
    return bool(context.protocol_version >= NEWEST_REVISION)


CACHING: Final = Caching()


class Offering:
    """The handlers of a server that offers resources and prompts."""

    def __init__(
        self,
        offers: Offers,
        ask_caller: Callable[[Any], Awaitable[Caller]],
        caching: Caching,
    ) -> None:
        self._ask_caller = ask_caller
        self._caching = caching
        self.replace(offers)

    def replace(self, offers: Offers) -> None:
        """Offer others from now on."""
        self._offers = offers
        self._read = Catalogue(offers.resource_tools)
        self._ask = Catalogue(offers.prompt_tools)

    def handlers(self, *, may_change: bool) -> dict[str, Any]:
        """Return the handlers by the names of the SDK; none for what is never offered."""
        handlers: dict[str, Any] = {}
        if self._offers.resources or may_change:
            handlers |= {
                "on_list_resources": self._list_resources,
                "on_list_resource_templates": self._list_templates,
                "on_read_resource": self._read_resource,
            }
        if self._offers.prompts or may_change:
            handlers |= {"on_list_prompts": self._list_prompts, "on_get_prompt": self._get_prompt}
        return handlers

    async def _visible(self, catalogue: Catalogue, context: Any) -> set[str]:
        caller = await self._ask_caller(context)
        return {tool.name for tool in catalogue.tools.visible_to(caller.context)}

    async def _list_resources(self, context: Any, params: Any) -> dict[str, Any]:
        _refuse_cursor(params)
        visible = await self._visible(self._read, context)
        listed = [one for one in self._offers.resources if not one.uri.names]
        entries = [{"uri": one.uri.text, **_describe(one)} for one in listed if one.name in visible]
        return {"resources": entries, **self._caching.marks(context)}

    async def _list_templates(self, context: Any, params: Any) -> dict[str, Any]:
        _refuse_cursor(params)
        visible = await self._visible(self._read, context)
        listed = [one for one in self._offers.resources if one.uri.names and one.name in visible]
        entries = [{"uriTemplate": one.uri.text, **_describe(one)} for one in listed]
        return {"resourceTemplates": entries, **self._caching.marks(context)}

    async def _read_resource(self, context: Any, params: Any) -> dict[str, Any]:
        from mcp import MCPError

        caller = await self._ask_caller(context)
        uri = str(params.uri)
        found = self._offers.find(uri)
        code = INVALID_PARAMS if is_newest(context) else NOT_FOUND_BEFORE
        if found is None or found[0].name not in await self._visible(self._read, context):
            raise MCPError(code, UNKNOWN, {"uri": uri[:MOST_URI_CHARS]})
        resource, arguments = found
        outcome = await self._call(self._read, resource.name, arguments, context, caller)
        if isinstance(outcome, Err):
            raise _error(outcome, code)
        wire = self._read.wire("mcp", caller.context)
        parts = wire.result(outcome)["content"]
        mime_type = resource.mime_type or (
            "text/plain" if _is_text(outcome) else "application/json"
        )
        contents = [_contents(part, uri, mime_type) for part in parts]
        return {"contents": contents, **self._caching.marks(context)}

    async def _list_prompts(self, context: Any, params: Any) -> dict[str, Any]:
        _refuse_cursor(params)
        visible = await self._visible(self._ask, context)
        listed = [one for one in self._offers.prompts if one.name in visible]
        prompts = [{**_named(one.tool), "arguments": _arguments(one.tool)} for one in listed]
        return {"prompts": prompts, **self._caching.marks(context)}

    async def _get_prompt(self, context: Any, params: Any) -> dict[str, Any]:
        from mcp import MCPError

        caller = await self._ask_caller(context)
        known = {one.name: one for one in self._offers.prompts}
        visible = await self._visible(self._ask, context)
        if params.name not in known or params.name not in visible:
            raise MCPError(INVALID_PARAMS, "Prompt not found: see prompts/list")
        arguments = params.arguments or {}
        outcome = await self._call(self._ask, params.name, arguments, context, caller)
        if isinstance(outcome, Err):
            raise _error(outcome, INVALID_PARAMS)
        messages = [
            {"role": role, "content": block(content)}
            for role, content in Prompt.messages(outcome.value)
        ]
        marks = {"resultType": "complete"} if is_newest(context) else {}
        return {
            "description": known[params.name].tool.description,
            "messages": messages,
            **marks,
        }

    @staticmethod
    async def _call(
        catalogue: Catalogue, name: str, arguments: Any, context: Any, caller: Caller
    ) -> Ok[Any] | Err:
        access = Access.of(None if context.request is None else context.request.scope)
        outcome = await catalogue.tools.call(name, dict(arguments), context=caller.context)
        access.note(name, outcome)
        if context.request is None:
            access.write()
        return outcome


def _refuse_cursor(params: Any) -> None:
    from mcp import MCPError

    if params is not None and params.cursor is not None:
        raise MCPError(INVALID_PARAMS, "Invalid params: the cursor is not one of this list")


def _error(err: Err, code: int) -> Exception:
    """Make the error of the protocol: whose fault it is, and the text for the model."""
    from mcp import MCPError

    return MCPError(code if err.kind in CLIENTS_FAULTS else INTERNAL_ERROR, err.text)


def _named(tool: Any) -> dict[str, Any]:
    described = {"name": tool.name, "title": tool.title, "description": tool.description}
    return {key: value for key, value in described.items() if value is not None}


def _describe(resource: Resource[..., Any]) -> dict[str, Any]:
    mime_type = {} if resource.mime_type is None else {"mimeType": resource.mime_type}
    return {**_named(resource.tool), **mime_type}


def _arguments(tool: Any) -> list[dict[str, Any]]:
    schema = tool.input_schema.json_schema()
    required = schema.get("required", ())
    return [
        {
            "name": name,
            "required": name in required,
            **({"description": node["description"]} if "description" in node else {}),
        }
        for name, node in schema.get("properties", {}).items()
    ]


def _is_text(outcome: Ok[Any]) -> bool:
    return isinstance(outcome.value, str)


def _contents(part: dict[str, Any], uri: str, mime_type: str) -> dict[str, Any]:
    """Turn a part of a result into the contents of a resource."""
    if part["type"] == "text":
        return {"uri": uri, "mimeType": mime_type, "text": part["text"]}
    if part["type"] == "resource":
        return {**part["resource"], "uri": uri}
    if part["type"] == "resource_link":
        return {"uri": uri, "mimeType": "text/uri-list", "text": part["uri"]}
    return {"uri": uri, "mimeType": part["mimeType"], "blob": part["data"]}


class FoundTools:
    """The names of the tools that each session has found, for as long as the session lasts."""

    def __init__(self) -> None:
        # A session is known by the introduction of its client, which the SDK keeps for it.
        self._names: dict[int, list[str]] = {}

    def of(self, context: Any) -> list[str] | None:
        """Return the names that the session of a request has found; None if there is no session."""
        client = context.session.client_params
        if client is None or is_newest(context):
            return None
        key = id(client)
        if key not in self._names:
            self._names[key] = []
            weakref.finalize(client, self._names.pop, key, None).atexit = False
        return self._names[key]

    async def add(self, context: Any, wire: Export, outcome: Ok[Any] | Err) -> None:
        """Add what a call has found, and notify the client if its list has changed."""
        from mcp.types import ToolListChangedNotification

        known = self.of(context)
        if known is None or not is_search(wire, outcome):
            return
        new = [name for name in names_of(outcome) if name not in known]
        if new:
            known += new
            # On the stream of the call, so that it comes before the result, and needs no other.
            changed = ToolListChangedNotification()
            await context.session.send_notification(changed, context.request_id)
