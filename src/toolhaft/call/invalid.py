"""What a foreign tool raises where it checks by itself, and refuses."""

from __future__ import annotations

from toolhaft.errors import ToolInputInvalid, ToolOutputInvalid

__all__ = ["ForeignInputInvalid", "ForeignOutputInvalid"]


class ForeignInputInvalid(ToolInputInvalid):
    """A foreign tool refused its arguments, before its handler ran."""


class ForeignOutputInvalid(ToolOutputInvalid):
    """A foreign tool refused its own result."""
