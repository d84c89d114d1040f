"""A lock: the definitions of reviewed tools, to be compared with the current tools.

A lock is plain JSON: for each tool its definition, and the digest of that in canonical form (RFC
8785, SHA-256). A definition has the name, title, description, both schemas, annotations, examples
and the rules for calls; also provider options, source and allowed callers, if it has them.
`metadata` belongs to the program and is left out. A lock of version 1 has no examples and rules.
Beside the tools stand the resources and prompts of their module, if it has any, as `offers`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.canonical import digest
from toolhaft.tools.internals import rules_of

if TYPE_CHECKING:
    from toolhaft.tools.tool import AnyTool

__all__ = [
    "RULES",
    "Definitions",
    "LockError",
    "Mismatch",
    "definition_of",
    "map_by_name",
    "read_lock",
    "verify_tools",
    "warn_without_rules",
    "without_rules",
    "write_lock",
]

Definitions: TypeAlias = Mapping[str, Mapping[str, Any]]

VERSION: Final = 2
# Has no examples and rules.
FORMER: Final = 1
# Unknown for a server of tools: how a program lets a model call them.
REQUIRED: Final = (
    *("examples", "strict", "coerce", "extra", "requires_approval", "authorize", "hidden"),
)
RULES: Final = (*REQUIRED, "allowed_callers")
MAX_BYTES, MAX_DEPTH = 64 << 20, 250


class LockError(ToolhaftError):
    """A lock cannot be used: which one, and why."""


class Mismatch(ToolhaftError):
    """Raised if tools differ from a lock; `tools` has the difference of each tool."""

    def __init__(self, tools: Mapping[str, str]) -> None:
        self.tools = dict(tools)
        super().__init__("; ".join(f"{name}: {why}" for name, why in tools.items()))


def definition_of(tool: AnyTool) -> dict[str, Any]:
    """Describe a tool as models and frameworks see it, and its rules, as plain JSON data."""
    return {"name": tool.name, "title": tool.title, **tool.describe(), **rules_of(tool)}


def write_lock(tools: Iterable[AnyTool], offers: Definitions | None = None) -> dict[str, Any]:
    """Write the lock of tools, in name order, and of the offers beside them.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> write_lock([double])["tools"]["double"]["digest"][:12]
    '8c487ddf6e95'
    """
    written = {"toolhaft-lock": VERSION, "tools": _write_entries(map_by_name(tools))}
    return {**written, "offers": _write_entries(offers)} if offers else written


def _write_entries(definitions: Definitions) -> dict[str, Any]:
    return {
        name: {"digest": digest(definition), "definition": definition}
        for name, definition in sorted(definitions.items())
    }


def map_by_name(tools: Iterable[AnyTool]) -> dict[str, dict[str, Any]]:
    """Map the names of tools to their definitions."""
    return {tool.name: definition_of(tool) for tool in tools}


def read_lock(
    lock: Mapping[str, Any] | str | Path, *, offers: bool = False
) -> dict[str, dict[str, Any]]:
    """Return the definitions in a lock, from its data or the path of its file.

    `offers` reads the lock of resources and prompts too.

    Raises:
        LockError: It cannot be read, is not a lock, or was changed by hand.
    """
    if not isinstance(lock, Mapping | str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise LockError("the lock: neither a path nor its data; pass one of them")
    where = "the lock" if isinstance(lock, Mapping) else str(lock)
    data: Any = lock if isinstance(lock, Mapping) else _load_file(Path(lock))
    version = data.get("toolhaft-lock") if isinstance(data, Mapping) else None
    if isinstance(version, int) and version > VERSION:
        raise LockError(f"{where}: written by a newer version of toolhaft; install that to read it")
    if version not in (FORMER, VERSION):
        reason = f"not a lock of version {FORMER} or {VERSION}"
        raise LockError(f"{where}: {reason}; write one with toolhaft lock")
    entries, others = data.get("tools"), data.get("offers", {})
    if not isinstance(entries, Mapping) or not isinstance(others, Mapping):
        raise LockError(f"{where}: has no tools; write it anew with toolhaft lock")
    if offers:
        entries = {**entries, **others}
    definitions = {name: _read_definition(where, name, entry) for name, entry in entries.items()}
    for name, definition in definitions.items():
        if version == VERSION and not _has_rules(definition):
            raise LockError(f"{where}: {name}: has no rules; write it anew with toolhaft lock")
    return definitions


def warn_without_rules(locked: Definitions) -> None:
    """Warn of a lock of the former version, whose tools are compared without their rules."""
    if not all(map(_has_rules, locked.values())):
        message = f"the lock is of version {FORMER}, without {', '.join(REQUIRED)}"
        warnings.warn(f"{message}; write it anew with toolhaft lock", stacklevel=4)


def _has_rules(definition: Mapping[str, Any]) -> bool:
    return definition.keys() >= {*REQUIRED}


def _load_file(path: Path) -> Any:
    try:
        return jsontext.read(path.read_bytes(), max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    except FileNotFoundError:
        raise LockError(f"{path}: no such file; toolhaft lock writes one") from None
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


def without_rules(definitions: Definitions) -> dict[str, dict[str, Any]]:
    """Leave out of definitions what a server of tools does not tell.

    >>> without_rules({"find": {"name": "find", "coerce": "safe"}})
    {'find': {'name': 'find'}}
    """
    return {
        name: {part: value for part, value in definition.items() if part not in RULES}
        for name, definition in definitions.items()
    }


def verify_tools(
    tools: Iterable[AnyTool],
    lock: Mapping[str, Any] | str | Path,
    *,
    rules: bool = True,
    offers: Definitions | None = None,
) -> None:
    """Compare tools with a lock, with their rules if it has them and this program sets them.

    With `offers`, the resources and prompts of their module are compared too.

    Raises:
        Mismatch: names each tool that was added, is gone, or is another one now.
        LockError: The lock cannot be used.
    """
    locked = read_lock(lock, offers=offers is not None)
    if rules:
        warn_without_rules(locked)
    current = {**map_by_name(tools), **(offers or {})}
    different = {name: "not in the lock" for name in current if name not in locked}
    different |= {name: "gone" for name in locked if name not in current}
    for name in current.keys() & locked.keys():
        parts = dict.fromkeys((*current[name], *locked[name]))
        if not rules or not _has_rules(locked[name]):
            parts = dict.fromkeys(part for part in parts if part not in RULES)
        changed = [part for part in parts if _differs(current[name], locked[name], part)]
        if changed:
            different[name] = f"changed: {', '.join(changed)}"
    if different:
        raise Mismatch(dict(sorted(different.items())))


def _differs(current: Mapping[str, Any], locked: Mapping[str, Any], part: str) -> bool:
    """Whether a part of two definitions is another JSON value."""
    return digest([current.get(part)]) != digest([locked.get(part)])
