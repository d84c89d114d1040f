"""The checks of objects: the keys that they must have and may have, and their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import filterfalse
from typing import TYPE_CHECKING, Any

from toolhaft.schema.branches import declared_in
from toolhaft.schema.document.kinds import SETTLED, Kind, kind_of, names_of
from toolhaft.schema.explain.evaluated import evaluated_by
from toolhaft.schema.explain.extra_keys import (
    another_key,
    keys_like,
    meant_key,
    other_name,
    report_wrapped,
    rest_check,
    takes_any_key,
)
from toolhaft.schema.explain.kind_checks import refused
from toolhaft.schema.explain.node import Check
from toolhaft.schema.explain.reasons import because
from toolhaft.schema.explain.refusals import refusal
from toolhaft.schema.explain.slow_patterns import match_text
from toolhaft.schema.explain.wording import any_of, counted
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["additional_properties", "dependent_required", "dependent_schemas"]
__all__ += [
    "fewest_keys",
    "most_keys",
    "pattern_properties",
    "properties",
    "property_names",
    "required",
]
__all__ += ["unevaluated_properties"]

# A step that no path has: a key is checked where no other value is.
KEY = -1
MAX_NAMED = 4
NUMBERS = frozenset({"integer", "number"})
SCALARS: Mapping[str, Kind] = {"boolean": bool, "integer": int, "string": str}


def required(node: Node, names: Sequence[str], _: Kind) -> Check:
    """Each missing key is an issue of its own."""
    reports = {name: refusal(node.schema, "required", "missing") for name in names}
    declared = frozenset(node.schema.get("properties", ()))
    is_open = takes_any_key(node.schema)  # else what is undeclared is looked at anyway

    def check(run: Walk, value: Any, path: Path, _: bool) -> None:
        missing = [*filterfalse(value.__contains__, reports)]
        if missing and is_open and not declared.issuperset(value):
            report_wrapped(run, node, value, missing, path)
        for name in missing:
            reports[name](run, value, (*path, name), True)

    return check


def dependent_required(node: Node, names: Mapping[str, Sequence[str]], kind: Kind) -> Check:
    """Keys that another key demands, also where that one is missing itself."""
    due = frozenset(node.schema.get("required", ()))
    checks = {name: required(node, needed, kind) for name, needed in names.items()}
    checks_of_given = {name: because(check, f"{name} is given") for name, check in checks.items()}
    missing = {
        name: because(check, f"{name} is required") for name, check in checks.items() if name in due
    }

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        for name, look in checks_of_given.items():
            if name in value:
                look(run, value, path, required)
            elif name in missing:
                missing[name](run, value, path, required)

    return check


def fewest_keys(node: Node, limit: float, _: Kind) -> Check:
    """How many keys there are at least; some that are declared are named."""
    declared = list(declared_in(node.schema))
    others = keys_like(node.schema.get("patternProperties", ()))
    if node.schema.get("additionalProperties", True) is not False:
        others = ["any other"]
    words = counted("at least", limit, "key")

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        if len(value) < limit:
            free = [*[name for name in declared if name not in value][:MAX_NAMED], *others]
            such_as = f", such as {any_of(free)}" if free != ["any other"] else ""
            run.report(node.schema, required, f"{words}{such_as}", path, minProperties=limit)

    return check


def most_keys(node: Node, limit: float, _: Kind) -> Check:
    """Check the greatest number of keys, missing ones included, and name keys to leave out."""
    declared = frozenset(declared_in(node.schema))
    needed = frozenset(node.schema.get("required", ()))
    words = counted("at most", limit, "key")

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        excess = len(value) + sum(name not in value for name in needed) - int(limit)
        if excess > 0:
            undeclared = sum(name not in declared for name in value)
            free = [name for name in value if name in declared and name not in needed]
            message = words + (_leave_out(excess, undeclared, free) if declared else "")
            run.report(node.schema, required, message, path, maxProperties=limit)

    return check


def _leave_out(excess: int, undeclared: int, free: Sequence[str]) -> str:
    """Describe the keys of which some must be left out; undeclared keys are only counted.

    >>> _leave_out(1, 2, [])
    ': leave out 1 of 2 undeclared keys'
    >>> _leave_out(2, 1, ["units", "days"])
    ': leave out 2 of units, days, 1 undeclared key'
    """
    listed = [*free[:MAX_NAMED], *(["…"] if len(free) > MAX_NAMED else [])]
    listed += [f"{undeclared} undeclared key{'s' * (undeclared > 1)}"] if undeclared else []
    return f": leave out {excess} of {', '.join(listed)}" if listed else ""


def dependent_schemas(node: Node, schemas: Mapping[str, Any], _: Kind) -> Check:
    """Check the demands of another key on the whole object."""
    checks = {
        name: because(node.child(schema).check, f"{name} is given")
        for name, schema in schemas.items()
    }

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        for name, look in checks.items():
            if name in value:
                look(run, value, path, required)

    return check


def properties(node: Node, schemas: Mapping[str, Any], _: Kind) -> Check:
    """The values of declared keys."""
    required_names = frozenset(node.schema.get("required", ()))
    others: Mapping[str, str | None] = marks_of(node.schema).get("other_names", {})
    own = [(name, node.child(sub)) for name, sub in schemas.items() if name not in others]
    children = [(name, child, name in required_names, _right_kind(child)) for name, child in own]

    def check(run: Walk, value: Any, path: Path, _: bool) -> None:
        for name, child, required, right_kind in children:
            if name in value:
                item = value[name]
                kind = type(item)
                if kind is right_kind:
                    continue
                known = child[kind if kind in SETTLED else kind_of(item)]
                fits = known.fits
                if fits is not None and (fits is refused or not fits(item)):
                    known.explain(run, item, (*path, name), required)
        for name, meant in others.items():
            if name in value:
                run.report(node.schema, False, other_name(meant), (*path, name), "extra")

    return check


def _right_kind(child: Node) -> Kind | None:
    """Return the one scalar type of a property that accepts all its values, or None."""
    names = names_of(child.schema)
    kind = SCALARS.get(names[0]) if len(names) == 1 else None
    return kind if kind is not None and child[kind].fits is None else None


def pattern_properties(node: Node, schemas: Mapping[str, Any], _: Kind) -> Check:
    """The values of keys that match a pattern."""
    required_names = frozenset(node.schema.get("required", ()))
    children = [(match_text(node, pattern), node.child(sub)) for pattern, sub in schemas.items()]

    def check(run: Walk, value: Any, path: Path, _: bool) -> None:
        for matches, child in children:
            for name, item in value.items():
                if matches(run, name, (*path, name), True):
                    child.check(run, item, (*path, name), name in required_names)

    return check


def additional_properties(node: Node, schema: Any, _: Kind) -> Check:
    """Keys that neither `properties` nor `patternProperties` declare."""
    check_rest = rest_check(node, schema, node.schema.get("required", ()))
    declared = frozenset(node.schema.get("properties", ()))
    patterns = [match_text(node, each) for each in node.schema.get("patternProperties", ())]

    def check(run: Walk, value: Any, path: Path, _: bool) -> None:
        if declared.issuperset(value):
            return
        rest = list(filterfalse(declared.__contains__, value))
        if patterns:
            rest = [
                name
                for name in rest
                if not any(matches(run, name, (*path, name), True) for matches in patterns)
            ]
        check_rest(run, value, rest, path)

    return check


def unevaluated_properties(node: Node, schema: Any, _: Kind) -> Check:
    """Keys that no keyword looks at, here or in the schemas that apply beside."""
    check_rest = rest_check(node, schema)

    def check(run: Walk, value: Any, path: Path, _: bool) -> None:
        evaluated_keys = evaluated_by(run, node, value, path)
        check_rest(run, value, [name for name in value if name not in evaluated_keys], path)

    return check


def key_words(words: str) -> str:
    """Describe what keys must be, by the words for one expected key.

    >>> key_words("integer"), key_words("string that matches ^x-")
    ('keys must be integers', 'keys must match ^x-')
    >>> key_words("at least 3 characters")
    'keys must have at least 3 characters'
    """
    if words in NUMBERS:
        return f"keys must be {words}s"
    if words.startswith("string that matches "):
        return f"keys must match {words.removeprefix('string that matches ')}"
    return f"keys must {'have' if words.endswith(('character', 'characters')) else 'be'} {words}"


def property_names(node: Node, schema: Any, _: Kind) -> Check:
    """The keys themselves."""
    child = node.child(schema)
    needed: Sequence[str] = node.schema.get("required", ())

    def check(run: Walk, value: Any, path: Path, _: bool) -> None:
        missing = tuple(filterfalse(value.__contains__, needed))
        for name in value:
            issues = run.trial(child, name, (*path, name, KEY))
            if issues:
                place = (*path, name)
                meant = meant_key(run, node, place, value[name], missing, ())
                words = issues[0].issue.message.removeprefix("expected ")
                message = another_key(meant) if meant else key_words(words)
                facts = {"meant": meant} if meant else {}
                run.report(child.schema, False, message, place, "extra", key=words, **facts)

    return check
