"""The calls of a model in a conversation, and its view of each result, on any wire."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.servers.script import Call, Turn
from tests.servers.tools import TOOLS
from toolhaft.call import feedback

__all__ = ["CASES", "GOOD", "PARALLEL", "SUNNY", "Case", "cases", "one"]


def one(name: str, id: str = "call_1", **arguments: Any) -> Turn:
    """A turn of one call."""
    return Turn((Call(id, name, arguments),))


def several(*turns: Turn) -> Turn:
    """The calls of turns, made side by side."""
    return Turn(tuple(call for turn in turns for call in turn.calls))


GOOD = one("get_weather", city="Paris")
SUNNY = '{"city":"Paris","days":1}'
PARALLEL = several(
    one("get_weather", "call_a", city="Oslo"),
    one("crash", "call_b"),
    one("get_weather", "call_c", city="Rome", days=2),
)
REWRITE = "Please rewrite the input with valid arguments. Errors: "
CRASHED = feedback.describe_crash("00" * 6, "unknown", may_repeat=False)


class Case(NamedTuple):
    """Turns of a model, and of each call the outcome's kind and what the model reads."""

    turns: tuple[Turn, ...]
    kinds: tuple[str, ...]
    told: tuple[str, ...]


CASES: dict[str, Case] = {
    "good": Case((GOOD,), ("ok",), (SUNNY,)),
    "repaired": Case((one("get_weather", city="Paris", days="1"),), ("ok",), (SUNNY,)),
    "corrected": Case(
        (one("get_weather", days="soon"), one("get_weather", "call_2", city="Paris")),
        ("invalid_input", "ok"),
        (REWRITE + "city: required; days: expected integer, received string", SUNNY),
    ),
    "parallel": Case(
        (PARALLEL,),
        ("ok", "runtime_error", "ok"),
        ('{"city":"Oslo","days":1}', CRASHED, '{"city":"Rome","days":2}'),
    ),
    "unknown": Case(
        (one("get_wether", city="Oslo"),),
        ("unknown_tool",),
        (feedback.describe_unknown_tool("get_wether", sorted(tool.name for tool in TOOLS)),),
    ),
    "told": Case((one("find_order", number=7),), ("tool_error",), ("there is no order 7",)),
    "crashed": Case((one("crash"),), ("runtime_error",), (CRASHED,)),
    "late": Case(
        (one("hang"),),
        ("timeout",),
        (feedback.describe_timeout(0.01, begun=True, may_repeat=False),),
    ),
    "approved": Case((one("refund", amount="20"),), ("ok",), ("20 EUR were paid back",)),
    "denied": Case(
        (one("refund", amount=70),), ("denied",), (feedback.describe_decline("that is too much"),)
    ),
    "looping": Case(
        tuple(one("get_weather", f"call_{place}", city="Paris") for place in range(3)),
        ("ok", "ok", "loop"),
        (SUNNY, SUNNY, feedback.describe_loop(3)),
    ),
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
