"""Exceptions of a foreign tool that checks by itself, fails elsewhere, or does not answer."""

from __future__ import annotations

from toolhaft.errors import HandlerFailed, ToolInputInvalid, ToolOutputInvalid, ToolTimeout

__all__ = [
    "ForeignFailure",
    "ForeignInputInvalid",
    "ForeignOutputInvalid",
    "ForeignTimeout",
    "ForeignUnsent",
]


class ForeignInputInvalid(ToolInputInvalid):
    """A foreign tool refused its arguments, before its handler ran."""


class ForeignOutputInvalid(ToolOutputInvalid):
    """A foreign tool refused its own result."""


class ForeignTimeout(ToolTimeout):
    """A foreign tool did not answer within the time that its own client allows."""


class ForeignFailure(HandlerFailed):
    """A foreign tool failed without a traceback here; the text is for the log alone."""


class ForeignUnsent(RuntimeError):
    """A call of a foreign tool was not sent."""
