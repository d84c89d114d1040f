"""Turn voluptuous's errors into issues, with their paths as far as the data have them."""

from __future__ import annotations

from typing import Any, Final

from toolhaft.schema.document.places import Place, child_schemas, parts
from toolhaft.schema.format_patterns import format_words
from toolhaft.spec import Issue, Path

__all__ = ["issue_of"]

MAX_WORDS: Final = 300
# The last is all that is left of a date's fault where null may stand too.
FORMAT_FAULTS: Final = ("DateInvalid", "DatetimeInvalid", "ScalarInvalid")


def issue_of(error: Any, data: Any, root: Any) -> Issue:
    """Turn one `Invalid` into an issue; the schema's own findings have better words."""
    steps = [getattr(step, "schema", step) for step in error.path]  # a missing key is its marker
    path = _path(steps, data if isinstance(data, dict | list) else [])
    is_missing = type(error).__name__ == "RequiredFieldInvalid"
    if is_missing and len(path) == len(steps) - 1 and type(steps[-1]) is str:
        return Issue("required", (*path, steps[-1]), "missing")
    if type(error).__name__ in FORMAT_FAULTS and (name := _format_at(root, path)):
        return Issue(f"expected {format_words(name)}", path, "format")
    message = error.msg  # an ExactSequence or an author may leave it out
    if message == "extra keys not allowed":
        return Issue("unknown", path, "extra")
    return Issue(str(message)[:MAX_WORDS] if message else "not accepted", path)


def _format_at(root: Any, path: Path) -> str | None:
    """Return the format that the schema names at a place, or None."""
    places = [Place(root)]
    for step in path:
        places = child_schemas(root, places, step)
    nodes = (part for place in places for part in parts(root, place.schema))
    return next((part["format"] for part in nodes if "format" in part), None)


def _path(steps: list[Any], data: Any) -> Path:
    path: list[str | int] = []
    for step in steps:
        members = data if isinstance(data, dict) else dict(enumerate(data))
        if step not in members:
            break
        path.append(step)
        data = members[step]
        if not isinstance(data, dict | list):
            break
    return tuple(path)
