"""`toolhaft manifest`: keep the tools' section of a file true."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final, TextIO

import click

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import FILE, FILE_PATH, TARGET, format_option
from toolhaft.cli.source import load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import write_json
from toolhaft.definition import names
from toolhaft.review.checks import config
from toolhaft.review.diff import Change
from toolhaft.review.lock import LockError
from toolhaft.review.manifest import (
    ManifestError,
    SectionEdited,
    describe,
    list_changes,
    replace_section,
    require_unedited,
    unified_difference,
    write_section,
)
from toolhaft.review.places import describe_place
from toolhaft.toolset.toolset import Toolset

__all__ = ["manifest"]


# Files in which a section of Markdown can stand.
SUFFIXES: Final = frozenset({"", ".md", ".mdc", ".mdx", ".markdown", ".txt", ".rst"})


class Edited(Unusable):
    """A section was edited by hand: a finding, which --force overrules."""

    exit_code = 1


@click.command(short_help="Keep the list of tools in a file up to date.")
@click.argument("tools", metavar="TOOLS", type=FILE)
@click.option(
    "--file", "path", type=FILE_PATH, help="A file such as CLAUDE.md; by default print it."
)
@click.option("--check", is_flag=True, help="Report what is out of date; write nothing.")
@click.option("--force", is_flag=True, help="Replace a section that was edited by hand.")
@format_option("Print the section, or what --check found, as text or JSON.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    type=TARGET,
    help="Show the schemas of this target. [the project's targets, else anthropic, gemini, openai]",
)
@click.option(
    "--strict",
    type=click.Choice(["prefer", "require"]),
    help="Show the schemas of the targets' strict mode.",
)
def manifest(
    tools: str,
    *,
    path: Path | None,
    check: bool,
    force: bool,
    shape: str,
    targets: tuple[str, ...],
    strict: Any,
) -> None:
    """Write a list of the tools of TOOLS between two markers of a file, and keep the rest.

    Exit codes: 0 ok, 1 --check found a difference or the section was edited by hand, 2 usage.
    """
    with reserve_stdout() as out:
        toolset = Toolset(tool for tool, _ in load(tools).tools)
        try:
            chosen = targets or config.read_config(Path.cwd()).targets
            section = write_section(toolset, chosen, strict or False)
            if path is None:
                as_json = shape == "json" and write_json(describe(toolset, chosen, strict or False))
                out.write((as_json or section) + "\n")
                return
            text = _text(path, must_exist=check)
            expected = replace_section(text, section, str(path))
            known = list_changes(text, toolset, str(path)) if check and not force else []
            if not check and not force:
                require_unedited(text, str(path))
        except (SectionEdited, LockError):  # an error of the lock in the section
            raise Edited(str(SectionEdited(str(path)))) from None
        except (ManifestError, config.ConfigError) as error:
            raise Unusable(str(error)) from None
        if check:
            lines = unified_difference(text, expected, str(path))
            if shape == "json":
                changes = [change._asdict() for change in known]
                facts = {"true": text == expected, "changes": changes, "difference": lines}
                out.write(write_json(facts) + "\n")
            else:
                _write_changes(known, lines, out)
            sys.exit(0 if text == expected else 1)
        _write(path, expected)
    click.echo(f"toolhaft: wrote the section of {path}", err=True)


def _text(path: Path, *, must_exist: bool) -> str:
    if path.suffix.lower() not in SUFFIXES:
        raise Unusable(f"{path}: not a file of Markdown; name one such as AGENTS.md")
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        if must_exist:
            raise Unusable(f"{path}: no such file") from None
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"{path}: cannot be read: {type(error).__name__}") from None


def _write(path: Path, text: str) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise Unusable(f"{path}: cannot be written: {error.strerror}") from None


def _write_changes(changes: list[Change], lines: str, out: TextIO) -> None:
    """Name tool and pointer of each change, then the lines of the file."""
    out.writelines(
        f"{names.escape_text(describe_place(change.tool, change.pointer), 160)}: {change.what}\n"
        for change in changes
    )
    out.writelines(
        f"{names.escape_text(line, len(line) * 10 + 1)}\n" for line in lines.splitlines()
    )
