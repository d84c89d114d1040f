"""What an annotation is made of, read without importing anybody's library."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    ForwardRef,
    Literal,
    NotRequired,
    Required,
    get_args,
    get_origin,
    get_type_hints,
)

__all__ = [
    "UNRESOLVED",
    "classes_of",
    "described",
    "documented",
    "hints_of",
    "is_async",
    "is_content",
    "is_dataclass",
    "is_meta",
    "is_settled",
    "is_typed_dict",
    "notes_of",
    "readable",
    "requirement",
    "resolved",
    "type_namespace",
    "types_in",
    "visible",
]

UNRESOLVED: Final = (str, ForwardRef)
COROUTINE: Final = 0x80  # inspect.CO_COROUTINE
# What may stand around content, or beside it; `get_origin` gives the last two.
AROUND_CONTENT: Final[Any] = (str, NoneType, list, tuple, Sequence, UnionType, Annotated)


def is_dataclass(tp: object) -> bool:
    """Say whether a class is decorated as a dataclass itself."""
    return isinstance(tp, type) and "__dataclass_fields__" in vars(tp)


def is_typed_dict(tp: object) -> bool:
    """Say whether a class is a TypedDict, that of `typing` or of `typing_extensions`."""
    return isinstance(tp, type) and hasattr(tp, "__required_keys__") and issubclass(tp, dict)


def readable(tp: object) -> str:
    """Name a type for an error message; of an object, only what kind of object it is."""
    if get_args(tp) or type(tp).__module__.partition(".")[0] in ("typing", "typing_extensions"):
        return str(tp)
    if isinstance(tp, type):
        return tp.__qualname__
    return f"a {type(tp).__qualname__}"


def is_async(function: Any) -> bool:
    """Say whether a call of this gives a coroutine."""
    inner = getattr(function, "func", function)
    for one in (inner, getattr(type(inner), "__call__", None)):  # noqa: B004 - its code is wanted
        code = getattr(getattr(one, "__func__", one), "__code__", None)
        if code is not None and code.co_flags & COROUTINE:
            return True
    return False


def types_in(tp: Any) -> Iterator[Any]:
    """Give every type that an annotation is built from, itself first, without literals."""
    yield tp
    if isinstance(tp, type) or (origin := get_origin(tp)) is Literal:
        return
    inner = (tp.__origin__,) if origin is Annotated else get_args(tp) or _aliased(tp)
    for one in inner:
        for part in one if isinstance(one, list) else (one,):
            if isinstance(part, type):
                yield part
            else:
                yield from types_in(part)


def _aliased(tp: Any) -> tuple[Any, ...]:
    """Give what a `NewType` stands for."""
    behind = getattr(tp, "__supertype__", None)
    return (behind,) if behind is not None else ()


def classes_of(tp: Any) -> Sequence[type]:
    """Give the classes inside an annotation: `list[City] | None` has `list` and `City`."""
    if isinstance(tp, type):
        return (tp,)
    every = (one if isinstance(one, type) else get_origin(one) for one in types_in(tp))
    return [one for one in every if isinstance(one, type)]


def is_content(tp: Any) -> bool:
    """Say whether a type is content for a model to be shown: `Image`, `list[str | File]`."""
    module = sys.modules.get("toolhaft.content")
    found = set(classes_of(tp))
    if module is None or found.isdisjoint(module.PARTS):
        return False
    return found <= {*module.PARTS, *AROUND_CONTENT}


def notes_of(tp: Any) -> Iterator[Any]:
    """Give everything that `Annotated` says anywhere inside an annotation."""
    if isinstance(tp, type):
        return
    for one in types_in(tp):
        if get_origin(one) is Annotated:
            yield from one.__metadata__


def is_meta(note: object) -> bool:
    """Say whether a note is `msgspec.Meta`."""
    kind = type(note)
    return kind.__name__ == "Meta" and kind.__module__.partition(".")[0] == "msgspec"


def requirement(tp: Any, *, required: bool) -> tuple[Any, bool]:
    """Take `Required` and its like off a TypedDict's key; without them, the class decides.

    The class itself cannot read them where its annotations are text.
    """
    while (origin := get_origin(tp)) in (Required, NotRequired):
        (tp,) = get_args(tp)
        required = origin is Required
    return tp, required


def described(tp: Any) -> str | None:
    """Give the text of a `Doc` (ours or that of PEP 727) at the top of an annotation."""
    if get_origin(tp) is not Annotated:
        return None
    texts = (getattr(note, "documentation", None) for note in tp.__metadata__)
    return next((text for text in texts if isinstance(text, str)), None)


def hints_of(cls: type) -> dict[str, Any]:
    """Give the annotations of a class's fields; nothing where one cannot be resolved."""
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        hints |= vars(base).get("__annotations__", {})
    if not any(isinstance(tp, UNRESOLVED) for tp in hints.values()):
        return hints
    try:
        return resolved(cls)
    except Exception:  # noqa: BLE001 - an annotation runs the author's code
        return {}


def resolved(cls: type) -> dict[str, Any]:
    """Resolve the annotations of a class: by its module, else by what the tool's author sees.

    Raises:
        NameError: Neither knows a name in one of them.
        Exception: Whatever an annotation raises.
    """
    try:
        return get_type_hints(cls, include_extras=True)
    except NameError:
        names = visible()
        if not names:
            raise
        return get_type_hints(cls, localns=names, include_extras=True)


@contextmanager
def type_namespace(names: Callable[[], Mapping[str, Any]]) -> Generator[None]:
    """Let classes that were made inside a function name each other, while a tool is read.

    `names` gives what the tool's author could see; it is asked only where a module does not know.
    """
    token = _SEEN.set(names)
    try:
        yield
    finally:
        _SEEN.reset(token)


def visible() -> dict[str, Any]:
    """Give the names that the author of the tool that is being read could see."""
    return dict(_SEEN.get()())


_SEEN: Final[ContextVar[Callable[[], Mapping[str, Any]]]] = ContextVar("seen", default=dict)


def is_settled(tp: Any, seen: set[type] | None = None) -> bool:
    """Say whether every name in a type means something by now, through the fields of classes."""
    seen = set() if seen is None else seen
    if any(isinstance(one, UNRESOLVED) for one in types_in(tp)):
        return False
    for cls in classes_of(tp):
        if cls not in seen and (is_dataclass(cls) or is_typed_dict(cls)):
            seen.add(cls)
            hints = hints_of(cls)
            if not hints and getattr(cls, "__annotations__", None):
                return False
            if not all(is_settled(hint, seen) for hint in hints.values()):
                return False
    return True


def documented(cls: type) -> dict[str, str]:
    """Give the `Doc` texts of a class's fields, by field name."""
    noted = {name: tp for name, tp in hints_of(cls).items() if not isinstance(tp, type)}
    found = {name: described(requirement(tp, required=True)[0]) for name, tp in noted.items()}
    return {name: text for name, text in found.items() if text is not None}
