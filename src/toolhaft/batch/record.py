"""The record of one row for the program, and the row of the output file."""

from __future__ import annotations

from typing import Any, NamedTuple

from toolhaft.batch.calls import Call, Place
from toolhaft.call.types import Coercion
from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.schema.document.walk import pointer
from toolhaft.spec import Issue

__all__ = ["ACCEPTED_TAIL", "Record", "find_spelling", "to_one_line", "write_place"]

# What ends the row of a call that was accepted as it was sent.
ACCEPTED_TAIL = ',"coercions":[],"issues":[],"text":null,"value":null}\n'


class Record(NamedTuple):
    """The record of one row.

    `kind` is an outcome's kind, `ok` where the tool ran, `accepted` where it was only gated, or
    `invalid` where the line holds no call. `arguments` are those that passed, repaired; None
    where none did. `spelling` is their text where they passed as they were sent, on one line.
    `place` is where the call stands in the conversation that the row is.
    `effect` is `unknown` for a call that was cut off while it ran.
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
    def invalid(cls, line: int, reason: str) -> Record:
        """Make the record of a line that holds no call."""
        return cls(line, None, "invalid", issues=(Issue(reason, code="json"),))

    @property
    def admitted(self) -> bool:
        """Whether the arguments passed every check."""
        return self.arguments is not None or self.spelling is not None

    def row(self) -> dict[str, Any]:
        """Give the record as plain JSON data, its keys always the same, in one order.

        A call of a conversation also has its place there; one that was cut off has its effect.
        """
        call = self.call
        return {
            "line": self.line,
            **({"message": self.place.message, "index": self.place.call} if self.place else {}),
            "id": call.id if call else None,
            "tool": call.name if call else None,
            "kind": self.kind,
            "arguments": self.arguments,
            "coercions": [{"path": pointer(c.path), "rule": c.rule} for c in self.coercions],
            "issues": [_issue(issue) for issue in self.issues],
            "text": self.text,
            "value": self.value,
            **({"effect": self.effect} if self.effect else {}),
        }

    def text_row(self) -> str:
        """Write the row as one line of JSON, with its end."""
        if self.spelling is None:
            return names.escape_json(jsontext.write(self.row())) + "\n"
        written = {key: jsontext.write(value) for key, value in self.row().items()}
        written["arguments"] = self.spelling
        members = ",".join(f'"{key}":{value}' for key, value in written.items())
        return names.escape_json(f"{{{members}}}\n")


def find_spelling(raw: Any, arguments: Any) -> str | None:
    """Give the text of arguments that stands for what was admitted; None where none does."""
    if type(raw) is not str:
        return None
    try:
        return to_one_line(raw) if jsontext.read(raw) == arguments else None
    except jsontext.JsonSyntaxError:
        return None


def write_place(place: Place | None) -> str:
    """Write the members of a row that say where in a conversation its call stands."""
    return "" if place is None else f'"message":{place.message},"index":{place.call},'


def to_one_line(text: str) -> str:
    """Write strict JSON text, which has line ends between its tokens only, on one line."""
    return text.replace("\n", " ").replace("\r", " ")


def _issue(issue: Issue) -> dict[str, Any]:
    written = {"path": pointer(issue.path), "code": issue.code, "message": issue.message}
    if issue.expected is not None:
        written["expected"] = issue.expected
    if issue.received is not None:
        written["received"] = issue.received
    return written
