"""Collect the tools of an object, and check what a toolset is given: members and options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from toolhaft.call.permission import Permission
from toolhaft.definition import names
from toolhaft.definition.options import fault_of_limit
from toolhaft.definition.predicates import fault_of_callback
from toolhaft.errors import DefinitionError, Fault
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.spec import StandardTool
from toolhaft.tools.definition import Group
from toolhaft.tools.internals import add_permission, defer_by_default, needs_object, resolve_types
from toolhaft.tools.tool import AnyTool, Tool
from toolhaft.toolset.foreign import is_standard_tool, wrap_foreign

__all__ = ["Member", "NotCollected", "check_members", "check_options", "collect_tools", "is_tool"]

Member: TypeAlias = AnyTool | StandardTool[Any, Any] | Callable[..., Any]
UNBOUND = "a method needs its object; pass an instance instead of the class"


def check_members(
    members: Iterable[Member],
    limits: DefinitionLimits,
    permission: Permission,
    *,
    defer: bool = False,
) -> dict[str, AnyTool]:
    """Wrap and assemble every member, and defer each one without `defer=False`.

    Raises:
        DefinitionError: Lists the faults of all members.
    """
    if not _is_list(members):
        fix = "pass a list, as in Toolset([tool])"
        raise DefinitionError([Fault("Toolset", "tools", "not a list of tools", fix)])
    faults: list[Fault] = []
    tools: list[AnyTool] = []
    for member in members:
        try:
            tool = wrap_foreign(member)
            if defer:
                tool = defer_by_default(tool)
            resolve_types(tool, limits)
            tools.append(add_permission(tool, permission))
        except DefinitionError as error:
            faults += error.faults
    faults += _name_clashes(tools)
    if faults:
        raise DefinitionError(faults)
    return {tool.name: tool for tool in tools}


def check_options(
    lists: Mapping[str, object],
    callbacks: Mapping[str, object],
    limit: object,
    limits: object,
    results: object,
) -> None:
    """Check the options of a toolset, but for its tools.

    Raises:
        DefinitionError: names each option that is of another kind, and what to pass.
    """
    faults = [
        Fault("Toolset", option, "not a list", f"pass a list, as in {option}=[...]")
        for option, value in lists.items()
        if not _is_list(value)
    ]
    faults += [
        Fault("Toolset", option, *fault)
        for option, callback in callbacks.items()
        if callback is not None and (fault := fault_of_callback(callback))
    ]
    limit_fault = fault_of_limit(limit)
    if limit_fault is not None:
        faults.append(Fault("Toolset", "limit", *limit_fault))
    if not isinstance(limits, DefinitionLimits):
        fix = "pass DefinitionLimits(...), or limit= for how many calls run at a time"
        faults.append(Fault("Toolset", "limits", "not DefinitionLimits", fix))
    if results is not None and not _is_store(results):
        faults.append(Fault("Toolset", "results", "not a Store", "pass Store(), or Store(path)"))
    if faults:
        raise DefinitionError(faults)


def _is_store(value: object) -> bool:
    from toolhaft.toolset.results.store import Store

    return isinstance(value, Store)


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _origin(tool: AnyTool) -> str:
    """Return where a tool was defined."""
    is_reader = getattr(tool.function, "reads_results", False)
    return "the tool that results= adds" if is_reader else tool.origin


def _name_clashes(tools: list[AnyTool]) -> Iterator[Fault]:
    """Find names that a person or a provider could take for each other."""
    seen: dict[str, AnyTool] = {}
    groups: dict[str, Group] = {}
    for group in dict.fromkeys(filter(None, (tool.group for tool in tools))):
        other = groups.setdefault(names.fold_name(group.name), group)
        if other.name != group.name:
            reason = f"reads the same as the group {other.name}"
            yield Fault(group.name, "name", reason, "rename one of them")
        elif other != group:
            reason = "another group of this name has another description"
            yield Fault(group.name, "description", reason, "give both the same, or another name")
    for tool in tools:
        twin = seen.setdefault(names.fold_name(tool.name), tool)
        if twin is not tool:
            fix = f"rename one of them ({_origin(twin)} and {_origin(tool)})"
            yield Fault(tool.name, "name", f"reads the same as {twin.name}", fix)
        if (alike := groups.get(names.fold_name(tool.name))) is not None:
            fix = "rename the tool or the group"
            yield Fault(tool.name, "name", f"reads the same as the group {alike.name}", fix)


class NotCollected(NamedTuple):
    """A tool that an object has and a set of its tools has not: under which name, and why."""

    attribute: str
    reason: str


def collect_tools(owner: Any) -> tuple[list[Any], list[NotCollected]]:
    """Return the tools of an object, bound to it, and the reasons for each that cannot be used."""
    members: list[Any] = []
    left_out: list[NotCollected] = []
    for name, value in _attributes(owner).items():
        bound = getattr(owner, name) if issubclass(type(value), Tool) else value
        if issubclass(type(bound), Tool) and needs_object(bound):
            left_out.append(NotCollected(name, UNBOUND))
        elif is_tool(bound) and not any(bound is known or bound == known for known in members):
            members.append(bound)
    return members, left_out


def _attributes(owner: Any) -> dict[str, Any]:
    """Return the attributes of classes, the nearest one's last, and the object's own."""
    kind = owner if issubclass(type(owner), type) else type(owner)
    members: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        members |= vars(base)
    return members | dict(_own_attributes(owner))


def _own_attributes(owner: Any) -> Iterator[tuple[str, Any]]:
    if issubclass(type(owner), type):
        return
    yield from getattr(owner, "__dict__", {}).items()
    for kind in type(owner).__mro__:
        slots = vars(kind).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot not in ("__dict__", "__weakref__") and hasattr(owner, slot):
                yield slot, getattr(owner, slot)


def is_tool(value: Any) -> bool:
    """Return whether a value is a tool: ours, a formatted one, or one of the StandardTool shape."""
    # By its type: a proxy that stands for nothing yet would raise, a mock has every attribute.
    if issubclass(type(value), Tool):
        return True
    return is_standard_tool(value) and all(
        isinstance(text, str) for text in (value.name, value.description)
    )
