"""The promises about the objects that a handler receives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.laws_of_hiding.sample import Sample
from tests.laws_of_hiding.spec import NOTHING, TAG, ClassSpec, FieldSpec, Kind

__all__ = ["arrival_faults", "hiding_faults"]


def hiding_faults(sample: Sample, given: Any) -> Iterator[str]:
    """Find where a handler's object has no hidden value, or another one."""
    for path, expected in sample.hidden.items():
        yield from _hidden(sample.root, given, path.split("."), expected, path)


def _hidden(
    cls: ClassSpec, given: Any, steps: list[str], expected: Any, where: str
) -> Iterator[str]:
    field = next((each for each in cls.fields if each.name == steps[0]), None)
    if field is None:
        return  # another form of a union
    value = _member(given, field.name)
    if len(steps) == 1:
        if value is NOTHING or not _equal(field.kind, value, expected):
            yield f"{where} is {value!r}"
    elif value is NOTHING or value is None:
        if any(_leads(inner, steps[1:]) for inner in _single(field)):
            yield f"{where}: no {field.name}"
    else:
        for inner, each in _objects(field.kind, value):
            yield from _hidden(inner, each, steps[1:], expected, where)
    for further in cls.fields:
        again = _member(given, further.name)
        if further.kind.form in ("self", "selves") and again is not NOTHING:
            for _, each in _objects(further.kind, again):
                yield from _hidden(cls, each, steps, expected, f"{further.name}/{where}")


def _single(field: FieldSpec) -> tuple[ClassSpec, ...]:
    """Return the classes of which a field holds one object."""
    return field.kind.classes if field.kind.form in ("object", "optional", "union") else ()


def _leads(cls: ClassSpec, steps: list[str]) -> bool:
    """Whether a path leads to one place, through no list or map."""
    field = next((each for each in cls.fields if each.name == steps[0]), None)
    if field is None or len(steps) == 1:
        return field is not None
    return any(_leads(inner, steps[1:]) for inner in _single(field))


def arrival_faults(sample: Sample, sent: Any, given: Any) -> Iterator[str]:
    """Find where a handler's object has another value than the one that was sent."""
    yield from _arrived(sample, Kind("object", (sample.root,)), sent, given)


def _arrived(sample: Sample, kind: Kind, sent: Any, given: Any) -> Iterator[str]:
    if sent is None or given is None:
        if sent is not None:
            yield f"{sent!r} did not arrive"
    elif not kind.classes:
        if sent != given:
            yield f"{sent!r} arrived as {given!r}"
    elif isinstance(sent, list) or kind.form == "map":
        items = sent.items() if isinstance(sent, dict) else enumerate(sent)
        for key, item in items:
            yield from _arrived(sample, Kind("union", kind.classes), item, given[key])
    else:
        for cls, each in _objects(kind, given):
            own = {new: name for name, new in sample.names_of(cls).items()}
            fields = {field.name: field for field in cls.fields}
            for key, item in sent.items():
                field = fields.get(str(own.get(key, key)))
                if field is not None:  # the tag and undeclared keys are none
                    yield from _arrived(sample, field.kind, item, _member(each, field.name))


def _objects(kind: Kind, value: Any) -> list[tuple[ClassSpec, Any]]:
    """Return the objects of a value, each with its class."""
    if value is None or not kind.classes:
        return []
    if kind.form in ("list", "selves"):
        return [(kind.classes[0], item) for item in value]
    if kind.form == "map":
        return [(kind.classes[0], item) for item in value.values()]
    if len(kind.classes) == 1:
        return [(kind.classes[0], value)]
    tag: Any = value[TAG] if isinstance(value, Mapping) else None
    return [(c, value) for c in kind.classes if c.tag == tag or c.name == type(value).__name__]


def _member(given: Any, name: str) -> Any:
    if isinstance(given, Mapping):
        return given.get(name, NOTHING)
    return getattr(given, name, NOTHING)


def _equal(kind: Kind, value: Any, expected: Any) -> bool:
    """Whether an object is what JSON says."""
    if expected is None or not kind.classes or isinstance(expected, list) or kind.form == "map":
        return bool(value == expected)
    return all(
        _equal(_field(cls, name).kind, _member(each, name), item)
        for cls, each in _objects(kind, value)
        for name, item in expected.items()
        if name != TAG
    )


def _field(cls: ClassSpec, name: str) -> FieldSpec:
    return next(each for each in cls.fields if each.name == name)
