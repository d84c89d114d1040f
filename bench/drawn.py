"""The rows of drawn tools: faults, repairs, results and right calls, each over several shapes."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from random import Random
from statistics import median, quantiles
from typing import Any, Final, NamedTuple

from faults import FAULTS, REPAIRS, Kind, Wrong, draw_wrong
from floors import FLOORS, Floor
from generated import Drawn, draw, draw_value
from paired import Ratio, calls_a_round, in_loop, rounds_of
from rows import Measured, Row
from signatures import function_of
from workloads import Fields

from toolhaft import Err, Ok, tool
from toolhaft.tools import AnyTool

__all__ = ["drawn_rows"]

DONE: Final = {"done": True}
LEAST_ROUNDS: Final = 3
FORMS: Final = (*FLOORS, "signature")


class Form(NamedTuple):
    """How tools of one kind are declared: by a library's type, or by parameters."""

    name: str
    floor: Floor

    def tool(
        self, drawn: Drawn, tp: Any, handle: Any, *, closed: bool = False, output: Any = None
    ) -> AnyTool:
        """A tool of the shape; the types of some libraries cannot say that they are closed."""
        make: Any = tool  # the overloads want to know what is drawn
        made: AnyTool
        if self.name == "signature":
            made = make(function_of(self.floor.declared(drawn.fields, closed=closed), handle))
        else:
            extra = {"extra": "forbid"} if closed and not self.floor.says_closed else {}
            made = make(handle, name="run", description="Run.", input=tp, output=output, **extra)
        return made


class Case(NamedTuple):
    """One shape of a row: the floor, our work, the same without the text, and what it is."""

    floor: Callable[[], Any]
    work: Callable[[], Any]
    textless: Callable[[], Any] | None
    asynchronous: bool
    shape: str


class Wronged(Exception):
    """Ours does not do what the row wants it to do."""


Draw = Callable[[Form, Random], Case | None]


def drawn_rows(seed: str, shapes: int) -> Iterator[Row]:
    """Every row of every form, over so many shapes each."""
    for name in FORMS:
        form = Form(name, FLOORS.get(name, FLOORS["pydantic"]))
        for workload, case in _cases(form):
            drawing = partial(_drawn_cases, form, workload, case, seed, shapes)
            yield Row(name, workload, partial(_over_shapes, drawing))


def _cases(form: Form) -> Iterator[tuple[str, Draw]]:
    for depth in ("flat", "nested"):
        nested = depth == "nested"
        yield f"drawn, {depth}", partial(_right, nested=nested)
        yield f"drawn, text to text, {depth}", partial(_right, nested=nested, to_text=True)
        yield f"drawn, async, {depth}", partial(_right, nested=nested, asynchronous=True)
        yield f"drawn, dates, {depth}", partial(_right, nested=nested, dates=True)
        for name, kind in FAULTS.items():
            closed = name == "unknown key"
            yield f"fault {name}, {depth}", partial(_fault, kind, nested=nested, closed=closed)
        for name, kind in REPAIRS.items():
            yield f"repair {name}, {depth}", partial(_repair, kind, name, nested=nested)
    if form.name == "signature":
        for library in FLOORS.keys() - {"json schema"}:
            yield f"result of an annotated {library} type", partial(_annotated, library)
        return
    yield "result, dict to model", partial(_result, instance=False, many=False)
    yield "result, nested list", partial(_result, instance=form.name != "json schema", many=True)
    if form.name != "json schema":
        yield "result, instance", partial(_result, instance=True, many=False)


def _drawn_cases(
    form: Form, workload: str, case: Draw, seed: str, shapes: int
) -> Iterator[Case | str]:
    """So many cases, or why there is none; a drawn tool that the library cannot judge is passed."""
    found = 0
    for attempt in count():
        random = Random(f"{seed}/{workload}/{attempt}")  # noqa: S311  the seed is the purpose
        try:
            made = case(form, random)
        except Wronged as error:
            yield f"#{attempt}: {error}"
            made = None
            found += 1
        if made is not None:
            yield made._replace(shape=f"#{attempt} {made.shape}")
            found += 1
        if found == shapes:
            return


def _over_shapes(drawing: Callable[[], Iterator[Case | str]], rounds: int) -> Measured:
    """The median of the shapes' ratios, their quartiles and the worst of them."""
    cases = list(drawing())
    failures = tuple(one for one in cases if isinstance(one, str))
    gc.collect()
    each = max(LEAST_ROUNDS, rounds // len(cases))
    figures = [(_measured(one, each), one.shape) for one in cases if isinstance(one, Case)]
    if not figures:
        return Measured(None, failures)
    ratios = sorted(ratio.median for ratio, _ in figures)
    low, _, high = quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    bare = [ratio.textless for ratio, _ in figures if ratio.textless is not None]
    whole = Ratio(
        median(ratios),
        low,
        high,
        median(ratio.floor_us for ratio, _ in figures),
        ratios[-1],
        median(bare) if bare else None,
    )
    shown = tuple(
        f"{ratio.median:6.2f} of {ratio.floor_us:6.2f} us  {shape}" for ratio, shape in figures
    )
    return Measured(whole, failures, shown)


def _measured(case: Case, rounds: int) -> Ratio:
    """The ratios of one shape."""
    works = [case.floor, case.work, *([case.textless] if case.textless else [])]
    if not case.asynchronous:
        times = rounds_of(works, rounds=rounds, count=calls_a_round(case.work))
    else:
        with asyncio.Runner() as runner:
            timer = partial(in_loop, runner)
            number = calls_a_round(case.work, timer)
            times = rounds_of(works, rounds=rounds, count=number, timer=timer)
    below = times[0]
    found = [
        median(mine / least for mine, least in zip(one, below, strict=True)) for one in times[1:]
    ]
    textless = found[1] if case.textless else None
    return Ratio(found[0], found[0], found[0], min(below) / 1000, textless=textless)


def _handle(value: Any) -> Any:
    return {"done": True}


def _take_anything(**values: Any) -> Any:
    return {"done": True}


def _done(form: Form) -> Any:
    return _take_anything if form.name == "signature" else _handle


def _right(
    form: Form,
    random: Random,
    *,
    nested: bool,
    to_text: bool = False,
    asynchronous: bool = False,
    dates: bool = False,
) -> Case:
    special = random.choice(("date", "datetime") if dates else (str, int, float, bool))
    drawn = draw(random, special, nested=nested)
    tp = form.floor.object("Run", drawn.fields)
    shape = json.dumps(drawn.right, ensure_ascii=False)
    raw: Any = shape if to_text else drawn.right
    made = _asynchronous(form, drawn, tp) if asynchronous else form.tool(drawn, tp, _done(form))
    _expect(Ok, made.call_sync(raw))
    call, call_async = made.call_sync, made.call
    if asynchronous:
        floor = form.floor.awaited(tp, raw, _handle)
        return Case(floor, lambda: call_async(raw), None, asynchronous=True, shape=shape)
    if to_text:
        floor = form.floor.to_text(tp, raw, _handle)
        return Case(floor, lambda: call(raw).text, None, asynchronous=False, shape=shape)
    floor = form.floor.right(tp, raw, _handle)
    return Case(floor, lambda: call(raw), None, asynchronous=False, shape=shape)


def _asynchronous(form: Form, drawn: Drawn, tp: Any) -> AnyTool:
    async def handler(value: Any) -> Any:
        return {"done": True}

    async def take(**values: Any) -> Any:
        return {"done": True}

    return form.tool(drawn, tp, take if form.name == "signature" else handler)


def _fault(kind: Kind, form: Form, random: Random, *, nested: bool, closed: bool) -> Case | None:
    wrong = draw_wrong(random, kind, nested=nested)
    tp = form.floor.object("Run", wrong.drawn.fields, closed=closed)
    raw = _refused(form.floor, tp, wrong.sent)
    if raw is None:
        return None
    made = form.tool(wrong.drawn, tp, _done(form), closed=closed)
    outcome: Any = made.call_sync(raw)
    _expect(Err, outcome)
    if outcome.kind != "invalid_input" or outcome.issues[0].path != wrong.path:
        raise Wronged(f"{outcome.kind} instead of invalid_input at {wrong.path}: {outcome.text}")
    call = made.call_sync
    return Case(
        form.floor.failing(tp, raw),
        lambda: call(raw).text,
        lambda: call(raw),
        asynchronous=False,
        shape=f"{wrong.path} {json.dumps(raw, ensure_ascii=False)}",
    )


def _refused(floor: Floor, tp: Any, ways: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The first that the library itself refuses."""
    return next((one for one in ways if floor.failing(tp, one)()), None)


def _repair(kind: Kind, rule: str, form: Form, random: Random, *, nested: bool) -> Case:
    wrong: Wrong = draw_wrong(random, kind, nested=nested)
    tp, handle = form.floor.object("Run", wrong.drawn.fields), _done(form)
    refused = _refused(form.floor, tp, wrong.sent + wrong.refusable)
    assert refused is not None
    [raw] = wrong.sent
    made = form.tool(wrong.drawn, tp, handle)
    outcome = made.call_sync(raw)
    _expect(Ok, outcome)
    rules = [(one.path, one.rule) for one in outcome.coercions]
    if rules != [(wrong.path, rule)]:
        raise Wronged(f"{rules} instead of {rule} at {wrong.path}")
    call = made.call_sync
    return Case(
        form.floor.repaired(tp, refused, wrong.right, _handle),
        lambda: call(raw),
        None,
        asynchronous=False,
        shape=f"{wrong.path} {json.dumps(raw, ensure_ascii=False)}",
    )


def _result(form: Form, random: Random, *, instance: bool, many: bool) -> Case:
    drawn, floor = draw(random, str, nested=False), form.floor
    tp = floor.object("Run", drawn.fields)
    output, dumped, returned = _returned(floor, random, instance=instance, many=many)
    made = form.tool(drawn, tp, lambda value: returned, output=output)
    return _checked(form, made, drawn, floor, (tp, output, returned, dumped, instance))


def _annotated(library: str, form: Form, random: Random) -> Case:
    drawn, floor = draw(random, str, nested=False), FLOORS[library]
    tp = form.floor.object("Run", drawn.fields)
    output, dumped, returned = _returned(floor, random, instance=True, many=False)
    declared = form.floor.declared(drawn.fields)
    made = tool(function_of(declared, lambda **values: returned, returns=output))
    return _checked(form, made, drawn, floor, (tp, output, returned, dumped, True))


def _returned(floor: Floor, random: Random, *, instance: bool, many: bool) -> tuple[Any, Any, Any]:
    """A drawn type of results, the data of one, and what the handler returns."""
    fields: Fields = draw(random, random.choice((str, int, float)), nested=many).fields
    tp = floor.object("Result", fields)
    output = floor.list_of(tp) if many else tp
    data = [draw_value(random, fields) for _ in range(5)] if many else draw_value(random, fields)
    return output, data, floor.reader(output)(data) if instance else data


def _checked(
    form: Form, made: AnyTool, drawn: Drawn, results: Floor, how: tuple[Any, Any, Any, Any, bool]
) -> Case:
    tp, output, returned, dumped, instance = how
    raw = drawn.right
    check = results.trusting(output) if instance else results.reader(output)
    floor = form.floor.checked(tp, raw, lambda value: returned, check, results.dumper(output))
    _expect(Ok, made.call_sync(raw))
    call, shape = made.call_sync, json.dumps(dumped, ensure_ascii=False)
    return Case(floor, lambda: call(raw), None, asynchronous=False, shape=shape)


def _expect(kind: type, outcome: Any) -> None:
    if not isinstance(outcome, kind):
        raise Wronged(f"{type(outcome).__name__} instead of {kind.__name__}: {outcome.text}")
