"""Models without function calling: the tools stand in the prompt, the calls in the text.

The form is the one that models were seen to write most: an object with `name` and `arguments`
(Hermes function calling, xLAM; read 2026-11-20). A response is the model's text, or an object
that has it as `text` or `content`.

An envelope is `{"name": ..., "arguments": {...}}`, alone, in a list, inside other JSON, in a code
fence, or between tags; `arguments` are read under the same rules as all arguments. If no text is
around it, the name alone is enough. An object without a name is prose, and so is an object quoted
in a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolhaft.call.outcome import Err, Ok
from toolhaft.errors import WireError
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.literals import LiteralSyntaxError, read_literal
from toolhaft.jsonio.plaindata import MAX_DEPTH
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.provider import Provider
from toolhaft.providers.response import FoundCall, Part
from toolhaft.providers.streams import Fold, parse_object
from toolhaft.tools.tool import AnyTool

__all__ = ["PROVIDERS", "envelopes"]

HEAD: Final = """\
# Tools

To call a tool, write a JSON object with its name and its arguments, and nothing after it:

{"name": "<tool>", "arguments": {...}}

To call several tools, write several objects. The arguments must be valid by the tool's schema. You
will be given the results; {ending}."""
IN_WORDS: Final = "answer in words when you need no tool"
BY_CALL: Final = "when you need no more of them, call {final} with the answer"
ARGUMENTS: Final = ("arguments", "parameters")
MOST_CHARS: Final = 1 << 20
# Characters examined in all, over brackets that cannot be read and their content: one answer of the
# greatest length four times, in about a second.
MOST_WORK: Final = 4 * MOST_CHARS
# A bracket, or a whole string; the end of the text ends one too.
_JSON: Final = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
_PYTHON: Final = re.compile(_JSON.pattern + r"|'(?:[^'\\]|\\.)*(?:'|\Z)", re.DOTALL)
_IN_PYTHON: Final = re.compile(r"\[?\s*\{\s*'")
# Where an envelope, or other JSON that may hold one, can begin.
_BEGIN: Final = re.compile(r"""\[\s*\{|\{\s*["']""")
_NAME: Final = re.compile(r"""\{\s*["']name["']\s*:\s*["']([^"'\\]{1,200})["']""")
_BODY: Final = re.compile(r"""["'](?:arguments|parameters)["']\s*:\s*""")
_NAMELESS: Final = re.compile(r"""\{\s*["'](?:arguments|parameters)["']""")

UNREAD: Final = object()


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


class _Envelope(NamedTuple):
    """A call in a text: where it begins, whom it calls, and the arguments as they came."""

    start: int
    name: str
    arguments: Any


def envelopes(text: str) -> Iterator[_Envelope]:
    """Find the calls of a text in its order; one that cannot be read keeps its raw arguments.

    Raises:
        WireError: The text is too long, or has more open brackets than can be looked through.

    >>> [call.name for call in envelopes('I look: {"name": "find", "arguments": {"n": 1}} {}')]
    ['find']
    """
    if len(text) > MOST_CHARS:
        raise WireError("text", "text", f"longer than {MOST_CHARS} characters")
    at = work = 0
    while (match := _BEGIN.search(text, at)) is not None:
        start = match.start()
        end, closed = _find_end(text, start)
        work += end - start
        if work > MOST_WORK:
            raise WireError("text", f"character {start}", "too many brackets that are not closed")
        piece = text[start:end]
        data = _read(piece)
        if data is not UNREAD:
            yield from (
                _Envelope(start, *call_fields) for call_fields in _find_in(data, alone=True)
            )
            at = end
            continue
        call = _unread_call(piece, start, closed=closed)
        if call is not None:
            yield call
        # An object that is not an envelope is prose and may contain one; arguments without a name
        # may not.
        at = end if call is not None or _NAMELESS.match(piece) else start + 1


def _find_end(text: str, start: int) -> tuple[int, bool]:
    """Return the end of the brackets that open at a place, and whether they are closed."""
    depth, brackets = 0, _PYTHON if _IN_PYTHON.match(text, start) else _JSON
    for match in brackets.finditer(text, start):
        if match[0] in ("{", "["):
            depth += 1
        elif match[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                return match.end(), True
    return len(text), False


def _find_in(data: Any, *, alone: bool = False) -> Iterator[tuple[str, Any]]:
    """Find the calls in JSON data, at any depth, but not in the arguments of another."""
    if isinstance(data, list):
        for item in data:
            yield from _find_in(item, alone=alone)
    elif isinstance(data, dict):
        arguments_key = next((key for key in ARGUMENTS if key in data), None)
        is_name_alone = alone and len(data) == 1
        if isinstance(data.get("name"), str) and (arguments_key is not None or is_name_alone):
            yield data["name"], None if arguments_key is None else data[arguments_key]
        else:
            for item in data.values():
                yield from _find_in(item)


def _unread_call(text: str, start: int, *, closed: bool) -> _Envelope | None:
    """Read the name of an envelope that is neither JSON nor a Python literal.

    Its arguments are the raw text. If they alone could be read, the error is in the text around
    them, so the arguments are the whole text: an envelope that cannot be read never runs.
    """
    name_match, body_match = _NAME.match(text), _BODY.search(text)
    if not (name_match and body_match):
        return None
    raw = text[body_match.end() : -1 if closed else None].strip()
    bracketed = raw[: _find_end(raw, 0)[0]] if raw[:1] in ("{", "[") else raw
    is_readable = not bracketed or _read(bracketed) is not UNREAD
    return _Envelope(start, name_match[1], text if is_readable else bracketed)


def _read(text: str) -> Any:
    """JSON, or a Python literal, or neither; the arguments alone are held to their own depth."""
    try:
        return jsontext.read(text, max_depth=2 * MAX_DEPTH)
    except jsontext.JsonSyntaxError:
        pass
    try:
        return read_literal(text)
    except LiteralSyntaxError:
        return UNREAD
