"""The program's callbacks: the predicates `authorize` and `requires_approval`, and `approve`.

A predicate is called with the call's arguments, the context and the tool's name: with as many of
them as it requires by position. A parameter with a default keeps that default.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import FunctionType
from typing import Any, Final, TypeAlias, TypeVar

from toolhaft.definition.signature import VARARGS, RequiredArguments, required_arguments

__all__ = [
    "Approval", "Authorize", "call_predicate", "fault_of_approver", "fault_of_callback",
    "fault_of_predicate",
]  # fmt: skip

T = TypeVar("T")
R = TypeVar("R")

# Takes the arguments of a call, then the context, then the tool's name; sync or async.
Predicate: TypeAlias = Callable[[T], R] | Callable[[T, Any], R] | Callable[[T, Any, str], R]
Authorize: TypeAlias = Predicate[T, object]
Approval: TypeAlias = bool | Predicate[T, bool | Awaitable[bool]]

# The arguments, the context and the tool's name.
MOST: Final = 3


def call_predicate(predicate: Callable[..., Any], *given: Any) -> Any:
    """Call a predicate with the first of the given values that it requires."""
    if (count := _count_of_function(predicate)) is not None:
        return predicate(*given[:count])
    required = _requirements(predicate)
    count = MOST if required is None or required.takes_any else required.positional
    return predicate(*given[:count])


def _count_of_function(predicate: Any) -> int | None:
    """Return how many arguments a plain function requires, as most predicates are; None if none."""
    if type(predicate) is not FunctionType or predicate.__dict__:
        return None
    code, defaults = predicate.__code__, predicate.__defaults__
    is_plain = not (code.co_flags & VARARGS or code.co_kwonlyargcount)
    return code.co_argcount - (len(defaults) if defaults else 0) if is_plain else None


def fault_of_callback(value: Any) -> tuple[str, str] | None:
    """Return why a value is not a callback, and the fix; None if it is one."""
    return None if callable(value) else ("not callable", "pass a function")


def fault_of_predicate(value: Any) -> tuple[str, str] | None:
    """Return why a value is not a predicate, and the fix; None if it is one."""
    if 1 <= (_count_of_function(value) or 0) <= MOST:
        return None
    if fault := fault_of_callback(value):
        return fault
    required = _requirements(value)
    if required is None:
        return "a callable without a readable signature", "wrap it in a function or lambda"
    if required.keywords:
        return _fault_of_keywords(required)
    fewest = 0 if required.takes_any else 1
    if fewest <= required.positional <= MOST:
        return None
    fix = "take the arguments, then the context and the tool's name if you need them"
    return f"requires {required.positional} arguments", fix


def fault_of_approver(value: Any) -> tuple[str, str] | None:
    """Return why a value cannot decide about a call, and the fix; None if it can."""
    if (count := _count_of_function(value)) == 1:
        return None
    if fault := fault_of_callback(value):
        return fault
    required = _requirements(value)
    if required is not None and required.keywords:
        return _fault_of_keywords(required)
    if required is not None and required.positional > 1:
        return f"requires {required.positional} arguments", "take the call alone"
    takes_none = count == 0 and not value.__code__.co_argcount
    return ("takes no arguments", "take the call") if takes_none else None


def _fault_of_keywords(required: RequiredArguments) -> tuple[str, str]:
    names = ", ".join(required.keywords)
    return f"requires arguments by keyword ({names})", "give them defaults"


def _requirements(predicate: Any) -> RequiredArguments | None:
    try:
        # A signature that is declared, as for a double of `unittest.mock`, is what is held to.
        is_declared = "__signature__" in getattr(predicate, "__dict__", ())
        required = None if is_declared else required_arguments(predicate)
        return _inspect(predicate) if required is None else required
    except Exception:  # noqa: BLE001  a callable's attributes may run the author's code
        return None


def _inspect(predicate: Any) -> RequiredArguments:
    """Read a class or a function written in C, such as the method of a set."""
    from inspect import Parameter, signature  # rarely needed, and slow to import

    parameters = list(signature(predicate).parameters.values())
    required = [parameter for parameter in parameters if parameter.default is Parameter.empty]
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return RequiredArguments(
        sum(parameter.kind in by_place for parameter in required),
        tuple(p.name for p in required if p.kind is Parameter.KEYWORD_ONLY),
        any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in parameters),
    )
