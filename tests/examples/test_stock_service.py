"""The example of a service: MCP on both revisions, and routes of FastAPI beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

pytestmark = [pytest.mark.unmeasured, pytest.mark.requirement("example-service")]

EXAMPLE = Path(__file__).parents[2] / "examples" / "stock_service"
SRC = str(Path(__file__).parents[2] / "src")
# A socket that listens before its port is known: nobody has to wait for the server.
SERVE = """
import socket, uvicorn
heard = socket.create_server(("127.0.0.1", 0))
print(heard.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config("service:app", log_level="error")).run(sockets=[heard])
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    for module in ("fastapi", "mcp", "uvicorn"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE],
        env={**os.environ, "PYTHONPATH": f"{SRC}{os.pathsep}{EXAMPLE}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    with server:
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        server.terminate()


def ask(url: str, body: bytes | None = None) -> tuple[int, Any]:
    headers = {"content-type": "application/json", "prefer": "handling=lenient"}
    try:
        with urlopen(Request(url, data=body, headers=headers)) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize(
    ("mode", "revision"), [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")]
)
def test_a_client_of_either_revision_checks_calls_before_they_are_sent(
    address: str, mode: str, revision: str
) -> None:
    ask(f"{address}/agent/tools/set_stock", b'{"item": "coffee", "packets": 0}')
    done = subprocess.run(
        [sys.executable, EXAMPLE / "client.py", f"{address}/agent/mcp", mode],
        env={**os.environ, "PYTHONPATH": SRC},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    wrong = "Errors: packets: expected integer, received string"
    assert done.stdout.splitlines() == [
        f"{revision}: set_stock, stock_of",
        'set_stock: {"item":"coffee","left":3}',
        f"set_stock: Please rewrite the input with valid arguments. {wrong}",
        "stock_of: we do not sell this; we sell tea, coffee",
        'stock_of: {"item":"coffee","left":3}',
    ]


def test_a_tool_is_a_route_unchanged(address: str) -> None:
    assert ask(f"{address}/stock/tea") == (200, {"item": "tea", "left": 12})
    words = "we do not sell this; we sell tea, coffee"
    assert ask(f"{address}/stock/milk") == (404, {"detail": words})
    _, document = ask(f"{address}/openapi.json")
    [route] = document["paths"]["/stock/{item}"].values()
    assert route["description"] == "Say how much of an item is left."
    assert [one["name"] for one in route["parameters"]] == ["item"]


def test_a_route_takes_what_a_model_wrote_to_any_tool(address: str) -> None:
    url = f"{address}/agent/tools/set_stock"
    assert ask(url, b'{"item": "coffee", "packets": "4"}') == (200, {"item": "coffee", "left": 4})
    status, told = ask(url, b'{"itm": "coffee", "packets": 4}')
    assert status == 422
    assert told["detail"].endswith("Errors: itm: unknown (did you mean item?)")
    assert ask(f"{address}/agent/tools/setstock", b"{}")[0] == 404
