"""pydantic: models, dataclasses, TypedDicts, `TypeAdapter`s, and every annotation of builtins.

It is also the engine of plain annotated functions. Data is read as in pydantic's strict JSON
mode, whatever a model's own `strict` setting: the schema that the model was shown says what is
accepted. An author's own before-validators still see the raw value.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from toolhaft.schema.checker import Checker
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, Check, Direct, NoVendor, Rejected
from toolhaft.vendors.annotations import (
    classes_of,
    is_dataclass,
    is_typed_dict,
    readable,
    visible,
)
from toolhaft.vendors.patterns import formatted
from toolhaft.vendors.pydantic.direct import direct
from toolhaft.vendors.pydantic.outputs import shortened
from toolhaft.vendors.pydantic.shape import shape_of
from toolhaft.vendors.pydantic.strict import strict_schema
from toolhaft.vendors.pydantic.translate import translated
from toolhaft.vendors.pydantic.writing import undeclared, why_unwritten, writer
from toolhaft.vendors.versions import require

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["NAME", "PydanticAdapter", "adapter", "object_adapter", "owns", "type_adapter"]

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
    return PydanticAdapter(tp if _is_type_adapter(tp) else type_adapter(translated(tp)))


def type_adapter(tp: Any) -> TypeAdapter[Any]:
    """Compile a type.

    Raises:
        NoVendor: pydantic cannot build a validator for it, or is not there.
    """
    require(NAME)
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
    from pydantic_core import SchemaError

    try:
        made: TypeAdapter[Any] = TypeAdapter(tp)
        _complete(made)
    except PydanticUndefinedAnnotation as error:
        reason = f"pydantic: {readable(tp)} names {error.name}, which is not defined"
        raise NoVendor(reason, f"define {error.name} before the tool is used") from None
    except (PydanticUserError, SchemaError) as error:
        raise _refused(tp, error) from None
    return made


def _complete(made: TypeAdapter[Any]) -> None:
    """Build what could not be built at once; local classes are named by those who see them."""
    from pydantic.errors import PydanticUndefinedAnnotation

    try:
        made.rebuild()
    except PydanticUndefinedAnnotation:
        names = visible()
        if not names:
            raise
        made.rebuild(force=True, _types_namespace=names)


def object_adapter(
    name: str, fields: Mapping[str, tuple[Any, bool]], extra: Literal["forbid", "ignore"]
) -> PydanticAdapter:
    """Compile a JSON object whose keys have these types, each with whether it is required.

    It is a TypedDict without a class: any text can be a key. The data that comes out holds the
    keys that were given.

    Raises:
        NoVendor: pydantic cannot build a validator for one of the types.
    """
    from pydantic_core import core_schema

    def write(source: Any, handler: Any) -> Any:
        del source
        keys = {
            key: core_schema.typed_dict_field(handler.generate_schema(tp), required=required)
            for key, (tp, required) in fields.items()
        }
        return core_schema.typed_dict_schema(keys, extra_behavior=extra)

    written: Any = type(name, (), {"__get_pydantic_core_schema__": staticmethod(write)})
    return PydanticAdapter(type_adapter(written))


def _refused(tp: Any, error: Exception) -> NoVendor:
    # What pydantic would have one set instead gives no schema either.
    reason = str(getattr(error, "message", error)).partition("\n")[0].partition(". Set ")[0]
    reason = reason.removesuffix(".")
    return NoVendor(
        f"pydantic: {readable(tp)}: {reason}", "use a type with a JSON form, or give parameters="
    )


class PydanticAdapter(Adapter[Any]):
    """One pydantic type."""

    vendor = NAME

    def __init__(self, type_adapter: TypeAdapter[Any]) -> None:
        from pydantic_core import SchemaValidator, ValidationError

        super().__init__()
        self._type_adapter = type_adapter
        self._type: Any = getattr(type_adapter, "_type")  # noqa: B009 - it has no public name
        config: Any = _core_config(type_adapter)
        strict = strict_schema(type_adapter.core_schema, config)
        self.strict = strict.schema
        self.route = strict.route
        self.own_checks, self.widens = strict.own_checks, strict.widens
        self.rejects = (ValidationError, Rejected)
        made: Any = strict.schema
        # A prebuilt validator of a model would be lax again.
        self._validator = SchemaValidator(made, config, _use_prebuilt=False)
        self._read = (
            self._validator.validate_python if strict.route == "python" else self._read_as_json
        )
        asks = strict.loose or strict.route == "json"
        self._is_direct = not (asks or strict.widens)
        self.construct = self._read_what_fits if asks and not strict.widens else self._read

    @cached_property
    def direct(self) -> Direct | None:  # type: ignore[override]
        config = _core_config(self._type_adapter)
        return direct(self.strict, config) if self._is_direct else None

    def _read_as_json(self, data: Any) -> Any:
        from pydantic_core import to_json

        return self._validator.validate_json(to_json(data))

    def _read_what_fits(self, data: Any) -> Any:
        """Ask the schema first: JSON mode and loose nodes accept more than it says."""
        known = self.known()
        if known is not None and not known.is_valid(data):
            raise Rejected([])
        return self._read(data)

    def known(self) -> Checker | None:
        known = super().known()
        return known if known is None or self.route == "python" else self.exact

    def refused(self, data: Any) -> list[Issue]:
        known = self.known()
        return [] if known is None else [formatted(one) for one in known.findings(data)]

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        from pydantic_core import ValidationError

        from toolhaft.vendors.pydantic.issues import issues_of

        if not isinstance(error, ValidationError):
            return []
        errors: Any = error.errors(include_url=False, include_input=False)
        return issues_of(errors, self.strict, data)

    def found_only(self, issues: list[Issue], error: Exception | None) -> bool:
        if error is None or isinstance(error, Rejected) or not self.own_checks:
            return not self.own_checks
        from toolhaft.vendors.pydantic.issues import are_plain

        return are_plain(error, issues)

    def emit(self, mode: Mode) -> dict[str, Any]:
        from pydantic.errors import PydanticInvalidForJsonSchema
        from pydantic_core import PydanticOmit

        from toolhaft.vendors.emitted import is_untyped
        from toolhaft.vendors.pydantic.emission import Emission

        kind: Any = "validation" if mode == "input" else "serialization"
        try:
            made = self._type_adapter.json_schema(schema_generator=Emission, mode=kind)
        except (PydanticInvalidForJsonSchema, PydanticOmit) as error:
            raise _refused(self._type, error) from None
        if is_untyped(made):
            raise NoVendor("pydantic: the type says nothing of its values", "give it a type")
        return made

    def unwritten(self) -> list[tuple[Path, str]]:
        from toolhaft.vendors.pydantic.unwritten import unwritten

        return unwritten(self._type_adapter.core_schema)

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

    @cached_property
    def _write(self) -> Callable[..., Any]:
        return writer(self._type_adapter.core_schema, _core_config(self._type_adapter))

    def shortened(self, check: Check) -> Check:
        shape = shape_of(self._type_adapter.core_schema)
        if shape is None:
            return check
        if not self._is_direct or _core_config(self._type_adapter):
            shape = shape._replace(exact=False, flat=False)
        return shortened(self, shape, check)

    def dump(self, value: Any) -> Any:
        """Dump by the declared type, without the warnings: the dump is checked afterwards.

        Raises:
            Rejected: Some part of it has no JSON form.
            Exception: Whatever an author's serializer raised.
        """
        try:
            return self._write(
                value, mode="json", by_alias=True, warnings=False, fallback=undeclared
            )
        except Exception as error:  # noqa: BLE001 - an author's serializers run in there
            reason = why_unwritten(error)
        raise Rejected([Issue(reason, code="json")])


def _core_config(type_adapter: TypeAdapter[Any]) -> dict[str, Any] | None:
    """Give the config that a `TypeAdapter` was made with, by its core names."""
    config = getattr(type_adapter, "_config", None)
    if not config:
        return None
    from pydantic_core.core_schema import CoreConfig

    found = {key: config[key] for key in CoreConfig.__annotations__ if key in config}
    if "extra" in config:
        found["extra_fields_behavior"] = config["extra"]
    return found
