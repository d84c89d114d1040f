"""The JSON Schema of a pydantic type, without what pydantic makes up.

Titles come from the author or not at all, definitions are named after their class and never after
its module, a docstring is cut to its summary, and what JSON Schema cannot say is an error, never
an empty schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticSerializationError

from toolhaft.jsondata import NotPlain, snapshot
from toolhaft.vendors.annotations import is_meta, notes_of
from toolhaft.vendors.emitted import (
    descriptions,
    objects,
    short_name,
    summary,
    typed,
    unused,
    whole,
)
from toolhaft.vendors.patterns import CLOCK, DECIMAL, INTEGER_KEY, LOCAL, NUMBER_KEY

__all__ = ["Emission"]

HEX: Final = "[0-9A-Fa-f]"
KEYS: Final = {"int": INTEGER_KEY, "float": NUMBER_KEY}
_MADE_UP: Final = type("_MadeUp", (str,), {})()


class _Methods(dict[str, Callable[[Any], dict[str, Any]]]):
    """The generator's methods by node type, looked up on use."""

    def __init__(self, generator: GenerateJsonSchema) -> None:
        self.generator = generator

    def __missing__(self, kind: str) -> Callable[[Any], dict[str, Any]]:
        method: Callable[[Any], dict[str, Any]]
        method = self[kind] = getattr(self.generator, f"{kind.replace('-', '_')}_schema")
        return method


class Emission(GenerateJsonSchema):
    """pydantic's generator, with its inventions left out."""

    ignored_warning_kinds = {"non-serializable-default"}  # noqa: RUF012 - pydantic's own attribute

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._described: dict[int, str] = {}

    def build_schema_type_to_method(self) -> Any:
        """Look a method up when it is needed: most schemas have few of the 60 node types."""
        return _Methods(self)

    def generate(self, schema: Any, mode: Any = "validation") -> dict[str, Any]:
        made = super().generate(schema, mode)
        for node in objects(made):
            _in_json_words(node)
        definitions = {name: typed(one) for name, one in made.get("$defs", {}).items()}
        return whole(made if schema["type"] == "any" else typed(made), definitions)

    def generate_inner(self, schema: Any) -> dict[str, Any]:
        if schema["type"] == "enum" and "metadata" in schema:
            schema = _without_enum_titles(schema)
        return super().generate_inner(schema)

    def sort(self, value: dict[str, Any], parent_key: str | None = None) -> dict[str, Any]:
        """Keep the order in which the author wrote things."""
        del parent_key
        return value

    def get_defs_ref(self, core_mode_ref: Any) -> Any:
        """Name a definition after its class; a second class of that name gets a number."""
        name = unused(short_name(core_mode_ref[0]), self._prioritized_defsref_choices)
        self._prioritized_defsref_choices[name] = [name]  # type: ignore[index, list-item]
        return name

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Refuse what pydantic would skip; a default that is not JSON may stay out."""
        if kind not in self.ignored_warning_kinds:
            raise PydanticInvalidForJsonSchema(detail)

    def encode_default(self, dft: Any) -> Any:
        try:
            return snapshot(dft)
        except NotPlain:
            made = super().encode_default(dft)
        try:
            return snapshot(made)
        except NotPlain as error:
            raise PydanticSerializationError("a default that is not JSON") from error

    # ------------------------------------------------------------------------- titles

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def _update_class_schema(self, json_schema: dict[str, Any], cls: type, config: Any) -> None:
        if config.get("title") is None and config.get("model_title_generator") is None:
            json_schema.setdefault("title", _MADE_UP)
        if text := summary(cls):
            json_schema.setdefault("description", text)
        super()._update_class_schema(json_schema, cls, config)
        if json_schema.get("title") is _MADE_UP:
            del json_schema["title"]

    def enum_schema(self, schema: Any) -> dict[str, Any]:
        made = {key: value for key, value in super().enum_schema(schema).items() if key != "title"}
        if text := summary(schema["cls"]):
            made["description"] = text
        return made

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
            if branch == {"type": "string"}:
                branch["pattern"] = DECIMAL
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

    # ------------------------------------------------------------------------- fields

    def model_schema(self, schema: Any) -> dict[str, Any]:
        self._read_descriptions(schema)
        return super().model_schema(schema)

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        self._read_descriptions(schema)
        return super().dataclass_schema(schema)

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        self._read_descriptions(schema)
        return super().typed_dict_schema(schema)

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
        texts = descriptions(cls)
        if texts:
            named = _fields_of(schema)
            self._described |= {id(one): texts[name] for name, one in named if name in texts}

    def _field(self, field: Any, made: dict[str, Any]) -> dict[str, Any]:
        text = self._described.get(id(field))
        return typed({**made, "description": text} if text is not None else made)

    def function_plain_schema(self, schema: Any) -> dict[str, Any]:
        """Refuse a validator that says nothing of what it takes."""
        declared = schema.get("json_schema_input_schema")
        if self.mode == "validation" and declared is not None and declared["type"] == "any":
            raise PydanticInvalidForJsonSchema("a PlainValidator without json_schema_input_type")
        return super().function_plain_schema(schema)


def _fields_of(schema: Any) -> Iterator[tuple[str, Any]]:
    while schema["type"] not in ("model-fields", "dataclass-args", "typed-dict"):
        if "schema" not in schema:
            return
        schema = schema["schema"]
    fields = schema["fields"]
    yield from fields.items() if isinstance(fields, dict) else ((f["name"], f) for f in fields)


def _refuse_ignored_notes(cls: type) -> None:
    """Refuse a constraint that pydantic would silently leave out."""
    for name, field in getattr(cls, "__pydantic_fields__", {}).items():
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


def _without_enum_titles(schema: Any) -> Any:
    metadata = schema["metadata"]
    functions = [
        one
        for one in metadata.get("pydantic_js_functions", ())
        if getattr(one, "__qualname__", "").partition(".")[0] != "GenerateSchema"
    ]
    return {**schema, "metadata": {**metadata, "pydantic_js_functions": functions}}
