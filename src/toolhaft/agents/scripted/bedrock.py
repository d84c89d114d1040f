"""Turns as Amazon Bedrock's Converse API writes them (botocore 1.44.5, read 2026-11-28)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.agents.scripted.writer import Data, Said, Writer, arguments_text, pieces
from toolhaft.providers.ending import Usage
from toolhaft.providers.streams import parse_object

__all__ = ["Bedrock"]


class Bedrock(Writer):
    """Text is a block of the message, and so is each call; the SDK itself has dictionaries."""

    def response(self, said: Said) -> Data:
        text = [{"text": said.text}] if said.text else []
        calls = [{"toolUse": {**use, "input": parse_object(text)}} for use, text in _uses(said)]
        return {
            "output": {"message": {"role": "assistant", "content": [*text, *calls]}},
            "stopReason": _stop(said),
            **_metadata(said),
        }

    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[Data]:
        del request
        yield {"messageStart": {"role": "assistant"}}
        for index, block in enumerate(_blocks(said)):
            for name, event in block:
                yield {name: {"contentBlockIndex": index, **event}}
        yield {"messageStop": {"stopReason": _stop(said)}}
        yield {"metadata": _metadata(said)}


def _uses(said: Said) -> Iterator[tuple[Data, str]]:
    """Yield each call without its input, and the text of that."""
    for call in said.calls:
        yield {"toolUseId": call.id, "name": call.name}, arguments_text(call.arguments)


def _blocks(said: Said) -> Iterator[list[tuple[str, Data]]]:
    """Yield the events of each block; one of text comes without a start."""
    stop: tuple[str, Data] = ("contentBlockStop", {})
    if said.text:
        deltas: list[Data] = [{"text": piece} for piece in pieces(said.text)]
        yield [*_deltas(deltas), stop]
    for use, text in _uses(said):
        start = ("contentBlockStart", {"start": {"toolUse": use}})
        yield [start, *_deltas([{"toolUse": {"input": piece}} for piece in pieces(text)]), stop]


def _deltas(deltas: list[Data]) -> list[tuple[str, Data]]:
    return [("contentBlockDelta", {"delta": delta}) for delta in deltas]


def _stop(said: Said) -> str:
    return said.stop or ("tool_use" if said.calls else "end_turn")


def _metadata(said: Said) -> Data:
    usage = {} if said.usage is None else {"usage": _usage(said.usage)}
    return {**usage, "metrics": {"latencyMs": 0}}


def _usage(usage: Usage) -> Data:
    cached = usage.cached or 0
    return {
        "inputTokens": max(0, (usage.input or 0) - cached),
        "outputTokens": usage.output or 0,
        "totalTokens": usage.total,
        "cacheReadInputTokens": cached,
        "cacheWriteInputTokens": 0,
    }
