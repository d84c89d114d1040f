"""The source text of pydantic models and dataclasses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.laws_of_calls.spec import FieldSpec, Function, ModelSpec, Switches

__all__ = ["annotation", "lines_of_dataclass", "lines_of_model"]

OTHER_DEFAULTS: Final = {
    "int": "4", "float": "2.5", "str": '"other"', "bool": "False", "date": "date(2024, 1, 3)",
    "color": "Color.GREEN", "size": "Size.SMALL", "tone": "Tone.LOUD", "literal": '"red"',
    "literal_int": "1",
}  # fmt: skip
MARKS: Final = {
    "before": "BeforeValidator({})",
    "wrap": "WrapValidator({})",
    "plain": "PlainValidator({}, json_schema_input_type=int)",
    "after": "AfterValidator({})",
}


def lines_of_model(model: ModelSpec, switches: Switches) -> Iterator[str]:
    """Write a class of `BaseModel`."""
    options = model.options | (model.settings if switches.settings else {})
    yield f"class {model.name}(BaseModel):"
    if options:
        yield f"    model_config = ConfigDict({_arguments(options)})"
    for field in model.fields:
        yield f"    {field.name}: {annotation(field, switches)}{_assigned(field, switches)}"
    yield from (f"    {line}" for line in _body(model, switches))


def lines_of_dataclass(model: ModelSpec, switches: Switches) -> Iterator[str]:
    """Write a dataclass of pydantic's."""
    options = model.options | (model.settings if switches.settings else {})
    config = f"(config=ConfigDict({_arguments(options)}))" if options else ""
    yield f"@pydantic.dataclasses.dataclass{config}"
    yield f"class {model.name}:"
    for field in model.fields:
        written, assigned = annotation(field, switches), _assigned(field, switches)
        if field.required and assigned:  # dataclasses take what is assigned for a default
            written, assigned = f"Annotated[{written}, {assigned.removeprefix(' = ')}]", ""
        yield f"    {field.name}: {written}{assigned}"
    yield from (f"    {line}" for line in _body(model, switches))


def annotation(field: FieldSpec, switches: Switches) -> str:
    """Write a field's type, with the functions that stand in it."""
    marks = [
        MARKS[each.mode].format(each.name)
        for each in field.functions
        if not each.decorated and is_written(each, switches)
    ]
    return f"Annotated[{', '.join((field.shape.text, *marks))}]" if marks else field.shape.text


def is_written(function: Function, switches: Switches) -> bool:
    """Whether a twin has the function: one without functions keeps those that judge."""
    return switches.functions or not function.opens


def default_of(field: FieldSpec, switches: Switches) -> str | None:
    """Write the static default, or the other one that a changed twin has."""
    if switches.changed == field.name:
        return OTHER_DEFAULTS[field.shape.kind]
    return field.default


def _assigned(field: FieldSpec, switches: Switches) -> str:
    default = default_of(field, switches)
    if not field.options and field.factory is None:
        return "" if default is None else f" = {default}"
    given = [] if default is None else [default]
    if field.factory is not None:
        given.append(f"default_factory={field.factory}")
    given += [f"{key}={text}" for key, text in field.options.items()]
    return f" = Field({', '.join(given)})"


def _body(model: ModelSpec, switches: Switches) -> Iterator[str]:
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


def _arguments(options: dict[str, str]) -> str:
    return ", ".join(f"{key}={text}" for key, text in options.items())
