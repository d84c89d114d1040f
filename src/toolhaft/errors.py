"""The error tree: what toolhaft raises, and what each error carries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from toolhaft.spec import Issue, ToolValidationError

__all__ = [
    "CallFailed",
    "ContextMissing",
    "DefinitionError",
    "Effect",
    "Fault",
    "HandlerFailed",
    "ToolDenied",
    "ToolError",
    "ToolInputInvalid",
    "ToolLoop",
    "ToolOutputInvalid",
    "ToolOverloaded",
    "ToolRefused",
    "ToolTimeout",
    "ToolhaftError",
    "WireError",
]

Effect: TypeAlias = Literal["none", "done", "unknown"]


class ToolhaftError(Exception):
    """The root of what toolhaft raises for a programmer's mistake."""


class Fault(NamedTuple):
    """One thing wrong with a definition: which tool, where in it, why, and how to mend it."""

    tool: str
    where: str
    reason: str
    fix: str

    def __str__(self) -> str:
        where = f"{self.tool}.{self.where}" if self.where else self.tool
        return f"{where}: {self.reason}; {self.fix}"


class DefinitionError(ToolhaftError):
    """One or more tools are defined wrongly; `faults` lists everything that is."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        lines = [str(fault) for fault in self.faults]
        super().__init__(lines[0] if len(lines) == 1 else "\n".join(["", *lines]))


class ContextMissing(ToolhaftError):
    """The caller's context lacks a value that an `Injected` parameter of the tool needs."""

    def __init__(self, tool: str, names: Iterable[str]) -> None:
        self.tool = tool
        self.names: tuple[str, ...] = tuple(names)
        super().__init__(f"{tool}: the context has no {', '.join(self.names)}; pass it in context")


class WireError(ToolhaftError):
    """A provider's response cannot be read: which provider, and which field is wrong."""

    def __init__(self, provider: str, field: str, reason: str) -> None:
        self.provider = provider
        self.field = field
        super().__init__(f"{provider}: {field}: {reason}")


class CallFailed(ToolhaftError):
    """An outcome without a value was unwrapped; the log has the cause under `error_id`."""

    def __init__(self, tool: str, kind: str, message: str, error_id: str | None) -> None:
        self.tool = tool
        self.kind = kind
        self.error_id = error_id
        super().__init__(f"{tool}: {kind}: {message}")


class ToolError(Exception):
    """Raised by a handler to tell the model, in these words, what went wrong."""


class HandlerFailed(Exception):
    """A handler failed in a process of its own; the text is what is known of it."""


class ToolInputInvalid(ToolValidationError):
    """`execute` was given arguments that the input schema refuses."""

    def __init__(self, tool: str, issues: Iterable[Issue]) -> None:
        super().__init__(tool, "input", issues)


class ToolOutputInvalid(ToolValidationError):
    """The handler returned something that the output schema refuses or JSON cannot hold."""

    def __init__(self, tool: str, issues: Iterable[Issue]) -> None:
        super().__init__(tool, "output", issues)


class ToolRefused(Exception):
    """The call was not carried through; `effect` says whether the handler may have acted."""

    def __init__(self, tool: str, message: str, effect: Effect = "none") -> None:
        self.tool = tool
        self.effect: Effect = effect
        super().__init__(f"{tool}: {message}")


class ToolDenied(ToolRefused):
    """The call was not authorised, or not approved."""


class ToolTimeout(ToolRefused):
    """The handler did not finish in time."""


class ToolOverloaded(ToolRefused):
    """No worker is free: earlier handlers outlived their timeouts."""


class ToolLoop(ToolRefused):
    """The same call came three times in a row."""
