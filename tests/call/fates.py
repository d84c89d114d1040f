"""Tools whose calls end in every way there is: another process must be able to import them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple

import attrs
import msgspec
from pydantic import AfterValidator, BaseModel

from toolhaft import Injected, ToolError, tool
from toolhaft.tools.tool import AnyTool

__all__ = ["FATES", "VENDORS", "Fate", "later", "later_alone", "now", "now_alone"]

How = Literal["right", "raises", "words", "misfit", "stops"]


ANN: Final = {"user": "ann"}


class Fate(NamedTuple):
    """A model's arguments, data or text, and the outcome."""

    sent: dict[str, Any] | str
    kind: str
    context: Any = ANN


FATES: Final[dict[str, Fate]] = {
    "right": Fate({"n": 2, "how": "right"}, "ok"),
    "repaired": Fate({"n": "2", "how": "RIGHT"}, "ok"),
    "the schema refuses": Fate({"n": "x", "how": "never"}, "invalid_input"),
    "nothing sent": Fate({}, "invalid_input"),
    "an unknown key": Fate({"n": 2, "how": "right", "m": 1}, "invalid_input"),
    "a validator raises": Fate({"n": 3, "how": "right"}, "invalid_input"),
    "the handler raises": Fate({"n": 2, "how": "raises"}, "runtime_error"),
    "the handler stops the program": Fate({"n": 2, "how": "stops"}, "runtime_error"),
    "the author's words": Fate({"n": 2, "how": "words"}, "tool_error"),
    "the result does not fit": Fate({"n": 2, "how": "misfit"}, "output_invalid"),
    "text that stops": Fate('{"n": 2, "how": "ri', "truncated"),
    "text that is no JSON": Fate("n = 2", "invalid_input"),
    "a key sent twice": Fate('{"n": 2, "n": 4, "how": "right"}', "invalid_input"),
    "text within text": Fate('"{\\"n\\": 2, \\"how\\": \\"right\\"}"', "ok"),
    "the context lacks a name": Fate({"n": 2, "how": "right"}, "runtime_error", {}),
}


def even(n: int) -> int:
    """Let even numbers pass."""
    if n % 2:
        raise ValueError("odd")
    return n


Even = Annotated[int, AfterValidator(even)]


def _ended(n: int, how: How) -> int:
    if how == "raises":
        raise RuntimeError("the handler's own")
    if how == "words":
        raise ToolError("the shop is closed")
    if how == "stops":
        raise SystemExit(3)
    misfit: Any = "no number"
    return misfit if how == "misfit" else n


@tool
def now(n: Even, how: How, user: Injected[str]) -> int:
    """End in one of many ways."""
    return _ended(n, how)


@tool
async def later(n: Even, how: How, user: Injected[str]) -> int:
    """End in one of many ways, later."""
    return _ended(n, how)


@tool(isolation="process")
def now_alone(n: Even, how: How) -> int:
    """End in one of many ways, elsewhere."""
    return _ended(n, how)


@tool(isolation="process")
async def later_alone(n: Even, how: How) -> int:
    """End in one of many ways, elsewhere and later."""
    return _ended(n, how)


class Model(BaseModel, extra="forbid"):
    """Arguments as a model of pydantic."""

    n: Even
    how: How


class Struct(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments as a struct of msgspec."""

    n: int
    how: How

    def __post_init__(self) -> None:
        even(self.n)


def checked(_: object, __: object, value: int) -> None:
    """Check a field of a class of attrs."""
    even(value)


@attrs.define
class Class:
    """Arguments as a class of attrs."""

    n: int = attrs.field(validator=checked)
    how: How


@dataclass
class Plain:
    """Arguments as a dataclass."""

    n: int
    how: How

    def __post_init__(self) -> None:
        even(self.n)


SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "multipleOf": 2},
        "how": {"enum": ["right", "raises", "words", "misfit", "stops"]},
    },
    "required": ["n", "how"],
    "additionalProperties": False,
}


def whole(given: Any, user: Injected[str]) -> int:
    """End in one of many ways, given one object."""
    if isinstance(given, dict):
        return _ended(given["n"], given["how"])
    return _ended(given.n, given.how)


DECLARED: Final[dict[str, Any]] = {
    "pydantic": Model,
    "msgspec": Struct,
    "attrs": Class,
    "dataclass": Plain,
    "raw schema": SCHEMA,
}
VENDORS: Final[dict[str, AnyTool]] = {
    name: tool(whole, name="now", input=declared, output=int, extra="forbid")
    for name, declared in DECLARED.items()
}
