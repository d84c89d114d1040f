"""The primitives in C keep no references, survive what changes under them, and share no state."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

import toolhaft
from toolhaft import tool
from toolhaft.call.outcome import Ok, finish
from toolhaft.jsonio.primitives import compiled, native, plain_copy
from toolhaft.schema.checker import Checker
from toolhaft.schema.shape import DEFAULTS, shape_of
from toolhaft.tools.internals import boundary_of

pytestmark = pytest.mark.skipif(not native, reason="built without the primitives in C")
OPTIONS: Any = SimpleNamespace(name="run", max_result_chars=None)


class Place(BaseModel):
    city: str
    tags: list[str] = []


def place(value: Place) -> Any:
    return {"city": value.city, "tags": value.tags}


def native_shape(**facts: Any) -> Any:
    return compiled.Shape(**(DEFAULTS | facts))


def cyclic() -> dict[str, Any]:
    data: dict[str, Any] = {"a": []}
    data["a"].append(data)
    return data


DATA: list[Any] = [
    {"city": "Zürich", "tags": ["a", "b"]},
    {"city": 10**40, "x": [1.5, {"y": None}]},
    {"city": "\ud800"},
    {5: "Rome"},
    {"city": float("nan")},
    {"tags": [object()]},
    cyclic(),
]
checker = Checker(
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "pattern": "^[a-zA-Zü]*$"},
            "tags": {"items": {}},
        },
    }
)
SHAPE = shape_of(checker, whole_floats=False)
TOOL = tool(place, name="place", description="Place.", input=Place)
RESULTS: list[Any] = [
    {"city": "Rome"}, Place(city="Rome"), {"city": 5}, {"town": 1}, None, [], cyclic(), "text",
    Place.model_construct(city=5), {"city": "Rome", "tags": [object()]},
]  # fmt: skip
CHECKED = tool(
    lambda n: RESULTS[n["n"]],
    name="checked",
    description="Check.",
    input={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    output=Place,
)
LISTED = tool(
    lambda given: [given.city], name="listed", description="List.", input=Place, output=list[str]
)
TREE = shape_of(
    Checker({"type": "object", "properties": {"sub": {"items": {"$ref": "#"}}}}),
    whole_floats=False,
)
MANY = "{" + ", ".join(f'"k{n}": {n}.123456789012345678' for n in range(500)) + "}"
TEXTS = [MANY, '{"city": "Rome", "tags": ["x"]}', '{"city": 1}', "{", '{"city": "a", "city": "b"}']
WORKS: dict[str, Callable[[], object]] = {
    "plain_copy": lambda: [plain_copy(data) for data in DATA],
    "fits": lambda: [SHAPE.fits(data) for data in DATA],
    "fits_text": lambda: [SHAPE.fits_text(text) for text in TEXTS],
    "tree": lambda: [TREE.fits({"sub": [{"sub": []}]}), TREE.fits_text('{"sub": [{"sub": 1}]}')],
    "recursive shape": lambda: shape_of(checker_of_tree(), whole_floats=True),
    "finish": lambda: [finish(data, data, OPTIONS, ()) for data in (*DATA, "text", None, [])],
    "call": lambda: [TOOL.call_sync(raw) for raw in (*DATA, *TEXTS)],
    "checked": lambda: [CHECKED.call_sync({"n": n}) for n in range(len(RESULTS))],
    "listed": lambda: LISTED.call_sync({"city": "Rome"}),
    "shape": lambda: shape_of(checker, whole_floats=True),
}


def checker_of_tree() -> Checker:
    return Checker({"type": "object", "properties": {"sub": {"items": {"$ref": "#"}}}})


def references() -> list[int]:
    held = [*DATA, *DATA[0].values(), DATA[1]["x"], SHAPE, TREE, OPTIONS, Ok, place, (), "text"]
    return [sys.getrefcount(one) for one in held]


@pytest.mark.parametrize("name", WORKS)
def test_a_primitive_takes_and_drops_as_many_references(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, "toolhaft")  # what is logged would be kept
    work = WORKS[name]
    for _ in range(5):
        work()
    gc.collect()
    before, objects = references(), len(gc.get_objects())
    for _ in range(50):
        work()
    gc.collect()
    # A cache of the interpreter may hold one or two more; a leak holds fifty.
    assert all(abs(now - then) < 25 for now, then in zip(references(), before, strict=True))
    assert len(gc.get_objects()) - objects < 25


def test_a_checked_result_is_what_its_twin_in_python_gives() -> None:
    boundary = boundary_of(CHECKED)
    for place in range(len(RESULTS)):
        outcome: Any = CHECKED.call_sync({"n": place})
        twin: Any = boundary.run_whole_sync({"n": place}, None, boundary.to_outcome)
        assert type(outcome) is type(twin)
        if isinstance(outcome, Ok):
            assert (outcome.value, outcome.json, outcome.text) == (twin.value, twin.json, twin.text)
        else:
            assert (outcome.kind, outcome.issues) == (twin.kind, twin.issues)


def test_an_equal_list_is_the_one_that_the_handler_returned() -> None:
    returned = ["Rome"]
    listed = tool(lambda: returned, name="listed", description="List.", output=list[str])
    assert listed.call_sync({}).unwrap() is returned


def test_a_shape_goes_with_what_it_holds() -> None:
    class Verdict:
        shape: Any

        def __call__(self, data: Any) -> bool:
            return True

    verdict = Verdict()
    shape = native_shape(verdict=verdict)
    verdict.shape = shape  # a cycle through C
    gone = weakref.ref(verdict)
    del verdict, shape
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    "facts",
    [
        {"kinds": "object"},
        {"words": ["a"]},
        {"words": ("a", 1)},
        {"words": ("a", "\ud800")},
        {"branches": (1,)},
        {"members": (("a",),)},
        {"members": ((1, None, True),)},
        {"members": (("\ud800", None, True),)},
        {"members": (("a", None, True), 5)},
        {"items": 5},
        {"rest": 5},
        {"unknown": 5},
    ],
)
def test_a_shape_of_anything_else_is_an_error(facts: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        native_shape(**facts)


def right_call(**given: Any) -> Any:
    defaults: dict[str, Any] = {
        "shape": SHAPE, "construct": (dict, None), "construct_text": None, "read_text": None,
        "function": lambda value: value, "options": OPTIONS, "record_dropped": tuple, "bind": None,
        "copies": True, "accepts": False, "spreads": False, "finishes": True, "steps": None,
    }  # fmt: skip
    return compiled.RightCall(**defaults | given)


def run(call: Any) -> Any:
    def give_up(error: BaseException, effect: str) -> Any:
        assert effect == "none"
        raise error

    return call.run(None, {"n": 1}, None, give_up)


def test_a_shape_frees_the_recursive_shapes_that_it_holds() -> None:
    inner, outer = native_shape(kinds=127), native_shape(kinds=127)
    inner.become(native_shape(kinds=127, branches=(inner,)))
    outer.hold((inner,))
    for wrong in (5, (5,), (inner,)):
        with pytest.raises(TypeError):
            outer.hold(wrong)
    assert gc.get_referents(inner)[1:]
    del outer
    assert not gc.get_referents(inner)[1:]


def test_wrong_arguments_are_errors_and_change_nothing() -> None:
    class Other:
        __slots__ = ("_arguments", "_options", "_shown", "_value", "call_id", "coercions")

    for wrong in (5, int, Other):
        with pytest.raises(TypeError):
            compiled.set_outcome(wrong)
    with pytest.raises(TypeError):
        compiled.plain_copy([])
    with pytest.raises(TypeError):
        compiled.finish(1)
    for steps in (5, (), (5, (int, None), 5, None, 5, SHAPE), (None, (int, None), 5, None, 5, 5)):
        with pytest.raises(TypeError):
            right_call(steps=steps)
    odd: Any
    for odd in (None, 5, (), ((),), ([], {}), ((), None)):
        with pytest.raises(TypeError):
            run(right_call(bind=lambda value, context, odd=odd: odd))
    assert run(right_call(bind=lambda value, context: ((), {"value": value}))).value == {"n": 1}
    with pytest.raises(TypeError):
        compiled.RightCall(5)
    with pytest.raises(TypeError):
        right_call().run_with(None, {"n": 1}, None)
    assert type(finish({"a": 1}, {}, OPTIONS, ())) is Ok


def test_data_that_a_verdict_changes_meanwhile_do_not_fit() -> None:
    data: dict[str, Any] = {"city": "Rome", "tags": ["a", "b", "c"]}

    def change(value: Any) -> bool:
        data["tags"].clear()
        data.clear()
        data.update({f"key {n}": n for n in range(100)})
        return True

    tags = native_shape(items=native_shape(verdict=change))
    shape = native_shape(members=(("tags", tags, True),))
    assert shape.fits(data) is False
    assert shape.fits({"tags": []}) is True


def test_what_a_verdict_raises_is_passed_on_but_for_a_value_error() -> None:
    def broken(data: Any) -> bool:
        raise errors[data["n"]]

    errors = [ValueError("no"), KeyboardInterrupt()]
    shape = native_shape(verdict=broken)
    assert shape.fits({"n": 0}) is False
    with pytest.raises(KeyboardInterrupt):
        shape.fits({"n": 1})


def test_lists_and_dicts_that_other_threads_change_do_no_harm() -> None:
    data: dict[str, Any] = {"city": "Rome", "tags": ["a"]}
    stop = threading.Event()

    def change() -> None:
        count = 0
        while not stop.is_set():
            count += 1
            data["tags"] = [str(count)] * (count % 40)
            data["tags"][1:] = ["b"] * (count % 7)
            data[f"key {count % 50}"] = {"a": [count]}
            data.pop(f"key {(count + 25) % 50}", None)

    threads = [threading.Thread(target=change) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(3000):
            SHAPE.fits(data)
            copy = plain_copy(data)
            assert copy is not None
            assert copy["city"] == "Rome"
            TOOL.call_sync(data)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_handler_that_calls_its_own_tool_reaches_the_limit_of_recursion() -> None:
    depth = 0

    def deeper(value: Place) -> Any:
        nonlocal depth
        depth += 1
        return again.execute_sync({"city": "Rome"})

    again = tool(deeper, name="deeper", description="Go deeper.", input=Place)
    outcome = again.call_sync({"city": "Rome"})
    assert not outcome
    assert (outcome.kind, depth > 10) == ("runtime_error", True)


SUBINTERPRETERS = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        sys.exit(0)
code = '''
from toolhaft import _native
limits = dict(low=0.0, high=9.0, shortest=0, longest=9, fewest=0, most=9)
rest = dict(words=None, format=0, verdict=None, branches=(), mixed=0, items=None, members=())
shape = _native.Shape(kinds=64, **limits, **rest, rest=None, closed=False, drops=False)
assert shape.fits({"a": [1, {"b": 10**30}]}) and not shape.fits({"a": {1}})
class Outcome(_native.OutcomeFields):
    __slots__ = ()
_native.set_outcome(Outcome)
assert _native.finish({"a": 1}, 1, 2, ())._shown == {"a": 1}
'''
exec(code)
for _ in range(3):
    name = interpreters.create()
    error = interpreters.run_string(name, code)
    if error is not None:
        sys.exit(str(error))
    interpreters.destroy(name)
exec(code)
"""


def test_every_interpreter_has_a_state_of_its_own() -> None:
    source = str(Path(toolhaft.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {source!r})\n{SUBINTERPRETERS}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
