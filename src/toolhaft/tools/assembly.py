"""Assemble a definition: adapters for both schemas, and the binder of its arguments.

Types are resolved and vendors' schemas are built here. All faults are collected, so that one error
can list them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from toolhaft import vendors
from toolhaft.call import process
from toolhaft.call.argument_binder import ArgumentBinder, ParameterRoles
from toolhaft.call.types import Rule
from toolhaft.definition import docstrings
from toolhaft.definition.markers import CALL_INFO, CONTEXT, REPORT, hidden_marker, marker
from toolhaft.definition.options import AllOptions
from toolhaft.definition.scope import KEYWORDS, Unresolved
from toolhaft.definition.signature import MISSING, Handler, Parameter, UnnamedFault
from toolhaft.definition.text_format import Regex, TextFormat
from toolhaft.schema.backtracking import exploding_faults
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.engine import is_linear, matcher
from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.schema.invisible import invisible_faults
from toolhaft.spec import Mode, SchemaNotConvertible
from toolhaft.vendors import json_schema, parameters
from toolhaft.vendors.acting import ActingCheck, acting_faults
from toolhaft.vendors.adapter import Adapter, NoVendor
from toolhaft.vendors.annotations import is_content, resolve_hints, type_namespace
from toolhaft.vendors.composed import SchemaThenType, WrappedRoot

if TYPE_CHECKING:
    from toolhaft.call.call_options import CallOptions
    from toolhaft.call.input import InputPipeline

__all__ = [
    "Assembly",
    "AssemblyFailed",
    "assemble",
    "exploding_patterns",
    "faults_of_size",
    "rejecting_deep_types",
    "require_readable",
]

SCHEMA_OF = "pass input=schema_of(validate=...): parameters= alone does not make the object"
# Return annotations that promise nothing that could be checked.
UNDECLARED = (None, type(None), Any, MISSING)
# Escapes and classes of a pattern, and what engines know that ECMA-262 does not: flags and names
# as Python writes them, anchors and classes as POSIX or Perl do, and repeats of repeats.
TOKENS = re.compile(
    r"(?P<foreign>\\[AGZz]|\\[pP](?!\{)|\(\?(?![:=!<])|[*+?}]\+|\[\^?(?:\\.|[^]\\])*?(?:\[:|&&))"
    r"|\\.|\[\^?(?:\\.|[^]\\])*\]",
    re.DOTALL,
)


class AssemblyFailed(Exception):
    """The definition is faulty; `faults` lists everything that is wrong with it."""

    def __init__(self, faults: list[UnnamedFault]) -> None:
        super().__init__(faults)
        self.faults = faults


@contextmanager
def rejecting_deep_types() -> Generator[None]:
    """Report types that cannot be walked to their end as faults.

    Raises:
        AssemblyFailed: A type or its schema is nested too deep, or is too large.
    """
    try:
        yield
    except RecursionError:
        faults = [UnnamedFault("", "its types are nested too deep", "write flatter types")]
    except SchemaRefused as refused:
        faults = [UnnamedFault("", fault.reason, fault.fix) for fault in refused.faults]
    else:
        return
    raise AssemblyFailed(faults)


class Assembly(NamedTuple):
    """The adapters and binder of a tool, shared by all objects that a method is bound to."""

    input: Adapter[Any]
    output: Adapter[Any] | None
    binder: ArgumentBinder
    injects: tuple[str, ...]
    ignored: Rule
    content: bool = False
    acting: tuple[ActingCheck, ...] = ()

    def pipeline(self, options: CallOptions) -> InputPipeline:
        """Compile the input pipeline; a derived tool has one for the handler's own names too."""
        from toolhaft.call.input import InputPipeline  # exports load no calls
        from toolhaft.vendors.derived import Derived

        if not isinstance(self.input, Derived):
            return InputPipeline(options, self.input, self.ignored)
        handler_pipeline = InputPipeline(options, self.input.base, self.ignored)
        return InputPipeline(options, self.input, self.ignored, handler_pipeline)


def assemble(name: str, handler: Handler, options: AllOptions) -> Assembly:
    """Resolve types, choose adapters, and prepare how arguments reach the handler.

    Raises:
        AssemblyFailed: with every fault.
    """
    return _Assembler(name, handler, options).assemble()


def faults_of_size(assembly: Assembly, limits: DefinitionLimits) -> list[UnnamedFault]:
    """Find where a tool's schemas are too large, or refer outside themselves."""
    try:
        with rejecting_deep_types():
            faults = [("input", fault) for fault in assembly.input.faults("input", limits)]
            if assembly.output is not None:
                faults += [("output", fault) for fault in assembly.output.faults("output", limits)]
    except AssemblyFailed as error:
        return error.faults
    return [UnnamedFault(where + fault.pointer, fault.reason, fault.fix) for where, fault in faults]


def exploding_patterns(assembly: Assembly) -> list[UnnamedFault]:
    """Find patterns of another's schemas that may take exponential time."""
    return _faults_of_sides(assembly, exploding_faults)


def require_readable(assembly: Assembly) -> None:
    """Check that a tool's schemas hold no characters that a person cannot see.

    Raises:
        AssemblyFailed: with every place that does.
    """
    faults = _faults_of_sides(assembly, invisible_faults)
    if faults:
        raise AssemblyFailed(faults)


def _faults_of_sides(
    assembly: Assembly, find_faults: Callable[[Any], Iterable[SchemaFault]]
) -> list[UnnamedFault]:
    """Find the faults of the schemas of arguments and of results."""
    sides: list[tuple[Mode, Adapter[Any] | None]]
    sides = [("input", assembly.input), ("output", assembly.output)]
    return [
        UnnamedFault(side + fault.pointer, fault.reason, fault.fix)
        for side, adapter in sides
        if adapter is not None and not adapter.view(side).is_readable
        for fault in find_faults(adapter.checker(side).schema)
    ]


def _fault_of_pattern(regex: Regex) -> tuple[str, str] | None:
    """Return why an expression cannot be the format of a text; it is read by itself, too."""
    fix = "write it as JSON Schema writes patterns"
    if any(token["foreign"] for token in TOKENS.finditer(regex.pattern)):
        return "the expression has syntax that JSON Schema lacks, such as (?i) or \\A", fix
    if is_linear(regex.pattern) and is_linear(regex.whole):
        return None
    try:
        matcher(regex.pattern)
        matcher(regex.whole)
    except SchemaRefused:
        return "the expression does not compile", fix
    return "the expression has a lookaround or a back reference", "write it without"


class _Assembler:
    """One assembly: each step adds to the faults and continues as far as possible."""

    def __init__(self, name: str, handler: Handler, options: AllOptions) -> None:
        self.name, self.handler, self.options = name, handler, options
        self.faults: list[UnnamedFault] = []
        self.single_argument = "input" in options

    def assemble(self) -> Assembly:
        types = self.resolve_types()
        roles = self.assign_roles(types)
        self.check_isolation(roles, types)
        with type_namespace(self.handler.scope.names):
            adapter = None if self.faults else self.input_adapter(roles, types)
            output = self.output_adapter(types)
        acting = () if adapter is None else tuple(adapter.acting_checks())
        if adapter is not None:
            self.check_before_asking(adapter, acting)
        if adapter is None or self.faults:
            raise AssemblyFailed(self.faults)
        adapter.input_or_none()  # which reads the fields
        binder = ArgumentBinder(
            self.name,
            roles,
            single_argument=self.single_argument,
            is_json=adapter.is_json,
            root=adapter.root,
            fields=adapter.fields,
        )
        injects = tuple(parameter.name for parameter in roles.injected)
        is_shown_as_content = is_content(self.options.get("output", types.get("return")))
        ignored: Rule = "ignored" if self.options.get("extra") == "ignore" else "vendor_ignored"
        return Assembly(adapter, output, binder, injects, ignored, is_shown_as_content, acting)

    def add_fault(self, where: str, reason: str, fix: str) -> None:
        self.faults.append(UnnamedFault(where, reason, fix))

    def resolve_types(self) -> dict[str, Any]:
        """Resolve the annotations that neither `input=` nor `output=` replaces."""
        names = {parameter.name for parameter in self.handler.parameters}
        if self.single_argument:
            names -= {parameter.name for parameter in self.handler.parameters[:1]}
        names |= {"return"} if "output" not in self.options else set()
        try:
            return self.handler.types_of(names)
        except Unresolved as error:
            for fault in error.faults:
                self.add_fault(*fault)
            return {}

    def assign_roles(self, types: Mapping[str, Any]) -> ParameterRoles:
        """Sort the parameters by who supplies them."""
        model, context, injected, reports, calls = [], [], [], [], []
        omitted = set(self.options.get("omit") or ())
        for parameter in self.handler.parameters:
            annotation = types.get(parameter.name, MISSING)
            parameter_marker = marker(annotation)
            if parameter_marker is CONTEXT:
                context.append(parameter)
            elif parameter_marker is REPORT:
                reports.append(parameter.name)
            elif parameter_marker is CALL_INFO:
                calls.append(parameter.name)
            elif parameter_marker is not None:
                injected.append(parameter)
            elif hidden_marker(annotation) is not None:
                self.add_fault(
                    parameter.name, "a marker inside a union or a container", "put it outermost"
                )
            elif parameter.name in omitted:
                self.check_omitted(parameter)
            else:
                model.append(parameter)
        for name in sorted(omitted - {parameter.name for parameter in self.handler.parameters}):
            self.add_fault("omit", f"unknown parameter {name}", "name a parameter of the function")
        parameters = tuple(model), tuple(context), tuple(injected)
        return ParameterRoles(*parameters, tuple(reports), tuple(calls))

    def check_isolation(self, roles: ParameterRoles, types: Mapping[str, Any]) -> None:
        """Check what `isolation="process"` needs: only JSON crosses, and the handler has a name."""
        if self.options.get("isolation") != "process":
            return
        if not process.can_end():
            fix = "leave it out, or run the tool on Linux or macOS"
            self.add_fault("isolation", "this system ends no process with all that it started", fix)
        for parameter in (*roles.context, *roles.injected):
            fix = "drop the parameter, or the isolation"
            self.add_fault(parameter.name, "it cannot be sent to another process", fix)
        if is_content(types.get("return")):
            fix = "return JSON data, and make the content in render="
            self.add_fault("isolation", "content cannot be sent from another process", fix)
        if not self.is_importable():
            import_name = process.import_name(self.handler.function)
            fix = "decorate a function at the top level of a module that can be imported"
            self.add_fault("isolation", f"another process cannot import {import_name}", fix)

    def is_importable(self) -> bool:
        """Whether the handler's name imports its tool, or itself where its types say it all."""
        call = self.handler.call
        is_plain_function = isinstance(call, FunctionType) and not self.handler.binds
        if not is_plain_function or call.__module__ == "__main__":
            return False
        imported = process.find_imported(process.import_name(call))
        if imported is call:
            return self.options.keys().isdisjoint(("input", "output", "parameters", "omit"))
        return getattr(imported, "function", None) is self.handler.function

    def check_omitted(self, parameter: Parameter) -> None:
        if parameter.default is MISSING:
            self.add_fault(parameter.name, "left out, but it has no default", "give it a default")

    def input_adapter(self, roles: ParameterRoles, types: Mapping[str, Any]) -> Adapter[Any] | None:
        try:
            adapter = (
                self.adapter_of_input_option(roles)
                if self.single_argument
                else self.adapter_of_signature(roles, types)
            )
            declared = self.options.get("parameters")
            if declared is not None:
                self.check_declared_parameters(roles, declared)
                adapter = SchemaThenType(json_schema.adapter(declared), adapter)
            text_format = self.options.get("format")
            if text_format is not None:
                adapter = self.adapter_of_text(adapter, text_format)
            adapter = adapter.with_extra(self.options.get("extra"))
            adapter.checker("input")
        except (NoVendor, SchemaNotConvertible) as error:
            self.add_vendor_fault("input", error)
            return None
        return adapter

    def adapter_of_text(self, adapter: Adapter[Any], text_format: TextFormat) -> Adapter[Any]:
        """Add the format to the schema of the one argument."""
        schema = adapter.json_schema()
        members: dict[str, Any] = schema.get("properties", {})
        if [member.get("type") for member in members.values()] != ["string"]:
            fix = "give the function one parameter, of type str, for the model"
            self.add_fault("format", "the arguments are not one text", fix)
            return adapter
        if not isinstance(text_format, Regex):
            return adapter
        if (fault := _fault_of_pattern(text_format)) is not None:
            self.add_fault("format", *fault)
            return adapter
        [(name, member)] = members.items()
        inner = [{"pattern": member.pop("pattern")}] if "pattern" in member else []
        formatted = {**member, "pattern": text_format.whole, **({"allOf": inner} if inner else {})}
        return SchemaThenType(
            json_schema.adapter({**schema, "properties": {name: formatted}}), adapter
        )

    def adapter_of_input_option(self, roles: ParameterRoles) -> Adapter[Any]:
        """Build the adapter of `input=`, where the handler takes one object."""
        for parameter in roles.model[1:]:
            if parameter.default is MISSING:
                fix = "put it first, give it a default, or mark it Context or Injected"
                self.add_fault(parameter.name, "input= fills the first parameter only", fix)
        if not roles.model:
            self.add_fault("input", "the handler takes no argument", "give it one parameter")
        elif not self.handler.has_place(roles.model[0].name):
            reason = "input= fills the first parameter by its place, and this has none"
            self.add_fault(roles.model[0].name, reason, "put it before the *")
        declared: Any = self.options.get("input")
        adapter = vendors.shared_adapter(declared)
        known = adapter.input_or_none() if "parameters" in self.options else adapter.input
        root = {} if known is None else known.marked
        is_object = root.get("type", "object") == "object" and _lists_objects(root)
        return adapter if is_object and not _is_union(root) else WrappedRoot(adapter)

    def adapter_of_signature(self, roles: ParameterRoles, types: Mapping[str, Any]) -> Adapter[Any]:
        descriptions = docstrings.read_docstring(self.handler.function.__doc__).parameters
        listed = [
            parameters.Parameter(
                parameter.name,
                types[parameter.name],
                required=parameter.default is MISSING,
                default=parameter.default,
                description=descriptions.get(parameter.name),
            )
            for parameter in roles.model
        ]
        listed += self.keyword_parameters(types, descriptions)
        extra = self.options.get("extra") or "forbid"
        return parameters.compile_parameters(self.name, listed, extra=extra)

    def keyword_parameters(
        self, types: Mapping[str, Any], descriptions: Mapping[str, str]
    ) -> list[parameters.Parameter]:
        """Return a parameter for each key of `**kwargs: Unpack[TypedDict]`."""
        annotation = types.get(KEYWORDS)
        if annotation is None:
            return []
        typed_dict: Any = next(iter(get_args(annotation)), None)
        if not hasattr(typed_dict, "__required_keys__"):
            self.add_fault(
                KEYWORDS, "**kwargs without declared keys", "annotate them Unpack[TypedDict]"
            )
            return []
        try:
            hints = resolve_hints(typed_dict)
        except NameError as error:
            fix = f"import {error.name} outside `if TYPE_CHECKING`"
            self.add_fault(
                KEYWORDS, f"{typed_dict.__name__} names {error.name}, which is not defined", fix
            )
            return []
        return [
            parameters.Parameter(
                name,
                hint,
                required=name in typed_dict.__required_keys__,
                default=parameters.NO_DEFAULT,
                description=descriptions.get(name),
            )
            for name, hint in hints.items()
        ]

    def check_declared_parameters(self, roles: ParameterRoles, declared: Mapping[str, Any]) -> None:
        """Check that each parameter is in `parameters=` or has a default."""
        if self.single_argument:
            return
        listed = declared.get("properties", {})
        for parameter in roles.model:
            if parameter.name not in listed and parameter.default is MISSING:
                fix = "declare it, give it a default, or mark it Injected"
                self.add_fault(parameter.name, "required, but parameters= does not declare it", fix)
        handled = {parameter.name for parameter in roles.model}
        for name in listed:
            if name not in handled and self.handler.keywords is MISSING:
                self.add_fault(
                    name, "declared in parameters=, but the handler does not take it", "add it"
                )

    def check_before_asking(self, adapter: Adapter[Any], acting: tuple[ActingCheck, ...]) -> None:
        """Check the code that runs before approval: defaults, and validators with side effects."""
        from toolhaft.call.unfit_defaults import faults_of, unfit_defaults

        needs_approval = bool(self.options.get("requires_approval"))
        asks = needs_approval or self.options.get("authorize") is not None
        found = acting_faults(self.name, acting, asks=asks)
        if needs_approval:
            found += faults_of(self.name, unfit_defaults(adapter))
        for fault in found:
            self.add_fault(fault.where, fault.reason, fault.fix)

    def output_adapter(self, types: Mapping[str, Any]) -> Adapter[Any] | None:
        declared = self.options.get("output", types.get("return", MISSING))
        if any(declared is undeclared for undeclared in UNDECLARED) or is_content(declared):
            return None
        try:
            adapter = vendors.shared_adapter(declared)
            adapter.checker("output")
        except (NoVendor, SchemaNotConvertible) as error:
            self.add_vendor_fault("output", error)
            return None
        return adapter

    def add_vendor_fault(self, where: str, error: NoVendor | SchemaNotConvertible) -> None:
        if isinstance(error, parameters.ParameterFaults):
            for name, fault in error.faults:
                self.add_fault(name, fault.reason, self.further_fix(fault.fix))
            return
        reason = error.reason if isinstance(error, NoVendor) else str(error)
        fix = error.fix if isinstance(error, NoVendor) else "pass parameters= (a JSON Schema)"
        fix = "pass output=None" if where == "output" else self.further_fix(fix)
        self.add_fault(where, reason, fix)

    def further_fix(self, fix: str) -> str:
        """Name `schema_of` in place of a fix that the author has taken already."""
        return SCHEMA_OF if "parameters=" in fix and "parameters" in self.options else fix


def _lists_objects(root: Mapping[str, Any]) -> bool:
    """Check that a schema does not list its values, or lists objects among them."""
    listed = root["enum"] if "enum" in root else [root["const"]] if "const" in root else [{}]
    return any(isinstance(member, dict) for member in listed)


def _is_union(root: Mapping[str, Any]) -> bool:
    return "type" not in root and any(word in root for word in ("anyOf", "oneOf"))
