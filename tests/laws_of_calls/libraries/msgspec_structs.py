"""Random structs of msgspec: renamed, tagged, open and closed, with factories and UNSET."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from tests.laws_of_calls.libraries.maker import Maker, arguments, default_of, recursive
from tests.laws_of_calls.shapes import DEFAULTS
from tests.laws_of_calls.spec import NOT_JSON, FieldSpec, ModelSpec, Shape, Switches

__all__ = ["draw", "lines", "names"]

RENAMES: Final = ('"camel"', '"pascal"', '"upper"', '"kebab"', "upper")


def draw(maker: Maker, name: str, words: list[str]) -> ModelSpec:
    model = ModelSpec(name, "msgspec", [], options={"kw_only": "True"})
    if maker.chance(0.3):
        model.options["forbid_unknown_fields"] = "True"
        model.extra = "forbid"
    if maker.chance(0.4):
        model.options["rename"] = maker.random.choice(RENAMES)
    if maker.chance(0.15):
        model.options["tag"] = "True"
        model.tag = "type"
    if maker.chance(0.1):
        model.options["omit_defaults"] = "True"
    for word in words:
        model.fields.append(_field(maker, model, word))
    if maker.chance(0.1):
        model.fields.append(recursive(model, f"{words[0]}_next"))
    if maker.chance(0.08):
        _add_post_init(model)
    return model


def _field(maker: Maker, model: ModelSpec, word: str) -> FieldSpec:
    field = maker.field(word, model.name)
    if maker.chance(0.15):
        field.options["name"] = f'"{word}-in"'
    if field.required and field.shape.kind in DEFAULTS and maker.chance(0.08):
        text = f"{field.shape.text} | msgspec.UnsetType"
        field.shape = Shape(field.shape.kind, text, field.shape.inner)
        field.required, field.default, field.default_json = False, "msgspec.UNSET", NOT_JSON
    return field


def _add_post_init(model: ModelSpec) -> None:
    """Let the first whole number of a struct be one more than the number that was sent."""
    numbers = [each.name for each in model.fields if each.shape.text == "int"]
    if numbers and all(each.default is None for each in model.fields):
        model.moves = True
        model.lines = ["def __post_init__(self) -> None:", f"    self.{numbers[0]} += 1"]


def lines(model: ModelSpec, switches: Switches) -> Iterator[str]:
    yield f"class {model.name}(msgspec.Struct, {arguments(model.options)}):"
    for field in model.fields:
        yield f"    {field.name}: {field.shape.text}{_assigned(field, switches)}"
    yield from (f"    {line}" for line in model.lines)


def _assigned(field: FieldSpec, switches: Switches) -> str:
    default = default_of(field, switches)
    given = dict(field.options)
    if default is not None:
        given["default"] = default
    if field.factory is not None:
        given["default_factory"] = field.factory
    return f" = msgspec.field({arguments(given)})" if given else ""


def names(made: Any, field: FieldSpec) -> Iterator[str]:
    known = {each.name: each.encode_name for each in msgspec.structs.fields(made)}
    yield known[field.name]
    yield field.name
