"""Arguments to try on a type: of its emitted schema, and single changes of these."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from tests.laws_of_calls.reading import parsed_key
from toolhaft.schema.checker import Checker
from toolhaft.schema.generate import NoValue, Values
from toolhaft.schema.mutate import mutations
from toolhaft.spec import Path

__all__ = ["Sent", "drawn", "has_equal_keys"]


class Sent(NamedTuple):
    """Arguments and, where they are a change of valid ones, the place and kind of the change."""

    value: Any
    path: Path | None = None
    change: str = ""


def drawn(schema: Any, random: Random, valid: int, changes: int) -> Iterator[Sent]:
    """Yield that many values of a schema, each followed by changes that the schema rejects."""
    source, checker = Values(schema, random), Checker(schema)
    for _ in range(valid):
        try:
            value = source.valid()
        except NoValue:
            return
        if not isinstance(value, dict):
            continue
        yield Sent(value)
        for each in islice(mutations(checker, value, random), changes):
            if isinstance(each.value, dict):
                yield Sent(each.value, each.path, each.change)


def has_equal_keys(value: Any) -> bool:
    """Whether a map may have two keys that are read as one: `0` and `-0`."""
    if isinstance(value, dict):
        keys = {*map(parsed_key, value)}
        return len(keys) < len(value) or any(map(has_equal_keys, value.values()))
    return isinstance(value, list) and any(map(has_equal_keys, value))
