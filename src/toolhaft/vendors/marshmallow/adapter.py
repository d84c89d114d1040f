"""marshmallow: Schema classes and instances.

The schema that we write decides: `load` converts and widens (text to numbers, `on` to
true), so data is checked first. Results are dumped, and the dump is checked, as marshmallow
itself validates nothing that it dumps.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.spec import Issue, Mode
from toolhaft.vendors.adapter import NoVendor, Rejected
from toolhaft.vendors.annotations import describe_type, is_async
from toolhaft.vendors.marshmallow.emit import Emission, all_fields, field_functions
from toolhaft.vendors.marshmallow.explain import issues_of
from toolhaft.vendors.marshmallow.validators import all_hooks
from toolhaft.vendors.schema_writer import AuditedAdapter, WrittenSchema

__all__ = ["NAME", "MarshmallowAdapter", "adapter", "owns"]

NAME = "marshmallow"


def owns(tp: object) -> bool:
    """Return whether an object is a Schema or a class of them, without importing marshmallow."""
    base = getattr(sys.modules.get(NAME), "Schema", None)
    if base is None:
        return False
    return issubclass(tp, base) if isinstance(tp, type) else isinstance(tp, base)


def adapter(tp: Any) -> MarshmallowAdapter:
    """Read a Schema once.

    Raises:
        NoVendor: A function of its author's is async: marshmallow would never await it. Or a
            nested Schema does not exist.
    """
    from marshmallow.exceptions import RegistryError

    try:
        schema = tp() if isinstance(tp, type) else tp
        functions = list(_author_functions(schema))
    except (RegistryError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        label = describe_type(tp if isinstance(tp, type) else type(tp))
        raise NoVendor(f"marshmallow: {label}: {reason}", "correct it") from None
    for place, function in functions:
        if is_async(function):
            raise NoVendor(
                f"marshmallow: {describe_type(type(schema))}: {place} is async", "use def"
            )
    return MarshmallowAdapter(schema)


def _author_functions(root: Any) -> Iterator[tuple[str, Any]]:
    """Yield every function that an author has put into a Schema, with its place."""
    for schema, fields in all_fields(root):
        yield from ((name, getattr(schema, name)) for name in all_hooks(schema))
        for name, field in fields:
            checks = (
                *field.validators,
                *field_functions(field, "pre_load"),
                *field_functions(field, "post_load"),
            )
            yield from (
                (name, function) for check in checks for function in _nested_validators(check)
            )
            yield from ((name, getattr(field, f"{verb}_default")) for verb in ("load", "dump"))
            for verb in ("serialize", "deserialize"):
                yield name, getattr(field, f"{verb}_func", None)
                yield name, getattr(schema, getattr(field, f"{verb}_method_name", "") or "", None)


def _nested_validators(check: Any) -> tuple[Any, ...]:
    """Return a validator, or its parts: `validate.And` contains others."""
    return tuple(getattr(check, "validators", (check,)))


class MarshmallowAdapter(AuditedAdapter):
    """One marshmallow Schema."""

    vendor = NAME

    def __init__(self, schema: Any) -> None:
        from marshmallow import ValidationError

        super().__init__()
        self._schema = schema
        self.rejects = (ValidationError, Rejected)

    def audit(self, mode: Mode) -> WrittenSchema:
        return Emission(mode).write(self._schema)

    def construct(self, data: Any) -> Any:
        return self._schema.load(data)

    def explain_rejection(self, error: Any, data: Any) -> list[Issue]:
        return list(issues_of(self._schema, error.messages, data))

    def is_instance(self, value: object) -> bool:
        """Take what `dump` reads: objects of every class, and dicts of their attributes."""
        if isinstance(value, list | tuple):
            return bool(self._schema.many)
        if value is None or isinstance(value, str | bytes | int | float):
            return False
        return isinstance(value, dict) or not isinstance(value, Mapping)

    def dump(self, value: Any) -> Any:
        try:
            return self._schema.dump(value)
        except (AttributeError, TypeError, ValueError):
            raise Rejected([Issue("cannot be dumped by its schema")]) from None
