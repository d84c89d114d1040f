"""The parts of an annotation, read without importing any validator library."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import reduce
from operator import or_
from types import GenericAlias, NoneType, UnionType
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

from toolhaft.definition.scope import own_annotations

__all__ = [
    "UNRESOLVED",
    "classes_of",
    "describe_type",
    "doc_text",
    "doc_texts",
    "has_own_reader",
    "hints_of",
    "is_async",
    "is_content",
    "is_dataclass",
    "is_meta",
    "is_resolved",
    "is_timezone",
    "is_typed_dict",
    "map_parts",
    "notes_of",
    "resolve_hints",
    "split_required",
    "type_namespace",
    "types_in",
    "visible_names",
]

UNRESOLVED: Final = (str, ForwardRef)
COROUTINE: Final = 0x80  # inspect.CO_COROUTINE
# Types that may be around content, or beside it; `get_origin` returns the last two.
AROUND_CONTENT: Final[Any] = (str, NoneType, list, tuple, Sequence, UnionType, Annotated)


def is_dataclass(tp: object) -> bool:
    """Return whether a class is itself decorated as a dataclass."""
    return isinstance(tp, type) and "__dataclass_fields__" in vars(tp)


def is_typed_dict(tp: object) -> bool:
    """Return whether a class is a TypedDict of `typing` or of `typing_extensions`."""
    return isinstance(tp, type) and hasattr(tp, "__required_keys__") and issubclass(tp, dict)


def describe_type(tp: object) -> str:
    """Name a type for an error message; an object is named by its class.

    >>> describe_type(int), describe_type(object()), describe_type(5)
    ('int', 'an object', 'an int')
    """
    if isinstance(tp, type):
        return tp.__qualname__
    if get_args(tp) or type(tp).__module__.partition(".")[0] in ("typing", "typing_extensions"):
        return str(tp)
    name = type(tp).__qualname__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def is_async(function: Any) -> bool:
    """Return whether calling a function returns a coroutine."""
    inner = getattr(function, "func", function)
    for candidate in (inner, getattr(type(inner), "__call__", None)):  # noqa: B004 - its code is wanted
        code = getattr(getattr(candidate, "__func__", candidate), "__code__", None)
        if code is not None and code.co_flags & COROUTINE:
            return True
    return False


def types_in(tp: Any) -> Iterator[Any]:
    """Yield every type that an annotation is built from, itself first, without literals."""
    yield tp
    if isinstance(tp, type) or (origin := get_origin(tp)) is Literal:
        return
    inner = (tp.__origin__,) if origin is Annotated else get_args(tp) or _newtype_target(tp)
    for argument in inner:
        for part in argument if isinstance(argument, list) else (argument,):
            if isinstance(part, type):
                yield part
            else:
                yield from types_in(part)


def map_parts(tp: Any, change: Callable[[Any], Any]) -> Any:
    """Return the same annotation with each type inside it changed.

    >>> map_parts(dict[str, int | None], lambda tp: float if tp is int else tp)
    dict[str, int | None]
    >>> map_parts(list[int], lambda tp: float if tp is int else tp)
    list[float]
    """
    inner = get_args(tp)
    if get_origin(tp) is Literal or any(isinstance(argument, list) for argument in inner):
        return tp
    parts = tuple(map(change, inner))
    if parts == inner:
        return tp
    if isinstance(tp, UnionType):
        return reduce(or_, parts)
    generic: Any = get_origin(tp)
    return generic[parts] if isinstance(tp, GenericAlias) else tp.copy_with(parts)


def _newtype_target(tp: Any) -> tuple[Any, ...]:
    """Return the supertype of a `NewType`, as a tuple of at most one item."""
    supertype = getattr(tp, "__supertype__", None)
    return (supertype,) if supertype is not None else ()


def classes_of(tp: Any) -> Sequence[type]:
    """Return the classes inside an annotation: `list[City] | None` has `list` and `City`."""
    if isinstance(tp, type):
        return (tp,)
    classes = (part if isinstance(part, type) else get_origin(part) for part in types_in(tp))
    return [part for part in classes if isinstance(part, type)]


def is_content(tp: Any) -> bool:
    """Return whether a type is content to show a model: `Image`, `list[str | File]`."""
    module = sys.modules.get("toolhaft.content")
    classes = set(classes_of(tp))
    if module is None or classes.isdisjoint(module.PARTS):
        return False
    return classes <= {*module.PARTS, *AROUND_CONTENT}


def notes_of(tp: Any) -> Iterator[Any]:
    """Yield the metadata of every `Annotated` inside an annotation."""
    if isinstance(tp, type):
        return
    for part in types_in(tp):
        if get_origin(part) is Annotated:
            yield from part.__metadata__


def is_meta(note: object) -> bool:
    """Return whether a note is `msgspec.Meta`."""
    kind = type(note)
    return kind.__name__ == "Meta" and kind.__module__.partition(".")[0] == "msgspec"


def is_timezone(note: object) -> bool:
    """Return whether a note is `annotated_types.Timezone`, which pydantic leaves out."""
    kind = type(note)
    return kind.__name__ == "Timezone" and kind.__module__ == "annotated_types"


def has_own_reader(cls: Any) -> bool:
    """Return whether a class that looks like a plain dataclass is read by its base class.

    The mixins of mashumaro have aliases, hooks and strategies that only mashumaro knows.
    """
    return any(
        base.__module__.partition(".")[0] == "mashumaro"
        for base in (get_origin(cls) or cls).__mro__
    )


def split_required(tp: Any, *, required: bool) -> tuple[Any, bool]:
    """Take `Required` or `NotRequired` off a TypedDict's key; without them, the class decides.

    The class itself cannot read them where its annotations are text.
    """
    while (origin := get_origin(tp)) in (Required, NotRequired):
        (tp,) = get_args(tp)
        required = origin is Required
    return tp, required


def doc_text(tp: Any) -> str | None:
    """Return the text of a `Doc` (ours or PEP 727's) at the top of an annotation."""
    if get_origin(tp) is not Annotated:
        return None
    texts = (getattr(note, "documentation", None) for note in tp.__metadata__)
    return next((text for text in texts if isinstance(text, str)), None)


def hints_of(cls: type) -> dict[str, Any]:
    """Return the annotations of a class's fields; empty if one cannot be resolved."""
    hints = _notes_of_fields(cls)
    if not any(isinstance(tp, UNRESOLVED) for tp in hints.values()):
        return hints
    try:
        return resolve_hints(cls)
    except Exception:  # noqa: BLE001 - an annotation runs the author's code
        return {}


def _notes_of_fields(cls: type) -> dict[str, Any]:
    """Return the annotations of a class's fields as they are written."""
    notes: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        notes |= own_annotations(base)
    return notes


def resolve_hints(cls: type) -> dict[str, Any]:
    """Resolve the annotations of a class: by its module, else by the scope of the tool's author.

    Raises:
        NameError: Neither knows a name in one of them.
        Exception: Any exception that an annotation raises.
    """
    try:
        return get_type_hints(cls, include_extras=True)
    except NameError:
        names = visible_names()
        if not names:
            raise
        return get_type_hints(cls, localns=names, include_extras=True)


@contextmanager
def type_namespace(names: Callable[[], Mapping[str, Any]]) -> Generator[None]:
    """Resolve names of classes that are defined inside a function, while a tool is read.

    `names` returns the names in scope of the tool's author; it runs only if a module lacks a name.
    """
    token = _NAMESPACE.set(names)
    try:
        yield
    finally:
        _NAMESPACE.reset(token)


def visible_names() -> dict[str, Any]:
    """Return the names that are visible where the tool being read is defined."""
    return dict(_NAMESPACE.get()())


_NAMESPACE: Final[ContextVar[Callable[[], Mapping[str, Any]]]] = ContextVar("seen", default=dict)


def is_resolved(tp: Any, visited: set[type] | None = None) -> bool:
    """Return whether every name in a type is defined by now, through the fields of classes."""
    visited = set() if visited is None else visited
    if any(isinstance(part, UNRESOLVED) for part in types_in(tp)):
        return False
    for cls in classes_of(tp):
        if cls not in visited and (is_dataclass(cls) or is_typed_dict(cls)):
            visited.add(cls)
            hints = hints_of(cls)
            if not hints and _notes_of_fields(cls):
                return False
            if not all(is_resolved(hint, visited) for hint in hints.values()):
                return False
    return True


def doc_texts(cls: type) -> dict[str, str]:
    """Return the `Doc` texts of a class's fields, by field name."""
    annotated = {name: tp for name, tp in hints_of(cls).items() if not isinstance(tp, type)}
    texts = {name: doc_text(split_required(tp, required=True)[0]) for name, tp in annotated.items()}
    return {name: text for name, text in texts.items() if text is not None}
