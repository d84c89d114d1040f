"""`toolhaft audit verify`: whether an audit log is what was written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from toolhaft.cli.stdout import reserve_stdout
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
    with reserve_stdout() as out:
        link, broken = _verify_file(file, key_file, head)
        if broken is not None:
            result: dict[str, Any] = {"ok": False, "line": broken.line, "reason": broken.reason}
            text = f"broken: line {broken.line}: {broken.reason}"
        else:
            result = {"ok": True, "lines": link.number, "head": link.hash}
            text = f"ok: {link.number} lines, head {link.hash}"
        out.write((jsontext.write(result) if shape == "json" else text) + "\n")
    if broken is not None:
        sys.exit(1)


def _verify_file(
    file: Path, key_file: Path | None, head: str | None
) -> tuple[chain.Link, chain.ChainError | None]:
    try:
        key = None if key_file is None else key_file.read_bytes()
        if key is not None and not key:
            raise Unusable(f"{key_file}: the key is empty")
        with file.open("rb") as lines:
            return chain.verify_chain(lines, key, head), None
    except chain.ChainError as error:
        return chain.START, error
    except OSError as error:
        raise Unusable(f"{error.filename}: cannot be read: {error.strerror}") from None
