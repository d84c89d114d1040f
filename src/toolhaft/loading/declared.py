"""Tools that are only declared: a file of declarations in any shape that `from_json` reads."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

from toolhaft.errors import DefinitionError, Fault
from toolhaft.imports.declarations import LINES, entries_of, from_json
from toolhaft.jsonio import jsontext
from toolhaft.loading.faults import Faulty, LoadError, one_line
from toolhaft.tools.tool import AnyTool

__all__ = ["Declared", "read_declared"]

MAX_FILE_BYTES = 64 << 20
MAX_LINE_BYTES = 4 << 20
GZIP = b"\x1f\x8b"  # RFC 1952, 2.3.1
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SCHEMAS = {"parameters", "parametersJsonSchema", "input_schema", "inputSchema"}
A_CALL = "a call of a tool, not a declaration"
MAX_DEPTH = 200  # of a schema; the limit for a tool is lower, and from_json reports it


class Declared(NamedTuple):
    """A declared tool, where its declaration is, and the id that it carries there."""

    tool: AnyTool
    where: str
    id: Any


def read_declared(target: str) -> tuple[list[Declared], list[Faulty]]:
    """Read all declarations of a file; a faulty one is listed apart from the others.

    Raises:
        LoadError: The file cannot be read, or declares no tool that can be used.
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
        raise _load_error(target, faulty)
    return declared, faulty


def _load_error(target: str, faulty: list[Faulty]) -> LoadError:
    """Explain why a file has no tool: in one line if it has something else."""
    if not faulty:
        return LoadError(f"{target}: declares no tools")
    if all(declaration.is_call for declaration in faulty):
        return LoadError(f"{target}: holds calls, not tools; write: toolhaft batch TOOLS {target}")
    return LoadError.of_faulty(faulty)


def _reason(fault: Fault) -> str:
    """Describe a fault of a declaration, without its place in a list of one."""
    tool = fault.tool.removeprefix("declarations[0]").lstrip(" .")
    return one_line(str(fault._replace(tool=tool or "the declaration")))


def _is_call(row: dict[str, Any]) -> bool:
    """Whether a row is a call of a tool: it has arguments, and no schema of them."""
    inner = row.get("params" if row.get("method") == "tools/call" else "function")
    places = [row, inner] if isinstance(inner, dict) else [row]
    if any(SCHEMAS & place.keys() for place in places):
        return False
    arguments = "input" if row.get("type") == "tool_use" else "arguments"
    return any(
        isinstance(place.get("name"), str) and place.get(arguments) is not None for place in places
    )


def _rows(target: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if target.endswith(LINES):
        yield from _read_lines(target)
        return
    with _opened(target) as file:
        text = file.read(MAX_FILE_BYTES + 1)
    yield from _list_declarations(target, _read(target, text))


def _read_lines(target: str) -> Iterator[tuple[str, dict[str, Any]]]:
    with _opened(target) as file:
        lines = iter(lambda: file.readline(MAX_LINE_BYTES + 1), b"")
        for number, line in enumerate(lines, 1):
            where = f"{target}:{number}"
            if len(line) > MAX_LINE_BYTES:
                raise LoadError(f"{where}: the line is too long")
            text = (line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line).strip()
            if text:
                yield where, _object(where, _read(where, text))


@contextmanager
def _opened(target: str) -> Generator[gzip.GzipFile | BufferedReader]:
    """Open a file, which may be compressed whatever its name, to be read within the block.

    Raises:
        LoadError: The file is missing, damaged or cannot be read.
    """
    try:
        with Path(target).open("rb") as file:
            is_compressed = file.peek(len(GZIP)).startswith(GZIP)
            yield gzip.GzipFile(fileobj=file) if is_compressed else file
    except FileNotFoundError:
        raise LoadError(f"{target}: no such file") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LoadError(f"{target}: cannot be read: {one_line(reason)}") from None


def _list_declarations(target: str, data: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(data, dict) and "openapi" in data and "paths" in data:
        raise LoadError(f"{target}: is an OpenAPI document; write: openapi:{target}")
    for place, declaration in enumerate(entries_of(data)):
        where = f"{target}[{place}]"
        yield where, _object(where, declaration)


def _read(where: str, text: bytes) -> Any:
    try:
        return jsontext.read(text, max_bytes=MAX_FILE_BYTES, max_depth=MAX_DEPTH)
    except jsontext.JsonSyntaxError as fault:
        raise LoadError(f"{where}: {fault.message}") from None


def _object(where: str, data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise LoadError(f"{where}: not a declaration: expected an object")
    return data
