"""`toolhaft batch --engine ray` on two raylets, one worker killed: the bytes of one process."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

MAIN = "from toolhaft.cli import main; main()"
PADDING = "x" * 20_000
# Of a task of ours, as Ray titles the process that runs it.
TITLE = b"ray::_gate"


def write_calls(folder: Path, rows: int = 2_000) -> None:
    """Write a file of several pieces, some calls refused."""
    with (folder / "calls.jsonl").open("w") as file:
        for n in range(rows):
            arguments = json.dumps({"item": "cup", "count": n if n % 7 else "many"})
            call = {"id": n, "name": "order", "arguments": arguments, "note": PADDING}
            file.write(json.dumps(call) + "\n")


def start(folder: Path, out: str, *options: str) -> subprocess.Popen[bytes]:
    """Start a batch."""
    command = [sys.executable, "-P", "-c", MAIN, "batch", "shop.py", "calls.jsonl", "-o", out]
    return subprocess.Popen([*command, *options], cwd=folder)


def is_task_of(process: Path, raylets: set[int]) -> bool:
    """Whether a process runs a task of ours for one of these raylets."""
    try:
        title = (process / "cmdline").read_bytes()
        parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return False
    return title.startswith(TITLE) and parent in raylets


def kill_a_worker(child: subprocess.Popen[bytes], raylets: set[int]) -> bool:
    """Kill the first worker that is seen at a task; return whether there was one."""
    while child.poll() is None:
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and is_task_of(process, raylets):
                os.kill(int(process.name), signal.SIGKILL)
                return True
        time.sleep(0.01)
    return False


@contextmanager
def two_raylets() -> Generator[tuple[str, set[int]]]:
    """Run a cluster of two; yield its address and the processes of its raylets."""
    cluster_utils: Any = import_module("ray.cluster_utils")
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes = [cluster.head_node, cluster.add_node(num_cpus=1)]
    try:
        yield (
            cluster.address,
            {one.process.pid for node in nodes for one in node.all_processes["raylet"]},
        )
    finally:
        cluster.shutdown()


def say_of_damage(folder: Path, address: str) -> str:
    """Return a batch's report on an input that a task cannot read."""
    whole = gzip.compress((folder / "calls.jsonl").read_bytes())
    (folder / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    command = [sys.executable, "-P", "-c", MAIN, "batch", "shop.py", "cut.jsonl.gz", "-o", "no"]
    command += ["--engine", "ray", "--address", address]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    return done.stderr


def main(folder: Path) -> None:
    """Compare one process with a cluster of two raylets."""
    write_calls(folder)
    assert start(folder, "alone.jsonl", "--workers", "1").wait() == 0
    with two_raylets() as (address, raylets):
        child = start(folder, "ray.jsonl", "--engine", "ray", "--address", address)
        assert kill_a_worker(child, raylets)
        assert child.wait() == 0
        [line] = say_of_damage(folder, address).splitlines()
        assert "cut.jsonl.gz" in line
    assert (folder / "ray.jsonl").read_bytes() == (folder / "alone.jsonl").read_bytes()


if __name__ == "__main__":
    main(Path.cwd())
