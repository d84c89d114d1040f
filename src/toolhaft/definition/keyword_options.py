"""Show the options of a function that takes them as `**options`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

__all__ = ["show_options"]

F = TypeVar("F", bound=Callable[..., Any])

# `inspect.CO_VARKEYWORDS`: importing `inspect` costs more than this module.
TAKES_ANY_KEYWORD = 0x08


def show_options(options: type, /, **defaults: Any) -> Callable[[F], F]:
    """Show the keys of a TypedDict instead of `**options` in a function's signature.

    `inspect.signature`, `help()`, Sphinx and editors that look at the running program then list
    each option with its type. Calls go to the function as it is.

    Args:
        options: The TypedDict in the function's `**options: Unpack[...]`.
        defaults: The default that is shown for an option, if it is not None.

    >>> from inspect import signature
    >>> from typing import TypedDict
    >>> class Options(TypedDict, total=False):
    ...     color: str
    >>> @show_options(Options)
    ... def draw(shape, **options):
    ...     return shape, options
    >>> list(signature(draw).parameters), draw("circle", color="red")
    (['shape', 'color'], ('circle', {'color': 'red'}))
    """

    def decorate(function: F) -> F:
        # `inspect` follows `__wrapped__`, so nothing is computed unless somebody looks.
        setattr(function, "__wrapped__", _signature_of(function, options, defaults))  # noqa: B010  F has none
        return function

    return decorate


def _signature_of(function: Any, options: type, defaults: dict[str, Any]) -> FunctionType:
    """Return a function that is never called, with each option as a keyword parameter."""
    types = options.__annotations__
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = (*code.co_varnames[:count], *types)
    stub = FunctionType(
        code.replace(
            co_kwonlyargcount=len(names) - code.co_argcount,
            co_varnames=names,
            co_nlocals=len(names),
            co_flags=code.co_flags & ~TAKES_ANY_KEYWORD,
            co_cellvars=(),
            co_freevars=(),
        ),
        function.__globals__,
        function.__name__,
        function.__defaults__,
    )
    stub.__kwdefaults__ = {**(function.__kwdefaults__ or {}), **dict.fromkeys(types), **defaults}
    stub.__annotations__ = {
        **function.__annotations__,
        **{name: getattr(kind, "__forward_arg__", kind) for name, kind in types.items()},
    }
    stub.__doc__, stub.__qualname__ = function.__doc__, function.__qualname__
    return stub
