"""Write a marshmallow Schema as JSON Schema, field by field, with a list of losses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta
from functools import partial
from typing import Any, Final

from toolhaft.definition.names import free_name
from toolhaft.jsonio.jsondata import NotPlain, snapshot
from toolhaft.schema.marks import MARK, mark, without_marks
from toolhaft.spec import Mode
from toolhaft.vendors.emission_rules import REFS, assemble_schema, class_summary
from toolhaft.vendors.fields import (
    FieldKey,
    Fields,
    factory_default,
    is_constant_factory,
    mark_fields,
)
from toolhaft.vendors.marshmallow.validators import constrain, hooks_of
from toolhaft.vendors.schema_writer import (
    WrittenSchema,
    constants,
    default_keyword,
    enum_schema,
    nullable_schema,
    strptime_pattern,
)

__all__ = ["FORMATS", "Emission", "all_fields", "field_functions", "kind_of"]

FORMATS: Final = {
    "Date": "date", "DateTime": "date-time", "AwareDateTime": "date-time",
    "NaiveDateTime": "date-time", "Time": "time", "UUID": "uuid", "Email": "email", "Url": "uri",
    "IPv4": "ipv4", "IPv6": "ipv6",
}  # fmt: skip
SCALARS: Final = {
    "String": "string", "Integer": "integer", "Float": "number", "Boolean": "boolean",
    "Email": "string", "Url": "string",
}  # fmt: skip
# All but null, which `allow_none` adds.
ANYTHING: Final[dict[str, Any]] = {"type": ["boolean", "number", "string", "array", "object"]}
SIMPLE: Final[dict[str, dict[str, Any]]] = {
    **{kind: {"type": "string", "format": form} for kind, form in FORMATS.items()},
    **{kind: {"type": name} for kind, name in SCALARS.items()},  # Email and Url have a validator
    "Raw": ANYTHING,
}
SCALAR_KINDS: Final = (*FORMATS, *SCALARS, "Decimal", "Enum", "IP", "TimeDelta")
TEMPORAL: Final = ("Date", "DateTime", "AwareDateTime", "NaiveDateTime", "Time")
LAST_SECOND: Final = 253_402_300_799  # of the year 9999, where `datetime` ends
NOTES: Final = ("title", "description", "examples", "deprecated")
HOOKS: Final = {
    "input": ("pre_load", "validates", "validates_schema"),
    "output": ("pre_dump", "post_dump"),
}


def kind_of(field: Any) -> str | None:
    """Name the class of a field, or return None if it is an author's own."""
    kind = type(field)
    return kind.__name__ if kind.__module__ == "marshmallow.fields" else None


def nested_fields(field: Any) -> Iterator[Any]:
    """Yield a field and the fields in it; a nested Schema has its own schema."""
    yield field
    inner = [getattr(field, name, None) for name in ("inner", "key_field", "value_field")]
    for nested in (*inner, *getattr(field, "tuple_fields", ())):
        if nested is not None:
            yield from nested_fields(nested)


def field_functions(field: Any, when: str) -> Collection[Any]:
    """Return the functions that a field runs itself, which it can from marshmallow 4.3 on."""
    functions: Collection[Any] = getattr(field, when, ())
    return functions


def all_fields(root: Any) -> Iterator[tuple[Any, list[tuple[str, Any]]]]:
    """Yield every Schema under one, itself first, each class once, with all fields of it."""
    queue, visited = [root], set[type]()
    while queue:
        schema = queue.pop()
        if type(schema) in visited:
            continue
        visited.add(type(schema))
        fields = [
            (name, field) for name, top in schema.fields.items() for field in nested_fields(top)
        ]
        yield schema, fields
        queue += [field.schema for _, field in fields if hasattr(field, "nested")]


class Emission:
    """One pass over a Schema, for what it loads or for what it dumps."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.losses: list[str] = []
        self.definitions: dict[str, Any] = {}
        self.names: dict[Any, str] = {}
        self.place = ""

    def write(self, schema: Any) -> WrittenSchema:
        root = self.nested(schema, many=schema.many)
        return WrittenSchema(assemble_schema(root, self.definitions), self.losses)

    def add_loss(self, reason: str) -> None:
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
        key = (type(schema), unknown, _hashable(partial), _usage_key(schema))
        if key not in self.names:
            name = self.names[key] = free_name(type(schema).__name__, self.names.values())
            self.definitions[name] = {}
            self.definitions[name] = self.object(schema, unknown, partial)
        node = {"$ref": REFS + self.names[key]}
        return {"type": "array", "items": node} if many else node

    def object(self, schema: Any, unknown: Any, partial: Any) -> dict[str, Any]:
        outer, name = self.place, type(schema).__name__
        self.place = name
        for hook in HOOKS[self.mode]:
            self.note_hooks(schema, hook)
        fields = schema.load_fields if self.mode == "input" else schema.dump_fields
        properties: dict[str, Any] = {}
        required: list[str] = []
        for attribute, field in fields.items():
            self.place = f"{name}.{attribute}"
            key = attribute if field.data_key is None else field.data_key
            properties[key] = self.field(field, _nested_partial(partial, attribute))
            if field.required and partial is not True and attribute not in (partial or ()):
                required.append(key)
        self.place = outer
        node: dict[str, Any] = {**_notes_of(schema), "type": "object", "properties": properties}
        if required:
            node["required"] = required
        if self.mode == "output" or unknown == "raise":
            node["additionalProperties"] = False
        elif unknown == "include":
            node["additionalProperties"] = True
        if self.mode == "input":
            self.mark_object(node, schema, unknown)
        return node

    def mark_object(self, node: dict[str, Any], schema: Any, unknown: Any) -> None:
        """Mark an object with its policy for undeclared keys, and with other names of keys."""
        policy = {"raise": "forbid", "exclude": "ignore", "include": "allow"}[unknown]
        if policy == "allow" and hooks_of(schema, "pre_load"):
            node["additionalProperties"], policy = False, "forbid"
        keys = node["properties"]
        other_names = {
            name: field.data_key or name
            for name, field in schema.load_fields.items()
            if name not in keys
        }
        other_names |= {
            field.attribute: field.data_key or name
            for name, field in schema.load_fields.items()
            if field.attribute and field.attribute not in keys
        }
        other_names |= {name: None for name in schema.fields if name not in (*other_names, *keys)}
        mark_fields(
            node, Fields([_field_key(*load_field) for load_field in schema.load_fields.items()])
        )
        mark(node, extra=policy, **({"other_names": other_names} if other_names else {}))
        if hooks_of(schema, "pre_load"):
            mark(node, open=True, rewritten=True)

    def note_hooks(self, schema: Any, tag: str) -> None:
        for name in hooks_of(schema, tag):
            self.add_loss(f"@{tag} {name}")

    # ------------------------------------------------------------------------- fields

    def field(self, field: Any, partial: Any = None) -> dict[str, Any]:
        """Write a field with its validators, its description and its default."""
        node = self.base_node(field, partial)
        if field_functions(field, "pre_load") and self.mode == "input":
            self.add_loss("pre_load functions")
            mark(node, open=True, rewritten=True)
        # Lost as a whole: its validators see something else than the data.
        if not without_marks(node):
            return node
        node, unsaid = constrain(node, field.validators)
        for name in unsaid if self.mode == "input" else ():  # nothing validates what is dumped
            self.add_loss(name)
        if field.allow_none:
            node = {} if node == ANYTHING else nullable_schema(node)
        return {**self.notes(field), **node}

    def notes(self, field: Any) -> dict[str, Any]:
        from marshmallow import missing

        texts = {note: field.metadata[note] for note in NOTES if note in field.metadata}
        if self.mode == "output":
            return texts
        default = field.load_default
        if is_constant_factory(default):
            default = default()
        if default is missing or callable(default):
            return texts
        try:
            value = _serialize(field, default)
        except (AttributeError, TypeError, ValueError):
            return texts
        return texts | default_keyword(value)

    def base_node(self, field: Any, partial: Any) -> dict[str, Any]:
        """Write the type of a field, without its validators."""
        kind = kind_of(field)
        if self.mode == "output" and (kind == "Decimal" or getattr(field, "as_string", False)):
            return {"type": "string"}
        if kind in TEMPORAL:
            return self.temporal(field, kind)
        if kind == "Boolean" and not (True in field.truthy and False in field.falsy):
            self.add_loss("truthy and falsy without true and false")
            return {}
        if kind in SIMPLE:
            return dict(SIMPLE[kind])
        write = _CONTAINERS.get(kind or "")
        if write is not None:
            return write(self, field, partial)
        own = "the field" if kind else "the custom field"
        self.add_loss(f"{own} {type(field).__name__}")
        return {}

    def temporal(self, field: Any, kind: str) -> dict[str, Any]:
        if field.format in ("timestamp", "timestamp_ms"):
            most = LAST_SECOND * (1000 if field.format == "timestamp_ms" else 1)
            return {"type": "number", "minimum": 0, "maximum": most}
        if field.format in ("iso", "iso8601"):
            is_naive = kind == "NaiveDateTime" and field.timezone is None
            if is_naive and self.mode == "input":
                self.add_loss("a date-time without a zone")
            return {"type": "string", "format": FORMATS[kind]}
        pattern = strptime_pattern(field.format)
        if pattern is None or field.format in ("rfc", "rfc822"):
            self.add_loss(f"the format {field.format}")
            return {"type": "string"}
        return {"type": "string", "pattern": pattern}

    def decimal(self, field: Any, partial: Any) -> dict[str, Any]:
        """Ask for the places that are kept: the library would round what has more."""
        del partial
        node: dict[str, Any] = {"type": "number", MARK: {"decimal": True}}
        if field.places is not None:
            node["multipleOf"] = float(field.places) if field.places < 1 else int(field.places)
        return node

    def time_delta(self, field: Any, partial: Any) -> dict[str, Any]:
        del partial
        most = timedelta(days=999_999_999) // timedelta(**{field.precision: 1})
        return {"type": "number", "minimum": -most, "maximum": most}

    def list_(self, field: Any, partial: Any) -> dict[str, Any]:
        return {"type": "array", "items": self.field(field.inner, partial)}

    def tuple_(self, field: Any, partial: Any) -> dict[str, Any]:
        items = [self.field(item, partial) for item in field.tuple_fields]
        count = len(items)
        return {"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}

    def dict_(self, field: Any, partial: Any) -> dict[str, Any]:
        node: dict[str, Any] = {"type": "object", "additionalProperties": True}
        if field.value_field is not None:
            node["additionalProperties"] = self.field(field.value_field, partial)
        if field.key_field is not None:
            names = self.field(field.key_field)
            if names.get("type") != "string" or "format" in names:
                self.add_loss("keys that are no plain text")
            elif names != {"type": "string"}:
                node["propertyNames"] = names
        return node

    def nested_(self, field: Any, partial: Any) -> dict[str, Any]:
        many = field.schema.many or bool(field.many)
        return self.nested(field.schema, many=many, unknown=field.unknown, partial=partial)

    def pluck(self, field: Any, partial: Any) -> dict[str, Any]:
        node = self.field(field.schema.fields[field.field_name], partial)
        return {"type": "array", "items": node} if field.many else node

    def enum(self, field: Any, partial: Any) -> dict[str, Any]:
        del partial
        members = field.enum if field.by_value else field.enum.__members__.values()
        listed_values = [
            field.serialize("", None, lambda *_, member=member: member) for member in members
        ]
        if not field.by_value:
            listed_values = list(field.enum.__members__)
        values = constants(listed_values)
        if not values:
            self.add_loss(f"the values of {field.enum.__name__}")
            return {}
        return enum_schema([member for member in values if member is not None] or values)

    def constant(self, field: Any, partial: Any) -> dict[str, Any]:
        del partial
        try:
            return {"const": snapshot(field.constant)}
        except NotPlain:
            self.add_loss("a constant without a JSON form")
            return {}

    def ip(self, field: Any, partial: Any) -> dict[str, Any]:
        del field, partial
        return {"anyOf": [{"type": "string", "format": name} for name in ("ipv4", "ipv6")]}


_CONTAINERS: Final = {
    "List": Emission.list_, "Tuple": Emission.tuple_, "Dict": Emission.dict_,
    "Nested": Emission.nested_, "Pluck": Emission.pluck, "Enum": Emission.enum,
    "Decimal": Emission.decimal, "Constant": Emission.constant, "IP": Emission.ip,
    "TimeDelta": Emission.time_delta,
}  # fmt: skip


def _field_key(name: str, field: Any) -> FieldKey:
    """Return under which name a key is kept, and how it is filled if it is not given."""
    from marshmallow import missing

    key, attribute, default = field.data_key or name, field.attribute or name, field.load_default
    if default is missing:
        return FieldKey(key, attribute)
    # A field that contains others would be dumped by the hooks of their Schemas.
    write = partial(_serialize, field) if kind_of(field) in SCALAR_KINDS else None
    if callable(default):
        return FieldKey(key, attribute, write=write, **factory_default(default))
    return FieldKey(key, attribute, "static", declared=default, write=write)


def _serialize(field: Any, value: Any) -> Any:
    return field.serialize("", None, lambda *_: value)


def _notes_of(schema: Any) -> dict[str, Any]:
    meta = getattr(type(schema), "Meta", None)
    notes = {note: text for note in NOTES if (text := getattr(meta, note, None)) is not None}
    text = class_summary(type(schema))
    return {"description": text, **notes} if text else notes


def _nested_partial(partial: Any, name: str) -> Any:
    """Return the part of `partial` for a nested field: dots separate the names."""
    if partial is None or isinstance(partial, bool):
        return partial
    prefix = f"{name}."
    return [path.removeprefix(prefix) for path in partial if path.startswith(prefix)]


def _hashable(partial: Any) -> Any:
    return frozenset(partial) if isinstance(partial, Collection) else partial


def _usage_key(schema: Any) -> Any:
    """Return the key of one use of a class: its fields, and the names that nested ones include."""
    return tuple(
        (name, field.dump_only, field.load_only, str(getattr(field, "only", "")),
         str(getattr(field, "exclude", "")))
        for name, field in schema.fields.items()
    )  # fmt: skip
