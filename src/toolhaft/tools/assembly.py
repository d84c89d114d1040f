"""From a definition to what its calls need: adapters for both schemas, and the supply.

This is where types are resolved and vendors' schemas are forced. Everything that is wrong is
collected, so that one error can list it all.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple, get_args

from toolhaft import vendors
from toolhaft.call import process
from toolhaft.call.argument_binder import ArgumentBinder, ParameterRoles
from toolhaft.definition import docstrings
from toolhaft.definition.markers import CONTEXT, hidden_marker, marker
from toolhaft.definition.options import AllOptions
from toolhaft.definition.signature import (
    MISSING,
    Handler,
    Parameter,
    UnnamedFault,
    Unresolved,
    names_in,
    types_of,
)
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.spec import SchemaNotConvertible
from toolhaft.vendors import json_schema, parameters
from toolhaft.vendors.adapter import Adapter, NoVendor
from toolhaft.vendors.annotations import is_content, resolved, type_namespace
from toolhaft.vendors.composed import Both, Wrapped

__all__ = ["Assembly", "AssemblyFailed", "assemble", "faults_of_size"]

# Return annotations that promise nothing that could be checked.
UNDECLARED = (None, type(None), Any, MISSING)


class AssemblyFailed(Exception):
    """The definition cannot stand; `flaws` says everything that is wrong with it."""

    def __init__(self, flaws: list[UnnamedFault]) -> None:
        super().__init__(flaws)
        self.flaws = flaws


class Assembly(NamedTuple):
    """What a tool's calls need, but for the object that a method is bound to."""

    input: Adapter[Any]
    output: Adapter[Any] | None
    supply: ArgumentBinder
    injects: tuple[str, ...]
    ignored: str
    content: bool = False


def assemble(name: str, handler: Handler, options: AllOptions) -> Assembly:
    """Resolve types, choose adapters, and prepare how arguments reach the handler.

    Raises:
        Flawed: with every flaw found.
    """
    return _Assembly(name, handler, options).made()


def faults_of_size(made: Assembly, limits: DefinitionLimits) -> list[UnnamedFault]:
    """Say where a tool's schemas are too large, or lead out of themselves."""
    found = [("input", one) for one in made.input.faults("input", limits)]
    if made.output is not None:
        found += [("output", one) for one in made.output.faults("output", limits)]
    return [UnnamedFault(where + fault.pointer, fault.reason, fault.fix) for where, fault in found]


class _Assembly:
    """One assembly: each step adds to the flaws and goes on where it can."""

    def __init__(self, name: str, handler: Handler, options: AllOptions) -> None:
        self.name, self.handler, self.options = name, handler, options
        self.flaws: list[UnnamedFault] = []
        self.whole = "input" in options

    def made(self) -> Assembly:
        types = self.types()
        roles = self.roles(types)
        self.isolated(roles, types)
        with type_namespace(partial(names_in, self.handler)):
            adapter = None if self.flaws else self.input(roles, types)
            output = self.output(types)
        if adapter is None or self.flaws:
            raise AssemblyFailed(self.flaws)
        supply = ArgumentBinder(self.name, roles, single_argument=self.whole)
        injects = tuple(one.name for one in roles.injected)
        shows = is_content(self.options.get("output", types.get("return")))
        ignored = "ignored" if self.options.get("extra") == "ignore" else "vendor_ignored"
        return Assembly(adapter, output, supply, injects, ignored, shows)

    def flaw(self, where: str, reason: str, fix: str) -> None:
        self.flaws.append(UnnamedFault(where, reason, fix))

    def types(self) -> dict[str, Any]:
        """Resolve the annotations that neither `input=` nor `output=` takes the place of."""
        names = {one.name for one in self.handler.parameters}
        if self.whole:
            names -= {one.name for one in self.handler.parameters[:1]}
        names |= {"return"} if "output" not in self.options else set()
        try:
            return types_of(self.handler, names)
        except Unresolved as error:
            self.flaws += error.flaws
            return {}

    def roles(self, types: Mapping[str, Any]) -> ParameterRoles:
        """Sort the parameters by who supplies them."""
        model, context, injected = [], [], []
        omitted = set(self.options.get("omit", ()))
        for one in self.handler.parameters:
            note = types.get(one.name, MISSING)
            found = marker(note)
            if found is CONTEXT:
                context.append(one.name)
            elif found is not None:
                injected.append(one)
            elif hidden_marker(note) is not None:
                self.flaw(one.name, "a marker inside a union or a container", "put it outermost")
            elif one.name in omitted:
                self.omitted(one)
            else:
                model.append(one)
        for name in sorted(omitted - {one.name for one in self.handler.parameters}):
            self.flaw("omit", f"there is no parameter {name}", "name one that there is")
        return ParameterRoles(tuple(model), tuple(context), tuple(injected))

    def isolated(self, roles: ParameterRoles, types: Mapping[str, Any]) -> None:
        """With `isolation="process"` only JSON crosses, and the handler is found by its name."""
        if self.options.get("isolation") != "process":
            return
        for name in (*roles.context, *(one.name for one in roles.injected)):
            fix = "drop the parameter, or the isolation"
            self.flaw(name, "what the caller supplies does not cross to another process", fix)
        if is_content(types.get("return")):
            fix = "return JSON data, and make the content in render="
            self.flaw("isolation", "content does not cross from another process", fix)
        if not self.reached():
            named = process.import_name(self.handler.function)
            fix = "decorate a function at the top level of a module that can be imported"
            self.flaw("isolation", f"another process finds no such handler as {named}", fix)

    def reached(self) -> bool:
        """Whether the handler's name leads to its tool, or to itself where that says it all."""
        call = self.handler.call
        alone = isinstance(call, FunctionType) and not self.handler.binds
        if not alone or call.__module__ == "__main__":
            return False
        there = process.find_imported(process.import_name(call))
        if there is call:
            return self.options.keys().isdisjoint(("input", "output", "parameters", "omit"))
        return getattr(there, "function", None) is self.handler.function

    def omitted(self, one: Parameter) -> None:
        if one.default is MISSING:
            self.flaw(one.name, "left out, but it has no default", "give it a default")

    def input(self, roles: ParameterRoles, types: Mapping[str, Any]) -> Adapter[Any] | None:
        try:
            adapter = self.given(roles) if self.whole else self.signature(roles, types)
            declared = self.options.get("parameters")
            if declared is not None:
                self.covered(roles, declared)
                adapter = Both(json_schema.adapter(declared), adapter)
            adapter = adapter.with_extra(self.options.get("extra"))
            adapter.checker("input")
        except (NoVendor, SchemaNotConvertible) as error:
            self.no_vendor("input", error)
            return None
        return adapter

    def given(self, roles: ParameterRoles) -> Adapter[Any]:
        """`input=`: the handler takes one object."""
        for one in roles.model[1:]:
            if one.default is MISSING:
                fix = "give it a default, or mark it Context or Injected"
                self.flaw(one.name, "input= fills the first parameter only", fix)
        if not roles.model:
            self.flaw("input", "the handler takes no argument", "give it one parameter")
        declared: Any = self.options.get("input")
        adapter = vendors.shared_adapter(declared)
        known = adapter.known_input() if "parameters" in self.options else adapter.input
        root = {} if known is None else known.marked
        is_object = root.get("type", "object") == "object" and not _is_union(root)
        return adapter if is_object else Wrapped(adapter)

    def signature(self, roles: ParameterRoles, types: Mapping[str, Any]) -> Adapter[Any]:
        told = docstrings.read(self.handler.function.__doc__).parameters
        listed = [
            parameters.Parameter(
                one.name,
                types[one.name],
                required=one.default is MISSING,
                default=one.default,
                description=told.get(one.name),
            )
            for one in roles.model
        ]
        listed += self.unpacked(types, told)
        extra = self.options.get("extra", "forbid")
        return parameters.for_parameters(self.name, listed, extra=extra)

    def unpacked(
        self, types: Mapping[str, Any], told: Mapping[str, str]
    ) -> list[parameters.Parameter]:
        """`**kwargs: Unpack[TypedDict]`: each key is a parameter."""
        note = types.get("**")
        if note is None:
            return []
        keys: Any = next(iter(get_args(note)), None)
        if not hasattr(keys, "__required_keys__"):
            self.flaw("**", "**kwargs say nothing of their keys", "annotate them Unpack[TypedDict]")
            return []
        try:
            hints = resolved(keys)
        except NameError as error:
            fix = f"import {error.name} outside `if TYPE_CHECKING`"
            self.flaw("**", f"{keys.__name__} names {error.name}, which is not defined", fix)
            return []
        return [
            parameters.Parameter(
                name,
                hint,
                required=name in keys.__required_keys__,
                default=parameters.NO_DEFAULT,
                description=told.get(name),
            )
            for name, hint in hints.items()
        ]

    def covered(self, roles: ParameterRoles, declared: Mapping[str, Any]) -> None:
        """With `parameters=`, each parameter is in the schema or has a default."""
        if self.whole:
            return
        listed = declared.get("properties", {})
        for one in roles.model:
            if one.name not in listed and one.default is MISSING:
                fix = "declare it, give it a default, or mark it Injected"
                self.flaw(one.name, "required, but parameters= does not declare it", fix)
        taken = {one.name for one in roles.model}
        for name in listed:
            if name not in taken and self.handler.keywords is MISSING:
                self.flaw(
                    name, "declared in parameters=, but the handler does not take it", "add it"
                )

    def output(self, types: Mapping[str, Any]) -> Adapter[Any] | None:
        declared = self.options.get("output", types.get("return", MISSING))
        if any(declared is one for one in UNDECLARED) or is_content(declared):
            return None
        try:
            adapter = vendors.shared_adapter(declared)
            adapter.checker("output")
        except (NoVendor, SchemaNotConvertible) as error:
            self.no_vendor("output", error)
            return None
        return adapter

    def no_vendor(self, where: str, error: NoVendor | SchemaNotConvertible) -> None:
        if isinstance(error, parameters.ParameterFaults):
            self.flaws += [UnnamedFault(name, one.reason, one.fix) for name, one in error.faults]
            return
        reason = error.reason if isinstance(error, NoVendor) else str(error)
        fix = error.fix if isinstance(error, NoVendor) else "pass parameters= (a JSON Schema)"
        self.flaw(where, reason, "pass output=None" if where == "output" else fix)


def _is_union(root: Mapping[str, Any]) -> bool:
    return "type" not in root and any(word in root for word in ("anyOf", "oneOf"))
