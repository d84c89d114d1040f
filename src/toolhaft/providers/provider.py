"""The interface of every provider: declare tools, read the calls of a response, write results.

A provider's file contains only the parts that are peculiar to its wire: names, schemas and calls
are decided by its caller. Objects are distinguished by their fields, so that the SDKs' own objects
and plain dicts read alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.call.parts import describe_part
from toolhaft.call.types import ToolCall
from toolhaft.definition.names import pad_name
from toolhaft.errors import ToolhaftError, WireError
from toolhaft.jsonio import jsontext
from toolhaft.lowering.loss import Loss
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.deferred import Entry, declare_found
from toolhaft.providers.ending import Ending, StopReason, Usage
from toolhaft.providers.response import FoundCall, Part
from toolhaft.providers.streams import Fold, parse_object
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import Content
    from toolhaft.content import Part as ContentPart

__all__ = ["CUT_OFF", "Provider", "arguments_as_object"]

# The arguments of a call that the token limit cut off: JSON text that stops.
CUT_OFF: Final = "{"
# Under which key a wire that takes objects only is given text that is none (Anthropic's guide to
# fine-grained tool streaming, 2026-11).
NOT_JSON: Final = "INVALID_JSON"


class Provider(ABC):
    """One wire of one provider or protocol.

    A response comes as the SDK's object or as a plain dict; declarations, results and messages
    are plain dicts, but for the model's own turn, which goes back as it was received.
    """

    target: str
    # The parameter of a request that has the schema of an answer.
    answer_parameter: str = ""
    # The meaning of each of the provider's own values for why a model stopped.
    stop_values: ClassVar[Mapping[str, StopReason]] = MappingProxyType({})
    # Whether code at the provider can call tools, as their declarations allow.
    runs_programs: bool = False
    # Whether a request can leave out tools until a search has found them.
    defers: bool = True
    # Whether the provider can search for deferred tools itself.
    has_search: bool = False
    # Whether tools that were found have to be declared with the next request.
    declares_found: bool = True
    # Whether a tool with a format is called by its text alone.
    has_text_calls: bool = False

    @abstractmethod
    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        """Write a tool's declaration under its name and with its schema on this wire."""

    def losses(self, tool: AnyTool) -> Iterable[Loss]:
        """Name what the target cannot carry of a tool besides its arguments."""
        del tool
        return ()

    def wrap_declarations(self, declarations: list[Any]) -> list[Any]:
        """Return the declarations as the list that a request has."""
        return declarations

    def with_search(self, *, native: bool) -> Provider:
        """Return the wire of conversations with deferred tools: the provider's search, or ours."""
        del native
        return self

    def in_session(self) -> Provider:
        """Return the wire of sessions, in which a client can be notified that its tools changed."""
        return self

    def arrange(self, entries: Sequence[Entry], found: Sequence[str]) -> list[Any]:
        """Return the declarations of tools of which some are in groups or deferred.

        `found` has the names on the wire of tools that were found.
        """
        return declare_found(entries, found)

    def call_name(self, entry: Entry) -> str:
        """Return the name that `find_calls` gives a call of a tool."""
        return entry.planned.wire_name

    def results_in(self, messages: Sequence[Part]) -> Iterator[tuple[str, str]]:
        """Yield the name of the tool and the text of each result in a conversation.

        Used only for targets whose requests declare the tools that were found.
        """
        del messages
        return iter(())

    def found_result(
        self, outcome: Ok[Any] | Err, name: str, found: Sequence[Entry]
    ) -> dict[str, Any]:
        """Write the outcome of our own search, which found some tools."""
        del found
        return self.result(outcome, name, None)

    def request(
        self, tools: list[Any], *, strict: bool, final: str | None = None
    ) -> dict[str, Any]:
        """Return the parameters of a request: the tools, and every flag that goes with them.

        `strict` is whether every tool is strict, `final` the name of the tool whose call is the
        final answer. Providers reject an empty list of tools, so without tools the result has no
        list.
        """
        del strict, final
        return {"tools": tools} if tools else {}

    def answer_request(self, planned: PlannedTool) -> dict[str, Any]:
        """Return the parameters of a request that ask for an answer in the target's own form.

        Raises:
            ToolhaftError: The target has none.
        """
        raise ToolhaftError(f"{self.target}: no form for answers: {planned.name}")

    def answer_text(self, response: Part) -> str:
        """Return the text that is the final answer, without the text on the way to it."""
        return self.text(response)

    def user_messages(self, text: str) -> list[Any]:
        """Write text as messages of the user."""
        return [{"role": "user", "content": text}]

    @abstractmethod
    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        """Find the calls of a response, in its order.

        Raises:
            WireError: The response is of another shape; the error names the field.
        """

    def calls(self, response: Any) -> list[ToolCall]:
        """Read the calls of a response; one without an id is given one by its place.

        Raises:
            WireError: The response is of another shape, or two calls have one id.
        """
        found_calls = list(self.find_calls(Part(self.target, response)))
        places: dict[str, str] = {}
        for found_call in found_calls:
            if found_call.id in places:
                reason = f"the same id as {places[found_call.id]}; each call needs its own"
                raise WireError(self.target, found_call.where, reason)
            if found_call.id is not None:
                places[found_call.id] = found_call.where
        return [
            ToolCall(
                found_call.id or pad_name(f"call_{index}", places),
                found_call.name,
                _given(found_call),
                caller=found_call.caller,
                origin=found_call.origin,
                id_given=found_call.id is not None,
                is_text=found_call.is_text,
            )
            for index, found_call in enumerate(found_calls)
        ]

    def text(self, response: Part) -> str:
        """Return the text that the model wrote for its reader; empty if there is none."""
        del response
        return ""

    def usage(self, response: Part) -> Usage | None:
        """Return the usage of the request, or None if the response has none."""
        del response
        return None

    def ending(self, response: Part) -> Ending:
        """Return why the model stopped.

        A call that this wire cannot answer is a failure, and so is a value that has no meaning yet;
        a response without a value is done.
        """
        name = next(self.unknown_calls(response), None)
        if name is not None:
            return Ending("failed", name)
        value = self.stop_value(response)
        reason = "done" if value is None else self.stop_values.get(value, "failed")
        return Ending(reason, None if reason == "done" else value)

    def stop_value(self, response: Part) -> str | None:
        """Return the provider's own value for why the model stopped, if there is one."""
        del response
        return None

    def unknown_calls(self, response: Part) -> Iterator[str]:
        """Yield the kind of each call that waits for an answer which this wire cannot write."""
        del response
        return iter(())

    @abstractmethod
    def fold(self) -> Fold:
        """Begin to put together the events of a streamed response.

        Raises:
            ToolhaftError: The target has no streams.
        """

    def with_ids(self, response: Any, message: Part) -> Any:
        """Return a message as it was received, with ids for calls that lack them."""
        found_calls = list(self.find_calls(Part(self.target, response)))
        if all(found_call.id for found_call in found_calls):
            return message.data
        ids = {
            found_call.where: call.id
            for found_call, call in zip(found_calls, self.calls(response), strict=True)
        }
        calls = [
            {**call.plain(), "id": ids.get(call.at("id"), call.get("id"))}
            for call in message.parts("tool_calls")
        ]
        return {**message.plain(), "tool_calls": calls}

    @abstractmethod
    def turn(self, response: Any) -> list[Any]:
        """Return the model's turn, to be appended to the conversation as it was received."""

    @abstractmethod
    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        """Write the outcome of one call under the name that the model used.

        `tool` is None if no tool has that name.
        """

    def text_result(self, result: dict[str, Any]) -> dict[str, Any]:
        """Write the result of a call that is a text, from that of another call."""
        return result

    def content(self, outcome: Ok[Any] | Err) -> Any:
        """Write the content for the model: text, or a list of parts if the outcome has any.

        Content that the wire has no part for is described in a part of text.
        """
        content = outcome.content
        return content if isinstance(content, str) else list(map(self._write_part, content))

    def part(self, content_part: ContentPart) -> dict[str, Any] | None:
        """Write a part that is not text, or return None if the wire has no such part."""
        del content_part
        return None

    def text_part(self, text: str) -> dict[str, Any]:
        """Write text as one part of several."""
        return {"type": "text", "text": text}

    def _write_part(self, content_part: Content) -> dict[str, Any]:
        written_part = None if isinstance(content_part, str) else self.part(content_part)
        return self.text_part(describe_part(content_part)) if written_part is None else written_part

    def call_id(self, outcome: Ok[Any] | Err) -> str:
        """Return the id of the call that an outcome answers.

        Raises:
            ToolhaftError: The outcome answers no call of a response: the tool was called alone.
        """
        if outcome.call_id is None:
            fix = "run the call through the export"
            raise ToolhaftError(f"{self.target}: the outcome has no call_id; {fix}")
        return outcome.call_id

    def reply(self, reply_to: Any, turn: list[Any], results: list[Any]) -> list[Any]:
        """Make the messages that answer a turn, one for each result unless the wire differs.

        `reply_to` is the id of the request that the response itself is, where the wire has such.
        """
        del reply_to, turn
        return results


def arguments_as_object(arguments: Any) -> Mapping[str, Any]:
    """Return the arguments of a call as an object, for a wire that takes no text.

    >>> arguments_as_object('{"n": 4}'), arguments_as_object('{"n": ')
    ({'n': 4}, {'INVALID_JSON': '{"n": '})
    """
    if arguments is None:
        return {}
    text = arguments if isinstance(arguments, str | Mapping) else jsontext.write(arguments)
    parsed = parse_object(text)
    return parsed if isinstance(parsed, Mapping) else {NOT_JSON: text}


def _given(call: FoundCall) -> Any:
    """Return what a call was given: of one that was cut off, arguments that stop, or no text."""
    if not call.cut_off:
        return call.arguments
    return None if call.is_text else CUT_OFF
