"""The golden file: each wrong call, and the text that it gets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.texts.calls import CALLS, WIRE_CALLS
from tests.texts.tools import INPUTS, as_tool
from toolhaft import Err, Ok, ToolCall, Toolset
from toolhaft.call import feedback

__all__ = ["GOLDEN", "Row", "call", "rows", "text_of", "written"]

GOLDEN = Path(__file__).parent / "refusals.txt"
TARGET = "openai"


class Row(NamedTuple):
    """A wrong call of a tool, on the wire of a target where that is named, and its text."""

    tool: str
    target: str
    sent: str
    text: str


def call(name: str, vendor: str, target: str, sent: str) -> Ok[Any] | Err:
    """Call a tool as one vendor says it, with the text that a model sent."""
    one = as_tool(name, vendor)
    if not target:
        return one.call_sync(sent)
    return Toolset([one]).export(target, strict="require").call_sync(ToolCall("1", name, sent))


def text_of(outcome: Ok[Any] | Err) -> str:
    """Return the text of a rejected call, without the common beginning."""
    assert not outcome
    return outcome.text.removeprefix(feedback.INVALID)


def rows() -> list[Row]:
    """Read the golden file."""
    made = []
    for block in GOLDEN.read_text("utf-8").strip().split("\n\n"):
        head, text = block.rsplit("\n  ", 1)
        name, _, sent = head.partition(" ")
        name, _, target = name.partition("@")
        made.append(Row(name, target, json.loads(sent), text))
    return made


def written() -> str:
    """Return the golden file as the first vendor of each tool writes it now."""
    return "\n\n".join(_blocks()) + "\n"


def _blocks() -> Iterator[str]:
    for target, calls_of in ("", CALLS), (TARGET, WIRE_CALLS):
        for name, calls in calls_of.items():
            for each in calls:
                sent = each if isinstance(each, str) else json.dumps(each)
                text = text_of(call(name, next(iter(INPUTS[name])), target, sent))
                yield f"{name}{'@' if target else ''}{target} {json.dumps(sent)}\n  {text}"
