"""Whether a view shows every declared value from which objects were made, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.laws_of_calls.places import MISSING, attribute
from tests.laws_of_calls.reading import is_key, is_read
from tests.laws_of_calls.spec import NOT_JSON, FieldSpec, ModelSpec, Shape, TypeSpec
from toolhaft.spec import Path

__all__ = ["Difference", "differences", "is_of"]


class Difference(NamedTuple):
    """A value that is not seen, one that is shown otherwise, or one that is shown for nothing."""

    kind: str
    path: Path
    made: Any = None
    shown: Any = None


def differences(
    spec: TypeSpec, made: Any, shown: Any, names: dict[str, Any]
) -> Iterator[Difference]:
    """Compare a handler's inputs with the view; `names` has the names that sources use."""
    root = Shape("model", spec.root.name)
    yield from _Comparison(spec, names).compare(root, made, shown, ())


class _Comparison:
    def __init__(self, spec: TypeSpec, names: dict[str, Any]) -> None:
        self.spec = spec
        self.names = names

    def compare(self, shape: Shape, made: Any, shown: Any, path: Path) -> Iterator[Difference]:
        match shape.kind:
            case "model":
                yield from self._object(shape, made, shown, path)
            case "optional":
                if made is not None or shown is not None:
                    yield from self.compare(shape.inner[0], made, shown, path)
            case "union":
                yield from self._union(shape, made, shown, path)
            case "list" | "tuple" | "dict" | "set":
                yield from getattr(self, f"_{shape.kind}")(shape, made, shown, path)
            case kind:
                if not is_read(kind, made, shown):
                    yield Difference("otherwise", path, made, shown)

    def _union(self, shape: Shape, made: Any, shown: Any, path: Path) -> Iterator[Difference]:
        for each in shape.inner:
            if each.kind == "model" and type(made).__name__ == each.text:
                yield from self.compare(each, made, shown, path)
                return
        branches = [list(self.compare(each, made, shown, path)) for each in shape.inner]
        yield from min(branches, key=len)

    def _list(self, shape: Shape, made: Any, shown: Any, path: Path) -> Iterator[Difference]:
        if not isinstance(shown, list) or len(made) != len(shown):
            yield Difference("otherwise", path, made, shown)
            return
        inner = shape.inner if shape.kind == "tuple" else shape.inner * len(shown)
        for at, parts in enumerate(zip(inner, made, shown, strict=True)):
            yield from self.compare(*parts, (*path, at))

    _tuple = _list

    def _set(self, shape: Shape, made: Any, shown: Any, path: Path) -> Iterator[Difference]:
        kind = shape.inner[0].kind
        fits = isinstance(shown, list) and all(
            any(is_read(kind, one, other) for other in shown) for one in made
        )
        if not fits or any(not any(is_read(kind, one, other) for one in made) for other in shown):
            yield Difference("otherwise", path, made, shown)

    def _dict(self, shape: Shape, made: Any, shown: Any, path: Path) -> Iterator[Difference]:
        key, inner = shape.inner
        if not isinstance(shown, dict) or not isinstance(made, dict):
            yield Difference("otherwise", path, made, shown)
            return
        # Of "0" and "-0", which are one key, the second is shown for nothing.
        texts = {one: text for one in made for text in shown if is_key(key.kind, one, text)}
        for one in made.keys() - texts.keys():
            yield Difference("unseen", path, one)
        for text in shown.keys() - set(texts.values()):
            yield Difference("for nothing", (*path, text), None, shown[text])
        for one, text in texts.items():
            yield from self.compare(inner, made[one], shown[text], (*path, text))

    def _object(self, shape: Shape, made: Any, shown: Any, path: Path) -> Iterator[Difference]:
        model = self.spec.model(shape.text)
        if not isinstance(shown, dict) or not is_of(model, made):
            yield Difference("otherwise", path, made, shown)
            return
        for field in model.fields:
            yield from self._field(model, field, made, shown, path)
        extras = getattr(made, "model_extra", None) or {}
        for key in shown.keys() - model.key_names - {model.tag}:
            if model.extra != "allow":
                yield Difference("for nothing", (*path, key), None, shown[key])
        for key in extras.keys() - shown.keys():
            yield Difference("unseen", (*path, key), extras[key])

    def _field(
        self, model: ModelSpec, field: FieldSpec, made: Any, shown: dict[str, Any], path: Path
    ) -> Iterator[Difference]:
        path = (*path, field.key)
        value = attribute(model, made, field)
        if field.key not in shown:
            if value is not MISSING and not self._is_left_out(field, value):
                yield Difference("unseen", path, value)
            return
        if value is MISSING:
            yield Difference("for nothing", path, None, shown[field.key])
            return
        is_default = _is_default(field, value, shown[field.key], self.names)
        if not (field.is_changed or model.is_changed or is_default):
            yield from self.compare(field.shape, value, shown[field.key], path)

    def _is_left_out(self, field: FieldSpec, value: Any) -> bool:
        """Whether a value is a default that no JSON says."""
        if field.default is None or field.default_json is not NOT_JSON:
            return False
        return bool(value == eval(field.default, self.names))


def _is_default(field: FieldSpec, made: Any, shown: Any, names: dict[str, Any]) -> bool:
    """Whether a value is the static default, shown as such."""
    if field.default is None:
        return False
    default = eval(field.default, names)
    is_made = type(made) is type(default) and bool(made == default)
    return is_made and _shows(field, default, shown)


def _shows(field: FieldSpec, default: Any, shown: Any) -> bool:
    """Whether a default is shown in the form that was foreseen, or in another of its kind."""
    return bool(shown == field.default_json) or is_read(field.shape.kind, default, shown)


def is_of(model: ModelSpec, made: Any) -> bool:
    """Whether an object is of a class, or a dict for what makes dicts."""
    if model.library in ("typed_dict", "function"):
        return isinstance(made, dict)
    return type(made).__name__ == model.name
