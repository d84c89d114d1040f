"""Files with secrets that a command is given: nobody else on the machine may read them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from toolhaft.cli.unusable import Unusable

__all__ = ["read_private_file"]


def read_private_file(option: str, path: str) -> str:
    """Return the ASCII text of a file, which the group of a file of root's may read too.

    So Kubernetes mounts a secret for another user; PostgreSQL has the same rule for its keys.

    Raises:
        Unusable: It cannot be read, or others may read it too.
    """
    try:
        status = Path(path).stat()
        text = Path(path).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not ASCII text"
        raise Unusable(f"{option} {path}: {reason}") from None
    others = 0o037 if status.st_uid == 0 else 0o077
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & others:
        raise Unusable(f"{option} {path}: others may read it; chmod 600 it")
    return text
