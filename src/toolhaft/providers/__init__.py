"""Providers and protocols: one file for each wire, which is imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from toolhaft.definition import names
from toolhaft.definition.targets import TARGETS
from toolhaft.errors import ToolhaftError

if TYPE_CHECKING:
    from toolhaft.providers.provider import Provider

__all__ = ["for_target"]


def for_target(target: str) -> Provider:
    """Return the provider of a target, and import no other.

    Raises:
        ToolhaftError: The target is unknown; the error lists the known targets.
    """
    is_text = isinstance(target, str)  # pyright: ignore[reportUnnecessaryIsInstance]
    if not is_text or target not in TARGETS:
        near = names.nearest(target, TARGETS) if is_text else None
        hint = f"did you mean {near}? " if near else ""
        raise ToolhaftError(f"export: no such target; {hint}use one of {', '.join(TARGETS)}")
    module = import_module(f"{__name__}.{TARGETS[target].provider}")
    providers: dict[str, Provider] = module.PROVIDERS
    return providers[target]
