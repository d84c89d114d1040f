"""The parts of a kept result for a model: its beginning, and more by `read_result`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Final

from toolhaft.call.shorten import shorten
from toolhaft.definition.markers import Context
from toolhaft.errors import ToolError
from toolhaft.tools.decorator import tool
from toolhaft.tools.tool import AnyTool, Tool
from toolhaft.toolset.results.kept import Kept
from toolhaft.toolset.results.store import Store

__all__ = ["READ_RESULT", "make_reader", "without_readers", "write_slice"]

READ_RESULT: Final = "read_result"
MOST_UNITS: Final = 10_000
USUAL_UNITS: Final = 200
UNKNOWN: Final = (
    "there is no result with this id, or it has expired; call the tool that returned it again"
)
ARGUMENTS: Final = {
    "type": "object",
    "properties": {
        "id": {
            "type": "string",
            "maxLength": 100,
            "description": "The id of the result, as it was written.",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "default": 0,
            "description": "The first line or item to read, counted from 0.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_UNITS,
            "default": USUAL_UNITS,
            "description": "The most lines or items to read.",
        },
    },
    "required": ["id"],
    "additionalProperties": False,
}
DESCRIPTION: Final = (
    "Read more of a result that was too long to be shown whole: further lines of a text, or items "
    "of a list."
)


def make_reader(store: Store, sees: Callable[[str, Any], bool]) -> AnyTool:
    """Make the tool by which a model reads results of a store.

    Args:
        store: The store.
        sees: Whether a context may see a tool.
    """

    def read(arguments: dict[str, Any], *, context: Context[Any] = None) -> str:
        handle, offset = arguments["id"], int(arguments.get("offset", 0))
        kept = store.find(handle, context)
        if kept is None or not sees(kept.facts.tool, context):
            raise ToolError(UNKNOWN)
        if offset >= kept.facts.total:
            raise ToolError(f"offset: the result has {_size(kept)}, counted from 0")
        limit = int(arguments.get("limit", USUAL_UNITS))
        return write_slice(kept, handle, offset, limit, store.max_result_chars)

    read.reads_results = True  # type: ignore[attr-defined]  # by which `without_readers` knows it
    handler: Any = read
    reader: AnyTool = tool(
        handler,
        name=READ_RESULT,
        description=DESCRIPTION,
        input=ARGUMENTS,
        annotations={"readOnlyHint": True},
    )
    return reader


def without_readers(members: Any) -> Any:
    """Leave out the tools that `make_reader` made: a set with a store gets one of its own."""
    if not isinstance(members, Iterable) or isinstance(members, str | bytes):
        return members  # which is an error
    return [each for each in members if not (isinstance(each, Tool) and _is_reader(each))]


def _is_reader(candidate: AnyTool) -> bool:
    return hasattr(candidate.function, "reads_results")


def write_slice(kept: Kept, handle: str, offset: int, limit: int, room: int) -> str:
    """Write as many units as fit, and how to read on."""
    longest = len(_note(kept, handle, offset, kept.facts.total, is_last=False))
    units, end = _fitting(kept, offset, limit, room - longest)
    listed = ",\n".join(units)
    body = "".join(units) if kept.facts.unit == "lines" else f"[{listed}]"
    separator = "" if body.endswith("\n") else "\n"
    note = _note(kept, handle, offset, end, is_last=end >= kept.facts.total)
    return f"{body}{separator}{note}"


def _fitting(kept: Kept, offset: int, limit: int, room: int) -> tuple[list[str], int]:
    """Take the units that fit whole; an item that is longer than all the room is cut."""
    units: list[str] = []
    left = room - len("[]\n")
    between = len(",\n") if kept.facts.unit == "items" else 0
    for unit in islice(kept.read(offset), limit):
        size = len(unit) + between
        if size > left:
            if not units:
                units.append(shorten(unit, left))
            break
        units.append(unit)
        left -= size
    return units, offset + len(units)


def _size(kept: Kept) -> str:
    facts = kept.facts
    return f"{facts.total} {facts.unit} ({facts.characters} characters)"


def _note(kept: Kept, handle: str, offset: int, end: int, *, is_last: bool) -> str:
    """Return which units are shown, and how to read on."""
    shown = f"… {kept.facts.unit} {offset} to {end - 1} of {_size(kept)}"
    if is_last:
        return f"{shown}, the last ones"
    return f'{shown}; read on with {READ_RESULT} {{"id":"{handle}","offset":{end}}}'
