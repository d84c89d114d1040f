"""The record of one row for the program, and the row of the output file."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from toolhaft.batch.admission import Admission
from toolhaft.batch.calls import Call, Place
from toolhaft.call.types import Coercion
from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.schema.document.walk import pointer
from toolhaft.spec import Issue

__all__ = ["ACCEPTED_TAIL", "Record", "write_short"]

# The end of the row of a call that was accepted as it was sent.
ACCEPTED_TAIL = ',"coercions":[],"issues":[],"text":null,"value":null}\n'


class Record(NamedTuple):
    """The record of one row.

    `kind` is an outcome's kind, `ok` if the tool ran, `accepted` if the call was only gated, or
    `invalid` if the line contains no call. `arguments` are the valid arguments, after repair; None
    if they are invalid. `spelling` is their text on one line if they passed as they were sent.
    `place` is the place of the call in the conversation that the row is. `effect` is `unknown` for
    a call that was cut off while it ran.
    """

    line: int
    call: Call | None
    kind: str
    arguments: Any = None
    coercions: tuple[Coercion, ...] = ()
    issues: tuple[Issue, ...] = ()
    text: str | None = None
    value: Any = None
    spelling: str | None = None
    place: Place | None = None
    effect: str | None = None

    @classmethod
    def of(cls, line: int, call: Call, admission: Admission, place: Place | None = None) -> Record:
        """Make the record of a call whose arguments were judged."""
        if isinstance(admission, str):
            return cls(line, call, "accepted", place=place, spelling=admission)
        if isinstance(admission, tuple):
            return cls(line, call, "accepted", *admission, place=place)
        return cls(
            line,
            call,
            admission.kind,
            coercions=admission.coercions,
            issues=admission.issues,
            text=admission.text,
            place=place,
        )

    @classmethod
    def invalid(cls, line: int, reason: str, place: Place | None = None) -> Record:
        """Make the record of a line that holds no call."""
        return cls(line, None, "invalid", issues=(Issue(reason, code="json"),), place=place)

    @property
    def admitted(self) -> bool:
        """Whether the arguments passed every check."""
        return self.arguments is not None or self.spelling is not None

    @property
    def arguments_text(self) -> str | None:
        """The valid arguments as JSON text on one line, or None if they are invalid."""
        if self.spelling is not None:
            return self.spelling
        return None if self.arguments is None else jsontext.write(self.arguments)

    def row(self) -> dict[str, Any]:
        """Return the record as plain JSON data, its keys always the same, in one order.

        A call of a conversation also has its place there; a call that was cut off has its effect.
        """
        row: dict[str, Any] = json.loads(self.text_row())
        return row

    def text_row(self) -> str:
        """Write the row as one line of JSON, with its end."""
        call, place = self.call, self.place
        where = f',"message":{place.message},"index":{place.call}' if place else ""
        outcome: dict[str, Any] = {
            "coercions": self.written_coercions,
            "issues": self.written_issues,
            "text": self.text,
            "value": self.value,
        }
        if self.effect is not None:
            outcome["effect"] = self.effect
        return names.escape_json(
            f'{{"line":{self.line}{where},"id":{write_short(call and call.id)},'
            f'"tool":{write_short(call and call.name)},"kind":"{self.kind}",'
            f'"arguments":{self.arguments_text or "null"},{jsontext.write(outcome)[1:]}\n'
        )

    @property
    def written_coercions(self) -> list[dict[str, str]]:
        """The repairs, as plain JSON data."""
        return [{"path": pointer(c.path), "rule": c.rule} for c in self.coercions]

    @property
    def written_issues(self) -> list[dict[str, str]]:
        """The issues, as plain JSON data."""
        return [_to_data(issue) for issue in self.issues]


def write_short(value: str | int | None) -> str:
    """Write an id or a name as JSON; quickly for plain words, which most are."""
    return f'"{value}"' if type(value) is str and value.isidentifier() else jsontext.write(value)


def _to_data(issue: Issue) -> dict[str, str]:
    data: dict[str, str] = {
        "path": pointer(issue.path), "code": issue.code, "message": issue.message,
    }  # fmt: skip
    if issue.expected is not None:
        data["expected"] = issue.expected
    if issue.received is not None:
        data["received"] = issue.received
    return data
