"""Turn marshmallow's messages into issues, with exact paths by the fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolhaft.schema.format_patterns import format_words
from toolhaft.spec import Issue, Path
from toolhaft.vendors.marshmallow.emit import FORMATS, kind_of

__all__ = ["issues_of"]

WHOLE: Final = "_schema"
MAX_WORDS: Final = 300


def issues_of(schema: Any, messages: Any, data: Any) -> Iterator[Issue]:
    """List the issues of a `ValidationError` about the data of a Schema."""
    yield from _schema(schema, schema.many, messages, data, ())


def _schema(schema: Any, many: bool, messages: Any, data: Any, path: Path) -> Iterator[Issue]:
    if many and isinstance(data, list) and isinstance(messages, Mapping):
        for place, inner in messages.items():
            if isinstance(place, int):
                yield from _object(schema, inner, data[place], (*path, place))
            else:
                yield from _issues(inner, path)
    else:
        yield from _object(schema, messages, data, path)


def _object(schema: Any, messages: Any, data: Any, path: Path) -> Iterator[Issue]:
    fields = {
        name if field.data_key is None else field.data_key: field
        for name, field in schema.load_fields.items()
    }
    values = data if isinstance(data, dict) else {}
    for key, inner in messages.items() if isinstance(messages, Mapping) else [(WHOLE, messages)]:
        if key in fields:
            yield from _field(fields[key], inner, values.get(key), (*path, key))
        elif key in values and inner == [schema.error_messages["unknown"]]:
            yield Issue("unknown", (*path, key), "extra")
        else:
            yield from _issues(inner, (*path, key) if key in values else path)


def _field(field: Any, messages: Any, data: Any, path: Path) -> Iterator[Issue]:
    kind = kind_of(field)
    if not isinstance(messages, Mapping):
        yield from _issues(messages, path, field)
    elif kind == "Nested":
        yield from _schema(field.schema, field.many, messages, data, path)
    elif kind == "Dict" and isinstance(data, dict):
        for key, inner in messages.items():
            yield from _entry(field, key, inner, data, path)
    else:
        for step, inner in messages.items():
            is_item = isinstance(step, int) and isinstance(data, list)
            item_field, value = _item_field(field, kind, step), data[step] if is_item else data
            item_messages = _pluck_messages(inner) if kind == "Pluck" and is_item else inner
            yield from _field(item_field, item_messages, value, (*path, step) if is_item else path)


def _item_field(field: Any, kind: str | None, step: Any) -> Any:
    """Return the field that the messages of a container's item are about."""
    if kind == "Tuple":
        return field.tuple_fields[step]
    if kind == "Pluck":
        return field.schema.fields[field.field_name]
    return getattr(field, "inner", None)


def _entry(field: Any, key: Any, messages: Any, data: Any, path: Path) -> Iterator[Issue]:
    """Read the messages of an open map's key and value; an author's own know neither."""
    if key not in data or not isinstance(messages, Mapping):
        yield from _issues(messages, path)
        return
    yield from _issues(messages.get("key", ()), (*path, key))
    yield from _field(field.value_field, messages.get("value", ()), data[key], (*path, key))


def _pluck_messages(messages: Any) -> Any:
    return next(iter(messages.values()), ()) if isinstance(messages, Mapping) else messages


def _issues(messages: Any, path: Path, field: Any = None) -> Iterator[Issue]:
    """Make an issue of each text of a message, however it is nested."""
    for text in _texts(messages):
        yield _issue(text, path, field)


def _texts(messages: Any) -> list[str]:
    if isinstance(messages, Mapping):
        messages = list(messages.values())
    if isinstance(messages, list | tuple):
        return [text for inner in messages for text in _texts(inner)]
    return [str(messages)]


def _issue(text: str, path: Path, field: Any) -> Issue:
    templates: Mapping[str, Any] = {} if field is None else field.error_messages
    if text == templates.get("required"):
        return Issue("required", path, "missing")
    form = FORMATS.get(kind_of(field) or "")
    if form is not None and text == _invalid(field):
        return Issue(f"expected {format_words(form)}", path, "format")
    return Issue(text[:MAX_WORDS] or "not accepted", path)


def _invalid(field: Any) -> str:
    """Return a field's own message for text that it cannot read."""
    messages: Mapping[str, Any] = field.error_messages
    names = ("invalid", "invalid_uuid", "invalid_ip")
    template = next((str(messages[name]) for name in names if name in messages), "")
    return template.replace("{obj_type}", getattr(field, "OBJ_TYPE", ""))
