"""Show how calls that models wrote into text are read: found, as they were meant, and right.

Takes the recorded calls of the `text-json` channel, where a model writes its calls as JSON into its
answer. The records have each call's name and arguments as they were written, not the whole answer;
so each answer is put together again, in the ways that models write one, and read by the `text`
target. Nothing runs. The calls are compared with the same arguments passed alone.

    python bench/text_envelopes.py [DATA]

DATA holds `tools_for_calls`, `calls_failing` and `calls_valid` as `.jsonl.gz`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ground_truth import is_right
from repair_report import DATA, declared, rows

from toolhaft import Err, ToolCall, Toolset
from toolhaft.tools.tool import AnyTool

Call = dict[str, Any]


def envelope(call: Call) -> str:
    """One call as the model wrote it: the arguments are its own text."""
    return f'{{"name": {json.dumps(call["called_name"])}, "arguments": {call["arguments_text"]}}}'


def in_python(call: Call) -> str:
    """The same as a Python literal, where the arguments can be one."""
    try:
        arguments = repr(json.loads(call["arguments_text"]))
    except ValueError:
        arguments = call["arguments_text"]
    return f"{{'name': {call['called_name']!r}, 'arguments': {arguments}}}"


def fenced(envelopes: Iterable[str]) -> str:
    """Each in a fence of its own, with words between."""
    return "\n\n".join(f"Next I call:\n\n```json\n{one}\n```" for one in envelopes)


def in_prose(envelopes: Iterable[str]) -> str:
    """On one line with words, brackets and quotes around."""
    return 'For {this} I\'ll use "tools" [two]: ' + ", then ".join(envelopes) + ". That's {all}."


def tagged(envelopes: Iterable[str]) -> str:
    """Each between tags."""
    return "".join(f"<tool_call>\n{one}\n</tool_call>" for one in envelopes)


WAYS: dict[str, tuple[Callable[[Call], str], Callable[[list[str]], str]]] = {
    "a line each": (envelope, "\n".join),
    "fences": (envelope, fenced),
    "tags": (envelope, tagged),
    "one list": (envelope, lambda envelopes: f"[{', '.join(envelopes)}]"),
    "in prose": (envelope, in_prose),
    "as Python, in prose": (in_python, in_prose),
}


def answers(data: Path) -> list[list[Call]]:
    """The calls of each answer, in its order."""
    found: dict[str, list[Call]] = defaultdict(list)
    for name in ("calls_failing", "calls_valid"):
        for call in rows(data / f"{name}.jsonl.gz"):
            if call["channel"] == "text-json":
                found[call["response"]].append(call)
    return [sorted(calls, key=lambda call: int(call["index"])) for calls in found.values()]


def outcome(tools: dict[str, AnyTool], call: Call, arguments: Any) -> tuple[str, Any]:
    """Return the result of arguments at the intended tool, with the arguments that would run."""
    if not call["tool_id"]:
        return "unknown_tool", None
    prepared = tools[call["tool_id"]].prepare(arguments)
    if isinstance(prepared, Err):
        codes = sorted({issue.code for issue in prepared.issues})
        return f"{prepared.kind} ({', '.join(codes)})", None
    return "accepted", prepared.json


class Report:
    """The figures of one way of writing answers."""

    def __init__(self) -> None:
        self.lines: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()

    def take(self, tools: dict[str, AnyTool], calls: list[Call], read: list[ToolCall]) -> None:
        """Compare the calls that were read with the calls that were written."""
        self.lines["calls"] += len(calls)
        self.lines["answers with a call too many"] += len(read) > len(calls)
        waiting = list(read)
        for call in calls:
            mine = next((one for one in waiting if one.name == call["called_name"]), None)
            if mine is None:
                self.kinds["not found"] += 1
                continue
            del waiting[: waiting.index(mine) + 1]
            self.lines["found"] += 1
            kind, arguments = outcome(tools, call, mine.arguments)
            alone = outcome(tools, call, call["arguments_text"])
            self.lines["as if handed over alone"] += (kind, arguments) == alone
            if kind == "accepted" and (kind, arguments) != alone:
                self.lines["accepted, but not as if alone"] += 1
            self.kinds[kind] += 1
            if kind == "accepted" and call.get("expected"):
                self.lines["accepted, with ground truth"] += 1
                self.lines["right"] += is_right(arguments, call["expected"])

    def show(self, name: str) -> None:
        """Print the figures."""
        print(name)
        for line, count in self.lines.items():
            print(f"  {line:32}{count:6}")
        for kind, count in self.kinds.most_common():
            print(f"    {kind:30}{count:6}")


def never_whole(wire: Any, tools: dict[str, AnyTool], calls: list[Call]) -> tuple[int, int]:
    """Cut the text of the first call at twenty places: how many cuts, how many pass."""
    call = calls[0]
    text = envelope(call)
    cuts = {len(text) - 1 - len(text) * part // 20 for part in range(20)}
    passed = 0
    for cut in cuts:
        for one in wire.calls(text[:cut]):
            passed += outcome(tools, call, one.arguments)[0] == "accepted"
    return len(cuts), passed


def main() -> None:
    """Read the command line and print a report for each way of writing answers."""
    parser = argparse.ArgumentParser(description="how calls in models' text are read")
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    options = parser.parse_args()
    if not options.data.is_dir():
        parser.error(f"no folder at {options.data}")
    tools, written = declared(options.data, "safe"), answers(options.data)
    wire = Toolset().export("text")
    for name, (write, frame) in WAYS.items():
        report = Report()
        for calls in written:
            report.take(tools, calls, wire.calls(frame(list(map(write, calls)))))
        report.show(name)
    cuts, passed = map(sum, zip(*(never_whole(wire, tools, one) for one in written), strict=True))
    print(f"cut off: {cuts} texts, {passed} accepted")


if __name__ == "__main__":
    main()
