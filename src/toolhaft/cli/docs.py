"""`toolhaft docs`: reference pages of tools, in Markdown and as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import FILE, FILE_PATH, TARGET, format_option
from toolhaft.cli.source import load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import write_json
from toolhaft.review.checks import config
from toolhaft.review.reference_docs import TARGETS as USUAL
from toolhaft.review.reference_docs import html_page, markdown_pages
from toolhaft.toolset.toolset import Toolset

__all__ = ["docs"]


@click.command(short_help="Write reference pages for tools.")
@click.argument("tools", metavar="TOOLS", type=FILE)
@click.option("-o", "--output", type=FILE_PATH, required=True, help="The folder to write into.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    type=TARGET,
    help="List the losses of this target. [the project's targets, else anthropic, gemini, openai]",
)
@format_option("Print the number of the files, or their names as JSON.")
def docs(tools: str, *, output: Path, targets: tuple[str, ...], shape: str) -> None:
    """Write a Markdown page for each tool of TOOLS, an index, and index.html with all of them.

    Exit codes: 0 ok, 2 usage.
    """
    with reserve_stdout() as out:
        toolset = Toolset(tool for tool, _ in load(tools).tools)
        try:
            chosen_targets = targets or config.read_config(Path.cwd()).targets or USUAL
        except config.ConfigError as error:
            raise Unusable(str(error)) from None
        pages = {
            **markdown_pages(toolset, chosen_targets),
            "index.html": html_page(toolset, chosen_targets),
        }
        _write(output, pages)
        if shape == "json":
            out.write(write_json({"wrote": [str(output / name) for name in pages]}) + "\n")
            return
    click.echo(f"toolhaft: wrote {len(pages)} pages", err=True)


def _write(folder: Path, pages: dict[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Unusable(f"{folder}: cannot be written: {error.strerror}") from None
