"""The settings of the page, and the file where it saves calls as tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft.call.recorded import is_recorded
from toolhaft.jsonio import jsontext
from toolhaft.serve.responses import Refused

__all__ = ["FEWEST_TOKEN_CHARS", "OneTimeCode", "PageOptions", "Redact", "Saving"]

FEWEST_TOKEN_CHARS: Final = 16
CODE_SECONDS: Final = 60
# Is given the name of a tool, and its arguments or its result; returns what the history keeps.
Redact: TypeAlias = Callable[[str, Any], Any]


class Saving(NamedTuple):
    """Where calls are saved as tests: a file, and the tools that `pytest` calls again."""

    path: Path
    tools: str

    def save(self, line: Any) -> dict[str, Any]:
        """Add a line to the file, once; return the file, and whether it is new there.

        Raises:
            Refused: It is no recorded call (422), or the file cannot be written (507).
        """
        if not is_recorded(line):
            raise Refused(422, "not a recorded call; it has a name, arguments and a kind")
        written = jsontext.write({"tools": self.tools, **line})
        path = self.path
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


class OneTimeCode:
    """A code that opens the page once, within a minute.

    A browser is started with it in place of the token, since other users of the machine can read
    with what arguments a program was started.
    """

    def __init__(self) -> None:
        self.text = token_urlsafe()
        self._left: str | None = self.text
        self._until = monotonic() + CODE_SECONDS

    def spend(self, sent: object) -> bool:
        """Whether the code was sent, for the first time and in time."""
        if self._left is None or not isinstance(sent, str) or monotonic() > self._until:
            return False
        is_right = compare_digest(sent.encode(errors="replace"), self._left.encode())
        self._left = None if is_right else self._left
        return is_right


class PageOptions(NamedTuple):
    """The token of the page, the history of its calls, and the file of saved tests.

    `token` opens the page, and `code` once in its place; `history` is whether calls are kept in the
    file of the server.
    """

    token: str
    history: bool = True
    redact: Redact | None = None
    saving: Saving | None = None
    code: OneTimeCode | None = None

    def check(self) -> None:
        """Check the token.

        Raises:
            ValueError: It can be guessed.
        """
        if len(self.token) < FEWEST_TOKEN_CHARS or not self.token.isprintable():
            raise ValueError(
                f"token: the page needs one of at least {FEWEST_TOKEN_CHARS} characters; "
                "pass token=secrets.token_urlsafe()"
            )
