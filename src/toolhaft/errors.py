"""The exceptions of toolhaft, and the attributes of each."""

from __future__ import annotations

from collections.abc import Iterable
from copyreg import __newobj__  # type: ignore[attr-defined]  # what pickle makes objects by
from typing import Any, Literal, NamedTuple, TypeAlias

from toolhaft.spec import Issue, ToolValidationError

__all__ = [
    "OWN_STATUSES",
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
OWN_STATUSES = range(400, 500)


class Portable(Exception):
    """An exception that can be pickled and copied whatever its constructor takes."""

    def __reduce__(self) -> Any:
        return __newobj__, (type(self), *self.args), self.__dict__

    def as_json(self) -> dict[str, Any]:
        """Return the name, message and fields of the error as JSON data."""
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
    """The base class of errors that toolhaft raises for a mistake in your program."""


class Fault(NamedTuple):
    """One thing that is wrong with a definition.

    Attributes:
        tool: The name of the tool; empty for an option of a call.
        where: The option, parameter or place in a schema; empty for the tool itself.
        reason: The problem.
        fix: How to fix it.

    >>> str(Fault("search", "limit", "missing type", "annotate the parameter"))
    'search.limit: missing type; annotate the parameter'
    """

    tool: str
    where: str
    reason: str
    fix: str

    def __str__(self) -> str:
        where = ".".join(str(part) for part in (self.tool, self.where) if part)
        text = f"{where}: {self.reason}; {self.fix}"
        return text.encode(errors="backslashreplace").decode()  # a name may hold what nobody prints


class DefinitionError(ToolhaftError):
    """One or more tools are defined incorrectly.

    Attributes:
        faults: Everything that is wrong, as a tuple of `Fault`.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        lines = [str(fault) for fault in self.faults]
        super().__init__(
            lines[0] if len(lines) == 1 else "\n".join([f"{len(lines)} faults", *lines])
        )


class ContextMissing(ToolhaftError):
    """The context of a call lacks a value that the tool needs, or no context was passed.

    Attributes:
        tool: The name of the tool.
        names: Its `Injected` parameters without a value. If no context was passed, its `Context`
            parameters too.
        is_given: Whether a context was passed at all.
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
    """A provider's response cannot be read.

    Attributes:
        provider: The target, such as `openai`.
        field: The field of the response that is wrong.
        reason: The problem with it; part of the message.
    """

    def __init__(self, provider: str, field: str, reason: str) -> None:
        self.provider = provider
        self.field = field
        super().__init__(f"{provider}: {field}: {reason}")


class CallFailed(ToolhaftError):
    """`unwrap()` was called on an outcome without a value.

    Attributes:
        tool: The name of the tool.
        kind: The kind of the `Err`.
        message: The text of the outcome; part of the error's message.
        error_id: The id under which the log has the traceback, if there is one.
    """

    def __init__(self, tool: str, kind: str, message: str, error_id: str | None) -> None:
        self.tool = tool
        self.kind = kind
        self.error_id = error_id
        super().__init__(f"{tool}: {kind}: {message}")


class ToolError(Portable):
    """Raise this in a handler to report a problem to the model in your own words.

    Args:
        message: The words for the model.
        status: The status of the answer over HTTP, from 400 to 499; by default 409.

    Raises:
        ValueError: The status is another number.

    >>> from toolhaft import ToolError, tool
    >>> @tool
    ... def find(name: str) -> str:
    ...     "Find a person."
    ...     raise ToolError("no such person; try search_people")
    >>> find.call_sync({"name": "Ann"}).text
    'no such person; try search_people'
    """

    status: int | None = None

    def __init__(self, *message: object, status: int | None = None) -> None:
        super().__init__(*message)
        if status is not None:
            if status not in OWN_STATUSES:
                raise ValueError("status: not from 400 to 499; a tool reports the caller's problem")
            self.status = status


class HandlerFailed(Portable):
    """A handler failed in a separate process; the message has what is known about the failure."""


class ToolInputInvalid(Portable, ToolValidationError):
    """`execute` got arguments that the input schema rejects.

    Attributes:
        tool: The name of the tool.
        issues: Everything that is wrong, as a tuple of `Issue`.
    """

    def __init__(self, tool: str, issues: Iterable[Issue]) -> None:
        super().__init__(tool, "input", issues)


class ToolOutputInvalid(Portable, ToolValidationError):
    """The handler returned something that the output schema rejects or that is not JSON.

    Attributes:
        tool: The name of the tool.
        issues: Everything that is wrong, as a tuple of `Issue`.
    """

    def __init__(self, tool: str, issues: Iterable[Issue]) -> None:
        super().__init__(tool, "output", issues)


class ToolRefused(Portable):
    """The call did not run to its end.

    Attributes:
        tool: The name of the tool.
        message: The reason; part of the error's message.
        effect: Whether the handler may have acted: `none`, `done` or `unknown`.
    """

    def __init__(self, tool: str, message: str, effect: Effect = "none") -> None:
        self.tool = tool
        self.effect: Effect = effect
        super().__init__(f"{tool}: {message}")


class ToolDenied(ToolRefused):
    """The call was not authorized or not approved.

    Attributes:
        tool: The name of the tool.
        message: The reason; part of the error's message.
        effect: Whether the handler may have acted: `none`, `done` or `unknown`.
    """


class ToolTimeout(ToolRefused):
    """The handler did not finish in time.

    Attributes:
        tool: The name of the tool.
        message: The reason; part of the error's message.
        effect: Whether the handler may have acted: `none`, `done` or `unknown`.
    """


class ToolOverloaded(ToolRefused):
    """No worker is free because earlier handlers outlived their timeouts.

    Attributes:
        tool: The name of the tool.
        message: The reason; part of the error's message.
        effect: Whether the handler may have acted: `none`, `done` or `unknown`.
    """


class ToolLoop(ToolRefused):
    """The model made the same call three times in a row.

    Attributes:
        tool: The name of the tool.
        message: The reason; part of the error's message.
        effect: Whether the handler may have acted: `none`, `done` or `unknown`.
    """
