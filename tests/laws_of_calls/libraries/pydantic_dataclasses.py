"""Random dataclasses of pydantic's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.laws_of_calls.libraries.functions import annotation
from tests.laws_of_calls.libraries.maker import Maker, arguments
from tests.laws_of_calls.libraries.pydantic_draw import PydanticClasses
from tests.laws_of_calls.libraries.pydantic_models import assigned, body, names_of
from tests.laws_of_calls.spec import FieldSpec, ModelSpec, Switches

__all__ = ["draw", "lines", "names"]


def draw(maker: Maker, name: str, words: list[str]) -> ModelSpec:
    return PydanticClasses(maker, is_dataclass=True).model(name, words)


def lines(model: ModelSpec, switches: Switches) -> Iterator[str]:
    options = model.options | (model.settings if switches.settings else {})
    config = f"(config=ConfigDict({arguments(options)}))" if options else ""
    yield f"@pydantic.dataclasses.dataclass{config}"
    yield f"class {model.name}:"
    for field in model.fields:
        written, given = annotation(field, switches), assigned(field, switches)
        if field.required and given:  # what is assigned counts as a default
            written, given = f"Annotated[{written}, {given.removeprefix(' = ')}]", ""
        yield f"    {field.name}: {written}{given}"
    yield from (f"    {line}" for line in body(model, switches))


def names(made: Any, field: FieldSpec) -> Iterator[str]:
    yield from names_of(field.name, made.__pydantic_fields__[field.name])
