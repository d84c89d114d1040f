"""The options of a tool that its calls depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from toolhaft.definition.call_info import ORIGINS

__all__ = ["CallOptions"]


class CallOptions(NamedTuple):
    """The author's options for calls and for the texts that the model reads."""

    name: str
    coerce: str = "safe"
    timeout: float | None = None
    offload: bool = True
    parallel: bool = True
    isolation: str = "none"
    max_result_chars: int | None = None
    max_argument_bytes: int = 1 << 20
    max_argument_depth: int = 32
    render: Callable[[Any], Any] | None = None
    authorize: Callable[..., Any] | None = None
    requires_approval: bool | Callable[..., Any] = False
    errors: Mapping[type[Exception], str] = MappingProxyType({})
    feedback: str = "ordinals"
    description: str = ""
    annotations: Mapping[str, Any] | None = None
    allowed_callers: frozenset[str] = ORIGINS

    @property
    def may_repeat(self) -> bool:
        """Whether the author says that a second call does no harm."""
        hints = self.annotations or {}
        return hints.get("readOnlyHint") is True or hints.get("idempotentHint") is True
