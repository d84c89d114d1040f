"""Single changes to a value that its schema rejects, and so a validator must not accept.

Changes are made blindly, each at one place, from the shape of the value and the schema of that
place; changes that the schema still accepts are dropped. `format` asserts nothing in JSON Schema,
so a text without the format of its place is a kind of change of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import named_types
from toolhaft.schema.document.places import Place, child_schemas, parts
from toolhaft.schema.formats import FORMATS, format_of
from toolhaft.spec import Path

__all__ = ["FORMAT", "Mutation", "mutations"]

# The kind of change to a text that the schema accepts but that lacks its format.
FORMAT: Final = "format"
TYPES: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 1.5, "", "x", "1", "true", "null", [], {}, [1], {"x": 1},
)  # fmt: skip
# To their ARABIC-INDIC twins, which Python takes for digits, and ECMA-262 does not.
DIGITS: Final = {ord("0") + value: 0x660 + value for value in range(10)}
HALF: Final = 0.5
BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
DELETED: Final = object()


class Mutation(NamedTuple):
    """A value that differs from a valid one at `path`; `change` says how."""

    path: Path
    change: str
    value: Any


class _Change(NamedTuple):
    path: Path
    change: str
    new: Any


def mutations(checker: Checker, value: Any, random: Random) -> Iterator[Mutation]:
    """Yield single changes of a valid value that the schema rejects, in random order.

    >>> checker = Checker({"type": "object", "required": ["n"]})
    >>> sorted({one.change for one in mutations(checker, {"n": 1}, Random(0))})
    ['missing', 'type']
    """
    root = checker.normalised
    changes = list(_changes(root, value, [Place(root)], ()))
    random.shuffle(changes)
    for path, change, new in changes:
        whole = _replace(value, path, new)
        if checker.is_valid(whole) == (change == FORMAT):
            yield Mutation(path, change, whole)


def _replace(value: Any, path: Path, new: Any) -> Any:
    """Copy a value with another one at a place, or without it."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    copy = value.copy()
    if not rest and new is DELETED:
        del copy[step]
    else:
        copy[step] = _replace(value[step], rest, new) if rest else new
    return copy


def _changes(root: Any, value: Any, here: list[Place], path: Path) -> Iterator[_Change]:
    schemas = [
        part for place in here for part in parts(root, place.schema) if isinstance(part, dict)
    ]
    for kind, new in _others(value, schemas):
        yield _Change(path, kind, new)
    inner: Any = ()
    if isinstance(value, dict):
        yield _Change((*path, "undeclared"), "extra", 1)
        yield from (_Change((*path, key), "missing", DELETED) for key in value)
        inner = value.items()
    elif isinstance(value, list):
        yield from (_Change((*path, at), "items", DELETED) for at in range(len(value)))
        inner = enumerate(value)
    for step, variant in inner:
        yield from _changes(root, variant, child_schemas(root, here, step), (*path, step))


def _others(value: Any, schemas: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield other values for a place, each with the kind of change."""
    yield from (("type", variant) for variant in TYPES)
    if isinstance(value, bool):
        yield from (("type", variant) for variant in (int(value), str(value), str(value).lower()))
    elif isinstance(value, int | float):
        yield from _numbers(value, schemas)
    elif isinstance(value, str):
        yield from _texts(value, schemas)
    elif isinstance(value, list):
        yield from _lists(value, schemas)
    elif isinstance(value, dict):
        yield from (("type", variant) for variant in (list(value), [value], list(value.values())))


def _numbers(value: float, schemas: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    yield from (("type", variant) for variant in (str(value), [value], {"value": value}))
    yield "value", -value
    bounds = (part[word] for part in schemas for word in BOUNDS if word in part)
    for near in (value, *bounds):
        yield from (("value", near + step) for step in (0, -1, 1, -HALF, HALF))
    for step in (part["multipleOf"] for part in schemas if "multipleOf" in part):
        yield "value", value + step / 2


def _texts(value: str, schemas: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    yield "type", [value]
    near_texts = (value + "\n", value + " ", f" {value}", value.swapcase(), value.translate(DIGITS))
    yield from (
        ("text", variant) for variant in (*near_texts, value + "x", value[:-1], "é" + value)
    )
    for part in schemas:
        if "minLength" in part:
            yield "text", value[: max(part["minLength"] - 1, 0)]
        if "maxLength" in part:
            yield "text", value + "x" * (part["maxLength"] + 1 - len(value))
    yield from ((FORMAT, variant) for variant in _of_wrong_format(schemas))


def _of_wrong_format(schemas: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return texts without the format of a place; empty if other text is allowed there too."""
    textual = [part for part in schemas if "string" in named_types(part) or "format" in part]
    formats = set(map(format_of, textual))
    known_format = FORMATS.get(formats.pop()) if len(formats) == 1 else None
    return known_format.wrong if known_format else ()


def _lists(value: list[Any], schemas: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    yield from (
        ("type", one) for one in ({str(i): member for i, member in enumerate(value)}, *value[:1])
    )
    yield from (("items", variant) for variant in ([*value, None], [*value, "x"], value[::-1]))
    if value:
        yield "items", [*value, value[-1]]
        for most in (part["maxItems"] for part in schemas if "maxItems" in part):
            yield "items", (value * (most + 1))[: most + 1]
