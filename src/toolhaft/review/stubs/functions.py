"""Write the function by which a program calls a tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolhaft.jsonio import jsontext
from toolhaft.review.openapi import class_name
from toolhaft.review.stubs.forms import Field, Form, fields_of, kinds_of
from toolhaft.review.stubs.source import docstring, identifier, literal
from toolhaft.review.stubs.types import ANY, PythonTypes, describe
from toolhaft.spec import Mode, StandardSchema
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors.adapter import Adapter

__all__ = ["FunctionWriter"]

CALL: Final = "_call"
# Longer defaults are in the schema alone.
MOST_DEFAULT: Final = 80
MOST_LINE: Final = 60


class FunctionWriter:
    """Writes functions, and keeps the types that they share.

    Args:
        used: The names of the module.
        wait: The text before a call: "await " or nothing.
    """

    def __init__(self, used: set[str], wait: str) -> None:
        self.types = PythonTypes(used)
        self.wait = wait

    def write(self, name: str, tool: AnyTool) -> str:
        """Write the function of a tool, from its name on."""
        base = class_name(tool.name)
        returned, described = self._result(tool, base)
        schema = _schema(tool.input_schema, "input")
        forms, hint = self.types.begin(schema, f"{base}Arguments")
        fields = _parameters(forms)
        if fields is None:
            kind = self.types.write_forms(forms, hint)
            parameters, passed = [f"arguments: {kind}", "/"], "arguments"
            names: dict[str, str] = {}
            lines: list[str] = []
        else:
            names = _name_parameters(fields)
            parameters, passed = self._parameters(fields, names, forms, base)
            lines = [*_describe_parameters(fields, names)]
        text = "\n".join([tool.description, *_section("Args", lines)])
        doc = docstring("\n".join([text, *_section("Returns", described)]))
        head = f"{name}({_listed(parameters)}) -> {returned}:\n{doc}\n"
        call = f"{self.wait}{CALL}({literal(tool.name)}, {passed})"
        if returned == ANY:
            return f"{head}    return {call}"
        local = identifier("result", {*names.values(), "arguments"})
        return f"{head}    {local}: {returned} = {call}\n    return {local}"

    def _result(self, tool: AnyTool, base: str) -> tuple[str, list[str]]:
        """Return the type of a tool's results, and what its schema says about them."""
        if tool.output_schema is None:
            return ANY, []
        schema = _schema(tool.output_schema, "output")
        described = describe((schema,))
        written = self.types.write_forms(*self.types.begin(schema, f"{base}Result"))
        return written, described.split("\n") if described else []

    def _parameters(
        self, fields: list[Field], names: dict[str, str], forms: list[Form], base: str
    ) -> tuple[list[str], str]:
        """Write the parameters, and the arguments that they are passed on as."""
        parameters = []
        for field in sorted(fields, key=lambda field: not field.is_required):
            default = "" if field.is_required else " = OMIT"
            written = self.types.write_field(field, base)
            parameters.append(f"{names[field.key]}: {written}{default}")
        passed = [f"{literal(field.key)}: {names[field.key]}" for field in fields]
        further = self.types.write_further(forms[0], base) if forms else None
        if further is not None:
            more = identifier("more", names.values())
            parameters.append(f"**{more}: {further}")
            passed.append(f"**{more}")
        return parameters, f"{{{', '.join(passed)}}}"


def _schema(schema: StandardSchema[Any], mode: Mode) -> dict[str, Any]:
    """Return a schema in which classes have their names, if an adapter has written it."""
    if isinstance(schema, Adapter):
        marked: dict[str, Any] = schema.marked_schema(mode)
        return marked
    return schema.json_schema(mode=mode)


def _parameters(forms: list[Form]) -> list[Field] | None:
    """Return the parameters of a tool; None if its arguments have several forms."""
    listed = [fields_of(form) for form in forms]
    first = listed[0] if listed else []
    for form, fields in zip(forms, listed, strict=True):
        if kinds_of(form) not in (["object"], ["any"]) or _places(fields) != _places(first):
            return None
    required = [{field.key for field in fields if field.is_required} for fields in listed]
    always = set.intersection(*required) if required else set()
    return [field._replace(is_required=field.key in always) for field in first]


def _places(fields: list[Field]) -> dict[str, list[int]]:
    return {field.key: [*map(id, field.nodes)] for field in fields}


def _name_parameters(fields: list[Field]) -> dict[str, str]:
    names: dict[str, str] = {}
    for field in fields:
        names[field.key] = identifier(field.key, {CALL, *names.values()})
    return names


def _describe_parameters(fields: list[Field], names: dict[str, str]) -> Iterator[str]:
    """Describe each parameter that has a description or a default."""
    for field in sorted(fields, key=lambda field: not field.is_required):
        texts = [describe(field.nodes), _default(field)]
        if text := " ".join(filter(None, texts)):
            yield from f"{names[field.key]}: {text}".replace("\n", "\n    ").split("\n")


def _default(field: Field) -> str:
    for node in field.nodes:
        if isinstance(node, dict) and node.get("default") is not None:
            text = jsontext.write(node["default"])
            return f"Defaults to {text}." if len(text) <= MOST_DEFAULT else ""
    return ""


def _listed(parameters: list[str]) -> str:
    """List parameters in a line, or each in one of its own."""
    line = ", ".join(parameters)
    if len(line) <= MOST_LINE:
        return line
    return "\n".join(["", *(f"    {parameter}," for parameter in parameters), ""])


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", f"{title}:", *(f"    {line}" for line in lines)] if lines else []
