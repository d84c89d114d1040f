"""The core schema of an attrs class: an object whose keys are the class's arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from decimal import InvalidOperation
from functools import cached_property, partial
from threading import local
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

from toolhaft.jsonio.jsondata import NotJson, to_json_data
from toolhaft.vendors.adapter import Adapter, NoVendor
from toolhaft.vendors.annotations import hints_of, is_async
from toolhaft.vendors.attrs.validators import constrain_type, functions_in
from toolhaft.vendors.fields import FieldKey, factory_default
from toolhaft.vendors.pydantic.build import translate_annotation
from toolhaft.vendors.pydantic.keys import FIELDS, NOTES

__all__ = ["make_stand_in"]

ReplaceType = Callable[[Any], Any]
# The exceptions of converters of numbers and texts for other values, in Python's names.
UNCONVERTED: Final = (TypeError, OverflowError, InvalidOperation)
HOOKS: Final = ("__attrs_pre_init__", "__attrs_post_init__")


def make_stand_in(cls: Any, arguments: tuple[Any, ...], replace: ReplaceType) -> Any:
    """Make a type that gives the engine the schema of an attrs class.

    `replace` does the same for the types of its fields. The same class is the same stand-in as long
    as it is being read, so that a class may hold itself.
    """
    fields = _ClassFields(cls, arguments, replace)
    return type(cls.__name__, (), {"__get_pydantic_core_schema__": staticmethod(fields.schema)})


class _ActiveReferences(local):
    """The references of the classes that one thread is reading."""

    def __init__(self) -> None:
        self.refs: dict[Any, str] = {}


class _ClassFields:
    """The fields of one class, with its type variables replaced."""

    # The classes that are being read here: one that holds itself is a reference.
    reading = _ActiveReferences()

    def __init__(self, cls: Any, arguments: tuple[Any, ...], replace: ReplaceType) -> None:
        self.cls = cls
        self.arguments = arguments
        self.replace = replace

    def schema(self, source: Any, handler: Any) -> Any:
        """Write the core schema: read the keys, make the object, and dump it."""
        del source
        from pydantic_core import core_schema

        key = (self.cls, self.arguments)
        reading = self.reading.refs
        if key in reading:
            return core_schema.definition_reference_schema(reading[key])
        labels = ",".join(
            getattr(argument, "__name__", str(argument)) for argument in self.arguments
        )
        name = f"{self.cls.__module__}.{self.cls.__qualname__}:{id(self.cls)}"
        ref = f"{name}[{labels}:{id(self)}]" if labels else name
        reading[key] = ref
        try:
            input_keys, output_keys = self.keys(handler)
        finally:
            del reading[key]
        inner = core_schema.typed_dict_schema(
            input_keys, cls=self.cls, extra_behavior="ignore", metadata={FIELDS: self.field_keys()}
        )
        outer = core_schema.typed_dict_schema(output_keys, cls=self.cls)
        write = core_schema.plain_serializer_function_ser_schema(self.to_dict, return_schema=outer)
        return core_schema.no_info_after_validator_function(
            self.make_object, inner, ref=ref, serialization=write
        )

    def keys(self, handler: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Write the keys that an object is made from, and the keys of its dump."""
        from pydantic_core import core_schema

        hints = self.hints()
        input_keys: dict[str, Any] = {}
        output_keys: dict[str, Any] = {}
        for field in self.cls.__attrs_attrs__:
            node = handler.generate_schema(self.type_of(field, hints))
            notes = {NOTES: dict(_notes(field))}
            optional = field.default is not _attrs_nothing()
            output_keys[field.alias] = core_schema.typed_dict_field(
                node, required=not (field.init and optional), metadata=notes
            )
            if field.init:
                input_keys[field.alias] = core_schema.typed_dict_field(
                    self.add_converter(field, node), required=not optional, metadata=notes
                )
        return input_keys, output_keys

    def field_keys(self) -> tuple[FieldKey, ...]:
        """Return the keys that `__init__` takes, with the attributes that they fill."""
        init_fields = [field for field in self.cls.__attrs_attrs__ if field.init]
        return tuple(
            FieldKey(field.alias, field.name, **_default_of_key(field)) for field in init_fields
        )

    def hints(self) -> dict[str, Any]:
        """Return the types of the fields.

        Raises:
            NoVendor: A name in one of them is unknown.
        """
        hints = hints_of(self.cls)
        textual = [field for field in self.cls.__attrs_attrs__ if isinstance(field.type, str)]
        if textual and not hints:
            reason = f"attrs: {self.cls.__name__}.{textual[0].name}: a name in its type is unknown"
            raise NoVendor(reason, "define it before the tool is used, at the module's top")
        return hints

    def type_of(self, field: Any, hints: dict[str, Any]) -> Any:
        """Return the type of a field, constrained by its validators."""
        tp = hints.get(field.name, field.type)
        if tp is None:
            reason = f"attrs: {self.cls.__name__}.{field.name} has no type"
            raise NoVendor(reason, "annotate it")
        tp = _replace_variables(
            tp, dict(zip(_type_variables(self.cls), self.arguments, strict=False))
        )
        self.require_sync(field)
        return translate_annotation(self.replace(constrain_type(tp, field.validator)))

    def require_sync(self, field: Any) -> None:
        """Refuse async functions of a field or of its class: attrs would never await them."""
        functions = {
            "validator": functions_in(field.validator),
            "converter": (getattr(field.converter, "converter", field.converter),),
            "factory": (getattr(field.default, "factory", None),),
            "class": (getattr(self.cls, hook, None) for hook in HOOKS),
        }
        for role, candidates in functions.items():
            if any(map(is_async, candidates)):
                reason = f"attrs: {self.cls.__name__}.{field.name}: its {role} is async"
                raise NoVendor(reason, "write it as a plain def")

    def authored_checks(self) -> list[str]:
        """Name the author's own validators and hooks, without attrs' own."""
        validators = [
            validator
            for field in self.cls.__attrs_attrs__
            for validator in functions_in(field.validator)
            if callable(validator) and type(validator).__module__.partition(".")[0] != "attr"
        ]
        hooks = [getattr(self.cls, hook) for hook in HOOKS if hook in vars(self.cls)]
        return [getattr(x, "__qualname__", type(x).__qualname__) for x in (*validators, *hooks)]

    def add_converter(self, field: Any, node: Any) -> Any:
        """Let a field's converter see the raw value, as it does in attrs itself.

        Its result must be of the field's type; the raw value is passed on, so the class converts it
        once more, with its full knowledge.
        """
        if field.converter is None:
            return node
        from pydantic_core import core_schema

        if getattr(field.converter, "takes_self", False):
            reason = f"attrs: {self.cls.__name__}.{field.name}: its converter takes the object"
            raise NoVendor(reason, "give parameters=")

        def check_conversion(value: Any, handler: Any) -> Any:
            try:
                result = _convert(field, deepcopy(value))  # it may change what it is given
            except UNCONVERTED:
                handler(value)
                raise ValueError("not a value that can be converted") from None
            handler(result)
            return value

        return core_schema.no_info_wrap_validator_function(check_conversion, node)

    def make_object(self, values: dict[str, Any]) -> Any:
        """Make the object; errors of its validators are reported at the field."""
        try:
            return self.cls(**values)
        except (ValueError, AssertionError) as error:
            faults = list(self.find_faults(values))
            if not faults:
                raise
            combined = _combine_faults(self.cls, faults)
            del faults  # its exceptions know this frame, and would be held by it
            raise combined from error

    def find_faults(self, values: dict[str, Any]) -> Iterator[tuple[str, Any, Exception]]:
        """Run each validator by itself on an object with all values, and give the errors."""
        instance = object.__new__(self.cls)
        present = [
            field for field in self.cls.__attrs_attrs__ if field.alias in values or field.init
        ]
        for field in present:
            held = (
                _convert(field, values[field.alias])
                if field.alias in values
                else _default_of(field, instance)
            )
            object.__setattr__(instance, field.name, held)
        for field in present:
            if field.validator is not None:
                try:
                    field.validator(instance, field, getattr(instance, field.name))
                except (ValueError, AssertionError) as error:
                    yield field.alias, getattr(instance, field.name), error

    def to_dict(self, value: Any) -> Any:
        """Return the object as a dict, and any other value as it is, for the engine to reject."""
        if not isinstance(value, self.cls):
            return value
        try:
            return {alias: getattr(value, name) for alias, name in self._names}
        except AttributeError:  # a field without `init=` that nobody has set
            return {
                alias: getattr(value, name) for alias, name in self._names if hasattr(value, name)
            }

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """The key and the attribute of each field."""
        return [(field.alias, field.name) for field in self.cls.__attrs_attrs__]


def _convert(field: Any, value: Any) -> Any:
    """Convert a value as attrs does: a function, or an `attrs.Converter` that wraps one."""
    converter = field.converter
    if not hasattr(converter, "takes_field"):
        return value if converter is None else converter(value)
    return (
        converter.converter(value, field) if converter.takes_field else converter.converter(value)
    )


def _combine_faults(cls: Any, faults: list[tuple[str, Any, Exception]]) -> Exception:
    """Make the engine's own error, with a line for each field."""
    from pydantic_core import InitErrorDetails, ValidationError

    lines = [
        InitErrorDetails(
            type="value_error", loc=(alias,), input=value, ctx={"error": _without_details(error)}
        )
        for alias, value, error in faults
    ]
    return ValidationError.from_exception_data(cls.__name__, lines)


def _without_details(error: Exception) -> Exception:
    """Keep the message alone: attrs' validators add the field, their options and the value."""
    message = error.args[0] if len(error.args) > 1 else None
    return ValueError(message) if isinstance(message, str) else error


def _attrs_nothing() -> Any:
    import attrs

    return attrs.NOTHING


def _default_of_key(field: Any) -> dict[str, Any]:
    """Return how a field that is not given is filled."""
    if field.default is _attrs_nothing():
        return {}
    if hasattr(field.default, "factory"):
        unfit = "it takes the instance" if field.default.takes_self else None
        return factory_default(field.default.factory, unfit)
    convert = None if field.converter is None else partial(_default_of, field, None)
    return {"default": "static", "declared": field.default, "convert": convert}


def _default_of(field: Any, instance: Any) -> Any:
    """Return the value of a field that was not given."""
    factory = getattr(field.default, "factory", None)
    if factory is None:
        return _convert(field, deepcopy(field.default))  # it may change what it is given
    return _convert(field, factory(instance) if field.default.takes_self else factory())


def _notes(field: Any) -> Iterator[tuple[str, Any]]:
    """Yield the description of a field, and its default if that is plain JSON."""
    text = field.metadata.get("description")
    if isinstance(text, str):
        yield "description", text
    if field.default is not _attrs_nothing() and not hasattr(field.default, "factory"):
        with suppress(NotJson):
            yield "default", to_json_data(field.default, foreign=Adapter.foreign)


def _type_variables(cls: Any) -> tuple[Any, ...]:
    variables: tuple[Any, ...] = getattr(cls, "__parameters__", ())
    return variables


def _replace_variables(tp: Any, types: dict[Any, Any]) -> Any:
    """Replace the type variables of an annotation."""
    if not types:
        return tp
    if isinstance(tp, TypeVar):
        return types.get(tp, tp)
    if get_origin(tp) is Annotated:
        return Annotated[(_replace_variables(tp.__origin__, types), *tp.__metadata__)]
    parameters = getattr(tp, "__parameters__", ())
    if parameters and get_args(tp):
        return tp[tuple(types.get(parameter, parameter) for parameter in parameters)]
    return tp
