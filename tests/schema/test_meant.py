"""Which branch of a union data mean: one answer for every feature that asks."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.branches import Trial, meant_branch
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.schema.explain.explainer import Explainer
from toolhaft.schema.marks import MARK
from toolhaft.schema.meant import Unions
from toolhaft.schema.unknown_keys import Declared, branch_of, unknown_keys

INTEGER: dict[str, Any] = {"type": "integer"}
NUMBER: dict[str, Any] = {"type": "number"}
TEXT: dict[str, Any] = {"type": "string"}


def an_object(
    *required: str, extra: str = "ignore", others: dict[str, Any] | None = None, **keys: Any
) -> dict[str, Any]:
    """Write the gate of an object of these keys."""
    others = others or {}
    properties = {**keys, **dict.fromkeys(others, False)}
    closed = {"additionalProperties": False} if extra == "forbid" else {}
    marks = {"extra": extra, **({"other_names": others} if others else {})}
    node = {"type": "object", "properties": properties, **closed, MARK: marks}
    return {**node, "required": [*required]} if required else node


def a_list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


X, Y = an_object(x=INTEGER), an_object(y=INTEGER)
PAIR = an_object(extra="forbid", x=INTEGER, y=INTEGER)
OPEN = an_object(extra="allow", x=INTEGER)
NAMED = an_object(others={"total": "amount"}, amount=INTEGER, n=INTEGER)
KIND_A = an_object("kind", kind={"const": "a"}, n=INTEGER)
KIND_B = an_object("kind", kind={"const": "b"}, n=NUMBER)

# The branches, data that fit some of them, and the places of the branch that is meant and of all
# that the data fit.
FITTING: list[tuple[str, list[Any], Any, int, list[int]]] = [
    ("by its type", [X, a_list(INTEGER)], [1], 1, [1]),
    ("beside null", [{"type": "null"}, X], {"y": 1}, 1, [1]),
    ("by its keys", [X, Y], {"y": 1}, 1, [0, 1]),
    ("by the values of its keys", [X, Y], {"y": 1, "x": "text"}, 1, [1]),
    ("by a constant", [KIND_A, KIND_B], {"kind": "b", "n": 1}, 1, [1]),
    ("the first of two alike", [X, {**X}], {"x": 1}, 0, [0, 1]),
    ("the first for no keys", [X, Y], {}, 0, [0, 1]),
    ("by what a key holds", [X, an_object(p=X)], {"p": {"x": 1, "z": 1}, "y": 1}, 1, [0, 1]),
    ("by the larger part", [X, Y], {"x": 1, "y": 1}, 0, [0, 1]),
    ("by another name of a key", [X, NAMED], {"n": 1, "total": 5}, 1, [0, 1]),
    ("by another name alone", [NAMED, an_object(total=INTEGER)], {"total": 5}, 1, [0, 1]),
    ("by what it declares beside what it forbids", [X, PAIR], {"x": 1, "y": 1, "z": 1}, 1, [0, 1]),
    ("what drops before what forbids", [PAIR, X], {"x": 1, "z": 1}, 1, [0, 1]),
    ("what keeps before what forbids", [Y, PAIR, OPEN], {"x": 1, "y": 1, "z": 1}, 2, [0, 1, 2]),
    ("what declares before what keeps", [OPEN, an_object(z=INTEGER)], {"z": 1}, 1, [0, 1]),
    ("what keeps what it needs", [{**OPEN, "required": ["k"]}, X], {"k": 1, "z": 1}, 0, [0, 1]),
    ("by the items of a list", [a_list(INTEGER), a_list(TEXT)], ["a"], 1, [1]),
    ("by the objects of a list", [a_list(X), a_list(Y)], [{"y": 1}], 1, [0, 1]),
    ("an inner union by its best", [{"anyOf": [X, Y]}, PAIR], {"y": 1}, 0, [0, 1]),
    ("a reference", [X, {"$ref": "#/$defs/y"}], {"y": 1}, 1, [0, 1]),
]  # fmt: skip


def union_of(branches: list[Any]) -> dict[str, Any]:
    return {"anyOf": branches, "$defs": {"y": Y}}


@pytest.mark.parametrize(("words", "branches", "data", "meant", "fitting"), FITTING)
def test_data_mean_the_branch_that_declares_the_most(
    words: str, branches: list[Any], data: Any, meant: int, fitting: list[int]
) -> None:
    union = union_of(branches)
    assert branch_of(union)(data) == meant, words
    assert branch_of({"oneOf": branches, "$defs": {"y": Y}})(data) == meant, words
    assert [*Unions(union).fitting(union)(data)] == fitting, words


@pytest.mark.parametrize(("words", "branches", "data", "meant", "fitting"), FITTING)
def test_keys_are_undeclared_if_the_meant_branch_does_not_declare_them(
    words: str, branches: list[Any], data: Any, meant: int, fitting: list[int]
) -> None:
    del fitting
    whole, alone = (unknown_keys(union_of(some)) for some in (branches, [branches[meant]]))
    kept = data if alone is None else alone.drop(data).data
    dropped = Declared(data, [], []) if whole is None else whole.drop(data)
    assert dropped.issues or dropped.data == kept, words


@pytest.mark.parametrize(("words", "branches", "data", "meant", "fitting"), FITTING)
def test_the_schemas_of_a_place_are_those_of_all_branches_that_data_fit(
    words: str, branches: list[Any], data: Any, meant: int, fitting: list[int]
) -> None:
    del meant
    union = union_of(branches)
    index = PlaceIndex(union, fitting_of=Unions(union).fitting)
    ((_, _, place), *_) = index.walk(data, lambda _: True)
    left = [at for at, branch in enumerate(branches) if any(p is branch for p in place.parts)]
    assert left == fitting, words


# The branches, data that fit none of them, and the place of the branch that is meant, if any.
REFUSED: list[tuple[str, list[Any], Any, int | None]] = [
    ("by its type", [X, TEXT], {"x": "a"}, 0),
    ("by its keys", [an_object("a", "b"), an_object("c", c=INTEGER)], {"c": "a"}, 1),
    ("by a constant", [KIND_A, KIND_B], {"kind": "b", "n": "a"}, 1),
    ("by all keys that are known", [an_object("a", a=TEXT), an_object("a", a=TEXT, b=TEXT)],
     {"a": 1, "b": 1}, 1),
    ("by far fewer faults", [an_object(a=TEXT, b=TEXT), an_object(a=TEXT, b=INTEGER)],
     {"a": 1, "b": 1}, 1),
    ("no branch if each is as near", [an_object("a", a=INTEGER), an_object("b", b=INTEGER)],
     {}, None),
]  # fmt: skip


@pytest.mark.parametrize(("words", "branches", "data", "meant"), REFUSED)
def test_data_that_fit_none_are_explained_by_the_branch_that_is_meant(
    words: str, branches: list[Any], data: Any, meant: int | None
) -> None:
    union = {"anyOf": branches}
    issues = Checker(union).issues(data)
    if meant is None:
        assert [issue.code for issue in issues] == ["union"], words
    else:
        explained = Explainer(union).node_issues(data, schema=branches[meant])
        assert issues == [found.issue for found in explained], words


def test_where_no_branch_is_clear_none_is_meant() -> None:
    assert meant_branch([]) is None
    assert meant_branch([Trial(faults=1, unread=1)]) is None
    assert meant_branch([Trial(faults=2), Trial(faults=1)]) == 1
    assert meant_branch([Trial(faults=2), Trial(faults=3)]) is None
    assert branch_of({"anyOf": [KIND_A, KIND_B]})({"kind": "c"}) is None


def test_branches_that_refer_to_other_places_than_definitions_are_told_apart() -> None:
    tree: dict[str, Any] = {"type": "object", "anyOf": [{"properties": {"t": {"$ref": "#"}}}, X]}
    assert Unions(tree).fitting(tree)({"t": {"t": {}}, "x": "a"}) == (0,)
    assert Unions(tree).fitting(tree)({"t": "a", "x": 1}) == (1,)


@pytest.mark.parametrize("kind", ["a", "b"])
def test_a_tag_leaves_one_branch(kind: str) -> None:
    union = union_of([{"type": "null"}, KIND_A, KIND_B])
    fitting = Unions(union).fitting(union)
    assert (
        fitting({"kind": kind}) == fitting({"kind": kind, "n": "text"}) == (1 + "ab".index(kind),)
    )


@pytest.mark.parametrize("data", [{"kind": "c"}, {"kind": ["a"]}, {"kind": None}, {"n": 1}, {}])
def test_no_branch_is_left_without_a_tag_that_is_known(data: Any) -> None:
    union = union_of([KIND_A, KIND_B])
    assert Unions(union).fitting(union)(data) == ()


def test_unions_inside_unions_are_decided_from_outside_to_inside() -> None:
    inner = {"anyOf": [KIND_A, KIND_B]}
    union = union_of([an_object("p", p=inner), {"allOf": [inner], "required": ["k"]}])
    index = PlaceIndex(union, fitting_of=Unions(union).fitting)
    places = {path: place for path, _, place in index.walk(
        {"kind": "b", "k": 1, "p": {"kind": "a"}}, lambda value: type(value) is dict
    )}  # fmt: skip
    assert [part is KIND_B for part in places[()].parts if part in (KIND_A, KIND_B)] == [True]
    assert [part is KIND_A for part in places[("p",)].parts if part in (KIND_A, KIND_B)] == [True]
