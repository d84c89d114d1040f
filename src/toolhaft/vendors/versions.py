"""The oldest supported version of each library, and the check of the installed one."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from toolhaft.vendors.adapter import NoVendor

__all__ = ["OLDEST", "describe_version_fault", "installed_version", "require_library"]

# As in the extras of the package.
OLDEST: Final[Mapping[str, str]] = {
    "attrs": "24.1",
    "marshmallow": "3.22",
    "msgspec": "0.19",
    "pydantic": "2.12",
    "voluptuous": "0.14.2",
}


@lru_cache(maxsize=16)
def require_library(name: str) -> None:
    """Make sure that a library is there and not too old; one without an entry is not known.

    Raises:
        NoVendor: It is, with the line for pip.
    """
    oldest = OLDEST.get(name)
    if oldest is None:
        return
    fault = describe_version_fault(name, oldest)
    if fault is not None:
        raise NoVendor(fault, f"run pip install '{name}>={oldest}'")


def describe_version_fault(name: str, oldest: str) -> str | None:
    """Describe a library that is missing or too old, or return None if it is right."""
    version = installed_version(name)
    if version is None:
        return f"{name} is not installed"
    if _parts(version) < _parts(oldest):
        return f"{name} {version} is too old: {oldest} or newer is read"
    return None


def installed_version(name: str) -> str | None:
    """Return the version of a library, by its `__version__` or by its package."""
    module = sys.modules.get(name)  # None also if a test blocks the import
    stated = None if module is None else vars(module).get("__version__")
    if isinstance(stated, str):
        return stated
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        # A copy that another program brings along has no package.
        return OLDEST.get(name) if name in sys.modules else None


def _parts(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
