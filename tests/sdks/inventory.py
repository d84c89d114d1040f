"""The types of an SDK today: the fields of tools, calls and results, and all variants."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any, Final, get_args

__all__ = ["CLASSES", "UNIONS", "VALUES", "inventory"]

# Of which SDK's classes all fields are reviewed, by the package that has them.
CLASSES: Final = {
    "openai.types.responses": (
        "FunctionToolParam",
        "ResponseFunctionToolCall",
        "response_input_item_param.FunctionCallOutput",
        "CustomToolParam",
        "ResponseCustomToolCall",
        "ResponseCustomToolCallOutputParam",
        "ResponseUsage",
        "response.IncompleteDetails",
    ),
    "openai.types.shared_params": ("FunctionDefinition",),
    "openai.types.chat": (
        "ChatCompletionFunctionToolParam",
        "ChatCompletionMessage",
        "ChatCompletionMessageFunctionToolCall",
        "chat_completion_message_function_tool_call.Function",
        "ChatCompletionCustomToolParam",
        "chat_completion_custom_tool_param.Custom",
        "ChatCompletionMessageCustomToolCall",
        "chat_completion_message_custom_tool_call.Custom",
        "ChatCompletionToolMessageParam",
        "chat_completion_chunk.ChoiceDelta",
        "chat_completion_chunk.ChoiceDeltaToolCall",
    ),
    "openai.types": ("CompletionUsage",),
    "anthropic.types": (
        "ToolParam",
        "ToolUseBlock",
        "ToolResultBlockParam",
        "Message",
        "Usage",
        "MessageDeltaUsage",
    ),
    "google.genai.types": (
        "FunctionDeclaration",
        "FunctionCall",
        "PartialArg",
        "FunctionResponse",
        "Part",
        "Candidate",
        "GenerateContentResponse",
        "GenerateContentResponseUsageMetadata",
        "FunctionCallingConfig",
    ),
}
# Unions whose members are told apart by their field `type`.
UNIONS: Final = {
    "openai.types.responses": ("ResponseOutputItem", "ResponseStreamEvent"),
    "openai.types.chat": ("ChatCompletionMessageToolCallUnion",),
    "anthropic.types": ("ContentBlock", "RawMessageStreamEvent", "RawContentBlockDelta"),
    "anthropic.types.beta": ("BetaContentBlock", "BetaRawContentBlockDelta"),
}
# Texts of which there is a fixed number: literals of a field, of an alias, or members of an enum.
VALUES: Final = {
    "openai.types.responses": (
        "response.Response.status",
        "response.IncompleteDetails.reason",
        "ResponseFunctionToolCall.status",
    ),
    "openai.types.chat": ("chat_completion.Choice.finish_reason",),
    "anthropic.types": ("StopReason",),
    "anthropic.types.beta": ("BetaStopReason",),
    "google.genai.types": ("FinishReason", "BlockedReason", "FunctionCallingConfigMode"),
}


def inventory() -> dict[str, list[str]]:
    """Return the fields, variants and values of the SDKs that are installed, each by its place."""
    return {
        f"{package}.{name}": sorted(set(read(_find(package, name))))
        for places, read in ((CLASSES, _fields), (UNIONS, _variants), (VALUES, _values))
        for package, names in places.items()
        for name in names
    }


def _find(package: str, name: str) -> Any:
    """Find a class, or the annotation of a field; None if the SDK has it no longer."""
    found: Any = import_module(package)
    for step in name.split("."):
        fields = getattr(found, "model_fields", {})
        found = fields[step].annotation if step in fields else _member(found, step)
    return found


def _member(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        return import_module(f"{owner.__name__}.{name}") if hasattr(owner, "__path__") else None


def _fields(kind: Any) -> Iterator[str]:
    yield from getattr(kind, "model_fields", None) or getattr(kind, "__annotations__", {})


def _variants(union: Any) -> Iterator[str]:
    members = get_args(union)
    if members and get_args(members[0]):  # Annotated[Union[...], ...]
        members = get_args(members[0])
    for member in members:
        if member is not type(None):
            fields = getattr(member, "model_fields", None)
            kind = fields["type"].annotation if fields else member.__annotations__["type"]
            yield from _values(kind)


def _values(annotation: Any) -> Iterator[str]:
    if isinstance(annotation, str):
        yield annotation
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (str(member.value) for member in annotation)
    else:
        for one in get_args(annotation):
            yield from _values(one)
