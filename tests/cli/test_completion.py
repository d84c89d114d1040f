"""A shell completes commands, options, files, names of tools, targets and codes of rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import forked

pytestmark = pytest.mark.requirement("cli-completion")


def completed(words: str, folder: Path) -> list[str]:
    """Ask for the completions of the last word, as bash does."""
    count = str(len(words.split(" ")) - 1)
    ran = forked(cwd=folder, _TOOLHAFT_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=count)
    assert (ran.code, ran.err) == (0, "")
    return ran.out.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("toolhaft s", ["plain,serve", "plain,show"]),
        ("toolhaft show --f", ["plain,--format"]),
        ("toolhaft show --format j", ["plain,json"]),
        ("toolhaft show too", ["file,too"]),
        ("toolhaft batch tools.py cal", ["file,cal"]),
        ("toolhaft serve tools.py --state st", ["file,st"]),
        ("toolhaft call tools.py a", ["plain,add"]),
        ("toolhaft call nothing.py a", []),
        ("toolhaft export tools.py --target mis", ["plain,mistral"]),
        ("toolhaft check tools.py --select TH10", [f"plain,TH10{n}" for n in range(1, 10)]),
        ("toolhaft check tools.py --select TH101,TH70", ["plain,TH101,TH701", "plain,TH101,TH703"]),
    ],
)
def test_the_last_word_is_completed(
    words: str, expected: list[str], tools: str, tmp_path: Path
) -> None:
    assert Path(tools).parent == tmp_path
    found = completed(words, tmp_path)
    assert [word for word in expected if word not in found] == []
    assert expected or not found
