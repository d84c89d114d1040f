"""The agreement audit: whether a tool accepts exactly the values of its schema.

Values of the emitted schema, and single changes to them that it rejects, are passed to the tool's
boundary, which validates and runs nothing. A repair counts as a rejection: without it the arguments
would not have passed. A rejection for a reason that no schema states, such as the digits of a
decimal, is listed apart (`exceptions.py`). For a result, the objects that its type accepts must fit
the output schema once they are dumped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolhaft.call.outcome import Err
from toolhaft.call.results import InvalidResult, Results
from toolhaft.review.exceptions import Exceptions
from toolhaft.schema.document.walk import pointer
from toolhaft.schema.generate import NoValue, Values
from toolhaft.schema.mutate import FORMAT, Mutation, mutations
from toolhaft.spec import Issue, Path
from toolhaft.tools.internals import boundary_of
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors.adapter import Adapter

__all__ = ["WIDENED", "Agreement", "Disagreement", "audit_agreement"]

Kind: TypeAlias = Literal["refused", "accepted", "crashed"]
Side: TypeAlias = Literal["input", "output"]

# Changes that are tried on each value, of hundreds of possible ones.
CHANGES: Final = 10
WIDENED: Final = "vendor"
# Rules by which a tool accepts a value unchanged; all others are repairs.
PASSED: Final = frozenset({"ignored", "vendor_ignored", WIDENED})


class Disagreement(NamedTuple):
    """A place where a schema and its validator give different verdicts.

    Attributes:
        kind: "refused": the validator rejects a value of the schema. "accepted": it accepts a value
            that the schema rejects. "crashed": it raised an unexpected exception.
        side: "input" or "output".
        pointer: The place in `value`.
        reasons: The codes of the issues, or the change that was made.
        value: The first such value; all values are generated.
        times: How often it happened.
    """

    kind: Kind
    side: Side
    pointer: str
    reasons: tuple[str, ...]
    value: Any
    times: int

    @property
    def place(self) -> str:
        """The place as `input/rows/*/qty`: every item of a list is one place."""
        steps = ("*" if step.isdecimal() else step for step in self.pointer.split("/"))
        return f"{self.side}{'/'.join(steps)}"

    def __str__(self) -> str:
        why = f" ({', '.join(self.reasons)})" if self.reasons else ""
        return f"{self.side}{self.pointer}: {self.kind}{why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The result of an audit; true if values were tried and all verdicts agree.

    Attributes:
        tool: The name of the tool.
        disagreements: The places with different verdicts.
        unwritten: Checks that the schema does not express, such as custom validators.
        widened: Places where a custom validator accepted a value that the schema rejects; `*`
            stands for any item.
        loose: Places where a text passed that does not have the `format` in its schema.
        excepted: Places where a value of the schema was rejected for a reason that no JSON Schema
            states, each with the reason, such as `input/price: max_digits=5`.
        unreadable: Patterns for which no text could be generated.
        values: The number of values that were tried.
        mutations: The number of changes that were tried.
    """

    tool: str
    disagreements: tuple[Disagreement, ...]
    unwritten: tuple[str, ...]
    widened: tuple[str, ...]
    loose: tuple[str, ...]
    excepted: tuple[str, ...]
    unreadable: tuple[str, ...]
    values: int
    mutations: int

    def __bool__(self) -> bool:
        return self.values > 0 and not self.disagreements


def audit_agreement(tool: AnyTool, values: int = 200, seed: int = 0) -> Agreement:
    """Compare a tool's schemas with what its boundary accepts."""
    audit = _Audit(tool, Random(seed))  # noqa: S311 - values to try, not secrets
    audit.try_inputs(values)
    audit.try_outputs(values)
    return audit.result()


class _Audit:
    """One audit in progress."""

    def __init__(self, tool: AnyTool, random: Random) -> None:
        self.tool = tool
        self.random = random
        self.source = Values(tool.input_schema.json_schema(), random)
        self.exceptions = Exceptions(tool.input_schema)
        self.disagreements: dict[tuple[Any, ...], Disagreement] = {}
        self.widened: set[str] = set()
        self.loose: set[str] = set()
        self.excepted: set[str] = set()
        self.values = self.mutations = 0

    def result(self) -> Agreement:
        return Agreement(
            tool=self.tool.name,
            disagreements=tuple(self.disagreements.values()),
            unwritten=tuple(self.list_unwritten()),
            widened=tuple(sorted(self.widened)),
            loose=tuple(sorted(self.loose)),
            excepted=tuple(sorted(self.excepted)),
            unreadable=tuple(sorted(self.source.unreadable)),
            values=self.values,
            mutations=self.mutations,
        )

    def list_unwritten(self) -> Iterator[str]:
        for side, schema in (
            ("input", self.tool.input_schema),
            ("output", self.tool.output_schema),
        ):
            if isinstance(schema, Adapter):
                yield from (
                    f"{side}{pointer(path)}: {check}" for path, check in schema.unexpressed_checks()
                )

    def try_inputs(self, count: int) -> None:
        """Try values of the input schema, and changes to each that passed."""
        for value in _draw_values(self.source, count):
            self.values += 1
            if self.try_value(value):
                changes = mutations(self.source.checker, value, self.random)
                objects = (mutation for mutation in changes if isinstance(mutation.value, dict))
                for change in islice(objects, CHANGES):
                    self.mutations += 1
                    self.try_mutation(change)

    def try_value(self, value: Any) -> bool:
        """Try a value of the schema."""
        outcome = boundary_of(self.tool).check(value)
        if isinstance(outcome, Err):
            issues = [issue for issue in outcome.issues if not self.is_excepted(issue, value)]
            self.add_rejection("input", outcome.kind == "runtime_error", issues, value)
            return False
        repairs = [coercion for coercion in outcome.coercions if coercion.rule not in PASSED]
        for coercion in repairs:
            self.add_disagreement("refused", "input", coercion.path, (coercion.rule,), value)
        return not repairs

    def is_excepted(self, issue: Issue, value: Any) -> bool:
        """Whether no schema states the reason of an issue; such a reason is listed."""
        reason = self.exceptions.reason(issue, value)
        if reason is not None:
            self.excepted.add(f"input{_place(issue.path)}: {reason}")
        return reason is not None

    def try_mutation(self, change: Mutation) -> None:
        """Try a value that the schema rejects."""
        outcome = boundary_of(self.tool).check(change.value)
        if isinstance(outcome, Err):
            if outcome.kind == "runtime_error":
                self.add_disagreement(
                    "crashed", "input", change.path, (change.change,), change.value
                )
        elif any(coercion.rule not in PASSED for coercion in outcome.coercions):
            return
        elif change.change == FORMAT:
            self.loose.add(_place(change.path))
        elif any(coercion.rule == WIDENED for coercion in outcome.coercions):
            self.widened.add(_place(change.path))
        else:
            self.add_disagreement("accepted", "input", change.path, (change.change,), change.value)

    def try_outputs(self, count: int) -> None:
        """Make objects of the result's type, and hold their dumps to the output schema."""
        adapter = self.tool.output_schema
        if not isinstance(adapter, Adapter) or adapter.awaits:
            return
        results = Results(adapter)
        for value in _draw_values(Values(adapter.json_schema(mode="input"), self.random), count):
            try:
                results.check(adapter.construct(value))
            except adapter.rejects:
                continue  # no object, so nothing to dump
            except InvalidResult as broken:
                self.add_rejection("output", False, broken.issues, value)
            except Exception:  # noqa: BLE001 - an author's validators and serializers run here
                self.add_disagreement("crashed", "output", (), (), value)

    def add_rejection(self, side: Side, crashed: bool, issues: Iterable[Issue], value: Any) -> None:
        if crashed:
            self.add_disagreement("crashed", side, (), (), value)
        for issue in issues:
            self.add_disagreement("refused", side, issue.path, (issue.code, issue.message), value)

    def add_disagreement(
        self, kind: Kind, side: Side, path: Path, reasons: tuple[str, ...], value: Any
    ) -> None:
        """Count a disagreement, and keep its first value."""
        key = (kind, side, _place(path), reasons)
        disagreement = self.disagreements.get(key) or Disagreement(
            kind, side, pointer(path), reasons, value, 0
        )
        self.disagreements[key] = disagreement._replace(times=disagreement.times + 1)


def _draw_values(source: Values, count: int) -> Iterator[Any]:
    try:
        for _ in range(count):
            yield source.valid()
    except NoValue:
        return


def _place(path: Path) -> str:
    return pointer(tuple("*" if isinstance(step, int) else step for step in path))
