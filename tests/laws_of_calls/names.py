"""The names of fields, as each library's public field lists give them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tests.laws_of_calls.draw import LIBRARIES
from tests.laws_of_calls.libraries import pydantic_models
from tests.laws_of_calls.shapes import MEMBER
from tests.laws_of_calls.spec import ModelSpec, TypeSpec

__all__ = ["complete"]


def complete(spec: TypeSpec, module: ModuleType) -> None:
    """Write the keys and further names into a spec, and why its definition must be refused."""
    reached = spec.reached()
    for model in spec.models:
        made = getattr(module, model.name)
        for field in model.fields:
            names = list(dict.fromkeys(LIBRARIES[model.library].names(made, field)))
            field.key, field.others = names[0], tuple(names[1:])
        for field in model.fields:
            field.others = tuple(each for each in field.others if each not in model.key_names)
        if model.name in reached:
            spec.refusal = spec.refusal or _refusal(model, made)


def _refusal(model: ModelSpec, made: Any) -> str | None:
    """Return why CONTRACT.md ("Keys") rejects a class, if it does."""
    if any(MEMBER in field.shape.text for field in model.fields):
        return "a Literal of a member of an enum"
    if len(model.key_names) < len(model.fields):
        return "two fields read one key"
    if model.library == "pydantic":
        return pydantic_models.refusal(model, made.model_fields)
    if model.library == "pydantic_dataclass":
        return pydantic_models.refusal(model, made.__pydantic_fields__)
    return None
