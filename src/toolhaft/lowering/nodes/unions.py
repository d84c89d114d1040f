"""Unions: branches as they are where they can be told apart, tagged where they cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import ASSERTIONS, FAMILIES, GENERAL, asserts, pointer
from toolhaft.lowering.kinds import type_names
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens
from toolhaft.lowering.lenses.nullable import nullable_lens
from toolhaft.lowering.lenses.unions import BranchSignature, Choice, UnionLens
from toolhaft.lowering.lenses.wrap import WrapLens
from toolhaft.lowering.nodes.anything import NoValue, closed, lower_anything, lower_nothing
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.null import with_null
from toolhaft.lowering.nodes.requirements import requirement_words

__all__ = ["lower_kinds", "lower_union"]

_OBJECT = frozenset(("object",))
_NULL = frozenset(("null",))


class _Branch(NamedTuple):
    """One branch: the original, what it became, and how it looks on the wire."""

    node: Node
    carried: LoweredNode
    claim: BranchSignature


def lower_union(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A node with `anyOf` or `oneOf`, alone or beside other keywords."""
    word = "anyOf" if "anyOf" in body else "oneOf"
    base = {key: value for key, value in body.items() if key != word}
    if not any(key in ASSERTIONS for key in base):
        return _alternatives(run, word, body[word], at)
    words = requirement_words(word, body[word])
    beside = run.trait("union siblings") and run.dialect.takes(word, body[word])
    kept = run.attempt(lambda: _beside(run, word, base, body[word], at)) if beside else None
    if kept is not None:
        return _beside(run, word, base, body[word], at)
    if words:
        run.note(at, words)
        run.lose(at, word, "hinted", "said in the description")
        return run.body(base, at)
    return _distributed(run, word, base, body[word], at)


def _beside(
    run: LoweringContext, word: str, base: Mapping[str, Any], nodes: Sequence[Node], at: str
) -> LoweredNode:
    outer = run.body(base, at)
    wires, lenses = [], []
    for index, node in enumerate(nodes):
        branch = run.lower(node, pointer(at, word, index))
        wires.append(branch.wire)
        lenses.append(branch.lens)
    lens = outer.lens if all(each is IDENTITY for each in lenses) else UnionLens(())
    return LoweredNode({**outer.wire, word: wires}, lens)


def _distributed(
    run: LoweringContext, word: str, base: Mapping[str, Any], nodes: Sequence[Node], at: str
) -> LoweredNode:
    """Each branch together with what stands beside the union."""
    return _alternatives(run, word, [{"allOf": [base, node]} for node in nodes], at)


def lower_kinds(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A node of several kinds as a union of nodes of one kind each."""
    names = type_names(body) or ["object", "array", "string", "number", "boolean", "null"]
    if "number" in names and "integer" in names:
        names = [name for name in names if name != "integer"]
    parts = []
    for name in names:
        family = FAMILIES["number" if name == "integer" else name] | GENERAL
        parts.append({"type": name} | {k: v for k, v in body.items() if k in family})
    return _nullable(run, "anyOf", [(part, at) for part in parts], at)


def _alternatives(run: LoweringContext, word: str, nodes: Sequence[Node], at: str) -> LoweredNode:
    possible = [
        (node, pointer(at, word, index)) for index, node in enumerate(nodes) if run.kinds(node)
    ]
    if not possible:
        return lower_nothing(run, at)
    if len(possible) == 1:
        return run.lower(possible[0][0], at)
    anything = word == "anyOf" and not all(asserts(node) for node, _ in possible)
    if anything and run.trait("typed nodes"):
        return lower_anything(run, at)
    return _nullable(run, word, possible, at)


def _nullable(
    run: LoweringContext, word: str, possible: Sequence[tuple[Node, str]], at: str
) -> LoweredNode:
    """A union in which null is no branch of its own where the target has no type for it."""
    others = [each for each in possible if run.kinds(each[0]) != _NULL]
    if run.trait("type null") or len(others) in (0, len(possible)):
        return _combined(run, word, _branches(run, possible, at), at)
    carried = _combined(run, word, _branches(run, others, at), at)
    taken = any("null" in run.kinds(node) for node, _ in others)
    if taken and word == "oneOf":
        run.lose(at, word, "widened", "more than one form may hold")
    wire = carried.wire if taken else with_null(run, carried.wire)
    return LoweredNode(wire, carried.lens if taken else nullable_lens(carried.lens))


def _branches(run: LoweringContext, nodes: Sequence[tuple[Node, str]], at: str) -> list[_Branch]:
    """The branches that admit any value."""
    found = []
    for node, here in nodes:
        with suppress(NoValue):
            found.append(_branch(run, node, here))
    if not found:
        raise NoValue(at)
    return found


def _branch(run: LoweringContext, node: Node, at: str) -> _Branch:
    carried = run.lower(node, at)
    return _Branch(node, carried, _claim(run, carried.wire))


def _claim(run: LoweringContext, wire: Mapping[str, Any]) -> BranchSignature:
    """How the lowered branch can be known."""
    found = run.wire_kinds(wire)
    if found != _OBJECT:
        return BranchSignature(found)
    node = run.wire_target(wire)
    constants = []
    for key, member in node.get("properties", {}).items():
        if key in node.get("required", ()) and isinstance(member, dict):
            values = [member["const"]] if "const" in member else member.get("enum", [])
            if values and not member.get("nullable"):
                constants.append((key, tuple(values)))
    return BranchSignature(found, tuple(constants))


def _combined(run: LoweringContext, word: str, branches: list[_Branch], at: str) -> LoweredNode:
    if len(branches) == 1:
        return branches[0].carried
    apart = all(
        one.claim.apart_from(other.claim)
        for i, one in enumerate(branches)
        for other in branches[:i]
    )
    same = all(branch.carried.lens is IDENTITY for branch in branches)
    keyword = word
    if word == "oneOf" and not (run.dialect.takes(word, []) and _unchanged(run, at, branches)):
        keyword = "anyOf"
        if not apart:
            run.lose(at, word, "widened", "more than one form may hold")
    if not same:
        branches = _tagged(run, branches, at)
    wires = [branch.carried.wire for branch in branches]
    return LoweredNode({keyword: wires} if len(wires) > 1 else wires[0], _union_lens(run, branches))


def _unchanged(run: LoweringContext, at: str, branches: list[_Branch]) -> bool:
    """Whether each branch means on the wire exactly what it meant: `oneOf` counts on it."""
    lost = any(loss.pointer.startswith(at + "/") for loss in run.losses)
    alike = all(branch.carried.lens is IDENTITY for branch in branches)
    nullable = run.trait("type null") is False
    return alike and not lost and not nullable and not run.trait("closed objects")


def _tagged(run: LoweringContext, branches: list[_Branch], at: str) -> list[_Branch]:
    """Give a tag to branches that share values on the wire and are read differently."""
    tagged: set[int] = set()
    while clash := _clashing(branches) - tagged:
        for index in clash:
            branches[index] = _tag(run, branches[index], f"option_{index + 1}")
        tagged |= clash
    if tagged:
        run.lose(at, "anyOf", "encoded", "forms that could be confused carry a tag")
    return branches


def _clashing(branches: list[_Branch]) -> set[int]:
    return {
        index
        for i, one in enumerate(branches)
        for j, other in enumerate(branches)
        if i != j
        and one.carried.lens != other.carried.lens
        and not one.claim.apart_from(other.claim)
        for index in (i, j)
    }


def _tag(run: LoweringContext, branch: _Branch, tag: str) -> _Branch:
    wire, lens = branch.carried
    carried = LoweredNode(closed(run, {tag: wire}), WrapLens(tag, lens))
    return branch._replace(carried=carried, claim=BranchSignature(frozenset({"object"}), (), tag))


def _union_lens(run: LoweringContext, branches: list[_Branch]) -> NodeLens:
    lenses = [branch.carried.lens for branch in branches]
    if all(lens == lenses[0] for lens in lenses):
        return lenses[0]
    return UnionLens(
        tuple(
            Choice(claim, carried.lens, run.acceptor(node), run.taker(carried))
            for node, carried, claim in branches
        )
    )
