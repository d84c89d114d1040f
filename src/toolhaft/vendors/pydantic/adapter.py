r"""pydantic: models, dataclasses, TypedDicts, `TypeAdapter`s, and every annotation of builtins.

It is also the engine of plain annotated functions. Data that passed the gate are read in pydantic's
JSON mode by the names of the schema only: strictly, except for types in which an author's function
runs before a node, which are read as their author configured them.

Differences to pydantic's own strict JSON mode, all by the emitted schema: `true` and `1.0` are no
`Literal[1]`, an infinity is no float, a set rejects equal items, `\d` in a pattern is an ASCII
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
from toolhaft.vendors.acting import ActingCheck
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected, copying
from toolhaft.vendors.annotations import classes_of, has_own_reader, is_dataclass, is_typed_dict
from toolhaft.vendors.dumps import IsInstance, instance_check, is_plain
from toolhaft.vendors.pydantic.build import (
    ObjectType,
    to_no_vendor,
    translate_annotation,
    type_adapter,
)
from toolhaft.vendors.pydantic.dump import explain_unwritten, writer

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from toolhaft.vendors.pydantic.emit import Emission

__all__ = ["NAME", "PydanticAdapter", "adapter", "object_adapter", "owns"]

NAME = "pydantic"
_MARKS = ("__pydantic_validator__", "__get_pydantic_core_schema__", "__pydantic_core_schema__")


def owns(tp: object) -> bool:
    """Return whether pydantic supports a type, without importing it."""
    if _is_type_adapter(tp):
        return True
    if isinstance(tp, type):
        return _can_carry(tp)
    return _is_annotation(tp) and all(map(_can_carry, classes_of(tp)))


def _is_type_adapter(tp: object) -> bool:
    kind = type(tp)
    return kind.__name__ == "TypeAdapter" and kind.__module__.partition(".")[0] == NAME


def _is_annotation(tp: object) -> bool:
    module = type(tp).__module__.partition(".")[0]
    return tp is None or module in ("typing", "typing_extensions", "types", "collections")


def _can_carry(cls: type) -> bool:
    module = cls.__module__
    if module == "builtins":
        return True
    if has_own_reader(cls):
        return False
    if any(hasattr(cls, mark) for mark in _MARKS) or is_dataclass(cls) or is_typed_dict(cls):
        return "__attrs_attrs__" not in vars(cls)
    if issubclass(cls, Enum) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return True
    return module.partition(".")[0] in sys.stdlib_module_names


def adapter(tp: Any) -> PydanticAdapter:
    """Compile a type.

    Raises:
        NoVendor: pydantic cannot build a validator for it.
    """
    if _is_type_adapter(tp):
        return PydanticAdapter(tp)
    return PydanticAdapter(type_adapter(translate_annotation(tp)), tp)


def object_adapter(
    name: str, fields: Mapping[str, tuple[Any, bool]], extra: Literal["forbid", "ignore"]
) -> PydanticAdapter:
    """Compile a JSON object whose keys have these types, each with whether it is required.

    Raises:
        NoVendor: pydantic cannot build a validator for one of the types.
    """
    return PydanticAdapter(type_adapter(ObjectType(name, fields, extra)))


class PydanticAdapter(Adapter[Any]):
    """One pydantic type; `tp` is what the adapter was made for, where that is known."""

    vendor = NAME
    copies = True

    def __init__(self, type_adapter: TypeAdapter[Any], tp: Any = None) -> None:
        from pydantic_core import ValidationError

        super().__init__()
        self._type_adapter = type_adapter
        self._type = tp
        self.is_plain = is_plain(tp) and tp is not None
        self.rejects = (ValidationError, Rejected)
        self.construct = self._construct_first

    def _construct_first(self, data: Any) -> Any:
        """Construct until `emit` sets the reader that the schema calls for."""
        if self.input_or_none() is None:  # the tool declares its parameters, and they are all
            self.construct = _json_reader(_text_reader(self._type_adapter, strict=None))
        return self.construct(data)

    def emit(self, mode: Mode) -> dict[str, Any]:
        return self._emit(mode, partly=False)

    def emit_partly(self) -> dict[str, Any] | None:
        try:
            return self._emit("input", partly=True)
        except NoVendor:
            return None

    def _emit(self, mode: Mode, *, partly: bool) -> dict[str, Any]:
        emission, schema = self._write_schema(mode, partly=partly)
        if mode == "input":
            self._fields = emission.fields
            self.settles_floats = emission.is_read_alike and not emission.is_lax
            # Keys that no branch of a union declares were dropped: no other key may be lost by a
            # change of the branch. An author's function may still leave keys for a class to ignore.
            extra: Any = None if emission.is_lax or emission.keeps_extras else "forbid"
            if self.settles_floats:
                self.construct = _python_reader(self._type_adapter, extra=extra)
                self.construct_fitting, self.construct_text = _readers_of_fitting(
                    self._type_adapter, has_options=emission.has_options
                )
                if emission.keeps_data:
                    self.construct_own = self.construct_fitting, None
                    self.construct = copying(self.construct)
                    self.construct_fitting = copying(self.construct_fitting)
            else:
                strict = None if emission.is_lax else True
                self.construct_text = _text_reader(self._type_adapter, strict=strict, extra=extra)
                self.construct = _json_reader(self.construct_text)
        return schema

    def _write_schema(self, mode: Mode, *, partly: bool) -> tuple[Emission, dict[str, Any]]:
        from pydantic.errors import PydanticInvalidForJsonSchema
        from pydantic_core import PydanticOmit, PydanticSerializationError

        from toolhaft.vendors.emission_rules import is_untyped
        from toolhaft.vendors.pydantic.emit import Emission

        emission = Emission(by_alias=True)
        emission.leaves_holes = partly
        kind: Any = "validation" if mode == "input" else "serialization"
        try:
            schema = emission.generate(self._type_adapter.core_schema, mode=kind)
        except (
            PydanticInvalidForJsonSchema,
            PydanticOmit,
            PydanticSerializationError,  # a member of an enum, or of a Literal
        ) as error:
            raise to_no_vendor(self._type, error) from None
        if is_untyped(schema):
            raise NoVendor("pydantic: the type does not describe its values", "give it a type")
        return emission, schema

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        from pydantic_core import ValidationError

        from toolhaft.vendors.pydantic.explain import (
            issues_of,
            of_declared_keys,
            say_by_schema,
            with_keys,
        )

        if not isinstance(error, ValidationError):
            return super().explain(error, data)
        schema = self.input_or_none()
        errors = error.errors(include_url=False, include_input=False)
        if schema is None:
            return issues_of(errors, data)
        gate = schema.gate
        located = [with_keys(known, data, gate.places) for known in errors]
        if schema.has_holes:
            issues = issues_of(located, data, schema.exact.issues(data))
        else:
            issues = issues_of(of_declared_keys(located), data)
        return [say_by_schema(issue, gate.normalised, gate.places) for issue in issues]

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        from toolhaft.vendors.pydantic.checks import unexpressed_checks

        return unexpressed_checks(self._type_adapter.core_schema)

    def acting_checks(self) -> list[ActingCheck]:
        from toolhaft.vendors.pydantic.checks import acting_checks

        return acting_checks(self._type_adapter.core_schema)

    def is_instance(self, value: object) -> bool:
        if self._is_instance is not None:
            return self._is_instance(value)
        from pydantic_core import ValidationError

        try:  # a dict passes for a model too, but does not equal what is made of it
            return bool(self._type_adapter.validator.validate_python(value, strict=True) == value)
        except ValidationError:
            return False

    @cached_property
    def _is_instance(self) -> IsInstance | None:
        return instance_check(self._type, self.is_own)

    def is_own(self, tp: Any) -> bool:
        """Whether a type is a class whose objects need no further look."""
        return isinstance(tp, type) and (hasattr(tp, "__pydantic_validator__") or is_dataclass(tp))

    def dump(self, value: Any) -> Any:
        try:
            return self._write(value)
        except Exception as error:  # noqa: BLE001 - an author's serializers run in there
            reason = explain_unwritten(error)
        raise Rejected([Issue(reason, code="json")])

    @cached_property
    def _write(self) -> Callable[[Any], Any]:
        index, has_maps = None, True
        try:
            emission, _ = self._write_schema("output", partly=False)
            if emission.has_unordered:
                index = PlaceIndex(self.marked_schema("output"))
            has_maps = emission.has_maps
        except NoVendor:
            pass
        return writer(self._type_adapter.serializer, index, has_maps=has_maps)


def _python_reader(type_adapter: TypeAdapter[Any], *, extra: Any) -> Callable[[Any], Any]:
    validate = type_adapter.validator.validate_python
    return partial(validate, strict=False, extra=extra, by_alias=True, by_name=False)


def _readers_of_fitting(
    type_adapter: TypeAdapter[Any], *, has_options: bool
) -> tuple[Callable[[Any], Any], Callable[[str], Any]]:
    """Return the readers of data and of text that have no key to forbid and no type to check.

    Every option of a call makes it a tenth slower.
    """
    validator = type_adapter.validator
    if not has_options:
        return validator.validate_python, validator.validate_json
    options: Any = {"strict": False, "by_alias": True, "by_name": False}
    return partial(validator.validate_python, **options), partial(
        validator.validate_json, **options
    )


def _text_reader(
    type_adapter: TypeAdapter[Any], *, strict: bool | None, extra: Any = None
) -> Callable[[Any], Any]:
    validate = type_adapter.validator.validate_json
    return partial(validate, strict=strict, extra=extra, by_alias=True, by_name=False)


def _json_reader(read_text: Callable[[Any], Any]) -> Callable[[Any], Any]:
    from pydantic_core import to_json

    return lambda data: read_text(to_json(data))
