"""Targets that are a dialect of JSON Schema and no provider: for files, documents and prompts.

There are declarations to write and no calls to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NoReturn

from toolhaft.call.outcome import Err, Ok
from toolhaft.errors import ToolhaftError
from toolhaft.lowering.plan import Planned
from toolhaft.providers.provider import Found, Provider
from toolhaft.providers.response import Part
from toolhaft.tools import AnyTool

__all__ = ["PROVIDERS"]


class Schemas(Provider):
    """Names, descriptions and schemas, in the same neutral shape for every dialect."""

    def __init__(self, target: str) -> None:
        self.target = target

    def declare(self, tool: AnyTool, planned: Planned) -> dict[str, Any]:
        del tool
        return {"name": planned.wire_name, **planned.described, "parameters": planned.schema}

    def found(self, response: Part) -> Iterator[Found]:
        del response
        self._no_calls()

    def turn(self, response: Any) -> list[Any]:
        del response
        self._no_calls()

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del outcome, name, tool
        self._no_calls()

    def _no_calls(self) -> NoReturn:
        fix = "export to the target of the provider that answered"
        raise ToolhaftError(f"{self.target}: a dialect of schemas, which has no calls; {fix}")


DIALECTS = ("draft-07", "draft-2020-12", "openapi-3.0", "openapi-3.1")
PROVIDERS: Final = {target: Schemas(target) for target in DIALECTS}
