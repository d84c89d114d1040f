r"""pydantic: models, dataclasses, TypedDicts, `TypeAdapter`s, and every annotation of builtins.

It is also the engine of plain annotated functions. Data that passed the gate are read in pydantic's
JSON mode by the names of the schema only: strictly, but for types in which an author's function
stands before a node, which are read as their author configured them.

Differences to pydantic's own strict JSON mode, all as the emitted schema says: `true` and `1.0` are
no `Literal[1]`, an infinity is no float, a set refuses equal items, `\d` in a pattern is an ASCII
digit, dates, times, UUIDs and decimals have the one form in text that the schema names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from toolhaft.schema.document.places import PlaceIndex
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected
from toolhaft.vendors.annotations import classes_of, is_dataclass, is_typed_dict
from toolhaft.vendors.pydantic.build import object_type, refused, type_adapter
from toolhaft.vendors.pydantic.dump import why_unwritten, writer
from toolhaft.vendors.pydantic.translate import translated

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from toolhaft.vendors.pydantic.emission import Emission

__all__ = ["NAME", "PydanticAdapter", "adapter", "object_adapter", "owns"]

NAME = "pydantic"
_MARKS = ("__pydantic_validator__", "__get_pydantic_core_schema__", "__pydantic_core_schema__")


def owns(tp: object) -> bool:
    """Say whether pydantic can carry a type, without importing it."""
    if _is_type_adapter(tp):
        return True
    if isinstance(tp, type):
        return _knows(tp)
    return _is_annotation(tp) and all(map(_knows, classes_of(tp)))


def _is_type_adapter(tp: object) -> bool:
    kind = type(tp)
    return kind.__name__ == "TypeAdapter" and kind.__module__.partition(".")[0] == NAME


def _is_annotation(tp: object) -> bool:
    home = type(tp).__module__.partition(".")[0]
    return tp is None or home in ("typing", "typing_extensions", "types", "collections")


def _knows(cls: type) -> bool:
    home = cls.__module__
    if home == "builtins":
        return True
    if any(hasattr(cls, mark) for mark in _MARKS) or is_dataclass(cls) or is_typed_dict(cls):
        return "__attrs_attrs__" not in vars(cls)
    if issubclass(cls, Enum) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return True
    return home.partition(".")[0] in sys.stdlib_module_names


def adapter(tp: Any) -> PydanticAdapter:
    """Compile a type.

    Raises:
        NoVendor: pydantic cannot build a validator for it.
    """
    if _is_type_adapter(tp):
        return PydanticAdapter(tp)
    return PydanticAdapter(type_adapter(translated(tp)), tp)


def object_adapter(
    name: str, fields: Mapping[str, tuple[Any, bool]], extra: Literal["forbid", "ignore"]
) -> PydanticAdapter:
    """Compile a JSON object whose keys have these types, each with whether it is required.

    Raises:
        NoVendor: pydantic cannot build a validator for one of the types.
    """
    return PydanticAdapter(type_adapter(object_type(name, fields, extra)))


class PydanticAdapter(Adapter[Any]):
    """One pydantic type; `tp` is what the adapter was made for, where that is known."""

    vendor = NAME
    copies = True

    def __init__(self, type_adapter: TypeAdapter[Any], tp: Any = None) -> None:
        from pydantic_core import ValidationError

        super().__init__()
        self._type_adapter = type_adapter
        self._type = tp
        self.rejects = (ValidationError, Rejected)
        self.construct = self._construct_first

    def _construct_first(self, data: Any) -> Any:
        """Stand in for the reader until the emitted schema tells which it is."""
        if self.known_input() is None:  # the tool declares its parameters, and they are all
            self.construct = _json_reader(self._type_adapter, strict=None)
        return self.construct(data)

    def emit(self, mode: Mode) -> dict[str, Any]:
        emission, made = self._emitted(mode)
        if mode == "input":
            self._fields = emission.fields
            self.settles_floats = emission.is_read_alike and not emission.is_lax
            # What no branch of a union declares was dropped: nothing else may go by a change of
            # the branch. An author's function may still leave keys for a class to ignore.
            extra: Any = None if emission.is_lax or emission.keeps_extras else "forbid"
            if self.settles_floats:
                self.construct = _python_reader(self._type_adapter, extra=extra)
            else:
                strict = None if emission.is_lax else True
                self.construct = _json_reader(self._type_adapter, strict=strict, extra=extra)
        return made

    def _emitted(self, mode: Mode) -> tuple[Emission, dict[str, Any]]:
        from pydantic.errors import PydanticInvalidForJsonSchema
        from pydantic_core import PydanticOmit

        from toolhaft.vendors.emission_rules import is_untyped
        from toolhaft.vendors.pydantic.emission import Emission

        emission = Emission(by_alias=True)
        kind: Any = "validation" if mode == "input" else "serialization"
        try:
            made = emission.generate(self._type_adapter.core_schema, mode=kind)
        except (PydanticInvalidForJsonSchema, PydanticOmit) as error:
            raise refused(self._type, error) from None
        if is_untyped(made):
            raise NoVendor("pydantic: the type says nothing of its values", "give it a type")
        return emission, made

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        from pydantic_core import ValidationError

        from toolhaft.vendors.pydantic.explain import issues_of, of_declared_keys

        if not isinstance(error, ValidationError):
            return super().explain(error, data)
        schema = self.known_input()
        errors = error.errors(include_url=False, include_input=False)
        if schema is None:
            return issues_of(errors, data)
        if schema.has_holes:
            return issues_of(errors, data, schema.exact.issues(data))
        return issues_of(of_declared_keys(errors), data)

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        from toolhaft.vendors.pydantic.unexpressed import unexpressed_checks

        return unexpressed_checks(self._type_adapter.core_schema)

    def is_instance(self, value: object) -> bool:
        if self.cls is not None:
            return self.cls in type(value).__mro__  # pydantic's own isinstance is slow
        from pydantic_core import ValidationError

        try:  # a dict passes for a model too, but does not equal what is made of it
            return bool(self._type_adapter.validator.validate_python(value, strict=True) == value)
        except ValidationError:
            return False

    @cached_property
    def cls(self) -> type | None:
        tp = self._type
        is_class = isinstance(tp, type)
        is_own = is_class and (hasattr(tp, "__pydantic_validator__") or is_dataclass(tp))
        return tp if is_own else None

    def dump(self, value: Any) -> Any:
        try:
            return self._write(value)
        except Exception as error:  # noqa: BLE001 - an author's serializers run in there
            reason = why_unwritten(error)
        raise Rejected([Issue(reason, code="json")])

    @cached_property
    def _write(self) -> Callable[[Any], Any]:
        try:
            unordered = self._emitted("output")[0].has_unordered
            index = PlaceIndex(self.checker("output").normalised) if unordered else None
        except NoVendor:
            index = None
        return writer(self._type_adapter.serializer, index)


def _python_reader(type_adapter: TypeAdapter[Any], *, extra: Any) -> Callable[[Any], Any]:
    validate = type_adapter.validator.validate_python
    return partial(validate, strict=False, extra=extra, by_alias=True, by_name=False)


def _json_reader(
    type_adapter: TypeAdapter[Any], *, strict: bool | None, extra: Any = None
) -> Callable[[Any], Any]:
    from pydantic_core import to_json

    validate = type_adapter.validator.validate_json
    options: Any = {"strict": strict, "extra": extra, "by_alias": True, "by_name": False}
    return lambda data: validate(to_json(data), **options)
