"""A tool as the rules see it: its texts and schemas, and its source if it has one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from toolhaft.definition import docstrings
from toolhaft.definition.docstrings import Description
from toolhaft.jsonio import jsontext
from toolhaft.review.agreement import Agreement, audit_agreement
from toolhaft.review.checks.source import NOWHERE, Source, source_of
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.references import merged_with_target
from toolhaft.schema.document.walk import pointer, walk_schemas
from toolhaft.schema.faults import SchemaRefused
from toolhaft.spec import Path
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.token_estimate import estimate_tokens

__all__ = ["Node", "Subject", "describe", "normalise_text", "parameter_pointer"]

DEFINITIONS = ("$defs", "definitions")


class Node(NamedTuple):
    """A subschema, with the pointer that leads to it from the tool.

    `name` is the property that it describes, or "" where it describes none.
    """

    pointer: str
    schema: Any
    name: str
    steps: Path


@dataclass(frozen=True)
class Subject:
    """One tool under check; `where` is `file:line`, `runs` is False for a mere declaration."""

    tool: AnyTool
    where: str
    runs: bool = True

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def description(self) -> str:
        return self.tool.description

    @cached_property
    def input(self) -> dict[str, Any]:
        """The input schema as it was emitted."""
        return self.tool.input_schema.json_schema()

    @cached_property
    def output(self) -> dict[str, Any] | None:
        declared = self.tool.output_schema
        return None if declared is None else declared.json_schema(mode="output")

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The description of each parameter, references followed one step."""
        properties = self.input.get("properties")
        if not isinstance(properties, dict):
            return {}
        return {name: describe(self.follow_reference(node)) for name, node in properties.items()}

    def follow_reference(self, node: Any) -> Any:
        """Merge a node with the target of its reference; its own keywords win."""
        return merged_with_target(self.input, node)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every subschema of the input, the root first."""
        return tuple(_make_node(steps, node) for steps, node in walk_schemas(self.input))

    @cached_property
    def objects(self) -> tuple[tuple[Node, Mapping[str, Any]], ...]:
        """Every subschema that is more than true or false, with its node."""
        nodes = ((node, node.schema) for node in self.nodes)
        return tuple((node, schema) for node, schema in nodes if isinstance(schema, Mapping))

    def fits(self, schema: Mapping[str, Any], data: Any) -> bool:
        """Return whether data satisfy a subschema of the input; True if that cannot be checked."""
        definitions = {
            key: self.input[key] for key in ("$schema", *DEFINITIONS) if key in self.input
        }
        try:
            return Checker({**definitions, **schema}).is_valid(data)
        except SchemaRefused:  # it refers to another place of the whole
            return True

    @cached_property
    def docstring(self) -> Description:
        """The handler's docstring, parsed; empty for a declaration."""
        return docstrings.read_docstring(self.tool.function.__doc__ if self.runs else None)

    @cached_property
    def source(self) -> Source:
        """The lines of the handler in its file; none for a declaration."""
        return source_of(self.tool.function) if self.runs else NOWHERE

    @cached_property
    def _parameter_lines(self) -> dict[str, int]:
        return self.source.parameter_lines

    def place_of(self, pointer: str) -> str:
        """Return `file:line` of a pointer's target: the parameter's line, else the tool's."""
        _, _, rest = pointer.partition("/input/properties/")
        name = rest.partition("/")[0].replace("~1", "/").replace("~0", "~")
        line = self._parameter_lines.get(name) if name else None
        return f"{self.where.rpartition(':')[0]}:{line}" if line else self.where

    @cached_property
    def declaration(self) -> dict[str, Any]:
        """The tool as a model reads it."""
        return {"name": self.name, "description": self.description, "input": self.input}

    @cached_property
    def agreement(self) -> Agreement:
        """The result of trying values on the tool, which takes a tenth of a second or more."""
        return audit_agreement(self.tool)

    @property
    def tokens(self) -> int:
        """About how many tokens a model reads of the tool as compact JSON."""
        return estimate_tokens(jsontext.write(self.declaration))

    @cached_property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """Every text that a model reads, with its pointer: names, descriptions, values."""
        return (
            ("/name", self.name),
            ("/title", self.tool.title or ""),
            ("/description", self.description),
            *_texts("/input", self.input),
            *_texts("/output", self.output),
            *_texts("/provider_options", self.tool.provider_options),
        )


def parameter_pointer(name: str) -> str:
    """The pointer to a parameter."""
    return f"/input{pointer(('properties', name))}"


def normalise_text(text: str) -> str:
    """A text without case, spaces and signs, for comparison."""
    return re.sub(r"[\W_]+", "", text).casefold()


def describe(schema: Any) -> str:
    """Return a schema's description; for a union, the descriptions of its branches except null."""
    if not isinstance(schema, dict):
        return ""
    description = schema.get("description")
    if isinstance(description, str) and description.strip():
        return description.strip()
    branches = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or ()
    descriptions = [describe(branch) for branch in branches if branch != {"type": "null"}]
    return "; ".join(descriptions) if descriptions and all(descriptions) else ""


def _make_node(steps: Path, node: Any) -> Node:
    name = str(steps[-1]) if steps[-2:-1] == ("properties",) else ""
    return Node(f"/input{pointer(steps)}", node, name, steps)


def _texts(where: str, data: Any) -> Iterator[tuple[str, str]]:
    """Keys and strings of JSON data; bounded, because the definition was."""
    if isinstance(data, str):
        yield where, data
    elif isinstance(data, list):
        for place, item in enumerate(data):
            yield from _texts(f"{where}/{place}", item)
    elif isinstance(data, dict):
        for key, item in data.items():
            inner = f"{where}{pointer((key,))}"
            yield inner, key
            yield from _texts(inner, item)
