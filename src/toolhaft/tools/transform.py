"""Derive a tool for another audience: other names and words, some parameters out of sight.

The handler stays as it is, and so does its own schema, which has the last word on every call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolhaft import vendors
from toolhaft.definition import names
from toolhaft.definition.options import faults_of
from toolhaft.definition.signature import UnnamedFault
from toolhaft.jsonio.jsondata import NotJson, to_json_data
from toolhaft.schema.checker import Checker
from toolhaft.schema.marks import mark, marks_of
from toolhaft.schema.rename_properties import Unreadable, rename_properties
from toolhaft.tools.assembly import Assembly, AssemblyFailed
from toolhaft.vendors.derived import Derived, Terms

__all__ = ["Transform"]

NO_NAMES: Final = "write the schema of the arguments as one object with properties"


class Transform:
    """What changes, by the names that the parameters have so far."""

    def __init__(self, rename: Any, describe: Any, hide: Any, defaults: Any) -> None:
        given = {"rename": rename, "describe": describe, "hide": hide, "defaults": defaults}
        flaws = [
            UnnamedFault(option, "not a mapping", EXAMPLES[option])
            for option, value in given.items()
            if not isinstance(value, Mapping)
        ]
        if flaws:
            raise AssemblyFailed(flaws)
        self.given: dict[str, dict[str, Any]] = {key: dict(value) for key, value in given.items()}
        self.rename, self.describe = self.given["rename"], self.given["describe"]
        self.hide, self.defaults = self.given["hide"], self.given["defaults"]

    def applied(self, made: Assembly) -> Assembly:
        """Give the assembly of the derived tool.

        Raises:
            Flawed: with every flaw found.
        """
        return _Deriving(self, made).made()

    def shown(self, example: dict[str, Any]) -> dict[str, Any]:
        """Give example arguments under the new names."""
        left = {name: value for name, value in example.items() if name not in self.hide}
        return {self.rename.get(name, name): value for name, value in left.items()}


EXAMPLES: Final = {
    "rename": "write {'q': 'query'}",
    "describe": "write {'q': 'What to look for.'}",
    "hide": "write {'tenant': value}: each needs a value, or a function that gives it",
    "defaults": "write {'limit': 10}",
}


class _Deriving:
    """One derivation: each step adds to the flaws and goes on where it can."""

    def __init__(self, change: Transform, made: Assembly) -> None:
        self.change, self.base = change, made
        self.schema: dict[str, Any] = made.input.marked_schema("input")
        found = self.schema.get("properties")
        self.properties: dict[str, Any] = found if isinstance(found, dict) else {}
        self.flaws: list[UnnamedFault] = []

    def made(self) -> Assembly:
        change, base = self.change, self.base
        self.flaws += [*self.unknown(), *self.contradictions(), *self.misnamed(), *self.wordless()]
        factories = {name: value for name, value in change.hide.items() if callable(value)}
        fixed = {name: value for name, value in change.hide.items() if name not in factories}
        values, defaults = self.checked("hide", fixed), self.checked("defaults", change.defaults)
        schema = self.derived(defaults)
        if self.flaws:
            raise AssemblyFailed(self.flaws)
        own = {new: name for name, new in change.rename.items()}
        terms = Terms(own, values, factories, defaults)
        return base._replace(input=Derived(base.input, schema, terms))

    def unknown(self) -> Iterator[UnnamedFault]:
        for option, given in self.change.given.items():
            for name in given:
                if name not in self.properties:
                    near = names.nearest(str(name), self.properties)
                    listed = ", ".join(self.properties) or "none"
                    fix = f"did you mean {near}?" if near else f"there are: {listed}"
                    yield UnnamedFault(_at(option, name), "there is no such parameter", fix)

    def contradictions(self) -> Iterator[UnnamedFault]:
        for option in ("rename", "describe", "defaults"):
            for name in self.change.given[option]:
                if name in self.change.hide:
                    yield UnnamedFault(
                        _at(option, name), "the parameter is hidden", "drop one of the two"
                    )

    def misnamed(self) -> Iterator[UnnamedFault]:
        rename = self.change.rename
        shown = [name for name in self.properties if name not in self.change.hide]
        for name, count in Counter(str(rename.get(name, name)) for name in shown).items():
            if names.hidden_character(name) or not name.strip():
                yield UnnamedFault("rename", "a new name is no readable text", "correct it")
            if count > 1:
                reason = f"{count} parameters would be named {names.escape_text(name)}"
                yield UnnamedFault("rename", reason, "give each a name of its own")

    def wordless(self) -> Iterator[UnnamedFault]:
        for name, words in self.change.describe.items():
            yield from (
                flaw._replace(where=_at("describe", name))
                for flaw in faults_of({"description": words})
            )

    def checked(self, option: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The values as JSON data that the parameters take."""
        found: dict[str, Any] = {}
        for name, value in given.items():
            where = _at(option, name)
            try:
                found[name] = to_json_data(value, foreign=vendors.dump_foreign)
            except NotJson as fault:
                self.flaws.append(
                    UnnamedFault(where, f"not JSON ({fault.issues[0]})", "use JSON data")
                )
                continue
            for issue in self.checker(name).issues({name: found[name]}):
                reason = f"the parameter does not take the value ({issue})"
                self.flaws.append(UnnamedFault(where, reason, "correct the value"))
        return found

    def checker(self, name: str) -> Checker:
        """The check of one parameter alone."""
        shared = {key: self.schema[key] for key in SHARED if key in self.schema}
        return Checker({**shared, "properties": {name: self.properties.get(name, True)}})

    def derived(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """The schema that the model is shown."""
        change = self.change
        properties = {name: self.told(name, one, defaults) for name, one in self.properties.items()}
        schema = {**self.schema, "properties": properties} if properties else self.schema
        try:
            made: dict[str, Any] = rename_properties(schema, change.rename, change.hide, defaults)
        except Unreadable as error:
            reason = f"{error.keyword} says something of the arguments by their names"
            self.flaws.append(UnnamedFault("parameters", reason, NO_NAMES))
            return schema
        # No model may send what is not shown any more, in open objects either.
        meant = {**dict.fromkeys(change.hide), **change.rename}
        gone = {name: meant[name] for name in self.properties if name in meant}
        gone = {name: new for name, new in gone.items() if name not in made["properties"]}
        if gone:
            mark(made, other_names={**marks_of(made).get("other_names", {}), **gone})
        return made

    def told(self, name: str, node: Any, defaults: Mapping[str, Any]) -> Any:
        """One parameter's schema with its new words."""
        added = {"description": self.change.describe[name]} if name in self.change.describe else {}
        if name in defaults:
            added["default"] = defaults[name]
        if not added or node is False:
            return node
        return {**({} if node is True else node), **added}


SHARED: Final = ("$schema", "$defs", "definitions")


def _at(option: str, name: object) -> str:
    return f"{option}.{names.escape_text(str(name), 60)}"
