"""A definition that cannot hold is refused with everything that is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from toolhaft import DefinitionError, Injected, Toolset, tool


def test_every_flaw_of_a_definition_comes_at_once() -> None:
    options: Any = {
        "name": "not a name",
        "timeout": 0,
        "coerce": "maybe",
        "annotations": {"readonlyHint": True},
        "metadata": {"__class__": 1},
        "provider_options": {"openai": 1},
        "examples": "x",
        "errors": {"x": 1},
        "render": 3,
        "offload": 1,
        "max_result_chars": 1,
        "extra": "drop",
        "omit": "session",
        "title": " ",
    }

    def f(a, *args: int) -> int:  # type: ignore[no-untyped-def]
        return int(a)

    with pytest.raises(DefinitionError) as raised:
        tool(f, **options)
    places = {fault.where for fault in raised.value.faults}
    assert places == options.keys() | {"a", "args", "description"}
    assert all(fault.reason and fault.fix for fault in raised.value.faults)
    assert "did you mean readOnlyHint?" in str(raised.value)


def test_a_marker_inside_a_union_is_refused() -> None:
    @tool
    def f(a: Injected[str] | None = None) -> str:
        "F."
        return str(a)

    with pytest.raises(DefinitionError, match="a marker inside a union or a container"):
        Toolset([f])


def test_an_output_that_no_vendor_owns_asks_for_none() -> None:
    class Opaque: ...

    @tool
    def f() -> Opaque:
        "F."
        return Opaque()

    with pytest.raises(DefinitionError, match="pass output=None"):
        Toolset([f])
    assert f.replace(output=None).output_schema is None


class Weather(BaseModel):
    city: str


def test_a_tool_cannot_be_made_of_what_is_not_a_function() -> None:
    things: list[Any] = [print, 3, Weather]
    for wrong in things:
        with pytest.raises(DefinitionError, match="no Python function"):
            tool(wrong, name="x", description="x")


def test_an_option_that_is_none_is_not_given() -> None:
    @tool(requires_approval=True, timeout=5, title="Say", annotations={"readOnlyHint": True})
    def say(word: str) -> str:
        "Say a word."
        return word

    none: Any = dict.fromkeys(("requires_approval", "timeout", "title", "annotations", "coerce"))
    plain = say.replace(**none)
    assert plain.call_sync({"word": "tea"}).unwrap() == "tea"
    assert (plain.title, plain.output_schema is None) == (None, False)
