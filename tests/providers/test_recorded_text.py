"""Calls that models wrote into text, read as they were meant: a part of the recorded ones.

`bench/text_envelopes.py` prints the figures of the whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.schema.corpora import rows
from tests.share import step
from toolhaft import Toolset
from toolhaft.call.decode import Undecodable, decode

EVERY = 9
WIRE = Toolset().export("text")


@pytest.fixture(scope="module")
def written() -> list[dict[str, Any]]:
    """Each ninth call in a text, with its name and its arguments as they were written there."""
    found = [*rows("calls_failing.jsonl.gz"), *rows("calls_valid.jsonl.gz")]
    return [one for one in found if one["channel"] == "text-json"][::EVERY]


def envelope(call: dict[str, Any]) -> str:
    return f'{{"name": {json.dumps(call["called_name"])}, "arguments": {call["arguments_text"]}}}'


def come_to(arguments: Any) -> Any:
    """The arguments that are read, or that none can be."""
    try:
        return decode(arguments)[0]
    except Undecodable:
        return "cannot be read"


@pytest.mark.unmeasured
@pytest.mark.requirement("text-recorded-calls")
@pytest.mark.parametrize(
    "around",
    [
        str,
        lambda text: f"I call:\n```json\n{text}\n```\nThat's {{all}}.",
        lambda text: f'For {{this}} "tools" [two]: {text}, as asked.',
    ],
    ids=["alone", "fence", "prose"],
)
def test_each_call_is_found_with_the_arguments_that_were_written(
    written: list[dict[str, Any]], around: Callable[[str], str]
) -> None:
    wrong = []
    for one in written:
        read = WIRE.calls(around(envelope(one)))
        meant = [(one["called_name"], come_to(one["arguments_text"]))]
        if [(call.name, come_to(call.arguments)) for call in read] != meant:
            wrong.append(one["id"])
    assert len(written) > 700
    assert wrong == []


@pytest.mark.unmeasured
@pytest.mark.requirement("text-recorded-calls")
def test_a_call_that_was_cut_off_is_never_run(written: list[dict[str, Any]]) -> None:
    for one in written[:: 3 * step()]:
        text = envelope(one)
        for cut in {len(text) * part // 8 for part in range(8)} | {len(text) - 1}:
            for call in WIRE.calls(text[:cut]):
                assert come_to(call.arguments) == "cannot be read"
