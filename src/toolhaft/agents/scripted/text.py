"""Turns of a model that has text only: its calls are JSON in the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.agents.scripted.writer import Said, Writer, arguments_text, pieces
from toolhaft.call.types import ToolCall
from toolhaft.jsonio import jsontext

__all__ = ["Text"]


class Text(Writer):
    """A turn is its text, then a line for each call; it says neither usage nor why it stopped."""

    def response(self, said: Said) -> str:
        if said.stop is not None:
            raise ValueError("ScriptedModel: text has no stop value; leave out stop=")
        return "\n".join(filter(None, [said.text, *map(_envelope, said.calls)]))

    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[str]:
        del request
        return pieces(self.response(said))


def _envelope(call: ToolCall) -> str:
    name, arguments = jsontext.write(call.name), arguments_text(call.arguments)
    return f'{{"name":{name},"arguments":{arguments}}}'
