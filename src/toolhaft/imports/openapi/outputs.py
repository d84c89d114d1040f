"""The declared results of an operation: their schema, and the media types to request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolhaft.imports.openapi.document import Document, Refused, as_object
from toolhaft.imports.openapi.media_types import is_json
from toolhaft.imports.openapi.parts import holders_of
from toolhaft.imports.openapi.schemas import SchemaWriter
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.components import Components
from toolhaft.schema.document.references import tokens
from toolhaft.schema.invisible import invisible_faults, strip_invisible
from toolhaft.spec import Path
from toolhaft.vendors.json_schema import JsonSchemaAdapter

__all__ = ["Declared", "Output", "OutputReader"]

SUCCESS: Final = re.compile("2[0-9X]{2}")
DEFAULT: Final = re.compile("DEFAULT")
# JSON values of the schema of a result; parts beyond that are left open.
MAX_VALUES: Final = 2_500
# Definitions that no validator can use, before the whole schema is given up.
MAX_OPENED: Final = 8
NOTHING: Final = {"type": "null"}
TEXT: Final = {"type": "string"}


class Output(NamedTuple):
    """The adapter that checks results, why some are unchecked, and the stripped characters."""

    adapter: JsonSchemaAdapter | None
    unchecked: str | None = None
    stripped: Sequence[tuple[Path, str]] = ()


class Declared(NamedTuple):
    """The declared results, and the value of `Accept`.

    `schemas` has the schemas of all answers, if any part of the document is for writing only;
    `has_write_only` is whether a part of these answers is.
    """

    output: Output
    schemas: tuple[Any, ...]
    has_write_only: bool
    accept: str | None


class OutputReader:
    """Reads what operations declare; a schema that several share is written once."""

    def __init__(self, document: Document, limits: DefinitionLimits, *, strips: bool) -> None:
        self.document = document
        self.limits = limits
        self.strips = strips
        self.writer = SchemaWriter(document, "response")
        self.components = Components(limits)
        self.holders = holders_of(document, "writeOnly")
        self._outputs: dict[str, Output] = {}

    def read(self, responses: Any) -> Declared:
        """Read the responses of one operation.

        Raises:
            Refused: The document says it in a way that cannot be read.
        """
        schemas: list[Any] = []
        accept: dict[str, None] = {}
        for response in self.successes(responses):
            schema, media_type = self.read_response(response)
            schemas.append(schema)
            accept |= {media_type: None} if media_type else {}
        try:
            key = json.dumps(schemas, default=str)
        except (RecursionError, ValueError):
            raise Refused(
                "responses", "schemas that contain themselves without end", "flatten them"
            ) from None
        if key not in self._outputs:
            self._outputs[key] = self.write(schemas)
        shown = self.all_schemas(responses) if self.holders else ()
        is_guarded = any(
            id(response.get("content")) in self.holders for response in self.all_answers(responses)
        )
        return Declared(self._outputs[key], tuple(shown), is_guarded, ", ".join(accept) or None)

    def successes(self, responses: Any) -> list[Mapping[str, Any]]:
        """Return the responses of success, or the default one if there is no other."""
        fitting = self.answers(responses, SUCCESS)
        return fitting or self.answers(responses, DEFAULT)

    def answers(self, responses: Any, statuses: re.Pattern[str]) -> list[Mapping[str, Any]]:
        """Return the responses of some statuses."""
        return [
            self.document.follow(response, f"responses/{status}")
            for status, response in as_object(responses).items()
            if statuses.fullmatch(str(status).upper())
        ]

    def all_answers(self, responses: Any) -> list[Mapping[str, Any]]:
        """Return every response whose content may be shown."""
        return self.answers(responses, SUCCESS) + self.answers(responses, DEFAULT)

    def all_schemas(self, responses: Any) -> Iterator[Any]:
        """Yield the schemas of all these responses: a property left out by one, all leave out."""
        for response in self.all_answers(responses):
            for node in as_object(response.get("content")).values():
                media = self.document.follow(node, "responses/content")
                item = media.get("itemSchema")  # of one line, or of a list of them
                yield from (media.get("schema"), item, {"items": item})

    def read_response(self, response: Mapping[str, Any]) -> tuple[Any, str | None]:
        """Return the schema of a response, None if it may be anything, and its media type."""
        content = as_object(response.get("content"))
        if not content:
            return NOTHING, None
        by_type = {str(name).lower(): media for name, media in content.items()}
        if not all(name.isascii() and name.isprintable() for name in by_type):
            raise Refused("responses/content", "an invalid media type", "correct it")
        for media_type, media in by_type.items():
            if is_json(media_type):
                return self.document.follow(media, "responses/content").get("schema"), media_type
        is_text = all(name.startswith("text/") for name in by_type)
        return (TEXT, next(iter(by_type))) if is_text else (None, None)

    def write(self, schemas: list[Any]) -> Output:
        """Write one schema of all results; none if one may be anything, or all are nothing.

        Raises:
            Refused: It has a character that a person cannot see.
        """
        distinct = [each for at, each in enumerate(schemas) if each not in schemas[:at]]
        if any(each in (None, True, {}) for each in distinct) or distinct in ([], [NOTHING]):
            return Output(None)
        whole = distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
        bundle = self.writer.bundle(whole, MAX_VALUES)
        schema, is_cut = bundle.schema, bundle.is_cut
        schema, stripped = strip_invisible(schema) if self.strips else (schema, [])
        if is_cut and not self.strips:
            self.components.add(self.writer.bundle(whole).schema["$defs"])
        for _ in range(MAX_OPENED):
            view = self.components.view(schema, is_cut=is_cut)
            if not view.faults:
                unchecked = "far parts are not checked" if is_cut else None
                return Output(JsonSchemaAdapter(schema, view), unchecked, stripped)
            for hidden in invisible_faults(schema)[:1]:
                raise Refused(f"output{hidden.pointer}", hidden.reason, hidden.fix)
            name = _definition_at(view.faults[0].pointer)
            if name is None:
                break
            schema, is_cut = {**schema, "$defs": {**schema["$defs"], name: {}}}, True
        return Output(None, "not checked: no validator can use its schema")


def _definition_at(pointer: str) -> str | None:
    """Return the definition in which a fault is, or None."""
    steps = tokens(f"#{pointer}") or ()
    return steps[1] if len(steps) > 1 and steps[0] == "$defs" else None
