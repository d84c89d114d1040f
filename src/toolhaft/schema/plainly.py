"""The commonest faults, seen without a walk: keys missing or unknown, scalars of wrong types.

Most of what they say is known beforehand, so that they are told in a tenth of the time. They are
what the walk would find, in its words and its order; where it would find anything else as well,
nothing is said here, and it is left to the walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from toolhaft.schema.forms import Kind, admits, constants_of, names_of
from toolhaft.spec import Issue

if TYPE_CHECKING:
    from toolhaft.schema.explain import Explainer

__all__ = ["Sight", "sight"]

# Data, and what says of a text among the refused values that no repair makes anything of it. The
# other values are beyond repair.
See: TypeAlias = Callable[[dict[str, Any], Callable[[str], bool]], list[Issue] | None]


class Sight(NamedTuple):
    """What sees the faults of an object, and the issues that are known beforehand.

    None means that there may be others, that something might be repaired, or nothing is wrong.
    """

    see: See
    issues: tuple[Issue, ...]


MOST: Final = 20
# What an object may say of itself; the walk reads everything else.
SAID: Final = frozenset({"type", "properties", "required", "additionalProperties"})
SCALARS: Final[tuple[Kind, ...]] = (bool, int, float, str, type(None))
# What may be refused for its type alone, as a sample. A whole float is an integer; null and what
# holds other values may be mended in more ways than a text.
REFUSED: Final[dict[Kind, Any]] = {bool: True, int: 1, str: ""}


class Field(NamedTuple):
    """A declared key: the types that are always right, and the issues of those that never are."""

    name: str
    right: frozenset[Kind]
    wrong: Mapping[Kind, Issue]
    schema: Any


def sight(explainer: Explainer) -> Sight | None:
    """Give what sees the faults of a schema's objects; None where the schema says too much."""
    from toolhaft.schema.keywords import SAYING

    root = explainer.root
    is_object = isinstance(root, dict) and root.get("type") == "object"
    if not is_object or not SAYING.isdisjoint(root.keys() - SAID):
        return None
    rest = root.get("additionalProperties", True)
    if not isinstance(rest, bool):
        return None
    unknown = None if rest else _unknown(explainer, root)
    needed = [(name, Issue("required", (name,), "missing")) for name in root.get("required", ())]
    fields = list(_fields(explainer, root))
    issues = [missing for _, missing in needed]
    issues += [issue for field in fields for issue in field.wrong.values()]
    return Sight(_seeing(explainer, needed, fields, unknown), tuple(issues))


def _seeing(  # noqa: C901 - one function, for its speed
    explainer: Explainer,
    needed: list[tuple[str, Issue]],
    fields: list[Field],
    unknown: Callable[[dict[str, Any]], list[Issue]] | None,
) -> See:
    findings = explainer.findings

    def see(data: dict[str, Any], is_hopeless: Callable[[str], bool]) -> list[Issue] | None:
        found = [missing for name, missing in needed if name not in data]
        unsure: list[tuple[Any, Any]] = []
        declared = 0
        for name, right, wrong, schema in fields:
            if name in data:
                declared += 1
                value = data[name]
                kind = type(value)
                if kind in right:
                    continue
                issue = wrong.get(kind)
                if issue is None:
                    unsure.append((value, schema))
                elif kind is not str or is_hopeless(value):
                    found.append(issue)
                else:
                    return None
        if unknown is not None and declared < len(data):
            found += unknown(data)
        if not 0 < len(found) <= MOST:
            return None
        for value, schema in unsure:
            if findings(value, limit=1, schema=schema):
                return None
        return found

    return see


def _unknown(explainer: Explainer, root: Any) -> Callable[[dict[str, Any]], list[Issue]]:
    """Give what tells the undeclared keys of a closed object."""
    from toolhaft.schema.explain import Run
    from toolhaft.schema.objects import additional_properties

    check = additional_properties(explainer.node(root), False, dict)

    def told(data: dict[str, Any]) -> list[Issue]:
        run = Run(len(data) + 1)
        check(run, data, (), True)
        return [finding.issue for finding in run.findings]

    return told


def _fields(explainer: Explainer, root: Mapping[str, Any]) -> Iterator[Field]:
    for name, inner in root.get("properties", {}).items():
        node = explainer.node(inner)
        unchecked = {kind for kind in SCALARS if not node[kind]}
        # A float may be an integer.
        right = frozenset(unchecked if int in unchecked else unchecked - {float})
        names = names_of(node.schema)
        wrong: dict[Kind, Issue] = {}
        if names and not constants_of(node.schema):
            for kind, sample in REFUSED.items():
                if not admits(names, kind):
                    (told,) = explainer.findings(sample, schema=inner)
                    wrong[kind] = _at(name, told.issue)
        yield Field(name, right, wrong, inner)


def _at(name: str, issue: Issue) -> Issue:
    return Issue(issue.message, (name,), issue.code, issue.expected, issue.received)
