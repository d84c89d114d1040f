"""An attrs class as the engine reads it: an object whose keys make the class's arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from threading import local
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

from toolhaft.jsonio.jsondata import NotJson, to_json_data
from toolhaft.vendors.adapter import Adapter, NoVendor
from toolhaft.vendors.annotations import hints_of, is_async
from toolhaft.vendors.attrs.validators import constrained, functions_in
from toolhaft.vendors.fields import FieldKey
from toolhaft.vendors.pydantic.keys import FIELDS, NOTES

__all__ = ["stand_in"]

Carry = Callable[[Any], Any]
HOOKS: Final = ("__attrs_pre_init__", "__attrs_post_init__")


def stand_in(cls: Any, arguments: tuple[Any, ...], carry: Carry) -> Any:
    """A type that the engine can ask for the schema of an attrs class.

    `carry` does the same for the types of its fields. The same class is the same stand-in as long
    as it is being read, so that a class may hold itself.
    """
    fields = _Fields(cls, arguments, carry)
    return type(cls.__name__, (), {"__get_pydantic_core_schema__": staticmethod(fields.schema)})


class _Reading(local):
    """The references of the classes that one thread is reading."""

    def __init__(self) -> None:
        self.refs: dict[Any, str] = {}


class _Fields:
    """The fields of one class, with its type variables replaced."""

    # The classes that are being read here: one that holds itself is a reference.
    reading = _Reading()

    def __init__(self, cls: Any, arguments: tuple[Any, ...], carry: Carry) -> None:
        self.cls = cls
        self.arguments = arguments
        self.carry = carry

    def schema(self, source: Any, handler: Any) -> Any:
        """The core schema: read the keys, make the object, and write it back."""
        del source
        from pydantic_core import core_schema

        key = (self.cls, self.arguments)
        reading = self.reading.refs
        if key in reading:
            return core_schema.definition_reference_schema(reading[key])
        words = ",".join(getattr(one, "__name__", str(one)) for one in self.arguments)
        name = f"{self.cls.__module__}.{self.cls.__qualname__}:{id(self.cls)}"
        ref = f"{name}[{words}:{id(self)}]" if words else name
        reading[key] = ref
        try:
            taken, shown = self.keys(handler)
        finally:
            del reading[key]
        inner = core_schema.typed_dict_schema(
            taken, cls=self.cls, extra_behavior="ignore", metadata={FIELDS: self.field_keys()}
        )
        outer = core_schema.typed_dict_schema(shown, cls=self.cls)
        write = core_schema.plain_serializer_function_ser_schema(self.written, return_schema=outer)
        return core_schema.no_info_after_validator_function(
            self.made, inner, ref=ref, serialization=write
        )

    def keys(self, handler: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The keys that make an object, and those that show one."""
        from pydantic_core import core_schema

        hints = self.hints()
        taken: dict[str, Any] = {}
        shown: dict[str, Any] = {}
        for one in self.cls.__attrs_attrs__:
            node = handler.generate_schema(self.type_of(one, hints))
            notes = {NOTES: dict(_notes(one))}
            optional = one.default is not _nothing()
            shown[one.alias] = core_schema.typed_dict_field(
                node, required=not (one.init and optional), metadata=notes
            )
            if one.init:
                taken[one.alias] = core_schema.typed_dict_field(
                    self.converted(one, node), required=not optional, metadata=notes
                )
        return taken, shown

    def field_keys(self) -> tuple[FieldKey, ...]:
        """The keys of what `__init__` takes, with the attributes that they fill."""
        taken = [one for one in self.cls.__attrs_attrs__ if one.init]
        return tuple(FieldKey(one.alias, one.name, _filled_by(one)) for one in taken)

    def hints(self) -> dict[str, Any]:
        """The types of the fields.

        Raises:
            NoVendor: A name in one of them means nothing.
        """
        hints = hints_of(self.cls)
        written = [one for one in self.cls.__attrs_attrs__ if isinstance(one.type, str)]
        if written and not hints:
            reason = f"attrs: {self.cls.__name__}.{written[0].name}: a name in its type is unknown"
            raise NoVendor(reason, "define it before the tool is used, at the module's top")
        return hints

    def type_of(self, one: Any, hints: dict[str, Any]) -> Any:
        """The type of a field, with what its validators say."""
        tp = hints.get(one.name, one.type)
        if tp is None:
            reason = f"attrs: {self.cls.__name__}.{one.name} has no type"
            raise NoVendor(reason, "annotate it")
        tp = _filled(tp, dict(zip(_variables(self.cls), self.arguments, strict=False)))
        self.require_sync(one)
        return self.carry(constrained(tp, one.validator))

    def require_sync(self, one: Any) -> None:
        """Refuse what attrs would call for a field, or for the whole object, and never await."""
        functions = {
            "validator": functions_in(one.validator),
            "converter": (getattr(one.converter, "converter", one.converter),),
            "factory": (getattr(one.default, "factory", None),),
            "class": (getattr(self.cls, hook, None) for hook in HOOKS),
        }
        for what, called in functions.items():
            if any(map(is_async, called)):
                reason = f"attrs: {self.cls.__name__}.{one.name}: its {what} is async"
                raise NoVendor(reason, "write it as a plain def")

    def converted(self, one: Any, node: Any) -> Any:
        """A field whose converter sees the raw value, as it does without us.

        What it gives must be of the field's type; the raw value goes on, so that the class
        converts it once more, and with all that it knows.
        """
        if one.converter is None:
            return node
        from pydantic_core import core_schema

        convert = one.converter
        if getattr(convert, "takes_self", False) or getattr(convert, "takes_field", False):
            reason = f"attrs: {self.cls.__name__}.{one.name}: its converter takes the object"
            raise NoVendor(reason, "give parameters=")

        def fits(value: Any, handler: Any) -> Any:
            try:
                made = convert(deepcopy(value))  # it may change what it is given
            except TypeError as error:  # what a converter of text says of a list
                raise ValueError(str(error)) from None
            handler(made)
            return value

        return core_schema.no_info_wrap_validator_function(fits, node)

    def made(self, values: dict[str, Any]) -> Any:
        """Make the object; what its validators object to is said at the field."""
        try:
            return self.cls(**values)
        except (ValueError, AssertionError) as error:
            found = list(self.faults(values))
            if not found:
                raise
            combined = _at_fields(self.cls, found)
            del found  # its exceptions know this frame, and would be held by it
            raise combined from error

    def faults(self, values: dict[str, Any]) -> Iterator[tuple[str, Any, Exception]]:
        """What each validator says by itself of an object that has all of its values."""
        whole = object.__new__(self.cls)
        present = [one for one in self.cls.__attrs_attrs__ if one.alias in values or one.init]
        for one in present:
            value = values[one.alias] if one.alias in values else _default_of(one, whole)
            object.__setattr__(whole, one.name, one.converter(value) if one.converter else value)
        for one in present:
            if one.validator is not None:
                try:
                    one.validator(whole, one, getattr(whole, one.name))
                except (ValueError, AssertionError) as error:
                    yield one.alias, getattr(whole, one.name), error

    def written(self, value: Any) -> Any:
        """The object as a dict; anything else is as wrong as it is."""
        if not isinstance(value, self.cls):
            return value
        return {
            one.alias: getattr(value, one.name)
            for one in self.cls.__attrs_attrs__
            if hasattr(value, one.name)
        }


def _at_fields(cls: Any, found: list[tuple[str, Any, Exception]]) -> Exception:
    """The engine's own error, with a line for each field."""
    from pydantic_core import InitErrorDetails, ValidationError

    lines = [
        InitErrorDetails(type="value_error", loc=(alias,), input=value, ctx={"error": _told(error)})
        for alias, value, error in found
    ]
    return ValidationError.from_exception_data(cls.__name__, lines)


def _told(error: Exception) -> Exception:
    """Keep the words: attrs' own validators add the field, their options and the value."""
    words = error.args[0] if len(error.args) > 1 else None
    return ValueError(words) if isinstance(words, str) else error


def _nothing() -> Any:
    import attrs

    return attrs.NOTHING


def _filled_by(one: Any) -> Any:
    """Say how a field that is not given is filled."""
    if one.default is _nothing():
        return None
    return "factory" if hasattr(one.default, "factory") else "static"


def _default_of(one: Any, whole: Any) -> Any:
    """The value of a field that was not given."""
    factory = getattr(one.default, "factory", None)
    if factory is None:
        return one.default
    return factory(whole) if one.default.takes_self else factory()


def _notes(one: Any) -> Iterator[tuple[str, Any]]:
    """What a field says of itself: its description, and a default that is plain JSON."""
    text = one.metadata.get("description")
    if isinstance(text, str):
        yield "description", text
    if one.default is not _nothing() and not hasattr(one.default, "factory"):
        with suppress(NotJson):
            yield "default", to_json_data(one.default, foreign=Adapter.foreign)


def _variables(cls: Any) -> tuple[Any, ...]:
    found: tuple[Any, ...] = getattr(cls, "__parameters__", ())
    return found


def _filled(tp: Any, meant: dict[Any, Any]) -> Any:
    """The annotation with its type variables replaced."""
    if not meant:
        return tp
    if isinstance(tp, TypeVar):
        return meant.get(tp, tp)
    if get_origin(tp) is Annotated:
        return Annotated[(_filled(tp.__origin__, meant), *tp.__metadata__)]
    parameters = getattr(tp, "__parameters__", ())
    if parameters and get_args(tp):
        return tp[tuple(meant.get(one, one) for one in parameters)]
    return tp
