"""pydantic's errors come out in our words, at exact paths, without values or class names."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    StringConstraints,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from tests.vendors.pydantic.samples import (
    Aliased,
    Checked,
    Color,
    Flat,
    Level,
    Open,
    Pair,
    Pet,
    Plain,
    Tree,
)
from toolhaft.spec import Issue
from toolhaft.vendors import pydantic


def issues(tp: Any, data: Any) -> list[Issue]:
    """pydantic's own findings, without what the emitted schema would find."""
    adapter = pydantic.adapter(tp)
    try:
        adapter.construct(data)
    except adapter.rejects as error:
        return adapter.explain(error, data)
    raise AssertionError("accepted")


def words(tp: Any, data: Any) -> list[str]:
    return [str(issue) for issue in issues(tp, data)]


def ge(bound: Any) -> Any:
    return Annotated[float, Field(ge=bound)]


@pytest.mark.requirement("vendor-one-error-language")
@pytest.mark.parametrize(
    ("tp", "data", "code", "message"),
    [
        (int, "x", "type", "expected integer, received string"),
        (int | None, "x", "type", "expected integer or null, received string"),
        (int | str | None, [], "type", "expected integer or string or null, received array"),
        (bool, 1, "type", "expected boolean, received integer"),
        (float, None, "type", "expected number, received null"),
        (set[int], {}, "type", "expected array, received object"),
        (dict[str, int], [], "type", "expected object, received array"),
        (Flat, 1.5, "type", "expected object, received number"),
        (Decimal, True, "type", "expected integer or number or string, received boolean"),
        (ge(2), 1, "value", "expected at least 2"),
        (ge(2.5), 1, "value", "expected at least 2.5"),
        (Annotated[int, Field(gt=2)], 1, "value", "expected more than 2"),
        (Annotated[int, Field(lt=2)], 3, "value", "expected less than 2"),
        (Annotated[int, Field(le=2)], 3, "value", "expected at most 2"),
        (Annotated[int, Field(multiple_of=5)], 3, "value", "expected a multiple of 5"),
        (Annotated[str, Field(min_length=2)], "", "value", "expected at least 2 characters"),
        (Annotated[str, Field(max_length=1)], "ab", "value", "expected at most 1 character"),
        (Annotated[list[int], Field(min_length=1)], [], "value", "expected at least 1 item"),
        (
            Annotated[dict[str, int], Field(min_length=1)],
            {},
            "value",
            "expected at least 1 key",
        ),
        (
            Annotated[Decimal, Field(max_digits=2)],
            "1.23",
            "value",
            "expected at most 2 digits",
        ),
        (set[int], [1, 1], "value", "expected no duplicate items"),
        (Literal["a", "b"], "c", "enum", 'expected one of "a", "b"'),
        (Literal[1], 2, "enum", "expected 1"),
        (Color, "c", "enum", 'expected one of "a", "b"'),
        (Level, 3, "enum", "expected one of 1, 2"),
        (
            Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"],
            "0",
            "enum",
            'expected one of "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", ...',
        ),
        (Annotated[str, Field(pattern="^a$")], "b", "format", "expected text that matches ^a$"),
        (
            Annotated[str, Field(pattern="a" * 80)],
            "b",
            "format",
            f"expected text that matches {'a' * 59}…",
        ),
        (AnyUrl, "nope", "format", "expected format uri"),
        (timedelta, "3600", "format", "expected format duration"),
        (timedelta, "soon", "format", "expected format duration"),
        (Pet, {"k": "cow"}, "union", "expected one of the known tags"),
    ],
)
def test_a_fault_has_its_code_and_its_words(tp: Any, data: Any, code: str, message: str) -> None:
    assert [(issue.code, issue.message) for issue in issues(tp, data)] == [(code, message)]


class House(BaseModel):
    model_config = ConfigDict(extra="forbid")
    pets: list[Pet] = []
    count: int | list[Flat] = 0
    by_name: dict[str, Flat | int] = {}
    pair: Pair | None = None
    plain: Plain | None = None
    checked: Checked | None = None
    tree: Tree | None = None
    alias: Aliased | None = None
    more: Open | None = None
    key: dict[int, tuple[int, str]] = {}


@pytest.mark.requirement("vendor-exact-paths")
@pytest.mark.parametrize(
    ("data", "found"),
    [
        (
            {"pets": [{"k": "cat", "lives": "9"}]},
            ["pets.0.lives: expected integer, received string"],
        ),
        (
            {"pets": [{"k": "dog", "bark": True}, {"k": "dog", "bark": 1, "dog": {"bark": 2}}]},
            ["pets.1.bark: expected boolean, received integer"],
        ),
        (
            {"count": [{"a": 1}, {"a": "x"}]},
            [
                "count: expected integer, received array",
                "count.1.a: expected integer, received string",
            ],
        ),
        (
            {"by_name": {"int": {"a": "x"}}},
            [
                "by_name.int.a: expected integer, received string",
                "by_name.int: expected integer, received object",
            ],
        ),
        ({"pair": ["x"]}, ["pair.0: expected integer, received string"]),
        ({"plain": {"a": 1, "t": [1, 2]}}, ["plain.t.1: expected string, received integer"]),
        ({"checked": {"a": 1, "s": ["q", 1]}}, ["checked.s.1: expected string, received integer"]),
        ({"tree": {"v": 1, "kids": [{"v": 2, "kids": [{}]}]}}, ["tree.kids.0.kids.0.v: required"]),
        ({"alias": {}}, ["alias.theA: required"]),
        ({"alias": {"theA": 1, "bb": "x"}}, ["alias.bb: expected integer, received string"]),
        ({"more": {"a": 1, "z": "q"}}, ["more.z: expected integer, received string"]),
        ({"key": {"x": [1, "a"]}}, ["key.x: expected format integer"]),
        ({"key": {"1": ["a", 1]}}, [
            "key.1.0: expected integer, received string",
            "key.1.1: expected string, received integer",
        ]),
        ({"kee": 1}, ["kee: unknown"]),
    ],
)  # fmt: skip
def test_a_path_leads_into_the_data_and_names_no_branch(data: Any, found: list[str]) -> None:
    assert words(House, data) == found


class Spread(BaseModel):
    """It is written as text, and read as two numbers."""

    first: int
    last: int

    @model_validator(mode="before")
    @classmethod
    def split(cls, value: Any) -> Any:
        return dict(zip(("first", "last"), value.split("-"), strict=False))


def test_a_path_that_an_author_made_up_leads_to_nothing() -> None:
    assert words(list[Spread], ["1-2"]) == [
        "0.first: expected integer, received nothing",
        "0.last: expected integer, received nothing",
    ]


class Guarded(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def judge(cls, n: int) -> int:
        if n == 1:
            raise ValueError("one is too few")
        if n == 2:
            raise AssertionError
        if n == 3:
            raise PydanticCustomError("three", "three is {word}", {"word": "a crowd"})
        if n == 4:
            raise ValueError("x" * 1_000)
        return n


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (1, "one is too few"),
        (2, "refused"),
        (3, "three is a crowd"),
        (4, "x" * 299 + "…"),
    ],
)
def test_an_authors_own_words_are_shown_and_bounded(n: int, message: str) -> None:
    (issue,) = issues(Guarded, {"n": n})
    assert (issue.code, issue.message, issue.path) == ("custom", message, ("n",))


def test_neither_the_value_nor_a_class_or_a_link_is_in_an_issue() -> None:
    found = issues(House, {"pets": [{"k": "s3cret"}], "count": "s3cret", "tree": {"v": "s3cret"}})
    text = repr(found)
    assert not any(word in text for word in ("s3cret", "House", "Cat", "Tree", "https://"))


def test_a_message_of_pydantics_own_is_not_shown() -> None:
    assert words(Json[int], "{") == ["expected format JSON text"]
    assert words(AnyUrl, "http://") == ["expected format uri"]
    assert words(Annotated[str, StringConstraints(ascii_only=True)], "ü") == ["not accepted"]
