"""Texts of others in a Markdown page: seen as they are, and never taken for markup.

A declaration comes from anywhere: its HTML is not to run in a page, its markers are not ours, and
what a reader cannot see is written out.
"""

from __future__ import annotations

import json
import re
from typing import Any

from toolhaft.definition import names

__all__ = ["cell", "code_span", "escape_json", "json_block", "prose"]

_TAG = re.compile(r"<(?=[!/?a-zA-Z])")
_ENTITY = re.compile(r"&(?=#?\w+;)")


def prose(text: str) -> str:
    r"""Write a text of one or more lines.

    >>> prose("a <b>\u202e</b> &amp; b")
    'a &lt;b>\\u202e&lt;/b> &amp;amp; b'
    """
    return "\n".join(
        _ENTITY.sub("&amp;", names.escape_text(line, 10 * len(line) + 1)).replace("<", "&lt;")
        for line in text.splitlines()
    )


def cell(text: str) -> str:
    """Write a text as a cell of a table."""
    return prose(" ".join(text.split())).replace("|", "\\|")


def code_span(text: str) -> str:
    r"""Write a text as code, whatever backticks, tags and comments it has.

    >>> code_span("list<int> <b>")
    '`list\\x3cint> \\x3cb>`'
    """
    shown = names.escape_text(text, 10 * len(text) + 1).replace("|", "\\|")
    shown = _TAG.sub(r"\\x3c", shown)  # an entity would be shown as it is
    ticks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{ticks} {shown} {ticks}" if "`" in shown else f"`{shown}`"


def json_block(data: Any, indent: int) -> str:
    """Write data as a fenced block of JSON, hidden characters and comments' beginnings escaped."""
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    return f"```json\n{escape_json(text)}\n```"


def escape_json(text: str) -> str:
    """Escape what a reader of JSON cannot see, and what begins or ends a comment around it."""
    shown = names.escape_json(text)
    return re.sub("<!--|--!?>", lambda mark: mark[0].replace("--", "\\u002d\\u002d"), shown)
