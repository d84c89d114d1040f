"""Whether a schema's references make it endless, or exponentially large or slow.

The schema is read as a graph. An edge without a label stays at the same value (`$ref`, `allOf`,
`anyOf`, ...); an edge with one goes on to a part of it (a property, the items, the other keys).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from toolhaft.schema.branches import are_exclusive, weight_of
from toolhaft.schema.document.references import tokens
from toolhaft.schema.document.walk import child_nodes, pointer, walk_schemas
from toolhaft.schema.faults import SchemaFault
from toolhaft.spec import Path

__all__ = ["IN_PLACE", "Recursion", "components_of", "recursion_faults", "recursion_of"]

DEFINITIONS = frozenset({"$defs", "definitions"})
IN_PLACE = frozenset({
    "allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then",
})  # fmt: skip
ITEMS = frozenset({"additionalItems", "contains", "items", "unevaluatedItems"})
UNIONS = ("anyOf", "oneOf")
REF = "$ref"
# Steps that the search for ambiguous recursion may take; a real schema takes a few hundred.
MAX_STEPS = 100_000


# A part of the value, and how often it is reached.
Counts: TypeAlias = dict[str, int]


class Edge(NamedTuple):
    keyword: str
    label: str | None
    target: int


class Graph(NamedTuple):
    """The subschemas of a schema by number, and where each of them leads."""

    root: Any
    steps: list[Path]
    nodes: list[Any]
    edges: list[list[Edge]]


def recursion_faults(schema: Any, max_expanded: int, max_ambiguity: int) -> list[SchemaFault]:
    """Faults of a schema whose references all resolve: the first kind that is found.

    `max_expanded` is the number of nodes with every reference that does not recurse written out;
    `max_ambiguity` how many forms of a recursive union may apply to the same part of a value.
    """
    graph = _graph(schema)
    in_place, groups = _in_place(graph)
    endless = [group for group in groups if _is_endless(group, in_place)]
    if endless:
        reason = "refers to itself without a step into the value"
        return [_fault(graph, group[-1], reason, "break the circle") for group in endless]
    of = _cycles(graph)
    order = [number for (number,) in groups]
    faults = _expansion(graph, of, max_expanded)
    return faults or _Ambiguity(graph, of, max_ambiguity).faults(order)


class Recursion(NamedTuple):
    """The cost of the recursion through a definition.

    `steps` is the work of the search for ambiguity in it, and `has_unions` is whether the search
    compared branches.
    """

    steps: int
    has_unions: bool
    is_sound: bool


def recursion_of(
    names: Collection[str], leaves: Iterable[str], definitions: Mapping[str, Any], most: int
) -> dict[str, Recursion]:
    """Analyse the recursion of some definitions, which refer to each other and to the leaves.

    No leaf leads back. A definition that is not sound makes each schema that has it faulty.
    """
    nodes = {**dict.fromkeys(leaves, True), **{name: definitions[name] for name in names}}
    graph = _graph({"$defs": nodes})._replace(root={"$defs": definitions})
    in_place, groups = _in_place(graph)
    search = _Ambiguity(graph, _cycles(graph), most)
    found = dict.fromkeys(names, Recursion(0, has_unions=False, is_sound=True))
    for group in groups:
        is_endless = _is_endless(group, in_place)
        for number in group:
            name = str(graph.steps[number][1]) if number else ""
            if name in found:
                here = Recursion(0, has_unions=False, is_sound=False)
                here = here if is_endless else search.recursion_at(number)
                found[name] = _join(found[name], here)
            search.counts.setdefault(number, {})
    return found


def _join(left: Recursion, right: Recursion) -> Recursion:
    return Recursion(
        left.steps + right.steps,
        left.has_unions or right.has_unions,
        left.is_sound and right.is_sound,
    )


def _in_place(graph: Graph) -> tuple[list[list[int]], list[list[int]]]:
    """Return the nodes that each node leads to in the same value, and the circles of those."""
    in_place = [[e.target for e in edges if e.label is None] for edges in graph.edges]
    return in_place, components_of(in_place)


def _is_endless(group: list[int], in_place: list[list[int]]) -> bool:
    return len(group) > 1 or group[0] in in_place[group[0]]


def _cycles(graph: Graph) -> dict[int, int]:
    """Number the circle that each node is in."""
    cycles = components_of([[e.target for e in edges] for edges in graph.edges])
    return {number: index for index, group in enumerate(cycles) for number in group}


def _graph(schema: Any) -> Graph:
    everything = list(walk_schemas(schema))
    graph = Graph(schema, [s for s, _ in everything], [n for _, n in everything], [])
    number = {tuple(map(str, steps)): index for index, steps in enumerate(graph.steps)}
    for steps, node in everything:
        here = tuple(map(str, steps))
        edges = [
            Edge(str(more[0]), _label(more), number[*here, *map(str, more)])
            for more, _ in child_nodes(node)
            if more[0] not in DEFINITIONS
        ]
        if isinstance(node, dict) and REF in node:
            edges.append(Edge(REF, None, number[tokens(node[REF]) or ()]))
        graph.edges.append(edges)
    return graph


def _label(steps: Path) -> str | None:
    keyword = str(steps[0])
    if keyword in IN_PLACE:
        return None
    if keyword in ("patternProperties", "prefixItems", "properties"):
        return pointer(steps)
    return "items" if keyword in ITEMS else "properties"


def components_of(targets: Sequence[Sequence[int]]) -> list[list[int]]:
    """Find strongly connected components (Tarjan), each after the components that it leads to."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    components: list[list[int]] = []
    open_: list[int] = []
    done: set[int] = set()
    for start in range(len(targets)):
        if start in index:
            continue
        index[start] = low[start] = len(index)
        open_.append(start)
        path: list[tuple[int, Iterator[int]]] = [(start, iter(targets[start]))]
        while path:
            here, rest = path[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    open_.append(target)
                    path.append((target, iter(targets[target])))
                    break
                if target not in done:
                    low[here] = min(low[here], index[target])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[here])
                if low[here] == index[here]:
                    group = [open_.pop()]
                    while group[-1] != here:
                        group.append(open_.pop())
                    done.update(group)
                    components.append(group)
    return components


def _expansion(graph: Graph, of: Mapping[int, int], most: int) -> list[SchemaFault]:
    """The size with references written out; one that recurs counts as the reference it stays."""
    inlined = [
        [e.target for e in edges if e.keyword != REF or of[e.target] != of[index]]
        for index, edges in enumerate(graph.edges)
    ]
    size: dict[int, int] = {}
    for (number,) in components_of(inlined):
        size[number] = 1 + sum(size[target] for target in inlined[number])
        if size[number] > most:
            reason = f"more than {most} nodes when its references are written out"
            return [_fault(graph, number, reason, "refer to each definition less often")]
    return []


class _Entangled(Exception):
    """The search has taken too many steps."""


class _Ambiguity:
    """Recursion in which one part of a value is checked again by several forms at every level.

    Its cost doubles with each level of the value. `counts` says for a node how often recursion
    through it reaches the same part.
    """

    def __init__(self, graph: Graph, of: Mapping[int, int], most: int) -> None:
        self.graph = graph
        self.of = of
        self.most = most
        self.left = MAX_STEPS
        self.has_unions = False
        self.counts: dict[int, Counts] = {}

    def faults(self, order: Iterable[int]) -> list[SchemaFault]:
        """Search the nodes, each after all that it leads to in place."""
        for number in order:
            try:
                counts = self.counts[number] = self.count_paths(number)
            except _Entangled:
                reason = "recursion too entangled to check"
                return [_fault(self.graph, number, reason, "simplify it")]
            if max(counts.values(), default=0) > self.most:
                reason = (
                    "recursive branches that nothing distinguishes: the cost doubles at every level"
                )
                fix = "give each form a property with a const of its own"
                return [_fault(self.graph, number, reason, fix)]
        return []

    def recursion_at(self, number: int) -> Recursion:
        """Search one node by itself, after all that it leads to in place."""
        self.left, self.has_unions = MAX_STEPS, False
        try:
            counts = self.counts[number] = self.count_paths(number)
        except _Entangled:
            return Recursion(MAX_STEPS + 1, self.has_unions, is_sound=False)
        is_sound = max(counts.values(), default=0) <= self.most
        return Recursion(MAX_STEPS - self.left, self.has_unions, is_sound)

    def count_paths(self, number: int) -> Counts:
        total: Counts = {}
        edges = [e for e in self.graph.edges[number] if self.of[e.target] == self.of[number]]
        for keyword in dict.fromkeys(edge.keyword for edge in edges):
            same = [edge for edge in edges if edge.keyword == keyword]
            for label, reached in self.targets_by_part(same).items():
                counts = [count for _, count in reached]
                apart = keyword in UNIONS and self.are_exclusive([target for target, _ in reached])
                total[label] = total.get(label, 0) + (max(counts) if apart else sum(counts))
        return total

    def targets_by_part(self, edges: Iterable[Edge]) -> dict[str, list[tuple[int, int]]]:
        """For each part of the value: the nodes through which it is reached, and how often."""
        targets: dict[str, list[tuple[int, int]]] = {}
        for edge in edges:
            counts = {edge.label: 1} if edge.label else self.counts[edge.target]
            self.spend(len(counts))
            for label, count in counts.items():
                targets.setdefault(label, []).append((edge.target, count))
        return targets

    def are_exclusive(self, targets: Sequence[int]) -> bool:
        if len(targets) == 1:
            return True
        self.has_unions = True
        forms = [self.graph.nodes[target] for target in targets]
        for form in forms:
            self.spend(weight_of(self.graph.root, form))
        return are_exclusive(self.graph.root, forms)

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise _Entangled


def _fault(graph: Graph, number: int, reason: str, fix: str) -> SchemaFault:
    return SchemaFault(pointer(graph.steps[number]), reason, fix)
