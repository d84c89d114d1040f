"""OpenAI's Responses API.

Read on 2026-11-20 from openai 3.52.0 (`FunctionToolParam`, `ResponseFunctionToolCall`,
`FunctionCallOutput`, `CustomToolParam`, `ResponseStreamEvent`) and OpenAI's function calling guide.
A tool without `strict` is made strict by the server, which turns optional parameters into required
ones; so it is always said. There is no flag for errors: the text of a result says them. A tool that
was loaded by tool search is in a namespace of its own name (reported by users, 2026-08). A result
may hold images and files; which of them are read, the guides to vision and to file inputs say
(2026-11-21). A call says who made it, and so does its result (2026-11-28).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolhaft.call.outcome import Err, KeptOk, Ok
from toolhaft.definition.text_format import Regex, TextFormat
from toolhaft.jsonio import jsontext
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.deferred import SEARCH_ITEM, SHARED, Entry
from toolhaft.providers.ending import StopReason, Usage, count_of
from toolhaft.providers.provider import Provider
from toolhaft.providers.response import FoundCall, Part, is_program, read_caller
from toolhaft.providers.streams import Fold, add_piece, join_pieces, reported_error, to_object
from toolhaft.tools.definition import Group
from toolhaft.tools.internals import call_options_of
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import Part as ContentPart

__all__ = ["PROVIDERS"]

IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
OFFICE: Final = "application/vnd.openxmlformats-officedocument."
# Media types that the API reads beside text, with the name of a file that has none.
DOCUMENTS: Final = {
    "application/pdf": "file.pdf",
    f"{OFFICE}wordprocessingml.document": "file.docx",
    f"{OFFICE}presentationml.presentation": "file.pptx",
    f"{OFFICE}spreadsheetml.sheet": "file.xlsx",
}

SHARED_GROUP: Final = Group(SHARED, "Further tools, for tasks that no other tool here is for.")
SEARCH_CALL: Final = "tool_search_call"
PLAIN_NAME: Final = re.compile("[A-Za-z0-9_-]{1,64}")

UNFINISHED: Final = ("in_progress", "incomplete")
TEXTS: Final = ("response.output_text.delta", "response.refusal.delta")
TEXT_CALL: Final = "custom_tool_call"
CALLS: Final = ("function_call", TEXT_CALL)
# Calls that the provider answers itself.
HOSTED: Final = frozenset(
    {
        "code_interpreter_call",
        "file_search_call",
        "image_generation_call",
        "mcp_call",
        "program",
        "web_search_call",
    }
)


class OpenAI(Provider):
    """Calls are items of the output; results are items of the next input."""

    target = "openai"
    answer_parameter = "text.format"
    # The status, or of one that is incomplete its reason.
    stop_values: ClassVar[Mapping[str, StopReason]] = MappingProxyType(
        {
            "completed": "done",
            "max_output_tokens": "length",
            "max_messages": "length",
            "content_filter": "refusal",
            "refusal": "refusal",
            # Another response of the same WebSocket goes on, which no request gets.
            "steered": "failed",
            "incomplete": "failed",
            "failed": "failed",
            "cancelled": "failed",
            "in_progress": "failed",
            "queued": "failed",
        }
    )
    runs_programs = True
    has_search = True
    has_text_calls = True

    def with_search(self, *, native: bool) -> Provider:
        return OpenAISearch(native=native)

    def arrange(self, entries: Sequence[Entry], found: Sequence[str]) -> list[Any]:
        del found
        return _in_namespaces(entries)

    def call_name(self, entry: Entry) -> str:
        group = entry.tool.group
        if group is None:
            return entry.planned.wire_name
        return _qualify(_name_in(group, entry.tool, entry.declaration), group.name)

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        callers = tool.allowed_callers
        head = {"name": planned.wire_name, **planned.description_field}
        tail = {"allowed_callers": sorted(callers)} if callers else {}
        if tool.text_format is not None:
            return {"type": "custom", **head, "format": _grammar(tool.text_format), **tail}
        schema = {"parameters": planned.schema, "strict": planned.strict}
        return {"type": "function", **head, **schema, **tail, **self._output_field(tool)}

    def _output_field(self, tool: AnyTool) -> dict[str, Any]:
        """Return the schema of the results where code may call the tool, and reads them as JSON.

        It is not sent for others: it would cost every request, and quote every text.
        """
        schema = tool.output_schema if "programmatic" in (tool.allowed_callers or ()) else None
        if schema is None or call_options_of(tool).render is not None:
            return {}
        return {"output_schema": schema.json_schema(mode="output")}

    def answer_request(self, planned: PlannedTool) -> dict[str, Any]:
        schema = {"schema": planned.schema, "strict": planned.strict}
        return {"text": {"format": {"type": "json_schema", "name": planned.wire_name, **schema}}}

    def answer_text(self, response: Part) -> str:
        """Return the text of the last message that is no comment on the way to the answer."""
        texts: list[str] = []
        for item in response.parts("output"):
            if item.get("type") == "message" and item.get("phase") != "commentary":
                texts = [
                    content.text("text")
                    for content in item.parts("content")
                    if content.get("type") == "output_text"
                ]
        return "".join(texts)

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        for item in response.parts("output"):
            if item.get("type") in CALLS:
                is_text = item.get("type") == TEXT_CALL
                where, call_id = item.at("call_id"), item.id("call_id")
                cut_off = item.get("status") in UNFINISHED
                name, arguments = (
                    _qualified_name(item),
                    item.get("input" if is_text else "arguments"),
                )
                caller = read_caller(item, is_program)
                yield FoundCall(where, call_id, name, arguments, cut_off, *caller, is_text)

    def text(self, response: Part) -> str:
        messages = [item for item in response.parts("output") if item.get("type") == "message"]
        # Text beside the model's work is no answer, unless there is nothing else.
        final = [message for message in messages if message.get("phase") != "commentary"]
        return "".join(map(_text, final or messages))

    def usage(self, response: Part) -> Usage | None:
        usage = response.either("usage")
        if usage is None:
            return None
        return Usage(
            count_of(usage, "input_tokens"),
            count_of(usage, "output_tokens"),
            count_of(usage.either("input_tokens_details"), "cached_tokens"),
            count_of(usage.either("output_tokens_details"), "reasoning_tokens"),
        )

    def stop_value(self, response: Part) -> str | None:
        status = response.word("status")
        if status == "incomplete":
            details = response.either("incomplete_details")
            return (details and details.word("reason")) or status
        contents = [part for item in response.parts("output") for part in _contents(item)]
        refused = any(part.get("type") == "refusal" for part in contents)
        return "refusal" if refused and status in (None, "completed") else status

    def unknown_calls(self, response: Part) -> Iterator[str]:
        items = response.parts("output")
        answered = {item.get("call_id") for item in items if _kind(item).endswith("_output")}
        for item in items:
            kind = _kind(item)
            if kind in CALLS or kind in HOSTED or item.get("execution") == "server":
                continue
            waits = kind.endswith(("_call", "_request")) or item.get("call_id") is not None
            if waits and not kind.endswith("_output") and item.get("call_id") not in answered:
                yield kind

    def fold(self) -> Fold:
        return Events()

    def turn(self, response: Any) -> list[Any]:
        return [item.data for item in Part(self.target, response).parts("output")]

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del name
        output = self.content(outcome)
        is_data = tool is not None and self._output_field(tool) and not _is_beginning(outcome)
        if isinstance(outcome, Ok) and tool is not None and is_data:
            output = _json_text(outcome, call_options_of(tool).max_result_chars)
        return {
            "type": "function_call_output",
            "call_id": self.call_id(outcome),
            "output": output,
            **({} if outcome.caller is None else {"caller": outcome.caller}),
        }

    def text_result(self, result: dict[str, Any]) -> dict[str, Any]:
        return {**result, "type": f"{TEXT_CALL}_output"}

    def part(self, content_part: ContentPart) -> dict[str, Any] | None:
        from toolhaft.content import File, Image

        if isinstance(content_part, Image) and content_part.media_type in IMAGES:
            return {"type": "input_image", "image_url": content_part.data_url, "detail": "auto"}
        if isinstance(content_part, File) and (
            content_part.text is not None or content_part.media_type in DOCUMENTS
        ):
            name = content_part.name or DOCUMENTS.get(content_part.media_type, "file.txt")
            return {"type": "input_file", "filename": name, "file_data": content_part.data_url}
        return None

    def text_part(self, text: str) -> dict[str, Any]:
        return {"type": "input_text", "text": text}


def _is_beginning(outcome: Ok[Any] | Err) -> bool:
    """Whether a model reads the beginning of a kept result; a program gets the whole one."""
    return isinstance(outcome, KeptOk) and not is_program(outcome.caller or {})


def _json_text(outcome: Ok[Any], most: int | None) -> str:
    """Write a result as the JSON value that its schema describes; one that is too long is cut."""
    text = jsontext.write(outcome.json)
    return text if most is None or len(text) <= most else outcome.text


def _grammar(text_format: TextFormat) -> dict[str, Any]:
    """Write the format of a custom tool; the grammar holds for its whole text."""
    if not isinstance(text_format, Regex):
        return {"type": text_format}
    return {"type": "grammar", "syntax": "regex", "definition": text_format.pattern}


def _kind(item: Part) -> str:
    return item.word("type") or ""


def _text(message: Part) -> str:
    parts = _contents(message)
    texts = [part.word("text") or part.word("refusal") or "" for part in parts]
    return message.word("content") or "".join(texts)


def _contents(item: Part) -> list[Part]:
    """The contents of a message; none of another item, or of a text that a server wrote there."""
    is_message = item.get("type") == "message" and isinstance(item.get("content"), list | tuple)
    return item.parts("content") if is_message else []


def _qualified_name(item: Part) -> str:
    """The name of a call; qualified where another's namespace has the tool, which is not ours."""
    return _qualify(item.text("name"), item.get("namespace"))


def _qualify(name: str, namespace: Any) -> str:
    return name if namespace in (None, name) else f"{namespace}.{name}"


class Events(Fold):
    """Events that add items to the output; the last has the response."""

    def __init__(self) -> None:
        self._started: dict[int, list[dict[str, Any]]] = {}
        self._done: dict[int, Any] = {}
        self._response: Part | None = None

    def take(self, event: Part) -> None:
        match event.text("type"):
            case "response.output_item.added":
                self._started[event.index("output_index")] = [event.part("item").plain()]
            case "response.function_call_arguments.delta":
                pieces = self._started.setdefault(event.index("output_index"), [])
                add_piece(pieces, {"arguments": event.text("delta")})
            case "response.custom_tool_call_input.delta":
                pieces = self._started.setdefault(event.index("output_index"), [])
                add_piece(pieces, {"input": event.text("delta")})
            case "response.output_item.done":
                self._done[event.index("output_index")] = event.part("item").data
            case "response.completed" | "response.incomplete":
                self._response = event.part("response")
            case "response.failed" | "error":
                self.failed = event.get("response")
                raise reported_error(event)
            case _:
                pass

    def text(self, event: Part) -> str:
        return event.text("delta") if event.get("type") in TEXTS else ""

    def missing(self) -> str | None:
        return "response.completed" if self._response is None else None

    def response(self) -> Any:
        # Some servers leave the output out of the last event.
        if self._response is not None and self._response.get("output"):
            return self._response.data
        started = {index: join_pieces(pieces) for index, pieces in self._started.items()}
        head = {} if self._response is None else self._response.plain()
        items = sorted({**started, **self._done}.items())
        return {**head, "output": [item for _, item in items]}

    def whole(self) -> Any:
        return to_object(self._response, self.response())


class OpenAISearch(OpenAI):
    """Conversations in which tools are deferred.

    If OpenAI searches (`native`), every request declares all tools, and the model sees of those in
    a namespace only its name and description; so tools without a group share a namespace. If our
    own tool does, its calls and results are items of their own, and have the tools that were found
    (guide to tool search, 2026-11-28).
    """

    declares_found = False

    def __init__(self, *, native: bool) -> None:
        self.native = native

    def arrange(self, entries: Sequence[Entry], found: Sequence[str]) -> list[Any]:
        del found
        if self.native:
            return [*_in_namespaces(entries, shared=True), {"type": "tool_search"}]
        shown = [entry for entry in entries if not entry.tool.defer]
        search = next(entry for entry in shown if entry.is_search)
        others = [entry for entry in shown if entry is not search]
        return [*_in_namespaces(others), _search_tool(search)]

    def call_name(self, entry: Entry) -> str:
        if entry.is_search:
            return SEARCH_ITEM
        name = super().call_name(entry)
        is_shared = self.native and entry.tool.defer and entry.tool.group is None
        return _qualify(name, SHARED) if is_shared else name

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        if self.native:
            yield from super().find_calls(response)
            return
        others = iter(super().find_calls(response))
        for item in response.parts("output"):
            if item.get("type") in CALLS:
                yield next(others)
            elif _is_client_search(item):
                cut_off = item.get("status") in UNFINISHED
                where, call_id = item.at("call_id"), item.id("call_id")
                yield FoundCall(where, call_id, SEARCH_ITEM, item.get("arguments"), cut_off)

    def unknown_calls(self, response: Part) -> Iterator[str]:
        kinds = super().unknown_calls(response)
        return kinds if self.native else (kind for kind in kinds if kind != SEARCH_CALL)

    def found_result(
        self, outcome: Ok[Any] | Err, name: str, found: Sequence[Entry]
    ) -> dict[str, Any]:
        if self.native:
            return super().found_result(outcome, name, found)
        return {
            "type": "tool_search_output",
            "call_id": self.call_id(outcome),
            "execution": "client",
            "status": "completed" if outcome else "incomplete",
            "tools": _in_namespaces(found),
        }


def _is_client_search(item: Part) -> bool:
    return (item.get("type"), item.get("execution")) == (SEARCH_CALL, "client")


def _search_tool(search: Entry) -> dict[str, Any]:
    return {
        "type": "tool_search",
        "execution": "client",
        "description": search.tool.description,
        "parameters": search.planned.schema,
    }


def _in_namespaces(entries: Sequence[Entry], *, shared: bool = False) -> list[Any]:
    """Put the tools of each group in a namespace, which stands where its first tool would.

    With `shared`, deferred tools without a group are in one namespace too.
    """
    declared: list[Any] = []
    namespaces: dict[str, list[Any]] = {}
    for tool, _, plain, _ in entries:
        declaration = {**plain, "defer_loading": True} if tool.defer else plain
        group = tool.group or (SHARED_GROUP if shared and tool.defer else None)
        if group is None:
            declared.append(declaration)
            continue
        if group.name not in namespaces:
            members: list[Any] = []
            namespaces[group.name] = members
            text = group.description or f"Tools of {group.name}."
            declared.append(
                {"type": "namespace", "name": group.name, "description": text, "tools": members}
            )
        namespaces[group.name].append({**declaration, "name": _name_in(group, tool, declaration)})
    return declared


def _name_in(group: Group, tool: AnyTool, declaration: dict[str, Any]) -> str:
    """Return the name of a tool inside a namespace, as far as it can be sent."""
    name = group.strip(tool.name)
    return name if group.has(tool.name) and PLAIN_NAME.fullmatch(name) else declaration["name"]


PROVIDERS: Final = {"openai": OpenAI()}
