"""Which tools a module offers: those under one name, of its only toolset, or all of its own.

`__all__` and leading underscores do not matter, nor how often a tool is named: a tool or a toolset
counts once, in the order of its first name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from toolhaft.definition import names
from toolhaft.errors import DefinitionError
from toolhaft.loading.faults import Faulty, LoadError, list_faulty, one_line, show_place
from toolhaft.tools.tool import Tool
from toolhaft.toolset.members import collect_tools, is_tool
from toolhaft.toolset.toolset import Toolset

__all__ = ["Selection", "join_tools", "select_tools"]

T = TypeVar("T")


class Selection(NamedTuple):
    """The tools of a module, the faulty ones, and the reasons for each that was left out."""

    toolset: Toolset
    faulty: Sequence[Faulty]
    left_out: Sequence[str] = ()


class _Owner(NamedTuple):
    """A name of a module under which further tools are, and the names that they have there."""

    name: str
    tools: list[str]


def select_tools(
    module: ModuleType, target: str, name: str | None, faulty: Sequence[Faulty]
) -> Selection:
    """Select the tools under a name of a module, of its only toolset, or all of its own.

    Faulty tools are listed apart from the others.

    Raises:
        LoadError: There are no such tools, or they cannot be in one toolset.
    """
    if name is None:
        return _select_only(module, target, faulty)
    return _select_named(module, target, name, faulty)


def _select_named(
    module: ModuleType, target: str, name: str, faulty: Sequence[Faulty]
) -> Selection:
    value: Any = getattr(module, name, None)
    if value is None:
        if faulty:  # it stands for one of them, or has one
            raise LoadError.of_faulty(faulty)
        near = names.nearest(name, vars(module))
        hint = f"; did you mean {near}?" if near else ""
        raise LoadError(f"{target}: has no {name}{hint}")
    if issubclass(type(value), Toolset):
        return Selection(value, faulty)
    if (listed := _list_items(value)) is not None:
        return join_tools(target, listed, faulty)
    if _returns_tools(value):
        call = f"call it in the module, as in tools = {name}(), and name what it returns"
        raise LoadError(f"{target}: {name} is a function that returns tools; {call}")
    members, not_collected = ([value], []) if is_tool(value) else collect_tools(value)
    left_out = [f"{name}.{attribute}: {reason}" for attribute, reason in not_collected]
    if left_out and not members:
        raise LoadError(*(f"{target}: {reason}" for reason in left_out))
    if isinstance(value, type) and not members:
        raise LoadError(f"{target}: {name} is a class without tools; name a tool or an object")
    return join_tools(target, members or [value], faulty, left_out)


def _select_only(module: ModuleType, target: str, faulty: Sequence[Faulty]) -> Selection:
    values = list(vars(module).values())
    sets = _distinct(value for value in values if issubclass(type(value), Toolset))
    if len(sets) > 1:
        listed = [
            name
            for name, value in vars(module).items()
            if any(value is toolset for toolset in sets)
        ]
        raise LoadError(
            f"{target}: has {len(sets)} toolsets; say which: {_choices(target, listed)}"
        )
    if sets:
        return Selection(sets[0], faulty)
    tools = [value for value in values if is_tool(value)]
    owners = list(_list_owners(module, tools))
    if tools:
        left_out = [
            f"{', '.join(owner.tools)} of {owner.name}: name it to have them: {target}:{owner.name}"
            for owner in owners
        ]
        return join_tools(target, tools, faulty, left_out)
    if faulty:
        raise LoadError.of_faulty(faulty)
    if owners:
        choices = _choices(target, [owner.name for owner in owners])
        raise LoadError(f"{target}: has no tools of its own; say whose: {choices}")
    raise LoadError(f"{target}: has no tools; make one with @tool, or name a list: {target}:name")


def _list_owners(module: ModuleType, tools: Sequence[Any]) -> Iterator[_Owner]:
    """List the lists, and the module's own classes and objects, that have further tools."""
    known = set(map(id, tools))
    for name, value in list(vars(module).items()):
        items = _list_items(value)
        if items is not None:
            members = [member for member in items if is_tool(member)]
        elif _is_own(value, module) and not is_tool(value):
            members = collect_tools(value)[0]
        else:
            continue
        further = [member.name for member in members if id(member) not in known]
        if further:
            yield _Owner(name, further)


def _list_items(value: Any) -> list[Any] | None:
    """List the items of a list, or the values of a dict; None for anything else."""
    kind = type(value)
    if issubclass(kind, dict):
        return list(value.values())
    return list(value) if issubclass(kind, list | tuple) else None


def _is_own(value: Any, module: ModuleType) -> bool:
    kind = value if issubclass(type(value), type) else type(value)
    # A class is spoken for by an object of it.
    has_object = kind is value and any(
        kind in type(other).__mro__ for other in vars(module).values()
    )
    return kind.__module__ == module.__name__ and not has_object


def _returns_tools(value: Any) -> bool:
    """Whether a value is a function that is annotated as returning a toolset or tools."""
    if not isinstance(value, FunctionType):
        return False
    try:
        returned = get_type_hints(value).get("return")
    except Exception:  # noqa: BLE001 - the annotations are the author's own expressions
        return False
    return any(
        isinstance(kind, type) and issubclass(kind, Toolset | Tool)
        for annotation in (returned, *get_args(returned))
        if (kind := getattr(annotation, "__origin__", annotation))
    )


def _choices(target: str, listed: Iterable[str]) -> str:
    return ", ".join(f"{target}:{one_line(name)}" for name in listed)


def join_tools(
    target: str,
    tools: Iterable[Any],
    faulty: Sequence[Faulty] = (),
    left_out: Sequence[str] = (),
) -> Selection:
    """Join tools, each once; faults of some show only when their types are resolved.

    Raises:
        LoadError: Two different tools have one name.
    """
    tools = _distinct(tools)
    try:
        return Selection(Toolset(tools), faulty, left_out)
    except DefinitionError as error:
        whole = error
    good: list[Any] = []
    faulty = list(faulty)
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
        raise LoadError.of_faulty([*faulty, *list_faulty(target, whole)]) from None


def _split(where: str) -> tuple[str, int]:
    path, _, line = where.rpartition(":")
    return (path, int(line)) if line.isdecimal() else (where, 1)


def _distinct(values: Iterable[T]) -> list[T]:
    """Keep each object once, and each method that was taken from one object several times."""
    distinct = {(value if issubclass(type(value), Tool) else id(value)): value for value in values}
    return list(distinct.values())
