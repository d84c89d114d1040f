"""Resumes calls that were prepared elsewhere, each in its own process.

A request has a tool, the text of the call and the key. The answer has the call's view, its outcome,
the outcome of a second use, and its digest.
"""

from __future__ import annotations

from typing import Any

from tests.forks import serve
from tests.hostile import forged_elsewhere
from tests.hostile.witnesses import plain
from toolhaft import Err, Toolset
from toolhaft.tools.tool import AnyTool

__all__: list[str] = []


def resume(name: str, text: str, key: str) -> list[Any]:
    """Resume a call, and make it twice."""
    tool: AnyTool = getattr(forged_elsewhere, name).replace(isolation="none")
    prepared = Toolset([tool]).resume(text, key=key)
    if isinstance(prepared, Err):
        return [None, prepared.text, prepared.kind, None]
    shown = plain(prepared.arguments)
    first, again = prepared.call_sync(), prepared.call_sync()
    assert isinstance(again, Err)
    return [shown, first.text, again.kind, prepared.digest]


if __name__ == "__main__":
    serve(resume)
