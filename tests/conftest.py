"""What every test shares: how hypothesis searches, what is measured, ids that can be known."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import settings

# The same examples in every run and no deadlines, so that a red run can be repeated anywhere.
# `--hypothesis-profile=ci` tries five times as many, `--hypothesis-profile=default` others.
settings.register_profile("quick", settings.get_profile("ci"), max_examples=20)
settings.load_profile("quick")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure what written examples reach: random ones reach no more, and take far longer."""
    for item in items:
        if item.get_closest_marker("hypothesis"):
            item.add_marker("no_cover")


def pytest_collection_finish() -> None:
    """Let the collector look at what tests make, not at the tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Keep coverage out of the child processes, too, of a test that is not measured."""
    with pytest.MonkeyPatch.context() as patch:
        if item.get_closest_marker("no_cover"):
            patch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
        return (yield)


@pytest.fixture
def known_error_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every error has the same id, so that whole texts can be compared."""
    monkeypatch.setattr(os, "urandom", bytes)
