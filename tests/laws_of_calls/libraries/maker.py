"""The common parts of every library's random classes: chances, defaults, recursion."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final, Protocol

from tests.laws_of_calls.shapes import Shapes
from tests.laws_of_calls.spec import FieldSpec, ModelSpec, Shape, Switches

__all__ = ["OTHER_DEFAULTS", "Library", "Maker", "arguments", "default_of", "recursive"]

OTHER_DEFAULTS: Final = {
    "int": "4", "float": "2.5", "str": '"other"', "bool": "False", "date": "date(2024, 1, 3)",
    "color": "Color.GREEN", "size": "Size.SMALL", "tone": "Tone.LOUD", "literal": '"red"',
    "literal_int": "1",
}  # fmt: skip


class Library(Protocol):
    """The interface of a file of this folder: random classes, their source, their fields' names."""

    def draw(self, maker: Maker, name: str, words: list[str]) -> ModelSpec: ...
    def lines(self, model: ModelSpec, switches: Switches) -> Iterator[str]: ...
    def names(self, made: Any, field: FieldSpec) -> Iterator[str]: ...


class Maker:
    """Chances, and the shapes that fields may have."""

    def __init__(self, random: Random, shapes: Shapes) -> None:
        self.random = random
        self.shapes = shapes

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def field(self, word: str, model: str, parameters: tuple[str, ...] = ("",)) -> FieldSpec:
        """Return a field, sometimes with a default or a factory of one of these parameters."""
        field = FieldSpec(word, word, self.shapes.shape())
        chosen = self.random.random()
        if field.shape.kind == "model" and parameters and chosen < 0.3:
            self.shapes.give_factory(field, f"make_{model}_{word}")
        elif chosen < 0.25:
            self.shapes.give_default(field)
        elif chosen < 0.3:
            self.shapes.give_default(field, refused=True)
        elif chosen < 0.4 and parameters:
            name = f"make_{model}_{word}"
            self.shapes.give_factory(field, name, self.random.choice(parameters))
        return field


def recursive(model: ModelSpec, word: str) -> FieldSpec:
    """Return a field that contains another object of the class."""
    shape = Shape("optional", f'Optional["{model.name}"]', (Shape("model", model.name),))
    return FieldSpec(word, word, shape, required=False, default="None", default_json=None)


def default_of(field: FieldSpec, switches: Switches) -> str | None:
    """Write the static default, or the other one that a changed twin has."""
    if switches.changed == field.name:
        return OTHER_DEFAULTS[field.shape.kind]
    return field.default


def arguments(options: dict[str, str]) -> str:
    return ", ".join(f"{key}={text}" for key, text in options.items())
