"""`toolhaft serve --open`: links with tokens that last, and a file that others cannot read."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolhaft import Toolset, tool
from toolhaft.cli.serve_app import own_decider
from toolhaft.cli.serve_options import Asked, refuse_combinations
from toolhaft.cli.serve_page import default_state, make_page

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

pytestmark = pytest.mark.requirement("serve-page")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "kept"))
    return tmp_path


def asked(**options: object) -> Asked:
    named = dict.fromkeys(Asked._fields) | {"tools": "shops/tea.py:TOOLS", "history": True}
    return Asked(**(named | options))  # type: ignore[arg-type]


def test_the_links_are_the_same_after_a_restart_and_another_tools_are_others(folder: Path) -> None:
    from toolhaft.serve.state import State

    path = default_state("shops/tea.py:TOOLS")
    assert path == default_state("shops/tea.py:TOOLS")
    assert path != default_state("shops/cake.py")
    options, links = make_page(asked(), State(path))
    again, same = make_page(asked(), State(path))
    assert (links._replace(code=same.code), options.token) == (same, again.token)
    assert links.once("http://127.0.0.1:8000") == f"http://127.0.0.1:8000/#code={links.code}"
    assert len({links.code, same.code, links.page, links.inbox}) == 4
    assert list(links.lines("http://127.0.0.1:8000")) == [
        f"the page: http://127.0.0.1:8000/#token={links.page}",
        f"the inbox: http://127.0.0.1:8000/inbox#token={links.inbox}",
    ]
    assert links.page != links.inbox
    assert Path(path).stat().st_mode & 0o777 == 0o600
    assert options.saving is not None
    assert options.saving.path == folder / "tests" / "tea.calls.jsonl"


def test_an_approver_with_a_token_of_their_own_gets_no_link(folder: Path) -> None:
    from toolhaft.serve.state import State

    given = {"open": True, "approver_token_file": "token", "host": "127.0.0.1", "workers": 1}
    own = asked(**given, drain_delay=0.0)
    refuse_combinations(own, lambda _: False)  # the page has a file of its own for what waits
    state = State(default_state("tea.py"))
    _, links = make_page(asked(approver_token_file="token"), state)
    assert links.inbox is None


def test_who_started_the_page_decides_only_where_no_caller_has_a_context() -> None:
    @tool(requires_approval=True)
    def pay(amount: int) -> int:
        """Pay."""
        return amount

    assert own_decider("token", Toolset([pay])) is not None
    guarded = pay.replace(authorize=lambda arguments: True)
    assert own_decider("token", Toolset([guarded])) is None
