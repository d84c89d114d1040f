"""A server that is killed under load: the whole of it is `make kill-loops`."""

from __future__ import annotations

import pytest

from tests.serve.kills import run_kills, run_terminations

pytestmark = pytest.mark.unmeasured


@pytest.mark.requirement("serve-drain")
def test_after_sigterm_every_call_that_began_is_answered() -> None:
    calls, lost = run_terminations(4)
    assert calls > 0
    assert lost == []


@pytest.mark.requirement("serve-idempotency")
def test_after_sigkill_no_key_runs_twice() -> None:
    assert run_kills(3).total() > 0
