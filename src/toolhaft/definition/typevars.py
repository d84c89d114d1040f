"""Type variables with defaults (PEP 696), which `typing` has from Python 3.13 on.

Checkers read the definitions with defaults; at run time plain ones of the same names do, so
that importing toolhaft needs no third-party module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, TypeVar

    Params = ParamSpec("Params", default=...)
    In_co = TypeVar("In_co", covariant=True, default=Any)
    Out = TypeVar("Out", default=Any)
    Out_co = TypeVar("Out_co", covariant=True, default=Any)
    Ret_co = TypeVar("Ret_co", covariant=True, default=Any)
else:
    from typing import ParamSpec, TypeVar

    Params = ParamSpec("Params")
    In_co = TypeVar("In_co", covariant=True)
    Out = TypeVar("Out")
    Out_co = TypeVar("Out_co", covariant=True)
    Ret_co = TypeVar("Ret_co", covariant=True)

__all__ = ["In_co", "Out", "Out_co", "Params", "Ret_co"]
