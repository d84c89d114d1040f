"""Compare the primitives in C with their twins in Python on the same data and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from pydantic_core import to_json

from tests.native.samples import data_for, object_schema, text_of
from tests.plain_samples import shape as types_of
from toolhaft.call import outcome
from toolhaft.jsonio import canonical, plaindata, primitives
from toolhaft.schema.checker import Checker
from toolhaft.schema.limits import faults_of
from toolhaft.schema.shape import Shape, shape_of
from toolhaft.vendors.input_schema import InputSchema

__all__ = ["broken_laws", "compare"]

VALUES_A_SCHEMA = 40


def compare(values: int, seed: str, counts: Counter[str]) -> list[str]:
    """Compare on so many values and as many texts; give where they differ."""
    random = Random(seed)
    differences: list[str] = []
    while values > 0 and len(differences) < 5:
        schema = object_schema(random)
        if faults_of(schema):
            continue
        count = min(values, VALUES_A_SCHEMA)
        values -= count
        whole_floats = random.random() < 0.5
        checker = Checker(schema)
        native = shape_of(checker, whole_floats=whole_floats)
        twin = Shape(checker, whole_floats=whole_floats)
        dropping = Dropping(schema, whole_floats=whole_floats)
        for _ in range(count):
            data = data_for(schema, random)
            text = text_of(data, random)
            differences += [
                f"{law}: {schema!r}: {data!r}: {text!r}"[:5000]
                for law in (
                    *broken_laws(native, twin, data, text, counts),
                    *dropping.broken_laws(data, counts),
                )
            ]
    return differences


def broken_laws(native: Any, twin: Shape, data: Any, text: str, counts: Counter[str]) -> list[str]:
    fits, twin_fits = native.fits(data), twin.fits(data)
    in_text, twin_in_text = native.fits_text(text), twin.fits_text(text)
    counts.update({
        "values": 1, "values that fit": twin_fits, "texts": 1, "texts that fit": twin_in_text,
        "texts that are left to the reader": twin_in_text and not in_text,
    })  # fmt: skip
    broken = {
        # Left to the engine are bounded integers of more than 64 bits, and whole floats in unions.
        "fits": fits != twin_fits and (fits or not _has(data, _is_left)),
        # A text with escapes, or with keys that no schema declares, may be left to the reader.
        "fits_text": in_text and not twin_in_text,
        "finish": not _is_finished_alike(data),
        "write": not _is_written_alike(data),
        "write_canonical": not _is_canonical_alike(data),
    }
    if type(data) is dict:
        copy, twin_copy = primitives.plain_copy(data), plaindata.plain_copy(data)
        counts["plain values"] += twin_copy is not None
        broken["plain_copy"] = types_of(copy) != types_of(twin_copy) or (
            twin_copy is not None and (copy != twin_copy or copy is data)
        )
    return [law for law, is_broken in broken.items() if is_broken]


class Dropping:
    """The keys that a schema drops, by the primitives and by their twin."""

    def __init__(self, marked: Any, *, whole_floats: bool) -> None:
        self.schema = InputSchema(marked)
        self.native = self.schema.shape(whole_floats=whole_floats)
        self.fits = Shape(self.schema.fast_gate, whole_floats=whole_floats).fits

    def broken_laws(self, data: Any, counts: Counter[str]) -> list[str]:
        found = self.native.drop(data)
        counts["values with keys that are dropped"] += found is not None
        return [] if found is None or found == self._dropped(data) else ["drop"]

    def _dropped(self, data: Any) -> Any:
        schema = self.schema
        copy, unknown = plaindata.plain_copy(data), schema.unknown
        if copy is None or unknown is None or not schema.gate.is_valid(copy):
            return None
        dropped = unknown.drop(copy)
        settled = dropped.issues or schema.numbers.may_hold_floats((copy,))
        if settled or types_of(dropped.data) != types_of(schema.settle(copy).data):
            return None
        return (dropped.data, dropped.ignored) if self.fits(dropped.data) else None


def _has(data: Any, is_wanted: Callable[[Any], bool]) -> bool:
    if type(data) is dict or type(data) is list:
        values = data.values() if type(data) is dict else data
        return any(_has(value, is_wanted) for value in values)
    return is_wanted(data)


def _is_left(value: Any) -> bool:
    if type(value) is float:
        return value.is_integer()
    return type(value) is int and not -(2**63) <= value < 2**63


def _is_written_alike(data: Any) -> bool:
    """Whether plain data are one text; some are left to the twin."""
    text = primitives.write_plain(data)
    return text is None or text == to_json(data).decode()


def _is_canonical_alike(data: Any) -> bool:
    """Whether data are one canonical text; some are left to the twin."""
    text = primitives.write_canonical(data)
    return text is None or text == canonical.write_in_python(data)


def _is_finished_alike(data: Any) -> bool:
    options: Any = object()
    made, twin_made = (
        finish(data, "arguments", options, ()) for finish in (outcome.finish, outcome.finish_plain)
    )
    if made is None or twin_made is None:
        return made is twin_made
    slots = ("_value", "_shown", "_arguments", "_options", "coercions", "call_id")
    return all(getattr(made, slot) == getattr(twin_made, slot) for slot in slots)
