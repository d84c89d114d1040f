"""`toolhaft audit verify`: whether an audit log is what was written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from toolhaft.cli.stdout import reserved
from toolhaft.cli.unusable import Unusable
from toolhaft.jsonio import jsontext
from toolhaft.observers import chain

__all__ = ["audit"]


@click.group(short_help="Verify an audit log.")
def audit() -> None:
    """Work with the audit logs that toolhaft.observers.audit writes."""


@audit.command(short_help="Check every line and the chain of their hashes.")
@click.argument("file", type=Path)
@click.option("--key-file", type=Path, help="A file that holds the key, all of its bytes.")
@click.option("--head", help="A hash noted earlier; the file must still hold its line.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text")
def verify(file: Path, key_file: Path | None, head: str | None, shape: str) -> None:
    """Say whether FILE is as it was written, or which line is the first that is not.

    Exit codes: 0 as it was written, 1 broken, 2 usage.
    """
    with reserved() as out:
        found, broken = _verified(file, key_file, head)
        if broken is not None:
            told: dict[str, Any] = {"ok": False, "line": broken.line, "reason": broken.reason}
            words = f"broken: line {broken.line}: {broken.reason}"
        else:
            told = {"ok": True, "lines": found.number, "head": found.hash}
            words = f"ok: {found.number} lines, head {found.hash}"
        out.write((jsontext.write(told) if shape == "json" else words) + "\n")
    if broken is not None:
        sys.exit(1)


def _verified(
    file: Path, key_file: Path | None, head: str | None
) -> tuple[chain.Link, chain.ChainError | None]:
    try:
        key = None if key_file is None else key_file.read_bytes()
        if key is not None and not key:
            raise Unusable(f"{key_file}: the key is empty")
        with file.open("rb") as lines:
            return chain.verified(lines, key, head), None
    except chain.ChainError as error:
        return chain.START, error
    except OSError as error:
        raise Unusable(f"{error.filename}: cannot be read: {error.strerror}") from None
