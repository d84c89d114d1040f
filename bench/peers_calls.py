"""The same calls through the tool libraries of other people, and through StandardTool on node.

    make bench-peers     (in an environment of its own, constraints/bench-peers.txt)

A library stands in a row only if it validates there and says which field is wrong, which is tried
before anything is timed; google-adk and llama-index do not validate, and are left out. Sync ways
run against `call_sync`; async ways, with async handlers, against `call` in the same loop. A number
is how many times our time the library takes, the median of paired rounds. The node reference is
another process: there the least of its rounds stands against the least of ours, in microseconds.
"""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any, Final

from paired import Ratio, paired, paired_async
from peers import ASYNC, PEERS, Call, Peer, checked
from signatures import SIGNATURES
from workloads import WORKLOADS, Workload

from toolhaft import tool

NODE: Final = Path(".bench-node/standard_tool.mjs")
ROWS: Final = ("flat", "nested", "invalid", "text to text, flat", "text to text, nested")
ROUNDS: Final = 41
COUNT: Final = 60


def _names_the_field(done: Any) -> bool:
    return "city" in str(done) and "days" in str(done)


def _once(peer: Peer, work: Callable[[], Any]) -> Any:
    """Return the result of one call, or the text of its exception."""
    try:
        return asyncio.run(_awaited(work())) if peer.asynchronous else work()
    except Exception as error:  # noqa: BLE001  the libraries raise what they like
        return f"{error} {error.__cause__}"


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


def _theirs(peer: Peer, load: Workload, call: Call) -> Callable[[], Any]:
    """One call of a peer: text is decoded for those who take data, and the other way."""
    raw = load.raw
    if peer.takes_text:
        return partial(_told, peer, call, raw if isinstance(raw, str) else json.dumps(raw))
    if isinstance(raw, str):
        return partial(_from_text, peer, call, raw)
    return partial(_told, peer, call, raw)


def _told(peer: Peer, call: Call, given: Any) -> Any:
    return _told_async(call, given) if peer.asynchronous else _told_sync(call, given)


def _told_sync(call: Call, given: Any) -> Any:
    try:
        return call(given)
    except Exception as error:  # noqa: BLE001  a program must catch what the library raises
        return str(error)


async def _told_async(call: Call, given: Any) -> Any:
    try:
        return await call(given)
    except Exception as error:  # noqa: BLE001  as above
        return str(error)


def _from_text(peer: Peer, call: Call, text: str) -> Any:
    return _text_async(call, text) if peer.asynchronous else _text_sync(call, text)


def _text_sync(call: Call, text: str) -> str:
    return json.dumps(_told_sync(call, json.loads(text)), default=str)


async def _text_async(call: Call, text: str) -> str:
    return json.dumps(await _told_async(call, json.loads(text)), default=str)


def _ours(load: Workload, function: Any, *, asynchronous: bool) -> Callable[[], Any]:
    made, raw = tool(function), load.raw
    if not asynchronous:
        call = made.call_sync
        return (lambda: call(raw).text) if load.to_text else partial(call, raw)
    if not load.to_text:
        return partial(made.call, raw)

    async def to_text() -> str:
        text: str = (await made.call(raw)).text
        return text

    return to_text


def rows(peer: Peer) -> Iterator[tuple[str, Ratio | str]]:
    """How many times our time a library takes, by workload, or why it has no number."""
    invalid = _theirs(peer, WORKLOADS["invalid"], peer.make(_function(peer, "flat")))
    says = _names_the_field(_once(peer, invalid))
    for name in ROWS:
        load = WORKLOADS[name]
        if name == "invalid" and not says:
            yield name, "does not say which field"
            continue
        function = _function(peer, load.shape)
        theirs = _theirs(peer, load, peer.make(function))
        if not load.to_text and not _names_the_field(_once(peer, theirs)):
            yield name, "does not run"
            continue
        yield name, _times(peer, load, theirs, function)
    if peer.checks_output:
        load = WORKLOADS["output checked"]
        theirs = _theirs(peer, load, peer.make(checked))
        yield "output checked", _times(peer, load, theirs, checked)


def _times(peer: Peer, load: Workload, theirs: Callable[[], Any], function: Any) -> Ratio:
    measure = paired_async if peer.asynchronous else paired
    ours = _ours(load, function, asynchronous=peer.asynchronous)
    return measure(ours, theirs, rounds=ROUNDS, count=COUNT)


def _function(peer: Peer, shape: str) -> Any:
    return (ASYNC if peer.asynchronous else SIGNATURES)[shape]


def node() -> dict[str, float]:
    """Return microseconds of StandardTool on node, by vendor and workload; empty without node."""
    if which("node") is None or not NODE.exists():
        return {}
    asked = {name: WORKLOADS[name]._asdict() for name in ROWS}
    done = subprocess.run(  # noqa: S603  our own script
        ["node", str(NODE)],  # noqa: S607  whatever node there is
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> int:
    """Print the table."""
    logging.disable(logging.CRITICAL)  # the libraries log each invalid call
    print(f"{'how many times our time':32}" + "".join(f"{name:>22}" for name in ROWS))
    for peer in PEERS:
        try:
            found = dict(rows(peer))
        except ImportError as error:
            print(f"{peer.name:32} not installed: {error.name}")
            continue
        cells = [found[name] for name in ROWS]
        print(f"{peer.name:32}" + "".join(f"{_shown(cell):>22}" for cell in cells), flush=True)
        if "output checked" in found:
            print(f"{'':32}  output checked: {_shown(found['output checked'])}")
    for name, theirs in node().items():
        load = WORKLOADS[name.partition(": ")[2]]
        ours = _ours(load, SIGNATURES[load.shape], asynchronous=False)
        least = paired(ours, ours, rounds=ROUNDS, count=2000).floor_us
        print(f"node, {name:32} {theirs:8.2f} us, ours {least:8.2f} us")
    return 0


def _shown(cell: Ratio | str) -> str:
    return cell if isinstance(cell, str) else f"{cell.median:.1f} ({cell.low:.1f}-{cell.high:.1f})"


if __name__ == "__main__":
    sys.exit(main())
