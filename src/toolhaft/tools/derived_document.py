"""The document of a derived schema: its references and definitions, and checks of its parts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from functools import cache, cached_property
from typing import Any, Final

from toolhaft.definition.names import free_name
from toolhaft.jsonio import jsontext
from toolhaft.schema.document.places import parts
from toolhaft.schema.document.reference_graph import DEFINITIONS
from toolhaft.schema.document.references import (
    has_references,
    map_references,
    ref_to,
    references_in,
    resolve,
    target_pointer,
    tokens,
)
from toolhaft.schema.document.walk import child_nodes, nodes_of, pointer, replace_children
from toolhaft.schema.inline import ANNOTATIONS
from toolhaft.schema.marks import MARK, mark, marks_of, without_fact
from toolhaft.vendors.input_schema import InputSchema
from toolhaft.vendors.terms import Terms, to_outer

__all__ = ["ROOT_ORIGIN", "DerivedDocument", "origin_of", "target_of"]

ROOT: Final = "arguments"
ROOT_ORIGIN: Final = "#"
NOTES: Final = ANNOTATIONS - {MARK}


class DerivedDocument:
    """The original schema at `root`, and the definitions that are derived of it."""

    def __init__(self, root: dict[str, Any], *, authored: bool) -> None:
        # A schema derived from a definition is no longer that definition.
        root = without_fact(root, "defined")
        # A vendor may write out the first level of a recursion, which is one with the others.
        if not authored and "$defs" in root:
            body = {word: value for word, value in root.items() if word not in DEFINITIONS}
            body, definitions = _with_references(body, root["$defs"])
            root = {**body, "$defs": definitions}
        self.root: dict[str, Any] = _with_origins(root, _origins(root))
        self.authored = authored
        self.definitions: dict[str, Any] = {}
        self._bases: dict[str, str] = {}
        self.unfinished: list[Terms] = []
        self.hiding: list[Terms] = []
        self._waiting: list[Callable[[], None]] = []

    def target(self, ref: str) -> Any:
        """Return the target of a reference, without the definitions inside it."""
        node = resolve(self.root, ref)
        return self.body if node is self.root else node

    @cached_property
    def body(self) -> dict[str, Any]:
        """The root without the definitions that it holds."""
        return {word: value for word, value in self.root.items() if word not in DEFINITIONS}

    def new_name(self, target: str) -> str:
        """Reserve the name of a definition that is derived of another place."""
        base = target.rpartition("/")[2].replace("~1", "/").replace("~0", "~") or ROOT
        taken = {*self.definitions, *self.root.get("$defs", ())}
        name = free_name(base, taken)
        self.definitions[name], self._bases[name] = True, base
        return name

    @contextmanager
    def writing(self, name: str, terms: Terms, *, hides: bool) -> Generator[None]:
        """Derive a definition, whose terms are known at the end, and whether they hide anything."""
        self.unfinished.append(terms)
        self.hiding += [terms] if hides else []
        try:
            yield
        except BaseException:
            del self.definitions[name]
            raise
        finally:
            self.unfinished.remove(terms)
            self.hiding = [each for each in self.hiding if each is not terms]

    def origins(self, ref: str) -> set[str]:
        """Return the origins of all nodes that a reference leads to."""
        found: set[str] = set()
        seen: set[str] = set()
        waiting = [ref]
        while waiting:
            ref = waiting.pop()
            if target_of(ref) not in seen:
                seen.add(target_of(ref))
                nodes = nodes_of(self.target(ref))
                found |= {origin_of(node) for node in nodes}
                waiting += references_in(self.target(ref))
        return found

    def names_in(self, node: Any) -> frozenset[str]:
        """Return the names that any part of a node declares."""
        every = parts(self.root, node)
        return frozenset(name for part in every for name in part.get("properties", ()))

    def has_path(self, node: Any, path: str) -> bool:
        """Whether a path leads from a node to a property: through lists, maps and branches too."""
        seen: set[tuple[int, str]] = set()
        waiting = [(node, path)]
        while waiting:
            node, path = waiting.pop()
            if not isinstance(node, dict) or (id(node), path) in seen:
                continue
            seen.add((id(node), path))
            properties = node.get("properties", {})
            if path in properties:
                return True
            for steps, sub in child_nodes(node):
                if steps[0] != "properties":
                    waiting.append((sub, path))
                elif path.startswith(f"{steps[1]}."):
                    waiting.append((sub, path.removeprefix(f"{steps[1]}.")))
            waiting += [(self.target(node["$ref"]), path)] if "$ref" in node else []
        return False

    def is_waiting(self, terms: Terms) -> bool:
        """Return whether terms lead to the terms of an unfinished definition."""
        waiting = {id(each) for each in self.unfinished}
        return bool(waiting) and any(id(each) in waiting for each in terms.reached())

    def show(self, terms: Terms, value: Any) -> Any:
        """Write data of the handler's as the model sends them; at the end, where terms lack."""
        if not isinstance(value, dict | list) or not self.is_waiting(terms):
            return to_outer([terms], value)
        shown: Any = deepcopy(value)

        def fill_in() -> None:
            outer = to_outer([terms], value)
            shown.clear()
            shown.update(outer) if isinstance(shown, dict) else shown.extend(outer)

        self._waiting.append(fill_in)
        return shown

    def takes(self, node: Any, data: Any) -> bool:
        """Whether a derived node takes some data."""
        return not self.derived_input(node)().admit(data).issues

    def derived_input(self, node: Any) -> Callable[[], InputSchema]:
        """Return the checks of a derived node, created when they are first needed."""

        @cache
        def checks() -> InputSchema:
            if not has_references(node):
                return InputSchema(node, authored=self.authored)
            return InputSchema({**node, "$defs": self.definitions}, authored=self.authored)

        return checks

    def original_input(self, node: Any) -> Callable[[], InputSchema]:
        """Return the checks of a node of the original schema, created when first needed."""

        @cache
        def checks() -> InputSchema:
            return InputSchema(self._alone(node), authored=self.authored)

        return checks

    def _alone(self, node: Any) -> Any:
        """Return a node as a complete schema, with the document that its references lead into."""
        if not has_references(node):
            return node
        return {**map_references(node, _shift), "$defs": {ROOT: self._shifted_root}}

    @cached_property
    def has_references(self) -> bool:
        return has_references(self.root)

    @cached_property
    def _shifted_root(self) -> Any:
        return map_references(self.root, _shift)

    def finish(self, node: Any) -> Any:
        """Return the document of a derived root, with the definitions that it needs."""
        for fill_in in self._waiting:
            fill_in()
        if not isinstance(node, dict):
            return node
        kept: dict[str, Any] = {word: self.root[word] for word in DEFINITIONS if word in self.root}
        if self.definitions:
            node, definitions = _with_references(node, self.definitions)
            kept["$defs"] = {**kept.get("$defs", {}), **definitions}
        schema = _without_unused({**node, **kept})
        names = {
            name: base
            for name, base in self._bases.items()
            if name != base and base not in schema.get("$defs", ())
        }
        return _with_definitions_named(schema, names) if names else schema


def target_of(ref: str) -> str:
    """Return one spelling of a reference's target."""
    return ref if tokens(ref) is None else target_pointer(ref)


def origin_of(node: Any) -> str:
    """Return the place to which references led before anything was derived; empty if none did.

    Nodes of one origin are levels of one recursion.
    """
    return str(marks_of(node).get("origin", ""))


def _origins(root: dict[str, Any]) -> dict[int, str]:
    """Return the origin of each target of references, by the target's id."""
    targets = {target_of(ref): resolve(root, ref) for ref in references_in(root)}
    origins = {id(node): origin_of(node) or at or ROOT_ORIGIN for at, node in targets.items()}
    # A vendor may write out the root, which is one with the definition that is like it.
    properties = root.get("properties")
    alike = [node for node in targets.values() if isinstance(node, dict) and "properties" in node]
    like_root = [root, *(node for node in alike if node["properties"] == properties)]
    if len(like_root) > 1 or id(root) in origins:
        origins |= dict.fromkeys(map(id, like_root), origin_of(root) or ROOT_ORIGIN)
    return origins


def _with_origins(node: Any, origins: Mapping[int, str]) -> Any:
    """Mark nodes with their origins; a node that is only a reference has its target's origin."""
    if not isinstance(node, dict):
        return node
    children = {steps: _with_origins(sub, origins) for steps, sub in child_nodes(node)}
    copy = replace_children(node, children)
    if id(node) in origins and "$ref" not in node:
        mark(copy, origin=origins[id(node)])
    return copy


def _shift(ref: str) -> str:
    """Write a reference into a schema as one into that schema among definitions."""
    steps = tokens(ref)
    return ref if steps is None else ref_to(("$defs", ROOT, *steps))


def _with_references(
    node: dict[str, Any], definitions: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Refer to a definition wherever a node is the same, so that it is known to be that."""
    while True:
        names = {_written(each): name for name, each in definitions.items()}
        changed = _refer_inside(node, names)
        others = {name: _refer_inside(each, names) for name, each in definitions.items()}
        if changed == node and others == definitions:
            return node, definitions
        node, definitions = changed, others


def _refer_inside(node: Any, names: Mapping[str, str]) -> Any:
    """Write references in place of what is the same as a definition inside a node."""
    changes = {steps: _refer(sub, names) for steps, sub in child_nodes(node)}
    return replace_children(node, changes) if changes else node


def _refer(node: Any, names: Mapping[str, str]) -> Any:
    name = names.get(_written(node)) if isinstance(node, dict) else None
    if name is None:
        return _refer_inside(node, names)
    notes = {word: value for word, value in node.items() if word in NOTES}
    return {"$ref": ref_to(("$defs", name)), **notes}


def _written(node: Any) -> str:
    """Write a node as text, without the keywords that only describe it."""
    if isinstance(node, dict):
        node = {word: value for word, value in node.items() if word not in NOTES}
    return jsontext.write(node)


def _without_unused(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop definitions without references to them, because they may contain hidden parameters."""
    if not set(DEFINITIONS).intersection(schema):
        return schema
    used: set[str] = set()
    waiting: list[Any] = [{word: part for word, part in schema.items() if word not in DEFINITIONS}]
    while waiting:
        for ref in references_in(waiting.pop()):
            if ref not in used:
                used.add(ref)
                waiting.append(resolve(schema, ref))
    kept = {target_pointer(ref) for ref in used}
    return {
        word: {
            name: node
            for name, node in part.items()
            if any(f"{at}/".startswith(f"{pointer((word, name))}/") for at in kept)
        }
        if word in DEFINITIONS
        else part
        for word, part in schema.items()
    }


def _with_definitions_named(schema: dict[str, Any], new_names: dict[str, str]) -> dict[str, Any]:
    """Rename definitions, and the references to them; of two for one name the first has it."""
    free: dict[str, str] = {}
    for name, base in new_names.items():
        if base not in free.values() and name in schema["$defs"]:
            free[name] = base

    names_of_refs = {ref_to(("$defs", name)): base for name, base in free.items()}

    def rename(ref: str) -> str:
        name = names_of_refs.get(ref)
        return ref if name is None else ref_to(("$defs", name))

    renamed: dict[str, Any] = map_references(schema, rename)
    renamed["$defs"] = {free.get(name, name): node for name, node in renamed["$defs"].items()}
    return renamed
