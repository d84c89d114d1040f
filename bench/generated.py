"""Shapes of tools that nobody tuned for: drawn from a seed, with right arguments for each.

A shape is described as in workloads.py. Another seed gives other shapes; the same seed gives the
same ones in every process.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

from workloads import Bounds, Default, Fields, Longest, Matches, Nullable, OneOf, Span

__all__ = ["Drawn", "Place", "draw", "draw_bounded", "draw_enum", "draw_pattern", "draw_value"]

Place = tuple[str | int, ...]

SUBJECTS: Final = ("order", "customer", "invoice", "project", "ticket", "room", "route")
ASPECTS: Final = ("name", "city", "status", "count", "amount", "note", "level", "code", "label")
NAMES: Final = (*ASPECTS, *(f"{one}_{other}" for one in SUBJECTS for other in ASPECTS))
TEXTS: Final = (
    "Paris",
    "Ada Lovelace",
    "quarterly report",
    "SKU-20931",
    "12 St James's Square",
    "ring twice, then wait by the door",
    "Zürich, Genève & Łódź",
    'the "blue" one',
    "First line.\nSecond line, a little longer than the first.",
)
# One text in fifteen holds a colon; of the texts in recorded calls it is one in thirty.
COLONS: Final = ("https://example.org/orders?id=7&page=2", "ends at 17:30: bring the forms")
ENUMS: Final = (
    ("metric", "imperial"),
    ("low", "normal", "high", "urgent"),
    ("ascending", "descending"),
    ("open", "in progress", "blocked", "done", "cancelled"),
    ("EUR", "USD", "GBP", "CHF", "JPY", "SEK", "NOK", "DKK", "PLN"),
    tuple(f"region-{number}" for number in range(40)),
)
PATTERNS: Final = {
    "^[A-Z][a-z]+$": ("Paris", "London"),
    "^[a-z0-9-]+$": ("build-17", "release"),
    "^[A-Z]{2}-[0-9]{4,6}$": ("AB-1234", "ZX-998877"),
    r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$": ("ada@example.org", "bob.b@mail.example.net"),
}
TIMES: Final = ("2026-11-21T08:00:00Z", "2026-01-31T23:59:59+01:00", "2026-06-01T12:30:00.250Z")
FLAT: Final = (2, 8)
INNER: Final = (1, 4)
DEEPER: Final = 0.3
LEFT_OUT: Final = 0.4


class Drawn(NamedTuple):
    """A shape, right arguments for it, and where the field is that the row is about.

    `place` is the way to the object that holds it, in the arguments; `name` is its key there.
    """

    fields: Fields
    right: dict[str, Any]
    place: Place
    name: str


def draw(random: Random, special: Any, *, nested: bool) -> Drawn:
    """Draw a shape around one field: at the top of a flat one, or inside a nested one."""
    names = iter(random.sample(NAMES, len(NAMES)))
    name = next(names)
    fields = _nested(random, names, name, special) if nested else _flat(random, names)
    if not nested:
        fields[name] = special
    fields = _required_first(random, fields)
    right = draw_value(random, fields)
    place = random.choice(list(_holders(fields, right, name)))
    return Drawn(fields, right, place, name)


def _flat(random: Random, names: Iterator[str], least_most: tuple[int, int] = FLAT) -> Fields:
    """Draw scalars and lists of them, one field fewer than there will be."""
    count = random.randint(*least_most) - 1
    fields = {next(names): _optional(random, _kind(random)) for _ in range(max(count, 1))}
    if random.random() < DEEPER:
        fields[next(names)] = [random.choice((str, int))]
    return fields


def _nested(random: Random, names: Iterator[str], name: str, special: Any) -> Fields:
    """Draw one or two objects, or lists of them, beside scalars; the field is in one of them."""
    inner = {**_flat(random, names, INNER), name: special}
    if random.random() < DEEPER:
        inner = {**_flat(random, names, INNER), next(names): _held(random, inner)}
    fields = {**_flat(random, names, INNER), next(names): _held(random, inner)}
    if random.random() < DEEPER:
        fields[next(names)] = _held(random, _flat(random, names, INNER))
    return fields


def _held(random: Random, fields: Fields) -> Any:
    made = _required_first(random, fields)
    return [made] if random.random() < 0.5 else made  # noqa: PLR2004  as often the one as the other


def _required_first(random: Random, fields: Fields) -> Fields:
    """Shuffle; dataclasses and signatures want the optional fields at the end."""
    shuffled = random.sample(list(fields.items()), len(fields))
    return dict(sorted(shuffled, key=lambda one: isinstance(one[1], Default | Nullable)))


def _kind(random: Random) -> Any:
    """Draw a scalar: text and numbers more often than the rest."""
    kinds = (
        str,
        int,
        float,
        bool,
        draw_bounded(random),
        draw_enum(random),
        draw_pattern(random),
        random.choice(("date", "datetime")),
    )
    return random.choices(kinds, (6, 3, 3, 3, 3, 3, 1, 1))[0]


def draw_bounded(random: Random) -> Any:
    """Draw an integer, a number or text with a bound."""
    low = random.randint(0, 3)
    return random.choice(
        (
            Bounds(low, low + random.randint(5, 500)),
            Span(low / 2, low + 99.5),
            Longest(random.randint(80, 300)),
        )
    )


def draw_enum(random: Random) -> OneOf:
    """Draw a choice among words."""
    return OneOf(random.choice(ENUMS), random.random() < 0.5)  # noqa: PLR2004  as often as not


def draw_pattern(random: Random) -> Matches:
    """Draw a pattern."""
    return Matches(random.choice(list(PATTERNS)))


def _optional(random: Random, kind: Any) -> Any:
    """Let a third of the fields be left out: half of those have a default, half may be null."""
    chance = random.random()
    if isinstance(kind, str) or chance > LEFT_OUT:
        return kind
    if chance > LEFT_OUT / 2 or not isinstance(kind, type | OneOf):
        return Default(kind, draw_value(random, kind))
    return Nullable(kind)


def draw_value(random: Random, kind: Any) -> Any:
    """Draw a right value."""
    match kind:
        case dict():
            return {
                key: draw_value(random, one)
                for key, one in kind.items()
                if not isinstance(one, Default | Nullable) or random.random() > LEFT_OUT
            }
        case list():
            return [draw_value(random, kind[0]) for _ in range(random.randint(1, 5))]
        case Default():
            return draw_value(random, kind.kind)
        case Nullable():
            return None if random.random() < LEFT_OUT else draw_value(random, kind.kind)
        case _:
            return _scalar(random, kind)


def _scalar(random: Random, kind: Any) -> Any:
    value: Any
    match kind:
        case Bounds():
            value = random.randint(*kind)
        case Span():
            value = round(random.uniform(*kind), 2)
        case Matches():
            value = random.choice(PATTERNS[kind.pattern])
        case OneOf():
            value = random.choice(kind.members)
        case "date" | "datetime":
            value = random.choice(TIMES)[: 10 if kind == "date" else None]
        case _:
            value = _plain(random, kind)
    return value


def _plain(random: Random, kind: Any) -> Any:
    values: dict[Any, Any] = {
        int: random.randint(-5, 20_000),
        float: round(random.uniform(-90, 9_000), 2),
        bool: random.random() < 0.5,  # noqa: PLR2004  as often as not
    }
    return values[kind] if kind in values else _text(random)


def _text(random: Random) -> str:
    return random.choice(TEXTS if random.randrange(15) else COLONS)


def _holders(kind: Any, value: Any, name: str, at: Place = ()) -> Iterator[Place]:
    """Find the objects of the value whose fields have a name."""
    if isinstance(kind, list):
        for index, item in enumerate(value):
            yield from _holders(kind[0], item, name, (*at, index))
    elif isinstance(kind, dict):
        if name in kind:
            yield at
        for key, one in kind.items():
            if key in value:
                yield from _holders(one, value[key], name, (*at, key))
