"""Read a handler: its parameters, its bound arguments, and the names of its types.

Reading touches code objects only; types are resolved later by `types_of`, when the program
has defined all of its names. `inspect` is not needed, and would cost more than the import of
toolhaft itself.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from types import CellType, CodeType, FrameType, FunctionType, MethodType, NoneType, SimpleNamespace
from typing import Any, Final, NamedTuple, get_type_hints

__all__ = [
    "MISSING",
    "Handler",
    "Parameter",
    "UnnamedFault",
    "Unresolved",
    "local_names",
    "read_handler",
    "types_of",
]
__all__ += ["RequiredArguments", "required_arguments", "takes_positional"]

# Written out, a union would be made anew for each look.
SETTLED, UNBOUND = (type, NoneType), (staticmethod, classmethod)
OURS = __name__.partition(".")[0] + "."
VARARGS, VARKEYWORDS, GENERATOR, COROUTINE, ASYNC_GENERATOR = 0x04, 0x08, 0x20, 0x80, 0x200


class _Missing:
    """No annotation, or no default."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


class UnnamedFault(NamedTuple):
    """What is wrong with a handler: where in it, why, and how to mend it."""

    where: str
    reason: str
    fix: str


class Parameter(NamedTuple):
    """A parameter as written: the annotation may still be text."""

    name: str
    annotation: Any
    default: Any
    positional_only: bool


class Handler(NamedTuple):
    """A callable as `tool` sees it: `self` and bound arguments are gone from `parameters`."""

    call: Callable[..., Any]
    function: FunctionType
    parameters: tuple[Parameter, ...]
    keywords: Any
    asynchronous: bool
    binds: bool
    faults: tuple[UnnamedFault, ...]
    frames: tuple[FrameType, ...]

    @property
    def outer_function(self) -> FunctionType:
        """The function that is called, with its wrapper; the one inside where that is none."""
        function: Any = self.call if type(self.call) is FunctionType else self.function
        return function  # type: ignore[no-any-return]  # a field that is a descriptor

    def has_place(self, parameter: str) -> bool:
        """Whether a parameter may be given by its place; a wrapper sees to that itself."""
        function: Any = self.function  # pyright takes the field for a method
        code = function.__code__
        is_wrapped = self.outer_function is not function
        return is_wrapped or parameter in code.co_varnames[: code.co_argcount]

    @property
    def returns(self) -> Any:
        return self.function.__annotations__.get("return", MISSING)


class Unresolved(Exception):
    """A name in an annotation means nothing at run time."""

    def __init__(self, faults: list[UnnamedFault]) -> None:
        super().__init__(faults)
        self.faults = faults


def read_handler(fn: Any) -> Handler | None:
    """Read a callable's code; None where there is no Python function inside."""
    call = fn.__func__ if isinstance(fn, UNBOUND) else fn
    unwrapped = _unwrap(call)
    if unwrapped is None:
        return None
    function, bound_count, bound_names = unwrapped
    code = function.__code__
    is_unbound = call is function and not isinstance(fn, staticmethod) and _in_class_body(function)
    binds = is_unbound or isinstance(fn, classmethod)
    parameters = list(_parameters(function, bound_count + binds, bound_names))
    flags = code.co_flags | getattr(_called_function(call), "__code__", code).co_flags
    return Handler(
        call=call,
        function=function,
        parameters=tuple(parameters),
        keywords=_keywords(function),
        asynchronous=bool(flags & COROUTINE),
        binds=binds,
        faults=tuple(_find_faults(function, parameters)),
        frames=_frames(function),
    )


class RequiredArguments(NamedTuple):
    """What a callable has to be called with; with `takes_any` it takes any number by place."""

    positional: int
    keywords: tuple[str, ...]
    takes_any: bool


def required_arguments(fn: Any) -> RequiredArguments | None:
    """Read what arguments a callable requires; None where there is no Python function inside."""
    unwrapped = _unwrap(fn)
    if unwrapped is None:
        return None
    function, bound_count, bound_names = unwrapped
    code = function.__code__
    names = code.co_varnames[: code.co_argcount - len(function.__defaults__ or ())][bound_count:]
    # What follows a name that `partial` has bound can be given by its name alone.
    first_bound = next((i for i, name in enumerate(names) if name in bound_names), len(names))
    by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    given = bound_names | (function.__kwdefaults__ or {}).keys()
    keywords = [name for name in (*names[first_bound:], *by_name) if name not in given]
    return RequiredArguments(first_bound, tuple(keywords), bool(code.co_flags & VARARGS))


def takes_positional(fn: Any, count: int) -> bool:
    """Say whether a callable requires `count` arguments by position, or takes any number."""
    required = required_arguments(fn)
    return required is not None and (required.takes_any or required.positional >= count)


def _unwrap(call: Any) -> tuple[FunctionType, int, frozenset[str]] | None:
    """Unwrap partials, methods, callable objects and wrappers, and count bound arguments."""
    bound_count, bound_names = 0, frozenset[str]()
    for _ in range(100):
        if isinstance(call, partial):
            bound_count, bound_names = (
                bound_count + len(call.args),
                bound_names | call.keywords.keys(),
            )
            call = call.func
        elif isinstance(call, MethodType):
            bound_count, call = bound_count + 1, call.__func__
        elif hasattr(call, "__wrapped__"):
            call = call.__wrapped__
        elif isinstance(call, FunctionType):
            return call, bound_count, bound_names
        elif isinstance(call, type) or not isinstance(_called_function(call), FunctionType):
            return None
        else:
            bound_count, call = bound_count + 1, type(call).__call__
    return None


def _called_function(call: Any) -> Any:
    """Give the function that a call runs, without following `__wrapped__`."""
    while isinstance(call, partial | MethodType):
        call = call.func if isinstance(call, partial) else call.__func__
    if isinstance(call, FunctionType):
        return call
    return getattr(type(call), "__call__", None)  # noqa: B004  the function itself is wanted


def _in_class_body(function: FunctionType) -> bool:
    outer = function.__qualname__.rpartition(".")[0]
    return bool(outer) and not outer.endswith(">")  # <locals>, or <listcomp> before Python 3.12


def _parameters(
    function: FunctionType, bound_count: int, bound_names: frozenset[str]
) -> Iterator[Parameter]:
    code, defaults = function.__code__, function.__defaults__ or ()
    count, notes = code.co_argcount, function.__annotations__
    first_default, keyword_defaults = count - len(defaults), function.__kwdefaults__ or {}
    for index, name in enumerate(code.co_varnames[: count + code.co_kwonlyargcount]):
        if index < bound_count or name in bound_names:
            continue
        if index < count:
            default = defaults[index - first_default] if index >= first_default else MISSING
        else:
            default = keyword_defaults.get(name, MISSING)
        positional_only = index < code.co_posonlyargcount
        yield Parameter(name, notes.get(name, MISSING), default, positional_only)


def _keywords(function: FunctionType) -> Any:
    code = function.__code__
    if not code.co_flags & VARKEYWORDS:
        return MISSING
    index = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & VARARGS)
    return function.__annotations__.get(code.co_varnames[index], None)


def _find_faults(function: FunctionType, parameters: list[Parameter]) -> Iterator[UnnamedFault]:
    code = function.__code__
    is_undescribed = _keywords(function) is None
    if code.co_flags & VARARGS:
        name = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        wrapper = "; give a decorator's wrapper functools.wraps" if is_undescribed else ""
        fix = f"take one list parameter{wrapper}"
        yield UnnamedFault(name, "*args have no place in a JSON object", fix)
    if is_undescribed:
        yield UnnamedFault(
            "**", "**kwargs without declared keys", "annotate them Unpack[TypedDict]"
        )
    if code.co_flags & (GENERATOR | ASYNC_GENERATOR):
        yield UnnamedFault("", "a generator has no single result", "return a list")
    for parameter in parameters:
        if parameter.annotation is MISSING:
            yield UnnamedFault(
                parameter.name, "the parameter has no annotation", "annotate it with its type"
            )


def _frames(function: FunctionType) -> tuple[FrameType, ...]:
    """Give the frames in which the function is defined: local types are found there later."""
    notes = function.__annotations__.values()
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


def types_of(handler: Handler, names: Collection[str]) -> dict[str, Any]:
    """Resolve the annotations of `names`; that of `**kwargs` comes as `"**"`.

    Raises:
        Unresolved: names every annotation that means nothing at run time.
    """
    notes = {n: note for n, note in handler.function.__annotations__.items() if n in names}
    if handler.keywords is not MISSING:
        notes["**"] = handler.keywords
    spaces = local_names(handler)
    try:
        return _resolve(notes, handler, spaces)
    except Exception:  # noqa: BLE001  an annotation runs the author's code
        return _resolve_each(notes, handler, spaces)


def _resolve_each(notes: Mapping[str, Any], handler: Handler, spaces: Any) -> dict[str, Any]:
    hints: dict[str, Any] = {}
    faults = []
    for name, note in notes.items():
        try:
            hints |= _resolve({name: note}, handler, spaces)
        except Exception as error:  # noqa: BLE001  as above
            faults.append(_unresolved_fault(name, error))
    if faults:
        raise Unresolved(faults)
    return hints


def _unresolved_fault(name: str, error: Exception) -> UnnamedFault:
    if isinstance(error, NameError):
        reason = f"the annotation names {error.name}, which is not defined at run time"
        return UnnamedFault(name, reason, f"import {error.name} outside `if TYPE_CHECKING`")
    return UnnamedFault(
        name, f"the annotation cannot be read ({type(error).__name__})", "correct it"
    )


def _resolve(notes: Mapping[str, Any], handler: Handler, spaces: dict[str, Any]) -> dict[str, Any]:
    function: Any = handler.function
    space = function.__globals__
    annotations = {name: _look_up(note, spaces, space) for name, note in notes.items()}
    holder = SimpleNamespace(__annotations__=annotations)  # a class would cost as much as the rest
    return get_type_hints(holder, globalns=space, localns=spaces, include_extras=True)


def _look_up(note: Any, *spaces: Mapping[str, Any]) -> Any:
    """Look up an annotation that is the name of a class; to compile it takes far longer."""
    if type(note) is not str:
        return note
    value = next((space[note] for space in (*spaces, vars(builtins)) if note in space), None)
    return value if isinstance(value, type) else note


def local_names(handler: Handler) -> dict[str, Any]:
    """Give the local names that a definition sees; inner frames and the closure win."""
    function, space = handler.function, dict[str, Any]()
    for frame in reversed(handler.frames):
        space |= frame.f_locals
    space |= {kind.__name__: kind for kind in getattr(function, "__type_params__", ())}
    code: CodeType = function.__code__
    cells: tuple[CellType, ...] = function.__closure__ or ()
    for name, cell in zip(code.co_freevars, cells, strict=True):
        try:
            space[name] = cell.cell_contents
        except ValueError:  # the outer function has not come to that name yet
            continue
    return space
