"""The changes of a derived tool, by the paths of parameters, and their faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft import vendors
from toolhaft.definition import names
from toolhaft.definition.options import copy_data, faults_of
from toolhaft.definition.signature import UnnamedFault
from toolhaft.jsonio.jsondata import NotJson, to_json_data

__all__ = ["OPTIONS", "Change", "Changes", "Split", "read_changes", "values_of"]
__all__ += ["contradictions", "description_faults", "option_faults", "shown_words"]

EXAMPLES: Final = {
    "rename": "write {'q': 'query'}",
    "describe": "write {'q': 'What to look for.'}",
    "hide": "write {'tenant': value}: each needs a value, or a function that gives it",
    "defaults": "write {'limit': 10}",
}
OPTIONS: Final = tuple(EXAMPLES)


class Change(NamedTuple):
    """One change to the parameter at a path, seen from some object, and where it was written.

    `passed` are the origins of the levels that it was inherited from: a further level of those need
    not be there.
    """

    option: str
    path: str
    value: Any
    where: str
    passed: frozenset[str] = frozenset()

    @property
    def key(self) -> tuple[str, str, int, frozenset[str]]:
        """The fields that distinguish this change from another change of the same place."""
        return self.option, self.path, id(self.value), self.passed


Changes: TypeAlias = tuple[Change, ...]


def option_faults(options: Mapping[str, Any]) -> list[UnnamedFault]:
    """Find options that are no mappings."""
    return [
        UnnamedFault(option, "not a mapping", EXAMPLES[option])
        for option, value in options.items()
        if not isinstance(value, Mapping)
    ]


def read_changes(options: Mapping[str, Mapping[str, Any]]) -> Changes:
    """Read the options of `transform`, whose containers are copied."""
    return tuple(
        Change(option, str(path), _own_value(value), f"{option}.{names.escape_text(str(path), 60)}")
        for option, values in options.items()
        for path, value in values.items()
    )


def _own_value(value: Any) -> Any:
    """Return the JSON of a value now, because the program may change it; checks come later."""
    if callable(value):
        return value
    try:
        return to_json_data(value, foreign=vendors.dump_foreign)
    except NotJson:
        return copy_data(value)


class Split(NamedTuple):
    """Changes of an object's properties, of what is inside each, and of none of both."""

    own: Changes
    nested: dict[str, Changes]
    rest: Changes

    @classmethod
    def of(cls, changes: Changes, properties: Iterable[str]) -> Split:
        """Split changes by the names of properties, which may have dots in them."""
        own: list[Change] = []
        nested: dict[str, Changes] = {}
        rest: list[Change] = []
        known = sorted(properties, key=len, reverse=True)
        for change in changes:
            outer = next((name for name in known if change.path.startswith(f"{name}.")), None)
            if change.path in known:
                own.append(change)
            elif outer is not None:
                inner = change._replace(path=change.path.removeprefix(f"{outer}."))
                nested[outer] = (*nested.get(outer, ()), inner)
            else:
                rest.append(change)
        return cls(tuple(own), nested, tuple(rest))


def values_of(changes: Changes, option: str) -> dict[str, Any]:
    """Return the values of one option by the names that its changes have here."""
    return {change.path: change.value for change in changes if change.option == option}


def contradictions(changes: Changes) -> Iterator[UnnamedFault]:
    """Find changes to what is hidden, and to what is inside of it."""
    hidden = [change.path for change in changes if change.option == "hide"]
    for change in changes:
        is_own = change.option != "hide" and change.path in hidden
        if is_own or any(change.path.startswith(f"{path}.") for path in hidden):
            yield UnnamedFault(change.where, "the parameter is hidden", "drop one of the two")


def description_faults(changes: Changes) -> Iterator[UnnamedFault]:
    """Find descriptions that no tool may have."""
    for change in changes:
        if change.option == "describe":
            for fault in faults_of({"description": change.value}):
                yield fault._replace(where=change.where)


def shown_words(changes: Changes) -> dict[str, str | None]:
    """Return the new name of each old one, or None for a hidden name."""
    words: dict[str, str | None] = {}
    for change in changes:
        if change.option in ("rename", "hide"):
            name = change.path.rpartition(".")[2]
            words[name] = change.value if change.option == "rename" else None
    new = set(words.values())
    return {name: shown for name, shown in words.items() if name not in new}
