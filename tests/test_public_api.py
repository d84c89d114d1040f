"""Public names change only with a line in the changelog, and old names warn before they go."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from tests.public_api import SNAPSHOT, differences, undeclared, write
from toolhaft.deprecation import warn_once

UPDATE = "run `make api`, which needs a line in CHANGELOG.md for each changed name"


@pytest.mark.requirement("public-snapshot")
def test_the_public_api_is_what_the_snapshot_has() -> None:
    gone, new = differences()
    assert (gone, new) == ([], []), f"the public API differs from {SNAPSHOT.name}: {UPDATE}"


@pytest.mark.requirement("public-snapshot")
def test_a_change_that_the_changelog_does_not_name_is_undeclared() -> None:
    lines = [
        "toolhaft.Tool.call(raw: Raw) -> Ok",
        "toolhaft.Toolset.find()",
        "toolhaft lock --check",
    ]
    changelog = "# Changelog\n\n## 0.2\n\n- `Toolset.find(words)` and `toolhaft lock --check`.\n\n"
    assert undeclared(lines, f"{changelog}## 0.1\n\n- `call`\n") == ["call"]


@pytest.mark.requirement("public-snapshot")
def test_the_snapshot_is_not_written_with_an_undeclared_change(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot = tmp_path / "public_api.txt"
    snapshot.write_text("toolhaft.zorp() -> int\n", encoding="utf-8")
    monkeypatch.setattr("tests.public_api.SNAPSHOT", snapshot)
    monkeypatch.setattr("tests.public_api.listing", list)
    assert write() == 1
    assert capsys.readouterr().err == "CHANGELOG.md does not name zorp; write what changed\n"
    assert snapshot.read_text(encoding="utf-8") == "toolhaft.zorp() -> int\n"


@pytest.mark.requirement("deprecated-names")
def test_a_deprecated_name_warns_once_where_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolhaft.deprecation.WARNED", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            old_name()
    [warning] = caught
    assert (warning.category, warning.filename) == (DeprecationWarning, __file__)
    assert str(warning.message) == "old_name is deprecated, and removed in 9.0; call new_name"


def old_name() -> None:
    warn_once("old_name", "call new_name", removed_in="9.0", stacklevel=2)
