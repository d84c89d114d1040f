"""`toolhaft audit verify`: check whether an audit log was changed since it was written."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Final

import click

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import FILE_PATH, format_option
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.jsonio import jsontext
from toolhaft.observers import chain

__all__ = ["audit"]

HASH: Final = re.compile(r"[0-9a-f]{64}")


@click.group(short_help="Verify an audit log.")
def audit() -> None:
    """Work with the audit logs that toolhaft.observers.audit writes."""


def _hash(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:  # noqa: ARG001 - click's signature
    if text is not None and not HASH.fullmatch(text):
        raise click.BadParameter("not a whole hash; pass its 64 hexadecimal digits")
    return text


@audit.command(short_help="Check every line and the chain of their hashes.")
@click.argument("file", type=FILE_PATH)
@click.option("--key-file", type=FILE_PATH, help="A file with the key; all of its bytes count.")
@click.option(
    "--head", callback=_hash, help="A hash that you noted; the file must contain its line."
)
@format_option("The output format.")
def verify(file: Path, key_file: Path | None, head: str | None, shape: str) -> None:
    """Check whether FILE was changed since it was written, and name the first changed line.

    Exit codes: 0 unchanged, 1 changed or damaged, 2 usage.
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
