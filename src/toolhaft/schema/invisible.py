"""Characters that a person cannot see, in the strings of a schema."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from toolhaft.definition import names
from toolhaft.schema.document.walk import (
    LISTS,
    MAPS,
    SINGLES,
    child_nodes,
    pointer,
    replace_children,
)
from toolhaft.schema.faults import SchemaFault
from toolhaft.spec import Path

__all__ = ["invisible_faults", "strip_invisible"]

# Keywords that a model and a person only read.
TEXTS: Final = frozenset({"title", "description", "$comment"})
# Keywords that decide which values are valid, or what is meant: with another string, they would
# mean something else.
DECIDING: Final = SINGLES | LISTS | MAPS | frozenset({
    "$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef", "$ref", "$schema",
    "$vocabulary", "const", "dependentRequired", "discriminator", "enum", "format", "id",
    "pattern", "required", "type",
})  # fmt: skip


def invisible_faults(schema: Any) -> list[SchemaFault]:
    r"""List the keys and strings of a schema with a character that a person cannot see.

    >>> print(*invisible_faults({"properties": {"city": {"description": "Where\u200b."}}}))
    /properties/city/description: holds a zero-width character (U+200B ZERO WIDTH SPACE); remove it
    """
    return [
        SchemaFault(names.escape_text(pointer(steps), 200), f"holds {hidden}", "remove it")
        for steps, hidden in names.hidden_texts(schema)
    ]


def strip_invisible(schema: Any) -> tuple[Any, list[tuple[Path, str]]]:
    r"""Return a schema without such characters as far as it stays the same, and the changes.

    Texts lose them; defaults, examples and keywords that decide nothing are left out as a whole.

    >>> node = {"description": "Where\u200b.", "default": "\u200b", "pattern": "^\u200b"}
    >>> strip_invisible(node)[0] == {"description": "Where.", "pattern": "^\u200b"}
    True
    """
    changed: list[tuple[Path, str]] = []
    return _strip(schema, (), changed), changed


def _strip(node: Any, steps: Path, changed: list[tuple[Path, str]]) -> Any:
    if not isinstance(node, dict):
        return node
    kept = dict(node)
    for word, value in node.items():
        found = () if word in DECIDING else names.hidden_texts({word: value})
        for _, hidden in islice(found, 1):
            changed.append(((*steps, word), hidden))
            is_text = word in TEXTS and isinstance(value, str)
            kept[word] = names.strip_hidden(value) if is_text else None
            if not kept[word]:
                del kept[word]
    inside = {more: _strip(sub, (*steps, *more), changed) for more, sub in child_nodes(kept)}
    return replace_children(kept, inside)
