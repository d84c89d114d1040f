"""Tools that are only declared: a file of declarations in any shape that `from_json` reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from toolhaft.batch.calls import NotACall, TooLong, read_call
from toolhaft.cli.reading import Reading
from toolhaft.cli.unusable import Broken, Faulty, Unusable, one_line
from toolhaft.errors import DefinitionError, Fault
from toolhaft.imports.declarations import LINES, entries_of, from_json
from toolhaft.jsonio import jsontext
from toolhaft.tools.tool import AnyTool

__all__ = ["Declared", "read_declared"]

MAX_FILE_BYTES = 64 << 20
SCHEMAS = {"parameters", "parametersJsonSchema", "input_schema", "inputSchema"}
A_CALL = "a call of a tool, not a declaration"
MAX_DEPTH = 200  # of a schema; what a tool may have is less, and from_json says so


class Declared(NamedTuple):
    """A declared tool, where its declaration is, and the id that it carries there."""

    tool: AnyTool
    where: str
    id: Any


def read_declared(target: str) -> tuple[list[Declared], list[Faulty]]:
    """Read all declarations of a file; one that is faulty does not spoil the others.

    Raises:
        Unusable: The file cannot be read, or declares no tool that can be used.
    """
    declared: list[Declared] = []
    faulty: list[Faulty] = []
    for where, row in _rows(target):
        if _is_call(row):
            faulty.append(Faulty(row.get("name"), row.get("id"), [A_CALL], True, where))
            continue
        try:
            tools = from_json([row])
        except DefinitionError as error:
            reasons = list(map(_reason, error.faults))
            faulty.append(Faulty(row.get("name"), row.get("id"), reasons, where=where))
            continue
        declared += [Declared(tool, where, row.get("id")) for tool in tools]
    if not declared:
        raise _unusable(target, faulty)
    return declared, faulty


def _unusable(target: str, faulty: list[Faulty]) -> Unusable:
    """Say why a file has no tool that can be used: in one line where it has something else."""
    if not faulty:
        return Unusable(f"{target}: declares no tools")
    if all(declaration.is_call for declaration in faulty):
        return Unusable(f"{target}: holds calls, not tools; write: toolhaft batch TOOLS {target}")
    return Broken(faulty)


def _reason(fault: Fault) -> str:
    """Say a fault of a declaration, whose place in the list of one that was read says nothing."""
    tool = fault.tool.removeprefix("declarations[0]").lstrip(" .")
    return one_line(str(fault._replace(tool=tool or "the declaration")))


def _is_call(row: dict[str, Any]) -> bool:
    """Whether a row is a call of a tool: it has arguments, and no schema of them."""
    inner = row.get("function")
    if SCHEMAS & (row.keys() | (inner.keys() if isinstance(inner, dict) else ())):
        return False
    try:
        return read_call(row).arguments is not None
    except NotACall:
        return False


def _rows(target: str) -> Iterator[tuple[str, dict[str, Any]]]:
    reading = Reading(target)
    if not target.endswith(LINES):
        yield from _list_declarations(target, _read(target, reading.whole(MAX_FILE_BYTES)))
        return
    for line in reading.lines():
        where = f"{target}:{line.number}"
        if isinstance(line.text, TooLong):
            raise Unusable(f"{where}: the line is too long")
        yield where, _object(where, _read(where, line.text))


def _list_declarations(target: str, data: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(data, dict) and "openapi" in data and "paths" in data:
        raise Unusable(f"{target}: is an OpenAPI document; write: openapi:{target}")
    for place, declaration in enumerate(entries_of(data)):
        where = f"{target}[{place}]"
        yield where, _object(where, declaration)


def _read(where: str, text: bytes) -> Any:
    try:
        return jsontext.read(text, max_bytes=MAX_FILE_BYTES, max_depth=MAX_DEPTH)
    except jsontext.JsonSyntaxError as fault:
        raise Unusable(f"{where}: {fault.message}") from None


def _object(where: str, data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise Unusable(f"{where}: not a declaration: expected an object")
    return data
