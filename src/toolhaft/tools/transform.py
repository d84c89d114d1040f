"""Derive a tool for another audience: other names and descriptions, some parameters hidden.

The handler keeps its own schema, which validates every call in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolhaft import vendors
from toolhaft.definition import names
from toolhaft.definition.options import copy_containers, faults_of
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
    """The changes to a tool, by the parameters' names before them."""

    def __init__(self, rename: Any, describe: Any, hide: Any, defaults: Any) -> None:
        options = {"rename": rename, "describe": describe, "hide": hide, "defaults": defaults}
        faults = [
            UnnamedFault(option, "not a mapping", EXAMPLES[option])
            for option, value in options.items()
            if not isinstance(value, Mapping)
        ]
        if faults:
            raise AssemblyFailed(faults)
        self.options: dict[str, dict[str, Any]] = {
            key: copy_containers(dict(value)) for key, value in options.items()
        }
        self.rename, self.describe = self.options["rename"], self.options["describe"]
        self.hide, self.defaults = self.options["hide"], self.options["defaults"]

    def apply(self, assembly: Assembly) -> Assembly:
        """Give the assembly of the derived tool.

        Raises:
            AssemblyFailed: with every fault.
        """
        return _Derivation(self, assembly).derive()

    def transform_example(self, example: dict[str, Any]) -> dict[str, Any]:
        """Write example arguments under the new names."""
        visible = {name: value for name, value in example.items() if name not in self.hide}
        return {self.rename.get(name, name): value for name, value in visible.items()}


EXAMPLES: Final = {
    "rename": "write {'q': 'query'}",
    "describe": "write {'q': 'What to look for.'}",
    "hide": "write {'tenant': value}: each needs a value, or a function that gives it",
    "defaults": "write {'limit': 10}",
}


class _Derivation:
    """One derivation: each step adds to the faults and goes on where it can."""

    def __init__(self, change: Transform, assembly: Assembly) -> None:
        self.change, self.base = change, assembly
        self.schema: dict[str, Any] = assembly.input.marked_schema("input")
        properties = self.schema.get("properties")
        self.properties: dict[str, Any] = properties if isinstance(properties, dict) else {}
        self.faults: list[UnnamedFault] = []

    def derive(self) -> Assembly:
        change, base = self.change, self.base
        self.faults += [
            *self.unknown_faults(),
            *self.contradiction_faults(),
            *self.name_faults(),
            *self.description_faults(),
        ]
        factories = {name: value for name, value in change.hide.items() if callable(value)}
        fixed = {name: value for name, value in change.hide.items() if name not in factories}
        values, defaults = (
            self.check_values("hide", fixed),
            self.check_values("defaults", change.defaults),
        )
        schema = self.derive_schema(defaults)
        if self.faults:
            raise AssemblyFailed(self.faults)
        original_names = {new: name for name, new in change.rename.items()}
        terms = Terms(original_names, values, factories, defaults)
        return base._replace(input=Derived(base.input, schema, terms))

    def unknown_faults(self) -> Iterator[UnnamedFault]:
        for option, values in self.change.options.items():
            for name in values:
                if name not in self.properties:
                    near = names.nearest(str(name), self.properties)
                    listed = ", ".join(self.properties) or "none"
                    fix = f"did you mean {near}?" if near else f"there are: {listed}"
                    yield UnnamedFault(_at(option, name), "there is no such parameter", fix)

    def contradiction_faults(self) -> Iterator[UnnamedFault]:
        for option in ("rename", "describe", "defaults"):
            for name in self.change.options[option]:
                if name in self.change.hide:
                    yield UnnamedFault(
                        _at(option, name), "the parameter is hidden", "drop one of the two"
                    )

    def name_faults(self) -> Iterator[UnnamedFault]:
        rename = self.change.rename
        visible = [name for name in self.properties if name not in self.change.hide]
        for name, count in Counter(str(rename.get(name, name)) for name in visible).items():
            if names.hidden_character(name) or not name.strip():
                yield UnnamedFault("rename", "a new name is no readable text", "correct it")
            if count > 1:
                reason = f"{count} parameters would be named {names.escape_text(name)}"
                yield UnnamedFault("rename", reason, "give each a name of its own")

    def description_faults(self) -> Iterator[UnnamedFault]:
        for name, description in self.change.describe.items():
            yield from (
                fault._replace(where=_at("describe", name))
                for fault in faults_of({"description": description})
            )

    def check_values(self, option: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Check values as JSON data against the parameters' schemas."""
        data: dict[str, Any] = {}
        for name, value in values.items():
            where = _at(option, name)
            try:
                data[name] = to_json_data(value, foreign=vendors.dump_foreign)
            except NotJson as fault:
                self.faults.append(
                    UnnamedFault(where, f"not JSON ({fault.issues[0]})", "use JSON data")
                )
                continue
            for issue in self.checker(name).issues({name: data[name]}):
                reason = f"the parameter does not take the value ({issue})"
                self.faults.append(UnnamedFault(where, reason, "correct the value"))
        return data

    def checker(self, name: str) -> Checker:
        """Make the checker of one parameter alone."""
        shared = {key: self.schema[key] for key in SHARED if key in self.schema}
        return Checker({**shared, "properties": {name: self.properties.get(name, True)}})

    def derive_schema(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """Derive the schema that the model is shown."""
        change = self.change
        properties = {
            name: self.describe_parameter(name, node, defaults)
            for name, node in self.properties.items()
        }
        schema = {**self.schema, "properties": properties} if properties else self.schema
        try:
            schema_shown: dict[str, Any] = rename_properties(
                schema, change.rename, change.hide, defaults
            )
        except Unreadable as error:
            reason = f"{error.keyword} says something of the arguments by their names"
            self.faults.append(UnnamedFault("parameters", reason, NO_NAMES))
            return schema
        # A model may not send the former names, in open objects either.
        changed_names = {**dict.fromkeys(change.hide), **change.rename}
        hidden_names = {
            name: changed_names[name] for name in self.properties if name in changed_names
        }
        hidden_names = {
            name: new
            for name, new in hidden_names.items()
            if name not in schema_shown["properties"]
        }
        if hidden_names:
            mark(
                schema_shown,
                other_names={**marks_of(schema_shown).get("other_names", {}), **hidden_names},
            )
        return schema_shown

    def describe_parameter(self, name: str, node: Any, defaults: Mapping[str, Any]) -> Any:
        """Add the new description and default to a parameter's schema."""
        keywords = (
            {"description": self.change.describe[name]} if name in self.change.describe else {}
        )
        if name in defaults:
            keywords["default"] = defaults[name]
        if not keywords or node is False:
            return node
        return {**({} if node is True else node), **keywords}


SHARED: Final = ("$schema", "$defs", "definitions")


def _at(option: str, name: object) -> str:
    return f"{option}.{names.escape_text(str(name), 60)}"
