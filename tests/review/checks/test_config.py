"""A project's configuration is read whole or refused with the key that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolhaft.review.checks.config import Config, ConfigError, read_config


def written(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(text)
    return folder


def test_it_is_read_from_the_nearest_project(tmp_path: Path) -> None:
    text = """
[tool.toolhaft]
select = ["TH1"]
targets = ["openai"]
ignore = { TH102 = "short names" }
[tool.toolhaft.per-tool-ignores.find]
TH201 = "a partner's schema"
"""
    inner = written(tmp_path, text) / "src" / "tools"
    inner.mkdir(parents=True)
    assert read_config(inner) == Config(
        select=("TH1",),
        ignore={"TH102": "short names"},
        targets=("openai",),
        per_tool={"find": {"TH201": "a partner's schema"}},
    )


def test_a_project_without_any_has_the_default(tmp_path: Path) -> None:
    assert read_config(written(tmp_path, "")) == Config()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[tool", "pyproject.toml: not TOML: "),
        ("[tool]\ntoolhaft = 1", "pyproject.toml: tool.toolhaft: expected a table"),
        ("[tool.toolhaft]\nslect = []", "unknown key slect; did you mean select?"),
        ("[tool.toolhaft]\nxyz = []", "unknown key xyz; use select, ignore, targets, per-"),
        ('[tool.toolhaft]\ntargets = ["gpt"]', "tool.toolhaft.targets: no such target; use "),
        ('[tool.toolhaft]\nselect = "TH1"', "tool.toolhaft.select: expected a list of texts"),
        ('[tool.toolhaft]\nignore = ["TH1"]', "expected a reason for each code"),
        (
            '[tool.toolhaft.ignore]\nTH1 = " "',
            "ignore.TH1: no reason; write why the rule is ignored",
        ),
        ("[tool.toolhaft]\nper-tool-ignores = []", "per-tool-ignores: expected a table for each"),
    ],
)
def test_an_error_is_reported_by_its_key(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_config(written(tmp_path, text))
    assert reason in str(error.value)
