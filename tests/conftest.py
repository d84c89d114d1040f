"""The shared setup of all tests: hypothesis's search, measured tests, predictable ids."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same examples in every run and no deadlines, so that a red run can be repeated anywhere.
# `--hypothesis-profile=ci` tries ten times as many, `--hypothesis-profile=default` others.
settings.register_profile("quick", settings.get_profile("ci"), max_examples=10)
settings.load_profile("quick")

# Each client of an SDK reads the authorities that it trusts: here one, as no server speaks TLS.
os.environ["SSL_CERT_FILE"] = str(Path(__file__).parent / "servers" / "authority.pem")

# A shell starts what runs in the background with Ctrl-C ignored, and children would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while tests are collected: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(scope="module", autouse=True)
def frozen() -> None:
    """Let the collector examine the objects of a module's tests, not the ones loaded before."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure what written examples reach: random and many ones reach no more, far more slowly.

    Neither this process is traced nor its threads and children. pytest-cov's own mark, `no_cover`,
    stops one of the two measurements that it begins in a worker.
    """
    if not any(item.get_closest_marker(name) for name in ("unmeasured", "hypothesis")):
        return (yield)
    here, in_threads = sys.gettrace(), threading.gettrace()
    _trace(None, None)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
            return (yield)
    finally:
        _trace(here, in_threads)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Escape log records: a worker ends silently if a report is not Unicode text."""
    report = yield
    report.sections = [(title, _escape(text)) for title, text in report.sections]
    if report.longrepr is not None and not isinstance(report.longrepr, tuple):
        escaped = _escape(report.longreprtext)
        report.longrepr = report.longrepr if escaped == report.longreprtext else escaped
    return report


def _escape(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _trace(here: Any, in_threads: Any) -> None:
    sys.settrace(here)
    threading.settrace(in_threads)


@pytest.fixture
def known_error_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every error has the same id, so that whole texts can be compared."""
    monkeypatch.setattr(os, "urandom", bytes)


@pytest.fixture
def interruptible() -> Generator[None]:
    """Hear Ctrl-C in a run in the background, too, where a shell has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
