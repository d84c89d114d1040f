"""Any data of a provider: an outcome for each call or one `WireError`, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.providers.sample import tools
from tests.providers.sample_streams import STREAMS, Streamed
from tests.share import share
from toolhaft import WireError
from toolhaft.toolset.answers import Answer

ODD: list[Any] = [
    *(None, True, 0, -1, 7, 1.5, float("nan"), 10**30, "", "x", "null", "add", b"x"),
    *([], [1], ["x"], [None], [[]], [{}], {}, {"a": 1}, {"text": 5}, {"type": "tool_use"}),
]


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in data but its root."""
    keys = data.keys() if isinstance(data, dict) else range(len(data) if type(data) is list else 0)
    for key in keys:
        yield (*path, key)
        yield from places(data[key], (*path, key))


def spoilt(data: Any, chance: Random) -> Any:
    """A copy in which something is gone, twice there, or something odd."""
    copy = deepcopy(data)
    *path, last = chance.choice(list(places(copy)))
    parent = copy
    for key in path:
        parent = parent[key]
    match chance.randrange(4):
        case 0:
            del parent[last]
        case 1 if isinstance(parent, list):
            parent.append(deepcopy(parent[last]))
        case _:
            parent[last] = deepcopy(chance.choice(ODD))
    return copy


def answered(turn: Streamed, data: Any, *, streamed: bool) -> tuple[Any, Answer] | WireError:
    """Take every step of a turn, as far as the data allow."""
    wire = tools().export(turn.target)
    try:
        if streamed:
            stream = wire.stream()
            for event in data:
                stream.feed(event)
                assert all(isinstance(one.data, dict) for one in stream.partial)
            data = stream.response()
        return data, wire.answer_sync(data)
    except WireError as error:
        return error


TURNS = [one for one in STREAMS if one.target != "text"]


@pytest.mark.requirement("wire-errors")
@pytest.mark.requirement("pain-51")
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("turn", TURNS, ids=[one.target for one in TURNS])
@settings(max_examples=share(40))
@given(chance=st.randoms(use_true_random=False))
def test_what_is_spoilt_is_an_outcome_or_one_error(
    turn: Streamed, streamed: bool, chance: Random
) -> None:
    data = spoilt(turn.events if streamed else turn.whole, chance)
    came = answered(turn, data, streamed=streamed)
    if isinstance(came, WireError):
        assert came.provider == turn.target
        return
    response, answer = came
    ids = [outcome.call_id for outcome in answer.outcomes]
    assert len(set(ids)) == len(ids) == len(answer.results)
    cancelled = tools().export(turn.target).unanswered(response)
    assert [outcome.call_id for outcome in cancelled.outcomes] == ids
