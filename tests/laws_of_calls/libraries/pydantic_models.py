"""Random pydantic models: their source text, and the names of their fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import AliasChoices, AliasPath

from tests.laws_of_calls.libraries.functions import annotation, is_written
from tests.laws_of_calls.libraries.maker import Maker, arguments, default_of
from tests.laws_of_calls.libraries.pydantic_draw import PydanticClasses
from tests.laws_of_calls.spec import FieldSpec, Function, ModelSpec, Switches

__all__ = ["assigned", "body", "draw", "lines", "names", "names_of", "refusal"]


def draw(maker: Maker, name: str, words: list[str]) -> ModelSpec:
    return PydanticClasses(maker).model(name, words)


def lines(model: ModelSpec, switches: Switches) -> Iterator[str]:
    """Write a class of `BaseModel`."""
    options = model.options | (model.settings if switches.settings else {})
    yield f"class {model.name}(BaseModel):"
    if options:
        yield f"    model_config = ConfigDict({arguments(options)})"
    for field in model.fields:
        yield f"    {field.name}: {annotation(field, switches)}{assigned(field, switches)}"
    yield from (f"    {line}" for line in body(model, switches))


def assigned(field: FieldSpec, switches: Switches) -> str:
    default = default_of(field, switches)
    if not field.options and field.factory is None:
        return "" if default is None else f" = {default}"
    given = [] if default is None else [default]
    if field.factory is not None:
        given.append(f"default_factory={field.factory}")
    given += [f"{key}={text}" for key, text in field.options.items()]
    return f" = Field({', '.join(given)})"


def body(model: ModelSpec, switches: Switches) -> Iterator[str]:
    for field in model.fields:
        for function in field.functions:
            if function.decorated and is_written(function, switches):
                yield from _validator(field, function)
    yield from model.lines
    if switches.functions:
        yield from model.opening


def _validator(field: FieldSpec, function: Function) -> Iterator[str]:
    given = "value, handler" if function.mode == "wrap" else "value"
    yield f'@field_validator("{field.name}", mode="{function.mode}")'
    yield "@classmethod"
    yield f"def judge_{field.name}(cls, {given.replace(', ', ': Any, ')}: Any) -> Any:"
    yield f"    return {function.name}({given})"


def names(made: Any, field: FieldSpec) -> Iterator[str]:
    yield from names_of(field.name, made.model_fields[field.name])


def names_of(name: str, info: Any) -> Iterator[str]:
    read = list(_texts(info.validation_alias))
    yield read[0] if read else name
    yield from read
    yield name
    yield from _heads(info.validation_alias)
    yield from (each for each in (info.alias, info.serialization_alias) if each is not None)


def _texts(alias: Any) -> Iterator[str]:
    """Yield the plain keys of an alias."""
    if isinstance(alias, str):
        yield alias
    elif isinstance(alias, AliasChoices):
        yield from (each for each in alias.choices if isinstance(each, str))


def _heads(alias: Any) -> Iterator[str]:
    """Yield the keys at which the paths of an alias begin."""
    if isinstance(alias, AliasPath):
        yield str(alias.path[0])
    elif isinstance(alias, AliasChoices):
        for each in alias.choices:
            yield from _heads(each)


def refusal(model: ModelSpec, infos: Any) -> str | None:
    """Return why CONTRACT.md ("Keys") rejects a class of pydantic's, if it does."""
    if model.options.get("validate_by_alias") == "False" and any(
        info.alias or info.validation_alias for info in infos.values()
    ):
        return "validate_by_alias=False with an alias"
    for field in model.fields:
        alias = infos[field.name].validation_alias
        if list(_heads(alias)) and not list(_texts(alias)):
            return "an alias that is only a path"
        if set(_texts(alias)) & (model.key_names - {field.key}):
            return "a further alias is another field's key"
    return None
