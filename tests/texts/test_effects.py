"""The text of a call that failed says what became of it, and whether to call again."""

from __future__ import annotations

import time
from typing import Any

import pytest

from toolhaft import Err, ToolError, tool
from toolhaft.call.permission import Deny

NO_REPEAT = "do not repeat the call."
ONCE_MORE = "You may try once more."


def crash(n: int) -> str:
    """Fail after something may have been done."""
    raise RuntimeError(f"secret {n}")


def text_of(outcome: Any) -> str:
    assert isinstance(outcome, Err)
    return outcome.text.replace(str(outcome.error_id), "ID")


@pytest.mark.requirement("texts-effects")
@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ({}, f"The tool failed (id ID) and may have taken effect: {NO_REPEAT}"),
        ({"readOnlyHint": True}, f"The tool failed (id ID). {ONCE_MORE}"),
        ({"idempotentHint": True}, f"The tool failed (id ID). {ONCE_MORE}"),
        (
            {"destructiveHint": True},
            f"The tool failed (id ID) and may have taken effect: {NO_REPEAT}",
        ),
    ],
)
def test_a_crash_says_whether_to_call_again(hints: dict[str, Any], expected: str) -> None:
    assert text_of(tool(crash, annotations=hints).call_sync({"n": 1})) == expected


@pytest.mark.requirement("texts-effects")
def test_a_result_that_is_withheld_is_of_a_call_that_acted() -> None:
    @tool
    def count() -> int:
        "Count."
        return "many"  # type: ignore[return-value]  # what a careless author returns

    assert text_of(count.call_sync()) == (
        f"The tool ran, but its result was not valid and is withheld (id ID): {NO_REPEAT}"
    )


@pytest.mark.requirement("texts-effects")
def test_a_handler_that_did_not_end_may_have_acted() -> None:
    @tool(timeout=0.05)
    def slow() -> str:
        "Wait."
        time.sleep(0.3)
        return ""

    assert text_of(slow.call_sync()) == (
        f"The tool did not finish within 0.05 seconds and may have taken effect: {NO_REPEAT}"
    )
    harmless = slow.replace(annotations={"readOnlyHint": True})
    assert text_of(harmless.call_sync()) == (
        f"The tool did not finish within 0.05 seconds. {ONCE_MORE}"
    )


@pytest.mark.requirement("texts-effects")
def test_a_denial_has_the_words_of_its_author() -> None:
    one = tool(
        crash,
        description="A tool.",
        authorize=lambda _, __: Deny("only on weekdays\n\u200b"),
    )
    assert text_of(one.call_sync({"n": 1})) == (
        "This call is not permitted and was not run: only on weekdays\\n\\u200b"
    )


@pytest.mark.requirement("texts-effects")
def test_a_call_that_waits_is_not_to_be_repeated() -> None:
    one = tool(crash, requires_approval=True)
    assert text_of(one.call_sync({"n": 1})) == (
        "This call needs the approval of a person and was not run. "
        "Please wait for the answer and do not repeat it."
    )


@pytest.mark.requirement("texts-effects")
def test_an_authors_words_are_escaped_and_bounded() -> None:
    @tool
    def fail(text: str) -> str:
        "Fail."
        raise ToolError(text)

    assert text_of(fail.call_sync({"text": "no\u202e row\x1b[8m\nat all\t5"})) == (
        "no\\u202e row\\x1b[8m\nat all\t5"
    )
    long = text_of(fail.call_sync({"text": "x" * 100_000}))
    assert len(long) == 4_000
    assert long.startswith("xxx")
