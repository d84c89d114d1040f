"""`toolhaft serve --open`: the page of a server on this machine, its file and its links."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final, NamedTuple

from toolhaft.cli.errors import Unusable
from toolhaft.cli.serve_options import Asked

if TYPE_CHECKING:
    from toolhaft.serve.page.options import PageOptions
    from toolhaft.serve.state import State

__all__ = ["Links", "default_state", "make_page", "open_browser"]

DIGITS: Final = 12
SAVED: Final = "tests"


class Links(NamedTuple):
    """The tokens of the page and of the inbox, which are the same after a restart."""

    page: str
    inbox: str | None
    code: str

    def lines(self, address: str) -> Iterator[str]:
        """Yield the addresses to print, each with its token."""
        yield f"the page: {address}/#token={self.page}"
        if self.inbox is not None:
            yield f"the inbox: {address}/inbox#token={self.inbox}"

    def once(self, address: str) -> str:
        """Return the address to start a browser with: it opens the page once."""
        return f"{address}/#code={self.code}"


def default_state(tools: str) -> str:
    """Return the file of a page that was given none: one for each place of tools.

    Raises:
        Unusable: Its folder cannot be made.
    """
    digest = sha256(f"{Path.cwd()} {tools}".encode()).hexdigest()[:DIGITS]
    folder = _state_folder() / "toolhaft"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = f"{folder}: cannot be made: {error.strerror}"
        raise Unusable(f"--open: {reason}; give --state FILE") from None
    return str(folder / f"page-{digest}.db")


def _state_folder() -> Path:
    """Return the folder of programs' state (XDG Base Directory 0.8; Windows has its own)."""
    named = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", "")
    return Path(named) if Path(named).is_absolute() else Path.home() / ".local" / "state"


def make_page(asked: Asked, state: State) -> tuple[PageOptions, Links]:
    """Make the options of the page, and its links."""
    from toolhaft.serve.page.options import OneTimeCode, PageOptions, Saving

    code = OneTimeCode()
    token, approver = state.secret("page").hex(), state.secret("approver").hex()
    path = Path.cwd() / SAVED / f"{_stem(asked.tools)}.calls.jsonl"
    options = PageOptions(token, history=asked.history, saving=Saving(path, asked.tools), code=code)
    return options, Links(token, None if asked.approver_token_file else approver, code.text)


def _stem(tools: str) -> str:
    """Return the beginning of a file's name for a place of tools, without its folders."""
    stem = Path(tools.partition(".py")[0]).name
    return stem if stem.replace("_", "").replace(".", "").isalnum() else "page"


def open_browser(url: str) -> None:
    """Open a browser, which may take a while; the link stands on standard output anyway."""
    Thread(target=webbrowser.open, args=(url,), daemon=True).start()
