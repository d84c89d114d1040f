"""The schemas of a document in the terms of draft 2020-12, as a request or a response has them.

From OpenAPI 3.0 (3.0.4, 4.7.24), `nullable` and the flags of exclusive bounds get their current
form; `nullable` also adds null to an enum and to a schema that combines others, as its authors mean
it. Keywords for readers of the document (`example`, `xml`, `x-...`) are left out. In a request
`readOnly` properties are rejected, in a response `writeOnly` ones are left out, and neither is
required (3.1.1, 4.8.24.4).
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolhaft.imports.openapi.document import LOCAL, Document, Refused
from toolhaft.imports.openapi.parts import Marks, alternatives_of, conditions_of
from toolhaft.schema.document.references import beside_reference, ref_to, tokens
from toolhaft.schema.document.walk import child_nodes, pointer, replace_children

__all__ = ["Bundle", "Direction", "SchemaWriter"]

Direction: TypeAlias = Literal["request", "response"]
# Which mark keeps a property out of a direction.
KEPT_OUT: Final = {"request": "readOnly", "response": "writeOnly"}
COMPONENTS: Final = ("components", "schemas")
FOR_READERS: Final = frozenset({"discriminator", "example", "externalDocs", "xml"})
COMBINED: Final = ("allOf", "anyOf", "oneOf", "$ref")
NULL: Final = {"type": "null"}
MAX_DEPTH: Final = 100


class _Written(NamedTuple):
    """A schema in draft 2020-12, the definitions that it refers to, and its number of values."""

    node: Any
    refs: tuple[str, ...]
    size: int


class Bundle(NamedTuple):
    """A schema that stands alone; `is_cut` says that far parts of it were left open."""

    schema: dict[str, Any]
    is_cut: bool


class SchemaWriter:
    """Writes schemas of one direction; each component is written once and shared."""

    def __init__(self, document: Document, direction: Direction) -> None:
        self.document = document
        self.direction: Direction = direction
        self.kept_out = Marks(document, KEPT_OUT[direction])
        self._nodes: dict[str, Any] = {}  # nodes of the document by the definition's name
        self._written: dict[str, _Written] = {}

    def bundle(self, schema: Any, most: int | None = None) -> Bundle:
        """Write a schema with all that it refers to, nearest first, in at most so many values.

        Definitions without room are left open, if `most` is given.

        Raises:
            Refused: A reference cannot be followed.
        """
        root = self.write(schema, "schema")
        definitions: dict[str, Any] = {}
        size, is_cut, queue = root.size, False, list(root.refs)
        for name in queue:  # which grows meanwhile
            if name in definitions:
                continue
            written = self._definition(name)
            if most is not None and size + written.size > most:
                definitions[name], is_cut = {}, True
                continue
            definitions[name] = written.node
            size += written.size
            queue += [each for each in written.refs if each not in definitions]
        node = root.node if isinstance(root.node, dict) else {"allOf": [root.node]}
        schema = {**node, "$defs": definitions} if definitions else node
        return Bundle(schema, is_cut)

    def write(self, schema: Any, where: str) -> _Written:
        """Write one schema; its references lead to definitions at the root."""
        refs: dict[str, None] = {}
        node = self._write(schema, where, refs)
        return _Written(node, tuple(refs), _count_values(node))

    def _definition(self, name: str) -> _Written:
        if name not in self._written:
            where = f"{'/'.join(COMPONENTS)}/{name}"
            self._written[name] = self.write(self._nodes[name], where)
        return self._written[name]

    def _write(
        self,
        node: Any,
        where: str,
        refs: dict[str, None],
        depth: int = 0,
        not_required: frozenset[str] = frozenset(),
    ) -> Any:
        if not isinstance(node, dict):
            return node
        if depth > MAX_DEPTH:
            raise Refused(where, f"more than {MAX_DEPTH} schemas inside each other", "flatten it")
        as_declared = node
        if "$ref" in node:
            ref, beside = {"$ref": self._refer(node["$ref"], where, refs)}, beside_reference(node)
            if not beside or self.document.minor == 0:  # 3.0 ignores keys beside it
                return ref
            node = {**beside, **ref}
        not_required |= self.kept_out.names(as_declared)
        kept = {word: value for word, value in node.items() if _is_kept(word)}
        if self.document.minor == 0:
            kept = _modernise(kept)
        kept = self._without_kept_out(kept, not_required)
        children = {
            steps: self._write(
                sub, where, refs, depth + 1, not_required if steps[0] in COMBINED else frozenset()
            )
            for steps, sub in child_nodes(kept)
        }
        return replace_children(kept, children)

    def _refer(self, ref: Any, where: str, refs: dict[str, None]) -> str:
        """Return the reference to the definition of a reference's target in the document."""
        steps = tokens(ref)
        if not steps:
            raise Refused(where, "a $ref leads outside of the document", LOCAL)
        is_component = len(steps) == len(COMPONENTS) + 1 and steps[:-1] == COMPONENTS
        name = steps[-1] if is_component else pointer(steps)
        if name not in self._nodes:
            self._nodes[name] = self.document.target(ref, where)
        refs[name] = None
        return ref_to(("$defs", name))

    def _without_kept_out(
        self, node: dict[str, Any], not_required: frozenset[str]
    ) -> dict[str, Any]:
        """Leave out properties of the other direction, or refuse them where they could be sent."""
        # From responses they are removed later, in the data.
        node = self._leave_out(node) if self.direction == "response" else self._refuse(node)
        required = node.get("required")
        if isinstance(required, list):
            node = {**node, "required": [name for name in required if name not in not_required]}
        return node

    def _leave_out(self, node: dict[str, Any]) -> dict[str, Any]:
        properties = node.get("properties")
        if not isinstance(properties, dict):
            return node
        has = self.kept_out.has
        return {**node, "properties": {k: sub for k, sub in properties.items() if not has(sub)}}

    def _refuse(self, node: dict[str, Any]) -> dict[str, Any]:
        changed: dict[str, Any] = {}
        for word in ("properties", "patternProperties"):
            if isinstance(subs := node.get(word), dict):
                changed[word] = {name: self._unless_kept_out(sub) for name, sub in subs.items()}
        for word in ("additionalProperties", "unevaluatedProperties"):
            if word in node:
                changed[word] = self._unless_kept_out(node[word])
        if names := sorted(self._names_of_some(node)):
            changed["properties"] = {**changed.get("properties", {}), **dict.fromkeys(names, False)}
        return {**node, **changed}

    def _unless_kept_out(self, sub: Any) -> Any:
        return False if self.kept_out.has(sub) else sub

    def _names_of_some(self, node: dict[str, Any]) -> frozenset[str]:
        """Return the properties that some branches of an object reject, and others might accept."""
        forms = [self.kept_out.names(sub) for sub in alternatives_of(node) if sub != NULL]
        parts = [self.kept_out.names(sub) for sub in conditions_of(node)]
        refused = forms[0].intersection(*forms) if forms else frozenset()
        return frozenset().union(*parts, *forms) - refused


def _is_kept(word: Any) -> bool:
    return isinstance(word, str) and word not in FOR_READERS and not word.startswith("x-")


def _modernise(node: dict[str, Any]) -> dict[str, Any]:
    """Write exclusive bounds and `nullable` of OpenAPI 3.0 as draft 2020-12 has them."""
    for bound, flag in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(node.get(flag), bool):
            renamed = {bound: flag} if node[flag] else {}
            others = ((word, value) for word, value in node.items() if word != flag)
            node = {renamed.get(word, word): value for word, value in others}
    is_nullable = node.get("nullable") is True
    node = {word: value for word, value in node.items() if word != "nullable"}
    return _add_null(node) if is_nullable else node


def _add_null(node: dict[str, Any]) -> dict[str, Any]:
    if any(word in node for word in COMBINED):
        return {"anyOf": [node, NULL]}
    if isinstance(node.get("type"), str):
        node = {**node, "type": [node["type"], "null"]}
    if isinstance(node.get("enum"), list) and None not in node["enum"]:
        node = {**node, "enum": [*node["enum"], None]}
    return node


def _count_values(node: Any) -> int:
    """Count the JSON values of a schema."""
    count, level = 0, [node]
    while level:
        count += len(level)
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
    return count
