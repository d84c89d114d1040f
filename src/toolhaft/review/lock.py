"""A lock: what tools were when someone looked at them, to be compared with what they are now.

A lock is plain JSON: for each tool its definition (name, title, description, both schemas,
annotations, and provider options and source where there are any) and the digest of that in
canonical form (RFC 8785, SHA-256). What `metadata` says is the program's own business and is not
in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.canonical import digest

if TYPE_CHECKING:
    from toolhaft.tools.tool import AnyTool

__all__ = [
    "Definitions",
    "LockError",
    "Mismatch",
    "definition_of",
    "read_lock",
    "verify_tools",
    "write_lock",
]

Definitions: TypeAlias = Mapping[str, Mapping[str, Any]]

VERSION: Final = 1
MAX_BYTES, MAX_DEPTH = 64 << 20, 250


class LockError(ToolhaftError):
    """A lock cannot be used: which one, and why."""


class Mismatch(ToolhaftError):
    """Tools are not what a lock says; `tools` says of each what is different."""

    def __init__(self, tools: Mapping[str, str]) -> None:
        self.tools = dict(tools)
        super().__init__("; ".join(f"{name}: {why}" for name, why in tools.items()))


def definition_of(tool: AnyTool) -> dict[str, Any]:
    """Describe a tool as models and hosts see it, as plain JSON data."""
    return {"name": tool.name, "title": tool.title, **tool.describe()}


def write_lock(tools: Iterable[AnyTool]) -> dict[str, Any]:
    """Write the lock of tools, in name order.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> write_lock([double])["tools"]["double"]["digest"][:12]
    '376ee63b43b3'
    """
    definitions = {tool.name: definition_of(tool) for tool in tools}
    entries = {
        name: {"digest": digest(definition), "definition": definition}
        for name, definition in sorted(definitions.items())
    }
    return {"toolhaft-lock": VERSION, "tools": entries}


def read_lock(lock: Mapping[str, Any] | str | Path) -> dict[str, dict[str, Any]]:
    """Give the definitions in a lock: its data, or the path of its file.

    Raises:
        LockError: It cannot be read, is no lock, or was changed by hand.
    """
    if not isinstance(lock, Mapping | str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise LockError("the lock: neither a path nor its data; pass one of them")
    where = "the lock" if isinstance(lock, Mapping) else str(lock)
    data: Any = lock if isinstance(lock, Mapping) else _load_file(Path(lock))
    if not isinstance(data, Mapping) or data.get("toolhaft-lock") != VERSION:
        raise LockError(f"{where}: not a lock of version {VERSION}; write one with toolhaft lock")
    entries = data.get("tools")
    if not isinstance(entries, Mapping):
        raise LockError(f"{where}: has no tools; write it anew with toolhaft lock")
    return {name: _read_definition(where, name, entry) for name, entry in entries.items()}


def _load_file(path: Path) -> Any:
    try:
        return jsontext.read(path.read_bytes(), max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    except FileNotFoundError:
        raise LockError(f"{path}: there is no such file") from None
    except OSError as error:
        raise LockError(f"{path}: cannot be read: {error.strerror}") from None
    except jsontext.JsonSyntaxError as fault:
        raise LockError(f"{path}: {fault.message}") from None
    except ValueError:
        raise LockError("the lock: not a path that a file can have; pass another") from None


def _read_definition(where: str, name: str, entry: Any) -> dict[str, Any]:
    definition = entry.get("definition") if isinstance(entry, Mapping) else None
    if not isinstance(definition, Mapping) or entry.get("digest") != digest(definition):
        reason = "the digest is not that of the definition"
        raise LockError(f"{where}: {name}: {reason}; write it anew with toolhaft lock")
    return dict(definition)


def verify_tools(tools: Iterable[AnyTool], lock: Mapping[str, Any] | str | Path) -> None:
    """Compare tools with a lock.

    Raises:
        Mismatch: names each tool that was added, is gone, or is another one now.
        LockError: The lock cannot be used.
    """
    locked = read_lock(lock)
    current = {tool.name: definition_of(tool) for tool in tools}
    different = {name: "not in the lock" for name in current if name not in locked}
    different |= {name: "gone" for name in locked if name not in current}
    for name in current.keys() & locked.keys():
        if digest(current[name]) != digest(locked[name]):
            parts = (
                part
                for part in {**current[name], **locked[name]}
                if current[name].get(part) != locked[name].get(part)
            )
            different[name] = f"changed: {', '.join(parts)}"
    if different:
        raise Mismatch(dict(sorted(different.items())))
