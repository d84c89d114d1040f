"""The JSON Schema of a pydantic type, without what pydantic makes up, marked with what it knows.

Titles come from the author or not at all, definitions are named after their class and never after
its module, a docstring is cut to its summary, and what JSON Schema cannot say is an error, never
an empty schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from inspect import cleandoc
from typing import Any, Final

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import (
    PydanticSerializationError,
    SchemaValidator,
    core_schema,
    to_json,
)

from toolhaft.jsonio.jsondata import NotPlain, ordered, snapshot
from toolhaft.schema.format_patterns import CLOCK, DECIMAL, INTEGER_KEY, LOCAL, NUMBER_KEY
from toolhaft.schema.marks import MARK, mark, marks_of
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.annotations import is_async, is_meta, notes_of
from toolhaft.vendors.emission_rules import (
    descriptions,
    objects,
    renamed,
    short_name,
    summary,
    typed,
    unused,
    whole,
)
from toolhaft.vendors.fields import FieldKey, Fields, mark_fields
from toolhaft.vendors.pydantic.keys import FIELDS, NOTES, keys_of
from toolhaft.vendors.pydantic.scalars import scalar_writer, written_scalar

__all__ = ["Emission"]

HEX: Final = "[0-9A-Fa-f]"
KEYS: Final = {"int": INTEGER_KEY, "float": NUMBER_KEY}
# Nodes that lax reading of Python data takes as strict reading of JSON does, once the gate has
# passed them; what holds items says of which type they are.
READ_ALIKE: Final = frozenset({
    "model", "model-fields", "dataclass", "dataclass-args", "typed-dict", "default", "nullable",
    "none", "bool", "int", "float", "str", "literal", "enum", "uuid", "date", "datetime", "time",
    "timedelta", "decimal", "list", "dict", "set", "frozenset", "tuple", "function-after",
    "definitions", "definition-ref", "model-field", "dataclass-field", "typed-dict-field",
})  # fmt: skip
ITEMS: Final = {
    "list": "items_schema", "set": "items_schema", "frozenset": "items_schema",
    "tuple": "items_schema", "dict": "values_schema",
}  # fmt: skip
# Where the class of a named tuple stands: pydantic before 2.14 calls it.
NAMED_TUPLES: Final = {"call": "function", "named-tuple": "cls"}
BEFORE: Final = ("function-before", "function-wrap", "function-plain")


class _Methods(dict[str, Callable[[Any], dict[str, Any]]]):
    """The generator's methods by node type, looked up on use."""

    def __init__(self, generator: GenerateJsonSchema) -> None:
        self.generator = generator

    def __missing__(self, kind: str) -> Callable[[Any], dict[str, Any]]:
        method: Callable[[Any], dict[str, Any]]
        method = self[kind] = getattr(self.generator, f"{kind.replace('-', '_')}_schema")
        return method


class Emission(GenerateJsonSchema):
    """pydantic's generator, with its inventions left out.

    After `generate`, `fields` has the fields of each class, `is_lax` says that an author's function
    stands before some node, `is_read_alike` that Python data are read as JSON is, and
    `keeps_extras` that some class keeps undeclared keys.
    """

    ignored_warning_kinds = {"non-serializable-default"}  # noqa: RUF012 - pydantic's own attribute

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._root: Any = {}
        self._described: dict[int, str] = {}
        self.fields: dict[type, Fields] = {}
        self.is_lax = False
        self.is_read_alike = True
        self.keeps_extras = False
        self.has_unordered = False

    def build_schema_type_to_method(self) -> Any:
        """Look a method up when it is needed: most schemas have few of the 60 node types."""
        return _Methods(self)

    def generate(self, schema: Any, mode: Any = "validation") -> dict[str, Any]:
        self._root = schema
        made = super().generate(schema, mode)
        for node in objects(made):
            _in_json_words(node)
        definitions = _with_short_names(made)
        definitions = {name: typed(one) for name, one in definitions.items()}
        return whole(made if schema["type"] == "any" else typed(made), definitions)

    def generate_inner(self, schema: Any) -> dict[str, Any]:
        kind = schema["type"]
        self._look(kind, schema)
        made = super().generate_inner(schema)
        node = made
        if "ref" in schema and "$ref" in made:
            found: Any = self.get_schema_from_definitions(made["$ref"])
            node = made if found is None else found
            mark(node, name=short_name(schema["ref"]))
        if "cls" in schema:
            self._describe(node, schema)
        if self.mode == "validation" and kind in BEFORE and self._widens(schema):
            mark(node, open=True)
            if marks_of(node).get("extra") == "allow":
                _close(node)
        return made

    def _look(self, kind: str, schema: Any) -> None:
        """Notice how a node is read, and refuse what could not run as its author meant."""
        is_typed = kind not in ITEMS or ITEMS[kind] in schema
        self.has_unordered |= kind in ("set", "frozenset", "any") or not is_typed
        self.is_read_alike &= kind in READ_ALIKE and is_typed
        _require_sync(schema.get("serialization", NOTHING).get("function"))
        if kind.startswith("function-"):
            _require_sync(schema["function"]["function"])
            self.is_lax |= kind in BEFORE and not is_pydantics(schema["function"]["function"])
        elif kind == "default":
            _require_sync(schema.get("default_factory"))
        elif kind == "literal" and self.mode == "validation":
            _require_plain_members(schema["expected"])
        elif schema.get("post_init"):
            name = schema["post_init"]  # of a dataclass it is True
            _require_sync(getattr(schema["cls"], name if isinstance(name, str) else POST_INIT))
        elif kind == "call" and not _is_named_tuple(schema["function"]):
            raise NoVendor("to validate with it would run the function", "make the function a tool")
        elif kind in NAMED_TUPLES:
            self._note_items(schema[NAMED_TUPLES[kind]])

    def _note_items(self, cls: Any) -> None:
        """Note the items of a named tuple, whose defaults stand in its class."""
        defaults = cls._field_defaults
        keys = [FieldKey(one, one, "static" if one in defaults else None) for one in cls._fields]
        self.fields[cls] = Fields(keys, is_array=True, scalar=written_scalar)

    def _widens(self, schema: Any) -> bool:
        """Whether an author's function takes values of which the schema says nothing."""
        declared = schema.get("json_schema_input_schema", {"type": "any"})
        function = schema["function"]["function"]
        return bool(declared["type"] == "any") and not is_pydantics(function)

    def _describe(self, node: dict[str, Any], schema: Any) -> None:
        """Keep what the author wrote of a class: pydantic adds its name and its whole docstring."""
        cls = schema["cls"]
        config: Mapping[str, Any] = _config_of(cls)
        extra: Any = config.get("json_schema_extra")
        said = extra if isinstance(extra, dict) else NOTHING
        is_titled = config.get("title") or config.get("model_title_generator") or "title" in said
        if node.get("title") == cls.__name__ and not is_titled:
            del node["title"]
        doc = getattr(cls, "__doc__", None)
        text = summary(cls)
        is_whole_doc = isinstance(doc, str) and node.get("description") == cleandoc(doc)
        if text and (is_whole_doc or not node.keys() & {"description", "$ref"}):
            node["description"] = text
        elif is_whole_doc:
            del node["description"]

    def sort(self, value: dict[str, Any], parent_key: str | None = None) -> dict[str, Any]:
        """Keep the order in which the author wrote things."""
        del parent_key
        return value

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Refuse what pydantic would skip; a default that is not JSON may stay out."""
        if kind not in self.ignored_warning_kinds:
            raise PydanticInvalidForJsonSchema(detail)

    def encode_default(self, dft: Any) -> Any:
        try:
            return snapshot(dft)
        except NotPlain:
            made = super().encode_default(_in_order(dft))
        try:
            return snapshot(made)
        except NotPlain as error:
            raise PydanticSerializationError("a default that is not JSON") from error

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    # -------------------------------------------------------------------------- text

    def datetime_schema(self, schema: Any) -> dict[str, Any]:
        if schema.get("tz_constraint") == "naive":
            return {"type": "string", "pattern": LOCAL}
        return super().datetime_schema(schema)

    def time_schema(self, schema: Any) -> dict[str, Any]:
        """Say what a time looks like: as a format it would have to have a zone (RFC 3339)."""
        del schema
        return {"type": "string", "pattern": CLOCK}

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        made = super().decimal_schema(schema)
        for branch in made.get("anyOf", [made]):
            if branch.get("type") == "string":
                branch["pattern"] = DECIMAL
        mark(made, decimal=True)
        return made

    def uuid_schema(self, schema: Any) -> dict[str, Any]:
        version = schema.get("version")
        if version is None:
            return super().uuid_schema(schema)
        digits = f"{HEX}{{8}}-{HEX}{{4}}-{version}{HEX}{{3}}-[89ABab]{HEX}{{3}}-{HEX}{{12}}"
        return {"type": "string", "format": "uuid", "pattern": f"^{digits}$"}

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        """Say of every key what it must be: a pattern alone would let others pass."""
        made = super().dict_schema(schema)
        for pattern, node in made.pop("patternProperties", {}).items():
            made |= {"additionalProperties": node, "propertyNames": {"pattern": pattern}}
        kind = schema.get("keys_schema", {}).get("type")
        if kind in KEYS:
            made.setdefault("propertyNames", {"pattern": KEYS[kind]})
        return made

    # ------------------------------------------------------------------------- objects

    def model_schema(self, schema: Any) -> dict[str, Any]:
        self._read_descriptions(schema)
        if schema.get("root_model"):
            self.fields[schema["cls"]] = Fields([FieldKey("", "root")], scalar=written_scalar)
            return super().model_schema(schema)
        return self._object(schema, super().model_schema(schema))

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        self._read_descriptions(schema)
        return self._object(schema, super().dataclass_schema(schema))

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        self._read_descriptions(schema)
        return self._object(schema, super().typed_dict_schema(schema))

    def _object(self, schema: Any, made: dict[str, Any]) -> dict[str, Any]:
        """Mark an object with its keys, and with what becomes of others."""
        if self.mode != "validation" or ("properties" not in made and made.get("type") != "object"):
            return made
        cls = schema.get("cls")
        config = {**schema.get("config", NOTHING), **_config_of(cls)}
        keys = keys_of(schema, config)
        if cls is not None:
            extras = EXTRAS if schema["type"] == "model" else None
            fields = [*self._readable(schema, keys.fields)]
            self.fields[cls] = Fields(fields, extras=extras, scalar=scalar_writer(config))
        if schema["type"] == "typed-dict" and FIELDS not in schema.get("metadata", NOTHING):
            mark_fields(made, keys.fields)
        rest = made.get("additionalProperties")
        self.keeps_extras |= rest not in (None, False)
        mark(made, extra="ignore" if rest is None else "forbid" if rest is False else "allow")
        if keys.other_names:
            made.setdefault("properties", {})
            mark(made, other_names=keys.other_names)
        if "open" in marks_of(made) and rest not in (None, False):
            _close(made)
        return made

    def _readable(self, schema: Any, keys: Iterable[FieldKey]) -> Iterator[FieldKey]:
        """Say of what a dataclass is given and does not keep how it is read."""
        unkept = {name: one for name, one in _fields_of(schema) if one.get("init_only")}
        for key in keys:
            field = unkept.get(key.attribute)
            yield key if field is None else key._replace(read=self._part(field["schema"], schema))

    def _part(self, schema: Any, holder: Any) -> Callable[[Any], Any]:
        """Give what reads a part of an object by itself, as it is read in the whole."""

        @cache
        def validator() -> SchemaValidator:
            definitions = self._root.get("definitions", [])
            whole = core_schema.definitions_schema(schema, definitions) if definitions else schema
            return SchemaValidator(whole, holder.get("config"))

        return lambda data: validator().validate_json(
            to_json(data), strict=None if self.is_lax else True, by_alias=True, by_name=False
        )

    def model_field_schema(self, schema: Any) -> dict[str, Any]:
        return self._field(schema, super().model_field_schema(schema))

    def dataclass_field_schema(self, schema: Any) -> dict[str, Any]:
        return self._field(schema, super().dataclass_field_schema(schema))

    def typed_dict_field_schema(self, schema: Any) -> dict[str, Any]:
        return self._field(schema, super().typed_dict_field_schema(schema))

    def field_is_present(self, field: Any) -> bool:
        """Leave out what a dataclass's `__init__` does not take, and what it takes and drops."""
        kept = field.get("init", True) if self.mode == "validation" else not field.get("init_only")
        return kept and super().field_is_present(field)

    def computed_field_schema(self, schema: Any) -> dict[str, Any]:
        return self._field(schema, super().computed_field_schema(schema))

    def _read_descriptions(self, schema: Any) -> None:
        cls = schema.get("cls")
        if cls is None:
            return
        _refuse_ignored_notes(cls)
        for computed in schema["schema"].get("computed_fields", ()) if "schema" in schema else ():
            _require_sync(getattr(getattr(cls, computed["property_name"]), "fget", None))
        texts = descriptions(cls)
        if texts:
            named = _fields_of(schema)
            self._described |= {id(one): texts[name] for name, one in named if name in texts}

    def _field(self, field: Any, made: dict[str, Any]) -> dict[str, Any]:
        text = self._described.get(id(field))
        notes = {} if text is None else {"description": text}
        return typed({**made, **notes, **field.get("metadata", NOTHING).get(NOTES, NOTHING)})

    def function_plain_schema(self, schema: Any) -> dict[str, Any]:
        """Refuse a validator that says nothing of what it takes."""
        declared = schema.get("json_schema_input_schema")
        if self.mode == "validation" and declared is not None and declared["type"] == "any":
            raise PydanticInvalidForJsonSchema("a PlainValidator without json_schema_input_type")
        return super().function_plain_schema(schema)


NOTHING: Final[Mapping[str, Any]] = {}
# Where a model keeps the undeclared keys that it allows.
EXTRAS: Final = "__pydantic_extra__"
POST_INIT: Final = "__post_init__"


def _in_order(default: Any) -> Any:
    """Give a default with its sets in an order that is the same in every process."""
    if isinstance(default, set | frozenset):
        return ordered(map(_in_order, default))
    if type(default) is dict:
        return {key: _in_order(value) for key, value in default.items()}
    if type(default) is list or type(default) is tuple:
        return [_in_order(value) for value in default]
    return default


def _config_of(cls: Any) -> Mapping[str, Any]:
    """Give what the author of a class set: a core schema's config has what pydantic added too."""
    found: Mapping[str, Any] | None
    found = getattr(cls, "model_config", None) or getattr(cls, "__pydantic_config__", None)
    return found or NOTHING


def is_pydantics(function: Any) -> bool:
    """Say whether a function is pydantic's own, or one of the standard library that it uses."""
    module = str(getattr(getattr(function, "func", function), "__module__", None))
    return module.partition(".")[0] in ("pydantic", "pydantic_core", "collections")


def _require_sync(function: Any) -> None:
    """Refuse an author's function that pydantic would call and never await.

    Raises:
        NoVendor: It is async.
    """
    if function is not None and is_async(function):
        name = getattr(function, "__name__", "a function")
        raise NoVendor(f"pydantic does not await {name}", "write it as a plain def")


def _require_plain_members(expected: list[Any]) -> None:
    """Refuse a literal that is read by what Python compares, which JSON does not have."""
    for member in expected:
        if isinstance(member, Enum) and not isinstance(member, str | int):
            reason = f"pydantic: a Literal of {type(member).__name__}, whose members are no text"
            raise NoVendor(reason, "take the enum itself, or a Literal of texts")


def _is_named_tuple(function: Any) -> bool:
    return isinstance(function, type) and issubclass(function, tuple)


def _close(node: dict[str, Any]) -> None:
    """Close an object that would keep extras: a function of the whole could move one to a field."""
    node["additionalProperties"] = False
    mark(node, extra="forbid")


def _with_short_names(made: dict[str, Any]) -> dict[str, Any]:
    """Name the definitions after their classes; a second class of a name gets a number."""
    definitions: dict[str, Any] = made.pop("$defs", {})
    names: dict[str, str] = {}
    for name, node in definitions.items():
        names[name] = unused(marks_of(node).get("name", short_name(name)), set(names.values()))
    for part in (made, *definitions.values()):
        for node in objects(part):
            renamed(node, names)
            if "name" in marks_of(node):
                node[MARK] = {key: one for key, one in node[MARK].items() if key != "name"}
                if not node[MARK]:
                    del node[MARK]
    return {names[name]: node for name, node in definitions.items()}


def _fields_of(schema: Any) -> Any:
    while schema["type"] not in ("model-fields", "dataclass-args", "typed-dict"):
        if "schema" not in schema:
            return
        schema = schema["schema"]
    fields = schema["fields"]
    yield from fields.items() if isinstance(fields, dict) else ((f["name"], f) for f in fields)


def _refuse_ignored_notes(cls: type) -> None:
    """Refuse a constraint that pydantic would silently leave out."""
    fields: Any = getattr(cls, "__pydantic_fields__", {})
    for name, field in fields.items():
        if any(map(is_meta, (*field.metadata, *notes_of(field.annotation)))):
            raise PydanticInvalidForJsonSchema(f"msgspec.Meta on {name}, which pydantic ignores")


def _in_json_words(node: dict[str, Any]) -> None:
    """Say in keywords and formats of JSON Schema what pydantic has words of its own for."""
    if node.get("format") == "ipvanyaddress":
        del node["format"]
        node["anyOf"] = [{"type": "string", "format": one} for one in ("ipv4", "ipv6")]
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
