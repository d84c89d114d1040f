"""The targets: one data file for each, read on first use."""

from __future__ import annotations

from importlib import import_module

from toolhaft.definition.targets import TARGETS, TargetFiles
from toolhaft.lowering.dialects.dialect import Dialect

__all__ = ["dialect", "has_strict"]


def has_strict(target: str) -> bool:
    """Whether the target has a strict mode beside the plain one."""
    return _files(target).strict is not None


def dialect(target: str, strict: bool = False) -> Dialect:
    """Return the rules of a target; a target with one mode has the same rules for both."""
    files = _files(target)
    module = import_module(f"{__name__}.{files.dialect}")
    record: Dialect = getattr(module, files.strict if strict and files.strict else files.plain)
    return record


def _files(target: str) -> TargetFiles:
    if target not in TARGETS:
        raise ValueError(f"unknown target: {target!r}; one of {', '.join(TARGETS)}")
    return TARGETS[target]
