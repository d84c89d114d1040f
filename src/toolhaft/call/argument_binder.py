"""Bind validated arguments to the handler's parameters, with the values the caller supplies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from toolhaft.call.feedback import freeze
from toolhaft.call.progress import report_of
from toolhaft.definition.call_info import CallInfo
from toolhaft.definition.options import UNSET
from toolhaft.definition.signature import MISSING, Parameter
from toolhaft.errors import ContextMissing
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.vendors.fields import Fields
from toolhaft.vendors.shared_defaults import SharedDefaults, copy_of, is_mutable

__all__ = ["ArgumentBinder", "ParameterRoles"]


class ParameterRoles(NamedTuple):
    """The source of each parameter: the model, the caller in one of two ways, or toolhaft."""

    model: tuple[Parameter, ...]
    context: tuple[Parameter, ...]
    injected: tuple[Parameter, ...]
    reports: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()


class ArgumentBinder:
    """Binds a validated value to the parameters of one tool's handler.

    With `single_argument`, the value is the first argument; else it is a dict of arguments by name.
    `is_json` is whether it is made of a JSON Schema's data, which are under `root` if that is
    given, and `fields` are the fields of the classes that it is made of.
    """

    def __init__(
        self,
        tool: str,
        roles: ParameterRoles,
        *,
        single_argument: bool,
        is_json: bool,
        root: str | None,
        fields: Mapping[type, Fields],
    ) -> None:
        self.tool = tool
        self.roles = roles
        self.single_argument = single_argument
        self.is_json = is_json
        self.root = root
        self.positional: list[tuple[str, Any]] = [
            (parameter.name, parameter.default)
            for parameter in roles.model
            if parameter.positional_only
        ]
        self.mutable: tuple[Parameter, ...] = tuple(
            parameter for parameter in roles.model if is_mutable(parameter.default)
        )
        self.has_defaults: bool = not single_argument and any(
            parameter.default is not MISSING for parameter in roles.model
        )
        # In the order of the parameters; a required one has none, and a value.
        self.defaults: dict[str, Any] = {
            parameter.name: parameter.default for parameter in roles.model
        }
        self.shared: SharedDefaults = SharedDefaults(fields)
        # Whether a value is to be completed with copies of defaults.
        self.completes: bool = self.shared.are_there or (bool(self.mutable) and not single_argument)
        self.is_supplied: bool = any((roles.context, roles.injected, roles.reports, roles.calls))
        self.no_injection: bool = not (
            self.is_supplied or self.positional or self.mutable or self.shared.are_there
        )

    def bind(
        self, value: Any, context: Any, info: CallInfo | None = None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the handler's positional and keyword arguments; `info` is that of the call.

        Raises:
            ContextMissing: The context lacks what an `Injected` parameter needs.
        """
        if self.no_injection:
            return ((value,), {}) if self.single_argument else ((), value)
        value = self.complete(value)
        supplied = self.look_up_supplied(context, info) if self.is_supplied else {}
        if self.single_argument:
            return (value,), supplied
        if supplied:
            value = {**value, **supplied}
        if not self.positional:
            return (), value
        return tuple([value.pop(name, default) for name, default in self.positional]), value

    def complete(self, value: Any) -> Any:
        """Add fresh copies of mutable defaults, so that no call changes another call's defaults.

        A value that has them is left as it is.
        """
        if self.shared.are_there:
            value = self.shared.with_copies(value)
        if self.single_argument or not self.mutable:
            return value
        for parameter in self.mutable:
            if parameter.name not in value:
                value = {**value, parameter.name: copy_of(parameter.default)}
        return value

    def arguments_of(self, value: Any, data: Any) -> Any:
        """Return a complete value for predicates: the objects that the handler receives.

        For a JSON Schema, predicates receive the data.
        """
        if self.is_json:
            data = jsontext.read(data) if type(data) is str else data
            return freeze(data if self.root is None else data[self.root])
        if self.single_argument:
            return value
        return MappingProxyType(self.defaults | value)

    def look_up_supplied(self, context: Any, info: CallInfo | None) -> dict[str, Any]:
        """Look up the parameters that the caller supplies in the context.

        Raises:
            ContextMissing: It lacks some.
        """
        roles = self.roles
        values: dict[str, Any] = {parameter.name: context for parameter in roles.context}
        if roles.reports:
            values |= dict.fromkeys(roles.reports, report_of(self.tool))
        if roles.calls:
            values |= dict.fromkeys(roles.calls, info)
        if roles.injected:
            missing: list[str] = []
            for parameter in roles.injected:
                name = parameter.name
                values[name] = value = _look_up(context, parameter)
                if value is MISSING:
                    missing.append(name)
            if missing:
                raise ContextMissing(self.tool, missing)
        return values

    def add_defaults(self, data: dict[str, Any], write: Callable[[Any], Any]) -> dict[str, Any]:
        """Add the static defaults of absent parameters, as the JSON that `write` gives for them."""
        if self.single_argument:
            return data
        shown = dict(data)
        for parameter in self.roles.model:
            if parameter.name not in data:
                default = _default_as_json(parameter.default, write)
                if default is not MISSING:
                    shown[parameter.name] = default
        return shown

    def missing_names(self, context: Any) -> list[str]:
        """Name the parameters without a default that a context does not fill; `UNSET` is none."""
        if not (self.roles.context or self.roles.injected):
            return []
        unfilled = self.roles.context if context is UNSET else ()
        return [parameter.name for parameter in unfilled if parameter.default is MISSING] + [
            parameter.name
            for parameter in self.roles.injected
            if _look_up(context, parameter) is MISSING
        ]


def _look_up(context: Any, parameter: Parameter) -> Any:
    if type(context) is dict or isinstance(context, Mapping):
        return context.get(parameter.name, parameter.default)
    return getattr(context, parameter.name, parameter.default)


def _default_as_json(default: Any, write: Callable[[Any], Any]) -> Any:
    """Write a default as JSON data, or return `MISSING` if it has no JSON form."""
    try:
        return write(default)
    except jsondata.NotJson:
        return MISSING
