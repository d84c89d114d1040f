"""`[tool.toolhaft]` of a project's `pyproject.toml`: rules, targets and ignored findings.

[tool.toolhaft] select = ["TH1", "TH202"]              # codes or their beginnings; all when it is
left out targets = ["openai", "anthropic"] ignore = { TH209 = "our model is trusted with long texts"
}

[tool.toolhaft.per-tool-ignores.legacy_search] TH201 = "the partner's schema, kept as it is"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolhaft.definition import names
from toolhaft.definition.targets import TARGETS
from toolhaft.errors import ToolhaftError

__all__ = ["Config", "ConfigError", "read_config"]

AGREEMENT = "TH7"
KEYS = ("select", "ignore", "targets", "per-tool-ignores")


class ConfigError(ToolhaftError):
    """A project's configuration cannot be used: which key, and what it should be."""


@dataclass(frozen=True, slots=True)
class Config:
    """Which rules apply; `ignore` and `per_tool` give a reason for each code.

    `agreement` asks for the rules that try values, which are left out unless they are selected.
    """

    select: tuple[str, ...] = ()
    ignore: Mapping[str, str] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    per_tool: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    agreement: bool = False

    def selects(self, code: str) -> bool:
        """Whether a rule applies at all."""
        wanted = code.startswith(self.select) if self.select else not code.startswith(AGREEMENT)
        wanted |= self.agreement and code.startswith(AGREEMENT)
        return wanted and not code.startswith(tuple(self.ignore))

    def ignores(self, code: str, tool: str) -> bool:
        """Return whether a rule is ignored for one tool."""
        return code.startswith(tuple(self.per_tool.get(tool, ())))


def read_config(start: Path) -> Config:
    """Read the configuration of the project that a folder is in; none is the default.

    Raises:
        ConfigError: names the key that is wrong.
    """
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            return _read_config(path, _read_table(path))
    return Config()


def _read_table(path: Path) -> Any:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name}: not TOML: {error}") from None
    tool_table: Any = data.get("tool", {})
    return tool_table.get("toolhaft", {}) if isinstance(tool_table, dict) else {}


def _read_config(path: Path, table: Any) -> Config:
    where = f"{path.name}: tool.toolhaft"
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: expected a table")
    for key in table:
        if key not in KEYS:
            near = names.nearest(key, KEYS)
            hint = f"did you mean {near}?" if near else f"use {', '.join(KEYS)}"
            raise ConfigError(f"{where}: unknown key {names.escape_text(key)}; {hint}")
    targets = _read_texts(where, "targets", table.get("targets", []))
    for target in targets:
        if target not in TARGETS:
            raise ConfigError(f"{where}.targets: no such target; use {', '.join(TARGETS)}")
    per_tool = table.get("per-tool-ignores", {})
    if not isinstance(per_tool, dict):
        raise ConfigError(f"{where}.per-tool-ignores: expected a table for each tool")
    return Config(
        select=_read_texts(where, "select", table.get("select", [])),
        ignore=_read_reasons(f"{where}.ignore", table.get("ignore", {})),
        targets=targets,
        per_tool={
            name: _read_reasons(f"{where}.per-tool-ignores.{name}", table_of_tool)
            for name, table_of_tool in per_tool.items()
        },
    )


def _read_texts(where: str, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise ConfigError(f"{where}.{key}: expected a list of texts")
    return tuple(value)


def _read_reasons(where: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(why, str) for why in value.values()):
        raise ConfigError(f'{where}: expected a reason for each code, as in {{ TH102 = "why" }}')
    for code, why in value.items():
        if not why.strip():
            raise ConfigError(f"{where}.{code}: no reason; write why the rule is ignored")
    return value
