"""One random type of a vendor, and its source text."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from tests.laws_of_calls.libraries import (
    attrs_classes,
    msgspec_structs,
    pydantic_dataclasses,
    pydantic_models,
    signatures,
    stdlib_dataclasses,
    typed_dicts,
)
from tests.laws_of_calls.libraries.maker import Library, Maker
from tests.laws_of_calls.shapes import Shapes, Style
from tests.laws_of_calls.spec import ModelSpec, Switches, TypeSpec

__all__ = ["LIBRARIES", "VENDORS", "draw", "source_of"]

LIBRARIES: Final[dict[str, Library]] = {
    "pydantic": pydantic_models,
    "pydantic_dataclass": pydantic_dataclasses,
    "msgspec": msgspec_structs,
    "attrs": attrs_classes,
    "dataclass": stdlib_dataclasses,
    "typed_dict": typed_dicts,
    "function": signatures,
}
VENDORS: Final = (*LIBRARIES,)
STYLES: Final[dict[str, tuple[Style, ...]]] = {
    "msgspec": ("Meta",),
    "attrs": ("annotated_types", "Field"),
    "dataclass": ("annotated_types", "Field"),
    "typed_dict": ("annotated_types", "Field"),
    "function": ("annotated_types", "Field", "Meta"),
}
WORDS: Final[tuple[str, ...]] = (
    "amount", "city", "max_items", "note", "when", "due_at", "labels", "ratio", "flagged",
    "owner_id", "length", "level", "paint", "voice", "price", "token", "parts", "comment",
    "origin", "target_zone", "speed", "weight", "colour", "batch", "rank", "street", "unit_price",
    "is_open", "window", "limit_to", "reason", "subject", "body_text", "stock", "route",
)  # fmt: skip
HEAD: Final = "from tests.laws_of_calls.prelude import *\n\nKEYS: dict[str, str] = {}\n"
# How often a root is given each of the values that `extra=` may have.
EXTRAS: Final = ("ignore", "forbid", *(None,) * 18)
CLASSES: Final = tuple(each for each in VENDORS if each != "function")


def draw(vendor: str, seed: int, number: int) -> TypeSpec:
    """Return the type of that number: one to three classes, the last of which is the root."""
    random = Random(f"{vendor}:{seed}:{number}")
    words: list[str] = random.sample([*WORDS], len(WORDS))
    spec = TypeSpec(vendor, [], extra=random.choice(EXTRAS))
    for at in range(random.choice((0, 1, 1, 2))):
        library = random.choice(CLASSES) if vendor == "function" else vendor
        spec.models.append(_model(library, f"M{at}", words, random, spec))
    name = "take" if vendor == "function" else "Root"
    spec.models.append(_model(vendor, name, words, random, spec))
    return spec


def _model(library: str, name: str, words: list[str], random: Random, spec: TypeSpec) -> ModelSpec:
    """Return a class over classes of its own library, or a function over all."""
    shapes = Shapes(random, random.choice(STYLES.get(library, ("Field",))))
    shapes.models = [each for each in spec.models if library in (each.library, "function")]
    own = [words.pop() for _ in range(random.randint(1, 5))]
    return LIBRARIES[library].draw(Maker(random, shapes), name, own)


def source_of(spec: TypeSpec, switches: Switches) -> str:
    """Write a type as a module that can be run by itself."""
    return "\n".join((HEAD, *_blocks(spec, switches)))


def _blocks(spec: TypeSpec, switches: Switches) -> Iterator[str]:
    yield from (field.factory_text for field in spec.fields() if field.factory_text)
    for model in spec.models:
        yield "\n".join(LIBRARIES[model.library].lines(model, switches)) + "\n"
