"""The handler's parameter and the tool's types are inferred from `input=`, for each vendor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, assert_type

import attrs
import marshmallow
import msgspec
import voluptuous
from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypedDict

from toolhaft import Tool, tool
from toolhaft.spec import Failure, Mode, StandardSchema, Success


class Model(BaseModel):
    n: int


class Struct(msgspec.Struct):
    n: int


@attrs.define
class Attrs:
    n: int


@dataclass
class Plain:
    n: int


@dataclass(frozen=True)
class Frozen:
    n: int


class Keys(TypedDict):
    n: int


class Pair(NamedTuple):
    n: int


class Fields(marshmallow.Schema):
    n = marshmallow.fields.Integer()


class Native:
    """A schema object of another library."""

    version = 1
    vendor = "other"

    def validate(self, value: object, /) -> Success[Plain] | Failure:
        return Success(Plain(len(str(value))))

    def json_schema(self, *, target: str = "", mode: Mode = "input") -> dict[str, Any]:
        return {"target": target, "mode": mode}


class Carrier:
    @property
    def __standard_schema__(self) -> StandardSchema[Plain]:
        return Native()


# ------------------------------------------------------- a plain call, the lambda's parameter

by_model = tool(lambda given: given.n, name="t", description="d", input=Model)
assert_type(by_model, Tool[[Model], int, int, Model])
by_struct = tool(lambda given: given.n, name="t", description="d", input=Struct)
assert_type(by_struct, Tool[[Struct], int, int, Struct])
by_attrs = tool(lambda given: given.n, name="t", description="d", input=Attrs)
assert_type(by_attrs, Tool[[Attrs], int, int, Attrs])
by_plain = tool(lambda given: given.n, name="t", description="d", input=Plain)
assert_type(by_plain, Tool[[Plain], int, int, Plain])
by_frozen = tool(lambda given: given.n, name="t", description="d", input=Frozen)
assert_type(by_frozen, Tool[[Frozen], int, int, Frozen])
by_keys = tool(lambda given: given["n"], name="t", description="d", input=Keys)
assert_type(by_keys, Tool[[Keys], int, int, Keys])
by_pair = tool(lambda given: given.n, name="t", description="d", input=Pair)
assert_type(by_pair, Tool[[Pair], int, int, Pair])
by_list = tool(lambda given: given[0].n, name="t", description="d", input=list[Model])
assert_type(by_list, Tool[[list[Model]], int, int, list[Model]])
by_union = tool(lambda given: given.n, name="t", description="d", input=Model | Struct)
assert_type(by_union, Tool[[Model | Struct], int, int, Model | Struct])
by_note = tool(lambda given: given.n, name="t", description="d", input=Annotated[Model, "note"])
assert_type(by_note, Tool[[Model], int, int, Model])
by_words = tool(lambda given: given, name="t", description="d", input=Literal["a", "b"])
assert_type(by_words.input_schema, StandardSchema[Literal["a", "b"]])
by_native = tool(lambda given: given.n, name="t", description="d", input=Native())
assert_type(by_native, Tool[[Plain], int, int, Plain])
by_carrier = tool(lambda given: given.n, name="t", description="d", input=Carrier())
assert_type(by_carrier, Tool[[Plain], int, int, Plain])
by_schema = tool(lambda given: len(given) + 1, name="t", description="d", input={"type": "object"})
assert_type(by_schema, Tool[[dict[str, Any]], int, int, dict[str, Any]])
adapts = TypeAdapter(Model)  # by a name: mypy asks a call written inside for Any
by_adapter = tool(lambda given: given.n, name="t", description="d", input=adapts)
assert_type(by_adapter, Tool[[Model], int, int, Model])
by_fields = tool(lambda given: len(given) + 1, name="t", description="d", input=Fields())
assert_type(by_fields, Tool[[Any], int, int, Any])
by_fields_class = tool(lambda given: len(given) + 1, name="t", description="d", input=Fields)
assert_type(by_fields_class, Tool[[Any], int, int, Any])
by_voluptuous = tool(
    lambda given: len(given) + 1, name="t", description="d", input=voluptuous.Schema({"n": int})
)
assert_type(by_voluptuous, Tool[[dict[str, Any]], int, int, dict[str, Any]])


# ---------------------------------------------------------------------------- a decorator


@tool(input=Model)
def sync_handler(given: Model) -> str:
    """d"""
    return str(given.n)


assert_type(sync_handler(Model(n=1)), str)
assert_type(sync_handler.input_schema, StandardSchema[Model])
assert_type(sync_handler.execute_sync({"n": 1}), str)


@tool(input=Struct, name="search", timeout=5)
async def async_handler(given: Struct) -> str:
    """d"""
    return str(given.n)


assert_type(async_handler.input_schema, StandardSchema[Struct])
assert_type(async_handler.execute_sync(), str)


async def awaits() -> None:
    assert_type(await async_handler(Struct(1)), str)
    assert_type(await async_handler.execute({"n": 1}), str)


@tool(input=Model | Struct)
def of_a_union(given: Model | Struct) -> int:
    """d"""
    return given.n


assert_type(of_a_union.input_schema, StandardSchema[Model | Struct])


@tool(input=Fields)
def of_marshmallow(given: dict[str, Any]) -> int:
    """d"""
    return len(given)


assert_type(of_marshmallow.input_schema, StandardSchema[Any])


@tool(input=voluptuous.Schema({"n": int}))
def of_voluptuous(given: dict[str, Any]) -> int:
    """d"""
    return len(given)


assert_type(of_voluptuous.input_schema, StandardSchema[dict[str, Any]])


numbers = TypeAdapter(list[int])


@tool(input=numbers)
def of_a_type_adapter(given: list[int]) -> int:
    """d"""
    return len(given)


assert_type(of_a_type_adapter.input_schema, StandardSchema[list[int]])


@tool(input={"type": "object"})
def of_a_json_schema(given: dict[str, Any]) -> int:
    """d"""
    return len(given)


assert_type(of_a_json_schema.input_schema, StandardSchema[dict[str, Any]])


@tool(input=Native())
def of_a_schema_object(given: Plain) -> int:
    """d"""
    return given.n


assert_type(of_a_schema_object.input_schema, StandardSchema[Plain])


# ------------------------------------------------------------------- input= and output=


@tool(input=Model, output=Struct)
def both(given: Model) -> Struct:
    """d"""
    return Struct(given.n)


assert_type(both(Model(n=1)), Struct)
assert_type(both.execute_sync(), Struct)
assert_type(both.input_schema, StandardSchema[Model])
assert_type(both.output_schema, StandardSchema[Struct] | None)


@tool(input=Plain, output=Keys)
async def both_async(given: Plain) -> Keys:
    """d"""
    return {"n": given.n}


assert_type(both_async.input_schema, StandardSchema[Plain])
assert_type(both_async.execute_sync(), Keys)


@tool(output=Attrs)
def only_output(n: int, *, m: str = "") -> Attrs:
    """d"""
    return Attrs(n + len(m))


assert_type(only_output(1, m="x"), Attrs)
assert_type(only_output.execute_sync({"n": 1}), Attrs)
assert_type(only_output.output_schema, StandardSchema[Attrs] | None)


# ------------------------------------------------------------------------ errors, expected


def takes_a_model(given: Model) -> int:
    """d"""
    return given.n


tool(input=Struct)(takes_a_model)  # type: ignore[arg-type] # pyright: ignore[reportCallIssue, reportArgumentType]
tool(takes_a_model, input=Struct)  # type: ignore[arg-type] # pyright: ignore[reportCallIssue, reportArgumentType]
tool(input=Model, output=Struct)(takes_a_model)  # type: ignore[arg-type] # pyright: ignore[reportCallIssue, reportArgumentType]
tool(takes_a_model, input=Model, nmae="x")  # type: ignore[arg-type,type-var] # pyright: ignore[reportArgumentType]
tool(takes_a_model, input=Model, timeout="5")  # type: ignore[arg-type,type-var] # pyright: ignore[reportCallIssue, reportArgumentType]
sync_handler(Struct(1))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
late: Callable[[Struct], str] = sync_handler  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]
