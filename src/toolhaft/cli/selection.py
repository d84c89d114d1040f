"""Which tools of a module are meant: those of one name, its only toolset, or all of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from toolhaft.cli.faults import list_faulty, show_place
from toolhaft.cli.modules import import_target
from toolhaft.cli.unusable import Broken, Faulty, Unusable, one_line
from toolhaft.definition import names
from toolhaft.errors import DefinitionError
from toolhaft.tools.tool import Tool
from toolhaft.toolset.collect import collect_tools, is_tool
from toolhaft.toolset.toolset import Toolset

__all__ = ["Selection", "toolset_of"]

T = TypeVar("T")


class Selection(NamedTuple):
    """The tools that are meant, those that cannot be, and what was left out, each with why."""

    toolset: Toolset
    faulty: list[Faulty]
    left_out: Sequence[str] = ()


class _Owner(NamedTuple):
    """A name of a module under which further tools are, and the names that they have there."""

    name: str
    tools: list[str]


def toolset_of(target: str, name: str | None) -> Selection:
    """Select the toolset of a module that is named, its only one, or all of its tools.

    Tools that cannot be are given apart, and do not spoil the others.

    Raises:
        Unusable: with the reason; Broken where the module's own code is at fault.
    """
    module, faulty = import_target(target)
    if name is not None:
        return _select_named(module, target, name, faulty)
    return _select_only(module, target, faulty)


def _select_named(module: ModuleType, target: str, name: str, faulty: list[Faulty]) -> Selection:
    value: Any = getattr(module, name, None)
    if value is None:
        if faulty:  # it stands for one of them, or has one
            raise Broken(faulty)
        near = names.nearest(name, vars(module))
        hint = f"; did you mean {near}?" if near else ""
        raise Unusable(f"{target}: has no {name}{hint}")
    if isinstance(value, Toolset):
        return Selection(value, faulty)
    if isinstance(value, list | tuple):
        return _join(target, value, faulty)
    members, not_collected = ([value], []) if is_tool(value) else collect_tools(value)
    left_out = [f"{name}.{attribute}: {reason}" for attribute, reason in not_collected]
    if left_out and not members:
        raise Unusable(*(f"{target}: {reason}" for reason in left_out))
    if isinstance(value, type) and not members:
        raise Unusable(f"{target}: {name} is a class without tools; name a tool or an object")
    return _join(target, members or [value], faulty, left_out)


def _select_only(module: ModuleType, target: str, faulty: list[Faulty]) -> Selection:
    values = list(vars(module).values())
    sets = _distinct(value for value in values if issubclass(type(value), Toolset))
    if len(sets) > 1:
        listed = [
            name
            for name, value in vars(module).items()
            if any(value is toolset for toolset in sets)
        ]
        raise Unusable(f"{target}: has {len(sets)} toolsets; say which: {_choices(target, listed)}")
    if sets:
        return Selection(sets[0], faulty)
    tools = _distinct(value for value in values if is_tool(value))
    owners = list(_list_owners(module, tools))
    if tools:
        left_out = [
            f"{', '.join(owner.tools)} of {owner.name}: name it to have them: {target}:{owner.name}"
            for owner in owners
        ]
        return _join(target, tools, faulty, left_out)
    if faulty:
        raise Broken(faulty)
    if owners:
        choices = _choices(target, [owner.name for owner in owners])
        raise Unusable(f"{target}: has no tools of its own; say whose: {choices}")
    raise Unusable(f"{target}: has no tools; make one with @tool, or name a list: {target}:name")


def _list_owners(module: ModuleType, tools: Sequence[Any]) -> Iterator[_Owner]:
    """List the lists, and the module's own classes and objects, that have further tools."""
    known = set(map(id, tools))
    for name, value in list(vars(module).items()):
        if issubclass(type(value), list | tuple):
            members = [member for member in value if is_tool(member)]
        elif _is_own(value, module) and not is_tool(value):
            members = collect_tools(value)[0]
        else:
            continue
        further = [member.name for member in members if id(member) not in known]
        if further:
            yield _Owner(name, further)


def _is_own(value: Any, module: ModuleType) -> bool:
    kind = value if issubclass(type(value), type) else type(value)
    # A class is spoken for by an object of it.
    has_object = kind is value and any(
        kind in type(other).__mro__ for other in vars(module).values()
    )
    return kind.__module__ == module.__name__ and not has_object


def _choices(target: str, listed: Iterable[str]) -> str:
    return ", ".join(f"{target}:{one_line(name)}" for name in listed)


def _join(
    target: str, tools: Sequence[Any], faulty: list[Faulty], left_out: Sequence[str] = ()
) -> Selection:
    """Join the tools that can be; faults of the others show when their types are resolved."""
    try:
        return Selection(Toolset(tools), faulty, left_out)
    except DefinitionError as error:
        whole = error
    good: list[Any] = []
    for tool in tools:
        try:
            Toolset([tool])
            good.append(tool)
        except DefinitionError as error:
            where = tool.origin if isinstance(tool, Tool) else target
            faulty += list_faulty(show_place(*_split(where)), error)
    try:
        return Selection(Toolset(good), faulty, left_out)
    except DefinitionError:  # they do not go together
        raise Broken([*faulty, *list_faulty(target, whole)]) from None


def _split(where: str) -> tuple[str, int]:
    path, _, line = where.rpartition(":")
    return (path, int(line)) if line.isdecimal() else (where, 1)


def _distinct(values: Iterable[T]) -> list[T]:
    """Each object once, whatever the number of its names."""
    return list({id(value): value for value in values}.values())
