"""Walks along a spec: through the handler's objects, and the arguments that they came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from tests.laws_of_calls.spec import FieldSpec, ModelSpec, Shape, TypeSpec
from toolhaft.spec import Path

__all__ = [
    "EXACT",
    "MISSING",
    "Place",
    "attribute",
    "changed",
    "factories",
    "number_paths",
    "places",
    "value_at",
]

MISSING: Final = object()
# Where the numbers end that a double holds each by itself.
EXACT: Final = 2**53


class Place(NamedTuple):
    """An object among the arguments: its place, its class, the object made, and the data sent."""

    path: Path
    model: ModelSpec
    made: Any
    sent: dict[str, Any]
    is_certain: bool


def attribute(model: ModelSpec, made: Any, field: FieldSpec) -> Any:
    """Read a declared field of a made object; `MISSING` if a key is left out."""
    if isinstance(made, Mapping):
        return made.get(field.name, MISSING)
    return getattr(made, field.stored or field.name, MISSING)


def places(spec: TypeSpec, made: Any, sent: Any) -> Iterator[Place]:
    """Yield every object of a declared class that was sent, outermost first."""
    return _places(spec, Shape("model", spec.root.name), made, sent, (), True)


def factories(spec: TypeSpec, place: Place) -> Iterator[str]:
    """Name the factories that an object calls, with the factories of the objects that they make."""
    for field in place.model.fields:
        if field.factory is None or field.key in place.sent:
            continue
        yield field.factory
        if field.shape.kind == "model":
            made = attribute(place.model, place.made, field)
            inner = Place((), spec.model(field.shape.text), made, {}, True)
            yield from factories(spec, inner)


def _places(
    spec: TypeSpec, shape: Shape, made: Any, sent: Any, path: Path, is_certain: bool
) -> Iterator[Place]:
    if shape.kind == "model" and isinstance(sent, dict):
        yield from _object(spec, shape.text, made, sent, path, is_certain)
    elif shape.kind == "optional" and made is not None:
        yield from _places(spec, shape.inner[0], made, sent, path, is_certain)
    elif shape.kind == "union":
        for each in shape.inner:
            if each.kind == "model" and type(made).__name__ == each.text:
                yield from _places(spec, each, made, sent, path, False)
    else:
        for step, inner, after, before in _items(shape, made, sent):
            yield from _places(spec, inner, after, before, (*path, step), is_certain)


def _items(shape: Shape, made: Any, sent: Any) -> Iterator[tuple[str | int, Shape, Any, Any]]:
    """Yield the items of a list, a tuple or a map: the step, the shape, made and sent."""
    if isinstance(sent, list) and isinstance(made, (list, tuple)) and len(made) == len(sent):
        inner = shape.inner if shape.kind == "tuple" else shape.inner * len(sent)
        yield from zip(range(len(sent)), inner, made, sent, strict=True)
    elif shape.kind == "dict" and isinstance(sent, dict) and isinstance(made, dict):
        for (key, before), after in zip(sent.items(), made.values(), strict=False):
            yield key, shape.inner[1], after, before


def _object(
    spec: TypeSpec, name: str, made: Any, sent: dict[str, Any], path: Path, is_certain: bool
) -> Iterator[Place]:
    model = spec.model(name)
    yield Place(path, model, made, sent, is_certain)
    for field in model.fields:
        inner = attribute(model, made, field)
        if field.key in sent and inner is not MISSING:
            parts = inner, sent[field.key], (*path, field.key)
            yield from _places(spec, field.shape, *parts, is_certain)


def value_at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def changed(data: Any, path: Path, new: Any) -> Any:
    """Copy data with another value at a place; `MISSING` takes the key away."""
    if not path:
        return new
    copy = data.copy()
    if len(path) == 1 and new is MISSING:
        del copy[path[0]]
    elif len(path) == 1:
        copy[path[0]] = new
    else:
        copy[path[0]] = changed(data[path[0]], path[1:], new)
    return copy


def number_paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the place of every number."""
    if isinstance(value, (dict, list)):
        for step, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from number_paths(each, (*path, step))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path
