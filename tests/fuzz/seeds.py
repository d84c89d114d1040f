"""Small inputs that lead into each surface, and how an input is edited without a fuzzer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.fuzz.surfaces import waiting

__all__ = ["edited", "seeds"]

CORPUS: Final = Path(__file__).parent / "corpus"
PIECES: Final = (
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"null", b"true", b"-0", b"1e999",
    b"\\ud800", b"\\u0000",
    b"\xff", b"\xef\xbb\xbf", b'"$ref"', b'"#"', b"9" * 40, b'{"type":', b'"type"', b"\x1b", b"()",
)  # fmt: skip

ODD: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1,
    2**63,
    1e308,
    "",
    "x",
    "\u202e",
    "#",
    "#/$defs/a",
    [],
    {},
    [[]],
    "null",
)
KEYS: Final = ("type", "$ref", "name", "id", "index", "arguments", "input", "__class__", "", "x")


def seeds(surface: str) -> Iterator[bytes]:
    """Yield the inputs of a surface: the files of its corpus, each a line."""
    path = CORPUS / f"{surface}.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        value: Any = json.loads(line)
        yield (value if isinstance(value, str) else json.dumps(value)).encode()
    if surface == "sealed":
        yield waiting().encode()


def edited(data: bytes, random: Random) -> bytes:
    """Edit an input in a few places: as text, or a value in it if it is JSON."""
    for _ in range(random.randint(1, 4)):
        try:
            value = json.loads(data) if random.random() < 0.7 else None
        except ValueError:
            value = None
        data = json.dumps(replaced(value, random)).encode() if value else cut(data, random)
    return data


def cut(data: bytes, random: Random) -> bytes:
    """Replace a few bytes."""
    start = random.randint(0, len(data))
    end = start + random.choice((0, 0, 1, 3, 10))
    piece = random.choice(PIECES) if random.random() < 0.7 else data[end : end + 8]
    return data[:start] + piece + data[end:]


def replaced(value: Any, random: Random) -> Any:
    """Replace, move or leave out one value inside of a value, or that value itself."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.2:
        return random.choice((*ODD, value, [value], {"": value}))
    if isinstance(value, list):
        place = random.randrange(len(value))
        return [*value[:place], replaced(value[place], random), *value[place + 1 :]]
    key = random.choice(list(value))
    if random.random() < 0.2:
        return {random.choice(KEYS) if name == key else name: one for name, one in value.items()}
    return {**value, key: replaced(value[key], random)}
