"""Check that the packages of the extra `serve` are there and new enough."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from toolhaft.vendors.versions import describe_version_fault

__all__ = ["OLDEST", "describe_lack", "require_extra"]

# As in the extra.
OLDEST: Final = {"mcp": "2.3", "starlette": "1.0", "uvicorn": "0.50"}
FIX: Final = "pip install 'toolhaft[serve]'"


def describe_lack(packages: Iterable[str] = OLDEST) -> str | None:
    """Describe the first package that is missing or too old, with the command that installs it."""
    faults = (describe_version_fault(name, OLDEST[name]) for name in packages)
    return next((f"{fault}: {FIX}" for fault in faults if fault is not None), None)


@cache
def require_extra() -> None:
    """Require what an application needs; what runs it may be another server than uvicorn.

    Raises:
        ImportError: A package is missing or too old, in one line that names the extra.
    """
    if lack := describe_lack(("mcp", "starlette")):
        raise ImportError(f"toolhaft.serve: {lack}")
