"""Who joins a toolset: each member adopted and checked whole, under names that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from toolhaft.call.permission import Permission
from toolhaft.definition import names
from toolhaft.errors import DefinitionError, Fault
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.spec import StandardTool
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.foreign import wrap_foreign

__all__ = ["Member", "check_members"]

Member: TypeAlias = AnyTool | StandardTool[Any, Any] | Callable[..., Any]


def check_members(
    members: Iterable[Member], limits: DefinitionLimits, permission: Permission
) -> dict[str, AnyTool]:
    """Adopt and assemble every member; the faults of all come in one error."""
    faults: list[Fault] = []
    tools: list[AnyTool] = []
    for member in members:
        try:
            one = wrap_foreign(member)
            one.assemble(limits)
            tools.append(one.asking(permission))
        except DefinitionError as error:
            faults += error.faults
    faults += _twins(tools)
    if faults:
        raise DefinitionError(faults)
    return {one.name: one for one in tools}


def _twins(tools: list[AnyTool]) -> Iterator[Fault]:
    """Names that a person or a provider could take for each other."""
    seen: dict[str, AnyTool] = {}
    for one in tools:
        twin = seen.setdefault(names.fold_name(one.name), one)
        if twin is not one:
            fix = f"rename one of them ({twin.origin} and {one.origin})"
            yield Fault(one.name, "name", f"reads the same as {twin.name}", fix)
