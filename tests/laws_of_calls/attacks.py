"""Keys that nobody declared, at every object of arguments that were accepted."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from tests.laws_of_calls.places import MISSING, Place, changed, places
from tests.laws_of_calls.shapes import DEFAULTS
from tests.laws_of_calls.spec import NOT_JSON, FieldSpec, TypeSpec
from toolhaft.spec import Path

__all__ = ["UNKNOWN", "Attack", "attacks"]

UNKNOWN = "zz_new"


class Attack(NamedTuple):
    """Arguments with one key more; `base` is the same without it.

    `field` is the declared field that the key is another name of, if it is one.
    """

    value: Any
    base: Any
    path: Path
    place: Place
    field: FieldSpec | None

    @property
    def is_other_name(self) -> bool:
        is_certain = self.place.is_certain
        return is_certain and (self.field is not None or self.path[-1] in self.place.model.others)


def attacks(spec: TypeSpec, made: Any, sent: Any, random: Random, most: int) -> Iterator[Attack]:
    """Yield some of the keys that could be read for another, in random order."""
    found = [each for place in places(spec, made, sent) for each in _at(place, sent)]
    yield from random.sample(found, min(most, len(found)))


def _at(place: Place, sent: Any) -> Iterator[Attack]:
    model = place.model
    for field in model.fields:
        for name in field.others:
            yield from _named(place, sent, field, name)
    for name in (*model.others, *model.strays, UNKNOWN):
        if name in place.sent:
            continue
        path = (*place.path, name)
        for payload in (7, "given"):
            yield Attack(changed(sent, path, payload), sent, path, place, None)


def _named(place: Place, sent: Any, field: FieldSpec, name: str) -> Iterator[Attack]:
    """Yield the other name beside the key, and instead of it."""
    path, own = (*place.path, name), (*place.path, field.key)
    if name in place.sent:
        return
    _, other = DEFAULTS.get(field.shape.kind, ("", NOT_JSON))
    if field.key in place.sent:
        value = place.sent[field.key]
        less = changed(sent, own, MISSING)
        yield Attack(changed(less, path, value), less, path, place, field)
        yield Attack(changed(less, path, [value]), less, path, place, field)
        other = value if other is NOT_JSON else other
    if other is not NOT_JSON:
        yield Attack(changed(sent, path, other), sent, path, place, field)
