"""Check combined schemas: which branches of a union a value may have, and how many it has.

A value of one JSON type fits only branches that accept this type, and an object only branches whose
constants or own keys it has. The remaining branches are tried; if none accepts, `closest` explains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolhaft.schema import branches
from toolhaft.schema.document.kinds import Kind, admits, constants_of, hashable, names_of
from toolhaft.schema.explain.closest import CONTAINERS, Closest, alternatives, too_many
from toolhaft.schema.explain.node import Check, KindCheck
from toolhaft.schema.explain.phrases import branch_phrases, missing_tag_words
from toolhaft.schema.explain.refusals import refusal, wrong_constant, wrong_type
from toolhaft.schema.explain.requirements import demands_of, requirement_check
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, NodeIssue, Walk

__all__ = ["all_of", "any_of", "one_of"]

# Types whose name alone describes a branch to a model.
PLAIN = frozenset({"boolean", "integer", "null", "number", "object", "string"})
# Makes the check by trying each form that admits a value's type.
TryEach = Callable[["Closest"], Check]


def all_of(node: Node, schemas: Sequence[Any], _: Kind) -> Check:
    """All of the schemas hold."""
    children = [node.child(schema) for schema in schemas]

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        for child in children:
            child.check(run, value, path, required)

    return check


def any_of(node: Node, schemas: Sequence[Any], kind: Kind) -> Check | KindCheck:
    """At least one form accepts."""

    def try_each(closest: Closest) -> Check:
        def check(run: Walk, value: Any, path: Path, required: bool) -> None:
            trials: list[list[NodeIssue]] = []
            for child in closest.children:
                issues = run.trial(child, value, path, required)
                if not issues:
                    return
                trials.append(issues)
            closest.report(run, trials, value, path, required)

        return check

    return _union(node, schemas, kind, try_each)


def one_of(node: Node, schemas: Sequence[Any], kind: Kind) -> Check | KindCheck:
    """Exactly one form accepts."""
    tag = branches.tag_of(node.root, schemas) if kind is dict else None

    def try_each(closest: Closest) -> Check:
        def check(run: Walk, value: Any, path: Path, required: bool) -> None:
            trials = [run.trial(child, value, path, required) for child in closest.children]
            accepting = [index for index, issues in enumerate(trials) if not issues]
            if not accepting:
                closest.report(run, trials, value, path, required)
            elif len(accepting) > 1 and tag is not None and tag.name not in value:
                place = (*path, tag.name)
                run.report(node.schema, required, missing_tag_words(tag), place, "missing")
            elif len(accepting) > 1:
                words, phrases = too_many(node.root, schemas, len(accepting))
                run.report(node.schema, required, words, path, "union", alternatives=phrases)

        return check

    return _union(node, schemas, kind, try_each, at_most_one=True)


def _union(
    node: Node,
    schemas: Sequence[Any],
    kind: Kind,
    try_each: TryEach,
    *,
    at_most_one: bool = False,
) -> Check | KindCheck:
    """The check by the forms that admit the type; `try_each` makes the one for many of them."""
    types = [branches.types_of(node.root, schema) for schema in schemas]
    fitting = [
        schema
        for schema, names in zip(schemas, types, strict=True)
        if names is None or admits(names, kind)
    ]
    if not fitting:
        return _none_fits(node, schemas, [name for names in types for name in names or ()], kind)
    demands = demands_of(fitting) if kind is dict else None
    if demands is not None and len(fitting) > 1:
        return requirement_check(node, demands, at_most_one=at_most_one)
    closest = Closest(node, schemas, fitting, kind)
    # Of a value that its schema holds, an open node (`gate.open_node`) is that schema alone.
    if len(fitting) == 1 and "open" in marks_of(fitting[0]):
        return closest.children[0][kind]
    if len(fitting) == 1 and (kind in CONTAINERS or not closest.others):
        return _only_form(closest, kind)
    if kind is dict and len(fitting) > 1:
        return _discriminate(node, fitting, closest, try_each(closest))
    return try_each(closest)


def _only_form(closest: Closest, kind: Kind) -> KindCheck:
    """The check by the only form that admits the type; an object may have nothing of its keys."""
    form = closest.children[0][kind]
    if kind is not dict or len(closest.schemas) == 1 or form.fits is None:
        return form

    def explain(run: Walk, value: Any, path: Path, required: bool) -> None:
        issues = run.trial(closest.children[0], value, path, required)
        if closest.any_key and _is_foreign(issues) and not closest.known_keys(value):
            closest.report_forms(run, path, required)
        else:
            run.extend(issues)

    return replace(form, explain=explain)


def _is_foreign(issues: Sequence[NodeIssue]) -> bool:
    """Return whether an object lacks keys, and no key that it has is taken for one of them."""
    codes = {node_issue.issue.code for node_issue in issues}
    facts = frozenset(name for node_issue in issues for name in node_issue.issue.facts)
    return "missing" in codes and facts.isdisjoint(("meant", "wraps"))


def _none_fits(node: Node, schemas: Sequence[Any], names: Sequence[str], kind: Kind) -> Check:
    """Report that no branch has the value's type, by their constants or their types."""
    forms = [node.child(schema).schema for schema in schemas if schema is not False]
    constants = [_constants(form) for form in forms]
    if forms and None not in constants:
        return wrong_constant([member for members in constants for member in members or ()])
    has_constants = any(members != [None] for members in constants if members)
    words = None
    objects = sum(names_of(form) == ("object",) for form in forms)
    if has_constants or objects > 1 or not all(map(_is_plain, forms)):
        words = alternatives(tuple(branch_phrases(node.root, schemas)))
    return wrong_type(node.schema, names, kind, words)


def _constants(form: Any) -> Sequence[Any] | None:
    return constants_of(form) or ([None] if names_of(form) == ("null",) else None)


def _is_plain(form: Any) -> bool:
    is_told = "pattern" in form or "properties" in form or form.get("additionalProperties")
    return PLAIN.issuperset(names_of(form) or ("",)) and not is_told


def _discriminate(node: Node, schemas: Sequence[Any], closest: Closest, other: Check) -> Check:
    """Pick the form by its constants or its own keys; `other` is for objects that show neither."""
    tag = branches.tag_of(node.root, schemas)
    if tag:
        return _by_tag(node, tag, closest, other)
    own = branches.own_keys(node.root, schemas)
    return _by_keys(own, closest.children, other) if own else other


def _by_tag(node: Node, tag: branches.Tag, closest: Closest, other: Check) -> Check:
    forms_of = {
        hashable(member): child
        for child, members in zip(closest.children, tag.members, strict=True)
        for member in members
    }
    members = [member for of_form in tag.members for member in of_form]
    unknown = wrong_constant(members, decides=True)
    missing = refusal(node.schema, missing_tag_words(tag), "missing", members=members)

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        child = forms_of.get(hashable(value[tag.name])) if tag.name in value else None
        if child is not None:
            child.check(run, value, path, required)
        elif tag.name in value:
            unknown(run, value[tag.name], (*path, tag.name), tag.required)
            closest.report_untagged(run, tag.name, value, path)
        elif tag.required and closest.known_keys(value):
            missing(run, value, (*path, tag.name), True)
            closest.report_untagged(run, tag.name, value, path)
        else:
            other(run, value, path, required)

    return check


def _by_keys(own: Sequence[frozenset[str]], children: Sequence[Node], other: Check) -> Check:
    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        meant = [child for keys, child in zip(own, children, strict=True) if keys & value.keys()]
        (meant[0].check if len(meant) == 1 else other)(run, value, path, required)

    return check
