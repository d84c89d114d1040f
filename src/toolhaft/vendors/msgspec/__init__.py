"""msgspec: Structs, and containers, dataclasses and TypedDicts that hold them or its `Meta`.

msgspec stops at the first fault; the emitted schema finds the others. Where the schema says more
than msgspec checks (equal items of a set, the exact meaning of a pattern), it is asked first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final, get_origin

from toolhaft.jsondata import NotJson, dumped
from toolhaft.schema.checker import Checker
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, Direct, NoVendor, Rejected
from toolhaft.vendors.annotations import (
    classes_of,
    hints_of,
    is_async,
    is_dataclass,
    is_meta,
    is_typed_dict,
    notes_of,
    readable,
    resolved,
)
from toolhaft.vendors.msgspec.direct import direct
from toolhaft.vendors.msgspec.emission import Emission, components_of
from toolhaft.vendors.msgspec.explain import issue_of
from toolhaft.vendors.patterns import formatted

__all__ = ["NAME", "MsgspecAdapter", "adapter", "owns"]

NAME = "msgspec"


# ----------------------------------------------------------------------------- ownership


def owns(tp: object) -> bool:
    """Say whether a type is, or holds, something of msgspec's, without importing it."""
    return NAME in sys.modules and any(_is_ours(cls, set()) for cls in classes_of(tp))


def _is_ours(cls: type, seen: set[type]) -> bool:
    if cls.__module__ == "builtins" or cls in seen:
        return False
    if hasattr(cls, "__struct_fields__"):
        return True
    if hasattr(cls, "__pydantic_validator__") or not (is_dataclass(cls) or is_typed_dict(cls)):
        return False
    seen.add(cls)
    for hint in hints_of(cls).values():
        if any(_is_ours(inner, seen) for inner in classes_of(hint)):
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
        raise _refused(tp, error) from None
    seen = list(_types_of(info))
    lost = next(_ignored(tp, seen), None)
    if lost is not None:
        raise NoVendor(f"msgspec: {lost} is ignored", "say it with msgspec.Meta")
    for one in seen:
        check = getattr(getattr(one, "cls", None), "__post_init__", None)
        if is_async(check):
            raise NoVendor(f"msgspec: {readable(one.cls)}: __post_init__ is async", "use def")
        if is_async(getattr(one, "default_factory", None)):  # of a field
            raise NoVendor(f"msgspec: the factory of {one.name} is async", "use def")
    return MsgspecAdapter(tp, seen)


def _resolve(tp: Any, done: set[type]) -> None:
    """Write down what the names of local classes mean, as `attrs.resolve_types` does.

    msgspec itself looks for them in the module alone.
    """
    for cls in classes_of(tp):
        if "<locals>" not in cls.__qualname__ or cls in done:
            continue
        done.add(cls)
        hints = resolved(cls)
        own = vars(cls).get("__annotations__", {})
        own.update({name: hint for name, hint in hints.items() if name in own})
        for hint in hints.values():
            _resolve(hint, done)


def _refused(tp: Any, error: Exception) -> NoVendor:
    reason = str(error).partition("\n")[0].removesuffix(" requires either:")
    fix = "use types with a JSON form"
    if "custom type" in reason:  # its word for those of the other libraries too
        reason, fix = "holds types that are not msgspec's", "take types of one library in one type"
    return NoVendor(f"msgspec: {readable(tp)}: {reason}", fix)


def _types_of(info: Any) -> Iterator[Any]:
    """Give every type description under one, each once: types may recurse."""
    queue, seen = [info], set()
    while queue:
        one = queue.pop()
        if isinstance(one, tuple):
            queue.extend(one)
        elif hasattr(one, "__struct_fields__") and id(one) not in seen:
            seen.add(id(one))
            yield one
            queue.extend(getattr(one, name) for name in one.__struct_fields__)


def _ignored(tp: Any, seen: list[Any]) -> Iterator[str]:
    """Name the constraints of other libraries: msgspec neither checks nor emits them."""
    places = [("the type", tp)]
    for one in seen:
        places += hints_of(one.cls).items() if isinstance(getattr(one, "cls", None), type) else ()
    for name, hint in places:
        for note in notes_of(hint):
            if type(note).__module__.partition(".")[0] in ("annotated_types", "pydantic"):
                yield f"{type(note).__name__} on {name}"


class MsgspecAdapter(Adapter[Any]):
    """One msgspec type."""

    vendor = NAME

    def __init__(self, tp: Any, seen: list[Any]) -> None:
        from datetime import timedelta

        import msgspec

        super().__init__()
        self._type = tp
        self._classes = {one.cls for one in seen if hasattr(one, "cls")}
        kinds = {type(one).__name__ for one in seen}
        self.own_checks = bool(kinds & _FORMATS) or any(map(_checks_itself, self._classes))
        self.rejects = (msgspec.DecodeError, Rejected)
        # In an order of their own only sets come; sorted, all keys are.
        self._order: Any = "deterministic" if kinds & _UNORDERED else None
        # What the table of results writes: declared bytes are base64, undeclared ones are text.
        self._left = (timedelta,) if kinds & _BYTES else (timedelta, bytes)
        keys = any(type(one).__name__ == "DictType" and _has_other_keys(one) for one in seen)
        read = _reader_of_keys(tp) if keys else _reader(tp)
        self._formats = bool(kinds & _SHAPED)
        loose = keys or kinds & (_SHAPED | _LOOSE) or any(map(_is_loose, seen))
        self.construct = self.fits(read) if loose else read
        self._is_direct = not loose

    @cached_property
    def direct(self) -> Direct | None:  # type: ignore[override]
        return direct(self._type, self.construct) if self._is_direct else None

    def emit(self, mode: Mode) -> dict[str, Any]:
        del mode
        try:
            root, components = components_of(self._type)
        except TypeError as error:
            raise _refused(self._type, error) from None
        return Emission(self._type, self._classes).made(root, components)

    def known(self) -> Checker:
        """Hold text to the formats that the schema names: msgspec reads more."""
        return self.exact if self._formats else self.checker("input")

    def refused(self, data: Any) -> list[Issue]:
        return [formatted(one) for one in self.known().findings(data)]

    def unwritten(self) -> list[tuple[Path, str]]:
        checks = [cls.__post_init__ for cls in self._classes if _checks_itself(cls)]
        return [((), f"validator {name}") for name in sorted(one.__qualname__ for one in checks)]

    def is_instance(self, value: object) -> bool:
        cls = get_origin(self._type) or self._type
        is_class = hasattr(cls, "__struct_fields__") or is_dataclass(cls)
        return is_class and isinstance(value, cls)

    def dump(self, value: Any) -> Any:
        """Dump by the value's own types; what msgspec does not know is dumped as elsewhere.

        Raises:
            Rejected: Some part of it has no JSON form.
        """
        import msgspec

        try:
            return msgspec.to_builtins(
                value,
                str_keys=True,
                order=self._order,
                builtin_types=self._left,
                enc_hook=_undeclared,
            )
        except NotJson as error:
            message = error.issues[0].message
        except (TypeError, RecursionError):  # a key that is no text, a struct that holds itself
            message = "not JSON data"
        raise Rejected([Issue(message, code="json")])

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        if isinstance(error, Rejected):
            return []
        return [issue_of(error, data)]


def _undeclared(value: Any) -> Any:
    return dumped(value, foreign=Adapter.foreign)


def _reader(tp: Any) -> Callable[[Any], Any]:
    from msgspec import convert

    return lambda data: convert(data, tp)  # a keyword would double what the call costs


def _reader_of_keys(tp: Any) -> Callable[[Any], Any]:
    from msgspec import convert

    return lambda data: convert(data, tp, str_keys=True)


_BYTES: Final = {"BytesType", "ByteArrayType", "MemoryViewType"}
_FORMATS: Final = _BYTES | {
    "DateTimeType", "DateType", "TimeType", "TimeDeltaType", "UUIDType", "DecimalType",
}  # fmt: skip
_SHAPED: Final = {"DateTimeType", "DateType", "TimeType", "TimeDeltaType", "UUIDType"}
_UNORDERED: Final = {"SetType", "FrozenSetType", "AnyType"}
# The schema says unique items, and text for a decimal; msgspec takes equal items, and numbers.
_LOOSE: Final = {"SetType", "FrozenSetType", "DecimalType"}


def _is_loose(info: Any) -> bool:
    """Say whether msgspec accepts more: by a pattern, a tag left out, members that are found."""
    if type(info).__name__ == "EnumType":
        return hasattr(info.cls, "__or__") or "_missing_" in vars(info.cls)
    return any(getattr(info, name, None) is not None for name in ("pattern", "tag"))


def _checks_itself(cls: type) -> bool:
    return hasattr(cls, "__post_init__")


def _has_other_keys(info: Any) -> bool:
    return type(info.key_type).__name__ not in ("StrType", "AnyType")
