"""The JSON Schema of a pydantic type, without what pydantic makes up, marked with what it knows.

Titles come from the author or not at all, definitions are named after their class and never after
its module, a docstring is cut to its summary, and what JSON Schema cannot say is an error, never
an empty schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from weakref import proxy

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import (
    MultiHostUrl,
    PydanticSerializationError,
    Url,
)

from toolhaft.jsonio.jsondata import NotPlain, snapshot, sort_items
from toolhaft.schema.format_patterns import (
    BOOLEAN_KEY,
    CLOCK,
    DECIMAL,
    INTEGER_KEY,
    LOCAL,
    NUMBER_KEY,
)
from toolhaft.schema.map_keys import KEY_CHANGES, READERS
from toolhaft.schema.marks import mark, marks_of
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.emission_rules import (
    assemble_schema,
    object_nodes,
    short_name,
    shorten_names,
    with_type,
)
from toolhaft.vendors.pydantic.core_schemas import (
    NOTHING,
    is_named_tuple,
    is_pydantic_function,
    require_json_values,
    require_plain_members,
    require_sync,
)
from toolhaft.vendors.pydantic.dump import is_secret
from toolhaft.vendors.pydantic.emit_objects import ObjectEmission, close_object
from toolhaft.vendors.pydantic.tags import require_in_definitions, require_key

__all__ = ["Emission"]

HEX: Final = "[0-9A-Fa-f]"
KEYS: Final = {
    "int": INTEGER_KEY, "float": NUMBER_KEY, "decimal": DECIMAL, "bool": BOOLEAN_KEY,
}  # fmt: skip
READERS.update({"uri": Url, "multi-host-uri": MultiHostUrl})
# Nodes for which lax reading of Python data equals strict reading of JSON, once the gate has passed
# them.
READ_ALIKE: Final = frozenset({
    "model", "model-fields", "dataclass", "dataclass-args", "typed-dict", "default", "nullable",
    "any", "none", "bool", "int", "float", "str", "literal", "enum", "uuid", "date", "datetime",
    "time", "timedelta", "decimal", "list", "dict", "set", "frozenset", "tuple", "function-after",
    "definitions", "definition-ref", "model-field", "dataclass-field", "typed-dict-field",
})  # fmt: skip
OPTIONS: Final = frozenset({"strict", "populate_by_name", "validate_by_alias", "validate_by_name"})
ITEMS: Final = {
    "list": "items_schema", "set": "items_schema", "frozenset": "items_schema",
    "tuple": "items_schema", "dict": "values_schema",
}  # fmt: skip
# Where the class of a named tuple stands: pydantic before 2.14 calls it.
NAMED_TUPLES: Final = {"call": "function", "named-tuple": "cls"}
BEFORE: Final = ("function-before", "function-wrap", "function-plain")


class _Methods(dict[str, Callable[[Any], dict[str, Any]]]):
    """The generator's methods by node type, looked up on use and held by nothing."""

    def __init__(self, generator: GenerateJsonSchema) -> None:
        self.generator = proxy(generator)

    def __missing__(self, kind: str) -> Callable[[Any], dict[str, Any]]:
        method: Callable[[Any], dict[str, Any]]
        method = getattr(self.generator, f"{kind.replace('-', '_')}_schema")
        return method


class Emission(ObjectEmission):
    """pydantic's generator, with its inventions left out.

    With `leaves_holes`, a part that has no schema may be anything. After `generate`, `is_lax` says
    that an author's function stands before some node, `is_read_alike` that Python data are read as
    JSON is, and `has_options` that an author says how strictly or by which names something is read.
    Of what is written, `has_unordered` says that it may hold sets or undeclared values, and
    `has_maps` that it may hold maps.
    """

    ignored_warning_kinds = {"non-serializable-default"}  # noqa: RUF012 - pydantic's own attribute

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._settings: Mapping[str, Any] = NOTHING  # of the class that holds a node
        self.is_read_alike = True
        self.has_options = False
        self.has_unordered = False
        self.has_maps = False
        self.leaves_holes = False
        self._has_tags = False

    def build_schema_type_to_method(self) -> Any:
        """Look a method up when it is needed: most schemas have few of the 60 node types."""
        return _Methods(self)

    def get_json_ref_counts(self, json_schema: Any) -> Any:
        """Count as pydantic does, whose count holds itself and what it is called on."""
        borrowed: Any = proxy(self)
        return GenerateJsonSchema.get_json_ref_counts(borrowed, json_schema)

    def generate(self, schema: Any, mode: Any = "validation") -> dict[str, Any]:
        self.core_definitions = schema.get("definitions", ())
        root = super().generate(schema, mode)
        for node in object_nodes(root):
            _use_json_keywords(node)
        definitions = shorten_names(root)
        if self._has_tags:
            require_in_definitions(root, definitions)
        definitions = {name: with_type(definition) for name, definition in definitions.items()}
        return assemble_schema(root if schema["type"] == "any" else with_type(root), definitions)

    def generate_inner(self, schema: Any) -> dict[str, Any]:
        kind = schema["type"]
        self._record_reading(kind, schema)
        outer, self._settings = self._settings, schema.get("config", self._settings)
        emitted = super().generate_inner(schema)
        self._settings = outer
        node = emitted
        if "ref" in schema and "$ref" in emitted:
            definition: Any = self.get_schema_from_definitions(emitted["$ref"])
            node = emitted if definition is None else definition
            mark(node, name=short_name(schema["ref"]))
        if "cls" in schema:
            self.describe_class(node, schema)
        if kind in NAMED_TUPLES:
            self.mark_items(node, schema[NAMED_TUPLES[kind]])
        if self.mode == "validation" and kind == "json":
            mark(node, json_text=True)
        if self.mode == "validation" and kind in BEFORE and _is_authored(schema):
            mark(node, rewritten=True)
        if self.mode == "validation" and kind in BEFORE and self._accepts_more(schema):
            mark(node, open=True)
            if marks_of(node).get("extra") == "allow":
                close_object(node)
        return emitted

    def _record_reading(self, kind: str, schema: Any) -> None:
        """Record how a node is read, and refuse what cannot run as its author meant."""
        is_typed = kind not in ITEMS or ITEMS[kind] in schema
        self.has_unordered |= kind in ("set", "frozenset", "any") or not is_typed
        self.is_read_alike &= kind in READ_ALIKE
        self.keeps_data |= kind == "any" or not is_typed
        self.has_options |= not OPTIONS.isdisjoint((*schema, *schema.get("config", NOTHING)))
        require_sync(schema.get("serialization", NOTHING).get("function"))
        if kind.startswith("function-"):
            require_sync(schema["function"]["function"])
            self.is_lax |= kind in BEFORE and _is_authored(schema)
        elif kind == "default":
            require_sync(schema.get("default_factory"))
        elif kind == "literal" and self.mode == "validation":
            require_plain_members(schema["expected"])
            # Of Python's 1.0 the engine compares values alone.
            self.is_read_alike &= not {bool, int}.issubset(map(type, schema["expected"]))
        elif schema.get("post_init"):
            name = schema["post_init"]  # of a dataclass it is True
            require_sync(getattr(schema["cls"], name if isinstance(name, str) else POST_INIT))
        elif kind == "call" and not is_named_tuple(schema["function"]):
            raise NoVendor("to validate with it would run the function", "make the function a tool")

    def _accepts_more(self, schema: Any) -> bool:
        """Return whether an author's function accepts values that the schema does not describe."""
        declared = schema.get("json_schema_input_schema", {"type": "any"})
        return bool(declared["type"] == "any") and _is_authored(schema)

    def sort(self, value: dict[str, Any], parent_key: str | None = None) -> dict[str, Any]:
        """Keep the order in which the author wrote things."""
        del parent_key
        return value

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
        """Leave a hole, or refuse the type."""
        if self.leaves_holes:
            return {}
        return super().handle_invalid_for_json_schema(schema, error_info)

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Refuse what pydantic would skip; a default that is not JSON may stay out."""
        if kind not in self.ignored_warning_kinds:
            raise PydanticInvalidForJsonSchema(detail)

    def encode_default(self, dft: Any) -> Any:
        if is_secret(dft):
            raise PydanticSerializationError("a default that is not shown")
        try:
            return snapshot(dft)
        except NotPlain:
            encoded = super().encode_default(_in_order(dft))
        try:
            return snapshot(encoded)
        except NotPlain as error:
            raise PydanticSerializationError("a default that is not JSON") from error

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def enum_schema(self, schema: Any) -> dict[str, Any]:
        """Write each member once, whatever its aliases."""
        members = {id(member): member for member in schema["members"]}.values()
        if self.mode == "validation":
            require_json_values(schema["cls"], members)
        once: Any = {**schema, "members": [*members]}
        return super().enum_schema(once)

    def datetime_schema(self, schema: Any) -> dict[str, Any]:
        if schema.get("tz_constraint") == "naive":
            return {"type": "string", "pattern": LOCAL}
        return super().datetime_schema(schema)

    def time_schema(self, schema: Any) -> dict[str, Any]:
        """Write a pattern: the format `time` would require a zone (RFC 3339)."""
        del schema
        return {"type": "string", "pattern": CLOCK}

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        node = super().decimal_schema(schema)
        for branch in node.get("anyOf", [node]):
            if branch.get("type") == "string":
                branch["pattern"] = DECIMAL
        mark(node, decimal=True)
        return node

    def uuid_schema(self, schema: Any) -> dict[str, Any]:
        version = schema.get("version")
        if version is None:
            return super().uuid_schema(schema)
        digits = f"{HEX}{{8}}-{HEX}{{4}}-{version}{HEX}{{3}}-[89ABab]{HEX}{{3}}-{HEX}{{12}}"
        return {"type": "string", "format": "uuid", "pattern": f"^{digits}$"}

    def tagged_union_schema(self, schema: Any) -> dict[str, Any]:
        """Require the tag: pydantic fills no default before it has read it."""
        node = super().tagged_union_schema(schema)
        # OpenAPI's aid for references; the constants say it.
        tag = node.pop("discriminator", None)
        if self.mode == "validation" and tag is not None:
            self._has_tags = True
            require_key(node, tag["propertyName"])
        return node

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        """Write `propertyNames` for keys: `patternProperties` alone would let others pass."""
        emitted = super().dict_schema(schema)
        for pattern, node in emitted.pop("patternProperties", {}).items():
            emitted |= {"additionalProperties": node, "propertyNames": {"pattern": pattern}}
        keys = schema.get("keys_schema", {"type": "any"})
        if keys["type"] != "str":
            mark(emitted, typed_keys=keys["type"] != "any")
        while keys["type"] == "function-after":
            keys = keys["schema"]
        settings = self._settings
        changes = [word for word in KEY_CHANGES if keys.get(word, settings.get(f"str_{word}"))]
        if self.mode == "validation" and keys["type"] == "str" and changes:
            mark(emitted, key_changes=changes)
        if keys["type"] in (*KEYS, "union", "nullable") and (names := self._names(keys)):
            emitted.setdefault("propertyNames", names)
        self.has_maps = True
        # Keys of two types may be written as one text.
        self.has_unordered |= keys["type"] == "union"
        return emitted

    def _names(self, keys: Any) -> dict[str, Any]:
        """Write what keys must be: text that is read as their type; no text is read as null."""
        if keys["type"] in KEYS:
            return {"pattern": KEYS[keys["type"]]}
        if keys["type"] == "function-after":
            return self._names(keys["schema"])
        if keys["type"] not in ("union", "nullable"):
            node = self.generate_inner(keys)
            is_constrained = node.get("type") == "string" and len(node) > 1
            return node if is_constrained or "$ref" in node else {}
        forms = [self._names(form) for form in _forms_of(keys)]
        if keys["type"] == "nullable" and self.mode == "serialization":
            forms.append({"const": "None"})
        if not all(forms):
            return {}
        return forms[0] if len(forms) == 1 else {"anyOf": forms}

    def is_subclass_schema(self, schema: Any) -> dict[str, Any]:
        """Refuse a class, which no JSON is: pydantic writes that anything may be one."""
        return self.handle_invalid_for_json_schema(schema, "a class, which is not JSON")

    def function_plain_schema(self, schema: Any) -> dict[str, Any]:
        """Reject a validator that does not declare its input."""
        declared = schema.get("json_schema_input_schema")
        if self.mode == "validation" and declared is not None and declared["type"] == "any":
            if self.leaves_holes:
                return {}
            raise PydanticInvalidForJsonSchema("a PlainValidator without json_schema_input_type")
        return super().function_plain_schema(schema)


def _is_authored(schema: Any) -> bool:
    """Return whether the function of a node is an author's."""
    return not is_pydantic_function(schema["function"]["function"])


def _forms_of(keys: Any) -> Iterator[Any]:
    """Yield the branches of a union, which may have labels."""
    for form in keys.get("choices", [keys.get("schema")]):
        yield form[0] if isinstance(form, tuple) else form


POST_INIT: Final = "__post_init__"


def _in_order(default: Any) -> Any:
    """Return a default with its sets in an order that is the same in every process."""
    if isinstance(default, set | frozenset):
        return sort_items(map(_in_order, default))
    if type(default) is dict:
        return {key: _in_order(value) for key, value in default.items()}
    if type(default) is list or type(default) is tuple:
        return [_in_order(value) for value in default]
    return default


def _use_json_keywords(node: dict[str, Any]) -> None:
    """Replace pydantic's own keywords and formats by JSON Schema's, in place."""
    if node.get("format") == "ipvanyaddress":
        del node["format"]
        node["anyOf"] = [{"type": "string", "format": name} for name in ("ipv4", "ipv6")]
    for word, keyword in _KEYWORDS.items():
        if word in node:
            node[keyword] = node.pop(word)


_KEYWORDS: Final = {
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "multiple_of": "multipleOf",
}
