"""The JSON Schemas of classes: their fields, what else they are given, and their descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import cleandoc
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema

from toolhaft.schema.marks import mark, marks_of
from toolhaft.vendors.emission_rules import class_summary, field_descriptions, with_type
from toolhaft.vendors.fields import FieldKey, Fields, mark_fields
from toolhaft.vendors.pydantic.core_schemas import (
    NOTHING,
    config_of,
    refuse_ignored_notes,
    require_plain_class,
    require_sync,
)
from toolhaft.vendors.pydantic.dump import scalar_writer, write_scalar
from toolhaft.vendors.pydantic.keys import FIELDS, NOTES, fields_of, keys_of

__all__ = ["ObjectEmission", "close_object"]

# Where a model keeps the undeclared keys that it allows.
EXTRAS: Final = "__pydantic_extra__"
ADDITIONAL: Final = {"allow": True, "forbid": False}


class ObjectEmission(GenerateJsonSchema):
    """pydantic's generator, which marks objects with their keys, and keeps authors' descriptions.

    After `generate`, `fields` has the fields of each class, `keeps_extras` says that some class
    keeps undeclared keys, and `keeps_data` that objects may hold parts of the data as they are.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields: dict[type, Fields] = {}
        self.is_lax = False  # whether an author's function stands before some node
        self.keeps_extras = False
        self.keeps_data = False
        self.core_definitions: Sequence[Any] = ()  # what the nodes of the core schema refer to
        self._descriptions: dict[int, str] = {}

    def model_schema(self, schema: Any) -> dict[str, Any]:
        self._read_descriptions(schema)
        if schema.get("root_model"):
            cls = schema["cls"]
            self.fields[cls] = Fields([FieldKey("", "root")], cls=cls, scalar=write_scalar)
            return super().model_schema(schema)
        return self._object(schema, super().model_schema(schema))

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        self._read_descriptions(schema)
        node = super().dataclass_schema(schema)
        # pydantic 2.12 writes it by the class alone, though the model around it rules.
        policy = schema.get("config", NOTHING).get("extra_fields_behavior")
        if policy in ADDITIONAL and node.get("type") == "object":
            node["additionalProperties"] = ADDITIONAL[policy]
        return self._object(schema, node)

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        self._read_descriptions(schema)
        return self._object(schema, super().typed_dict_schema(schema))

    def _object(self, schema: Any, node: dict[str, Any]) -> dict[str, Any]:
        """Mark an object with its keys, and with its policy for others."""
        if "properties" not in node and node.get("type") != "object":
            return node
        additional = node.get("additionalProperties")
        policy = "ignore" if additional is None else "forbid" if additional is False else "allow"
        mark(node, extra=policy)
        if self.mode != "validation":
            return node
        cls = schema.get("cls")
        config = {**schema.get("config", NOTHING), **config_of(cls)}
        keys = keys_of(schema, config, self.core_definitions)
        is_dict = schema["type"] == "typed-dict" and FIELDS not in schema.get("metadata", NOTHING)
        fields = Fields(
            keys.fields,
            cls=None if is_dict else cls,
            extras=EXTRAS if schema["type"] == "model" else None,
            scalar=scalar_writer(config),
        )
        mark_fields(node, fields)
        if cls is not None:
            self.fields[cls] = fields
        if config.get("loc_by_alias") is False:
            mark(node, located={known.attribute: known.key for known in keys.fields})
        self.keeps_extras |= policy == "allow"
        self.keeps_data |= policy == "allow"
        other_names = keys.other_names
        has_room = True
        if policy == "allow" and cls is not None and schema["type"] == "dataclass":
            # An extra is an attribute of the object, and would hide the class's attribute of that
            # name.
            has_room = bool(cls.__dictoffset__)
            other_names = dict.fromkeys(_class_attributes(cls, keys.fields)) | other_names
        if other_names:
            node.setdefault("properties", {})
            mark(node, other_names=other_names)
        if policy == "allow" and (not has_room or "open" in marks_of(node)):
            close_object(node)
        return node

    def model_field_schema(self, schema: Any) -> dict[str, Any]:
        return self._field(schema, super().model_field_schema(schema))

    def dataclass_field_schema(self, schema: Any) -> dict[str, Any]:
        return self._field(schema, super().dataclass_field_schema(schema))

    def typed_dict_field_schema(self, schema: Any) -> dict[str, Any]:
        return self._field(schema, super().typed_dict_field_schema(schema))

    def field_is_present(self, field: Any) -> bool:
        """Leave out fields that a dataclass's `__init__` does not take, or does not keep."""
        is_kept = (
            field.get("init", True) if self.mode == "validation" else not field.get("init_only")
        )
        return is_kept and super().field_is_present(field)

    def computed_field_schema(self, schema: Any) -> dict[str, Any]:
        return self._field(schema, super().computed_field_schema(schema))

    def _read_descriptions(self, schema: Any) -> None:
        cls = schema.get("cls")
        if cls is None:
            return
        require_plain_class(cls)
        refuse_ignored_notes(cls)
        for computed in schema["schema"].get("computed_fields", ()) if "schema" in schema else ():
            require_sync(getattr(getattr(cls, computed["property_name"]), "fget", None))
        texts = field_descriptions(cls)
        if texts:
            fields = fields_of(schema)
            self._descriptions |= {
                id(field): texts[name] for name, field in fields if name in texts
            }

    def _field(self, field: Any, node: dict[str, Any]) -> dict[str, Any]:
        text = self._descriptions.get(id(field))
        notes = {} if text is None else {"description": text}
        return with_type({**node, **notes, **field.get("metadata", NOTHING).get(NOTES, NOTHING)})

    def mark_items(self, node: dict[str, Any], cls: Any) -> None:
        """Mark a schema with the items of a named tuple, whose defaults stand in its class."""
        refuse_ignored_notes(cls)
        defaults = cls._field_defaults
        keys = [
            FieldKey(name, name, "static", declared=defaults[name])
            if name in defaults
            else FieldKey(name, name)
            for name in cls._fields
        ]
        self.fields[cls] = Fields(keys, cls=cls, is_array=True, scalar=write_scalar)
        mark_fields(node, self.fields[cls])

    def describe_class(self, node: dict[str, Any], schema: Any) -> None:
        """Keep the author's title and summary: pydantic adds class names and whole docstrings."""
        cls = schema["cls"]
        config: Mapping[str, Any] = config_of(cls)
        extra: Any = config.get("json_schema_extra")
        extra_keywords = extra if isinstance(extra, dict) else NOTHING
        is_titled = (
            config.get("title") or config.get("model_title_generator") or "title" in extra_keywords
        )
        if node.get("title") == cls.__name__ and not is_titled:
            del node["title"]
        doc = getattr(cls, "__doc__", None)
        text = class_summary(cls)
        is_whole_doc = isinstance(doc, str) and node.get("description") == cleandoc(doc)
        if text and (is_whole_doc or not node.keys() & {"description", "$ref"}):
            node["description"] = text
        elif is_whole_doc:
            del node["description"]


def _class_attributes(cls: type, fields: Iterable[FieldKey]) -> Iterator[str]:
    """Yield the names that a class itself has, such as its methods, without special ones."""
    keys = {field.key for field in fields}
    return (name for name in dir(cls) if name not in keys and not name.startswith("__"))


def close_object(node: dict[str, Any]) -> None:
    """Close an object that would keep extras.

    A function of the whole could move one to a field; a slotted dataclass has no room for one.
    """
    node["additionalProperties"] = False
    mark(node, extra="forbid")
