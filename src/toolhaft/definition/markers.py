"""Markers in annotations, beside a type: `Doc`, `Context`, `Injected`, `Report` and `CallInfo`.

Markers are recognised by identity, never by a parameter's name, so that a program's own `Context`
class stays an ordinary type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_args, get_origin

from toolhaft.definition.call_info import CallInfo

__all__ = ["CALL_INFO", "CONTEXT", "INJECTED", "REPORT", "Context", "Doc", "Injected", "Marker"]
__all__ += ["Report", "hidden_marker", "marker"]

T = TypeVar("T")


class Marker:
    """Says that the caller, not the model, supplies a parameter."""

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word: str = word

    def __repr__(self) -> str:
        return self.word


CONTEXT = Marker("Context")
INJECTED = Marker("Injected")
REPORT = Marker("Report")
CALL_INFO = Marker("CallInfo")

# `Context[Request]` reads as `Request` to a type checker.
Context = Annotated[T, CONTEXT]
Injected = Annotated[T, INJECTED]


class Report:
    """The type of a parameter through which a handler reports progress.

    The parameter is not in the schema. A server, a framework or a test listens with
    `toolhaft.call.progress.report_to`. If nobody listens, or if you call the function yourself with
    `Report()`, reporting does nothing.

    Args:
        send: A function of `done`, `total` and `message`; toolhaft passes it.

    >>> from toolhaft import Report, tool
    >>> @tool
    ... def copy(files: list[str], report: Report) -> int:
    ...     "Copy files."
    ...     for number, name in enumerate(files, 1):
    ...         report(number, len(files), name)
    ...     return len(files)
    >>> copy.call_sync({"files": ["a", "b"]}).value
    2
    """

    __slots__ = ("_send",)

    def __init__(self, send: Callable[..., Any] | None = None) -> None:
        self._send = send

    def __call__(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report how much is done.

        Args:
            done: How much is done, in any unit.
            total: How much there is to do, in the same unit.
            message: A short text for people.
        """
        if self._send is not None:
            self._send(done, total, message)


class Doc:
    """The description of a parameter: `Annotated[str, Doc("City name, e.g. Paris")]`.

    It follows the idea of PEP 727; `typing_extensions.Doc` works as well.

    Args:
        documentation: The text that the model reads about the parameter.

    >>> from typing import Annotated
    >>> from toolhaft import Doc, tool
    >>> @tool
    ... def weather(city: Annotated[str, Doc("City name, e.g. Paris")]) -> str:
    ...     "Current weather."
    ...     return "sunny"
    >>> weather.input_schema.json_schema()["properties"]["city"]["description"]
    'City name, e.g. Paris'
    """

    __slots__ = ("documentation",)

    def __init__(self, documentation: str, /) -> None:
        self.documentation: str = documentation

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Doc):
            return NotImplemented
        return self.documentation == other.documentation

    def __hash__(self) -> int:
        return hash(self.documentation)

    def __repr__(self) -> str:
        return f"Doc({self.documentation!r})"


def marker(annotation: Any) -> Marker | None:
    """Return the marker that an annotation carries at its top, or None."""
    if annotation is Report:
        return REPORT
    if annotation is CallInfo:
        return CALL_INFO
    if get_origin(annotation) is not Annotated:
        return None
    return next((note for note in annotation.__metadata__ if isinstance(note, Marker)), None)


def hidden_marker(annotation: Any) -> Marker | None:
    """Return a marker that is nested in an annotation and so has no meaning, or None."""
    for inner in get_args(annotation):
        inner_marker = marker(inner) or hidden_marker(inner)
        if inner_marker is not None:
            return inner_marker
    return None
