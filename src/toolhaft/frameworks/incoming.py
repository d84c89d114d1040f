"""Convert a framework's tool to one of ours, which checks arguments before the framework runs it.

An incoming schema is closed at its root if its author declares nothing about further keys.
Frameworks leave injected parameters out of a schema but leave it open, so a model could write them.

Lost: the defaults. A person who approves a call sees the arguments that were sent; the framework's
function fills in its own defaults later. If a tool of ours comes back, the defaults of its
parameters are shown, and sent if its schema accepts them; defaults inside an object are not. It
runs no call that a factory filled.
"""

from __future__ import annotations

import inspect
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any, Final

from toolhaft.content import Audio, Content, File, Image
from toolhaft.definition.markers import Context
from toolhaft.errors import DefinitionError, Fault, ToolError
from toolhaft.frameworks.bridge import Bridge, approved_by_caller, warn_once
from toolhaft.frameworks.hosts import HOSTS
from toolhaft.tools.definition import LIMITS, Definition
from toolhaft.tools.internals import boundary_of, resolve_types
from toolhaft.tools.invisible import (
    InvisibleCharacters,
    describe_stripped,
    require_choice,
    strip_options,
)
from toolhaft.tools.tool import AnyTool, Tool
from toolhaft.vendors.input_schema import InputSchema

__all__ = ["join_parts", "media", "reject_object", "reject_part", "take_tool"]

NO_ARGUMENTS: Final = {"type": "object", "properties": {}}
# Keywords that decide about further keys, and keywords that may declare keys elsewhere.
POLICIES: Final = ("additionalProperties", "unevaluatedProperties", "patternProperties")
COMBINED: Final = frozenset({
    "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"
})  # fmt: skip


def take_tool(
    name: str,
    description: str | None,
    schema: Mapping[str, Any] | None,
    run: Callable[[dict[str, Any], Any], Any],
    bridge: Any = None,
    invisible_characters: InvisibleCharacters = "reject",
    **options: Any,
) -> AnyTool:
    """Make a tool that runs a framework's; `run` takes checked arguments and the context.

    `run` may be sync or async. If a tool of ours comes back, `bridge` is the one that it went out
    by: a person is asked about its calls here, and not again there.

    Raises:
        DefinitionError: lists all faults.
    """

    def handle(arguments: Any, context: Context[Any] = None) -> Any:
        with approved_by_caller(bridge):
            return run(arguments, context)

    async def handle_awaited(arguments: Any, context: Context[Any] = None) -> Any:
        with approved_by_caller(bridge):
            return await run(arguments, context)

    declared: Any = {"output": None, "name": name, "input": close_root(schema or NO_ARGUMENTS)}
    declared |= {key: value for key, value in options.items() if value is not None}
    if isinstance(bridge, Bridge) and bridge.may_wait:
        declared["requires_approval"] = True
    if description:
        declared["description"] = description
    require_choice(name, invisible_characters)
    if invisible_characters == "strip":
        declared, changed = strip_options(declared)
        for steps, character in changed:
            warn_once(f"{name}: left out: {describe_stripped(steps, character)}")
    handler = handle_awaited if inspect.iscoroutinefunction(run) else handle
    definition = Definition(handler, declared, is_own=False)
    tool: AnyTool = Tool(definition)
    resolve_types(tool, LIMITS)
    schema = tool.input_schema.json_schema()
    if schema != definition.options.get("input"):  # another root would be wrapped
        fix = "give it parameters of an object, as its host calls it with"
        raise DefinitionError([Fault(name, "input", "not a schema of an object", fix)])
    defaults = _filled_in(bridge, schema)
    return tool.transform(defaults=defaults) if defaults else tool


def _filled_in(bridge: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults that a tool of ours fills in behind the framework, if a person is asked.

    Defaults of a schema that a person wrote fill nothing in.
    """
    if not isinstance(bridge, Bridge) or not bridge.may_wait:
        return {}
    if boundary_of(bridge.tool).pipeline.adapter.authored:
        return {}
    optional = InputSchema({**schema, "required": []}, authored=True)
    defaults = {
        name: node["default"]
        for name, node in schema.get("properties", {}).items()
        if isinstance(node, Mapping) and "default" in node
    }
    return {
        name: value for name, value in defaults.items() if not optional.admit({name: value}).issues
    }


def close_root(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Reject undeclared arguments, unless the schema declares a policy.

    >>> close_root({"properties": {}})
    {'type': 'object', 'properties': {}, 'additionalProperties': False}
    >>> close_root({"type": "object", "additionalProperties": True})
    {'type': 'object', 'additionalProperties': True}
    """
    typed = dict(schema) if "type" in schema else {"type": "object", **schema}
    if any(policy in typed for policy in POLICIES):
        return typed
    is_plain = COMBINED.isdisjoint(typed)
    return typed | {"additionalProperties" if is_plain else "unevaluatedProperties": False}


def reject_object(host: str, value: object, expected: str) -> DefinitionError:
    """Return the error for an object that is not a tool of a framework."""
    reason = f"not a tool of {HOSTS[host].title}"
    return DefinitionError([Fault(type(value).__name__, "", reason, f"give {expected}")])


def reject_part(kind: str | None) -> ToolError:
    """Make the error of a result with content of a type that cannot be shown."""
    return ToolError(f"the tool gave content of the type {kind}, which is not shown")


def join_parts(parts: list[Any], *, is_error: bool = False) -> Any:
    """Return a result as a handler returns it: a single part alone, several as a list.

    Raises:
        ToolError: The result is an error; its message is the text of the result.
    """
    if is_error:
        raise ToolError("\n".join(part for part in parts if isinstance(part, str)))
    return parts[0] if len(parts) == 1 else parts


def media(data: bytes | str, media_type: str | None) -> Content:
    """Make a part of bytes, or of base64 text, by its type."""
    raw = b64decode(data) if isinstance(data, str) else data
    kind = media_type or "application/octet-stream"
    if kind.startswith("image/"):
        return Image(raw, kind)
    return Audio(raw, kind) if kind.startswith("audio/") else File(raw, kind)
