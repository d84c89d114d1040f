"""One random type of a vendor, and its source text."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from tests.laws_of_calls.pydantic_draw import PydanticModels
from tests.laws_of_calls.pydantic_write import lines_of_dataclass, lines_of_model
from tests.laws_of_calls.shapes import Shapes, Style
from tests.laws_of_calls.spec import ModelSpec, Switches, TypeSpec

__all__ = ["VENDORS", "draw", "source_of"]

VENDORS: Final = ("pydantic", "pydantic_dataclass")
STYLES: Final[dict[str, Style]] = {"msgspec": "Meta"}
WORDS: Final = (
    "amount", "city", "max_items", "note", "when", "due_at", "labels", "ratio", "flagged",
    "owner_id", "length", "level", "paint", "voice", "price", "token", "parts", "comment",
    "origin", "target_zone", "speed", "weight", "colour", "batch", "rank", "street", "unit_price",
    "is_open", "window", "limit_to", "reason", "subject", "body_text", "stock", "route",
)  # fmt: skip
HEAD: Final = "from tests.laws_of_calls.prelude import *\n\nKEYS: dict[str, str] = {}\n"
WRITERS: Final = {"pydantic": lines_of_model, "pydantic_dataclass": lines_of_dataclass}


def draw(vendor: str, seed: int, number: int) -> TypeSpec:
    """Give the type of that number: one to three classes, the last of which is the root."""
    random = Random(f"{vendor}:{seed}:{number}")
    shapes = Shapes(random, STYLES.get(vendor, "Field"))
    words = random.sample(WORDS, len(WORDS))
    spec = TypeSpec(vendor, shapes.models)
    for at in range(random.choice((1, 2, 2, 3))):
        own = [words.pop() for _ in range(random.randint(1, 5))]
        shapes.models.append(_model(vendor, f"M{at}", own, random, shapes))
    if random.random() < 0.1:
        spec.extra = random.choice(("ignore", "forbid"))
    return spec


def _model(vendor: str, name: str, words: list[str], random: Random, shapes: Shapes) -> ModelSpec:
    is_dataclass = vendor == "pydantic_dataclass"
    return PydanticModels(random, shapes, is_dataclass=is_dataclass).model(name, words)


def source_of(spec: TypeSpec, switches: Switches = Switches()) -> str:
    """Write a type as a module that can be run by itself."""
    return "\n".join((HEAD, *_blocks(spec, switches)))


def _blocks(spec: TypeSpec, switches: Switches) -> Iterator[str]:
    for field in spec.fields():
        if field.factory_text:
            yield field.factory_text
    for model in spec.models:
        yield "\n".join(WRITERS[model.library](model, switches)) + "\n"
