"""The settings of the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

__all__ = ["FEWEST_TOKEN_CHARS", "PageOptions", "Redact", "Saving"]

FEWEST_TOKEN_CHARS: Final = 16
# Is given the name of a tool, and its arguments or its result; returns what the history keeps.
Redact: TypeAlias = Callable[[str, Any], Any]


class Saving(NamedTuple):
    """Where calls are saved as tests: a file, and the tools that `pytest` calls again."""

    path: Path
    tools: str


class PageOptions(NamedTuple):
    """The token of the page, the history of its calls, and the file of saved tests.

    `token` opens the page; `history` is whether calls are kept in the file of the server.
    """

    token: str
    history: bool = True
    redact: Redact | None = None
    saving: Saving | None = None

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
