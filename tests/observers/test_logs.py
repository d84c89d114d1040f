"""One line of logging, or one event of structlog, for each call; no values unless asked for."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from tests.observers.recording import double, fail, login
from toolhaft import ToolCall, Toolset
from toolhaft.observers.details import CallDetails, unredacted
from toolhaft.observers.logging import Logging
from toolhaft.observers.structlog import Structlog
from toolhaft.toolset.members import Member

CALLS = [
    ToolCall("c1", "double", '{"n": "4"}'),
    ToolCall("c2", "double", '{"m": 4}'),
    ToolCall("c3", "fail", {"how": "crash"}),
]


def messages(caplog: pytest.LogCaptureFixture, logger: str) -> list[tuple[str, str]]:
    return [
        (one.levelname, re.sub(r"[\d.]+ ms", "1 ms", one.getMessage()))
        for one in caplog.records
        if one.name == logger
    ]


@pytest.mark.requirement("observers-logs")
def test_each_call_is_one_line_of_logging_with_its_facts_beside(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, logger="toolhaft.calls"):
        Toolset([double, fail], observers=[Logging()]).call_all_sync(CALLS)
    assert messages(caplog, "toolhaft.calls") == [
        ("INFO", "tool double: ok after 1 ms"),
        ("WARNING", "tool double: invalid_input after 1 ms (missing, extra)"),
        ("ERROR", "tool fail: runtime_error after 1 ms"),
    ]
    records: list[Any] = [one for one in caplog.records if one.name == "toolhaft.calls"]
    assert records[0].tool_call["coercions"] == ["number_text"]
    assert (records[2].tool_call["call_id"], records[2].tool_call["effect"]) == ("c3", "unknown")


@pytest.mark.requirement("observers-logs")
def test_nothing_is_formatted_for_a_logger_that_would_not_write_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked: list[str] = []

    def note(call: CallDetails, data: Any) -> Any:
        asked.append(call.tool)
        return data

    logger = logging.getLogger("mine")
    tools = Toolset([double], observers=[Logging(logger, values=note)])
    with caplog.at_level(logging.WARNING, logger="mine"):
        tools.call_sync("double", {"n": 1})
    assert (asked, messages(caplog, "mine")) == ([], [])
    with caplog.at_level(logging.INFO, logger="mine"):
        tools.call_sync("double", {"n": 1})
    assert asked == ["double", "double"]
    record: Any = caplog.records[-1]
    assert (record.tool_call["arguments"], record.tool_call["result"]) == ({"n": 1}, 2)


@pytest.mark.requirement("observers-logs")
def test_each_call_is_one_event_of_structlog() -> None:
    with capture_logs() as events:
        Toolset([double, fail], observers=[Structlog()]).call_all_sync(CALLS)
    assert [
        (one["event"], one["log_level"], one["tool"], one["kind"], one["call_id"]) for one in events
    ] == [
        ("tool call", "info", "double", "ok", "c1"),
        ("tool call", "warning", "double", "invalid_input", "c2"),
        ("tool call", "error", "fail", "runtime_error", "c3"),
    ]
    assert (events[0]["coercions"], events[1]["issues"]) == (["number_text"], ["missing", "extra"])


def test_structlog_may_be_given_a_logger_with_its_own_context() -> None:
    with capture_logs() as events:
        logger = structlog.get_logger().bind(conversation="c-1")
        Toolset([double], observers=[Structlog(logger)]).call_sync("double", {"n": 1})
    assert [(one["conversation"], one["tool"]) for one in events] == [("c-1", "double")]


@pytest.mark.requirement("pain-81")
def test_a_log_has_values_only_through_a_redactor() -> None:
    def logged(tool: Member, observer: Structlog) -> dict[str, Any]:
        with capture_logs() as events:
            Toolset([tool], observers=[observer]).call_sync("login", LOGIN)
        [event] = events
        return dict(event)

    assert "sk-1" not in str(logged(login, Structlog()))
    shown = logged(login, Structlog(values=unredacted))
    assert shown["arguments"] == LOGIN
    assert shown["result"] == {"user": "ann", "token": "t-sk-1"}


LOGIN = {"user": "ann", "password": "sk-1"}


def test_a_logger_is_not_given_by_its_name() -> None:
    name: Any = "my.logger"
    with pytest.raises(ValueError, match=r"^Logging: logger: not a logger; pass logging.getLogger"):
        Logging(name)
