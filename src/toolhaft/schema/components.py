"""Definitions that many schemas share, such as the components of a document, analysed once each.

A schema that refers to them is a `View`: its facts follow from its own nodes and from its
definitions, by sums and unions. Its faults are the ones that `faults_of` finds. If the facts do not
show that it has none, as much of the schema is read as decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft.jsonio.jsondata import NotPlain, read_plain
from toolhaft.jsonio.primitives import write_plain
from toolhaft.schema.backtracking import explodes
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.document.references import is_uri, tokens
from toolhaft.schema.document.walk import MAX_NODES, nodes_of
from toolhaft.schema.draft import CURRENT, draft_of
from toolhaft.schema.engine import compiled, is_linear
from toolhaft.schema.facts import facts_of_nodes
from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.schema.invisible import invisible_faults
from toolhaft.schema.limits import LINKS, faults_of, faults_of_node, faults_of_patterns, measure
from toolhaft.schema.recursion import (
    MAX_STEPS,
    Recursion,
    components_of,
    recursion_faults,
    recursion_of,
)

__all__ = ["Components", "View", "view_of"]

DEFINITIONS: Final = "$defs"
NO_RECURSION: Final = Recursion(0, has_unions=False, is_sound=True)
Accepts: TypeAlias = Callable[[Any], bool]


class Part(NamedTuple):
    """The facts of one definition, or of a schema without its definitions.

    `refs` names the definition of each reference, and `has_links` is whether a keyword links
    schemas. A part that is `foreign` refers elsewhere or is written in older words; one that is
    `plain` has no marks, and the engine reads its bounds as they are.
    """

    node: Any
    values: int = 0
    text: int = 0
    nodes: int = 0
    refs: tuple[str, ...] = ()
    patterns: frozenset[str] = frozenset()
    has_links: bool = False
    is_oversize: bool = False
    has_faults: bool = False
    is_foreign: bool = False
    is_plain: bool = True


class PatternFacts(NamedTuple):
    """Whether engines can run a pattern, in linear time, or perhaps in exponential time."""

    runs: bool
    is_linear: bool
    explodes: bool


class View(NamedTuple):
    """The facts about one schema, a part of whose definitions are shared.

    `faults` are all its faults. If it `is_plain`, it has no marks, and its gate is the schema
    itself; if it `is_current`, it is in 2020-12 terms. If it `is_readable`, it has no characters
    that a person cannot see, and no pattern that may take exponential time. `accepts` returns the
    verdict of the check that all schemas of the document share; None if there is none.
    """

    faults: list[SchemaFault]
    limits: DefinitionLimits
    is_plain: bool = False
    is_current: bool = False
    is_readable: bool = False
    accepts: Callable[[], Accepts | None] | None = None


class Components:
    """The definitions of a document, each under one name.

    >>> components = Components(DefinitionLimits())
    >>> name = {"type": "string"}
    >>> for schema in ({"$ref": "#/$defs/name"}, {"items": {"$ref": "#/$defs/name"}}):
    ...     print(components.view({**schema, "$defs": {"name": name}}).faults)
    []
    []
    """

    def __init__(self, limits: DefinitionLimits) -> None:
        self.limits = limits
        self._parts: dict[str, Part] = {}
        self._patterns: dict[str, PatternFacts] = {}
        # The definitions from which recursion is read: without the malformed ones.
        self._nodes: dict[str, Any] = {}
        self._recursion: dict[str, Recursion] = {}
        # The number of nodes of a definition with its references written out.
        self._expanded: dict[str, int] = {}
        # Definitions as they were first written.
        self._written: dict[str, tuple[str, Any]] = {}
        self._check = _SharedCheck()

    def add(self, definitions: Mapping[str, Any]) -> None:
        """Analyse definitions that refer to nothing but each other."""
        for name, node in definitions.items():
            if name not in self._parts:
                part = self._parts[name] = _read_definition(name, node, self.limits)
                is_usable = not (part.is_oversize or part.has_faults or part.is_foreign)
                self._nodes[name] = node if is_usable else {}

    def read(self, schema: Any) -> Any:
        """Copy a schema as `read_plain` does, but for definitions that are known as written there.

        Raises:
            NotPlain: as `read_plain`.
        """
        definitions = schema.get(DEFINITIONS) if type(schema) is dict else None
        if type(definitions) is not dict or not all(type(name) is str for name in definitions):
            return read_plain(schema)
        own = read_plain({**schema, DEFINITIONS: {}})
        try:
            shared = {name: self._known(name, node) for name, node in definitions.items()}
        except (NotPlain, RecursionError):  # with its place, or too deep to be used
            return read_plain(schema)
        return {**own, DEFINITIONS: shared}

    def _known(self, name: str, node: Any) -> Any:
        # Equal numbers may be written otherwise, and keys may be in another order.
        text = write_plain(node)
        known_text, known = self._written.get(name, (None, None))
        if text is not None and text == known_text:
            return known
        copied = read_plain(node)
        text = text or repr(copied)
        known_text, known = self._written.setdefault(name, (text, copied))
        return known if known_text == text else copied

    def view(self, schema: dict[str, Any], *, is_cut: bool = False) -> View:
        """Analyse a schema; its definitions are known, or are from now on.

        With `is_cut`, definitions that were added may be left open here, as `{}`.
        """
        definitions = schema.get(DEFINITIONS, {})
        if not is_cut and isinstance(definitions, dict):
            self.add(definitions)
        parts = self._parts_of(definitions, is_cut=is_cut)
        own = {word: value for word, value in schema.items() if word != DEFINITIONS}
        has_definitions = DEFINITIONS in schema
        root = _read(own, {**own, DEFINITIONS: {}} if has_definitions else own, self.limits)
        if parts is None:
            return View(faults_of(schema, self.limits), self.limits)
        is_current = _is_current(root, parts)
        # What links nothing and has no older words means the same in each draft.
        is_known = is_current or not (parts or root.has_links or root.is_foreign)
        faults = self._faults(schema, root, parts) if is_known else faults_of(schema, self.limits)
        if faults:
            return View(faults, self.limits)
        is_plain = all(part.is_plain for part in (root, *parts.values()))
        patterns = [self._pattern(pattern) for pattern in _patterns(root, parts)]
        accepts = None
        is_linear = all(pattern.is_linear for pattern in patterns)
        if is_plain and is_current and is_linear and not is_cut:
            accepts = self._check.add(own, definitions)
        is_readable = not any(pattern.explodes for pattern in patterns)
        return View([], self.limits, is_plain, is_current, is_readable, accepts)

    def _parts_of(self, definitions: Any, *, is_cut: bool) -> dict[str, Part] | None:
        """Return the facts of definitions; None if another one is known by such a name."""
        if not isinstance(definitions, dict):
            return None
        parts = {}
        for name, node in definitions.items():
            part = self._parts.get(name)
            if part is not None and is_cut and node == {} and part.node is not node:
                part = _read_definition(name, node, self.limits)
            if part is None or part.node is not node:
                return None
            parts[name] = part
        return parts

    def _faults(
        self, schema: dict[str, Any], root: Part, parts: dict[str, Part]
    ) -> list[SchemaFault]:
        """Return what `faults_of` returns of a schema."""
        limits = self.limits
        if self._is_oversize((root, *parts.values())):
            return faults_of(schema, limits)
        if root.has_faults or any(part.has_faults for part in parts.values()):
            faulty = {name: part.node if part.has_faults else True for name, part in parts.items()}
            return faults_of({**schema, DEFINITIONS: faulty} if parts else schema, limits)
        patterns = _patterns(root, parts)
        if len(patterns) > limits.max_patterns:
            return faults_of(schema, limits)
        if not all(self._pattern(pattern).runs for pattern in patterns):
            return faults_of(schema, limits)
        has_links = root.has_links or any(part.has_links for part in parts.values())
        if not has_links or self._recurs_soundly(root, parts):
            return []
        return recursion_faults(schema, limits.max_expanded, limits.max_ambiguity)

    def _is_oversize(self, parts: tuple[Part, ...]) -> bool:
        limits = self.limits
        return (
            any(part.is_oversize for part in parts)
            or len(parts) - 1 > limits.max_properties
            or sum(part.values for part in parts) > limits.max_nodes
            or sum(part.text for part in parts) > limits.max_text
            or sum(part.nodes for part in parts) > MAX_NODES
        )

    def _pattern(self, pattern: str) -> PatternFacts:
        """Return the facts of a pattern, which is read once."""
        if pattern not in self._patterns:
            runs = not any(faults_of_patterns({pattern: ()}, self.limits))
            linear = runs and is_linear(pattern)
            may_explode = runs and not linear and explodes(pattern)
            self._patterns[pattern] = PatternFacts(runs, linear, may_explode)
        return self._patterns[pattern]

    def _recurs_soundly(self, root: Part, parts: Mapping[str, Part]) -> bool:
        """Check whether the facts show that the references have no fault."""
        self._analyse_recursion(parts)
        recursion = [self._recursion[name] for name in parts]
        if all(part is self._parts[name] for name, part in parts.items()):
            expanded: Mapping[str, int] = self._expanded
        elif any(each.has_unions for each in recursion):
            return False  # a branch that is left open may distinguish nothing
        else:
            expanded = _expand(parts, _groups(parts), {})
        most = self.limits.max_expanded
        return (
            all(each.is_sound for each in recursion)
            and sum(each.steps for each in recursion) <= MAX_STEPS
            and all(expanded[name] <= most for name in parts)
            and root.nodes + sum(expanded[name] for name in root.refs) <= most
        )

    def _analyse_recursion(self, reached: Iterable[str]) -> None:
        """Analyse what these definitions lead to, as far as that is not known."""
        new: dict[str, Part] = {}
        queue = [name for name in reached if name not in self._recursion]
        for name in queue:  # which grows meanwhile
            if name not in new:
                part = self._parts[name]
                new[name] = part if self._nodes[name] is part.node else Part({}, nodes=1)
                queue += [ref for ref in new[name].refs if ref not in self._recursion]
        groups = _groups(new)
        self._expanded |= _expand(new, groups, self._expanded)
        self._recursion |= dict.fromkeys(new, NO_RECURSION)
        recursive = {name for group in groups for name in group if _recurs(group, new[name])}
        if recursive:
            names = [name for name in new if name in recursive]
            leaves = {ref for name in names for ref in new[name].refs} - recursive
            most = self.limits.max_ambiguity
            self._recursion |= recursion_of(names, leaves, self._nodes, most)


def view_of(schema: Any, limits: DefinitionLimits | None = None) -> View:
    """Analyse a schema that shares nothing with another one.

    >>> view = view_of({"type": "object", "properties": {"n": {"type": "integer"}}})
    >>> view.faults, view.is_plain, view.is_readable
    ([], True, True)
    """
    limits = limits or DefinitionLimits()
    if type(schema) is not dict:
        return View(faults_of(schema, limits), limits)
    return Components(limits).view(schema)._replace(accepts=None)


class _SharedCheck:
    """One compiled check of many schemas and of the definitions that they share.

    It is compiled when it is first used; a schema that is added later has its own.
    """

    def __init__(self) -> None:
        self._roots: dict[str, Any] = {}
        self._definitions: dict[str, Any] = {}
        self._compiled: tuple[Accepts | None, frozenset[str]] | None = None

    def add(self, root: dict[str, Any], definitions: Mapping[str, Any]) -> Callable[[], Any]:
        """Add a schema without faults, and return what returns its verdict."""
        key = f"t{len(self._roots)}"
        self._roots[key] = {word: value for word, value in root.items() if word != "$schema"}
        self._definitions |= definitions
        return partial(self.accepts, key)

    def accepts(self, key: str) -> Accepts | None:
        """Return the verdict of one of them."""
        if self._compiled is None:
            self._compiled = self._compile()
        accepts, keys = self._compiled
        if accepts is None or key not in keys:
            return None
        return lambda data: accepts({key: data})

    def _compile(self) -> tuple[Accepts | None, frozenset[str]]:
        roots = self._roots.copy()
        schema = {"properties": roots, DEFINITIONS: self._definitions.copy()}
        try:
            return compiled(schema), frozenset(roots)
        except SchemaRefused:
            return None, frozenset()


def _read_definition(name: str, node: Any, limits: DefinitionLimits) -> Part:
    """Read a definition where it stands, as its depth and its name count."""
    part = _read(node, {DEFINITIONS: {name: node}}, limits)
    outside = len(DEFINITIONS)
    return part._replace(values=part.values - 2, text=part.text - outside, nodes=part.nodes - 1)


def _read(node: Any, whole: dict[str, Any], limits: DefinitionLimits) -> Part:
    """Read the facts of a schema that stands in another one."""
    size = measure(whole, limits)
    try:
        nodes = [] if size.fault else nodes_of(whole)
    except SchemaRefused:
        nodes = []
    if not nodes:
        return Part(node, is_oversize=True)
    has_faults = any(faults_of_node((), each, None, limits) for each in nodes) or bool(
        not size.is_visible and invisible_faults(whole)
    )
    if has_faults:
        return Part(node, size.values, size.text, len(nodes), has_faults=True)
    facts = facts_of_nodes(nodes)
    refs = [_definition_of(ref) for ref in facts.refs]
    holds_definitions = DEFINITIONS in facts.words and any(
        isinstance(each, dict) and DEFINITIONS in each for each in nodes[1:]
    )
    return Part(
        node,
        size.values,
        size.text,
        len(nodes),
        tuple(ref for ref in refs if ref is not None),
        facts.patterns,
        has_links=not LINKS.isdisjoint(facts.words),
        is_foreign=None in refs or holds_definitions or not facts.is_current,
        is_plain=not (facts.marks or facts.has_whole_bounds),
    )


def _definition_of(ref: Any) -> str | None:
    """Return the name of the definition that a reference leads to; None if it leads elsewhere."""
    steps = tokens(ref)
    is_definition = steps is not None and steps[:-1] == (DEFINITIONS,) and is_uri(ref)
    return steps[-1] if steps and is_definition else None


def _is_current(root: Part, parts: Mapping[str, Part]) -> bool:
    """Check that a schema is in 2020-12 terms and refers to nothing but these definitions."""
    everything = (root, *parts.values())
    return draft_of(root.node) in (None, CURRENT) and not any(
        part.is_foreign or not all(name in parts for name in part.refs) for part in everything
    )


def _patterns(root: Part, parts: Mapping[str, Part]) -> frozenset[str]:
    return root.patterns.union(*(part.patterns for part in parts.values()))


def _groups(parts: Mapping[str, Part]) -> list[set[str]]:
    """Group definitions that lead to each other; each group comes after those it leads to."""
    names = list(parts)
    number = {name: index for index, name in enumerate(names)}
    targets = [[number[ref] for ref in part.refs if ref in number] for part in parts.values()]
    return [{names[index] for index in group} for group in components_of(targets)]


def _recurs(group: set[str], part: Part) -> bool:
    return len(group) > 1 or not group.isdisjoint(part.refs)


def _expand(
    parts: Mapping[str, Part], groups: Iterable[set[str]], known: Mapping[str, int]
) -> dict[str, int]:
    """Count the nodes of definitions with each reference written out that does not recurse."""
    expanded: dict[str, int] = {}
    for members in groups:
        for name in members:
            outside = (ref for ref in parts[name].refs if ref not in members)
            sizes = (expanded[ref] if ref in expanded else known[ref] for ref in outside)
            expanded[name] = parts[name].nodes + sum(sizes)
    return expanded
