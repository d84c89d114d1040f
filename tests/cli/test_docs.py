"""`toolhaft docs` writes a folder of pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run


@pytest.mark.requirement("cli-docs")
def test_the_command_writes_a_folder(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "shops.py"
    path.write_text(
        "from toolhaft import tool\n\n@tool\ndef now() -> str:\n    'Tell.'\n    return ''\n"
    )
    ran = run("docs", str(path), "-o", str(tmp_path / "site"))
    assert (ran.code, ran.out, ran.err) == (0, "", "toolhaft: wrote 3 pages\n")
    assert sorted(one.name for one in (tmp_path / "site").iterdir()) == [
        "index.html",
        "index.md",
        "now.md",
    ]
    ran = run("docs", str(path), "-o", str(path))
    assert (ran.code, "cannot be written" in ran.err) == (2, True)
