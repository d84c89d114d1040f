"""Read a handler: its parameters, its bound arguments, and the names of its types.

Reading touches code objects only; types are resolved later by the handler's `Scope`, when the
program has defined all of its names. `inspect` is not needed, and would cost more than the import
of toolhaft itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Final, NamedTuple

from toolhaft.definition.scope import KEYWORDS, Scope, own_annotations

__all__ = [
    "MISSING",
    "Handler",
    "Parameter",
    "RequiredArguments",
    "UnnamedFault",
    "read_handler",
    "required_arguments",
    "takes_positional",
]

# Written out, a union would be made anew for each look.
UNBOUND = (staticmethod, classmethod)
VARARGS, VARKEYWORDS, GENERATOR, COROUTINE, ASYNC_GENERATOR = 0x04, 0x08, 0x20, 0x80, 0x200


class _Missing:
    """No annotation, or no default."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


class UnnamedFault(NamedTuple):
    """A fault of a handler: where in it, why, and how to fix it."""

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
    scope: Scope

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

    def types_of(self, names: Collection[str]) -> dict[str, Any]:
        """Resolve the annotations of `names`, and that of `**kwargs` as `KEYWORDS`.

        Raises:
            Unresolved: names every annotation that means nothing at run time.
        """
        annotations = own_annotations(self.function)
        notes = {name: note for name, note in annotations.items() if name in names}
        if self.keywords is not MISSING:
            notes[KEYWORDS] = self.keywords
        return self.scope.types(notes)


def read_handler(fn: Any) -> Handler | None:
    """Read a callable's code; None if there is no Python function inside."""
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
        scope=Scope(function),
    )


class RequiredArguments(NamedTuple):
    """The arguments that a call requires; with `takes_any`, any number by position."""

    positional: int
    keywords: tuple[str, ...]
    takes_any: bool


def required_arguments(fn: Any) -> RequiredArguments | None:
    """Read which arguments a callable requires; None if there is no Python function inside."""
    unwrapped = _unwrap(fn, is_called=True)
    if unwrapped is None:
        return None
    function, bound_count, bound_names = unwrapped
    code = function.__code__
    names = code.co_varnames[: code.co_argcount - len(function.__defaults__ or ())][bound_count:]
    # Parameters after a name that `partial` has bound can only be passed by name.
    first_bound = next((i for i, name in enumerate(names) if name in bound_names), len(names))
    by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    given = bound_names | (function.__kwdefaults__ or {}).keys()
    keywords = [name for name in (*names[first_bound:], *by_name) if name not in given]
    return RequiredArguments(first_bound, tuple(keywords), bool(code.co_flags & VARARGS))


def takes_positional(fn: Any, count: int) -> bool:
    """Return whether a callable requires `count` arguments by position, or takes any number."""
    required = required_arguments(fn)
    return required is not None and (required.takes_any or required.positional >= count)


def _unwrap(
    call: Any, *, is_called: bool = False
) -> tuple[FunctionType, int, frozenset[str]] | None:
    """Unwrap partials, methods, callable objects and wrappers, and count bound arguments.

    If it `is_called`, a wrapper's own parameters decide which arguments it takes.
    """
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
        elif hasattr(call, "__wrapped__") and not (is_called and _takes_its_own(call)):
            call = call.__wrapped__
        elif isinstance(call, FunctionType):
            return call, bound_count, bound_names
        elif isinstance(call, type) or not isinstance(_called_function(call), FunctionType):
            return None
        else:
            is_bound = not isinstance(_class_attribute(type(call), "__call__"), staticmethod)
            bound_count, call = bound_count + is_bound, type(call).__call__
    return None


def _takes_its_own(call: Any) -> bool:
    """Whether a wrapper takes parameters of its own, and not whatever it passes on."""
    return isinstance(call, FunctionType) and not call.__code__.co_flags & VARARGS


def _class_attribute(cls: type, name: str) -> Any:
    """Return an attribute of a class as it is written there."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def _called_function(call: Any) -> Any:
    """Return the function that a call runs, without following `__wrapped__`."""
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
    count, notes = code.co_argcount, own_annotations(function)
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
    return own_annotations(function).get(code.co_varnames[index], None)


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
            KEYWORDS, "**kwargs without declared keys", "annotate them Unpack[TypedDict]"
        )
    if code.co_flags & (GENERATOR | ASYNC_GENERATOR):
        yield UnnamedFault("", "a generator has no single result", "return a list")
    for parameter in parameters:
        if parameter.annotation is MISSING:
            yield UnnamedFault(
                parameter.name, "the parameter has no annotation", "annotate it with its type"
            )
