"""The lens of a value is chosen by the value: by its kind, a constant property, a tag, or null."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolhaft.lowering.lenses.lens import IDENTITY, ChosenLens, NodeLens, Path, kind_of
from toolhaft.schema.document.kinds import json_equal
from toolhaft.spec import Issue

__all__ = [
    "BranchSignature",
    "Choice",
    "KindLens",
    "NullableLens",
    "UnionLens",
    "kind_lens",
    "nullable_lens",
]


_OBJECT = frozenset(("object",))


@dataclass(frozen=True, slots=True)
class KindLens(ChosenLens):
    """One lens for each JSON kind; kinds keep theirs on the wire."""

    lenses: Mapping[str, NodeLens]

    def lens_for(self, value: Any) -> NodeLens:
        return self.lenses.get(kind_of(value), IDENTITY)


def kind_lens(lens: KindLens) -> NodeLens:
    """Return the lens, or the identity if it changes nothing."""
    return IDENTITY if all(each is IDENTITY for each in lens.lenses.values()) else lens


@dataclass(frozen=True, slots=True)
class NullableLens(ChosenLens):
    """Null as it is, anything else through the other form's lens."""

    inner: NodeLens

    def lens_for(self, value: Any) -> NodeLens:
        return IDENTITY if value is None else self.inner


def nullable_lens(inner: NodeLens) -> NodeLens:
    """Return the lens, or the identity if it changes nothing."""
    return IDENTITY if inner is IDENTITY else NullableLens(inner)


@dataclass(frozen=True, slots=True)
class BranchSignature:
    """The features of a branch on the wire: kinds, constants of required properties, a tag."""

    kinds: frozenset[str]
    constants: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    tag: str | None = None

    def fits(self, wire: Any) -> bool:
        """Return whether a value on the wire has this signature."""
        if kind_of(wire) not in self.kinds:
            return False
        if not isinstance(wire, dict):
            return True
        if self.tag is not None and list(wire) != [self.tag]:
            return False
        return all(
            key in wire and any(json_equal(wire[key], each) for each in values)
            for key, values in self.constants
        )

    def is_distinct_from(self, other: BranchSignature) -> bool:
        """Return whether no value on the wire can fit both."""
        common = self.kinds & other.kinds
        if not common or (self.tag and other.tag and self.tag != other.tag):
            return True
        theirs = dict(other.constants)
        return common == _OBJECT and any(
            key in theirs and not any(json_equal(x, y) for x in mine for y in theirs[key])
            for key, mine in self.constants
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """One branch: how to know it on the wire and in the arguments, and how to read it.

    `accepts` checks a value against the original's branch, `takes` against the lowered one.
    """

    signature: BranchSignature
    lens: NodeLens
    accepts: Callable[[Any], bool] = field(compare=False)
    takes: Callable[[Any], bool] = field(compare=False)


@dataclass(frozen=True, slots=True)
class UnionLens(ChosenLens):
    """The first branch that fits; branches that share values share a lens or carry a tag."""

    choices: tuple[Choice, ...]

    def put(self, value: Any) -> Any:
        """Write by the first branch that accepts the value on both sides; a closed one may not."""
        candidates = [choice for choice in self.choices if choice.accepts(value)]
        for choice in candidates:
            wire = choice.lens.put(value)
            if choice.takes(wire):
                return wire
        return (candidates or self.choices)[0].lens.put(value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        lens = self._fitting_lens(wire)
        if lens is None:
            message = f"expected one of {len(self.choices)} forms"
            issues.append(Issue(message, at, "union", received=kind_of(wire)))
            return wire
        return lens.get(wire, at, issues)

    def lens_for(self, value: Any) -> NodeLens:
        return self._fitting_lens(value) or IDENTITY

    def _fitting_lens(self, wire: Any) -> NodeLens | None:
        return next((choice.lens for choice in self.choices if choice.signature.fits(wire)), None)
