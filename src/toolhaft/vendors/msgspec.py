"""msgspec: Structs, and containers, dataclasses and TypedDicts that hold them or its `Meta`.

msgspec stops at the first fault; the emitted schema finds the others. Where the schema says more
than msgspec checks (equal items of a set, the exact meaning of a pattern), it is asked first.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, get_type_hints

from toolhaft.schema.walk import nodes
from toolhaft.spec import Code, Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected
from toolhaft.vendors.annotations import (
    classes_of,
    is_dataclass,
    is_typed_dict,
    notes_of,
    readable,
)
from toolhaft.vendors.emitted import (
    REFS,
    descriptions,
    inlined,
    is_untyped,
    renamed,
    short_name,
    summary,
    typed,
    unused,
)

__all__ = ["NAME", "MsgspecAdapter", "adapter", "owns"]

NAME = "msgspec"


# ----------------------------------------------------------------------------- ownership


def owns(tp: object) -> bool:
    """Say whether a type is, or holds, something of msgspec's, without importing it."""
    return NAME in sys.modules and any(_is_ours(cls, set()) for cls in classes_of(tp))


def _is_ours(cls: type, seen: set[type]) -> bool:
    if hasattr(cls, "__struct_fields__"):
        return True
    if cls in seen or not (is_dataclass(cls) or is_typed_dict(cls)):
        return False
    if hasattr(cls, "__pydantic_validator__"):
        return False
    seen.add(cls)
    hints = _hints(cls).values()
    return any(
        any(map(_is_meta, notes_of(hint)))
        or any(_is_ours(inner, seen) for inner in classes_of(hint))
        for hint in hints
    )


def _is_meta(note: object) -> bool:
    return type(note).__name__ == "Meta" and type(note).__module__.partition(".")[0] == NAME


def _hints(cls: Any) -> dict[str, Any]:
    try:
        return get_type_hints(cls, include_extras=True)
    except Exception:  # noqa: BLE001 - an annotation runs the author's code
        return {}


# ----------------------------------------------------------------------------- the adapter


def adapter(tp: Any) -> MsgspecAdapter:
    """Read a type once.

    Raises:
        NoVendor: msgspec cannot carry it, or would ignore a constraint that it states.
    """
    import msgspec

    try:
        info = msgspec.inspect.type_info(tp)
    except (TypeError, NameError) as error:
        raise _refused(tp, error) from None
    seen = list(_types_of(info))
    lost = next(_ignored(tp, seen), None)
    if lost is not None:
        raise NoVendor(f"msgspec: {lost} is ignored", "say it with msgspec.Meta")
    return MsgspecAdapter(tp, seen)


def _refused(tp: Any, error: Exception) -> NoVendor:
    reason = str(error).partition("\n")[0].removesuffix(" requires either:")
    return NoVendor(f"msgspec: {readable(tp)}: {reason}", "use types with a JSON form")


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
    for cls in (tp, *(one.cls for one in seen if hasattr(one, "cls"))):
        for name, hint in {"": cls, **_hints(cls)}.items():
            for note in notes_of(hint):
                home = type(note).__module__.partition(".")[0]
                if home in ("annotated_types", "pydantic"):
                    yield f"{type(note).__name__} on {name or readable(cls)}"


class MsgspecAdapter(Adapter[Any]):
    """One msgspec type."""

    vendor = NAME

    def __init__(self, tp: Any, seen: list[Any]) -> None:
        import msgspec

        super().__init__()
        self._type = tp
        self._classes = {one.cls for one in seen if hasattr(one, "cls")}
        kinds = {type(one).__name__ for one in seen}
        self.own_checks = bool(kinds & _FORMATS) or any(map(_checks_itself, self._classes))
        self.rejects = (msgspec.ValidationError, Rejected)
        keys = any(type(one).__name__ == "DictType" and _has_other_keys(one) for one in seen)
        read: Callable[[Any], Any] = partial(msgspec.convert, type=tp, str_keys=keys)
        loose = bool(kinds & _LOOSE) or any(getattr(one, "pattern", None) for one in seen)
        self.construct = self.fits(read) if loose else read

    def emit(self, mode: Mode) -> dict[str, Any]:
        del mode
        import msgspec

        try:
            (root,), components = msgspec.json.schema_components(
                [self._type], ref_template=REFS + "{name}"
            )
        except TypeError as error:
            raise _refused(self._type, error) from None
        return _Emission(self._classes).whole(root, components)

    def is_instance(self, value: object) -> bool:
        return isinstance(self._type, type) and isinstance(value, self._type)

    def dump(self, value: Any) -> Any:
        """Give JSON data by the value's own types.

        Raises:
            Rejected: Some part has no JSON form.
        """
        import msgspec

        try:
            return msgspec.to_builtins(value, str_keys=True)
        except TypeError:
            raise Rejected([Issue("not JSON data", (), "type")]) from None

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        if isinstance(error, Rejected):
            return []
        cause = error.__cause__
        text, _, place = str(error).partition(" - at `$")
        code, message = _words(text) if cause is None else ("custom", str(cause)[:_MAX_WORDS])
        return [Issue(message or "refused", _path(place.rstrip("`"), data), code)]


_MAX_WORDS: Final = 300
_FORMATS: Final = {
    "DateTimeType", "DateType", "TimeType", "TimeDeltaType", "UUIDType", "DecimalType",
    "BytesType", "ByteArrayType", "MemoryViewType",
}  # fmt: skip
# The schema says unique items, and text for a decimal; msgspec takes equal items, and numbers.
_LOOSE: Final = {"SetType", "FrozenSetType", "DecimalType"}


def _checks_itself(cls: type) -> bool:
    return hasattr(cls, "__post_init__")


def _has_other_keys(info: Any) -> bool:
    return type(info.key_type).__name__ not in ("StrType", "AnyType")


# ---------------------------------------------------------------------------- explanation


def _words(text: str) -> tuple[Code, str]:
    for start, name in _FORMAT_FAULTS.items():
        if text.startswith(start):
            return "format", f"expected format {name}"
    return "custom", "not accepted"


_FORMAT_FAULTS: Final = {
    "Invalid RFC3339 encoded datetime": "date-time",
    "Invalid RFC3339 encoded date": "date",
    "Invalid RFC3339 encoded time": "time",
    "Invalid ISO8601 duration": "duration",
    "Invalid UUID": "uuid",
    "Invalid base64": "base64",
    "Invalid decimal": "decimal",
    "Expected `datetime` with a timezone": "date-time with a zone",
    "Expected `datetime` with no timezone": "date-time without a zone",
}


def _path(place: str, data: Any) -> Path:
    """Read `.a[0]` along the data, as far as it is certain: keys of open maps are `[...]`."""
    steps: list[str | int] = []
    while place:
        step = _index(place, data) if isinstance(data, list) else _key(place, data)
        if step is None:
            break
        place = place[len(step[0]) :]
        steps.append(step[1])
        data = data[step[1]]
    return tuple(steps)


def _index(place: str, data: list[Any]) -> tuple[str, int] | None:
    found = re.match(r"\[(\d+)\]", place)
    return (found[0], int(found[1])) if found and int(found[1]) < len(data) else None


def _key(place: str, data: Any) -> tuple[str, str] | None:
    keys = data.keys() if isinstance(data, dict) else ()
    fitting = [key for key in keys if re.match(re.escape(f".{key}") + r"(?=[.\[]|$)", place)]
    return (f".{fitting[0]}", fitting[0]) if len(fitting) == 1 else None


# ------------------------------------------------------------------------------- emission


class _Emission:
    """msgspec's components as one schema: short names, no made-up titles, pydantic's spelling."""

    def __init__(self, classes: set[Any]) -> None:
        origins = [cls for cls in classes if isinstance(cls, type)]
        named = sorted(origins, key=lambda cls: (cls.__module__, cls.__qualname__))
        self.classes = {f"{cls.__module__}.{cls.__qualname__}": cls for cls in named}
        for cls in named:
            self.classes.setdefault(cls.__name__, cls)

    def whole(self, root: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
        names: dict[str, str] = {}
        for name in components:
            names[name] = unused(short_name(name), names.values())
        for name, component in components.items():
            self.finish(component, self.classes.get(name))
        made = inlined(root, components)
        used = _used(made, components)
        if used:
            made["$defs"] = {names[name]: components[name] for name in components if name in used}
        for _, node in nodes(made):
            _spelt(node, names)
        return made

    def finish(self, component: dict[str, Any], cls: type | None) -> None:
        """Put what the class's author wrote in the place of what msgspec made of it."""
        component.pop("title", None)
        component.pop("description", None)
        if cls is None:
            return
        if text := summary(cls):
            component["description"] = text
        if "enum" in component and hasattr(cls, "__members__"):
            component["enum"] = [member.value for member in cls.__members__.values()]
        properties = component.get("properties", {})
        for name, text in descriptions(cls).items():
            if (node := properties.get(_encoded(cls, name))) is not None:
                node.setdefault("description", text)


def _encoded(cls: Any, name: str) -> str:
    fields = getattr(cls, "__struct_fields__", ())
    return str(cls.__struct_encode_fields__[fields.index(name)]) if name in fields else name


def _used(made: dict[str, Any], components: dict[str, Any]) -> set[str]:
    """Give the names of the definitions that a schema still refers to."""
    used: set[str] = set()
    queue = [made]
    while queue:
        for _, node in nodes(queue.pop()):
            name = node.get("$ref", "").removeprefix(REFS) if isinstance(node, dict) else ""
            if name and name not in used:
                used.add(name)
                queue.append(components[name])
    return used


def _spelt(node: Any, names: dict[str, str]) -> None:
    """Spell a node as the other vendors do; the meaning stays."""
    if not isinstance(node, dict):
        return
    renamed(node, names)
    members = node.get("enum")
    if members is not None:
        kinds = {type(member) for member in members}
        if len(kinds) == 1 and (kind := kinds.pop()) in _KINDS:
            node.setdefault("type", _KINDS[kind])
        if len(members) == 1:
            node["const"] = node.pop("enum")[0]
    if node.get("type") == "array" and not node.keys() & {"items", "prefixItems"}:
        node["items"] = {}
    if node.get("type") == "object" and not node.keys() & {"properties", "additionalProperties"}:
        node["additionalProperties"] = True
    if node.get("items") is False and node.get("maxItems") == len(node.get("prefixItems", ())):
        del node["items"]
    for name, property_ in node.get("properties", {}).items():
        if is_untyped(property_):
            node["properties"][name] = typed(property_)


_KINDS: Final = {str: "string", int: "integer", bool: "boolean", float: "number"}
