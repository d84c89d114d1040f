"""A module that misbehaves while it is imported is one line and exit code 2, in every command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import MAIN, forked

pytestmark = pytest.mark.unmeasured

DATA = Path(__file__).parents[3] / "shared" / "data" / "hostile.jsonl"
SOON = f"import toolhaft.cli.source as m; m.MOST_SECONDS = 0.5; {MAIN}"
COMMANDS = (
    ("show", "--format", "json"),
    ("check", "--format", "json"),
    ("export", "--target", "openai"),
    ("lock", "-o", "-"),
    ("manifest",),
)
REASONS = {
    "mod-sideeffect": "has no tools",
    "mod-loop": "importing it takes longer than 0.5 seconds",
    "mod-syntax": "cannot be imported: SyntaxError",
    "mod-shadow": "it calls sys.exit",
    "mod-stdoutnoise": "prints while it is imported",
}


def cases() -> list[Any]:
    if not DATA.exists():
        reason = "the hostile inputs are not beside the repository"
        return [pytest.param({}, (), marks=pytest.mark.skip(reason=reason))]
    rows = [json.loads(line) for line in DATA.read_text().splitlines()]
    modules = [row for row in rows if row["surface"] == "module"]
    assert {row["id"] for row in modules} == REASONS.keys()
    return [
        pytest.param(row, command, id=f"{row['id']}-{command[0]}")
        for row in modules
        for command in COMMANDS
    ]


@pytest.mark.requirement("hostile-modules")
@pytest.mark.parametrize(("item", "command"), cases())
def test_a_hostile_module_is_one_line(
    item: dict[str, Any], command: tuple[str, ...], tmp_path: Path
) -> None:
    name = "json.py" if item["id"] == "mod-shadow" else "tools.py"
    (tmp_path / name).write_text(item["input"]["text"])
    word, *options = command
    ran = forked(word, name, *options, cwd=tmp_path, code=SOON)
    if word == "check" and "cannot be imported" in ran.out:  # one finding, as among others
        [finding] = json.loads(ran.out)["findings"]
        assert (ran.code, ran.err, finding["code"]) == (1, "", "TH000")
        assert REASONS[item["id"]] in json.dumps(finding)
        return
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    error = json.loads(ran.err)["error"] if "json" in command else ran.err.removeprefix("error: ")
    assert error.startswith(f"{name}:")
    assert REASONS[item["id"]] in error
