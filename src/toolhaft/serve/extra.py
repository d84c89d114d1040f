"""Check that the packages of the extra `serve` are there and new enough.

The extra allows an older mcp than serving needs: a resolver would otherwise install a framework of
years ago beside it, if a newer one needs the older mcp.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from toolhaft.vendors.versions import describe_version_fault, installed_version

__all__ = ["OLDEST", "describe_lack", "require_extra"]

# The oldest usable versions; of mcp, a newer one than the extra requires.
OLDEST: Final = {"mcp": "2.3", "starlette": "1.0", "uvicorn": "0.50"}


def describe_lack(packages: Iterable[str] = OLDEST, extra: str = "serve") -> str | None:
    """Describe the first package that is missing or too old, with the command that installs it."""
    for name in packages:
        if fault := describe_version_fault(name, OLDEST[name]):
            lacks = installed_version(name) is None
            wanted = f"toolhaft[{extra}]" if lacks else f"{name}>={OLDEST[name]}"
            return f"{fault}: pip install '{wanted}'"
    return None


@cache
def require_extra() -> None:
    """Require the packages of an application, which another server than uvicorn may run.

    Raises:
        ImportError: A package is missing or too old, in one line that names the extra.
    """
    if lack := describe_lack(("mcp", "starlette")):
        raise ImportError(f"toolhaft.serve: {lack}")
