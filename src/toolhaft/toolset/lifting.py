"""Read a call written for the lowered schema as the tool's arguments, and report issues in reverse.

Data that both schemas refuse are repaired by the lowered one: a list that came as text is a list on
the wire, whatever it stands for there. Then the lens reads them, and the original schema decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.decode import DecodeLimits, Undecodable, decode
from toolhaft.call.issue_groups import MOST_READ
from toolhaft.call.outcome import Err, Ok, with_decision
from toolhaft.call.paths import Locator, locate
from toolhaft.call.repair import repair
from toolhaft.call.types import Coercion
from toolhaft.lowering import Lowered
from toolhaft.schema.checker import Checker
from toolhaft.spec import Failure, Issue
from toolhaft.tools.internals import call_options_of
from toolhaft.tools.tool import AnyTool

__all__ = ["Lifted", "Lifting", "lifting_of"]

Issues: TypeAlias = Sequence[Issue]

# One level of the arguments may take up to four on the wire, for example if any value is a list of
# keys and values; lifted arguments have the tool's own limit.
LEVELS = 4
MOST_LEVELS = 200
# More issues than these are not sought in the wire.
MOST_MOVED = 20


class Lifted(NamedTuple):
    """Arguments in the tool's own terms, in the wire's terms, and the repairs on the wire.

    `wire` was read with them, and `sent` is `wire` before its repair; `coercions` have paths of the
    tool's own terms.
    """

    arguments: dict[str, Any]
    wire: Any
    sent: Any
    coercions: tuple[Coercion, ...]


class Lifting:
    """Reads one tool's calls from the wire, and writes their issues for it."""

    __slots__ = ("_checker", "_lens", "_limits", "_original", "_rules")

    def __init__(self, lowered: Lowered, original: dict[str, Any], rules: CallOptions) -> None:
        self._lens = lowered.lens
        self._rules = rules
        deepest = min(LEVELS * rules.max_argument_depth, MOST_LEVELS)
        self._limits = DecodeLimits(rules.max_argument_bytes, deepest)
        self._checker = Checker(lowered.schema)
        self._original = Checker(original)

    def lift(self, raw: Any) -> Lifted | Err:
        """Read a model's arguments in the wire's terms; an error of reading is an outcome."""
        try:
            wire, coercions = decode(
                raw, literals=self._rules.coerce != "none", limits=self._limits
            )
        except Undecodable as fault:
            refusal = Err(fault.kind, "", self._rules, fault.issues)
            return self._with_wire_text(refusal, None, None)
        sent, arguments = wire, self._lens.get(wire)
        if not self._fits(wire, arguments):
            wire, more, _ = repair(self._checker, wire, self._rules.coerce)
            arguments = self._lens.get(wire)
            coercions += more
        coercions = tuple(
            Coercion(self._lens.own_path(coercion.path, wire), coercion.rule)
            for coercion in coercions
        )
        if isinstance(arguments, Failure):
            issues = locate(arguments.issues, self._original.places, None)
            refusal = Err("invalid_input", "", self._rules, issues, coercions)
            return self._with_wire_text(refusal, wire, sent)
        return Lifted(arguments, wire, sent, coercions)

    def to_wire_outcome(self, outcome: Ok[Any] | Err, lifted: Lifted) -> Ok[Any] | Err:
        """Return the outcome of the lifted call with its issues in the terms of the wire."""
        outcome = self.name_changed(outcome, lifted.wire)
        if isinstance(outcome, Ok) or outcome.kind != "invalid_input":
            return outcome
        return self._with_wire_text(outcome, lifted.wire, lifted.sent)

    def name_changed(self, outcome: Ok[Any] | Err, wire: Any = None) -> Ok[Any] | Err:
        """Name the arguments that a person changed, and that the model reads of, as on the wire."""
        decision = outcome.decision
        if decision is None or not decision.changed:
            return outcome
        paths = (self._lens.wire_path((name,), wire) for name in decision.changed)
        shown = dict.fromkeys(str(path[0]) for path in paths if path)
        return with_decision(outcome, decision._replace(changed=tuple(shown)))

    def _fits(self, wire: Any, arguments: Any) -> bool:
        """Return whether one of the two schemas accepts the data, so that nothing is repaired."""
        if isinstance(arguments, Failure):
            return False
        return self._checker.is_valid(wire) or self._original.is_valid(arguments)

    def _with_wire_text(self, err: Err, wire: Any, sent: Any) -> Err:
        """Return the error with a text about the wire, which is written when it is read."""
        text: str | feedback.FormatIssues = feedback.TRUNCATED
        if err.kind != "truncated":
            text = partial(self._write_text, wire, sent)
        return Err(err.kind, text, self._rules, err.issues, err.coercions)

    def _write_text(self, wire: Any, sent: Any, issues: Issues) -> str:
        shown = self._wire_issues(issues, wire)
        locator = Locator(self._checker.places, keys=self._rules.feedback == "keys")
        located = locator.locate(shown, wire, sent=sent)
        return feedback.describe_invalid(located, unread=max(len(issues) - len(shown), 0))

    def _wire_issues(self, issues: Issues, wire: Any) -> list[Issue]:
        """Return the lowered schema's issues, and the first other issues at their places there.

        Finding the place of one issue examines each pair of a map.
        """
        if wire is None:
            return list(issues)
        node_issues = self._checker.node_issues(wire, limit=MOST_READ)
        lowered = [node_issue.issue for node_issue in node_issues]
        known = {issue.path for issue in lowered}
        around = {path[:length] for path in known for length in range(len(path))}
        moved = self._lens.wire_issues(issues[:MOST_MOVED], wire)
        return [
            *lowered,
            *(
                issue
                for issue in moved
                if issue.path not in known and not (issue.code == "type" and issue.path in around)
            ),
        ]


def lifting_of(tool: AnyTool, lowered: Lowered) -> Lifting | None:
    """Return the lifting of a tool's calls; None if the wire has the tool's own arguments."""
    if lowered.lens.identity:
        return None
    return Lifting(lowered, tool.input_schema.json_schema(), call_options_of(tool))
