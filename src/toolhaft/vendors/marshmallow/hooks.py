"""The hooks of a marshmallow Schema, by what runs them.

marshmallow gives them no public name. This is the one place that reads the private one, and the
tests of this module run on the oldest and the newest version that is supported.
"""

from __future__ import annotations

from typing import Any

__all__ = ["all_hooks", "hooks_of"]


def hooks_of(schema: Any, tag: str) -> list[str]:
    """Return the names of the methods that a Schema runs at `pre_load` and the like."""
    hooks: Any = schema._hooks  # noqa: SLF001 - see above
    return [name for name, *_ in hooks[tag]]


def all_hooks(schema: Any) -> list[str]:
    """Return the names of all hook methods of a Schema."""
    hooks: Any = schema._hooks  # noqa: SLF001 - see above
    return [name for methods in hooks.values() for name, *_ in methods]
