"""Derive a tool for another audience: other names and descriptions, some parameters hidden.

The handler keeps its own schema, which validates every call in the end. A parameter inside another
one goes by its path, as in `customer.address`, through lists and optional ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from toolhaft import vendors
from toolhaft.definition import names
from toolhaft.definition.options import copy_data, faults_of
from toolhaft.definition.signature import UnnamedFault, takes_positional
from toolhaft.jsonio.jsondata import NotJson, to_json_data
from toolhaft.schema.document.references import (
    beside_reference,
    resolve,
    target_of,
    target_pointer,
)
from toolhaft.schema.document.walk import nodes_of, pointer
from toolhaft.schema.marks import mark, marks_of
from toolhaft.schema.rename_properties import Unreadable, rename_properties
from toolhaft.tools.assembly import Assembly, AssemblyFailed
from toolhaft.vendors.derived import Derived, Terms
from toolhaft.vendors.input_schema import InputSchema

__all__ = ["Transform"]

NO_NAMES: Final = "write the schema of the arguments as one object with properties"
NESTED: Final = "name a parameter of an object, of an optional one or of a list of them"
OPTIONS: Final = ("rename", "describe", "hide", "defaults")

# Each option's changes, by the parameters' names before them.
Changes: TypeAlias = dict[str, dict[str, Any]]


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
        self.changes: Changes = {
            option: {name: _own_value(value) for name, value in values.items()}
            for option, values in options.items()
        }

    def apply(self, assembly: Assembly) -> Assembly:
        """Give the assembly of the derived tool.

        Raises:
            AssemblyFailed: with every fault.
        """
        schema = assembly.input.marked_schema("input")
        derivation = _Derivation(self.changes, schema, schema, authored=assembly.input.authored)
        derived, terms = derivation.derive()
        if derivation.faults:
            raise AssemblyFailed(derivation.faults)
        return assembly._replace(input=Derived(assembly.input, _without_unused(derived), terms))

    @property
    def hidden(self) -> Mapping[str, Any]:
        """The value of each hidden parameter, or the function that makes it, by its path."""
        return self.changes["hide"]

    def transform_example(self, example: dict[str, Any]) -> dict[str, Any]:
        """Write example arguments under the new names."""
        transformed: dict[str, Any] = _transform_example(self.changes, example)
        return transformed


def _transform_example(changes: Changes, example: Any) -> Any:
    """Write an object, or each of a list, under the new names."""
    if isinstance(example, list):
        return [_transform_example(changes, item) for item in example]
    if not isinstance(example, dict):
        return example
    own, nested = _split_changes(changes, example)
    return {
        own["rename"].get(name, name): _transform_example(nested[name], value)
        if name in nested
        else value
        for name, value in example.items()
        if name not in own["hide"]
    }


def _split_changes(
    changes: Changes, properties: Mapping[str, Any]
) -> tuple[Changes, dict[str, Changes]]:
    """Split changes into those of the properties themselves, and those of what is inside each."""
    own: Changes = {option: {} for option in OPTIONS}
    nested: dict[str, Changes] = {}
    for option, values in changes.items():
        for path, value in values.items():
            outer, dot, inner = str(path).partition(".")
            if dot and path not in properties and outer in properties:
                nested.setdefault(outer, {key: {} for key in OPTIONS})[option][inner] = value
            else:
                own[option][path] = value
    return own, nested


EXAMPLES: Final = {
    "rename": "write {'q': 'query'}",
    "describe": "write {'q': 'What to look for.'}",
    "hide": "write {'tenant': value}: each needs a value, or a function that gives it",
    "defaults": "write {'limit': 10}",
}


class _Derivation:
    """One derivation of an object: each step adds to the faults and goes on where it can."""

    def __init__(
        self,
        changes: Changes,
        schema: dict[str, Any],
        root: dict[str, Any],
        prefix: str = "",
        *,
        authored: bool,
    ) -> None:
        self.schema, self.root, self.prefix, self.authored = schema, root, prefix, authored
        properties = schema.get("properties")
        self.properties: dict[str, Any] = properties if isinstance(properties, dict) else {}
        self.changes, self.nested = _split_changes(changes, self.properties)
        self.rename, self.describe = self.changes["rename"], self.changes["describe"]
        self.hide, self.defaults = self.changes["hide"], self.changes["defaults"]
        self.faults: list[UnnamedFault] = []

    def derive(self) -> tuple[dict[str, Any], Terms]:
        """Give the schema that the model is shown, and how its arguments become the handler's."""
        self.faults += [
            *self.unknown_faults(),
            *self.contradiction_faults(),
            *self.name_faults(),
            *self.description_faults(),
        ]
        factories = {
            name: _with_context(value) for name, value in self.hide.items() if callable(value)
        }
        fixed = {name: value for name, value in self.hide.items() if name not in factories}
        values, defaults = (
            self.check_values("hide", fixed),
            self.check_values("defaults", self.defaults),
        )
        children = self.derive_children()
        self.properties = {
            **self.properties,
            **{name: node for name, (node, _) in children.items()},
        }
        schema = self.derive_schema(defaults)
        original_names = {new: name for name, new in self.rename.items()}
        terms_inside = {name: terms for name, (_, terms) in children.items()}
        return schema, Terms(original_names, values, factories, defaults, terms_inside)

    def derive_children(self) -> dict[str, tuple[Any, Terms]]:
        """Derive the properties of which something inside is changed."""
        children: dict[str, tuple[Any, Terms]] = {}
        for name, changes in self.nested.items():
            option = next(option for option in OPTIONS if changes[option])
            where = self.at(option, f"{name}.{next(iter(changes[option]))}")
            if name in self.hide:
                fix = "drop one of the two"
                self.faults.append(UnnamedFault(where, "the parameter is hidden", fix))
                continue
            derived = self.derive_inside(self.properties[name], changes, f"{self.prefix}{name}.")
            if derived is None:
                self.faults.append(UnnamedFault(where, "there is no such parameter", NESTED))
            else:
                children[name] = derived
        return children

    def derive_inside(
        self, node: Any, changes: Changes, prefix: str
    ) -> tuple[dict[str, Any], Terms] | None:
        """Derive the one object that a node is, or holds as its items or beside null."""
        while isinstance(node, dict) and "$ref" in node:
            node = {**target_of(self.root, node), **beside_reference(node)}
        if not isinstance(node, dict):
            return None
        if isinstance(node.get("properties"), dict):
            inner = _Derivation(changes, node, self.root, prefix, authored=self.authored)
            derived = inner.derive()
            self.faults += inner.faults
            return derived
        if "items" in node:
            item = self.derive_inside(node["items"], changes, prefix)
            return item and ({**node, "items": item[0]}, item[1])
        for word in ("anyOf", "oneOf"):
            branches = [self.derive_inside(each, changes, prefix) for each in node.get(word, ())]
            places = [place for place, branch in enumerate(branches) if branch is not None]
            if len(places) == 1 and (branch := branches[places[0]]) is not None:
                forms = [*node[word]]
                forms[places[0]] = branch[0]
                return {**node, word: forms}, branch[1]
        return None

    def at(self, option: str, name: object) -> str:
        """Name an option and a parameter as they were written."""
        return f"{option}.{self.prefix}{names.escape_text(str(name), 60)}"

    def option(self, option: str) -> str:
        """Name an option, and the object that it is about."""
        return f"{option}.{self.prefix}".rstrip(".")

    def unknown_faults(self) -> Iterator[UnnamedFault]:
        for option, values in self.changes.items():
            for name in values:
                if name not in self.properties:
                    near = names.nearest(str(name), self.properties)
                    listed = ", ".join(self.properties) or "none"
                    fix = f"did you mean {near}?" if near else f"there are: {listed}"
                    yield UnnamedFault(self.at(option, name), "there is no such parameter", fix)

    def contradiction_faults(self) -> Iterator[UnnamedFault]:
        for option in ("rename", "describe", "defaults"):
            for name in self.changes[option]:
                if name in self.hide:
                    yield UnnamedFault(
                        self.at(option, name), "the parameter is hidden", "drop one of the two"
                    )

    def name_faults(self) -> Iterator[UnnamedFault]:
        rename = self.rename
        visible = [name for name in self.properties if name not in self.hide]
        for name, count in Counter(str(rename.get(name, name)) for name in visible).items():
            hidden = names.hidden_character(name)
            if hidden or not name.strip():
                reason = f"a new name holds {hidden}" if hidden else "a new name is empty"
                yield UnnamedFault(self.option("rename"), reason, "correct it")
            if count > 1:
                reason = f"{count} parameters would be named {names.escape_text(name)}"
                yield UnnamedFault(self.option("rename"), reason, "give each a name of its own")

    def description_faults(self) -> Iterator[UnnamedFault]:
        for name, description in self.describe.items():
            yield from (
                fault._replace(where=self.at("describe", name))
                for fault in faults_of({"description": description})
            )

    def check_values(self, option: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Check values as the data of calls are checked, by the parameters' schemas."""
        data: dict[str, Any] = {}
        for name, value in values.items():
            where = self.at(option, name)
            try:
                data[name] = to_json_data(value, foreign=vendors.dump_foreign)
            except NotJson as fault:
                self.faults.append(
                    UnnamedFault(where, f"not JSON ({fault.issues[0]})", "use JSON data")
                )
                continue
            for issue in self.input_of(name).admit({name: data[name]}).issues:
                reason = f"the parameter does not take the value ({issue})"
                self.faults.append(UnnamedFault(where, reason, "correct the value"))
        return data

    def input_of(self, name: str) -> InputSchema:
        """Give the checks of one parameter alone."""
        shared: dict[str, Any] = {key: self.root[key] for key in SHARED if key in self.root}
        alone = {**shared, "properties": {name: self.properties.get(name, True)}}
        return InputSchema(alone, authored=self.authored)

    def derive_schema(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """Derive the schema that the model is shown."""
        properties = {
            name: self.describe_parameter(name, node, defaults)
            for name, node in self.properties.items()
        }
        schema = {**self.schema, "properties": properties} if properties else self.schema
        try:
            schema_shown: dict[str, Any] = rename_properties(
                schema, self.rename, self.hide, defaults
            )
        except Unreadable as error:
            reason = f"{error.keyword} says something of the arguments by their names"
            self.faults.append(UnnamedFault("parameters", reason, NO_NAMES))
            return schema
        # A model may not send the former names, in open objects either.
        changed_names = {**dict.fromkeys(self.hide), **self.rename}
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
        keywords = {"description": self.describe[name]} if name in self.describe else {}
        if name in defaults:
            keywords["default"] = defaults[name]
        if not keywords or node is False:
            return node
        return {**({} if node is True else node), **keywords}


def _without_unused(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop the definitions that nothing refers to any more: what is hidden may stand there."""
    if not PLACES.intersection(schema):
        return schema
    used: set[str] = set()
    waiting: list[Any] = [{word: part for word, part in schema.items() if word not in PLACES}]
    while waiting:
        for node in nodes_of(waiting.pop()):
            ref = node.get("$ref") if isinstance(node, dict) else None
            if isinstance(ref, str) and ref not in used:
                used.add(ref)
                waiting.append(resolve(schema, ref))
    kept = {target_pointer(ref) for ref in used}
    return {
        word: {
            name: node
            for name, node in part.items()
            if any(f"{at}/".startswith(f"{pointer((word, name))}/") for at in kept)
        }
        if word in PLACES
        else part
        for word, part in schema.items()
    }


PLACES: Final = frozenset({"$defs", "definitions"})
SHARED: Final = ("$schema", "$defs", "definitions")


def _own_value(value: Any) -> Any:
    """Give the JSON of a value now, as the program may change it later; the checks say the rest."""
    if callable(value):
        return value
    try:
        return to_json_data(value, foreign=vendors.dump_foreign)
    except NotJson:
        return copy_data(value)


def _with_context(factory: Any) -> Any:
    """Make a factory of one argument, the caller's context, of one that takes it or nothing."""
    return factory if takes_positional(factory, 1) else lambda _: factory()
