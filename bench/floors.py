"""The floors: the least that a hand-written program does for a call, one `Floor` for each library.

Each reads with the library's own compiled validator, as lax as it comes, and calls the handler
directly: no strictness, no duplicate keys, no outcome, no caught exception. A ratio of 1 would
mean that the whole boundary is free. A failure is told with its place and reason, without the
value, as far as the library can.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, TypeAlias

import attrs
import cattrs
import jsonschema_rs
import msgspec
import pydantic
from pydantic_core import ValidationError, from_json, to_json
from workloads import SHAPES, Bounds, Matches, Workload, take

__all__ = ["FLOORS", "Floor", "Work"]

Work: TypeAlias = Callable[[], Any]
Note: TypeAlias = Callable[[type, Mapping[str, Any]], Any]
Fields: TypeAlias = dict[str, Any]


class Floor:
    """How one library describes, reads and writes arguments."""

    rejects: tuple[type[Exception], ...] = (ValidationError,)

    def __init__(self) -> None:
        self.types: dict[str, Any] = {}

    def type_of(self, shape: str) -> Any:
        """The library's type of a shape, made once."""
        if shape not in self.types:
            self.types[shape] = _object(self, shape.title(), SHAPES[shape])
        return self.types[shape]

    def note(self, kind: type, facts: Mapping[str, Any]) -> Any:
        """An annotation with a constraint."""
        return Annotated[kind, pydantic.Field(**facts)]

    def make(self, name: str, fields: Fields) -> Any:
        raise NotImplementedError

    def reader(self, tp: Any) -> Callable[[Any], Any]:
        """What turns decoded data into an object."""
        return pydantic.TypeAdapter(tp).validator.validate_python

    def text_reader(self, tp: Any) -> Callable[[Any], Any]:
        return pydantic.TypeAdapter(tp).validator.validate_json

    def dumper(self, tp: Any) -> Callable[[Any], Any]:
        """What turns an object into JSON data."""
        return partial(pydantic.TypeAdapter(tp).serializer.to_python, mode="json")

    def write(self, data: Any) -> bytes:
        return to_json(data)

    def faults(self, error: Any) -> str:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found)

    def handle(self, value: Any) -> Any:
        return take(value.city, value.days)

    def work(self, load: Workload) -> Callable[[], Any | Awaitable[Any]]:
        """One call of a workload, as a program without toolhaft would write it."""
        tp, raw, handle, write = self.type_of(load.shape), load.raw, self.handle, self.write
        read = self.text_reader(tp) if isinstance(raw, str) else self.reader(tp)
        rejects, faults = self.rejects, self.faults
        if load.asynchronous:
            return _asynchronous(read, raw, handle)
        if load.output:
            seen = self.type_of("seen")
            check, dump = self.reader(seen), self.dumper(seen)
            return lambda: dump(check(handle(read(raw))))
        if not load.to_text:
            return lambda: handle(read(raw))

        def to_text() -> Any:
            try:
                return write(handle(read(raw)))
            except rejects as error:
                return faults(error)

        return to_text


def _asynchronous(
    read: Callable[[Any], Any], raw: Any, handle: Callable[[Any], Any]
) -> Callable[[], Awaitable[Any]]:
    async def handler(value: Any) -> Any:
        return handle(value)

    async def call() -> Any:
        return await handler(read(raw))

    return call


def _object(floor: Floor, name: str, fields: Fields) -> Any:
    return floor.make(name, {key: _annotation(floor, one) for key, one in fields.items()})


def _annotation(floor: Floor, field: Any) -> Any:
    if isinstance(field, Bounds):
        return floor.note(int, {"ge": field.low, "le": field.high})
    if isinstance(field, Matches):
        return floor.note(str, {"pattern": field.pattern})
    if isinstance(field, list):
        return list[_annotation(floor, field[0])]  # type: ignore[misc]
    if isinstance(field, dict):
        return _object(floor, "Item", field)
    return datetime if field == "datetime" else field


class Pydantic(Floor):
    """Models."""

    def make(self, name: str, fields: Fields) -> Any:
        typed: dict[str, Any] = {key: (tp, ...) for key, tp in fields.items()}
        return pydantic.create_model(name, **typed)


class Dataclass(Floor):
    """Dataclasses of the standard library, which pydantic reads."""

    def make(self, name: str, fields: Fields) -> Any:
        return dataclasses.make_dataclass(name, fields.items())


class Msgspec(Floor):
    """Structs. msgspec names the first fault only."""

    rejects = (msgspec.ValidationError,)

    def note(self, kind: type, facts: Mapping[str, Any]) -> Any:
        return Annotated[kind, msgspec.Meta(**facts)]

    def make(self, name: str, fields: Fields) -> Any:
        return msgspec.defstruct(name, list(fields.items()))

    def reader(self, tp: Any) -> Callable[[Any], Any]:
        convert = msgspec.convert
        return lambda data: convert(data, tp)

    def text_reader(self, tp: Any) -> Callable[[Any], Any]:
        return msgspec.json.Decoder(tp).decode

    def dumper(self, tp: Any) -> Callable[[Any], Any]:
        del tp
        return msgspec.to_builtins

    def write(self, data: Any) -> bytes:
        return msgspec.json.encode(data)

    def faults(self, error: Any) -> str:
        return str(error)


class Attrs(Floor):
    """attrs classes, which cattrs makes."""

    rejects = (Exception,)  # cattrs raises groups of whatever its hooks raise

    def note(self, kind: type, facts: Mapping[str, Any]) -> Any:
        checks: dict[str, Any] = {
            "ge": attrs.validators.ge,
            "le": attrs.validators.le,
            "pattern": attrs.validators.matches_re,
        }
        return attrs.field(type=kind, validator=[checks[key](one) for key, one in facts.items()])

    def make(self, name: str, fields: Fields) -> Any:
        plain = attrs.field
        made = {key: one if _is_field(one) else plain(type=one) for key, one in fields.items()}
        return attrs.make_class(name, made)

    def reader(self, tp: Any) -> Callable[[Any], Any]:
        return lambda data: CATTRS.structure(data, tp)

    def text_reader(self, tp: Any) -> Callable[[Any], Any]:
        return lambda text: CATTRS.structure(from_json(text), tp)

    def dumper(self, tp: Any) -> Callable[[Any], Any]:
        del tp
        return CATTRS.unstructure

    def faults(self, error: Any) -> str:
        return "; ".join(cattrs.transform_error(error))


def _is_field(one: Any) -> bool:
    return type(one).__name__ == "_CountingAttr"


CATTRS: Final = cattrs.Converter()
CATTRS.register_structure_hook(datetime, lambda text, _: datetime.fromisoformat(text))


class JsonSchema(Floor):
    """A JSON Schema, checked by jsonschema-rs; the value is the data."""

    rejects = (jsonschema_rs.ValidationError,)

    def make(self, name: str, fields: Fields) -> Any:
        made = Pydantic().make(name, fields)
        return made if name == "Item" else made.model_json_schema()

    def reader(self, tp: Any) -> Callable[[Any], Any]:
        validator = jsonschema_rs.Draft202012Validator(tp)
        is_valid = validator.is_valid

        def read(data: Any) -> Any:
            if not is_valid(data):
                validator.validate(data)
            return data

        return read

    def text_reader(self, tp: Any) -> Callable[[Any], Any]:
        read = self.reader(tp)
        return lambda text: read(from_json(text))

    def dumper(self, tp: Any) -> Callable[[Any], Any]:
        del tp
        return lambda data: data

    def faults(self, error: Any) -> str:
        return str(error)

    def handle(self, value: Any) -> Any:
        return take(value["city"], value["days"])


FLOORS: Final[dict[str, Floor]] = {
    "pydantic": Pydantic(),
    "msgspec": Msgspec(),
    "attrs": Attrs(),
    "dataclass": Dataclass(),
    "json schema": JsonSchema(),
}
