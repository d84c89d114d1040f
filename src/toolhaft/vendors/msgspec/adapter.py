"""msgspec: Structs, and containers, dataclasses and TypedDicts that contain them or its `Meta`.

msgspec stops at the first fault; the emitted schema, which is checked first, finds all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import cached_property, partial
from types import MemberDescriptorType
from typing import Any, Final

from toolhaft.definition.scope import own_annotations
from toolhaft.jsonio.jsondata import NotJson, to_json_data
from toolhaft.jsonio.primitives import plain_copy
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected, copying
from toolhaft.vendors.annotations import (
    classes_of,
    describe_type,
    has_own_reader,
    hints_of,
    is_async,
    is_dataclass,
    is_meta,
    is_typed_dict,
    notes_of,
    resolve_hints,
)
from toolhaft.vendors.dumps import IsInstance, instance_check, layout_of
from toolhaft.vendors.msgspec.clocks import Clocks
from toolhaft.vendors.msgspec.emit import Emission
from toolhaft.vendors.msgspec.explain import issue_of

__all__ = ["NAME", "MsgspecAdapter", "adapter", "owns"]

NAME = "msgspec"


# ----------------------------------------------------------------------------- ownership


def owns(tp: object) -> bool:
    """Return whether a type is, or contains, a type of msgspec's, without importing it."""
    return NAME in sys.modules and any(_is_ours(cls, set()) for cls in classes_of(tp))


def _is_ours(cls: type, visited: set[type]) -> bool:
    if hasattr(cls, "__struct_fields__"):
        return True
    if cls.__module__ == "builtins" or cls in visited:
        return False
    if hasattr(cls, "__pydantic_validator__") or not (is_dataclass(cls) or is_typed_dict(cls)):
        return False
    visited.add(cls)
    for hint in hints_of(cls).values():
        if any(_is_ours(inner, visited) for inner in classes_of(hint)):
            return True
        if any(map(is_meta, notes_of(hint))):
            return True
    return False


# ----------------------------------------------------------------------------- the adapter


def adapter(tp: Any) -> MsgspecAdapter:
    """Read a type once.

    Raises:
        NoVendor: msgspec cannot carry it, or would ignore a constraint that it states.
    """
    import msgspec

    try:
        _resolve(tp, set())
        info = msgspec.inspect.type_info(tp)
    except (TypeError, NameError) as error:
        raise _to_no_vendor(tp, error) from None
    parts = _parts_of(info)
    if "RawType" in parts:
        raise NoVendor(
            f"msgspec: {describe_type(tp)}: Raw is text that nothing has read", "declare Any"
        )
    compiled = MsgspecAdapter(tp, info, parts)
    ignored = next(_ignored_constraints(tp, compiled.classes), None)
    if ignored is not None:
        raise NoVendor(f"msgspec: {ignored} is ignored", "use msgspec.Meta")
    for cls in filter(has_own_reader, compiled.classes):
        reason = f"msgspec: {describe_type(cls)} is read by its mixin"
        raise NoVendor(reason, "pass input=schema_of(validate=..., json_schema=...)")
    for cls in filter(_has_post_init, compiled.classes):
        if is_async(cls.__post_init__):
            raise NoVendor(f"msgspec: {describe_type(cls)}: __post_init__ is async", "use def")
    for field in parts.get("Field", ()):
        if field.default_factory is not msgspec.NODEFAULT and is_async(field.default_factory):
            raise NoVendor(f"msgspec: the factory of {field.name} is async", "use def")
    return compiled


def _resolve(tp: Any, visited: set[type]) -> None:
    """Resolve the annotations of local classes in place, as `attrs.resolve_types` does.

    msgspec itself looks for them in the module alone.
    """
    for cls in classes_of(tp):
        if "<locals>" not in cls.__qualname__ or cls in visited:
            continue
        visited.add(cls)
        hints = resolve_hints(cls)
        own = own_annotations(cls)
        cls.__annotations__ = {name: hints.get(name, note) for name, note in own.items()}
        for hint in hints.values():
            _resolve(hint, visited)


def _to_no_vendor(tp: Any, error: Exception) -> NoVendor:
    reason = str(error).partition("\n")[0].removesuffix(" requires either:")
    fix = "use types with a JSON form"
    if "custom type" in reason:  # its word for other libraries' types too
        reason, fix = "holds types that are not msgspec's", "take types of one library in one type"
    return NoVendor(f"msgspec: {describe_type(tp)}: {reason}", fix)


def _parts_of(info: Any) -> dict[str, list[Any]]:
    """Group every description under a type by its kind, each once: types may recurse."""
    parts: dict[str, list[Any]] = {}
    descriptions, visited = [info], set()
    for description in descriptions:  # which grows meanwhile
        kind = type(description).__name__
        if kind == "tuple":
            descriptions += description
        elif id(description) not in visited:
            visited.add(id(description))
            parts.setdefault(kind, []).append(description)
            descriptions += [getattr(description, name) for name in _INSIDE.get(kind, ())]
    return parts


def _ignored_constraints(tp: Any, classes: Iterable[Any]) -> Iterator[str]:
    """Name the constraints of other libraries: msgspec neither checks nor emits them."""
    places = [("the type", tp)]
    for cls in classes:
        places += hints_of(cls).items() if isinstance(cls, type) else ()
    for name, hint in places:
        for note in () if isinstance(hint, type) else notes_of(hint):
            if type(note).__module__.partition(".")[0] in ("annotated_types", "pydantic"):
                yield f"{type(note).__name__} on {name}"


class MsgspecAdapter(Adapter[Any]):
    """One msgspec type."""

    vendor = NAME
    copies = True

    def __init__(self, tp: Any, info: Any, parts: Mapping[str, list[Any]]) -> None:
        from datetime import timedelta

        from msgspec import DecodeError, convert

        super().__init__()
        self._type = tp
        self._info = info
        classes = (part.cls for kind in _CLASSES for part in parts.get(kind, ()))
        self.classes: list[Any] = list(dict.fromkeys(classes))
        kinds = self._kinds = parts.keys()
        self.rejects = (DecodeError, Rejected)
        # In an order of their own only sets come; sorted, all keys are.
        self._order: Any = "deterministic" if kinds & _UNORDERED else None
        # The rules of the table of results: declared bytes are base64, undeclared ones are text.
        self._builtin_types = (timedelta,) if kinds & _BYTES else (timedelta, bytes)
        keys = any(map(_has_non_text_keys, parts.get("DictType", ())))
        reader = _reader_of_keys(tp) if keys else _reader(tp)
        if "AnyType" in kinds:
            reader = copying(reader)
            if not keys and not kinds & _CLOCKS:
                self.construct_own = convert, tp
        self.construct = self._with_seconds(reader, parts) if kinds & _CLOCKS else reader
        if not keys and "AnyType" not in kinds and not kinds & _CLOCKS:
            self.construct_with = convert, tp
        key_types = {type(part.key_type).__name__ for part in parts.get("DictType", ())}
        self._may_merge = "AnyType" in kinds or "UnionType" in key_types

    @cached_property
    def construct_text(self) -> Callable[[str], Any] | None:  # type: ignore[override]  # rarely
        from msgspec.json import Decoder

        return Decoder(self._type).decode if self._kinds <= _SAME_IN_TEXT else None

    def _with_seconds(
        self, read: Callable[[Any], Any], parts: Mapping[str, list[Any]]
    ) -> Callable[[Any], Any]:
        """Complete the seconds of times, which RFC 3339 and msgspec demand and models leave out.

        Most have them, so data that msgspec accepts are not searched, unless an author's function
        would then run twice.
        """
        from msgspec import ValidationError

        if self._runs_authored(parts):
            return lambda data: read(self._clocks.complete(data))

        def read_completed(data: Any) -> Any:
            try:
                return read(data)
            except ValidationError:
                completed = self._clocks.complete(data)
                if completed is data:
                    raise
            return read(completed)

        return read_completed

    def _runs_authored(self, parts: Mapping[str, list[Any]]) -> bool:
        """Whether an author's function runs while an object is made."""
        from msgspec import NODEFAULT

        factories = (field.default_factory for field in parts.get("Field", ()))
        has_hook = any(hasattr(cls, "__post_init__") for cls in self.classes)
        return has_hook or any(factory is not NODEFAULT for factory in factories)

    @cached_property
    def _clocks(self) -> Clocks:
        return Clocks(self.input.gate.normalised, self.input.places)

    def emit(self, mode: Mode) -> dict[str, Any]:
        emission = Emission(self._type, self.classes)
        try:
            schema = emission.write(self._info)
        except TypeError as error:
            raise _to_no_vendor(self._type, error) from None
        if mode == "input":
            self._fields = emission.fields_of
        return schema

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        checks = [cls.__post_init__ for cls in self.classes if _has_post_init(cls)]
        return [
            ((), f"validator {name}") for name in sorted(check.__qualname__ for check in checks)
        ]

    def is_instance(self, value: object) -> bool:
        return self._is_instance is not None and self._is_instance(value)

    @cached_property
    def _is_instance(self) -> IsInstance | None:
        return instance_check(self._type, _is_class)

    @cached_property
    def layout(self) -> Any:
        return layout_of(self._type, _fields_of)

    @cached_property
    def _write(self) -> Callable[..., Any]:
        from msgspec import to_builtins

        return partial(
            to_builtins,
            str_keys=True,
            order=self._order,
            builtin_types=self._builtin_types,
            enc_hook=_dump_any,
        )

    def dump(self, value: Any) -> Any:
        """Dump by the value's own types; types unknown to msgspec by the table of results.

        Raises:
            Rejected: Some part of it has no JSON form.
        """
        try:
            data = self._write(value)
            if not (self._may_merge and self._merges_keys(value, data)):
                return data
            message = "two keys are written as one text"
        except NotJson as error:
            message = error.issues[0].message
        except (TypeError, RecursionError):  # a key that is no text, a struct that holds itself
            message = "not JSON data"
        raise Rejected([Issue(message, code="json")])

    def _merges_keys(self, value: Any, data: Any) -> bool:
        """Whether keys of two types are one in the dump of a value."""
        unmerged = self._write(value, str_keys=False, order=None)
        has_other_keys = plain_copy({"": unmerged}) is None
        return has_other_keys and _count_items(data) < _count_items(unmerged)

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        return super().explain(error, data) or [issue_of(error, data)]


def _fields_of(cls: type) -> list[tuple[str, str, Any]] | Callable[[Any], Any] | None:
    from msgspec import to_builtins

    if cls in (date, datetime):
        return to_builtins
    config: Any = getattr(cls, "__struct_config__", None)
    if config is None or config.array_like or config.omit_defaults or config.tag is not None:
        return None
    struct: Any = cls
    attributes = [getattr(cls, name) for name in struct.__struct_fields__]
    # msgspec dumps what a field holds, whatever a subclass puts in the place of its attribute.
    if any(type(attribute) is not MemberDescriptorType for attribute in attributes):
        return None
    names = zip(struct.__struct_encode_fields__, struct.__struct_fields__, strict=True)
    hints = hints_of(cls)
    return [(key, name, hints.get(name, "unknown")) for key, name in names]


def _is_class(tp: Any) -> bool:
    return isinstance(tp, type) and (hasattr(tp, "__struct_fields__") or is_dataclass(tp))


def _count_items(data: Any) -> int:
    """Count all that is held by objects and arrays, however deep."""
    items = data.values() if type(data) is dict else data if type(data) is list else ()
    return len(items) + sum(map(_count_items, items))


def _dump_any(value: Any) -> Any:
    return to_json_data(value, foreign=Adapter.foreign)


def _reader(tp: Any) -> Callable[[Any], Any]:
    from msgspec import convert

    return lambda data: convert(data, tp)  # a keyword would double what the call costs


def _reader_of_keys(tp: Any) -> Callable[[Any], Any]:
    from msgspec import convert

    return lambda data: convert(data, tp, str_keys=True)


_RECORDS: Final = ("StructType", "DataclassType", "TypedDictType", "NamedTupleType")
_CLASSES: Final = (*_RECORDS, "EnumType", "CustomType")
_COLLECTIONS: Final = ("ListType", "SetType", "FrozenSetType", "VarTupleType")
# Where descriptions have others inside.
_INSIDE: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(_RECORDS, ("fields",)),
    **dict.fromkeys(_COLLECTIONS, ("item_type",)),
    **dict.fromkeys(("DictType", "FrozenDictType"), ("key_type", "value_type")),
    **dict.fromkeys(("Field", "Metadata"), ("type",)),
    "TupleType": ("item_types",),
    "UnionType": ("types",),
}
# Kinds that msgspec reads from text as it converts them from data.
_SAME_IN_TEXT: Final = {
    *_RECORDS, *_COLLECTIONS, "TupleType", "DictType", "UnionType", "Field", "Metadata",
    "StrType", "IntType", "FloatType", "BoolType", "NoneType", "LiteralType", "EnumType",
}  # fmt: skip
_BYTES: Final = {"BytesType", "ByteArrayType", "MemoryViewType"}
_CLOCKS: Final = {"DateTimeType", "TimeType"}
_UNORDERED: Final = {"SetType", "FrozenSetType", "AnyType"}


def _has_post_init(cls: type) -> bool:
    return hasattr(cls, "__post_init__")


def _has_non_text_keys(info: Any) -> bool:
    return type(info.key_type).__name__ not in ("StrType", "AnyType")
