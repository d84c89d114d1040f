"""Agent Framework's layer of function invocation, over a client of its own kind."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    MiddlewareFailure,
)

from tests.frameworks.driver import ONE_SENT, Call, Loss, Seen, keep_text, show_text
from toolhaft.frameworks.agent_framework import to_agent_framework as to_host

shown = show_text
returned = keep_text
DECLINED = "Error: Tool call invocation was rejected by user."
LISTS_BY_RUN, SIDE_BY_SIDE = False, True
LOSSES = {
    "key twice": Loss(ONE_SENT, Seen('{"root":{"label":"b"}}')),
    "sync": Loss("there is no sync runner", None),
    "refused unasked": Loss(
        "the framework asks before it runs a tool, whatever the arguments",
        Seen(
            "Please rewrite the input with valid arguments. Errors: "
            "amount: expected integer, received array"
        ),
    ),
    "unknown tool": Loss(
        "the framework's own text", Seen('Error: Requested function "nope" not found.')
    ),
}


class Client(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """Makes its calls in one turn, and keeps what it is shown of them."""

    def __init__(self, *calls: Call) -> None:
        super().__init__()
        self.calls = [
            Content.from_function_call(f"call-{number}", call.name, arguments=call.text)
            for number, call in enumerate(calls, 1)
        ]
        self.results: list[Any] = []

    def _inner_get_response(
        self, *, messages: Any, stream: bool, options: Any, **rest: Any
    ) -> Awaitable[ChatResponse[Any]]:
        async def respond() -> ChatResponse[Any]:
            contents = [content for message in messages for content in message.contents]
            self.results = [each for each in contents if each.type == "function_result"]
            answer = ["done"] if self.results else self.calls
            return ChatResponse(messages=[Message(role="assistant", contents=answer)])

        return respond()

    def seen(self) -> Seen | None:
        if not self.results:
            return None
        [result] = self.results
        items = result.items or []
        text = "\n".join(item.text for item in items if item.type == "text")
        from base64 import b64decode

        images = [b64decode(item.uri.partition(",")[2]) for item in items if item.type == "data"]
        return Seen(text if items else result.result, None, tuple(images))


GO = Message(role="user", contents=["go"])


async def ask(client: Client, tools: list[Any], context: Any) -> None:
    await client.get_response([GO], options={"tools": tools}, function_invocation_kwargs=context)


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    client = Client(Call(name, text))
    await ask(client, to_host(tools), context)
    return client.seen()


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    bridged = to_host(tools, context=context)
    await ask(Client(*calls), bridged, context)
    return [tool.name for tool in bridged]


def run_sync(tools: Any, name: str, text: str) -> Seen | None:
    del tools, name, text
    return None


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    client = Client(Call(name, text))
    agent = Agent(client, tools=to_host(tools))
    session = agent.create_session()
    response = await agent.run("go", session=session)
    if not response.user_input_requests:
        return None
    answer = response.user_input_requests[0].to_function_approval_response(approved)
    await agent.run(Message(role="user", contents=[answer]), session=session)
    return client.seen()


def sent(tool: Any, _strict: bool) -> Any:
    return tool.to_json_schema_spec()["function"]["parameters"]


def steer() -> None:
    raise MiddlewareFailure("stop here")


async def is_steered(tools: Any, name: str) -> bool:
    try:
        await run(tools, name, "{}")
    except MiddlewareFailure as failure:
        return str(failure) == "stop here"
    return False
