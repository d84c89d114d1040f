"""Unions: branches as they are where their values are distinct, tagged where they are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import ASSERTIONS, FAMILIES, GENERAL, UNEVALUATED, asserts, pointer
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens
from toolhaft.lowering.lenses.objects import WrapLens
from toolhaft.lowering.lenses.unions import BranchSignature, Choice, UnionLens, nullable_lens
from toolhaft.lowering.nodes.anything import NoValue, lower_anything, lower_nothing
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.null import with_null
from toolhaft.lowering.nodes.sentences import requirement_words
from toolhaft.schema.document.kinds import names_of

__all__ = ["lower_kinds", "lower_union"]

_OBJECT = frozenset(("object",))
_NULL = frozenset(("null",))


class _Branch(NamedTuple):
    """One branch: the original node, the lowered one, and how its values look on the wire."""

    node: Node
    lowered: LoweredNode
    signature: BranchSignature


def lower_union(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a node with `anyOf` or `oneOf`, alone or beside other keywords."""
    word = "anyOf" if "anyOf" in body else "oneOf"
    base = {key: value for key, value in body.items() if key != word}
    if not any(key in ASSERTIONS for key in base):
        return _lower_branches(context, word, body[word], at)
    words = requirement_words(word, body[word])
    beside = context.trait("union siblings") and context.dialect.takes(word, body[word])
    unevaluated = _untaken_unevaluated(context, base)
    if unevaluated and word == "anyOf" and not words:
        base = _report_unevaluated(context, base, unevaluated, at, keeps_base=beside)
    elif unevaluated:
        beside = False  # with each branch they say the same of what it and the others declare
    exact = (
        context.lower_if_exact(lambda: _lower_beside(context, word, base, body[word], at))
        if beside
        else None
    )
    if exact is not None:
        return _lower_beside(context, word, base, body[word], at)
    if words:
        context.add_note(at, words)
        context.add_loss(at, word, "hinted", "said in the description")
        return context.lower_body(base, at)
    return _lower_distributed(context, word, base, body[word], at)


def _untaken_unevaluated(context: LoweringContext, base: Mapping[str, Any]) -> list[str]:
    """Return the keywords beside a union that look into its branches, if the target lacks them."""
    return [
        keyword
        for keyword in UNEVALUATED
        if base.get(keyword, True) is not True and not context.dialect.takes(keyword, base[keyword])
    ]


def _report_unevaluated(
    context: LoweringContext,
    base: Mapping[str, Any],
    keywords: list[str],
    at: str,
    *,
    keeps_base: bool,
) -> dict[str, Any]:
    """Report the limits that cannot be expressed for values that fit several branches at once."""
    for keyword in keywords:
        if keeps_base:
            context.add_loss(at, keyword, "widened", "what a branch declares cannot be told apart")
        else:
            reason = "no value of several branches, with what only some of them declare"
            context.add_loss(at, keyword, "narrowed", reason)
    dropped = keywords if keeps_base else []
    return {key: value for key, value in base.items() if key not in dropped}


def _lower_beside(
    context: LoweringContext, word: str, base: Mapping[str, Any], nodes: Sequence[Node], at: str
) -> LoweredNode:
    outer = context.lower_body(base, at)
    wires, lenses = [], []
    for index, node in enumerate(nodes):
        branch = context.lower(node, pointer(at, word, index))
        wires.append(branch.wire)
        lenses.append(branch.lens)
    lens = outer.lens if all(each is IDENTITY for each in lenses) else UnionLens(())
    return LoweredNode({**outer.wire, word: wires}, lens)


def _lower_distributed(
    context: LoweringContext, word: str, base: Mapping[str, Any], nodes: Sequence[Node], at: str
) -> LoweredNode:
    """Lower each branch together with the keywords beside the union."""
    # These keywords look into the keywords beside them, so they stay outside the `allOf`.
    outer = {key: base[key] for key in UNEVALUATED if key in base}
    inner = {key: value for key, value in base.items() if key not in outer}
    branches = [{**outer, "allOf": [inner, node]} for node in nodes]
    return _lower_branches(context, word, branches, at)


def lower_kinds(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a node of several kinds as a union of nodes of one kind each."""
    names = names_of(body) or ("object", "array", "string", "number", "boolean", "null")
    if "number" in names and "integer" in names:
        names = tuple(name for name in names if name != "integer")
    parts = []
    for name in names:
        family = FAMILIES["number" if name == "integer" else name] | GENERAL
        parts.append({"type": name} | {k: v for k, v in body.items() if k in family})
    return _lower_nullable(context, "anyOf", [(part, at) for part in parts], at)


def _lower_branches(
    context: LoweringContext, word: str, nodes: Sequence[Node], at: str
) -> LoweredNode:
    possible = [
        (node, pointer(at, word, index)) for index, node in enumerate(nodes) if context.kinds(node)
    ]
    if not possible:
        return lower_nothing(context, at)
    if len(possible) == 1:
        return context.lower(possible[0][0], at)
    anything = word == "anyOf" and not all(asserts(node) for node, _ in possible)
    if anything and context.trait("typed nodes"):
        return lower_anything(context, at)
    return _lower_nullable(context, word, possible, at)


def _lower_nullable(
    context: LoweringContext, word: str, possible: Sequence[tuple[Node, str]], at: str
) -> LoweredNode:
    """Lower a union; null is a flag and not a branch where the target has no type for it."""
    non_null = [each for each in possible if context.kinds(each[0]) != _NULL]
    if context.trait("type null") or len(non_null) in (0, len(possible)):
        return _combine_branches(context, word, _possible_branches(context, possible, at), at)
    lowered = _combine_branches(context, word, _possible_branches(context, non_null, at), at)
    has_null = any("null" in context.kinds(node) for node, _ in non_null)
    if has_null and word == "oneOf":
        context.add_loss(at, word, "widened", "more than one form may hold")
    wire = lowered.wire if has_null else with_null(context, lowered.wire)
    return LoweredNode(wire, lowered.lens if has_null else nullable_lens(lowered.lens))


def _possible_branches(
    context: LoweringContext, nodes: Sequence[tuple[Node, str]], at: str
) -> list[_Branch]:
    """Lower the branches, without branches that accept no value."""
    branches = []
    for node, here in nodes:
        with suppress(NoValue):
            branches.append(_lower_branch(context, node, here))
    if not branches:
        raise NoValue(at)
    return branches


def _lower_branch(context: LoweringContext, node: Node, at: str) -> _Branch:
    lowered = context.lower(node, at)
    return _Branch(node, lowered, _signature_of(context, lowered.wire))


def _signature_of(context: LoweringContext, wire: Mapping[str, Any]) -> BranchSignature:
    """Return the features that distinguish a lowered branch's values from the others."""
    kinds = context.wire_kinds(wire)
    if kinds != _OBJECT:
        return BranchSignature(kinds)
    node = context.wire_target(wire)
    constants = []
    for key, member in node.get("properties", {}).items():
        if key in node.get("required", ()) and isinstance(member, dict):
            values = [member["const"]] if "const" in member else member.get("enum", [])
            if values and not member.get("nullable"):
                constants.append((key, tuple(values)))
    return BranchSignature(kinds, tuple(constants))


def _combine_branches(
    context: LoweringContext, word: str, branches: list[_Branch], at: str
) -> LoweredNode:
    if len(branches) == 1:
        return branches[0].lowered
    distinct = all(
        left.signature.is_distinct_from(right.signature)
        for i, left in enumerate(branches)
        for right in branches[:i]
    )
    all_unchanged = all(branch.lowered.lens is IDENTITY for branch in branches)
    keyword = word
    if word == "oneOf" and not (
        context.dialect.takes(word, []) and _is_unchanged(context, at, branches)
    ):
        keyword = "anyOf"
        if not distinct:
            context.add_loss(at, word, "widened", "more than one form may hold")
    if not all_unchanged:
        branches = _tag_ambiguous(context, branches, at)
    wires = [branch.lowered.wire for branch in branches]
    return LoweredNode({keyword: wires}, _union_lens(context, branches))


def _is_unchanged(context: LoweringContext, at: str, branches: list[_Branch]) -> bool:
    """Return whether each branch accepts the same values on the wire, as `oneOf` needs."""
    lost = any(loss.pointer.startswith(at + "/") for loss in context.losses)
    same_values = all(branch.lowered.lens is IDENTITY for branch in branches)
    nullable = context.trait("type null") is False
    return same_values and not lost and not nullable and not context.trait("closed objects")


def _tag_ambiguous(context: LoweringContext, branches: list[_Branch], at: str) -> list[_Branch]:
    """Add a tag to branches that share values on the wire and are read differently."""
    tagged: set[int] = set()
    while clash := _clashing_branches(branches) - tagged:
        for index in clash:
            branches[index] = _tag_branch(context, branches[index], f"option_{index + 1}")
        tagged |= clash
    if tagged:
        context.add_loss(at, "anyOf", "encoded", "forms that could be confused carry a tag")
    return branches


def _clashing_branches(branches: list[_Branch]) -> set[int]:
    return {
        index
        for i, left in enumerate(branches)
        for j, right in enumerate(branches)
        if i != j
        and left.lowered.lens != right.lowered.lens
        and not left.signature.is_distinct_from(right.signature)
        for index in (i, j)
    }


def _tag_branch(context: LoweringContext, branch: _Branch, tag: str) -> _Branch:
    wire, lens = branch.lowered
    lowered = LoweredNode(context.closed_object({tag: wire}), WrapLens(tag, lens))
    return branch._replace(
        lowered=lowered, signature=BranchSignature(frozenset({"object"}), (), tag)
    )


def _union_lens(context: LoweringContext, branches: list[_Branch]) -> NodeLens:
    lenses = [branch.lowered.lens for branch in branches]
    if all(lens == lenses[0] for lens in lenses):
        return lenses[0]
    return UnionLens(
        tuple(
            Choice(
                signature, lowered.lens, context.validator(node), context.wire_validator(lowered)
            )
            for node, lowered, signature in branches
        )
    )
