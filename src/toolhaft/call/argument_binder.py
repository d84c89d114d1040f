"""How validated arguments reach the handler, together with what the caller supplies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from toolhaft import vendors
from toolhaft.definition.signature import MISSING, Parameter
from toolhaft.errors import ContextMissing
from toolhaft.jsonio import jsondata

__all__ = ["ArgumentBinder", "ParameterRoles"]

MUTABLE = (list, dict, set, bytearray)


class ParameterRoles(NamedTuple):
    """Who supplies each parameter: the model, or the caller in one of two ways."""

    model: tuple[Parameter, ...]
    context: tuple[str, ...]
    injected: tuple[Parameter, ...]


class ArgumentBinder:
    """The way from a validated value to a tool's own arguments, decided once.

    With `single_argument`, the value is the first argument; else it is a dict of arguments by name.
    """

    def __init__(self, tool: str, roles: ParameterRoles, *, single_argument: bool) -> None:
        self.tool = tool
        self.roles = roles
        self.whole = single_argument
        self.positional: tuple[Parameter, ...] = tuple(
            one for one in roles.model if one.positional_only
        )
        self.mutable: tuple[Parameter, ...] = tuple(
            one for one in roles.model if _is_mutable(one.default)
        )
        self.no_injection: bool = not (
            roles.context or roles.injected or self.positional or self.mutable
        )

    def arguments(self, value: Any, context: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Give the handler's positional and keyword arguments.

        Raises:
            ContextMissing: The context lacks what an `Injected` parameter needs.
        """
        if self.whole:
            return (value,), {} if self.no_injection else self.from_caller(context)
        if self.no_injection:
            return (), value
        value = self.with_mutable_defaults(value)
        args = tuple(value.pop(one.name, one.default) for one in self.positional)
        return args, value | self.from_caller(context)

    def with_mutable_defaults(self, value: Any) -> Any:
        """Give a value with fresh copies of the defaults that somebody could change meanwhile."""
        if self.whole or not self.mutable:
            return value
        absent = [one for one in self.mutable if one.name not in value]
        return {**value, **{one.name: deepcopy(one.default) for one in absent}}

    def from_caller(self, context: Any) -> dict[str, Any]:
        """Look up what does not come from the model."""
        found = dict.fromkeys(self.roles.context, context)
        found |= {one.name: _look_up(context, one) for one in self.roles.injected}
        missing = [name for name, value in found.items() if value is MISSING]
        if missing:
            raise ContextMissing(self.tool, missing)
        return found

    def with_defaults(self, data: dict[str, Any], write: Callable[[Any], Any]) -> dict[str, Any]:
        """Fill in the defaults that the handler would take, where `write` gives their JSON."""
        if self.whole:
            return data
        absent = (one for one in self.roles.model if one.name not in data)
        found = {one.name: _json(one.default, write) for one in absent}
        return data | {name: value for name, value in found.items() if value is not MISSING}

    def missing(self, context: Any) -> list[str]:
        """Name what a context lacks."""
        return [one.name for one in self.roles.injected if _look_up(context, one) is MISSING]


def _is_mutable(default: Any) -> bool:
    return isinstance(default, MUTABLE) or vendors.is_vendor_object(default)


def _look_up(context: Any, one: Parameter) -> Any:
    if isinstance(context, Mapping):
        return context.get(one.name, one.default)
    return getattr(context, one.name, one.default)


def _json(default: Any, write: Callable[[Any], Any]) -> Any:
    """A default as JSON data, or `MISSING`."""
    try:
        return write(default)
    except jsondata.NotJson:
        return MISSING
