"""Compare the SDKs that are installed with the reviewed list of their fields."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

__all__ = ["REVIEWED", "differences", "read_list", "report"]

REVIEWED: Final = Path(__file__).with_name("reviewed.toml")


def read_list(path: Path) -> dict[str, Any]:
    """Read a reviewed list: its versions, and the names of each place."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def differences(reviewed: Mapping[str, Any], found: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield what an SDK has and the list has not, and the other way round."""
    for place, names in found.items():
        entry = reviewed.get(place, {})
        listed = {*entry.get("carried", ()), *entry.get("ignored", ())}
        for name in sorted(set(names) - listed - entry.get("newer", {}).keys()):
            yield f"{place}: {name}: new; list it as carried, or as ignored with a reason"
        for name in sorted(listed - set(names)):
            yield f"{place}: {name}: no longer there; remove it from the list"


def report(reviewed: Mapping[str, Any], found: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the lines of a list with its reasons."""
    for name, known in reviewed["versions"].items():
        yield f"{name} {version(name)} (reviewed: {known})"
    for place in found:
        entry = reviewed.get(place, {})
        yield f"\n{place}\n  carried: {', '.join(entry.get('carried', ()))}"
        for kind in ("ignored", "newer"):
            for name, reason in entry.get(kind, {}).items():
                yield f"  {kind}: {name}: {reason}"
