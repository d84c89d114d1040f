"""Two laws: a right call arrives as it was meant, and no call leaves its place."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

import httpx

from tests.laws_of_openapi.draw import Call, Drawn, draw_call, draw_document
from tests.laws_of_openapi.reading import read_request
from tests.laws_of_openapi.server import Arrived, recording_server
from toolhaft import Err, Ok, from_openapi

__all__ = ["arrivals", "attempts"]

OPERATIONS = 40


@contextmanager
def _imported(drawn: Drawn) -> Generator[tuple[Any, list[Arrived], str]]:
    with recording_server() as (url, arrived), httpx.Client(base_url=url) as client:
        tools = from_openapi(drawn.document, client=client)
        assert (tools.refusals, tools.left_out) == ((), ())
        yield tools, arrived, url.removeprefix("http://")


def arrivals(calls: int, seed: int = 0) -> list[str]:
    """Make valid calls, and return the requests that arrived with other values."""
    wrong: list[str] = []
    per_document = 100
    for start in range(0, calls, per_document):
        drawn = draw_document(seed + start, OPERATIONS)
        rng = random.Random(f"{seed} {start}")
        with _imported(drawn) as (tools, arrived, _):
            for number in range(min(per_document, calls - start)):
                call = draw_call(rng, drawn)
                arrived.clear()
                outcome = tools.call_sync(call.operation, call.arguments)
                fault = _fault_of(drawn, call, outcome, arrived)
                if fault:
                    wrong.append(f"document {seed + start}, call {number}: {fault}")
    return wrong


def _fault_of(drawn: Drawn, call: Call, outcome: Ok[Any] | Err, arrived: list[Arrived]) -> str:
    if not outcome or len(arrived) != 1:
        return f"{len(arrived)} requests: {outcome.text}; {call}"
    try:
        values, body = read_request(arrived[0], drawn.operations[call.operation])
    except (AssertionError, ValueError, KeyError) as error:
        return f"unreadable {error!r}: {arrived[0]}; {call}"
    if values != call.meant:
        return f"parameters: {values} for {call.meant} in {arrived[0]}"
    return "" if body == call.body else f"body: {body!r} for {call.body!r} in {arrived[0]}"


# ---------------------------------------------------------------------------------------- attempts

ESCAPES = (
    "..", ".", "", "../admin", "..%2fadmin", "%2e%2e", "%252e%252e", "a/b", "a%2Fb", "a%252fb",
    "\\", "..\\admin", "..;/admin", "..;x", "/", "//evil.test/x", "http://evil.test/", "%5c",
    "a\r\nHost: evil.test", "a\nX-Evil: 1", "a\rb", "a\x00b", "\u2024\u2024", "\uff0e\uff0e",
    "\uff0fadmin", "%00", "%0d%0aX: 1", "@evil.test", "evil.test:80", "?admin=1", "#x", ";x=1",
    "a\u2028b", " ..", ".. ", "\t..",
)  # fmt: skip
KEYS = ("a]b", "a[b", "x\r\ny", 'n"; filename="x', "id", "&admin=1", "=", "a=1&b")


def attempts(count: int, seed: int = 0) -> Counter[str]:
    """Try to leave path, host and header; count rejections, arrivals, and escapes."""
    counts: Counter[str] = Counter()
    rng = random.Random(seed)
    per_document = 50
    for start in range(0, count, per_document):
        drawn = draw_document(seed + start, OPERATIONS)
        with _imported(drawn) as (tools, arrived, host), recording_server() as (_, elsewhere):
            for _ in range(min(per_document, count - start)):
                call, place = _draw_attempt(rng, drawn)
                arrived.clear()
                outcome = tools.call_sync(call.operation, call.arguments)
                counts[_judge(drawn, call, place, outcome, arrived, host)] += 1
            assert elsewhere == []
    return counts


def _draw_attempt(rng: random.Random, drawn: Drawn) -> tuple[Call, tuple[str, str]]:
    """Take a right call, and plant an escape in one place of it."""
    while True:
        call = draw_call(rng, drawn)
        places = [place for place in call.meant if place[0] in ("path", "header", "cookie")]
        if not places:
            continue
        in_path = [place for place in places if place[0] == "path"]
        place = rng.choice(in_path if in_path and rng.random() < 0.7 else places)
        argument = next(
            name for name, value in call.arguments.items() if value is call.meant[place]
        )
        planted = _plant(rng, call.meant[place])
        if planted is None:
            continue
        meant = {**call.meant, place: planted}
        return call._replace(arguments={**call.arguments, argument: planted}, meant=meant), place


def _plant(rng: random.Random, value: Any) -> Any:
    escape = rng.choice(ESCAPES)
    if isinstance(value, str):
        return escape
    if isinstance(value, list) and isinstance(value[0], str):
        return [escape] if rng.random() < 0.5 else [*value, escape]
    if isinstance(value, dict) and "key" in value:  # written as JSON
        return {**value, rng.choice(KEYS): escape}
    return {**value, "k": escape} if isinstance(value, dict) else None


def _judge(
    drawn: Drawn,
    call: Call,
    place: tuple[str, str],
    outcome: Ok[Any] | Err,
    arrived: list[Arrived],
    host: str,
) -> str:
    """Return the result of an attempt: anything but the first two is a hole."""
    if not arrived:
        is_refused = isinstance(outcome, Err) and (outcome.kind, outcome.effect) == (
            "invalid_input", "none",
        )  # fmt: skip
        return "refused" if is_refused else f"not sent: {outcome.text}"
    if len(arrived) > 1 or arrived[0].header("host") != host:
        return f"left the host: {arrived}"
    operation = drawn.operations[call.operation]
    if not _keeps_depth(arrived[0].target.partition("?")[0], operation["path"]):
        return f"left the path: {arrived[0].target}"
    names = {name.lower() for name, _ in arrived[0].headers}
    allowed = {name.lower() for at, name in call.meant if at == "header"} | OWN
    if not names <= allowed:
        return f"added headers: {names - allowed}"
    return _fault_of(drawn, call, outcome, arrived) or "arrived as data"


OWN = {
    "host", "accept", "accept-encoding", "connection", "user-agent", "content-length",
    "content-type", "cookie",
}  # fmt: skip


def _keeps_depth(path: str, template: str) -> bool:
    """Whether a path has the segments of its template, however often a server decodes it."""
    for _ in range(4):
        segments = path.replace("\\", "/").split("/")
        if len(segments) != len(template.split("/")):
            return False
        if any(segment.partition(";")[0].strip() in (".", "..") for segment in segments):
            return False
        path = unquote(path)
    return True
