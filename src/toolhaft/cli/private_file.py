"""Files with secrets that a command is given: nobody else on the machine may read them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from toolhaft.cli.unusable import Unusable

__all__ = ["read_private_file"]


def read_private_file(option: str, path: str) -> str:
    """Return the ASCII text of a file.

    Raises:
        Unusable: It cannot be read, or others may read it too.
    """
    try:
        mode = Path(path).stat().st_mode
        text = Path(path).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not ASCII text"
        raise Unusable(f"{option} {path}: {reason}") from None
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise Unusable(f"{option} {path}: others may read it; chmod 600 it")
    return text
