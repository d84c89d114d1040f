"""Read and resolve the annotations of a handler: the names that they can use, and their types.

A tool that is derived elsewhere shares the scope of the tool it comes from, so that each annotation
is resolved once, by the names where the handler is defined.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import (
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    GenericAlias,
    ModuleType,
    NoneType,
    SimpleNamespace,
    UnionType,
)
from typing import Any, Final, ForwardRef, get_type_hints

__all__ = ["KEYWORDS", "Scope", "Unresolved", "own_annotations"]

# The name of the annotation of `**kwargs`, whatever that is called.
KEYWORDS: Final = "**"
# Written out, a union would be made anew for each look.
SETTLED: Final = (type, NoneType)
TYPES: Final = (type, GenericAlias, UnionType, ModuleType)
TYPING: Final = frozenset({"typing", "typing_extensions"})
_NAME: Final = re.compile(r"[^\W\d]\w*")
OURS: Final = __name__.partition(".")[0] + "."


class Unresolved(Exception):
    """Annotations that mean nothing at run time: of each its parameter, a reason and a fix."""

    def __init__(self, faults: list[tuple[str, str, str]]) -> None:
        super().__init__(faults)
        self.faults = faults


class Scope:
    """The names around a handler, and the types that its annotations have turned out to mean.

    Until `release` it holds the frames in which the handler is defined, as local types may be
    defined after it.
    """

    __slots__ = ("_frames", "_function", "_released", "_types")

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._frames = _frames(function)
        self._released: dict[str, Any] = {}
        self._types: dict[str, Any] = {}

    def extend(self) -> Scope:
        """Return the same scope with the names at the place of this call, for further types."""
        extended = Scope(self._function)
        extended._frames = (*self._frames, *extended._frames)
        extended._released, extended._types = self._released, self._types
        return extended

    def release(self) -> None:
        """Keep the types that the frames know and what these mention, not the caller's data."""
        if not self._frames:
            return
        names = self.names()
        mentioned = set(_names_in_fields(names.values()))
        self._released = {
            name: value for name, value in names.items() if name in mentioned or _is_type(value)
        }
        self._frames = ()

    def names(self) -> dict[str, Any]:
        """Return the local names that the handler sees; inner frames and the closure win."""
        space = dict[str, Any]()
        for frame in reversed(self._frames):
            space |= frame.f_locals
        return space | self._released | dict(_own_names(self._function))

    def types(self, notes: Mapping[str, Any]) -> dict[str, Any]:
        """Resolve annotations by the name of the parameter; each once.

        Raises:
            Unresolved: names every annotation that means nothing at run time.
        """
        new = {name: note for name, note in notes.items() if name not in self._types}
        if new:
            self._types |= self._resolve_all(new)
        return {name: self._types[name] for name in notes}

    def _resolve_all(self, notes: Mapping[str, Any]) -> dict[str, Any]:
        names = self.names()
        try:
            return self._resolve(notes, names)
        except Exception:  # noqa: BLE001  an annotation runs the author's code
            return self._resolve_each(notes, names)

    def _resolve_each(self, notes: Mapping[str, Any], names: dict[str, Any]) -> dict[str, Any]:
        hints: dict[str, Any] = {}
        faults = []
        for name, note in notes.items():
            try:
                hints |= self._resolve({name: note}, names)
            except Exception as error:  # noqa: BLE001  as above
                faults.append((name, *_reason_and_fix(error)))
        if faults:
            raise Unresolved(faults)
        return hints

    def _resolve(self, notes: Mapping[str, Any], names: dict[str, Any]) -> dict[str, Any]:
        module = self._function.__globals__
        annotations = {name: _look_up(note, names, module) for name, note in notes.items()}
        # A class would cost as much as the rest.
        holder = SimpleNamespace(__annotations__=annotations)
        return get_type_hints(holder, globalns=module, localns=names, include_extras=True)


def _is_type(value: Any) -> bool:
    """Check whether an annotation can mean a value, or name a type through it.

    Decided by its class, because attributes of the caller's data may run any code.
    """
    return issubclass(type(value), TYPES) or type(value).__module__ in TYPING


def _names_in_fields(values: Iterable[Any]) -> Iterator[str]:
    """Yield the names in the annotations of classes' fields that are still text."""
    for cls in values:
        notes = own_annotations(cls) if issubclass(type(cls), type) else {}
        for note in notes.values():
            text = note.__forward_arg__ if type(note) is ForwardRef else note
            yield from _NAME.findall(text) if type(text) is str else ()


def _reason_and_fix(error: Exception) -> tuple[str, str]:
    if isinstance(error, NameError):
        reason = f"the annotation names {error.name}, which is not defined at run time"
        return reason, f"import {error.name} outside `if TYPE_CHECKING`"
    return f"the annotation cannot be read ({type(error).__name__})", "correct it"


def _look_up(note: Any, *spaces: Mapping[str, Any]) -> Any:
    """Look up an annotation that is the name of a class; to compile it takes far longer."""
    if type(note) is not str:
        return note
    value = next((space[note] for space in (*spaces, vars(builtins)) if note in space), None)
    return value if isinstance(value, type) else note


def _own_names(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the type parameters and the closure of a function."""
    for kind in getattr(function, "__type_params__", ()):
        yield kind.__name__, kind
    code: CodeType = function.__code__
    cells: tuple[CellType, ...] = function.__closure__ or ()
    for name, cell in zip(code.co_freevars, cells, strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # the outer function has not come to that name yet
            continue


def _frames(function: FunctionType) -> tuple[FrameType, ...]:
    """Return the frames in which the function is defined, the innermost first."""
    notes = own_annotations(function).values()
    if all(isinstance(note, SETTLED) for note in notes):
        return ()
    # The only way to a caller's local names.
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    frames = []
    while frame is not None and frame.f_globals is function.__globals__:
        if frame.f_code.co_name == "<module>":
            break
        frames.append(frame)
        frame = frame.f_back
    return tuple(frames)


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith(OURS)


def own_annotations(owner: Any) -> dict[str, Any]:
    """Return the annotations of a function, or a class's own; a missing name is a `ForwardRef`.

    Python 3.14 evaluates annotations when they are read (PEP 649), and raises `NameError` if a name
    is missing; the class's `__dict__` no longer has them.

    >>> def double(n: int) -> int: ...
    >>> list(own_annotations(double))
    ['n', 'return']
    """
    try:
        return getattr(owner, "__annotations__", None) or {}
    except Exception:  # an annotation runs the author's code
        if sys.version_info >= (3, 14):
            import annotationlib

            return annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF)
        raise
