"""Load tools by a place that every process can resolve: a module, a file, or declarations."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.digest import digest_of
from toolhaft.batch.journal import Changed
from toolhaft.batch.modules import import_file
from toolhaft.imports.declarations import ENDINGS, LINES, entries_of, from_json
from toolhaft.jsonio import jsontext
from toolhaft.tools.tool import AnyTool, Tool
from toolhaft.toolset.toolset import Toolset

__all__ = ["Tools", "list_tools", "load_catalogue"]

# A place of tools (`package.module:name`, `path.py:name`, `tools.jsonl`), or tools themselves.
Tools: TypeAlias = str | Iterable[AnyTool]
MAX_FILE_BYTES = 64 << 20
MAX_DEPTH = 200


def load_catalogue(tools: Tools, digest: str | None = None) -> Catalogue:
    """Give the catalogue of tools; that of a place is cached in each process.

    Raises:
        Changed: The tools have another digest than this.
        DefinitionError, ImportError, OSError: There are no such tools.
    """
    return _load_once(tools, digest) if isinstance(tools, str) else _load(tools, digest)


def list_tools(tools: Tools) -> list[AnyTool]:
    """List tools, which may be given by their place.

    Raises:
        DefinitionError, ImportError, OSError: There are no such tools.
    """
    return [tool for _, tool in _list(tools)]


def _load(tools: Tools, digest: str | None) -> Catalogue:
    listed = _list(tools)
    if digest is not None and digest_of(tool for _, tool in listed) != digest:
        raise Changed("the tools are not those of this digest; ship the same version everywhere")
    ids = {key: tool for key, tool in listed if isinstance(key, str)}
    return Catalogue([tool for _, tool in listed], ids)


_load_once = lru_cache(maxsize=16)(_load)


def _list(tools: Tools) -> list[tuple[Any, AnyTool]]:
    """Give the tools, each with the id that its declaration carries."""
    if not isinstance(tools, str):
        return [(None, tool) for tool in tools]
    if tools.endswith(ENDINGS):
        return list(_declared(tools))
    return [(None, tool) for tool in _tools_in(tools)]


def _declared(place: str) -> Iterator[tuple[Any, AnyTool]]:
    data = Path(place).read_bytes()
    text = gzip.decompress(data) if place.endswith(".gz") else data
    options: Any = {"max_bytes": MAX_FILE_BYTES, "max_depth": MAX_DEPTH}
    if place.endswith(LINES):
        rows = [jsontext.read(line, **options) for line in text.splitlines() if line.strip()]
    else:
        rows = entries_of(jsontext.read(text, **options))
    for row in rows:
        for tool in from_json([row]):
            yield row.get("id"), tool


def _tools_in(place: str) -> Iterator[AnyTool]:
    """Give the tools of a module, or of one name in it."""
    module_name, colon, name = place.rpartition(":")
    if not colon or not name.isidentifier():
        module_name, name = place, ""
    is_file = module_name.endswith(".py")
    module = import_file(Path(module_name)) if is_file else import_module(module_name)
    values = (
        [getattr(module, name)] if name else [vars(module)[key] for key in sorted(vars(module))]
    )
    seen: dict[str, AnyTool] = {}
    for value in values:
        is_many = isinstance(value, Toolset | list | tuple)
        for tool in value if is_many else [value]:
            if isinstance(tool, Tool) and seen.setdefault(tool.name, tool) is tool:
                yield tool
    if not seen:
        raise ImportError(f"{place}: there are no tools")
