"""The adapter of a signature: each parameter read by the vendor that owns its type.

All parameters that pydantic supports are one object, validated in one pass; a parameter of another
vendor is passed through there and read by its own adapter. The result has the keyword arguments
that were given: defaults stay in the function.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    Union,
    get_args,
    get_origin,
)

from toolhaft.jsonio.jsondata import NotPlain, snapshot
from toolhaft.schema.marks import mark
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors import adapt, find_owner, shared_adapter
from toolhaft.vendors.acting import ActingCheck
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected, prefix_path
from toolhaft.vendors.annotations import doc_text, split_required
from toolhaft.vendors.emission_rules import embed_schema
from toolhaft.vendors.fields import Fields
from toolhaft.vendors.pydantic import adapter as pydantic
from toolhaft.vendors.pydantic.build import translate_annotation

__all__ = ["NO_DEFAULT", "Parameter", "ParameterFaults", "ParametersAdapter", "compile_parameters"]


NO_DEFAULT: Final = object()


class Parameter:
    """One parameter that the model may fill; the annotation is resolved, `Annotated` included.

    A parameter may be optional without a default: a key of an unpacked TypedDict may, and says
    so by `NotRequired`.
    """

    __slots__ = ("annotation", "default", "description", "name", "required")

    def __init__(
        self,
        name: str,
        annotation: Any,
        required: bool = True,
        default: Any = NO_DEFAULT,
        description: str | None = None,
    ) -> None:
        self.name = name
        self.annotation, self.required = split_required(annotation, required=required)
        self.default = default
        self.description = description


class ParameterFaults(NoVendor):
    """Parameters that no vendor can carry, each with its reason and fix."""

    def __init__(self, faults: Sequence[tuple[str, NoVendor]]) -> None:
        self.faults = tuple(faults)
        reason = "; ".join(f"{name}: {fault.reason}" for name, fault in faults)
        super().__init__(reason, faults[0][1].fix)


def compile_parameters(
    name: str, parameters: Sequence[Parameter], *, extra: Literal["forbid", "ignore"] = "forbid"
) -> ParametersAdapter:
    """Compile a signature's parameters into one adapter.

    Raises:
        ParameterFaults: Lists every parameter whose type nobody can carry.
    """
    if any(map(_find_misuse, parameters)):
        raise ParameterFaults(_find_faults(parameters))
    try:
        return ParametersAdapter(name, parameters, extra)
    except NoVendor as error:
        raise _blame_parameters(parameters, error) from None


_FIX: Final = "put what it points at under $defs"
_UNTYPED: Final = NoVendor(
    "the type does not describe its values", "name a type, such as dict[str, Any]"
)


def _find_misuse(parameter: Parameter) -> NoVendor | None:
    if _says_nothing(parameter.annotation):
        return _UNTYPED
    if _is_field(parameter.default):
        return NoVendor("Field(...) used as the default", "write Annotated[..., Field(...)]")
    fields = filter(_is_field, getattr(parameter.annotation, "__metadata__", ()))
    for field in fields:
        if not field.is_required():
            return NoVendor("Field(...) holds the default", "write the default after =")
        alias = field.alias or field.validation_alias
        if alias is not None:
            renamed = f"transform(rename={{{parameter.name!r}: {alias!r}}})"
            return NoVendor(
                "Field(...) gives an alias", f"use the parameter's own name, or {renamed}"
            )
    return None


def _is_field(note: Any) -> bool:
    return type(note).__name__ == "FieldInfo" and type(note).__module__.startswith("pydantic.")


def _says_nothing(tp: Any) -> bool:
    origin = get_origin(tp)
    if origin is Annotated:
        return _says_nothing(tp.__origin__)
    if origin is Union or origin is UnionType:
        return any(map(_says_nothing, get_args(tp)))
    return tp is Any or tp is object


def _blame_parameters(parameters: Sequence[Parameter], error: NoVendor) -> NoVendor:
    faults = _find_faults(parameters)
    return ParameterFaults(faults) if faults else error


def _find_faults(parameters: Sequence[Parameter]) -> list[tuple[str, NoVendor]]:
    """Return the faults of each parameter, checked one by one."""
    checked = (
        (parameter.name, _find_misuse(parameter) or _find_unwritable(parameter))
        for parameter in parameters
    )
    return [(name, fault) for name, fault in checked if fault is not None]


def _find_unwritable(parameter: Parameter) -> NoVendor | None:
    try:
        adapt(parameter.annotation).emit("input")
    except NoVendor as fault:
        return fault
    return None


class ParametersAdapter(Adapter[dict[str, Any]]):
    """A signature: data in, keyword arguments out."""

    vendor = pydantic.NAME

    def __init__(
        self, name: str, parameters: Sequence[Parameter], extra: Literal["forbid", "ignore"]
    ) -> None:
        super().__init__()
        self._parameters = tuple(parameters)
        self._foreign = {
            parameter.name: shared_adapter(parameter.annotation)
            for parameter in parameters
            if find_owner(parameter.annotation) is not pydantic
        }
        fields = {
            parameter.name: (self._engine_type(parameter), parameter.required)
            for parameter in parameters
        }
        self._whole = pydantic.object_adapter(name, fields, extra)
        parts = (self._whole, *self._foreign.values())
        self.copies = all(part.copies for part in parts)
        self.awaits = any(part.awaits for part in parts)
        self.may_await = any(part.may_await for part in parts)
        self.rejects = (*self._whole.rejects, Rejected)
        self.construct = self._construct_first

    @property
    def fields(self) -> Mapping[type, Fields]:
        if not self._foreign:
            return self._whole.fields
        foreign = (adapter.fields for adapter in self._foreign.values())
        return dict(ChainMap(*map(dict, (self._whole.fields, *foreign))))

    @property
    def defaults(self) -> frozenset[str]:
        """The names of the parameters that have a default, which the schema may not have."""
        return frozenset(each.name for each in self._parameters if each.default is not NO_DEFAULT)

    def _engine_type(self, parameter: Parameter) -> Any:
        return (
            Any if parameter.name in self._foreign else translate_annotation(parameter.annotation)
        )

    def _construct_first(self, data: Any) -> dict[str, Any]:
        """Construct until `emit` sets the reader that the schema calls for."""
        arguments: dict[str, Any] = self._whole.construct(data)
        return arguments

    def _use_constructors(self) -> None:
        """Take the readers that the emitted schema calls for."""
        if self._foreign:
            self.construct = self._construct_each
            return
        whole = self._whole
        self.construct, self.construct_fitting = whole.construct, whole.construct_fitting
        self.construct_own = whole.construct_own
        self.construct_text, self.settles_floats = whole.construct_text, whole.settles_floats

    def _construct_each(self, data: Any) -> dict[str, Any]:
        arguments: dict[str, Any] = self._whole.construct(data)
        issues: list[Issue] = []
        for name, adapter in self._foreign_in(data):
            try:
                arguments[name] = adapter.construct(data[name])
            except adapter.rejects as error:
                issues += [prefix_path(issue, name) for issue in adapter.explain(error, data[name])]
        return _require_no_issues(arguments, issues)

    async def construct_awaited(self, data: Any) -> dict[str, Any]:
        arguments: dict[str, Any] = self._whole.construct(data)
        issues: list[Issue] = []
        for name, adapter in self._foreign_in(data):
            try:
                arguments[name] = await adapter.construct_awaited(data[name])
            except adapter.rejects as error:
                issues += [prefix_path(issue, name) for issue in adapter.explain(error, data[name])]
        return _require_no_issues(arguments, issues)

    def _foreign_in(self, data: Any) -> list[tuple[str, Adapter[Any]]]:
        """Return the parameters of other vendors that the data contain."""
        return [(name, adapter) for name, adapter in self._foreign.items() if name in data]

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        return super().explain(error, data) or self._whole.explain(error, data)

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        foreign = ((name, adapter.unexpressed_checks()) for name, adapter in self._foreign.items())
        checks = (
            ((name, *path), check)
            for name, adapter_checks in foreign
            for path, check in adapter_checks
        )
        return [*self._whole.unexpressed_checks(), *checks]

    def acting_checks(self) -> list[ActingCheck]:
        foreign = (
            check._replace(path=(name, *check.path))
            for name, adapter in self._foreign.items()
            for check in adapter.acting_checks()
        )
        return [*self._whole.acting_checks(), *foreign]

    def emit(self, mode: Mode) -> dict[str, Any]:
        try:
            schema = self._whole.emit(mode)
            if mode == "input":
                self._use_constructors()
            for name, adapter in self._foreign.items():
                schema["properties"][name] = self._embed(name, adapter, mode, schema)
        except NoVendor as error:
            raise _blame_parameters(self._parameters, error) from None
        for parameter in self._parameters:
            self._annotate(parameter, schema["properties"])
        if "$defs" in schema:
            schema["$defs"] = schema.pop("$defs")
        return schema

    def _embed(
        self, name: str, adapter: Adapter[Any], mode: Mode, whole: dict[str, Any]
    ) -> dict[str, Any]:
        try:
            node = embed_schema(adapter.emit(mode), whole)
        except LookupError as error:
            raise NoVendor(f"{name}: {error} points into the schema's own root", _FIX) from None
        if adapter.authored:
            mark(node, authored=True)
        return node

    def _annotate(self, parameter: Parameter, properties: dict[str, Any]) -> None:
        notes: dict[str, Any] = {}
        text = doc_text(parameter.annotation) or parameter.description
        if text is not None:
            notes["description"] = text
        if not parameter.required and parameter.default is not NO_DEFAULT:
            notes |= self._default(parameter)
        properties[parameter.name] = {**notes, **properties[parameter.name]}

    def _default(self, parameter: Parameter) -> dict[str, Any]:
        """Return the default as JSON, if it has such a form."""
        try:
            return {"default": snapshot(parameter.default)}
        except NotPlain:
            pass
        try:
            return {"default": snapshot(self._dump_default(parameter))}
        except (NotPlain, Rejected):
            return {}

    def _dump_default(self, parameter: Parameter) -> Any:
        if parameter.name in self._foreign:
            return self._foreign[parameter.name].dump(parameter.default)
        return self._whole.dump({parameter.name: parameter.default})[parameter.name]


def _require_no_issues(arguments: dict[str, Any], issues: list[Issue]) -> dict[str, Any]:
    if issues:
        raise Rejected(issues)
    return arguments
