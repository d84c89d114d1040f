"""Check what a toolset is given: its options, and members, each wrapped and assembled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from toolhaft.call.permission import Permission
from toolhaft.definition import names
from toolhaft.definition.options import fault_of_limit
from toolhaft.errors import DefinitionError, Fault
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.spec import StandardTool
from toolhaft.tools.definition import Group
from toolhaft.tools.internals import add_permission, defer_by_default, resolve_types
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.foreign import wrap_foreign

__all__ = ["Member", "check_members", "check_options"]

Member: TypeAlias = AnyTool | StandardTool[Any, Any] | Callable[..., Any]


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
    lists: Mapping[str, object], callbacks: Mapping[str, object], limit: object, results: object
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
        Fault("Toolset", option, "not callable", "pass a function")
        for option, callback in callbacks.items()
        if callback is not None and not callable(callback)
    ]
    limit_fault = fault_of_limit(limit)
    if limit_fault is not None:
        faults.append(Fault("Toolset", "limit", *limit_fault))
    if results is not None and not _is_store(results):
        faults.append(Fault("Toolset", "results", "not a Store", "pass Store(), or Store(path)"))
    if faults:
        raise DefinitionError(faults)


def _is_store(value: object) -> bool:
    from toolhaft.toolset.results.store import Store

    return isinstance(value, Store)


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


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
            fix = f"rename one of them ({twin.origin} and {tool.origin})"
            yield Fault(tool.name, "name", f"reads the same as {twin.name}", fix)
        if (alike := groups.get(names.fold_name(tool.name))) is not None:
            fix = "rename the tool or the group"
            yield Fault(tool.name, "name", f"reads the same as the group {alike.name}", fix)
