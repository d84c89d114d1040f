"""Models without function calling: the tools stand in the prompt, the calls in the text.

The form is the one that models were seen to write most: an object with `name` and `arguments`
(Hermes function calling, xLAM; read 2026-11-20). A response is the model's text, or an object
that has it as `text` or `content`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.jsonio import jsontext
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.envelopes import envelopes
from toolhaft.providers.provider import Provider
from toolhaft.providers.response import FoundCall, Part
from toolhaft.providers.streams import Fold, parse_object
from toolhaft.tools.tool import AnyTool

__all__ = ["PROVIDERS"]

HEAD: Final = """\
# Tools

To call a tool, write a JSON object with its name and its arguments, and nothing after it:

{"name": "<tool>", "arguments": {...}}

To call several tools, write several objects. The arguments must be valid by the tool's schema. You
will be given the results; {ending}."""
IN_WORDS: Final = "answer in words when you need no tool"
BY_CALL: Final = "when you need no more of them, call {final} with the answer"


class Text(Provider):
    """Calls are JSON in the text; all results are one user message."""

    target = "text"

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        del tool
        return {
            "name": planned.wire_name,
            **planned.description_field,
            "parameters": planned.schema,
        }

    def request(
        self, tools: list[Any], *, strict: bool, final: str | None = None
    ) -> dict[str, Any]:
        """Return the section of the prompt that lists the tools."""
        del strict
        ending = IN_WORDS if final is None else BY_CALL.format(final=final)
        head = HEAD.replace("{ending}", ending)
        return {"prompt": "\n\n".join([head, *map(_section, tools)])} if tools else {}

    def results_in(self, messages: Sequence[Part]) -> Iterator[tuple[str, str]]:
        for message in messages:
            lines = message.word("content") or ""
            for line in lines.splitlines() if message.word("role") == "user" else ():
                result = parse_object(line)
                if isinstance(result, Mapping) and set(result) == {"name", "result"}:
                    yield str(result["name"]), str(result["result"])

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        for call in envelopes(_text(response)):
            yield FoundCall(f"character {call.start}", None, call.name, call.arguments)

    def text(self, response: Part) -> str:
        return _text(response)

    def fold(self) -> Fold:
        return TextPieces()

    def turn(self, response: Any) -> list[Any]:
        return [{"role": "assistant", "content": _text(Part(self.target, response))}]

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del tool
        return {"name": name, "result" if outcome else "error": outcome.text}

    def reply(self, reply_to: Any, turn: list[Any], results: list[Any]) -> list[Any]:
        del reply_to, turn
        lines = "\n".join(map(jsontext.write, results))
        return [{"role": "user", "content": lines}] if results else []


def _section(declaration: dict[str, Any]) -> str:
    description = declaration.get("description", "")
    schema = jsontext.write(declaration["parameters"])
    lines = [f"## {declaration['name']}", description, f"Schema of the arguments: {schema}"]
    return "\n\n".join(line for line in lines if line)


def _text(response: Part) -> str:
    """The model's text.

    Raises:
        WireError: There is none.
    """
    if isinstance(response.data, str):
        return response.data
    return response.text("content" if response.get("text") is None else "text")


class TextPieces(Fold):
    """The text piece by piece, until the stream ends."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def take(self, event: Part) -> None:
        self._pieces.append(_text(event))

    def text(self, event: Part) -> str:
        return _text(event)

    def missing(self) -> None:
        return None

    def response(self) -> str:
        return "".join(self._pieces)


PROVIDERS: Final = {"text": Text()}
