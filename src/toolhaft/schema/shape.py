"""The arguments that can be constructed at once: plain data that a schema accepts.

`Shape` checks them in Python. In C it is a tree of the allowed values; for keywords that the tree
does not know, the engine decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import permutations
from math import inf, nextafter
from operator import or_
from sys import maxsize
from typing import TYPE_CHECKING, Any, Final

from toolhaft.jsonio import jsontext, primitives
from toolhaft.jsonio.plaindata import MAX_VALUES, is_flat, is_plain
from toolhaft.schema.backtracking import going_back
from toolhaft.schema.branches import are_apart
from toolhaft.schema.closed import is_closed
from toolhaft.schema.document.kinds import named_types, names_of
from toolhaft.schema.document.references import followed
from toolhaft.schema.engine import compiled, is_linear, matcher
from toolhaft.schema.facts import facts_of
from toolhaft.schema.floats import floats_for_integers, floats_to_settle, is_integer_form
from toolhaft.schema.format_patterns import PATTERNS
from toolhaft.schema.gate import EXACT
from toolhaft.schema.marks import marks_of
from toolhaft.schema.numbers import Numbers

if TYPE_CHECKING:
    from toolhaft.schema.checker import Checker

__all__ = ["Shape", "part_test", "shape_of"]

Verdict = Callable[[Any], bool]


class Shape:
    """The data that fit one schema; whole floats may stand for integers if `whole_floats`."""

    def __init__(self, checker: Checker, *, whole_floats: bool, is_object: bool = True) -> None:
        schema = self.schema = checker.normalised
        self.kinds: tuple[type, ...] = (dict,) if is_object else (dict, list)
        self.accepts = _verdict(schema, checker.accepts, whole_floats=whole_floats)
        self.is_bounded: bool = is_closed(schema)
        self.is_flat: bool = names_of(schema) == ("object",) and is_closed(schema, depth=1)

    def fits(self, data: Any) -> bool:
        """Whether data are a dict (or a list), plain, and what the schema accepts."""
        try:
            return type(data) in self.kinds and self._is_plain(data) and self.accepts(data)
        except (ValueError, RuntimeError):  # the engine stumbles, or another thread changes them
            return False

    def _is_plain(self, data: Any) -> bool:
        return (self.is_flat and len(data) <= MAX_VALUES and is_flat(data)) or is_plain(data)

    def fits_read(self, data: Any) -> bool:
        """Like `fits`, for data from `jsontext.read_unbounded`."""
        return self.accepts(data) if self.is_bounded and type(data) is dict else self.fits(data)

    def fits_text(self, text: str) -> bool:
        """Whether strict JSON text stands for data that fit."""
        try:
            if jsontext.may_round(text):
                exact = jsontext.read(text, decimals=True)
                return self.accepts(Numbers(self.schema).nearest_floats(exact))
            data = (jsontext.read_unbounded if self.is_bounded else jsontext.read)(text)
            return type(data) in self.kinds and self.accepts(data)
        except ValueError:
            return False


def _verdict(schema: Any, accepts: Verdict, *, whole_floats: bool) -> Verdict:
    may_hold_floats = (floats_to_settle if whole_floats else floats_for_integers)(schema)
    return lambda data: accepts(data) and not may_hold_floats((data,))


def shape_of(checker: Checker, *, whole_floats: bool, is_object: bool = True) -> Any:
    """Compile the shape of data from the check of their schema; arguments are objects."""
    if not primitives.native:
        return Shape(checker, whole_floats=whole_floats, is_object=is_object)
    schema = checker.normalised
    compiler = _Compiler(schema, whole_floats=whole_floats)
    facts: dict[str, Any]
    try:
        facts = compiler.facts_of(schema)
    except _UnknownError:
        facts = {"verdict": _verdict(schema, checker.accepts, whole_floats=whole_floats)}
    kinds: int = facts.get("kinds", ANY)
    kinds &= KINDS["object"] if is_object else ANY | WHOLE_FLOAT
    return compiler.outermost({**facts, "kinds": kinds})


def part_test(root: Any, schema: Any) -> Verdict | None:
    """Compile the test in C of a part of a schema, which accepts only valid data; None without C.

    `root` is the document of the part's references.
    """
    if not primitives.native:
        return None
    compiler = _Compiler(root, whole_floats=True)
    try:
        fits: Verdict = compiler.outermost(compiler.facts_of(schema)).fits
    except _UnknownError:
        compiler.outermost({})
        return None
    return fits


# ------------------------------------------------------------------- for the primitives in C

# As in native/native.h.
KINDS: Final = {
    "null": 1, "boolean": 2, "integer": 4, "number": 4 | 8, "string": 16, "array": 32, "object": 64,
}  # fmt: skip
WHOLE_FLOAT: Final = 128
# As in native/shape.c.
MIXED: Final = 1
MIXED_IF_LARGE: Final = 2
ANY: Final = 127
UNBOUNDED: Final = maxsize
DEFAULTS: Final[dict[str, Any]] = {
    "kinds": ANY, "low": -inf, "high": inf, "shortest": 0, "longest": UNBOUNDED, "fewest": 0,
    "most": UNBOUNDED, "words": None, "format": 0, "verdict": None, "branches": (), "mixed": 0,
    "items": None, "members": (), "rest": None, "closed": False, "drops": False,
}  # fmt: skip
COUNTS: Final = {
    "minLength": "shortest", "maxLength": "longest", "minItems": "fewest", "maxItems": "most",
}  # fmt: skip
# Patterns whose texts are read as what they stand for.
FORMATS: Final = {PATTERNS["date"]: 1, PATTERNS["date-time"]: 2}
BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
# Keywords that do not restrict values; formats are asserted by patterns, if at all.
NOTES: Final = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "$comment", "$defs", "$schema", "format", "contentEncoding", "contentMediaType",
    "contentSchema", "discriminator", "x-toolhaft",
})  # fmt: skip
KNOWN: Final = frozenset({
    "type", "enum", "const", "pattern", "properties", "required", "additionalProperties", "items",
    *COUNTS, *BOUNDS,
})  # fmt: skip
MOST_NODES: Final = 2_000


class _UnknownError(Exception):
    """A part of the schema is more than the primitives know, and cannot stand alone."""


def _make(facts: dict[str, Any]) -> Any:
    return primitives.compiled.Shape(**(DEFAULTS | facts))


class _Compiler:
    def __init__(self, root: Any, *, whole_floats: bool) -> None:
        self.root = root
        self.whole_floats = whole_floats
        self.left = MOST_NODES
        # The parts that are being compiled, each with its depth in the data, and the stand-ins of
        # recursive parts.
        self.open: list[tuple[Any, int]] = []
        self.depth = 0
        self.stand_ins: dict[int, Any] = {}
        self.recurring: list[Any] = []
        # How many parts so far ask for integers, and how many take numbers that are none.
        self.numbers = Counter[str]()

    def outermost(self, facts: dict[str, Any]) -> Any:
        """Make the shape of the whole, with which recursive shapes are freed."""
        shape = _make(facts)
        shape.hold(tuple(self.recurring))
        return shape

    def shape(self, schema: Any) -> Any:
        """Return the shape of a part, or None if it accepts anything."""
        self.depth += 1
        facts = self.facts_of(schema)
        self.depth -= 1
        return _make(facts) if facts else None

    def facts_of(self, schema: Any) -> dict[str, Any]:
        """Return the facts of a part of the schema."""
        if not isinstance(schema, dict):
            self.numbers["any"] += schema is True
            return {} if schema is True else {"kinds": 0}
        self.left -= 1
        if self.left < 0:
            raise _UnknownError
        for outer, depth in self.open:
            if outer is schema:
                return self._again(schema, depth)
        self.open.append((schema, self.depth))
        facts = self._facts_of(schema)
        self.open.pop()
        if stand_in := self.stand_ins.pop(id(schema), None):
            stand_in.become(_make(facts))
            self.recurring.append(stand_in)
        return facts

    def _facts_of(self, schema: dict[str, Any]) -> dict[str, Any]:
        said = schema.keys() - NOTES
        if said == {"$ref"}:
            return self.facts_of(followed(self.root, schema))
        if said == {"anyOf"}:
            return self._branches(schema["anyOf"])
        if said == {"oneOf"} and are_apart(self.root, schema["oneOf"]):
            return self._branches(schema["oneOf"])
        is_known = said <= KNOWN and _is_common(schema)
        return self._node(schema) if is_known else self._decided(schema)

    def _again(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """Refer to a part that holds itself, further down in the data."""
        if depth == self.depth:
            raise _UnknownError
        self.numbers.update(("integers", "any"))  # what is inside is not known yet
        stand_in = self.stand_ins.setdefault(id(schema), _make({"kinds": ANY | WHOLE_FLOAT}))
        return {"branches": (stand_in,)}

    def _branches(self, forms: Sequence[Any]) -> dict[str, Any]:
        before = self.numbers.copy()
        branches, counts = [], []
        for branch in forms:
            branches.append(self.facts_of(branch))
            counts.append(self.numbers - before)
            before = self.numbers.copy()
        others = [facts for facts in branches if facts != {"kinds": KINDS["null"]}]
        if len(others) == 1 and not {"branches", "verdict"} & others[0].keys():
            null = KINDS["null"] if len(branches) > 1 else 0
            return {**others[0], "kinds": others[0].get("kinds", ANY) | null}
        mixed = MIXED_IF_LARGE if self.whole_floats else MIXED
        if not _differ_in_numbers(counts):
            mixed = 0
        return {"branches": tuple(map(_make, branches)), "mixed": mixed}

    def _node(self, schema: dict[str, Any]) -> dict[str, Any]:
        # No data is so long; the numbers of C end before the numbers of schemas.
        facts = {COUNTS[word]: min(schema[word], UNBOUNDED) for word in COUNTS if word in schema}
        names = names_of(schema)
        self._count(schema)
        if names:
            facts["kinds"] = reduce(or_, map(KINDS.__getitem__, names))
            if self.whole_floats and "integer" in names and "decimal" not in marks_of(schema):
                facts["kinds"] |= WHOLE_FLOAT
        if any(word in schema for word in BOUNDS):
            facts["low"] = max(
                schema.get("minimum", -inf), nextafter(schema.get("exclusiveMinimum", -inf), inf)
            )
            facts["high"] = min(
                schema.get("maximum", inf), nextafter(schema.get("exclusiveMaximum", inf), -inf)
            )
        words = [schema["const"]] if "const" in schema else schema.get("enum")
        if words is not None:
            facts["words"] = tuple(sorted(words))
            facts["kinds"] = facts.get("kinds", ANY) & KINDS["string"]
        if "pattern" in schema:
            facts |= _pattern(schema["pattern"])
        if "items" in schema:
            facts["items"] = self.shape(schema["items"])
        return facts | self._members(schema)

    def _count(self, schema: dict[str, Any]) -> None:
        """Note whether a node asks for integers, and whether other numbers pass it."""
        names = named_types(schema)
        is_open = (
            not names
            or "number" in names
            or ("array" in names and "items" not in schema)
            or ("object" in names and schema.get("additionalProperties", True) is True)
        )
        self.numbers["integers"] += is_integer_form(names)
        self.numbers["any"] += is_open

    def _members(self, schema: dict[str, Any]) -> dict[str, Any]:
        others = schema.get("additionalProperties", True)
        declared, required = schema.get("properties", {}), schema.get("required", ())
        if others is True and not declared and not required:
            return {}
        rest = None if others is False else self.shape(others)
        undeclared = _make({"kinds": 0}) if others is False else rest
        shapes = {name: self.shape(inner) for name, inner in declared.items()}
        shapes = {**shapes, **{name: undeclared for name in required if name not in shapes}}
        members = tuple((name, inner, name in required) for name, inner in shapes.items())
        drops = "dropped" in marks_of(schema)
        return {"members": members, "rest": rest, "closed": others is False, "drops": drops}

    def _decided(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Leave a node to the engine."""
        facts = facts_of(schema)
        if facts.refs or going_back(facts.patterns):
            raise _UnknownError
        self.numbers.update(("integers", "any"))  # what is inside is not known here
        accepts = compiled(schema)
        return {"verdict": _verdict(schema, accepts, whole_floats=self.whole_floats)}


def _pattern(pattern: str) -> dict[str, Any]:
    if pattern in FORMATS:
        return {"format": FORMATS[pattern]}
    if not is_linear(pattern):  # what may take long is counted over all texts
        raise _UnknownError
    return {"verdict": matcher(pattern)}


def _differ_in_numbers(counts: list[Counter[str]]) -> bool:
    """Whether a number that is an integer of one branch may be any number in another.

    Then a whole float is settled first, so that each way of writing it means the same branch.
    """
    pairs = permutations(counts, 2)
    return any(branch["integers"] and other["any"] for branch, other in pairs)


def _is_common(schema: dict[str, Any]) -> bool:
    """Whether the values of a node's keywords are of the common kinds."""
    words = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return (
        all(type(word) is str for word in words)
        and not ("const" in schema and "enum" in schema)
        and all(type(schema.get(word, 0)) is int for word in COUNTS)
        and all(abs(schema.get(word, 0)) < EXACT for word in BOUNDS)
    )
