"""The names of fields as each library's public field lists give them."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pydantic import AliasChoices, AliasPath

from tests.laws_of_calls.spec import FieldSpec, ModelSpec, TypeSpec

__all__ = ["complete"]


def complete(spec: TypeSpec, module: ModuleType) -> None:
    """Write the keys and further names into a spec, and why its definition must be refused."""
    reached = set(spec.reached())
    for model in spec.models:
        made = getattr(module, model.name)
        for field in model.fields:
            names = list(dict.fromkeys(_names(model, made, field)))
            if names:
                field.key = names[0]
                field.others = tuple(names[1:])
        keys = model.key_names
        refusal = _refusal(model, made)
        for field in model.fields:
            field.others = tuple(each for each in field.others if each not in keys)
        if model.name in reached:
            spec.refusal = spec.refusal or refusal


def _names(model: ModelSpec, made: Any, field: FieldSpec) -> Iterator[str]:
    """Give the key of the schema first, then every further name."""
    if model.library in ("pydantic", "pydantic_dataclass"):
        yield from _pydantic_names(field.name, _infos(model, made)[field.name])


def _infos(model: ModelSpec, made: Any) -> Any:
    return made.model_fields if model.library == "pydantic" else made.__pydantic_fields__


def _pydantic_names(name: str, info: Any) -> Iterator[str]:
    read = list(_texts(info.validation_alias))
    yield read[0] if read else name
    yield from read
    yield name
    yield from _heads(info.validation_alias)
    yield from (each for each in (info.alias, info.serialization_alias) if each is not None)


def _texts(alias: Any) -> Iterator[str]:
    """Give the plain keys of an alias."""
    if isinstance(alias, str):
        yield alias
    elif isinstance(alias, AliasChoices):
        yield from (each for each in alias.choices if isinstance(each, str))


def _heads(alias: Any) -> Iterator[str]:
    """Give the keys at which the paths of an alias begin."""
    if isinstance(alias, AliasPath):
        yield str(alias.path[0])
    elif isinstance(alias, AliasChoices):
        for each in alias.choices:
            yield from _heads(each)


def _refusal(model: ModelSpec, made: Any) -> str | None:
    """Say why CONTRACT.md ("Keys") refuses a class, if it does."""
    keys = [each.key for each in model.fields]
    if len(set(keys)) < len(keys):
        return "two fields read one key"
    if model.options.get("validate_by_alias") == "False" and any(
        each.others for each in model.fields
    ):
        return "validate_by_alias=False with an alias"
    if model.library not in ("pydantic", "pydantic_dataclass"):
        return None
    for field in model.fields:
        alias = _infos(model, made)[field.name].validation_alias
        if list(_heads(alias)) and not list(_texts(alias)):
            return "an alias that is only a path"
        if set(_texts(alias)) & (set(keys) - {field.key}):
            return "a further alias is another field's key"
    return None
