"""The settings of the page."""

from __future__ import annotations

from collections.abc import Callable
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias

__all__ = ["FEWEST_TOKEN_CHARS", "OneTimeCode", "PageOptions", "Redact", "Saving"]

FEWEST_TOKEN_CHARS: Final = 16
CODE_SECONDS: Final = 60
# Is given the name of a tool, and its arguments or its result; returns what the history keeps.
Redact: TypeAlias = Callable[[str, Any], Any]


class Saving(NamedTuple):
    """Where calls are saved as tests: a file, and the tools that `pytest` calls again."""

    path: Path
    tools: str


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
