"""Dump scalars in the form that pydantic reads, without an author's serializers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any

from toolhaft.jsonio.jsondata import UNKNOWN, to_json_data
from toolhaft.vendors.adapter import Adapter

__all__ = ["is_secret", "scalar_writer", "write_scalar"]


def scalar_writer(config: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return the writer of a class's scalars, by its config."""
    form = config.get("val_json_bytes", "utf8")
    return write_scalar if form == "utf8" else partial(write_scalar, form=form)


def write_scalar(value: Any, form: str = "utf8") -> Any:
    """Write a scalar; `form` is how bytes are text.

    Raises:
        NotJson: It has no JSON form, or is secret.
    """
    if isinstance(value, Decimal) and value.is_finite():
        return Decimal(value)  # its digits are a number's
    if isinstance(value, bytes) and form != "utf8":
        return _dump_by_pydantic(value, form)
    return to_json_data(value, foreign=_dump_known)


def _dump_known(value: Any) -> Any:
    data = Adapter.foreign(value)
    return _dump_by_pydantic(value) if data is UNKNOWN else data


def is_secret(value: Any) -> bool:
    """Whether a value is one of pydantic's secrets, which it would dump as stars."""
    return hasattr(value, "get_secret_value")


def _dump_by_pydantic(value: Any, form: Any = "utf8") -> Any:
    """Dump further types of pydantic, such as URLs; a secret is not dumped as stars."""
    from pydantic import PydanticUserError
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    if is_secret(value):
        return UNKNOWN
    try:
        return to_jsonable_python(value, bytes_mode=form, fallback=_dump_declared)
    except (PydanticSerializationError, PydanticUserError):
        return UNKNOWN


def _dump_declared(value: Any) -> Any:
    """Dump what pydantic knows by its declared type alone, as 2.12 does IP addresses."""
    from pydantic import TypeAdapter

    return TypeAdapter(type(value)).dump_python(value, mode="json")
