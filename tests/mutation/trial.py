"""Tries mutants, each in a process forked from one that has imported the libraries of the tests.

The fork has nothing of toolhaft yet: it imports all of it with the one module changed, and
runs the chosen tests until one fails. A copy of the repository has the change, so that children of
tests have it as well.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.mutation import tree
from tests.mutation.choice import Chosen

__all__ = ["Trial", "failing", "prepare", "run"]

LOG: Final = tree.KEPT / "trial.log"
FAILED: Final = tree.KEPT / "failed.txt"

BESIDES: Final = (
    *("annotated_types", "anthropic", "attrs", "click.testing", "cryptography.fernet", "fastapi"),
    *("google.genai", "httpx", "httpx2", "hypothesis.stateful", "jiter", "jsonschema"),
    *("jsonschema_rs", "marshmallow", "mcp.client.session", "mcp.server.lowlevel", "mistralai"),
    *("msgspec", "openai", "opentelemetry.sdk.trace", "packaging.requirements", "pydantic"),
    *("pydantic_ai", "rfc8785", "starlette.testclient", "structlog", "sybil", "uvicorn"),
    *("voluptuous", "xml.etree.ElementTree", "sqlite3", "multiprocessing.pool", "unittest.mock"),
)
# Imported modules cannot be rewritten to explain their assertions, and need not be.
IMPORTED: Final = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
# The limit of a trial: the time of its tests without the change, several times, and the imports.
TIMES: Final = 5
IMPORTS: Final = 20.0
# So many tests are run before the others are collected.
FIRST: Final = 40
# One that uses no processor time for so many seconds waits for what never comes.
STILL: Final = 90


def prepare() -> None:
    """Import the libraries of the tests, and the plugins of pytest."""
    for name in BESIDES:
        with contextlib.suppress(ImportError):
            import_module(name)
    with (
        tempfile.TemporaryDirectory() as empty,
        Path(os.devnull).open("w", encoding="utf-8") as nothing,
        contextlib.redirect_stdout(nothing),
    ):
        pytest.main(["-p", "no:toolhaft", "-p", "no:cacheprovider", "--rootdir", empty, empty])
    inspect.getmodule(compile("", "", "exec"))  # which remembers where each module lies
    gc.collect()
    gc.freeze()  # or each trial looks through all of it, in a copy of its own


class Trial(NamedTuple):
    """The end of a trial: `killed`, `timeout` or `survived`, and the test that failed."""

    end: str
    killer: str


class Failures:
    """Writes which tests fail; none, if a module could not be imported."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            with FAILED.open("a", encoding="utf-8") as failed:
                failed.write(f"{report.nodeid}\n")


def failing(chosen: Chosen) -> list[str]:
    """Run tests without a change, and return the failing ones."""
    failed: list[str] = []
    for names in _by_primitives(chosen):
        ended = _fork([names], chosen.seconds, ())
        if ended.end != "survived" and not ended.killer:
            raise RuntimeError(f"the tests do not run without a change; see {LOG}")
        failed += ended.killer.splitlines()
    return failed


def run(mutant: dict[str, Any], chosen: Chosen) -> Trial:
    """Run the chosen tests with the one module changed, until one fails."""
    path = tree.SOURCE / mutant["path"]
    original = path.read_bytes()
    path.write_text(mutant["code"], encoding="utf-8")
    # Its bytecode is looked up by this time.
    os.utime(path, (2_000_000_000 + mutant["number"],) * 2)
    ended = Trial("survived", "")
    try:
        for names in _by_primitives(chosen):
            # All tests are collected before one runs, so the likeliest to fail come by themselves.
            ended = _fork([names[:FIRST], names[FIRST:]], chosen.seconds, ("-x",))
            if ended.end != "survived":
                break
    finally:
        path.write_bytes(original)
    return ended


def _by_primitives(chosen: Chosen) -> list[list[str]]:
    """Part tests into those with the primitives in Python and those with the ones in C."""
    parts = [[name for name in chosen.names if _is_native(name) is way] for way in (False, True)]
    return list(filter(None, parts))


def _is_native(name: str) -> bool:
    return name.startswith(f"{tree.NATIVE}/")


def _fork(parts: list[list[str]], seconds: float, options: tuple[str, ...]) -> Trial:
    limit = IMPORTS + TIMES * seconds
    FAILED.write_text("", encoding="utf-8")
    child = os.fork()
    if not child:
        _test(parts, options, int(limit))
    end = _wait(child)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what its tests started
    return Trial(end, FAILED.read_text(encoding="utf-8").strip())


def _wait(child: int) -> str:
    used, since = "", time.monotonic()
    while time.monotonic() < since + STILL:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return "timeout" if code == -signal.SIGXCPU else "killed" if code else "survived"
        if (now := _used(child)) != used:
            used, since = now, time.monotonic()
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def _used(child: int) -> str:
    """Return the processor time of a process and of its ended children."""
    return " ".join(
        Path(f"/proc/{child}/stat").read_text("ascii").rpartition(")")[2].split()[11:15]
    )


def _test(parts: list[list[str]], options: tuple[str, ...], limit: int) -> None:
    code = 1
    try:
        tree.environment(native=_is_native(parts[0][0]))
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        output = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        for names in filter(None, parts):
            arguments = [*options, "-q", "-n0", "-p", "no:cacheprovider", *IMPORTED, *names]
            if code := int(pytest.main(arguments, plugins=[Failures()])):
                break
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
