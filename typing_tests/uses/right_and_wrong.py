"""Forty uses that are right, and forty that are wrong: checkers flag exactly the lines `# wrong`.

`tests/conformance/test_static_types.py` reads the marks. Nothing is ignored here, nothing runs.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypedDict

from toolhaft import Context, Deny, Doc, Err, Injected, Ok, Toolset, agent_loop, tool
from toolhaft.lowering import lower
from toolhaft.testing import ScriptedModel


class Query(BaseModel):
    words: str


class Answer(BaseModel):
    hits: int


@dataclass
class Place:
    town: str


class Keys(TypedDict):
    n: int


class Request:
    user: str


def look_up(query: Query) -> Answer:
    """d"""
    return Answer(hits=len(query.words))


async def look_up_later(query: Query) -> Answer:
    """d"""
    return look_up(query)


def look_up_for(query: Query, *, context: Context[Request]) -> Answer:
    """d"""
    return look_up(query) if context.user else Answer(hits=0)


def count(words: str, page: int = 1) -> int:
    """d"""
    return len(words) * page


def pairs(query: Query) -> list[Answer]:
    """d"""
    return [look_up(query)]


def untyped(query: Any) -> Any:
    """d"""
    return query


def may(arguments: Any, context: Any) -> bool | Deny:
    return bool(arguments) or Deny(str(context))


def is_large(arguments: Mapping[str, Any]) -> bool:
    return len(arguments) > 3


def is_of_queries(query: Query, context: object) -> bool:
    return query.words != context


def is_of_places(place: Place) -> bool:
    return place.town != ""


answers = TypeAdapter(Answer)

# ------------------------------------------------------------------------------- forty right
tool(count)
tool(count, name="count", title="Count", description="Count.", timeout=5, parallel=False)
tool(count, timeout=None, name=None, strict=True, coerce="lenient", extra="ignore")
tool(count, parameters={"type": "object"}, omit=("page",))
tool(count, output=int)
tool(count, output=None)
tool(count, output={"type": "integer"})
tool(count, requires_approval=is_large, authorize=may)
tool(count, requires_approval=lambda arguments: arguments["page"] > 1)
tool(count, requires_approval=lambda arguments, context, name: bool(context and name))
tool(count, authorize=lambda arguments, context, allowed=("a",): context in allowed)
tool(look_up, input=Query, authorize=lambda query: query.words != "")
tool(look_up, input=Query, authorize=is_of_queries, requires_approval=is_of_queries)
tool(input=Query, authorize=lambda query, context: query.words != context)(look_up)
tool(count).call_sync({}, authorize=lambda arguments: arguments["page"] > 1)
tool(count, errors={KeyError: "no such word"}, render=str, limit=2, isolation="process")
tool(count, annotations={"readOnlyHint": True}, examples=[{"words": "a"}], metadata={"a": 1})
tool(untyped, input=Query)
tool(untyped, input=Query, output=Answer)
tool(look_up, input=Query)
tool(look_up, input=Query, parameters={"type": "object"})
tool(look_up, input=Query, output=Answer).call_sync({"words": "a"}).unwrap()
tool(look_up, input=Query, output=BaseModel)
tool(look_up, input=Query, output=Answer | None)
tool(look_up, input=Query, output=answers)
tool(look_up_later, input=Query, output=Answer, name="look_up", timeout=2)
tool(look_up_for, input=Query, output=Answer)
tool(pairs, input=Query, output=list[Answer])
tool(lambda query: Answer(hits=len(query.words)), name="n", description="d", input=Query)
tool(lambda arguments: arguments, name="n", description="d", input={"type": "object"})
tool(lambda either: either, name="n", description="d", input=Query | Place)
tool(functools.partial(count, "a"), name="count_a")
Toolset([tool(count), count, tool(look_up, input=Query)], authorize=may, limit=3)
Toolset([count]).export("openai", strict="prefer")
Toolset([count]).export("a-target-of-a-plugin")
lower({"type": "object"}, "gemini-openapi")
agent_loop.run_sync(ScriptedModel(), model="m", messages=[], tools=Toolset([count]), temperature=0)
tool(count).replace(timeout=1, name="again", limit=None)
tool(count).transform(rename={"words": "text"}, hide={"page": 1}, describe={"words": "What."})
tool(count).formatted(str)
tool(count)("a", page=2)


@tool
async def plain(town: Annotated[str, Doc("Where.")], *, user: Injected[str]) -> Place:
    """d"""
    return Place(town + user)


@tool(name="decorated", strict="prefer", requires_approval=True)
def decorated(n: int, unit: Literal["C", "F"] = "C") -> Keys:
    """d"""
    return {"n": n if unit == "C" else 0}


@tool(input=Query, output=Answer, timeout=3)
async def both(query: Query, *, context: Context[Request]) -> Answer:
    """d"""
    return look_up_for(query, context=context)


class Shop:
    @tool
    def hours(self, day: str) -> str:
        """d"""
        return day

    @tool
    @staticmethod
    def add(a: int, b: int = 1) -> int:
        """d"""
        return a + b

    @tool(timeout=1)
    @classmethod
    def name(cls, short: bool) -> str:
        """d"""
        return cls.__name__[: 1 if short else None]


def right(outcome: Ok[int] | Err) -> str:
    Shop().hours("Monday").upper()
    Shop.add(1, b=2).bit_length()
    Shop().name(short=True).upper()
    decorated(1, "F")["n"].bit_length()
    return outcome.text if outcome else outcome.kind


# ------------------------------------------------------------------------------- forty wrong
tool(3)  # wrong
tool("count")  # wrong
tool(count, nmae="count")  # wrong
tool(count, name=3)  # wrong
tool(count, timeout="5")  # wrong
tool(count, strict="maybe")  # wrong
tool(count, coerce="strict")  # wrong
tool(count, extra="allow")  # wrong
tool(count, isolation="thread")  # wrong
tool(count, examples={"words": "a"})  # wrong
tool(count, limit="two")  # wrong
tool(count, parameters=[])  # wrong
tool(count, requires_approval="yes")  # wrong
tool(count, authorize=True)  # wrong
tool(count, authorize=lambda: True)  # wrong
tool(count, authorize=lambda a, b, c, d: True)  # wrong
tool(count, requires_approval=lambda: True)  # wrong
tool(look_up, input=Query, authorize=is_of_places)  # wrong
tool(input=Query, authorize=is_of_places)(look_up)  # wrong
tool(input=Query, requires_approval=lambda a, b, c, d: True)(look_up)  # wrong
Toolset([count], authorize=lambda: True)  # wrong
tool(count, output=str)  # wrong
tool(look_up, input=Place)  # wrong
tool(look_up, input={"type": "object"})  # wrong
tool(look_up, input=Query, tiemout=5)  # wrong
tool(look_up, input=Query, timeout="5")  # wrong
tool(look_up, input=Place, output=Answer)  # wrong
tool(look_up, input=Query, output=Query)  # wrong
tool(look_up_later, input=Query, output=Query)  # wrong
tool(look_up_for, input=Query, output=Place)  # wrong
tool(pairs, input=Query, output=list[Query])  # wrong
tool(lambda query: query.wrods, name="n", description="d", input=Query)  # wrong
tool(timeout="5")  # wrong
tool(nmae="x")  # wrong
tool(input=Query, nmae="x")  # wrong
tool(input=Query)(count)  # wrong
tool(input=Query, output=Query)(look_up)  # wrong
tool(output=str)(count)  # wrong
tool(count)(3)  # wrong
tool(count)("a", pgae=2)  # wrong
tool(count).replace(nmae="x")  # wrong
str(tool(count).nmae)  # wrong
tool(count).call_sync(3)  # wrong
Toolset([count], autorize=may)  # wrong
Toolset([count]).export("openai", strict="maybe")  # wrong
agent_loop.run_sync(ScriptedModel(), model="m", messages=[], tools=Toolset(), tmperature=0)  # wrong
Shop().hours(3)  # wrong
