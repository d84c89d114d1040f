"""Resources and prompts, by the official client in both revisions."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from mcp import Client, MCPError
from mcp.types import TextContent

from tests.cli.running import spawned
from tests.serve.served import served
from toolhaft import Context, DefinitionError, File, Image, ToolError, Toolset
from toolhaft.content import ResourceLink
from toolhaft.observers.logging import Logging
from toolhaft.serve import asgi, prompt, resource
from toolhaft.serve.mcp_offers import Caching
from toolhaft.serve.offers import Message, Offers, UriTemplate
from toolhaft.tools.decorator import tool

pytestmark = pytest.mark.requirement("serve-offers")

both = pytest.mark.parametrize("mode", ["auto", "legacy"])
Mode = Literal["auto", "legacy"]


@resource("orders://{id}/lines/{line}", mime_type="text/plain")
def line_of(id: int, line: str) -> str:
    """A line of an order."""
    return f"{line} of {id}"


@resource("config://app", title="Configuration")
def config() -> dict[str, int]:
    """The configuration."""
    return {"size": 3}


@resource("logo://{name}")
def logo(name: str) -> File:
    """A logo."""
    if name == "none":
        raise ToolError("there is no such logo")
    if name == "crash":
        raise RuntimeError("secret")
    return File(b"\x89PNG", "image/png", name=name)


@prompt(title="Review")
def review(code: str, days: int = 1) -> list[str | Message]:
    """Review code."""
    return [Message("assistant", "Show me."), f"{code} in {days} days"]


@prompt()
async def look(uri: str) -> list[Any]:
    """Look at something."""
    embedded = File(b"size 3", "text/plain", uri=uri)
    image = Message("assistant", Image(b"\x89PNG", "image/png"))
    return [image, embedded, ResourceLink(uri, "config"), "What is it?"]


@prompt()
def odd() -> int:
    """Return what is no message."""
    return 5


@tool
def link() -> ResourceLink:
    """Link to the configuration."""
    return ResourceLink("config://app", "config")


class Talk:
    """The answers that a client of one revision reads from a server of resources and prompts."""

    def __init__(self, mode: Mode, **options: Any) -> None:
        self._mode: Any = mode
        resources: list[Any] = [line_of, config, logo]
        prompts: list[Any] = [review, look, odd]
        self._app = asgi([link], resources=resources, prompts=prompts, **options)

    def run(self, ask: Any) -> Any:
        async def go() -> Any:
            async with Client(self._app.server, mode=self._mode) as client:
                return await ask(client)

        return asyncio.run(go())


@both
def test_resources_are_listed_and_read(mode: Mode) -> None:
    async def ask(client: Client) -> Any:
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        linked = (await client.call_tool("link", {})).content[0]
        reads = [
            await client.read_resource(uri)
            for uri in ("orders://5/lines/a%20b", linked.uri, "logo://x")  # type: ignore[union-attr]
        ]
        return (
            resources,
            templates,
            [one.contents[0].model_dump(exclude_none=True) for one in reads],
        )

    resources, templates, contents = Talk(mode).run(ask)
    assert [(one.uri, one.title, one.description) for one in resources] == [
        ("config://app", "Configuration", "The configuration.")
    ]
    assert [one.uri_template for one in templates] == [
        "orders://{id}/lines/{line}",
        "logo://{name}",
    ]
    assert contents == [
        {"uri": "orders://5/lines/a%20b", "mime_type": "text/plain", "text": "a b of 5"},
        {"uri": "config://app", "mime_type": "application/json", "text": '{"size":3}'},
        {"uri": "logo://x", "mime_type": "image/png", "blob": "iVBORw=="},
    ]


def test_an_image_is_read_as_its_bytes() -> None:
    @resource("logo://app")
    def logo() -> Image:
        """The logo."""
        return Image(b"\x89PNG", "image/png")

    async def ask() -> Any:
        async with Client(asgi([], resources=[logo]).server) as client:
            return (await client.read_resource("logo://app")).contents

    [read] = asyncio.run(ask())
    assert read.model_dump(exclude_none=True) == {
        "uri": "logo://app", "mime_type": "image/png", "blob": "iVBORw=="
    }  # fmt: skip


@both
def test_prompts_are_listed_and_asked_for(mode: Mode) -> None:
    async def ask(client: Client) -> Any:
        listed = (await client.list_prompts()).prompts
        return listed, (await client.get_prompt("review", {"code": "x = 1", "days": "2"})).messages

    listed, messages = Talk(mode).run(ask)
    [reviewing] = [one for one in listed if one.name == "review"]
    arguments = [(one.name, one.required) for one in reviewing.arguments]
    assert (reviewing.title, arguments) == ("Review", [("code", True), ("days", False)])
    assert [(one.role, one.content) for one in messages] == [
        ("assistant", TextContent(type="text", text="Show me.")),
        ("user", TextContent(type="text", text="x = 1 in 2 days")),
    ]


@both
def test_a_prompt_has_content_of_every_kind(mode: Mode) -> None:
    async def ask(client: Client) -> Any:
        return (await client.get_prompt("look", {"uri": "config://app"})).messages

    seen = [(one.role, one.content.model_dump(exclude_none=True)) for one in Talk(mode).run(ask)]
    image = {"type": "image", "data": "iVBORw==", "mime_type": "image/png"}
    embedded = {"uri": "config://app", "mime_type": "text/plain", "text": "size 3"}
    assert seen == [
        ("assistant", image),
        ("user", {"type": "resource", "resource": embedded}),
        ("user", {"type": "resource_link", "uri": "config://app", "name": "config"}),
        ("user", {"type": "text", "text": "What is it?"}),
    ]


ELSEWHERE: Final = (
    "orders://5/lines/..",
    "orders://5/lines/%2e%2e",
    "orders://5/lines/a%2fb",
    "orders://5/lines/a%5cb",
    "orders://5/lines/a%00",
    "orders://5/lines/a%0a",
    "orders://5/lines/a%c2%85",
    "orders://5/lines/a%e2%80%ae",
    "orders://5/lines/a\u200b",
    "orders://5/lines/%ff",
    "orders://5/lines/a/b",
    "orders://5/lines/",
    "orders://5/lines/a?b",
    "orders://5/lines/a#b",
    "orders://5/lines/" + "a" * 3_000,
    "xorders://5/lines/a",
    "ORDERS://5/lines/a",
    "config://app/",
    "config://app\n",
    "file:///etc/passwd",
    "",
)


@both
@pytest.mark.parametrize("uri", ELSEWHERE)
def test_an_address_that_leads_elsewhere_is_not_found(mode: Mode, uri: str) -> None:
    async def ask(client: Client) -> Any:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)
        return refused.value.error.code

    assert Talk(mode).run(ask) == (-32602 if mode == "auto" else -32002)


@both
def test_what_is_asked_wrongly_is_an_error_that_says_why(mode: Mode) -> None:
    async def ask(client: Client) -> list[tuple[int, str]]:
        answers = []
        for asking in (
            client.read_resource("orders://x/lines/a"),
            client.read_resource("logo://none"),
            client.read_resource("logo://crash"),
            client.get_prompt("review", {}),
            client.get_prompt("review", {"code": "x", "cdoe": "y"}),
            client.get_prompt("nope", {}),
            client.get_prompt("odd", {}),
        ):
            with pytest.raises(MCPError) as refused:
                await asking
            answers.append((refused.value.error.code, refused.value.error.message))
        return answers

    answers = Talk(mode).run(ask)
    not_found = -32602 if mode == "auto" else -32002
    invalid, internal = -32602, -32603
    codes = [not_found, internal, internal, invalid, invalid, invalid, internal]
    assert [code for code, _ in answers] == codes
    texts = [text for _, text in answers]
    assert "id: expected integer" in texts[0]
    assert texts[1] == "there is no such logo"
    assert "secret" not in texts[2]
    assert ["code: required" in texts[3], "cdoe: unknown" in texts[4]] == [True, True]
    assert texts[5] == "Prompt not found: see prompts/list"


def test_the_toolsets_callbacks_hold_for_resources_and_prompts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @resource("who://me")
    def who(*, context: Context[str]) -> str:
        """Say who asks."""
        return context

    caplog.set_level("INFO", "toolhaft.calls")
    tools = Toolset(
        authorize=lambda _, user: user != "eve",
        visible=lambda one, user: user == "ann" or one.name != "config",
        observers=[Logging()],
    )
    offers = Offers(tools, [who, config], [review])
    context = lambda request: request.headers["user"]  # noqa: E731

    def post(server: Any, user: str, method: str, **params: Any) -> Any:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta, **params}}
        headers = {"accept": "application/json, text/event-stream", "mcp_method": method}
        headers |= {"mcp_name": params["uri"]} if "uri" in params else {}
        answer = server.post(
            "/mcp", message, user=user, mcp_protocol_version="2026-07-28", **headers
        )
        return answer.json

    with served(tools, offers=offers, context=context, caching=Caching(5_000, "public")) as server:
        listed = post(server, "bob", "resources/list")["result"]
        hidden = post(server, "bob", "resources/read", uri="config://app")["error"]
        own = post(server, "bob", "resources/read", uri="who://me")["result"]["contents"][0]
        denied = post(server, "eve", "resources/read", uri="who://me")["error"]
    assert [one["uri"] for one in listed["resources"]] == ["who://me"]
    assert (listed["ttlMs"], listed["cacheScope"]) == (5_000, "public")
    assert (hidden["code"], own["text"]) == (-32602, "bob")
    assert "not permitted" in denied["message"] or "denied" in denied["message"].lower()
    calls = [vars(record)["tool_call"] for record in caplog.records if hasattr(record, "tool_call")]
    kinds = [call["kind"] for call in calls]
    assert kinds == ["ok", "denied"]


@pytest.mark.parametrize(
    "uri", ["orders", "//x", "a b://c", "orders://{", "orders://{id}{id}", "x:"]
)
def test_an_address_that_is_none_is_a_definition_error(uri: str) -> None:
    with pytest.raises(DefinitionError):
        resource(uri)(config.function)


def test_the_variables_of_an_address_are_the_functions_arguments() -> None:
    other = resource("orders://{number}")(line_of.function)
    with pytest.raises(DefinitionError, match="the function not"):
        Offers(Toolset(), [other])


def test_an_address_has_at_most_2_048_characters() -> None:
    template = UriTemplate("a://{x}")
    assert template.match(f"a://{'x' * 2_044}") == {"x": "x" * 2_044}
    assert template.match(f"a://{'x' * 2_045}") is None


def test_a_variable_is_one_segment() -> None:
    assert UriTemplate("a://{x}-{y}").match("a://1-2") == {"x": "1", "y": "2"}


@pytest.mark.parametrize("value", ["\u6771\u4eac", "\u0646\u0627\u0645\u0647\u200c\u0647\u0627"])
def test_a_variable_may_hold_what_its_script_needs(value: str) -> None:
    assert UriTemplate("a://{x}").match(f"a://{value}") == {"x": value}


MODULE: Final = """
from toolhaft import tool
from toolhaft.serve import prompt, resource

@tool
def add(a: int, b: int) -> int:
    "Add."
    return a + b

@resource("orders://{id}")
def order(id: int) -> str:
    "An order."
    return f"order {id}"
"""


def test_the_resources_of_a_module_are_served(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(MODULE)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"uri": "orders://3", "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params}
    arguments = ("serve", "tools.py", "--stdio", "--log-level", "error")
    ran = spawned(*arguments, cwd=tmp_path, input=json.dumps(message).encode())
    assert ran.json["result"]["contents"][0]["text"] == "order 3"
    (tmp_path / "tools.py").write_text(MODULE.replace("{id}", "{number}"))
    ran = spawned(*arguments, cwd=tmp_path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 2)
    assert ran.err.startswith("error: order.uri: the address has number, the function not; name")
