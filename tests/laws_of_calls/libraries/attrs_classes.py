"""Random attrs classes: converters, aliases, private names, factories that take the object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.laws_of_calls.libraries.maker import Maker, arguments, default_of, recursive
from tests.laws_of_calls.spec import FieldSpec, Function, ModelSpec, Switches

__all__ = ["draw", "lines", "names"]

CONVERTERS: Final = {
    "int": (
        Function("converter", "widen_int"),
        Function("converter", "plus_one", changes=True),
    ),
    "str": (Function("converter", "widen_str"), Function("converter", "shout", changes=True)),
    "list": (Function("converter", "split_text"),),
}
NATIVE: Final = ("int", "float", "str", "bool", "literal", "literal_int")


def draw(maker: Maker, name: str, words: list[str]) -> ModelSpec:
    model = ModelSpec(name, "attrs", [], options={"kw_only": "True"})
    if maker.chance(0.2):
        model.options["frozen"] = "True"
    for word in words:
        model.fields.append(_field(maker, model, word))
    if maker.chance(0.1):
        model.fields.append(recursive(model, f"{words[0]}_next"))
    if maker.chance(0.12):
        word = f"{words[0]}_kept"
        model.lines.append(f"{word}: int = attrs.field(init=False, factory=lambda: 5)")
        model.strays = (word,)
    return model


def _field(maker: Maker, model: ModelSpec, word: str) -> FieldSpec:
    field = maker.field(word, model.name, ("", "", "self"))
    if maker.chance(0.15):
        field.name = f"_{word}"
    if maker.chance(0.2):
        field.options["alias"] = f'"{word}_in"'
    if maker.chance(0.2):
        pool = (Function("converter", "untouched"), *CONVERTERS.get(field.shape.kind, ()) * 2)
        chosen = maker.random.choice(pool)
        if chosen.changes and "Annotated" in field.shape.text:
            chosen = pool[0]  # what it makes might be refused
        if field.shape.kind not in NATIVE:  # the converter may be given what JSON has for it
            chosen = Function(chosen.mode, chosen.name, changes=True)
        field.functions = (chosen,)
    if maker.chance(0.05):
        field.options["repr"] = "False"
    return field


def lines(model: ModelSpec, switches: Switches) -> Iterator[str]:
    yield f"@attrs.define({arguments(model.options)})"
    yield f"class {model.name}:"
    for field in model.fields:
        yield f"    {field.name}: {field.shape.text}{_assigned(field, switches)}"
    yield from (f"    {line}" for line in model.lines)


def _assigned(field: FieldSpec, switches: Switches) -> str:
    default = default_of(field, switches)
    given = dict(field.options)
    if default is not None:
        given["default"] = default
    if field.factory is not None:
        takes_self = ", takes_self=True" if "(self)" in field.factory_text else ""
        given["default"] = f"attrs.Factory({field.factory}{takes_self})"
    for function in field.functions:
        if switches.functions:
            given["converter"] = function.name
    return f" = attrs.field({arguments(given)})" if given else ""


def names(made: Any, field: FieldSpec) -> Iterator[str]:
    yield str(next(each.alias for each in attrs.fields(made) if each.name == field.name))
    yield field.name
