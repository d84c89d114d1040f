"""Targets that are a dialect of JSON Schema and no provider: for files, documents and prompts.

There are declarations to write and no calls to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NoReturn

from toolhaft.call.outcome import Err, Ok
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio.primitives import copy_data
from toolhaft.lowering import Lowered
from toolhaft.lowering.loss import Loss
from toolhaft.lowering.plan import PlannedTool, lower_cached
from toolhaft.providers.provider import Provider
from toolhaft.providers.response import FoundCall, Part
from toolhaft.tools.tool import AnyTool

__all__ = ["PROVIDERS"]


class Schemas(Provider):
    """Names, descriptions, and schemas of arguments and results, in one shape for every dialect."""

    defers = False

    def __init__(self, target: str) -> None:
        self.target = target

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        output = self._output(tool)
        return {
            "name": planned.wire_name,
            **planned.description_field,
            "parameters": planned.schema,
            **({} if output is None else {"output": copy_data(output.schema)}),
        }

    def losses(self, tool: AnyTool) -> Iterator[Loss]:
        output = self._output(tool)
        for loss in () if output is None else output.losses:
            yield loss._replace(tool=tool.name, detail=f"of the output: {loss.detail}")

    def _output(self, tool: AnyTool) -> Lowered | None:
        """The schema of results in the dialect, where the tool declares one."""
        declared = tool.output_schema
        if declared is None:
            return None
        return lower_cached(declared.json_schema(mode="output"), self.target, False)

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        del response
        self._no_calls()

    def fold(self) -> NoReturn:
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
