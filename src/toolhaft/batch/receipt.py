"""The receipt of a finished run: which calls, tools and options gave which output, and its counts.

It stands beside the output, so that a run that is started again ends at once with the same exit
code.
"""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["VERSION", "Receipt", "changed_parts", "checksum", "receipt_path", "write_receipt"]

VERSION = 3
_READ_AT_ONCE = 1 << 22


def receipt_path(output: Path) -> Path:
    """Return the path of an output's receipt.

    >>> receipt_path(Path("out.jsonl"))
    PosixPath('.out.jsonl.receipt')
    """
    return output.with_name(f".{output.name}.receipt")


class Receipt(NamedTuple):
    """A receipt as it was read: the plan of the run, its output, and the counts of its calls."""

    plan: dict[str, Any]
    output: list[Any]
    counts: dict[str, Any]

    @classmethod
    def read(cls, output: Path) -> Receipt | None:
        """Return the receipt of an output; None if either is missing or it cannot be read."""
        with suppress(OSError, ValueError, TypeError):
            if output.exists():
                return cls(**json.loads(receipt_path(output).read_bytes()))
        return None

    def is_of(self, output: Path) -> bool:
        """Check whether the output is as the run left it; it is read only if it was touched."""
        size, changed, digest = self.output
        status = output.stat()
        if status.st_size != size:
            return False
        return bool(status.st_mtime_ns == changed or checksum(output) == digest)


def write_receipt(
    output: Path, folder: Path, plan: dict[str, Any], digest: str, counts: dict[str, Any]
) -> None:
    """Write the receipt of an output with this checksum: in a folder, then moved into place."""
    status = output.stat()
    made = Receipt(
        {"version": VERSION, **plan}, [status.st_size, status.st_mtime_ns, digest], counts
    )
    written = folder / "receipt"
    written.write_text(json.dumps(made._asdict()) + "\n")
    written.replace(receipt_path(output))


def changed_parts(former: dict[str, Any], plan: dict[str, Any], inputs: int | None = None) -> str:
    """Return the parts of a plan that are not as before; of the inputs, compare so many, or all."""
    expected = json.loads(json.dumps({"version": VERSION, **plan}))
    former, expected = (
        {**planned, "calls": planned.get("calls", [])[:inputs]} for planned in (former, expected)
    )
    return " and ".join(key for key in expected if former.get(key) != expected[key])


def checksum(path: Path) -> str:
    """Return size and CRC-32 of a file, to recognise it: six times as fast as SHA-256."""
    value = 0
    with path.open("rb", buffering=0) as file:
        while part := file.read(_READ_AT_ONCE):
            value = zlib.crc32(part, value)
        return f"{file.tell()} bytes, CRC-32 {value:08x}"
