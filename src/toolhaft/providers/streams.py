"""Streams: join the events of one response to the response without streaming.

Each provider's file has a `Fold` that knows its events; everything else is the same for all. What
a fold makes is read by the provider like any response, so calls, results and the model's turn
have one way each. A stream that stops before its end has no response, and so nothing to run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn, TypeAlias

from toolhaft.errors import ToolhaftError, WireError
from toolhaft.jsonio import jsontext
from toolhaft.providers.recognise import explain_wire_errors
from toolhaft.providers.response import FoundCall, Part

__all__ = [
    "MOST_LEVELS",
    "Fold",
    "PartialCall",
    "Pieces",
    "Stream",
    "add_piece",
    "join_pieces",
    "last_value",
    "package_of",
    "parse_object",
    "reported_error",
    "to_object",
    "to_valid_object",
]

MOST_PIECES: Final = 64
# Keys whose text is sent whole, once or with every event.
WHOLE_KEYS: Final = frozenset({"id", "role", "type"})
# A wire may write a value in several levels for each one that the tool takes.
MOST_LEVELS: Final = 4 * jsontext.MAX_DEPTH


FindCalls: TypeAlias = Callable[[Part], Iterator[FoundCall]]


class PartialCall:
    """A call that the model is still writing: you can show it, but not run it.

    Attributes:
        id: The provider's id of the call, if it is known.
        name: The name of the tool, as the target knows it.
        text: The arguments so far.

    >>> call = PartialCall("call_1", "book", '{"city": "Paris", "days": 1')
    >>> call.data
    {'city': 'Paris'}
    """

    __slots__ = ("id", "name", "text")

    def __init__(self, id: str | None, name: str, text: str) -> None:
        self.id: str | None = id
        self.name: str = name
        self.text: str = text

    @property
    def data(self) -> dict[str, Any]:
        """The arguments that are complete so far; they are not validated."""
        try:
            begun = jsontext.read_partial(self.text)
        except jsontext.JsonSyntaxError:
            return {}
        return begun if isinstance(begun, dict) else {}

    @property
    def arguments(self) -> NoReturn:
        """Not available, so that code which runs calls cannot mistake this for one.

        Raises:
            ToolhaftError: Always.
        """
        fix = "collect the stream, and run the calls of its response"
        raise ToolhaftError(f"{self.name}: the model is still writing this call; {fix}")

    origin = arguments

    def __repr__(self) -> str:
        return f"PartialCall({self.id!r}, {self.name!r})"


class Fold(ABC):
    """The state of one stream of one provider.

    `failed` is the response in which the provider reports that it failed.
    """

    failed: Any = None

    @abstractmethod
    def take(self, event: Part) -> None:
        """Add an event.

        Raises:
            WireError: It is of another shape, or says that the provider failed.
        """

    def text(self, event: Part) -> str:
        """Return the text for the reader that an event has."""
        del event
        return ""

    @abstractmethod
    def missing(self) -> str | None:
        """Name the event or field that ends the model's turn, while it has not come."""

    @abstractmethod
    def response(self) -> Any:
        """Return the response as far as it has arrived."""

    def whole(self) -> Any:
        """Return the response, as the client's own object where the events were such."""
        return self.response()


class Stream:
    """A response while it arrives. Pass it every event with `feed`, then take the `response`.

    `Export.stream` makes it.

    Attributes:
        text: The text for the reader that the last event had; empty if it had none.

    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> wire = Toolset([double]).export("openai-chat")
    >>> stream = wire.stream()
    >>> def event(finish_reason=None, **function):
    ...     delta = {"tool_calls": [{"index": 0, "function": function}]}
    ...     return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}
    >>> stream.feed(event(name="double", arguments='{"n": 4'))
    >>> [(call.name, call.text) for call in stream.partial]
    [('double', '{"n": 4')]
    >>> stream.response()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    toolhaft.errors.WireError: openai-chat: choices[0].finish_reason: missing; ...
    >>> stream.feed(event(arguments='2}', finish_reason="tool_calls"))
    >>> [outcome.value for outcome in wire.answer_sync(stream.response()).outcomes]
    [84]
    """

    __slots__ = ("_fed", "_find_calls", "_fold", "_target", "text")

    def __init__(self, target: str, fold: Fold, find_calls: FindCalls) -> None:
        self._target = target
        self._fold = fold
        self._find_calls = find_calls
        self._fed = 0
        self.text: str = ""

    def feed(self, event: Any, /) -> None:
        """Add the next event.

        Args:
            event: The event as the client returned it, as an object or a dict.

        Raises:
            WireError: The event has another format, or reports an error of the provider.
        """
        part = Part(self._target, event, f"events[{self._fed}]")
        self._fed += 1
        with explain_wire_errors(self._target, event):
            self._fold.take(part)
            self.text = self._fold.text(part)

    @property
    def failed(self) -> Any:
        """The response in which the provider reported a failure; None otherwise."""
        return self._fold.failed

    @property
    def partial(self) -> list[PartialCall]:
        """The calls so far, each as soon as its name is known, under the target's names."""
        partial_calls: list[PartialCall] = []
        calls = self._find_calls(Part(self._target, self._fold.response()))
        with suppress(WireError):  # the newest may have no name yet
            partial_calls.extend(
                PartialCall(call.id, call.name, _text(call.arguments)) for call in calls
            )
        return partial_calls

    def response(self) -> Any:
        """Return the whole response, which `Export.answer` takes like any other.

        Raises:
            WireError: The stream stopped before the model's turn ended.
        """
        missing = self._fold.missing()
        if missing is not None:
            reason = "the stream stopped before the model's turn ended, so nothing of it can be run"
            raise WireError(self._target, missing, f"missing; {reason}")
        return self._fold.whole()


class Pieces:
    """The pieces of several values, each under its index, in the order in which they began."""

    __slots__ = ("_at", "values")

    def __init__(self) -> None:
        self.values: list[list[dict[str, Any]]] = []
        self._at: dict[int, list[dict[str, Any]]] = {}

    def __contains__(self, index: int) -> bool:
        return index in self._at

    def begin(self, index: int, piece: dict[str, Any]) -> None:
        """Begin a value; servers that count all as the first begin one after the other."""
        self._at[index] = [piece]
        self.values.append(self._at[index])

    def add(self, index: int, piece: dict[str, Any]) -> None:
        """Go on with the value that began last under the index, or begin it."""
        if index in self._at:
            add_piece(self._at[index], piece)
        else:
            self.begin(index, piece)


def add_piece(pieces: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    """Add a piece of a value; many are joined at once, so that a look at a long value is quick."""
    pieces.append(piece)
    if len(pieces) > MOST_PIECES:
        pieces[1:] = [join_pieces(pieces[1:])]


def join_pieces(pieces: Iterable[Any], levels: int = MOST_LEVELS) -> Any:
    """Put the pieces of a value together: texts and lists end to end, objects by their keys.

    Of what is neither, and of objects deeper than `levels`, the last counts.

    >>> join_pieces([{"type": "text", "text": "Sun"}, {"text": "ny."}])
    {'type': 'text', 'text': 'Sunny.'}
    """
    values = [value for value in pieces if value is not None]
    if not values[1:]:
        return next(iter(values), None)
    if all(isinstance(value, str) for value in values):
        return "".join(values)
    if all(isinstance(value, bytes) for value in values):
        return b"".join(values)
    if all(isinstance(value, list) for value in values):
        return [member for value in values for member in value]
    if levels and all(isinstance(value, Mapping) for value in values):
        return _join_members(values, levels - 1)
    return values[-1]


def _join_members(objects: Sequence[Mapping[str, Any]], levels: int) -> dict[str, Any]:
    members: dict[str, list[Any]] = {}
    for item in objects:
        for key, value in item.items():
            members.setdefault(key, []).append(value)
    return {
        key: last_value(values) if key in WHOLE_KEYS else join_pieces(values, levels)
        for key, values in members.items()
    }


def last_value(values: Iterable[Any]) -> Any:
    """Return the last value that is neither None nor empty text; None if there is no such value."""
    return next((value for value in reversed(list(values)) if value not in (None, "")), None)


def parse_object(text: Any) -> Any:
    """Parse arguments that are JSON text; return others as they are.

    Text that is not strict JSON stays text: the call decides how it is read, if at all.

    >>> parse_object('{"n": 4}'), parse_object(""), parse_object('{"n": ')
    ({'n': 4}, {}, '{"n": ')
    """
    if not isinstance(text, str):
        return text
    try:
        data = jsontext.read(text, max_depth=MOST_LEVELS) if text.strip() else None
    except jsontext.JsonSyntaxError:
        return text
    arguments = {} if data is None else data
    return arguments if isinstance(arguments, dict) else text


def to_object(model: Part | None, data: Any) -> Any:
    """Make of a response an object of the same class as a part of its stream, if that has one.

    The SDKs of OpenAI and Anthropic make their responses unchecked, by `construct`.
    """
    construct = None if model is None else getattr(type(model.data), "construct", None)
    return data if construct is None or not isinstance(data, Mapping) else construct(**data)


def package_of(part: Part) -> str:
    """Return the package whose class a part of a response is; `builtins` for plain data."""
    return type(part.data).__module__.partition(".")[0]


def to_valid_object(model: Any, data: Any) -> Any:
    """Make an object of a pydantic class; data that the class rejects stay as they are."""
    try:
        return model.model_validate(data)
    except ValueError:
        return data


def reported_error(event: Part) -> WireError:
    """Make the error that the provider ended the stream with an error of its own."""
    return WireError(event.provider, event.path, "the provider reported an error; ask again")


def _text(arguments: Any) -> str:
    """Write the arguments so far as text."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else jsontext.write(arguments)
