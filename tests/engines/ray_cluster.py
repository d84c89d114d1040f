"""`toolhaft batch --engine ray` on two raylets, one worker killed: the bytes of one process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
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
    """Kill the first worker that is seen at a task; say whether there was one."""
    while child.poll() is None:
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and is_task_of(process, raylets):
                os.kill(int(process.name), signal.SIGKILL)
                return True
        time.sleep(0.01)
    return False


def main(folder: Path) -> None:
    """Compare one process with a cluster of two raylets."""
    write_calls(folder)
    assert start(folder, "alone.jsonl", "--workers", "1").wait() == 0
    cluster_utils: Any = import_module("ray.cluster_utils")
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes = [cluster.head_node, cluster.add_node(num_cpus=1)]
    raylets = {one.process.pid for node in nodes for one in node.all_processes["raylet"]}
    try:
        child = start(folder, "ray.jsonl", "--engine", "ray", "--address", cluster.address)
        assert kill_a_worker(child, raylets)
        assert child.wait() == 0
    finally:
        cluster.shutdown()
    assert (folder / "ray.jsonl").read_bytes() == (folder / "alone.jsonl").read_bytes()


if __name__ == "__main__":
    main(Path.cwd())
