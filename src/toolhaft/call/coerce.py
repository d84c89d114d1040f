"""Repair of refused arguments: directed by the schema, exact, recorded, and all or nothing.

A value is touched only where the schema refuses it. A rule is applied only if what it reads is
accepted, and if everything that may be read there is one and the same value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from toolhaft.call.outcome import Coercion
from toolhaft.call.readings import Reading, exactly, loosely
from toolhaft.jsondata import MAX_DEPTH
from toolhaft.schema.checker import Checker
from toolhaft.schema.explain import Explainer, Finding
from toolhaft.schema.forms import constants_of, frozen
from toolhaft.schema.integers import as_declared
from toolhaft.schema.places import Place, below, named_types, parts
from toolhaft.spec import Path

__all__ = ["repair"]

# A repair can uncover another one beside it, but not for ever.
ROUNDS = 4
MAX_FINDINGS = 500
# Readings that are tried for one call: a reading may hold text to be read in turn.
MAX_TRIALS = 2_000

ABSENT: Final = object()
NOTHING = {None: "null_absent", "": "empty_absent", "None": "none_text"}
Coercions = tuple[Coercion, ...]


class Change(NamedTuple):
    """What stands in a value's place from now on (or `ABSENT`), and by which rules."""

    value: Any
    coercions: Coercions


def repair(checker: Checker, data: Any, policy: str) -> tuple[Any, Coercions]:
    """Give data that the schema accepts more of, and what was done; the same object if nothing was.

    `policy` is "safe", "lenient" or "none". Under each of them whole floats that stand for
    integers become integers, which is no coercion. The data itself is never changed.
    """
    explainer = checker.explainer
    coercions: Coercions = ()
    if policy != "none":
        data, coercions, _ = _Repair(explainer, policy == "lenient").mended(
            data, explainer.root, ()
        )
    return as_declared(explainer.root, data), coercions


class _Repair:
    """One repair, with what it may still spend."""

    def __init__(self, explainer: Explainer, lenient: bool) -> None:
        self.explainer = explainer
        self.root = explainer.root
        self.lenient = lenient
        self.trials = MAX_TRIALS
        self.inside: set[Path] = set()

    def mended(self, data: Any, schema: Any, at: Path) -> tuple[Any, Coercions, bool]:
        """Repair what can be; the last says whether the schema accepts all of it then."""
        made: Coercions = ()
        for _ in range(ROUNDS):
            found = self.explainer.findings(data, limit=MAX_FINDINGS, schema=schema)
            if not found:
                return data, made, True
            before = data
            touched: set[Path] = set()
            for finding in found:
                path = finding.issue.path
                if any(path[:length] in touched for length in range(len(path) + 1)):
                    continue
                change = self.change(data, schema, finding, at)
                if change is not None:
                    touched.add(path)
                    data = _replaced(data, path, change.value)
                    made += change.coercions
            if data is before:
                break
        return data, made, not self.refusals(data, schema)

    def change(self, data: Any, schema: Any, finding: Finding, at: Path) -> Change | None:
        """What the rules make of a refused value, where they make one thing of it."""
        path = (*at, *finding.issue.path)
        if finding.issue.code == "extra":
            dropped = Change(ABSENT, (Coercion(path, "undeclared_dropped"),))
            return dropped if self.lenient else None
        value = _value_at(data, finding.issue.path)
        if value is ABSENT or len(path) > MAX_DEPTH:
            return None
        places = self.places(schema, finding)
        if isinstance(value, dict | list):
            return self.form(value, places, path)
        change = _agreed(made for place in places for made in self.scalar(value, place, path))
        return change or self.absence(value, places, finding, path)

    def places(self, schema: Any, finding: Finding) -> list[Place]:
        """The schemas that a value must satisfy: whole unions, not the one form that refused."""
        here = [Place(schema)]
        for step in finding.issue.path:
            here = below(self.root, here, step)
        refusing = [
            place
            for place in here
            if any(part is finding.node for part in parts(self.root, place.schema))
        ]
        return refusing or here

    def scalar(self, value: Any, place: Place, path: Path) -> list[Change]:
        """The accepted readings of a scalar: those of the first group that has any."""
        said = parts(self.root, place.schema)
        names = frozenset(name for part in said for name in named_types(part))
        groups: list[Iterator[Reading]] = []
        if isinstance(value, str):
            constants = [member for part in said for member in constants_of(part) or ()]
            groups.append(exactly(value, names, constants, MAX_DEPTH - len(path)))
        if self.lenient:
            groups += loosely(value, names)
        for readings in groups:
            changes = [
                self.read(reading, (Coercion(path, rule),), place.schema, path)
                for reading, rule in readings
            ]
            accepted = [change for change in changes if change is not None]
            if accepted:
                return accepted
        return []

    def form(self, value: Any, places: list[Place], path: Path) -> Change | None:
        """Repair an object or array as one of the forms of a union, if only one can be meant."""
        if path in self.inside:  # the forms of a form would be the same again
            return None
        forms = [
            form
            for place in places
            for part in parts(self.root, place.schema)
            for form in (*part.get("anyOf", ()), *part.get("oneOf", ()))
        ]
        self.inside.add(path)
        changes = [self.read(value, (), form, path) for form in forms]
        self.inside.discard(path)
        return _agreed(changes)

    def read(self, value: Any, made: Coercions, schema: Any, path: Path) -> Change | None:
        """Keep what was read if the schema accepts it, once its own parts are repaired."""
        self.trials -= 1
        if self.trials < 0:
            return None
        if not isinstance(value, dict | list):
            return None if self.refusals(value, schema) else Change(value, made)
        value, inner, accepted = self.mended(value, schema, path)
        return Change(value, made + inner) if accepted and made + inner else None

    def absence(
        self, value: Any, places: list[Place], finding: Finding, path: Path
    ) -> Change | None:
        """Leave out an optional property that was filled with nothing."""
        rule = NOTHING.get(value) if self.lenient or value != "None" else None
        if rule is None or finding.required or not any(place.declared for place in places):
            return None
        takes_null = any(not self.refusals(None, place.schema) for place in places)
        return None if takes_null else Change(ABSENT, (Coercion(path, rule),))

    def refusals(self, value: Any, schema: Any) -> list[Finding]:
        return self.explainer.findings(value, limit=1, schema=schema)


def _agreed(changes: Iterable[Change | None]) -> Change | None:
    """The change that all of them are, if they are one and the same."""
    made: dict[Hashable, Change] = {}
    for change in changes:
        if change is not None:
            made.setdefault(frozen(change.value), change)
    return next(iter(made.values())) if len(made) == 1 else None


def _value_at(data: Any, path: Path) -> Any:
    """The value at a path, or `ABSENT`: a missing key and the name of a key have none."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step, ABSENT)
        elif isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
            data = data[step]
        else:
            return ABSENT
    return data


def _replaced(data: Any, path: Path, value: Any) -> Any:
    """A copy of the data with another value at a path; what lies beside the path is shared."""
    if not path:
        return value
    copy = data.copy()
    step, *rest = path
    if value is ABSENT and not rest:
        del copy[step]
    else:
        copy[step] = _replaced(copy[step], tuple(rest), value)
    return copy
