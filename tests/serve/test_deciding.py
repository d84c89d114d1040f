"""A call that waits while servers are killed: the whole of it is `make kill-loops`."""

from __future__ import annotations

import pytest

from tests.serve.deciding import run_races, run_steps

pytestmark = [pytest.mark.unmeasured, pytest.mark.requirement("serve-decisions")]


def test_a_server_that_is_killed_at_a_step_runs_no_call_twice_and_loses_none() -> None:
    assert run_steps(("edit",), ("k",), 5).total() > 1


def test_eight_processes_run_each_call_once() -> None:
    assert run_races(1, 8).total() == 8
