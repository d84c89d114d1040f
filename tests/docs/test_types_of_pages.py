"""The Python blocks of README and documentation are typed: a reader copies them into a program.

The blocks of a page are one module, as they are one program where they run: each line stands at
its number in the page. A block that does not run, because it is a part of something, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.mypy_runs import run_mypy

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
BLOCK = re.compile(r"(<!-- skip: next -->\s*)?^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^(?:>>>|\.\.\.) ?")


def module_of(page: str) -> str:
    """Return the code of a page, each line at its place."""
    lines = [""] * (page.count("\n") + 1)
    for block in BLOCK.finditer(page):
        if not block[1]:
            first = page.count("\n", 0, block.start(2))
            code = list(code_of(block[2]))
            lines[first : first + len(code)] = code
    return "\n".join(lines)


def code_of(block: str) -> Iterator[str]:
    """Yield the lines of a block; of an interactive block, the input lines."""
    interactive = ">>> " in block
    for line in block.splitlines():
        if not interactive:
            yield line
        else:
            yield PROMPT.sub("", line) if PROMPT.match(line) else ""


def test_the_lines_of_a_page_keep_their_numbers() -> None:
    page = "a\n```python\n>>> x = 1\n... y\n1\n```\n<!-- skip: next -->\n\n```python\nz\n```\n"
    assert module_of(page).splitlines()[:6] == ["", "", "x = 1", "y", "", ""]
    assert "z" not in module_of(page)


@pytest.mark.unmeasured
@pytest.mark.requirement("types-of-pages")
def test_mypy_finds_nothing_in_the_blocks_of_the_pages(tmp_path: Path) -> None:
    if find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    names = [
        "_".join((*page.relative_to(ROOT).with_suffix("").parts, "page.py")).replace("-", "_")
        for page in PAGES
    ]
    for name, page in zip(names, PAGES, strict=True):
        code = module_of(page.read_text(encoding="utf-8"))
        (tmp_path / name).write_text(code, encoding="utf-8")
    run = run_mypy(names, tmp_path)
    assert run.stdout.splitlines()[:-1] == []
    assert run.returncode == 0, run.stderr
