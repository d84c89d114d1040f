"""The error tree: what toolhaft raises, and what each error carries."""

from __future__ import annotations

from collections.abc import Iterable
from copyreg import __newobj__  # type: ignore[attr-defined]  # what pickle makes objects by
from typing import Any, Literal, NamedTuple, TypeAlias

from toolhaft.spec import Issue, ToolValidationError

__all__ = [
    "CallFailed",
    "ContextMissing",
    "DefinitionError",
    "Effect",
    "Fault",
    "HandlerFailed",
    "Portable",
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


class Portable(Exception):
    """An exception that can be pickled and copied whatever its constructor takes."""

    def __reduce__(self) -> Any:
        return __newobj__, (type(self), *self.args), self.__dict__

    def as_json(self) -> dict[str, Any]:
        """Give the error's name, message and fields as JSON data."""
        fields = {name: value for name, value in vars(self).items() if name[:2] != "__"}
        return {"error": type(self).__name__, "message": str(self), **_to_json(fields)}


def _to_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _to_json(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return _to_json(value._asdict())
    if isinstance(value, list | tuple):
        return [_to_json(item) for item in value]
    if hasattr(value, "as_json"):
        return value.as_json()
    is_json = value is None or isinstance(value, str | int | float)
    return value if is_json else type(value).__name__


class ToolhaftError(Portable):
    """The root of what toolhaft raises for a programmer's mistake."""


class Fault(NamedTuple):
    """One thing wrong with a definition: which tool, where in it, why, and how to mend it."""

    tool: str
    where: str
    reason: str
    fix: str

    def __str__(self) -> str:
        where = f"{self.tool}.{self.where}" if self.where else self.tool
        text = f"{where}: {self.reason}; {self.fix}"
        return text.encode(errors="backslashreplace").decode()  # a name may hold what nobody prints


class DefinitionError(ToolhaftError):
    """One or more tools are defined wrongly; `faults` lists everything that is."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        lines = [str(fault) for fault in self.faults]
        super().__init__(
            lines[0] if len(lines) == 1 else "\n".join([f"{len(lines)} faults", *lines])
        )


class ContextMissing(ToolhaftError):
    """The caller's context lacks a value that a tool needs, or the caller passed no context.

    `names` are the tool's `Injected` parameters without a value; where no context was passed
    (`is_given` is false), its `Context` parameters too.
    """

    def __init__(self, tool: str, names: Iterable[str], *, is_given: bool = True) -> None:
        self.tool = tool
        self.names: tuple[str, ...] = tuple(names)
        self.is_given = is_given
        listed = ", ".join(self.names)
        reason = f"the context has no {listed}; pass it in context"
        if not is_given:
            reason = f"no context was passed, and {listed} needs one; pass context="
        super().__init__(f"{tool}: {reason}")


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


class ToolError(Portable):
    """Raised by a handler to tell the model, in these words, what went wrong."""


class HandlerFailed(Portable):
    """A handler failed in a process of its own; the text is what is known of it."""


class ToolInputInvalid(Portable, ToolValidationError):
    """`execute` was given arguments that the input schema refuses."""

    def __init__(self, tool: str, issues: Iterable[Issue]) -> None:
        super().__init__(tool, "input", issues)


class ToolOutputInvalid(Portable, ToolValidationError):
    """The handler returned something that the output schema refuses or JSON cannot hold."""

    def __init__(self, tool: str, issues: Iterable[Issue]) -> None:
        super().__init__(tool, "output", issues)


class ToolRefused(Portable):
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
