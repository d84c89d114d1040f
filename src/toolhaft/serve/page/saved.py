"""Save a call as a test: one line of JSON, which the pytest plugin runs again."""

from __future__ import annotations

import os
from typing import Any

from toolhaft.call.recorded import is_recorded
from toolhaft.jsonio import jsontext
from toolhaft.serve.page.options import Saving
from toolhaft.serve.problems import Refused

__all__ = ["save"]


def save(saving: Saving | None, line: Any) -> dict[str, Any]:
    """Add a line to the file, once; return the file, and whether it is new there.

    Raises:
        Refused: Nothing is saved here (403), it is no recorded call (422), or the file cannot be
            written (507).
    """
    if saving is None:
        raise Refused(403, "tests are saved where the server was started by toolhaft serve --open")
    if not is_recorded(line):
        raise Refused(422, "not a recorded call; it has a name, arguments and a kind")
    written = jsontext.write({"tools": saving.tools, **line})
    path = saving.path
    try:
        known = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if written not in known:
            path.parent.mkdir(parents=True, exist_ok=True)
            _append(path, written)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise Refused(507, f"{path.name} cannot be written: {reason}") from None
    return {"path": os.path.relpath(path), "is_new": written not in known}


def _append(path: os.PathLike[str], line: str) -> None:
    """Append one line by one write, on a line of its own whatever the file ends with."""
    with open(path, "a+b") as file:  # noqa: PTH123  a path-like
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - 1, 0))
        separator = b"" if file.read(1) in (b"", b"\n") else b"\n"
        file.write(separator + line.encode() + b"\n")
