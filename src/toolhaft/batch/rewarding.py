"""Rewards for training: score calls by whether they are valid, repaired or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from toolhaft.batch.calls import MAX_ROW_DEPTH, Call, NotACall, read_calls
from toolhaft.batch.catalogue import load_catalogue
from toolhaft.batch.job import process_call
from toolhaft.batch.lines import MAX_LINE_BYTES
from toolhaft.jsonio import jsontext
from toolhaft.loading.source import Tools
from toolhaft.tools.tool import Tool

__all__ = ["Reward", "reward_call", "reward_completions"]

VALID, REPAIRED, REFUSED = 1.0, 0.5, 0.0


class Reward(NamedTuple):
    """The score of a call.

    Attributes:
        score: 1 for a valid call, 0.5 for a repaired and 0 for an invalid one.
        kind: "valid", "repaired" or "refused".
        repairs: The number of repairs.
        issues: The number of issues.
        reason: Why the call is invalid, in the words that the model would read.
    """

    score: float
    kind: str
    repairs: int = 0
    issues: int = 0
    reason: str = ""


def reward_call(call: Any, tool: Any) -> Reward:
    """Score the arguments of one call.

    Raises:
        TypeError: `tool` is no tool.
    """
    if not isinstance(tool, Tool):
        raise TypeError("reward: not a tool; rewards(...) takes a place of tools")
    record = process_call(tool, Call(None, tool.name, call), runs=False)
    if not record.admitted:
        repairs, issues = len(record.coercions), len(record.issues)
        return Reward(REFUSED, "refused", repairs, issues, record.text or record.kind)
    if record.coercions:
        return Reward(REPAIRED, "repaired", len(record.coercions))
    return Reward(VALID, "valid")


def reward_completions(
    completions: Sequence[Any], tools: Tools, digest: str | None
) -> list[Reward | None]:
    """Score completions; None for one without a call.

    Raises:
        TypeError: `completions` is one text.
    """
    if isinstance(completions, str):
        raise TypeError("rewards: one text; pass a list of completions")
    catalogue = load_catalogue(tools, digest)

    def of_call(call: Call | NotACall) -> Reward:
        try:
            if isinstance(call, NotACall):
                raise call
            tool = catalogue.find(call)
        except NotACall as fault:
            return Reward(REFUSED, "refused", issues=1, reason=fault.reason)
        if tool is None:
            reason = catalogue.describe_unknown(call.name)
            return Reward(REFUSED, "refused", issues=1, reason=reason)
        return reward_call(call.arguments, tool)

    return [_mean([of_call(call) for call in _calls_of(completion)]) for completion in completions]


def _calls_of(completion: Any) -> list[Call | NotACall]:
    if isinstance(completion, str):
        try:
            completion = jsontext.read(
                completion, max_bytes=MAX_LINE_BYTES, max_depth=MAX_ROW_DEPTH
            )
        except jsontext.JsonSyntaxError:
            return []
    if isinstance(completion, dict) and ("tool_calls" in completion or "role" in completion):
        completion = [completion]
    if isinstance(completion, list):
        completion = {"messages": completion}
    return [call for _, call in read_calls(completion)] if isinstance(completion, dict) else []


def _mean(parts: list[Reward]) -> Reward | None:
    if not parts:
        return None
    worst = min(parts, key=lambda part: part.score)
    return Reward(
        sum(part.score for part in parts) / len(parts),
        worst.kind,
        sum(part.repairs for part in parts),
        sum(part.issues for part in parts),
        worst.reason,
    )
