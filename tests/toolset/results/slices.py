"""Read a kept result as a model would, slice by slice."""

from __future__ import annotations

import json
import re
from typing import Any

from toolhaft import Toolset

__all__ = ["handle_of", "read_all"]

NOTE = re.compile(
    r"\n?… (items|lines) (\d+) to (\d+) of (\d+) \1 \(\d+ characters\)"
    r"(?:; read on with read_result (\{.*\})|, the last ones)$"
)  # fmt: skip


def handle_of(text: str) -> str:
    """Return the id in the text of a result."""
    note = NOTE.search(text)
    assert note is not None, text[-200:]
    return str(json.loads(note[5])["id"])


def read_all(tools: Toolset, text: str, context: Any = None) -> Any:
    """Follow the notes from the first text on; return the text without line ends, or the items."""
    bodies, following = [], 0
    while True:
        note = NOTE.search(text)
        assert note is not None, text[-200:]
        unit, first, last, count = note[1], int(note[2]), int(note[3]), int(note[4])
        assert first == following
        bodies.append(text[: note.start()].replace("\n", ""))
        if note[5] is None:
            assert last == count - 1
            break
        following = last + 1
        arguments = {**json.loads(note[5]), "limit": 10_000}
        assert arguments["offset"] == following
        text = tools.call_sync("read_result", arguments, context=context).text
    if unit == "lines":
        return "".join(bodies)
    return [item for body in bodies for item in json.loads(body)]
