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
            names.escape_text(str(step), MOST_STEP_CHARS)
            if end > data_steps or schemas.declared or isinstance(step, int)
            else "[key]"
            for end, (step, schemas) in enumerate(zip(path, places.along(path), strict=True), 1)
        ]
    )
