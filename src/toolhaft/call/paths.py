"""Write the path of an issue: keys that the schema declares are named, others are not."""

from __future__ import annotations

from typing import Any

from toolhaft.definition import names
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.spec import Issue, Path

__all__ = ["show_path", "value_at"]

MOST_STEP_CHARS = 60


def value_at(data: Any, path: Path) -> Any:
    """Give the value at `path`, or None where the data has no such place."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def show_path(issue: Issue, places: PlaceIndex) -> str:
    """Write an issue's path dotted; a key that came with the data, in an open map, is `[key]`.

    >>> show_path(Issue("required", ("tags", 0)), PlaceIndex({"properties": {"tags": {}}}))
    'tags.0'
    """
    path = issue.path
    data_steps = len(path) - 1 if issue.code in ("extra", "missing") else len(path)
    return ".".join(
        [
            _escape_step(step)
            if end > data_steps or isinstance(step, int) or _is_declared(places, path[:end])
            else "[key]"
            for end, step in enumerate(path, start=1)
        ]
    )


def _escape_step(step: str | int) -> str:
    return names.escape_text(str(step), MOST_STEP_CHARS)


def _is_declared(places: PlaceIndex, path: Path) -> bool:
    return any(schema.place.declared for schema in places.schemas(path))
