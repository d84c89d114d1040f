"""Kill batches at random moments until each is done: nothing is lost, doubled or run twice.

Every run is started with `--resume`, the first one too, and once more when all is done.

`python -m tests.batch.kills --kills 200` runs it at full size, `--engine ray` on two raylets.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.engines.ray_cluster import two_raylets

SRC = str(Path(__file__).parents[2] / "src")
MAIN = "from toolhaft.cli import main; main()"
TOOLS = """
import os
from toolhaft import tool

def note(n: int) -> int:
    with open("ran.log", "ab", buffering=0) as log:
        log.write(b"%d\\n" % n)
    return n

@tool
def once(n: int) -> int:
    "Note a number."
    return note(n)

@tool(annotations={"idempotentHint": True})
def again(n: int) -> int:
    "Note a number, as often as one likes."
    return note(n)
"""
ROWS = 4_000
# Long enough that a run takes a while, and that there are several pieces.
PADDING = "x" * 6_000


class Killed:
    """One batch that is killed and taken up again until it is done."""

    def __init__(
        self, folder: Path, options: Sequence[str], chance: random.Random, latest: float = 0.3
    ) -> None:
        self.folder, self.options, self.chance = folder, list(options), chance
        self.latest = latest  # as a share of the time of a whole run
        self.kills = 0

    def run(self, most_kills: int) -> None:
        """Run to the end, killed at most so many times."""
        out = self.folder / "out.jsonl"
        started = time.monotonic()
        assert self._start(["--workers", "1"]).wait() == 0
        whole = time.monotonic() - started
        out.rename(self.folder / "expected.jsonl")
        (self.folder / "ran.log").unlink(missing_ok=True)
        while not self._ends(self._start(["--resume"]), whole, most_kills):
            pass
        done = (out.stat().st_mtime_ns, self._ran())
        assert self._start(["--resume"]).wait() == 0
        assert (out.stat().st_mtime_ns, self._ran()) == done

    def _ends(self, child: subprocess.Popen[bytes], whole: float, most_kills: int) -> bool:
        """Wait for the end of a run, or kill it; whether it came to its end."""
        if self.kills == most_kills:
            assert child.wait() == 0
            return True
        self._kill(child, whole)
        return child.returncode == 0

    def _ran(self) -> bytes:
        """Return what the tools noted."""
        log = self.folder / "ran.log"
        return log.read_bytes() if log.exists() else b""

    def _start(self, more: Sequence[str]) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-c", MAIN, "batch", "tools.py", "calls.jsonl"]
        return subprocess.Popen(
            [*command, "-o", "out.jsonl", *self.options, *more],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": SRC},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _kill(self, child: subprocess.Popen[bytes], whole: float) -> None:
        """Kill the run with its workers: so long after it made its folder, or right then."""
        folder = self.folder / ".out.jsonl.batch"
        while child.poll() is None and not folder.exists():
            time.sleep(0.001)
        # Half of them wait for the first rows too.
        while child.poll() is None and self.kills % 2 and not (folder / "rows").exists():
            time.sleep(0.001)
        seconds = self.chance.uniform(0, self.latest) * whole
        try:
            child.wait(seconds if self.kills % 2 else self.chance.uniform(0, 0.002))
        except subprocess.TimeoutExpired:
            self.kills += 1
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def write_calls(folder: Path, rows: int = ROWS) -> None:
    """Write a file of calls, some of them refused."""
    (folder / "tools.py").write_text(TOOLS)
    with (folder / "calls.jsonl").open("w") as file:
        for n in range(rows):
            arguments: dict[str, Any] = {"n": "nine" if n % 10 == 9 else n}
            call = {"id": n, "name": ("once", "again")[n % 2], "arguments": json.dumps(arguments)}
            file.write(json.dumps({**call, "note": PADDING}) + "\n")


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def check_gated(folder: Path) -> None:
    """Every row is there once, as if nothing had happened."""
    assert (folder / "out.jsonl").read_bytes() == (folder / "expected.jsonl").read_bytes()


def check_executed(folder: Path) -> Counter[str]:
    """Every row is there once; a call that ran without an outcome has `unknown` and ran once."""
    rows, expected = rows_of(folder / "out.jsonl"), rows_of(folder / "expected.jsonl")
    assert [row["line"] for row in rows] == [row["line"] for row in expected]
    ran = Counter((folder / "ran.log").read_text().split())
    for row, right in zip(rows, expected, strict=True):
        if row.get("effect") == "unknown":
            assert (row["tool"], row["kind"]) == ("once", "runtime_error")
            assert ran[str(row["id"])] <= 1
            continue
        assert row == right
        times = ran[str(row["id"])]
        assert times == (row["kind"] == "ok") or (row["tool"] == "again" and times > 1)
    return Counter(row.get("effect", row["kind"]) for row in rows)


def kill_gating(folder: Path, kills: int, seed: int, latest: float = 0.3, rows: int = ROWS) -> int:
    """Gate by two workers, killed so many times; give the kills."""
    write_calls(folder, rows)
    killed = Killed(folder, ["--workers", "2"], random.Random(seed), latest)
    killed.run(kills)
    check_gated(folder)
    return killed.kills


def kill_executing(
    folder: Path, kills: int, seed: int, latest: float = 0.3, rows: int = ROWS
) -> int:
    """Run calls four at a time, killed so many times; give the kills."""
    write_calls(folder, rows)
    killed = Killed(folder, ["--execute", "--concurrency", "4"], random.Random(seed), latest)
    killed.run(kills)
    check_executed(folder)
    return killed.kills


def kill_on_ray(address: str, folder: Path, kills: int, seed: int) -> int:
    """Gate by tasks of a cluster, the driver killed so many times; give the kills."""
    write_calls(folder)
    options = ["--engine", "ray", "--address", address]
    # Most of a run is the start of its driver, and a kill waits for the first rows.
    killed = Killed(folder, options, random.Random(seed), 0.05)
    killed.run(kills)
    check_gated(folder)
    return killed.kills


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=["local", "ray"], default="local")
    options = parser.parse_args()
    if options.engine == "local":
        kill_until(options.kills, options.seed, [kill_gating, kill_executing])
        return
    with two_raylets() as (address, _):
        kill_until(options.kills, options.seed, [partial(kill_on_ray, address)])


def kill_until(most: int, seed: int, ways: Sequence[Callable[[Path, int, int], int]]) -> None:
    """Kill in each way, until that many batches were."""
    kills = 0
    while kills < most:
        for kill in ways:
            with TemporaryDirectory() as folder:
                kills += kill(Path(folder), 5, seed)
        seed += 1
        print(f"{kills} kills, nothing lost or doubled", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
