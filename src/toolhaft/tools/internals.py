"""Access to the inside of a tool for the rest of toolhaft.

Programs that use tools need none of it, so it is not part of `Tool`.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolhaft.definition.signature import MISSING
from toolhaft.tools.tool import AnyTool, Tool

if TYPE_CHECKING:
    from toolhaft.call.boundary import Boundary
    from toolhaft.call.call_options import CallOptions
    from toolhaft.call.limits import Limit
    from toolhaft.call.once_token import Used
    from toolhaft.call.outcome import Err
    from toolhaft.call.permission import Permission
    from toolhaft.call.prepared import Prepared
    from toolhaft.call.types import ToolCall
    from toolhaft.schema.bounds import DefinitionLimits
    from toolhaft.tools.definition import Group

__all__ = [
    "add_limits",
    "add_permission",
    "add_prefix",
    "add_to_group",
    "boundary_of",
    "call_options_of",
    "call_permitted",
    "call_permitted_sync",
    "defer_by_default",
    "input_schema_of",
    "is_always_visible",
    "may_wait",
    "needs_object",
    "prepare_call",
    "resolve_types",
    "restore_call",
    "rules_of",
]

T = TypeVar("T", bound=AnyTool)

PATH_DIGITS: Final = 16


def resolve_types(tool: AnyTool, limits: DefinitionLimits) -> None:
    """Resolve the types of a tool, and make its schemas.

    Raises:
        DefinitionError: Lists everything that is wrong.
    """
    tool._assemble(limits)


def boundary_of(tool: AnyTool) -> Boundary:
    """Return the compiled boundary of a tool, for code that runs handlers elsewhere."""
    return tool._compile()


def prepare_call(tool: AnyTool, call: ToolCall, context: Any) -> Prepared[Any] | Err:
    """Validate a call of a tool without running it, if its caller may make it."""
    prepared = tool._compile().for_call(call).prepare(call.arguments, context=context)
    prepared.call_id, prepared.caller = call.id, call.caller
    if prepared:
        prepared.origin = call.origin
    return prepared


def call_options_of(tool: AnyTool) -> CallOptions:
    """Return the options of a tool that matter for its calls."""
    return tool._definition.rules


def input_schema_of(tool: AnyTool) -> Any:
    """Return the schema of the arguments itself, which must not be changed."""
    return tool._definition.assemble().input.checker().schema


def rules_of(tool: AnyTool) -> dict[str, Any]:
    """Return what a program lets a model do with a tool, as JSON data.

    A hidden value is shown as its digest, a function as its name, and the parameter as the digest
    of its path: neither leaves the program.
    """
    from toolhaft.jsonio.canonical import digest

    definition, strict = tool._definition, tool.strict
    rules, hidden = definition.rules, [change.hidden for change in definition.changes]
    asks = rules.requires_approval
    return {
        "examples": tool.examples,
        "strict": "require" if strict is True else strict,
        "coerce": rules.coerce,
        "extra": definition.options.get("extra"),
        "requires_approval": asks if isinstance(asks, bool) else "conditional",
        "authorize": rules.authorize is not None or bool(tool._permission.authorize),
        "hidden": {
            digest(path)[:PATH_DIGITS]: _import_name(value) if callable(value) else digest(value)
            for values in hidden
            for path, value in values.items()
        },
    }


def _import_name(function: Any) -> str:
    """Return where a function, or the class of another callable object, can be imported from."""
    from toolhaft.call.process import import_name

    return import_name(function if hasattr(function, "__qualname__") else type(function))


def needs_object(tool: AnyTool) -> bool:
    """Check whether a tool is a method that was not taken from an instance."""
    return tool._definition.handler.binds and tool._object is MISSING


def is_always_visible(tool: AnyTool) -> bool:
    """Check that no toolset of a tool can hide it."""
    return not tool._permission.visible


def may_wait(tool: AnyTool) -> bool:
    """Check whether a call of a tool may wait for a person, because no callback decides it."""
    return call_options_of(tool).requires_approval is not False and tool._permission.approve is None


def add_to_group(tool: T, group: Group) -> T:
    """Return the same tool as a member of a group, under the group's name and its own.

    Raises:
        DefinitionError: The name is too long.
    """
    name = group.join(tool.name)
    changed = tool._definition.derive({"name": name}, group=group)
    return type(tool)(changed, tool._object, tool._bounds, tool._permission)


def add_prefix(tool: T, prefix: str) -> T:
    """Return the same tool under a longer name; its group's name is longer too.

    Raises:
        DefinitionError: The name is too long, or has other characters than names have.
    """
    group = tool.group and tool.group._replace(name=prefix + tool.group.name)
    changed = tool._definition.derive({"name": prefix + tool.name}, group=group)
    return type(tool)(changed, tool._object, tool._bounds, tool._permission)


def defer_by_default(tool: T) -> T:
    """Return the same tool, deferred unless its author said otherwise."""
    if "defer" in tool._definition.options:
        return tool
    changed = tool._definition.derive({"defer": True})
    return type(tool)(changed, tool._object, tool._bounds, tool._permission)


def add_limits(tool: T, limits: tuple[Limit, ...]) -> T:
    """Return the same tool with further limits on its runs."""
    more = tuple(limit for limit in limits if limit not in tool._bounds)
    if not more:
        return tool
    return type(tool)(tool._definition, tool._object, tool._bounds + more, tool._permission)


def add_permission(tool: T, permission: Permission) -> T:
    """Return the same tool with further callbacks before each of its calls.

    Raises:
        DefinitionError: The tool reads the file system before these callbacks would run.
    """
    if permission.asks_nobody:
        return tool
    tool._require_unacting(permission)
    combined = tool._permission.combine(permission)
    boundary = tool._boundary and tool._boundary.with_permission(permission)
    return type(tool)(tool._definition, tool._object, tool._bounds, combined, boundary)


# Run a call that a permission also allows; without a `ToolCall`, one that is made directly.
call_permitted: Final = Tool[..., Any, Any, Any]._call_permitted
call_permitted_sync: Final = Tool[..., Any, Any, Any]._call_permitted_sync


def restore_call(
    tool: Tool[..., Any, Any, Any], data: dict[str, Any], used: Used | None
) -> Prepared[Any] | Err:
    """Restore a prepared call from the data that `Prepared.to_json` signs, or deny it."""
    from toolhaft.call.restoring import restore

    return restore(tool._compile(), data, used)
