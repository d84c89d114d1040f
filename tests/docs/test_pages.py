"""The pages of the documentation name what there is; their Python blocks run as tests too."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

import toolhaft
from toolhaft.cli.app import app
from toolhaft.definition.options import AllOptions
from toolhaft.definition.targets import TARGETS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    {
        *DOCS.rglob("*.md"),
        *ROOT.glob("*.md"),
        *ROOT.glob("examples/*.md"),
    }
)
GUIDES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if page.name != "rules.md" and page.parent.name not in {"decisions", "project"}
]


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def named_first(page: str, heading: str) -> set[str]:
    """Return the code in the first column of the first table under a heading."""
    _, _, rest = text(DOCS / page).partition(heading)
    rows = re.findall(r"^\| (`.*?) \|", rest.partition("\n## ")[0], re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`([a-z0-9_.-]+)", row)}


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.*)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text(page)):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_heading_that_is_linked_to_is_there(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)#([^)]+)\)", text(page)):
        if not target.startswith("http"):
            assert anchor in anchors(page.parent / target if target else page)


def test_the_commands_of_the_guides_and_their_options_are_there() -> None:
    context = click.Context(app)
    written = "\n".join(map(text, GUIDES))
    lines = re.findall(r"^    (toolhaft .*)$", written, re.MULTILINE)
    assert lines
    for line in lines:
        _, *words = shlex.split(line)
        command: click.Command = app
        while words and isinstance(command, click.Group):
            found = command.get_command(context, words.pop(0))
            assert found is not None, line
            command = found
        options = {flag for one in command.params for flag in one.opts}
        assert {word for word in words if re.match(r"-+[a-z]", word)} <= options, line


def test_the_table_of_options_is_all_of_them() -> None:
    assert named_first("tools.md", "## Options") == AllOptions.__annotations__.keys()


def test_the_table_of_targets_is_all_of_them() -> None:
    assert named_first("targets.md", "# Export") == TARGETS.keys()


def test_every_public_name_is_in_the_documentation() -> None:
    written = "".join(map(text, [*GUIDES, ROOT / "README.md", ROOT / "CHANGELOG.md"]))
    assert [name for name in toolhaft.__all__ if not re.search(rf"\b{name}\b", written)] == []
