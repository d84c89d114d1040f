"""What an annotation is made of, read without importing anybody's library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

__all__ = [
    "classes_of",
    "described",
    "documented",
    "is_dataclass",
    "is_typed_dict",
    "notes_of",
    "readable",
    "types_in",
]


def is_dataclass(tp: object) -> bool:
    """Say whether a class is decorated as a dataclass itself."""
    return isinstance(tp, type) and "__dataclass_fields__" in vars(tp)


def is_typed_dict(tp: object) -> bool:
    """Say whether a class is a TypedDict, that of `typing` or of `typing_extensions`."""
    return isinstance(tp, type) and hasattr(tp, "__required_keys__") and issubclass(tp, dict)


def readable(tp: object) -> str:
    """Name a type for an error message."""
    return tp.__qualname__ if isinstance(tp, type) and not get_args(tp) else str(tp)


def types_in(tp: Any) -> Iterator[Any]:
    """Give every type that an annotation is built from, itself first, without literals."""
    yield tp
    origin = get_origin(tp)
    if origin is Literal:
        return
    inner = (tp.__origin__,) if origin is Annotated else get_args(tp)
    for one in (*inner, *_aliased(tp)):
        for part in one if isinstance(one, list) else (one,):
            yield from types_in(part)


def _aliased(tp: Any) -> tuple[Any, ...]:
    """Give what a `NewType` or a `type` statement stands for."""
    behind = getattr(tp, "__supertype__", None) if not isinstance(tp, type) else None
    return (behind,) if behind is not None else ()


def classes_of(tp: Any) -> Iterator[type]:
    """Give the classes inside an annotation: `list[City] | None` has `list` and `City`."""
    for one in types_in(tp):
        origin = get_origin(one)
        if isinstance(origin, type):
            yield origin
        elif isinstance(one, type):
            yield one


def notes_of(tp: Any) -> Iterator[Any]:
    """Give everything that `Annotated` says anywhere inside an annotation."""
    for one in types_in(tp):
        if get_origin(one) is Annotated:
            yield from one.__metadata__


def described(tp: Any) -> str | None:
    """Give the text of a `Doc` (ours or that of PEP 727) at the top of an annotation."""
    if get_origin(tp) is not Annotated:
        return None
    texts = (getattr(note, "documentation", None) for note in tp.__metadata__)
    return next((text for text in texts if isinstance(text, str)), None)


def documented(cls: type) -> dict[str, str]:
    """Give the `Doc` texts of a class's fields, by field name."""
    if not any(_may_describe(base) for base in cls.__mro__):
        return {}
    try:
        hints = get_type_hints(cls, include_extras=True)
    except Exception:  # noqa: BLE001 - an annotation runs the author's code
        return {}
    found = {name: described(tp) for name, tp in hints.items()}
    return {name: text for name, text in found.items() if text is not None}


def _may_describe(cls: type) -> bool:
    notes = vars(cls).get("__annotations__", {}).values()
    return any(isinstance(note, str) or get_origin(note) is Annotated for note in notes)
