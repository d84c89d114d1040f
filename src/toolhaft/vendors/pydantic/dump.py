"""Write results as pydantic does, but for sets, values without a declared type, and keys.

pydantic writes a set in the order of its hashes, and where the type says `Any` whatever it knows
some text for. So a value that may hold either is also written as Python data, which shows where
they were. Keys that are declared as text are written with U+FFFD for lone surrogates, which makes
one entry of two: such a key is compared with what it was, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

from toolhaft.jsonio.jsondata import UNKNOWN, NotJson, sort_items, to_exact, to_json_data
from toolhaft.jsonio.plaindata import is_text
from toolhaft.jsonio.primitives import plain_copy
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Issue, Path
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.emission_rules import JSON_TYPES

__all__ = ["explain_unwritten", "is_secret", "scalar_writer", "write_scalar", "writer"]

REPLACEMENT: Final = "\ufffd"
LONE_SURROGATE: Final = "lone surrogate in a key"


def writer(serializer: Any, output: PlaceIndex | None, *, has_maps: bool) -> Callable[[Any], Any]:
    """Make the function that dumps values; `serializer` is that of a `TypeAdapter`.

    `output` is the index of the output schema, where sets or undeclared values may be held. The
    warnings of pydantic are left out: the dump is checked afterwards.
    """
    options = {"by_alias": True, "warnings": False, "fallback": _dump_any}
    write: Callable[[Any], Any] = partial(serializer.to_python, mode="json", **options)
    to_python = partial(serializer.to_python, **options)
    if has_maps:
        write = _keeping_keys(write, to_python)
    if output is None:
        return write

    def write_ordered(value: Any) -> Any:
        data, python_value = write(value), to_python(value)
        # Plain data that were written as they are have no sets, and nothing without a text.
        is_plain = plain_copy({"": python_value}) is not None and data == python_value
        return data if is_plain else _normalise(data, python_value, output, ())

    return write_ordered


def _keeping_keys(
    write: Callable[[Any], Any], to_python: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    """Make `write` refuse keys that it does not write as they are.

    Raises:
        NotJson: A key has a lone surrogate.
    """
    from pydantic_core import to_json

    replacement = REPLACEMENT.encode()

    def write_kept(value: Any) -> Any:
        data = write(value)
        try:
            if replacement not in to_json(data):
                return data
        except ValueError:  # other text has a lone surrogate: the dump's check reports its place
            return data
        replaced = {key for key in _keys_of(data) if REPLACEMENT in key}
        keys = [to_exact(key) for key in _keys_of(to_python(value))]
        if not all(is_text(key) for key in keys if type(key) is str) or replaced.difference(keys):
            raise NotJson([Issue(LONE_SURROGATE, code="json")])
        return data

    return write_kept


def _keys_of(data: Any) -> Iterator[Any]:
    """Yield the keys of every mapping within data."""
    if isinstance(data, Mapping):
        yield from data
        data = [*data.values()]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        for item in data:
            yield from _keys_of(item)


def _dump_any(value: Any) -> Any:
    """Dump a value without a declared type.

    Raises:
        NotJson: It has no JSON form.
    """
    return to_json_data(value, foreign=Adapter.foreign)


def _normalise(data: Any, python_value: Any, output: PlaceIndex, path: Path) -> Any:
    """Sort the items of sets, and dump values without a type by the table of results."""
    parts = output.at(path).parts
    if _is_undeclared(parts):
        return _dump_any(python_value)
    if isinstance(data, dict) and isinstance(python_value, Mapping):
        _check_keys(data, python_value, parts)
    if isinstance(python_value, set | frozenset) and isinstance(data, list):
        return sort_items(data)
    if (
        isinstance(data, dict)
        and isinstance(python_value, Mapping)
        and len(data) == len(python_value)
    ):
        pairs = zip(data.items(), python_value.values(), strict=True)
        return {
            key: _normalise(item, original, output, (*path, key)) for (key, item), original in pairs
        }
    if (
        isinstance(data, list)
        and isinstance(python_value, list | tuple)
        and len(data) == len(python_value)
    ):
        items = enumerate(zip(data, python_value, strict=True))
        return [
            _normalise(item, original, output, (*path, index)) for index, (item, original) in items
        ]
    return data


def _check_keys(data: dict[str, Any], python_value: Mapping[Any, Any], parts: list[Any]) -> None:
    """Refuse keys without a declared type that the table does not write, and two of one text.

    Raises:
        NotJson: There are any.
    """
    typed_keys = {marks_of(part).get("typed_keys") for part in parts}
    if False in typed_keys and True not in typed_keys:
        _dump_any(dict.fromkeys(python_value))
    if len(data) < len(python_value) and not all(type(key) is str for key in python_value):
        raise NotJson([Issue("two keys are written as one text", code="json")])


def _is_undeclared(parts: list[Any]) -> bool:
    """Return whether the output schema has no rule for a place, or accepts anything there."""
    return not parts or any(part.get("type") == list(JSON_TYPES) for part in parts)


def explain_unwritten(error: Exception) -> str:
    """Return why a value has no JSON form; an author's serializer's exception is raised again."""
    from pydantic_core import PydanticSerializationError

    cause = error
    if isinstance(error, PydanticSerializationError):
        if not isinstance(error.__cause__, Exception):
            return "not JSON data"
        cause = error.__cause__
    if isinstance(cause, NotJson):
        return cause.issues[0].message
    if isinstance(cause, UnicodeDecodeError):
        return "bytes that are not UTF-8"
    if isinstance(cause, AttributeError) and _is_field(cause.obj, cause.name):
        return "a field has no value"
    if cause is error and isinstance(error, UnicodeEncodeError):
        return LONE_SURROGATE  # pydantic writes all other text as it is
    if cause is error and isinstance(error, ValueError | RecursionError):
        return "it holds itself"  # an author's own error would be the cause of another
    try:
        raise cause
    finally:
        del cause, error  # they know this frame, and would be held by it


def _is_field(value: Any, name: str | None) -> bool:
    return name in getattr(type(value), "__dataclass_fields__", ())


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
