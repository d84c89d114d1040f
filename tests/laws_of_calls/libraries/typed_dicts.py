"""Random TypedDicts, total and not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.laws_of_calls.libraries.functions import annotation, drawn
from tests.laws_of_calls.libraries.maker import Maker
from tests.laws_of_calls.spec import FieldSpec, ModelSpec, Switches

__all__ = ["draw", "lines", "names"]


def draw(maker: Maker, name: str, words: list[str]) -> ModelSpec:
    model = ModelSpec(name, "typed_dict", [])
    is_total = maker.chance(0.6)
    if not is_total:
        model.options["total"] = "False"
    for word in words:
        field = FieldSpec(word, word, maker.shapes.shape())
        field.required = is_total != maker.chance(0.3)
        if maker.chance(0.08):
            field.functions = (drawn(maker.random, field),)
        model.fields.append(field)
    return model


def lines(model: ModelSpec, switches: Switches) -> Iterator[str]:
    is_total = "total" not in model.options
    yield f"class {model.name}(TypedDict{'' if is_total else ', total=False'}):"
    for field in model.fields:
        word = "Required" if field.required else "NotRequired"
        text = annotation(field, switches)
        yield f"    {field.name}: {text if field.required == is_total else f'{word}[{text}]'}"


def names(made: Any, field: FieldSpec) -> Iterator[str]:
    yield field.name
