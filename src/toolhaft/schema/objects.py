"""The checks of objects: the keys that they must have and may have, and their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolhaft.names import nearest
from toolhaft.schema.checker import matcher
from toolhaft.schema.evaluated import evaluated
from toolhaft.schema.forms import Kind
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain import Check, Node, Run

__all__ = ["additional_properties", "dependent_required", "dependent_schemas"]
__all__ += ["pattern_properties", "properties", "property_names", "required"]
__all__ += ["unevaluated_properties"]

# Where models put the arguments when they send the whole call instead.
WRAPPERS = ("arguments", "parameters")
# Finding a near name costs more than all the rest, and a model reads no more.
MAX_SUGGESTIONS = 5
FEW = 3  # names that are worth listing though none is near
# A step that no path has: a key is checked where no other value is.
KEY = -1


def required(node: Node, names: Sequence[str], _: Kind) -> Check:
    """Each missing key is an issue of its own."""
    wanted = frozenset(names)

    def check(run: Run, value: Any, path: Path, _: bool) -> None:
        if not wanted <= value.keys():
            _report_missing(run, node, names, value, path)

    return check


def _report_missing(
    run: Run, node: Node, names: Iterable[str], value: Mapping[str, Any], path: Path
) -> None:
    for name in names:
        if name not in value:
            run.report(node.schema, True, "required", (*path, name), "missing")


def dependent_required(node: Node, names: Mapping[str, Sequence[str]], _: Kind) -> Check:
    """Keys that another key demands."""

    def check(run: Run, value: Any, path: Path, _: bool) -> None:
        for name, needed in names.items():
            if name in value:
                _report_missing(run, node, needed, value, path)

    return check


def dependent_schemas(node: Node, schemas: Mapping[str, Any], _: Kind) -> Check:
    """What another key demands of the whole object."""
    children = {name: node.child(schema) for name, schema in schemas.items()}

    def check(run: Run, value: Any, path: Path, required: bool) -> None:
        for name, child in children.items():
            if name in value:
                child.check(run, value, path, required)

    return check


def properties(node: Node, schemas: Mapping[str, Any], _: Kind) -> Check:
    """The values of declared keys."""
    demanded = frozenset(node.schema.get("required", ()))
    others: Mapping[str, str | None] = marks_of(node.schema).get("other_names", {})
    own = [(name, sub) for name, sub in schemas.items() if name not in others]
    children = [(name, node.child(sub), name in demanded) for name, sub in own]

    def check(run: Run, value: Any, path: Path, _: bool) -> None:
        for name, child, required in children:
            if name in value:
                child.check(run, value[name], (*path, name), required)
        for name, meant in others.items():
            if name in value:
                hint = _hint_of(meant, value)
                run.report(node.schema, False, f"unknown{hint}", (*path, name), "extra")

    return check


def _hint_of(meant: str | None, value: Mapping[str, Any]) -> str:
    """Say which key another name stands for; None where no key sets the field."""
    if meant is None:
        return ""
    return f" ({meant} is given too)" if meant in value else f" (did you mean {meant}?)"


def pattern_properties(node: Node, schemas: Mapping[str, Any], _: Kind) -> Check:
    """The values of keys that match a pattern."""
    demanded = frozenset(node.schema.get("required", ()))
    children = [(matcher(pattern), node.child(sub)) for pattern, sub in schemas.items()]

    def check(run: Run, value: Any, path: Path, _: bool) -> None:
        for matches, child in children:
            for name, item in value.items():
                if matches(name):
                    child.check(run, item, (*path, name), name in demanded)

    return check


def additional_properties(node: Node, schema: Any, _: Kind) -> Check:
    """Keys that neither `properties` nor `patternProperties` declare."""
    child = node.child(schema)
    demanded = frozenset(node.schema.get("required", ()))
    declared = node.schema.get("properties", {}).keys()
    patterns = [matcher(pattern) for pattern in node.schema.get("patternProperties", ())]

    def check(run: Run, value: Any, path: Path, _: bool) -> None:
        if value.keys() <= declared:
            return
        rest = [name for name in value if name not in declared]
        if patterns:
            rest = [name for name in rest if not any(matches(name) for matches in patterns)]
        _check_rest(run, node, child, value, rest, path, demanded)

    return check


def unevaluated_properties(node: Node, schema: Any, _: Kind) -> Check:
    """Keys that no keyword looks at, here or in the schemas that apply beside."""
    child = node.child(schema)

    def check(run: Run, value: Any, path: Path, _: bool) -> None:
        known = evaluated(run, node, value, path)
        _check_rest(run, node, child, value, [n for n in value if n not in known], path)

    return check


def _check_rest(
    run: Run,
    node: Node,
    child: Node,
    value: Mapping[str, Any],
    names: Sequence[str],
    path: Path,
    demanded: frozenset[str] = frozenset(),
) -> None:
    """Check the keys that nothing else declares, or refuse them where there may be none."""
    if child.schema is not False:
        for name in names:
            child.check(run, value[name], (*path, name), name in demanded)
        return
    declared = node.schema.get("properties", {}).items()
    free = [name for name, sub in declared if name not in value and sub is not False]
    needed = node.schema.get("required", ())
    lacking = not path and any(name not in value for name in needed)
    optional = [name for name in free if name not in needed]
    for place, name in enumerate(names):
        if lacking and name in WRAPPERS and isinstance(value[name], dict):
            hint = " (send its content as the arguments themselves)"
        else:
            hint = _hint(name, free, optional) if place < MAX_SUGGESTIONS else ""
        run.report(node.schema, False, f"unknown{hint}", (*path, name), "extra")


def _hint(name: str, free: Sequence[str], optional: Sequence[str]) -> str:
    """What an unknown key may stand for: the nearest that is not there yet, or one of a few.

    Required keys that are not there are findings of their own.
    """
    near = nearest(name, free)
    if near is not None:
        return f" (did you mean {near}?)"
    return f" (not given: {', '.join(optional)})" if 0 < len(optional) <= FEW else ""


def property_names(node: Node, schema: Any, _: Kind) -> Check:
    """The keys themselves."""
    child = node.child(schema)

    def check(run: Run, value: Any, path: Path, _: bool) -> None:
        for name in value:
            found = run.trial(child, name, (*path, name, KEY))
            if found:
                words = found[0].issue.message.removeprefix("expected ")
                run.report(child.schema, False, f"expected a key: {words}", (*path, name), "extra")

    return check
