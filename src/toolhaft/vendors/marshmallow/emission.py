"""A marshmallow Schema as JSON Schema, field by field, with what cannot be said of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Any, Final

from toolhaft.jsonio.jsondata import NotPlain, snapshot
from toolhaft.schema.marks import mark, without_marks
from toolhaft.spec import Mode
from toolhaft.vendors.emission_rules import REFS, summary, unused, whole
from toolhaft.vendors.fields import FieldKey, mark_fields
from toolhaft.vendors.marshmallow.hooks import hooks_of
from toolhaft.vendors.marshmallow.validators import constrain
from toolhaft.vendors.patterns import of_strptime
from toolhaft.vendors.schema_writer import (
    SchemaWriter,
    constants,
    default_of,
    enumerated,
    is_empty,
    nullable,
)

__all__ = ["FORMATS", "Emission", "fields_below", "kind_of", "steps"]

FORMATS: Final = {
    "Date": "date", "DateTime": "date-time", "AwareDateTime": "date-time",
    "NaiveDateTime": "date-time", "Time": "time", "UUID": "uuid", "Email": "email", "Url": "uri",
    "IPv4": "ipv4", "IPv6": "ipv6",
}  # fmt: skip
SCALARS: Final = {
    "String": "string", "Integer": "integer", "Float": "number", "Decimal": "number",
    "Boolean": "boolean", "Email": "string", "Url": "string",
}  # fmt: skip
# All but null, which `allow_none` adds.
ANYTHING: Final[dict[str, Any]] = {"type": ["boolean", "number", "string", "array", "object"]}
SIMPLE: Final[dict[str, dict[str, Any]]] = {
    **{kind: {"type": "string", "format": form} for kind, form in FORMATS.items()},
    **{kind: {"type": name} for kind, name in SCALARS.items()},  # Email and Url have a validator
    "Raw": ANYTHING,
}
TEMPORAL: Final = ("Date", "DateTime", "AwareDateTime", "NaiveDateTime", "Time")
LAST_SECOND: Final = 253_402_300_799  # of the year 9999, where `datetime` ends
NOTES: Final = ("title", "description", "examples", "deprecated")
HOOKS: Final = {
    "input": ("pre_load", "validates", "validates_schema"),
    "output": ("pre_dump", "post_dump"),
}


def kind_of(field: Any) -> str | None:
    """Name the class of a field; None where it is an author's own."""
    kind = type(field)
    return kind.__name__ if kind.__module__ == "marshmallow.fields" else None


def within(field: Any) -> Iterator[Any]:
    """Give a field and the fields in it; what is nested has a schema of its own."""
    yield field
    inner = [getattr(field, name, None) for name in ("inner", "key_field", "value_field")]
    for one in (*inner, *getattr(field, "tuple_fields", ())):
        if one is not None:
            yield from within(one)


def steps(field: Any, when: str) -> Collection[Any]:
    """Give the functions that a field runs itself, which it can from marshmallow 4.3 on."""
    functions: Collection[Any] = getattr(field, when, ())
    return functions


def fields_below(root: Any) -> Iterator[tuple[Any, list[tuple[str, Any]]]]:
    """Give every Schema under one, itself first, each class once, with all fields of it."""
    queue, seen = [root], set[type]()
    while queue:
        schema = queue.pop()
        if type(schema) in seen:
            continue
        seen.add(type(schema))
        fields = [(name, one) for name, top in schema.fields.items() for one in within(top)]
        yield schema, fields
        queue += [one.schema for _, one in fields if hasattr(one, "nested")]


class Emission:
    """One pass over a Schema, for what it loads or for what it dumps."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.losses: list[str] = []
        self.definitions: dict[str, Any] = {}
        self.names: dict[Any, str] = {}
        self.place = ""

    def made(self, schema: Any) -> SchemaWriter:
        root = self.nested(schema, many=schema.many)
        return SchemaWriter(whole(root, self.definitions), self.losses)

    def lose(self, reason: str) -> None:
        loss = f"{self.place}: {reason}"
        if loss not in self.losses:
            self.losses.append(loss)

    # ------------------------------------------------------------------------- schemas

    def nested(
        self, schema: Any, *, many: bool, unknown: Any = None, partial: Any = None
    ) -> dict[str, Any]:
        """Refer to the definition of a Schema as it is used here, and write it once."""
        unknown = unknown or schema.unknown
        partial = schema.partial if partial is None else partial
        key = (type(schema), unknown, _frozen(partial), _chosen(schema))
        if key not in self.names:
            name = self.names[key] = unused(type(schema).__name__, self.names.values())
            self.definitions[name] = {}
            self.definitions[name] = self.object(schema, unknown, partial)
        node = {"$ref": REFS + self.names[key]}
        return {"type": "array", "items": node} if many else node

    def object(self, schema: Any, unknown: Any, partial: Any) -> dict[str, Any]:
        outer, name = self.place, type(schema).__name__
        self.place = name
        for hook in HOOKS[self.mode]:
            self.hooked(schema, hook)
        fields = schema.load_fields if self.mode == "input" else schema.dump_fields
        properties: dict[str, Any] = {}
        required: list[str] = []
        for attribute, field in fields.items():
            self.place = f"{name}.{attribute}"
            key = attribute if field.data_key is None else field.data_key
            properties[key] = self.field(field, _below(partial, attribute))
            if field.required and partial is not True and attribute not in (partial or ()):
                required.append(key)
        self.place = outer
        made: dict[str, Any] = {**_notes_of(schema), "type": "object", "properties": properties}
        if required:
            made["required"] = required
        if self.mode == "output" or unknown == "raise":
            made["additionalProperties"] = False
        elif unknown == "include":
            made["additionalProperties"] = True
        if self.mode == "input":
            self.marked(made, schema, unknown)
        return made

    def marked(self, made: dict[str, Any], schema: Any, unknown: Any) -> None:
        """Mark an object with what becomes of undeclared keys, and with other names of a key."""
        policy = {"raise": "forbid", "exclude": "ignore", "include": "allow"}[unknown]
        if policy == "allow" and hooks_of(schema, "pre_load"):
            made["additionalProperties"], policy = False, "forbid"
        keys = made["properties"]
        others = {
            name: field.data_key or name
            for name, field in schema.load_fields.items()
            if name not in keys
        }
        others |= {
            field.attribute: field.data_key or name
            for name, field in schema.load_fields.items()
            if field.attribute and field.attribute not in keys
        }
        others |= {name: None for name in schema.fields if name not in (*others, *keys)}
        mark_fields(made, [_field_key(name, one) for name, one in schema.load_fields.items()])
        mark(made, extra=policy, **({"other_names": others} if others else {}))
        if hooks_of(schema, "pre_load"):
            mark(made, open=True)

    def hooked(self, schema: Any, tag: str) -> None:
        for name in hooks_of(schema, tag):
            self.lose(f"@{tag} {name}")

    # ------------------------------------------------------------------------- fields

    def field(self, field: Any, partial: Any = None) -> dict[str, Any]:
        """Write a field with its validators, its description and its default."""
        node = self.typed(field, partial)
        if steps(field, "pre_load") and self.mode == "input":
            self.lose("pre_load functions")
            mark(node, open=True)
        # Lost as a whole: its validators see something else than the data.
        if not without_marks(node):
            return node
        node, lost = constrain(node, field.validators)
        for name in lost if self.mode == "input" else ():  # nothing validates what is dumped
            self.lose(name)
        if field.allow_none:
            node = {} if node == ANYTHING else nullable(node)
        return {**self.notes(field), **node}

    def notes(self, field: Any) -> dict[str, Any]:
        from marshmallow import missing

        found = {note: field.metadata[note] for note in NOTES if note in field.metadata}
        if self.mode == "output":
            return found
        default = field.load_default
        if is_empty(default):
            default = default()
        if default is missing or callable(default):
            return found
        try:
            written = field.serialize("", None, lambda *_: default)
        except (AttributeError, TypeError, ValueError):
            return found
        return found | default_of(written)

    def typed(self, field: Any, partial: Any) -> dict[str, Any]:
        """Write what a field is, without what further holds for it."""
        kind = kind_of(field)
        if self.mode == "output" and (kind == "Decimal" or getattr(field, "as_string", False)):
            return {"type": "string"}
        if kind in TEMPORAL:
            return self.temporal(field, kind)
        if kind == "Boolean" and not (True in field.truthy and False in field.falsy):
            self.lose("truthy and falsy without true and false")
            return {}
        if kind in SIMPLE:
            return dict(SIMPLE[kind])
        write = _CONTAINERS.get(kind or "")
        if write is not None:
            return write(self, field, partial)
        own = "the field" if kind else "the custom field"
        self.lose(f"{own} {type(field).__name__}")
        return {}

    def temporal(self, field: Any, kind: str) -> dict[str, Any]:
        if field.format in ("timestamp", "timestamp_ms"):
            most = LAST_SECOND * (1000 if field.format == "timestamp_ms" else 1)
            return {"type": "number", "minimum": 0, "maximum": most}
        if field.format in ("iso", "iso8601"):
            is_naive = kind == "NaiveDateTime" and field.timezone is None
            if is_naive and self.mode == "input":
                self.lose("a date-time without a zone")
            return {"type": "string", "format": FORMATS[kind]}
        pattern = of_strptime(field.format)
        if pattern is None or field.format in ("rfc", "rfc822"):
            self.lose(f"the format {field.format}")
            return {"type": "string"}
        return {"type": "string", "pattern": pattern}

    def time_delta(self, field: Any, partial: Any) -> dict[str, Any]:
        del partial
        most = timedelta(days=999_999_999) // timedelta(**{field.precision: 1})
        return {"type": "number", "minimum": -most, "maximum": most}

    def list_(self, field: Any, partial: Any) -> dict[str, Any]:
        return {"type": "array", "items": self.field(field.inner, partial)}

    def tuple_(self, field: Any, partial: Any) -> dict[str, Any]:
        items = [self.field(one, partial) for one in field.tuple_fields]
        count = len(items)
        return {"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}

    def dict_(self, field: Any, partial: Any) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "object", "additionalProperties": True}
        if field.value_field is not None:
            made["additionalProperties"] = self.field(field.value_field, partial)
        if field.key_field is not None:
            names = self.field(field.key_field)
            if names.get("type") != "string" or "format" in names:
                self.lose("keys that are no plain text")
            elif names != {"type": "string"}:
                made["propertyNames"] = names
        return made

    def nested_(self, field: Any, partial: Any) -> dict[str, Any]:
        many = field.schema.many or bool(field.many)
        return self.nested(field.schema, many=many, unknown=field.unknown, partial=partial)

    def pluck(self, field: Any, partial: Any) -> dict[str, Any]:
        node = self.field(field.schema.fields[field.field_name], partial)
        return {"type": "array", "items": node} if field.many else node

    def enum(self, field: Any, partial: Any) -> dict[str, Any]:
        del partial
        members = field.enum if field.by_value else field.enum.__members__.values()
        written = [field.serialize("", None, lambda *_, one=one: one) for one in members]
        if not field.by_value:
            written = list(field.enum.__members__)
        values = constants(written)
        if not values:
            self.lose(f"the values of {field.enum.__name__}")
            return {}
        return enumerated([one for one in values if one is not None] or values)

    def constant(self, field: Any, partial: Any) -> dict[str, Any]:
        del partial
        try:
            return {"const": snapshot(field.constant)}
        except NotPlain:
            self.lose("a constant without a JSON form")
            return {}

    def ip(self, field: Any, partial: Any) -> dict[str, Any]:
        del field, partial
        return {"anyOf": [{"type": "string", "format": one} for one in ("ipv4", "ipv6")]}


_CONTAINERS: Final = {
    "List": Emission.list_, "Tuple": Emission.tuple_, "Dict": Emission.dict_,
    "Nested": Emission.nested_, "Pluck": Emission.pluck, "Enum": Emission.enum,
    "Constant": Emission.constant, "IP": Emission.ip, "TimeDelta": Emission.time_delta,
}  # fmt: skip


def _field_key(name: str, field: Any) -> FieldKey:
    """Say under which name a key is kept, and how it is filled if it is not given."""
    from marshmallow import missing

    key, attribute, default = field.data_key or name, field.attribute or name, field.load_default
    if default is missing:
        return FieldKey(key, attribute)
    is_factory = callable(default) and not is_empty(default)
    return FieldKey(key, attribute, "factory" if is_factory else "static")


def _notes_of(schema: Any) -> dict[str, Any]:
    meta = getattr(type(schema), "Meta", None)
    told = {note: text for note in NOTES if (text := getattr(meta, note, None)) is not None}
    text = summary(type(schema))
    return {"description": text, **told} if text else told


def _below(partial: Any, name: str) -> Any:
    """Give what of `partial` holds in a field: dots lead into nested ones."""
    if partial is None or isinstance(partial, bool):
        return partial
    prefix = f"{name}."
    return [one.removeprefix(prefix) for one in partial if one.startswith(prefix)]


def _frozen(partial: Any) -> Any:
    return frozenset(partial) if isinstance(partial, Collection) else partial


def _chosen(schema: Any) -> Any:
    """Give what tells one use of a class from another: the fields it has, and nested choices."""
    return tuple(
        (name, one.dump_only, one.load_only, str(getattr(one, "only", "")),
         str(getattr(one, "exclude", "")))
        for name, one in schema.fields.items()
    )  # fmt: skip
