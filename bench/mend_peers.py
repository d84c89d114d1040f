"""The same wrong calls with the texts of fastmcp, pydantic-ai and the OpenAI Agents SDK.

    make mend-peers     (in an environment of its own, constraints/bench-peers.txt)

Each takes the pydantic type of a schema as the one argument of a function, and returns its text for
a model; a schema that pydantic cannot express is left out. The reader is pydantic's, as all three
show its locations; pydantic-ai's are JSON.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import mend
from mend_reader import READERS, Named, read_pydantic
from mend_types import Unsayable, model_of

__all__ = ["PEERS"]

Refusal = Callable[[Any], "str | None"]
ARGUMENT: Final = "arguments"


def _function(schema: Any) -> Callable[..., str] | None:
    """Return a function that takes the arguments as one object."""
    try:
        model = model_of(schema)
    except Unsayable:
        return None

    def it(arguments: Any) -> str:
        """Do it."""
        return "ok"

    it.__annotations__ = {ARGUMENT: model, "return": str}
    return it


def _fastmcp(schema: Any) -> Refusal | None:
    fastmcp: Any = import_module("fastmcp")

    function = _function(schema)
    if function is None:
        return None
    server: Any = fastmcp.FastMCP("it")
    server.tool(function)

    async def call(arguments: Any) -> str | None:
        async with fastmcp.Client(server) as client:
            result = await client.call_tool("it", {ARGUMENT: arguments}, raise_on_error=False)
        return result.content[0].text if result.is_error else None

    return lambda arguments: asyncio.run(call(arguments))


def _pydantic_ai(schema: Any) -> Refusal | None:
    from pydantic import ValidationError

    tool_of: Any = import_module("pydantic_ai").Tool
    prompt_of: Any = import_module("pydantic_ai.messages").RetryPromptPart

    function = _function(schema)
    if function is None:
        return None
    validator = tool_of(function).function_schema.validator

    def refuse(arguments: Any) -> str | None:
        try:  # an only argument that is an object is shown as the object itself
            validator.validate_python(arguments)
        except ValidationError as error:
            errors = error.errors(include_url=False, include_context=False)
            return str(prompt_of(tool_name="it", content=errors).model_response())
        return None

    return refuse


def _openai_agents(schema: Any) -> Refusal | None:
    define: Any = import_module("agents").function_tool
    context_of: Any = import_module("agents.tool_context").ToolContext

    function = _function(schema)
    if function is None:
        return None
    one = define(function, strict_mode=False)

    async def call(arguments: Any) -> str | None:
        text = json.dumps({ARGUMENT: arguments})
        context: Any = context_of(None, tool_name="it", tool_call_id="1", tool_arguments=text)
        answer = await one.on_invoke_tool(context, text)
        return None if answer == "ok" else str(answer)

    return lambda arguments: asyncio.run(call(arguments))


def _read_lines(text: str, sent: Any, schema: Any) -> list[Named]:
    """Read pydantic's locations without the argument that they all begin with."""
    text = re.sub(rf"(?m)^{ARGUMENT}\.", "", text.replace("\\n", "\n"))
    return read_pydantic(text, sent, schema)


def _read_json(text: str, sent: Any, schema: Any) -> list[Named]:
    """Read the locations that pydantic-ai writes as JSON."""
    found = re.search(r"```json\n(.*)\n```", text, re.DOTALL)
    errors = json.loads(found[1]) if found else []
    lines = [f"{'.'.join(map(str, error['loc']))}\n  {error['msg']}" for error in errors]
    return _read_lines("\n".join(lines), sent, schema)


PEERS: Final = {
    "fastmcp": (_fastmcp, _read_lines),
    "pydantic-ai": (_pydantic_ai, _read_json),
    "openai-agents": (_openai_agents, _read_lines),
}


if __name__ == "__main__":
    for name, (refusal, reader) in PEERS.items():
        mend.CONTENDERS[name], READERS[name] = refusal, reader
    mend.main()
