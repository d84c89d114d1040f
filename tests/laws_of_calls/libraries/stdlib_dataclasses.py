"""Random dataclasses of the standard library: `InitVar`, `init=False`, factories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.laws_of_calls.libraries.functions import annotation, drawn
from tests.laws_of_calls.libraries.maker import Maker, arguments, default_of, recursive
from tests.laws_of_calls.spec import FieldSpec, ModelSpec, Switches

__all__ = ["draw", "lines", "names"]


def draw(maker: Maker, name: str, words: list[str]) -> ModelSpec:
    model = ModelSpec(name, "dataclass", [], options={"kw_only": "True"})
    if maker.chance(0.2):
        model.options["slots"] = "True"
    for word in words:
        field = maker.field(word, name)
        if maker.chance(0.08):
            field.functions = (drawn(maker.random, field),)
        model.fields.append(field)
    if maker.chance(0.1):
        model.fields.append(recursive(model, f"{words[0]}_next"))
    if maker.chance(0.2) and "slots" not in model.options:
        _add_init_var(maker, model)
    if maker.chance(0.15):
        word = f"{words[0]}_kept"
        model.lines.append(f"{word}: int = field(init=False, default_factory=lambda: 5)")
        model.strays += (word,)
    return model


def _add_init_var(maker: Maker, model: ModelSpec) -> None:
    """Let a field be given to `__post_init__` alone, which keeps it under another name."""
    known = [each for each in model.fields if each.factory is None]
    if not known:
        return
    field = maker.random.choice(known)
    field.stored = f"{field.name}_stored"
    field.options["InitVar"] = "True"
    model.strays += (field.stored,)
    model.lines += [
        f"{field.stored}: Any = field(init=False, default=None)",
        f"def __post_init__(self, {field.name}: Any) -> None:",
        f"    self.{field.stored} = {field.name}",
    ]


def lines(model: ModelSpec, switches: Switches) -> Iterator[str]:
    yield f"@dataclass({arguments(model.options)})"
    yield f"class {model.name}:"
    for field in model.fields:
        text = annotation(field, switches)
        written = f"InitVar[{text}]" if "InitVar" in field.options else text
        yield f"    {field.name}: {written}{_assigned(field, switches)}"
    yield from (f"    {line}" for line in model.lines)


def _assigned(field: FieldSpec, switches: Switches) -> str:
    if field.factory is not None:
        return f" = field(default_factory={field.factory})"
    default = default_of(field, switches)
    return "" if default is None else f" = {default}"


def names(made: Any, field: FieldSpec) -> Iterator[str]:
    yield field.name
