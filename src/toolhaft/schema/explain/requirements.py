"""Unions that only say which keys an object must have: `give cluster or host`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolhaft.schema.explain.extra_keys import report_wrapped
from toolhaft.schema.explain.node import Check
from toolhaft.schema.explain.wording import join_within
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["demands_of", "forbidden_keys", "forbidden_together", "requirement_check"]

# Keywords beside `required` that say nothing more of an object.
SILENT = frozenset({"$comment", "description", "required", "title", "type"})
# The keys that each form of a union demands.
Demands = Sequence[Sequence[str]]


def demands_of(schemas: Sequence[Any]) -> Demands | None:
    """Give the keys that each form demands of an object, where the forms say nothing else.

    >>> demands_of([{"required": ["cluster"]}, {"required": ["host", "port"]}])
    [['cluster'], ['host', 'port']]
    """
    return [schema["required"] for schema in schemas] if all(map(_only_demands, schemas)) else None


def _only_demands(schema: Any) -> bool:
    if not isinstance(schema, dict) or not schema.get("required"):
        return False
    return SILENT.issuperset(schema) and schema.get("type", "object") == "object"


def requirement_check(node: Node, demands: Demands, *, at_most_one: bool) -> Check:
    """The check that an object has the keys of one form, and of only one where that is asked."""
    groups = [frozenset(names) for names in demands]

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        given = [names for names, keys in zip(demands, groups, strict=True) if keys <= value.keys()]
        if not given and report_wrapped(run, node, value, sum(map(list, demands), []), path):
            return
        if not given:
            message = f"give {join_within(list(map(_together, demands)))}"
            run.report(node.schema, required, message, path, "union", give=demands)
        elif at_most_one and len(given) > 1:
            message = _only_one_of(given)
            run.report(node.schema, required, message, path, "union", give_one_of=given)

    return check


def _together(names: Sequence[str]) -> str:
    """Name keys that are given together.

    >>> _together(["host", "port"])
    'host with port'
    """
    return " with ".join(names)


def _only_one_of(given: Demands) -> str:
    return f"give only one of {', '.join(map(_together, given))}"


def forbidden_keys(node: Node, names: Sequence[str]) -> Check:
    """The check that keys are not all given; those that are required anyway count as given."""
    due = node.schema.get("required", ())
    free = [name for name in names if name not in due] or names
    kept = [name for name in names if name not in free]
    message = forbidden_together(free)
    if kept:
        message += f", because {' and '.join(kept)} {'is' if len(kept) == 1 else 'are'} required"

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        if all(name in value for name in free):
            run.report(node.schema, required, message, path, leave_out=free)

    return check


def forbidden_together(names: Sequence[str]) -> str:
    """Say that keys must not all be given.

    >>> forbidden_together(["cluster", "host"]), forbidden_together(["cluster"])
    ('give only one of cluster, host', 'leave out cluster')
    """
    if len(names) == 2:  # noqa: PLR2004 - one of two is the plainer word
        return f"give only one of {', '.join(names)}"
    return f"leave out {'one of ' if len(names) > 1 else ''}{', '.join(names)}"
