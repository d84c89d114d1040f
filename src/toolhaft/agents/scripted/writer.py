"""How a turn of a script becomes a response of a provider, whole or in events."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import Any, Final, TypeAlias, get_args

from toolhaft.call.types import ToolCall
from toolhaft.jsonio import jsontext
from toolhaft.providers.ending import Usage

__all__ = [
    "Data",
    "Said",
    "Writer",
    "arguments_text",
    "classes_by_type",
    "function_call",
    "pieces",
    "require_objects",
]

Data: TypeAlias = dict[str, Any]

# Pieces of these lengths are cut within words, numbers, escapes and names.
LENGTHS: Final = (1, 7, 2, 13, 3)


@dataclass(frozen=True, slots=True)
class Said:
    """The model's part of one turn.

    `stop` is the provider's own value, if one is given; `texts` names the custom tools of the
    request, which are called by a text.
    """

    number: int
    model: str
    text: str
    calls: tuple[ToolCall, ...]
    usage: Usage | None
    stop: str | None
    texts: frozenset[str] = frozenset()

    def is_text(self, call: ToolCall) -> bool:
        """Whether a call is that of a custom tool; JSON data are still arguments."""
        return call.name in self.texts and isinstance(call.arguments, str)


class Writer(ABC):
    """One target's responses and events, as plain data and as the objects of its SDK.

    A response and an event are each a dictionary; for a wire of text they are text.
    """

    @abstractmethod
    def response(self, said: Said) -> Any:
        """Write a turn as one response."""

    @abstractmethod
    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[Any]:
        """Write a turn as the events of a stream."""

    def to_response(self, data: Data) -> Any:
        """Make the SDK's object of a response.

        Raises:
            ModuleNotFoundError: The SDK is not installed.
        """
        return data

    def to_event(self, data: Data) -> Any:
        """Make the SDK's object of an event.

        Raises:
            ModuleNotFoundError: The SDK is not installed.
        """
        return data


def pieces(text: str) -> Iterator[str]:
    """Cut a text into pieces at awkward places; an empty text has none.

    >>> list(pieces('{"city": "Paris"}'))
    ['{', '"city":', ' "', 'Paris"}']
    """
    start = 0
    for length in cycle(LENGTHS):
        if start >= len(text):
            return
        yield text[start : start + length]
        start += length


def arguments_text(arguments: Any) -> str:
    """Write the arguments of a call as text; text stays as the script has it."""
    return arguments if isinstance(arguments, str) else jsontext.write(arguments)


def function_call(call: ToolCall, arguments: str | None = None) -> Data:
    """Write a call as a function with text for its arguments, by default its own."""
    text = arguments_text(call.arguments) if arguments is None else arguments
    function = {"name": call.name, "arguments": text}
    return {"id": call.id, "type": "function", "function": function}


def require_objects(provider: str, arguments: Iterable[Any]) -> None:
    """Refuse arguments that are not an object, for an SDK whose calls have objects only.

    Raises:
        ValueError: A call has other arguments.
    """
    if not all(isinstance(given, Mapping) for given in arguments):
        reason = f"arguments for {provider} that are no JSON object"
        raise ValueError(f"ScriptedModel: {reason}; pass a dict, or sdk=False")


@cache
def classes_by_type(union: Any) -> dict[str, Any]:
    """Return the classes of an SDK's union, each under the value of its field `type`."""
    members = get_args(union)
    if len(get_args(members[0])) > 1:  # Annotated[Union[...], ...]
        members = get_args(members[0])
    return {
        value: member
        for member in members
        for value in get_args(member.model_fields["type"].annotation)
    }
