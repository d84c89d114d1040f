"""The checks of combined schemas, and which form of a union a wrong value was meant to be.

A value of one JSON type can only be a form that admits this type, and an object only a form whose
constants or own keys it has. What is left is tried, and the closest form explains the fault where
it is clearly the closest; else the model reads how many forms there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from toolhaft.schema import branches
from toolhaft.schema.document.kinds import Kind, admits, constants_of, hashable, names_of
from toolhaft.schema.explain.node import Check, KindCheck
from toolhaft.schema.explain.refusals import wrong_constant, wrong_type
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, NodeIssue, Walk

__all__ = ["all_of", "any_of", "one_of"]


def all_of(node: Node, schemas: Sequence[Any], _: Kind) -> Check:
    """All of the schemas hold."""
    children = [node.child(schema) for schema in schemas]

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        for child in children:
            child.check(run, value, path, required)

    return check


def any_of(node: Node, schemas: Sequence[Any], kind: Kind) -> Check | KindCheck:
    """At least one form accepts."""

    def try_each(children: Sequence[Node]) -> Check:
        def check(run: Walk, value: Any, path: Path, required: bool) -> None:
            trials: list[list[NodeIssue]] = []
            for child in children:
                found = run.trial(child, value, path, required)
                if not found:
                    return
                trials.append(found)
            _report_closest(run, node, trials, len(schemas), path, required)

        return check

    return _union(node, schemas, kind, try_each)


def one_of(node: Node, schemas: Sequence[Any], kind: Kind) -> Check | KindCheck:
    """Exactly one form accepts."""

    def try_each(children: Sequence[Node]) -> Check:
        def check(run: Walk, value: Any, path: Path, required: bool) -> None:
            trials = [run.trial(child, value, path, required) for child in children]
            fitting = sum(not found for found in trials)
            if fitting == 0:
                _report_closest(run, node, trials, len(schemas), path, required)
            elif fitting > 1:
                message = f"expected only one of {len(schemas)} forms"
                run.report(node.schema, required, message, path, "union")

        return check

    return _union(node, schemas, kind, try_each)


def _union(
    node: Node, schemas: Sequence[Any], kind: Kind, try_each: Callable[[Sequence[Node]], Check]
) -> Check | KindCheck:
    """The check by the forms that admit the type; `tried` makes the one for many of them."""
    types = [branches.types_of(node.root, schema) for schema in schemas]
    fitting = [
        schema
        for schema, names in zip(schemas, types, strict=True)
        if names is None or admits(names, kind)
    ]
    if not fitting:
        return _none_fits(node, schemas, [name for names in types for name in names or ()], kind)
    if len(fitting) == 1:
        return node.child(fitting[0])[kind]
    children = [node.child(schema) for schema in fitting]
    if kind is dict:
        return _discriminate(node, fitting, children, try_each(children))
    return try_each(children)


def _none_fits(node: Node, schemas: Sequence[Any], names: Sequence[str], kind: Kind) -> Check:
    """No form has the value's type: say the constants where there is nothing else, or the types."""
    members: list[Any] = []
    for schema in schemas:
        form = node.child(schema).schema
        constants = constants_of(form) or ([None] if names_of(form) == ("null",) else None)
        if constants is None:
            return wrong_type(node.schema, names, kind)
        members += constants
    return wrong_constant(members)


def _discriminate(
    node: Node, schemas: Sequence[Any], children: Sequence[Node], other: Check
) -> Check:
    """Pick the form by its constants or its own keys; `other` is for objects that show neither."""
    tag = branches.tag_of(node.root, schemas)
    if tag:
        return _by_tag(node, tag, children, other)
    own = branches.own_keys(node.root, schemas)
    return _by_keys(own, children, other) if own else other


def _by_tag(node: Node, tag: branches.Tag, children: Sequence[Node], other: Check) -> Check:
    forms_of = {
        hashable(member): child
        for child, members in zip(children, tag.members, strict=True)
        for member in members
    }
    unknown = wrong_constant([member for members in tag.members for member in members])

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        child = forms_of.get(hashable(value[tag.name])) if tag.name in value else None
        if child is not None:
            child.check(run, value, path, required)
        elif tag.name in value:
            unknown(run, value, (*path, tag.name), tag.required)
        elif tag.required:
            run.report(node.schema, True, "required", (*path, tag.name), "missing")
        else:
            other(run, value, path, required)

    return check


def _by_keys(own: Sequence[frozenset[str]], children: Sequence[Node], other: Check) -> Check:
    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        meant = [child for keys, child in zip(own, children, strict=True) if keys & value.keys()]
        (meant[0].check if len(meant) == 1 else other)(run, value, path, required)

    return check


def _report_closest(
    run: Walk,
    node: Node,
    trials: Sequence[list[NodeIssue]],
    forms_in_all: int,
    path: Path,
    required: bool,
) -> None:
    """Report the findings of the closest form where no other comes near, else the union."""
    members = _members(trials, path)
    if members:
        wrong_constant(members)(run, None, path, required)
        return
    closest, second = sorted(trials, key=_distance)[:2]
    if 2 * _distance(closest) <= _distance(second):
        run.extend(closest)
    else:
        run.report(node.schema, required, f"expected one of {forms_in_all} forms", path, "union")


def _members(trials: Sequence[list[NodeIssue]], path: Path) -> list[Any]:
    """All constants, where every form failed by its constants alone."""
    members: list[Any] = []
    for issues in trials:
        refused = constants_of(issues[0].node) if issues[0].issue.path == path else None
        if len(issues) > 1 or refused is None:
            return []
        members += refused
    return members


def _distance(findings: Sequence[NodeIssue]) -> int:
    """How far a value is from a form: a key too many or too few counts twice a wrong value."""
    return sum(2 if f.issue.code in ("extra", "missing") else 1 for f in findings)
