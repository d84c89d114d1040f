"""One drawn tool of each row: its floor, our work, and the proof that both do what the row says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from faults import FAULTS, REPAIRS, Kind, draw_wrong
from floors import FLOORS, Floor
from functions import function_of
from generated import Drawn, draw, draw_value

from toolhaft import Err, Ok, tool
from toolhaft.tools.tool import AnyTool

__all__ = ["FORMS", "Case", "Draw", "Form", "WrongOutcomeError", "cases"]

DEPTHS: Final = {"flat": False, "nested": True}


class Case(NamedTuple):
    """One drawn tool and its arguments: the floor, our work, and the same without the text."""

    shape: str
    floor: Callable[[], Any]
    work: Callable[[], Any]
    textless: Callable[[], Any] | None = None
    asynchronous: bool = False


class WrongOutcomeError(Exception):
    """A call does not end as the row wants it to."""


class Form(NamedTuple):
    """How tools are declared: by a library's type as `input=`, or by a function's parameters."""

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


# Returns None if the library itself would take the drawn data.
Draw: TypeAlias = Callable[[Form, Random], Case | None]
FORMS: Final = (
    *(Form(name, floor) for name, floor in FLOORS.items()),
    Form("signature", FLOORS["pydantic"]),
)


def cases(form: Form) -> Iterator[tuple[str, Draw]]:
    """The rows of a form, and what draws a tool for each."""
    for depth, nested in DEPTHS.items():
        yield f"drawn, {depth}", partial(_right, nested=nested)
        yield f"drawn, text to text, {depth}", partial(_text, nested=nested)
        yield f"drawn, async, {depth}", partial(_asynchronous, nested=nested)
        yield f"drawn, dates, {depth}", partial(_right, nested=nested, kinds=("date", "datetime"))
    for name, kind in FAULTS.items():
        for depth, nested in DEPTHS.items():
            closed = name == "unknown key"
            yield f"fault {name}, {depth}", partial(_fault, kind, nested=nested, closed=closed)
    for name, kind in REPAIRS.items():
        for depth, nested in DEPTHS.items():
            yield f"repair {name}, {depth}", partial(_repair, kind, name, nested=nested)
    yield from _results(form.name)


def _results(form: str) -> Iterator[tuple[str, Draw]]:
    if form == "signature":
        for library in FLOORS:
            if library != "json schema":
                yield f"result of an annotated {library} type", partial(_annotated, library)
        yield "result of plain data", _annotated_plain
        return
    has_instances = form != "json schema"
    yield "result, dict to model", partial(_result, instance=False, many=False)
    yield "result, nested list", partial(_result, instance=has_instances, many=True)
    if has_instances:
        yield "result, instance", partial(_result, instance=True, many=False)


def _handle(_: Any) -> Any:
    return {"done": True}


def _handle_parameters(**_: Any) -> Any:
    return {"done": True}


async def _await(_: Any) -> Any:
    return {"done": True}


async def _await_parameters(**_: Any) -> Any:
    return {"done": True}


def _handler(form: Form) -> Any:
    return _handle_parameters if form.name == "signature" else _handle


def _drawn(
    form: Form, random: Random, *, nested: bool, kinds: tuple[Any, ...] = (str, int, float, bool)
) -> tuple[Drawn, Any, str]:
    """A shape, its type, and its right arguments as text."""
    drawn = draw(random, random.choice(kinds), nested=nested)
    return drawn, form.floor.object("Run", drawn.fields), _shown(drawn.right)


def _shown(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def _right(form: Form, random: Random, **how: Any) -> Case:
    """Right arguments as data, to an outcome."""
    drawn, tp, shape = _drawn(form, random, **how)
    call, raw = form.tool(drawn, tp, _handler(form)).call_sync, drawn.right
    _expect(Ok, call(raw))
    return Case(shape, form.floor.right(tp, raw, _handle), lambda: call(raw))


def _text(form: Form, random: Random, **how: Any) -> Case:
    """Right arguments as text, to the text that the model reads."""
    drawn, tp, raw = _drawn(form, random, **how)
    call = form.tool(drawn, tp, _handler(form)).call_sync
    _expect(Ok, call(raw))
    return Case(raw, form.floor.to_text(tp, raw, _handle), lambda: call(raw).text)


def _asynchronous(form: Form, random: Random, **how: Any) -> Case:
    """Right arguments as data, an async handler awaited in a running loop."""
    drawn, tp, shape = _drawn(form, random, **how)
    made = form.tool(drawn, tp, _await_parameters if form.name == "signature" else _await)
    call, raw = made.call, drawn.right
    _expect(Ok, made.call_sync(raw))
    floor = form.floor.awaited(tp, raw, _handle)
    return Case(shape, floor, lambda: call(raw), asynchronous=True)


def _fault(kind: Kind, form: Form, random: Random, *, nested: bool, closed: bool) -> Case | None:
    """Arguments with one fault, to the text that the model reads; None if the library takes all."""
    wrong = draw_wrong(random, kind, nested=nested)
    tp = form.floor.object("Run", wrong.drawn.fields, closed=closed)
    raw = _refused(form.floor, tp, wrong.sent)
    if raw is None:
        return None
    call = form.tool(wrong.drawn, tp, _handler(form), closed=closed).call_sync
    outcome: Any = call(raw)
    _expect(Err, outcome)
    if (outcome.kind, outcome.issues[0].path) != ("invalid_input", wrong.path):
        raise WrongOutcomeError(f"{outcome.kind} instead of a fault at {wrong.path}")
    shape = f"{wrong.path} {_shown(raw)}"
    return Case(shape, form.floor.failing(tp, raw), lambda: call(raw).text, lambda: call(raw))


def _repair(kind: Kind, rule: str, form: Form, random: Random, *, nested: bool) -> Case:
    """Arguments that one rule repairs, up to an outcome.

    If the library accepts the slip as it is, its failing validation is of another fault.
    """
    wrong = draw_wrong(random, kind, nested=nested)
    tp = form.floor.object("Run", wrong.drawn.fields)
    refused = _refused(form.floor, tp, wrong.sent + wrong.refusable)
    [raw] = wrong.sent
    call = form.tool(wrong.drawn, tp, _handler(form)).call_sync
    outcome = call(raw)
    _expect(Ok, outcome)
    rules = [(coercion.path, coercion.rule) for coercion in outcome.coercions]
    if rules != [(wrong.path, rule)]:
        raise WrongOutcomeError(f"{rules} instead of {rule} at {wrong.path}")
    floor = form.floor.repaired(tp, refused, wrong.right, _handle)
    return Case(f"{wrong.path} {_shown(raw)}", floor, lambda: call(raw))


def _refused(floor: Floor, tp: Any, ways: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The first that the library itself refuses."""
    return next((raw for raw in ways if floor.failing(tp, raw)()), None)


class Returned(NamedTuple):
    """A handler's result, its declared type, and the floor's work on it."""

    type: Any
    value: Any
    check: Callable[[Any], Any]
    dump: Callable[[Any], Any]
    shape: str


def _returned(floor: Floor, random: Random, *, instance: bool, many: bool) -> Returned:
    """Draw a type of results; with `many`, five of them in a list."""
    fields = draw(random, random.choice((str, int, float)), nested=many).fields
    tp = floor.object("Result", fields)
    tp = floor.list_of(tp) if many else tp
    data: Any = [draw_value(random, fields) for _ in range(5)]
    data = data if many else data[0]
    read, dump = floor.reader(tp), floor.dumper(tp)
    if instance:
        return Returned(tp, read(data), floor.trusting(tp), dump, _shown(data))
    return Returned(tp, data, read, dump, _shown(data))


def _result(form: Form, random: Random, *, instance: bool, many: bool) -> Case:
    """A handler whose declared result is data, an instance, or a list of nested objects."""
    drawn, tp, _ = _drawn(form, random, nested=False)
    result = _returned(form.floor, random, instance=instance, many=many)
    made = form.tool(drawn, tp, lambda _: result.value, output=result.type)
    return _checked(form, made, drawn, tp, result)


def _annotated(library: str, form: Form, random: Random) -> Case:
    """A function whose return annotation is a library's type, and that returns an instance."""
    drawn, tp, _ = _drawn(form, random, nested=False)
    result = _returned(FLOORS[library], random, instance=True, many=False)
    fields = form.floor.declared(drawn.fields)
    made = tool(function_of(fields, lambda **_: result.value, returns=result.type))
    return _checked(form, made, drawn, tp, result)


def _annotated_plain(form: Form, random: Random) -> Case:
    """A function whose return annotation is `dict[str, Any]`, and that returns one."""
    drawn, tp, _ = _drawn(form, random, nested=False)
    value = draw_value(random, draw(random, random.choice((str, int, float)), nested=True).fields)
    declared: Any = dict[str, Any]
    read, dump = form.floor.reader(declared), form.floor.dumper(declared)
    made = tool(function_of(form.floor.declared(drawn.fields), lambda **_: value, returns=declared))
    return _checked(form, made, drawn, tp, Returned(declared, value, read, dump, _shown(value)))


def _checked(form: Form, made: AnyTool, drawn: Drawn, tp: Any, result: Returned) -> Case:
    call, raw = made.call_sync, drawn.right
    _expect(Ok, call(raw))
    floor = form.floor.checked(tp, raw, lambda _: result.value, result.check, result.dump)
    return Case(result.shape, floor, lambda: call(raw))


def _expect(kind: type, outcome: Any) -> None:
    if not isinstance(outcome, kind):
        raise WrongOutcomeError(f"{type(outcome).__name__}, not {kind.__name__}: {outcome.text}")
