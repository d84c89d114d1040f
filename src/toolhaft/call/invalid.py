"""What a foreign tool raises where it checks by itself, or does not answer."""

from __future__ import annotations

from toolhaft.errors import ToolInputInvalid, ToolOutputInvalid, ToolTimeout

__all__ = ["ForeignInputInvalid", "ForeignOutputInvalid", "ForeignTimeout"]


class ForeignInputInvalid(ToolInputInvalid):
    """A foreign tool refused its arguments, before its handler ran."""


class ForeignOutputInvalid(ToolOutputInvalid):
    """A foreign tool refused its own result."""


class ForeignTimeout(ToolTimeout):
    """A foreign tool did not answer within the time that its own client allows."""
