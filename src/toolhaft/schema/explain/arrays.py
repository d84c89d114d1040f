"""The checks of arrays: their items by place, how many fit, and whether two are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolhaft.schema.document.kinds import SETTLED, Kind, kind_of
from toolhaft.schema.explain.evaluated import evaluated_by
from toolhaft.schema.explain.node import Check
from toolhaft.schema.explain.phrases import array_words
from toolhaft.schema.explain.wording import counted
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["contains", "items", "prefix_items", "unevaluated_items"]


def prefix_items(node: Node, schemas: Sequence[Any], _: Kind) -> Check:
    """The items of a tuple, by place."""
    children = [node.child(schema) for schema in schemas]

    def check(run: Walk, value: Any, path: Path, _: bool) -> None:
        for index, (child, item) in enumerate(zip(children, value, strict=False)):
            child.check(run, item, (*path, index), required=True)

    return check


def items(node: Node, schema: Any, _: Kind) -> Check:
    """Check the items after the tuple's."""
    child = node.child(schema)
    first = len(node.schema.get("prefixItems", ()))
    too_long = array_words(node.root, node.schema) if first else "expected an empty array"

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        if schema is False:
            if len(value) > first:
                run.report(node.schema, required, too_long, path)
            return
        for index, item in enumerate(value[first:] if first else value, first):
            kind = type(item)
            known = child[kind if kind in SETTLED else kind_of(item)]
            if known.fits is not None and not known.fits(item):
                known.explain(run, item, (*path, index), True)

    return check


def contains(node: Node, schema: Any, _: Kind) -> Check:
    """How many items fit."""
    child = node.child(schema)
    least = node.schema.get("minContains", 1)
    most = node.schema.get("maxContains", float("inf"))

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        count = sum(not run.trial(child, item, (*path, index)) for index, item in enumerate(value))
        if count < least:
            run.report(node.schema, required, counted("at least", least, "matching item"), path)
        elif count > most:
            run.report(node.schema, required, counted("at most", most, "matching item"), path)

    return check


def unevaluated_items(node: Node, schema: Any, _: Kind) -> Check:
    """Items that no keyword looks at, here or in the schemas that apply beside."""
    child = node.child(schema)

    def check(run: Walk, value: Any, path: Path, _: bool) -> None:
        evaluated_places = evaluated_by(run, node, value, path)
        for index, item in enumerate(value):
            if index not in evaluated_places:
                child.check(run, item, (*path, index), required=True)

    return check
