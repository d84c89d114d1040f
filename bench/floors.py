"""The floors: the least that a hand-written program does for a call, one `Floor` for each library.

Each reads with the library's own compiled validator, as lax as it comes, and calls the handler
directly: no strictness, no duplicate keys, no outcome. A ratio of 1 would mean that the whole
boundary is free. The floor of a refused call is the library's own failing validation, caught: no
text is written. The floor of a repaired one is that, then the right validation and the handler.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from datetime import date, datetime
from enum import Enum
from functools import partial
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import attrs
import cattrs
import jsonschema_rs
import msgspec
import pydantic
from pydantic_core import ValidationError, from_json, to_json
from workloads import (
    SHAPES,
    Bounds,
    Default,
    Fields,
    Longest,
    Matches,
    Nullable,
    OneOf,
    Span,
    Workload,
    take,
)

__all__ = ["FLOORS", "Declared", "Floor", "Work"]

Work: TypeAlias = Callable[[], Any]
Read: TypeAlias = Callable[[Any], Any]

REQUIRED: Final = object()
TEMPORAL: Final = {"date": date, "datetime": datetime}


class Declared(NamedTuple):
    """A field as Python declares it: its type, constraints by pydantic's names, its default."""

    annotation: Any
    facts: Mapping[str, Any]
    default: Any = REQUIRED

    @property
    def annotated(self) -> Any:
        """The type with pydantic's own note of the constraints."""
        if not self.facts:
            return self.annotation
        return Annotated[self.annotation, pydantic.Field(**self.facts)]


class Floor:
    """How one library describes, reads and writes arguments."""

    rejects: tuple[type[Exception], ...] = (ValidationError,)
    # Whether a type of the library can say that it takes no undeclared keys.
    says_closed = True

    def __init__(self) -> None:
        self.types: dict[str, Any] = {}

    def type_of(self, shape: str) -> Any:
        """The library's type of a named shape, made once."""
        if shape not in self.types:
            self.types[shape] = self.object(shape.title(), SHAPES[shape])
        return self.types[shape]

    def object(self, name: str, fields: Fields, *, closed: bool = False) -> Any:
        """The library's type of an object."""
        return self.make(name, self.declared(fields, closed=closed), closed=closed)

    def declared(self, fields: Fields, *, closed: bool = False) -> dict[str, Declared]:
        """The fields as Python declares them."""
        return {key: self._field(key, one, closed=closed) for key, one in fields.items()}

    def _field(self, key: str, field: Any, *, closed: bool) -> Declared:
        """Return one field: its annotation, and its other constraints."""
        made = Declared(TEMPORAL.get(field, field) if isinstance(field, str) else field, {})
        match field:
            case Bounds() | Span():
                kind = int if isinstance(field, Bounds) else float
                made = Declared(kind, {"ge": field.low, "le": field.high})
            case Longest():
                made = Declared(str, {"max_length": field.length})
            case Matches():
                made = Declared(str, {"pattern": field.pattern})
            case OneOf():
                made = Declared(_choice(key, field), {})
            case Default() | Nullable():
                made = _optional(field, self._field(key, field.kind, closed=closed))
            case list():
                made = Declared(list[self._field(key, field[0], closed=closed).annotation], {})  # type: ignore[misc]
            case dict():
                made = Declared(self.object(key.title(), field, closed=closed), {})
            case _:
                pass
        return made

    def make(self, name: str, fields: Mapping[str, Declared], *, closed: bool) -> Any:
        raise NotImplementedError

    def list_of(self, tp: Any) -> Any:
        """The library's type of a list."""
        return list[tp]

    def reader(self, tp: Any) -> Read:
        """Return a function that turns decoded data into an object."""
        return pydantic.TypeAdapter(tp).validator.validate_python

    def refuser(self, tp: Any) -> Read:
        """Return a function that raises for invalid decoded data."""
        return self.reader(tp)

    def text_reader(self, tp: Any) -> Read:
        return pydantic.TypeAdapter(tp).validator.validate_json

    def trusting(self, tp: Any) -> Read:
        """Return the work on an instance before it is dumped: the reader's result for it."""
        return self.reader(tp)

    def dumper(self, tp: Any) -> Read:
        """Return a function that turns an object into JSON data."""
        return partial(pydantic.TypeAdapter(tp).serializer.to_python, mode="json")

    def write(self, data: Any) -> bytes:
        return to_json(data)

    def emit(self, tp: Any) -> Any:
        """The library's own JSON Schema of a type."""
        return pydantic.TypeAdapter(tp).json_schema()

    def handle(self, value: Any) -> Any:
        return take(value.city, value.days)

    def work(self, load: Workload) -> Callable[[], Any | Awaitable[Any]]:
        """One call of a named workload, as a program without toolhaft would write it."""
        tp, raw, handle = self.type_of(load.shape), load.raw, self.handle
        if load.fails:
            return self.failing(tp, raw)
        if load.asynchronous:
            return self.awaited(tp, raw, handle)
        if load.output:
            seen = self.type_of("seen")
            return self.checked(tp, raw, handle, self.reader(seen), self.dumper(seen))
        return self.to_text(tp, raw, handle) if load.to_text else self.right(tp, raw, handle)

    def _read(self, tp: Any, raw: Any) -> Read:
        return self.text_reader(tp) if isinstance(raw, str) else self.reader(tp)

    def right(self, tp: Any, raw: Any, handle: Read) -> Work:
        """Read and handle."""
        read = self._read(tp, raw)
        return lambda: handle(read(raw))

    def to_text(self, tp: Any, raw: Any, handle: Read) -> Work:
        """Read, handle and write."""
        read, write = self._read(tp, raw), self.write
        return lambda: write(handle(read(raw)))

    def checked(self, tp: Any, raw: Any, handle: Read, check: Read, dump: Read) -> Work:
        """Read, handle, and check and dump what comes back."""
        read = self._read(tp, raw)
        return lambda: dump(check(handle(read(raw))))

    def awaited(self, tp: Any, raw: Any, handle: Read) -> Callable[[], Awaitable[Any]]:
        """Read, and await the handler."""
        read = self._read(tp, raw)

        async def handler(value: Any) -> Any:
            return handle(value)

        async def call() -> Any:
            return await handler(read(raw))

        return call

    def failing(self, tp: Any, raw: Any) -> Work:
        """Fail to read."""
        read, rejects = self.refuser(tp), self.rejects

        def call() -> bool:
            try:
                read(raw)
            except rejects:
                return True
            return False

        return call

    def repaired(self, tp: Any, wrong: Any, raw: Any, handle: Read) -> Work:
        """Fail to read, then read what is right and handle it."""
        fail, go = self.failing(tp, wrong), self.right(tp, raw, handle)

        def call() -> Any:
            fail()
            return go()

        return call


def _optional(field: Default | Nullable, inner: Declared) -> Declared:
    """A field that may be left out: its default is a member, where its type is an Enum."""
    if isinstance(field, Nullable):
        return inner._replace(annotation=inner.annotation | None, default=None)
    is_enum = isinstance(inner.annotation, type) and issubclass(inner.annotation, Enum)
    return inner._replace(default=inner.annotation(field.value) if is_enum else field.value)


def _choice(key: str, field: OneOf) -> Any:
    """An Enum or a Literal of the words."""
    if field.literal:
        return Literal[field.members]
    return Enum(key.title(), [(f"M{n}", member) for n, member in enumerate(field.members)])


class Pydantic(Floor):
    """Models."""

    def make(self, name: str, fields: Mapping[str, Declared], *, closed: bool) -> Any:
        typed: dict[str, Any] = {
            key: (one.annotated, ... if one.default is REQUIRED else one.default)
            for key, one in fields.items()
        }
        config = pydantic.ConfigDict(extra="forbid") if closed else None
        return pydantic.create_model(name, __config__=config, **typed)

    def emit(self, tp: Any) -> Any:
        return tp.model_json_schema()


class Dataclass(Floor):
    """Dataclasses of the standard library, which pydantic reads."""

    def make(self, name: str, fields: Mapping[str, Declared], *, closed: bool) -> Any:
        members: list[Any] = [
            (key, one.annotated)
            if one.default is REQUIRED
            else (key, one.annotated, dataclasses.field(default=one.default))
            for key, one in fields.items()
        ]
        config = {"__pydantic_config__": pydantic.ConfigDict(extra="forbid")} if closed else None
        return dataclasses.make_dataclass(name, members, namespace=config)


class Msgspec(Floor):
    """Structs. msgspec names the first fault only."""

    rejects = (msgspec.ValidationError,)

    def make(self, name: str, fields: Mapping[str, Declared], *, closed: bool) -> Any:
        members: list[Any] = []
        for key, one in fields.items():
            tp = (
                Annotated[one.annotation, msgspec.Meta(**one.facts)]
                if one.facts
                else one.annotation
            )
            members.append((key, tp) if one.default is REQUIRED else (key, tp, one.default))
        return msgspec.defstruct(name, members, forbid_unknown_fields=closed)

    def reader(self, tp: Any) -> Read:
        convert = msgspec.convert
        return lambda data: convert(data, tp)

    def text_reader(self, tp: Any) -> Read:
        return msgspec.json.Decoder(tp).decode

    def dumper(self, tp: Any) -> Read:
        del tp
        return msgspec.to_builtins

    def write(self, data: Any) -> bytes:
        return msgspec.json.encode(data)

    def emit(self, tp: Any) -> Any:
        return msgspec.json.schema(tp)


class Attrs(Floor):
    """attrs classes, which cattrs makes."""

    rejects = (Exception,)  # cattrs raises groups of whatever its hooks raise
    says_closed = False
    checks: Final[dict[str, Any]] = {
        "ge": attrs.validators.ge,
        "le": attrs.validators.le,
        "max_length": attrs.validators.max_len,
        "pattern": attrs.validators.matches_re,
    }

    def make(self, name: str, fields: Mapping[str, Declared], *, closed: bool) -> Any:
        members: dict[str, Any] = {
            key: attrs.field(
                type=one.annotation,
                validator=[self.checks[fact](value) for fact, value in one.facts.items()],
                default=attrs.NOTHING if one.default is REQUIRED else one.default,
            )
            for key, one in fields.items()
        }
        made = attrs.make_class(name, members)
        CONVERTERS[made] = CLOSED if closed else OPEN
        return made

    def list_of(self, tp: Any) -> Any:
        made = list[tp]
        CONVERTERS[made] = OPEN
        return made

    def reader(self, tp: Any) -> Read:
        structure = CONVERTERS[tp].structure
        return lambda data: structure(data, tp)

    def text_reader(self, tp: Any) -> Read:
        structure = CONVERTERS[tp].structure
        return lambda text: structure(from_json(text), tp)

    def trusting(self, tp: Any) -> Read:
        del tp
        return lambda value: value

    def dumper(self, tp: Any) -> Read:
        return CONVERTERS[tp].unstructure


def _converter(*, closed: bool) -> cattrs.Converter:
    made = cattrs.Converter(forbid_extra_keys=closed)
    for tp in (date, datetime):
        made.register_structure_hook(tp, lambda text, wanted: wanted.fromisoformat(text))
        made.register_unstructure_hook(tp, tp.isoformat)
    return made


OPEN: Final = _converter(closed=False)
CLOSED: Final = _converter(closed=True)
CONVERTERS: Final[dict[Any, cattrs.Converter]] = {}


class JsonSchema(Floor):
    """A JSON Schema, checked by jsonschema-rs; the value is the data."""

    rejects = (jsonschema_rs.ValidationError,)

    def object(self, name: str, fields: Fields, *, closed: bool = False) -> Any:
        return Pydantic().object(name, fields, closed=closed).model_json_schema()

    def list_of(self, tp: Any) -> Any:
        items = {key: one for key, one in tp.items() if key != "$defs"}
        return {"type": "array", "items": items, "$defs": tp.get("$defs", {})}

    def reader(self, tp: Any) -> Read:
        validator = jsonschema_rs.Draft202012Validator(tp)
        is_valid = validator.is_valid

        def read(data: Any) -> Any:
            if not is_valid(data):
                validator.validate(data)
            return data

        return read

    def refuser(self, tp: Any) -> Read:
        return jsonschema_rs.Draft202012Validator(tp).validate

    def text_reader(self, tp: Any) -> Read:
        read = self.reader(tp)
        return lambda text: read(from_json(text))

    def dumper(self, tp: Any) -> Read:
        del tp
        return lambda data: data

    def handle(self, value: Any) -> Any:
        return take(value["city"], value["days"])


FLOORS: Final[dict[str, Floor]] = {
    "pydantic": Pydantic(),
    "msgspec": Msgspec(),
    "attrs": Attrs(),
    "dataclass": Dataclass(),
    "json schema": JsonSchema(),
}
