"""The hiding law on one random tool: hidden values apply, and no artefact reveals them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tests.laws.test_calls import Wire
from tests.laws_of_calls.arguments import Sent, drawn
from tests.laws_of_calls.tally import Judge, Tally
from tests.laws_of_hiding.oracle import arrival_faults, hiding_faults
from tests.laws_of_hiding.sample import Sample
from toolhaft import DefinitionError, Ok, ToolCall, Toolset
from toolhaft.lowering import Strict
from toolhaft.review import lock, manifest, reference_docs
from toolhaft.serve import document
from toolhaft.tools.tool import AnyTool

__all__ = ["run"]

TARGETS: Final = ("openai", "anthropic", "gemini", "mcp")
MODES: Final[tuple[tuple[str, Strict], ...]] = tuple(
    (target, strict) for target in TARGETS for strict in (False, "prefer")
)
RUNS: Final = "a right call runs"
APPLIES: Final = "the handler gets the hidden values"
ARRIVES: Final = "the handler gets what was sent"
SILENT: Final = "no artefact and no text says what is hidden"


def run(vendor: str, tools: int, values: int, seed: int, start: int = 0) -> Tally:
    """Hold the law on that many tools."""
    tally = Tally(vendor, seed)
    for number in range(start, start + tools):
        tally.number = number
        tally.types += 1
        sample = Sample(vendor, seed, number)
        try:
            sample.open()
            _hold(sample, Judge(tally, sample.source), values)
        finally:
            sample.close()
    return tally


def _hold(sample: Sample, judge: Judge, values: int) -> None:
    whole = sample.tool()
    examples = [each.value for each in _drawn(sample, whole, 2) if each.path is None]
    whole = whole.replace(examples=examples)
    try:
        derived = sample.derived(whole)
        Toolset([derived])
    except DefinitionError as error:
        judge.holds("a right transform is taken", False, None, why=str(error))
        return
    judge.tally.usable += 1
    for name, artefact in _artefacts(derived):
        _is_silent(sample, judge, artefact, name)
    for sent in [Sent({}, ()), *_drawn(sample, derived, values)]:
        judge.tally.values += 1
        _call(sample, judge, derived.call_sync(sent.value, context=sample.context), sent)
    for target, strict in MODES:
        if Toolset([derived]).export(target, strict=strict).problems:
            judge.tally.refusals[target] += 1  # a target may not take a recursion
            continue
        wire = Wire(derived, target, strict)
        for sent in _drawn(sample, derived, 1):
            written = wire.put(sent.value) if sent.path is None else sent.value
            _call(sample, judge, _send(wire, written, sample.context), sent, target, strict)


def _drawn(sample: Sample, tool: AnyTool, valid: int) -> Iterator[Sent]:
    return drawn(tool.input_schema.json_schema(), sample.random, valid, 3)


def _send(wire: Wire, written: Any, context: Any) -> Any:
    return wire.export.call_sync(ToolCall("c", wire.planned.wire_name, written), context=context)


def _call(sample: Sample, judge: Judge, outcome: Any, sent: Sent, *way: Any) -> None:
    """Hold the law on one call, whose arguments are right where no place of them was changed."""
    given, sample.seen[:] = [*sample.seen], []
    if isinstance(outcome, Ok):
        judge.tally.accepted += 1
        faults = [*hiding_faults(sample, given[0])]
        judge.holds(APPLIES, not faults, sent.value, faults=faults, way=way)
    if sent.path is None:
        judge.holds(RUNS, isinstance(outcome, Ok), sent.value, outcome=outcome, way=way)
        if isinstance(outcome, Ok):
            faults = [*arrival_faults(sample, sent.value, given[0])]
            judge.holds(ARRIVES, not faults, sent.value, faults=faults, way=way)
    said = [outcome.text, repr(outcome.coercions), repr(getattr(outcome, "issues", ()))]
    said += [repr(issue.facts) for issue in getattr(outcome, "issues", ())]
    _is_silent(sample, judge, "\n".join(said), f"the outcome of {sent.value!r} {way}")


def _is_silent(sample: Sample, judge: Judge, text: str, name: str) -> None:
    said = sorted(word for word in sample.never if word in text)
    judge.holds(SILENT, not said, None, where=name, said=said, text=text)


def _artefacts(tool: AnyTool) -> Iterator[tuple[str, str]]:
    """Yield every artefact of a tool, as text."""
    tools = Toolset([tool]).prefix("x_").select("x_*") + Toolset([tool.replace(name="again")])
    yield "schema", json.dumps([each.input_schema.json_schema() for each in tools])
    yield "examples", json.dumps([each.examples for each in tools])
    yield "description", json.dumps([each.describe() for each in tools])
    for target, strict in MODES:
        wire = tools.export(target, strict=strict)
        said = [wire.request, wire.tools, wire.losses, wire.problems]
        yield f"{target}, strict={strict}", repr(said)
    yield "manifest", manifest.write_section(tools)
    yield "manifest data", json.dumps(manifest.describe(tools))
    yield "lock", json.dumps(lock.write_lock(tools))
    yield "pages", json.dumps(reference_docs.markdown_pages(tools, TARGETS))
    yield "html", reference_docs.html_page(tools, TARGETS)
    about = document.About("T")
    openapi = document.write_openapi(tools, about, needs_token=True, keeps_keys=True, decides=True)
    yield "openapi", json.dumps(openapi)
    yield "served", json.dumps([document.describe(each) for each in tools])
