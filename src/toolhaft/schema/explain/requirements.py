"""Unions that only say which keys an object must have: `give cluster or host`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolhaft.schema.explain.extra_keys import report_wrapped, takes_any_key
from toolhaft.schema.explain.node import Check
from toolhaft.schema.explain.wording import join_within
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["demands_of", "forbidden_keys", "forbidden_together", "requirement_check"]

# Keywords beside `required` that do not restrict an object further.
SILENT = frozenset({"$comment", "description", "required", "title", "type"})
# The keys that each form of a union demands.
Demands = Sequence[Sequence[str]]


def demands_of(schemas: Sequence[Any]) -> Demands | None:
    """Return the keys that each branch demands of an object, if it demands nothing else.

    >>> demands_of([{"required": ["cluster"]}, {"required": ["host", "port"]}])
    [['cluster'], ['host', 'port']]
    """
    return [schema["required"] for schema in schemas] if all(map(_only_demands, schemas)) else None


def _only_demands(schema: Any) -> bool:
    if not isinstance(schema, dict) or not schema.get("required"):
        return False
    return SILENT.issuperset(schema) and schema.get("type", "object") == "object"


def requirement_check(node: Node, demands: Demands, *, at_most_one: bool) -> Check:
    """Check that an object has the keys of one branch, and with `at_most_one` of only one."""
    groups = [frozenset(names) for names in demands]
    every = [name for names in demands for name in names]
    is_open = takes_any_key(node.schema)
    words = f"give {join_within([_together(_with_needs(node, names)) for names in demands])}"

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        names_of_present = [
            names for names, keys in zip(demands, groups, strict=True) if keys <= value.keys()
        ]
        is_bare = is_open and not names_of_present
        if is_bare and report_wrapped(run, node, value, every, path):
            return
        if not names_of_present:
            run.report(node.schema, required, words, path, "union", give=demands)
        elif at_most_one and len(names_of_present) > 1:
            message = _only_one_of(names_of_present)
            run.report(node.schema, required, message, path, "union", give_one_of=names_of_present)

    return check


def _with_needs(node: Node, names: Sequence[str]) -> Sequence[str]:
    """Return keys with the keys that they demand in turn and that are not required anyway."""
    schema = node.schema
    needed = [key for name in names for key in schema.get("dependentRequired", {}).get(name, ())]
    condition = demands_of([schema["if"]]) if "if" in schema else None
    if condition and set(condition[0]) <= set(names):
        needed += (demands_of([schema.get("then", True)]) or [[]])[0]
    return list(dict.fromkeys([*names, *split_required(node, needed)[0]]))


def _together(names: Sequence[str]) -> str:
    """Name keys that are given together.

    >>> _together(["host", "port"])
    'host with port'
    """
    return " with ".join(names)


def _only_one_of(given: Demands) -> str:
    return f"give only one of {', '.join(map(_together, given))}"


def split_required(node: Node, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split keys into optional and required ones."""
    required = frozenset(node.schema.get("required", ()))
    due = [name for name in names if name in required]
    return [name for name in names if name not in required], due


def are_required(names: Sequence[str]) -> str:
    """Describe keys that must be given.

    >>> are_required(["host"]), are_required(["host", "port"])
    ('host is required', 'host and port are required')
    """
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} required"


def forbidden_keys(node: Node, names: Sequence[str]) -> Check:
    """Check that keys are not all given; required keys count as given."""
    free, due = split_required(node, names)
    message = forbidden_together(free or names)
    if free and due:
        message += f", because {are_required(due)}"

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        if all(name in value for name in free or names):
            run.report(node.schema, required, message, path, leave_out=free or names)

    return check


def forbidden_together(names: Sequence[str]) -> str:
    """Describe keys that must not all be given.

    >>> forbidden_together(["cluster", "host"]), forbidden_together(["cluster"])
    ('give only one of cluster, host', 'leave out cluster')
    """
    if len(names) == 2:  # noqa: PLR2004 - one of two is the plainer word
        return f"give only one of {', '.join(names)}"
    return f"leave out {'one of ' if len(names) > 1 else ''}{', '.join(names)}"
