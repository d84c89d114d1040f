"""Toolsets inside toolsets: a named one is a group, whose tools have its name before theirs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from toolhaft.definition import names
from toolhaft.errors import DefinitionError, Fault
from toolhaft.providers.deferred import SHARED
from toolhaft.tools.definition import Group
from toolhaft.tools.internals import add_to_group

if TYPE_CHECKING:
    from toolhaft.toolset.results.store import Store
    from toolhaft.toolset.toolset import Toolset

__all__ = ["SearchMode", "check_group", "join_groups", "search_of", "store_of"]

T = TypeVar("T", bound="Toolset")

SearchMode: TypeAlias = Literal["auto", "native", "local"]

MODES: Final = ("auto", "native", "local")
MOST_DESCRIPTION: Final = 1_024


def check_group(name: Any, description: Any, defer: Any, search: Any) -> Group | None:
    """Return the group that a toolset is, or None if it has no name.

    Raises:
        DefinitionError: Lists what is wrong with the name, the description and the options.
    """
    faults: list[tuple[str, str, str]] = []
    if name is not None and (fault := names.name_fault(name, own=True)) is not None:
        faults.append(("name", *fault))
    elif name is not None and names.fold_name(name) == names.fold_name(SHARED):
        faults.append(("name", "taken by deferred tools without a group", "use another name"))
    if not isinstance(description, str) or len(description) > MOST_DESCRIPTION:
        fix = f"use a text of at most {MOST_DESCRIPTION} characters"
        faults.append(("description", "not a text, or too long", fix))
    elif (hidden := names.hidden_character(description)) is not None:
        faults.append(("description", f"holds {hidden}", "remove it"))
    if name is None and description:
        faults.append(("description", "only a group has one", "give the toolset a name="))
    if not isinstance(defer, bool):
        faults.append(("defer", "not a boolean", "use True or False"))
    if search not in MODES:
        faults.append(("search", "invalid value", f"use one of {', '.join(MODES)}"))
    if faults:
        raise DefinitionError([Fault("Toolset", *fault) for fault in faults])
    return None if name is None else Group(name, description)


def join_groups(members: Any, toolsets: type[T]) -> tuple[Any, list[T]]:
    """Put the tools of toolsets among the members in their places; return the toolsets too.

    Raises:
        DefinitionError: The name of a tool in a group is too long.
    """
    if not isinstance(members, Iterable) or isinstance(members, str | bytes | toolsets):
        return members, []
    listed = list(members)
    groups = [member for member in listed if isinstance(member, toolsets)]
    if not groups:
        return listed, []
    return [tool for member in listed for tool in _tools_of(member, toolsets)], groups


def _tools_of(member: Any, toolsets: type[Toolset]) -> Iterable[Any]:
    if not isinstance(member, toolsets):
        return [member]
    group = member.group
    return member if group is None else [add_to_group(tool, group) for tool in member]


def search_of(modes: Iterable[SearchMode]) -> SearchMode:
    """Return who searches in a set that is made of several: the first choice that one of them made.

    >>> search_of(["auto", "local"])
    'local'
    """
    chosen: list[SearchMode] = [mode for mode in modes if mode != "auto"]
    return chosen[0] if chosen else "auto"


def store_of(stores: Iterable[Store | None]) -> Store | None:
    """Return the store of a set that is made of several: the first one.

    Raises:
        DefinitionError: Another one has another key, so results would be kept without it.
    """
    given = [store for store in stores if store is not None]
    if any(store.key is not given[0].key for store in given):
        fix = "pass results= to a Toolset of both"
        raise DefinitionError([Fault("Toolset", "results", "two stores with different keys", fix)])
    return given[0] if given else None
