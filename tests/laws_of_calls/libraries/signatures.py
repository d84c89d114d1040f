"""Random annotated functions, which tell what they were given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.laws_of_calls.libraries.functions import annotation, drawn
from tests.laws_of_calls.libraries.maker import Maker, default_of
from tests.laws_of_calls.spec import FieldSpec, ModelSpec, Switches

__all__ = ["draw", "lines", "names"]


def draw(maker: Maker, name: str, words: list[str]) -> ModelSpec:
    model = ModelSpec(name, "function", [], extra="forbid")
    structs = {each.name for each in maker.shapes.models if each.library == "msgspec"}
    for word in words:
        field = maker.field(word, name, ())
        while structs & set(field.shape.models()) and "Annotated" in field.shape.text:
            field = maker.field(word, name, ())  # msgspec reads constraints of its own only
        if maker.chance(0.08) and not structs & set(field.shape.models()):
            field.functions = (drawn(maker.random, field),)
        model.fields.append(field)
    if maker.chance(0.2):
        model.lines.append('user: Injected[str] = "nobody"')
        model.strays = ("user",)
    return model


def lines(model: ModelSpec, switches: Switches) -> Iterator[str]:
    yield f"def {model.name}("
    yield "    *,"
    for field in model.fields:
        default = default_of(field, switches)
        after = "" if default is None else f" = {default}"
        yield f"    {field.name}: {annotation(field, switches)}{after},"
    yield from (f"    {line}," for line in model.lines)
    yield ") -> None:"
    given = [*(each.name for each in model.fields), *model.strays]
    yield f"    seen(dict({', '.join(f'{each}={each}' for each in given)}))"


def names(made: Any, field: FieldSpec) -> Iterator[str]:
    yield field.name
