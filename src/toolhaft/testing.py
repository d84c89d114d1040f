"""Test tools without a model: what they must hold, values to try, and recorded calls.

from toolhaft.testing import arguments_for, assert_conforms, mutations_of

def test_my_tool() -> None:
    assert_conforms(my_tool)

@given(arguments_for(my_tool))
def test_it_answers(arguments): ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolhaft import jsontext
from toolhaft.audit import agreement
from toolhaft.call.outcome import Err, Ok, ToolCall
from toolhaft.lowering import TARGETS
from toolhaft.schema.checker import Checker
from toolhaft.schema.generate import NoValue, Values
from toolhaft.schema.mutate import mutations
from toolhaft.tools import AnyTool
from toolhaft.toolset import Toolset

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["Played", "arguments_for", "assert_conforms", "assert_plays", "mutations_of", "record"]

STRICT: Final = ("prefer", False)


def assert_conforms(
    tool: AnyTool, /, *, targets: Sequence[str] = TARGETS, values: int = 100, seed: int = 0
) -> None:
    """Hold a tool to what it says: schema and validator agree, examples fit, targets take it.

    The handler is never run.

    Raises:
        AssertionError: lists everything that does not hold.
        DefinitionError: The tool cannot be defined as it stands.

    >>> from toolhaft import tool
    >>> @tool(examples=[{"n": 2}])
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> assert_conforms(double)
    """
    faults = [*_examples(tool), *_exports(tool, targets)]
    audit = agreement(tool, values=values, seed=seed)
    faults += map(str, audit.disagreements)
    if faults:
        raise AssertionError("\n".join([f"{tool.name} does not hold:", *faults]))


def _examples(tool: AnyTool) -> Iterator[str]:
    for place, example in enumerate(tool.examples or ()):
        prepared = tool.replace(coerce="none").prepare(example)
        if isinstance(prepared, Err):
            yield f"example {place}: {prepared.text}"


def _exports(tool: AnyTool, targets: Iterable[str]) -> Iterator[str]:
    for target in targets:
        wire = Toolset([tool]).export(target, strict="prefer")
        yield from (f"{target}: {one}" for one in wire.problems if one.severity == "error")
        yield from (f"{target}: {one}" for one in wire.losses if one.kind == "narrowed")


def arguments_for(tool: AnyTool, /) -> SearchStrategy[dict[str, Any]]:
    """Give a hypothesis strategy of arguments that a tool's schema accepts.

    Raises:
        ModuleNotFoundError: hypothesis is not installed.

    >>> from hypothesis import find
    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> list(find(arguments_for(double), lambda arguments: True))
    ['n']
    """
    from hypothesis import assume
    from hypothesis import strategies as st

    schema = tool.input_schema.json_schema()

    @st.composite
    def drawn(draw: Any) -> dict[str, Any]:
        source = Values(schema, draw(st.randoms(use_true_random=False)))
        try:
            found: dict[str, Any] = source.valid()
        except NoValue:
            assume(condition=False)
        return found

    return drawn()


class Wrong(NamedTuple):
    """Arguments that a schema refuses for one place: where, what was changed, and the whole."""

    path: tuple[str | int, ...]
    change: str
    arguments: Any


def mutations_of(tool: AnyTool, /, *, count: int = 100, seed: int = 0) -> Iterator[Wrong]:
    """Give wrong arguments: single changes to valid ones that the tool's schema refuses.

    The same seed gives the same ones. A tool may still repair some of them.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> "type" in {one.change for one in mutations_of(double, count=20)}
    True
    """
    random = Random(seed)  # noqa: S311 - values to try, not secrets
    schema = tool.input_schema.json_schema()
    source, checker = Values(schema, random), Checker(schema)
    for _ in range(count):
        try:
            value = source.valid()
        except NoValue:
            return
        found = next(
            (one for one in mutations(checker, value, random) if one.change != "format"), None
        )
        if found is not None:
            yield Wrong(found.path, found.change, found.value)


# ------------------------------------------------------------------------------- recorded calls


class Played(NamedTuple):
    """A recorded call that came out otherwise: its line, its tool, what it was, what it is."""

    line: int
    tool: str
    then: dict[str, Any]
    now: dict[str, Any]


def record(
    tools: Toolset, calls: Iterable[ToolCall], path: str | Path, /, *, context: Any = None
) -> list[Ok[Any] | Err]:
    """Run calls and write each with its outcome as a line of JSON, to be played again later.

    A line has `name`, `arguments`, and what came of it: `kind`, the `codes` and places of the
    issues, the `rules` of repairs, the result as `json`. Texts with ids of errors are left out.
    """
    listed = list(calls)
    outcomes = tools.call_all_sync(listed, context=context)
    lines = (
        {"name": call.name, "arguments": _shown(call.arguments), **_facts(outcome)}
        for call, outcome in zip(listed, outcomes, strict=True)
    )
    Path(path).write_text("".join(f"{jsontext.write(one)}\n" for one in lines), encoding="utf-8")
    return outcomes


def _shown(arguments: Any) -> Any:
    return arguments.decode("utf-8", "replace") if isinstance(arguments, bytes) else arguments


def _facts(outcome: Ok[Any] | Err) -> dict[str, Any]:
    repairs = [[list(one.path), one.rule] for one in outcome.coercions]
    if isinstance(outcome, Err):
        issues = [[list(one.path), one.code] for one in outcome.issues]
        return {"kind": outcome.kind, "issues": issues, "repairs": repairs}
    return {"kind": "ok", "json": outcome.json, "repairs": repairs}


def assert_plays(tools: Toolset, path: str | Path, /, *, context: Any = None) -> None:
    """Make recorded calls again; each must come out as it did.

    Raises:
        AssertionError: lists the calls that came out otherwise, by line.
        ValueError: A line is not a recorded call.
    """
    different = list(_played(tools, Path(path), context))
    if different:
        said = (f"line {one.line} ({one.tool}): {one.then} became {one.now}" for one in different)
        raise AssertionError("\n".join([f"{path}:", *said]))


def _played(tools: Toolset, path: Path, context: Any) -> Iterator[Played]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            data = jsontext.read(line)
            name, arguments = data.pop("name"), data.pop("arguments")
        except (jsontext.JsonFault, KeyError, AttributeError, TypeError):
            raise ValueError(f"{path}:{number}: not a recorded call") from None
        now = _facts(tools.call_sync(name, arguments, context=context))
        if now != data:
            yield Played(number, name, data, now)
