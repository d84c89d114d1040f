"""Log messages are one line each, whatever names a model or a result made up."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from toolhaft import Err, LoopGuard, tool
from toolhaft.call import report
from toolhaft.spec import Issue

FORGED = "x\nERROR:root:all is lost \x1b[2J\u202e"


@pytest.mark.requirement("log-lines")
def test_a_key_of_a_result_makes_no_line_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    @tool(output={"type": "object", "properties": {"n": {}}, "additionalProperties": False})
    def counts() -> dict[str, str]:
        "Count."
        return {FORGED: "many"}

    outcome = counts.call_sync()
    assert isinstance(outcome, Err)
    told = r"tool counts returned an invalid result: x\nERROR:root:all is lost \x1b[2J\u202e: "
    told += f"unknown (allowed: n) (id {outcome.error_id})"
    assert [record.getMessage() for record in caplog.records] == [told]


@pytest.mark.requirement("log-lines")
def test_a_name_that_a_model_made_up_makes_no_line_of_its_own(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(name: str, arguments: object) -> object:
        raise RuntimeError("no key")

    LoopGuard(key=broken).check_sync(FORGED * 10_000)
    [record] = caplog.records
    message = logging.Formatter("%(message)s").format(record).partition("\nTraceback")[0]
    assert "\n" not in message
    assert message.startswith("tool x\\nERROR")
    assert len(message) < 5_000


def test_a_formatter_may_name_the_module_that_logs(caplog: pytest.LogCaptureFixture) -> None:
    @tool
    def fails() -> None:
        "Fail."
        raise ValueError

    fails.call_sync()
    formatter = logging.Formatter("%(levelname)s %(name)s %(filename)s")
    [record] = caplog.records
    assert formatter.format(record).partition("\n")[0] == "ERROR toolhaft report.py"


ASKING = "tool t: asking for permission"
ISSUES = [Issue("wrong", ("a", "b/c", 0), "type"), Issue("no", (), "type")]


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (lambda: report.log_crash("t", KeyError()), "tool t failed"),
        (lambda: report.log_failure("t", "no room"), "tool t failed: no room"),
        (
            lambda: report.log_missing_context("t", ["user", "team"]),
            "tool t was called without user, team in its context",
        ),
        (
            lambda: report.log_edit("t", ISSUES),
            "tool t: approve returned an invalid edit: /a/b~1c/0: wrong; /: no",
        ),
        (
            lambda: report.log_output("t", ISSUES),
            "tool t returned an invalid result: /a/b~1c/0: wrong; /: no",
        ),
        (lambda: report.log_part("the server", KeyError()), "the server failed"),
        (
            lambda: report.log_observer("o", KeyError()),
            "observer o failed, and is not logged again",
        ),
        (
            lambda: report.log_answer("t", 5),
            f"{ASKING} answered a int, which permits nothing; answer True, False or Deny",
        ),
        (
            lambda: report.log_permission("t", KeyError()),
            f"{ASKING} failed",
        ),
    ],
)
def test_a_line_says_what_failed_and_has_the_id(
    log: Callable[[], str], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    error_id = log()
    [record] = caplog.records
    assert record.getMessage() == f"{message} (id {error_id})"
    assert (record.name, record.levelname) == ("toolhaft", "ERROR")
