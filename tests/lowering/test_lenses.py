"""Each lens: there and back, what it refuses, and where a path stands on the wire."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.lowering.lenses.arguments import Lens
from toolhaft.lowering.lenses.arrays import ArrayLens, TupleLens
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, ReferenceLens
from toolhaft.lowering.lenses.objects import Member, ObjectLens, PairsLens, WrapLens
from toolhaft.lowering.lenses.unions import (
    BranchSignature,
    Choice,
    KindLens,
    NullableLens,
    UnionLens,
)
from toolhaft.lowering.lenses.values import ANYTHING, SCALAR_OR_TEXT, EnumLens, JsonTextLens
from toolhaft.spec import Failure, Issue, Path

PAIRS = PairsLens(EnumLens((("1", 1), ("2", 2))))
OBJECT = ObjectLens({"a[b]": Member("a_b"), "n": Member("n", PAIRS, null_is_absent=True)})
REST = ObjectLens({"a": Member("a")}, IDENTITY, "more", PairsLens(), rest_required=True)
TUPLE = TupleLens((IDENTITY, PAIRS), ArrayLens(PAIRS), 1, null_is_absent=True)
LOOSE = TupleLens((IDENTITY, IDENTITY), None, 1, null_is_absent=False)
UNION = UnionLens(
    (
        Choice(
            BranchSignature(frozenset({"array"})),
            PAIRS,
            lambda v: isinstance(v, dict),
            lambda _: True,
        ),
        Choice(
            BranchSignature(frozenset({"object"}), tag="b"),
            WrapLens("b", IDENTITY),
            lambda v: isinstance(v, str),
            lambda _: True,
        ),
    )
)

ROUND: list[tuple[NodeLens, Any, Any]] = [
    (IDENTITY, {"a": 1}, {"a": 1}),
    (PAIRS, {"x": 1}, [{"key": "x", "value": "1"}]),
    (OBJECT, {"a[b]": 1}, {"a_b": 1, "n": None}),
    (OBJECT, {"n": {"x": 2}, "other": 0}, {"n": [{"key": "x", "value": "2"}], "other": 0}),
    (REST, {"a": 1, "b": 2}, {"a": 1, "more": [{"key": "b", "value": 2}]}),
    (REST, {}, {"more": []}),
    (TUPLE, [1], {"item_0": 1, "item_1": None, "rest": []}),
    (TUPLE, [1, {"k": 1}], {"item_0": 1, "item_1": [{"key": "k", "value": "1"}], "rest": []}),
    (TUPLE, [1, {}, {}], {"item_0": 1, "item_1": [], "rest": [[]]}),
    (LOOSE, [1], {"item_0": 1}),
    (ArrayLens(PAIRS, (IDENTITY,)), [1, {"k": 2}], [1, [{"key": "k", "value": "2"}]]),
    (WrapLens("value", PAIRS), {}, {"value": []}),
    (JsonTextLens(), {"a": [1]}, '{"a":[1]}'),
    (ANYTHING, [{"a": None}], [{"entries": [{"key": "a", "value": None}]}]),
    (SCALAR_OR_TEXT, {"a": 1}, {"json": '{"a":1}'}),
    (SCALAR_OR_TEXT, "[1]", "[1]"),
    (KindLens({"array": ArrayLens(PAIRS)}), [{}], [[]]),
    (KindLens({"array": ArrayLens(PAIRS)}), "x", "x"),
    (NullableLens(PAIRS), None, None),
    (NullableLens(PAIRS), {}, []),
    (ReferenceLens("/x", {"/x": PAIRS}), {}, []),
    (UNION, {"x": 1}, [{"key": "x", "value": "1"}]),
    (UNION, "x", {"b": "x"}),
]


@pytest.mark.parametrize(("lens", "value", "wire"), ROUND)
def test_a_value_goes_out_and_comes_back(lens: NodeLens, value: Any, wire: Any) -> None:
    assert lens.put(value) == wire
    assert Lens(lens).get(wire) == value


@pytest.mark.parametrize(
    ("lens", "wire", "issues"),
    [
        (PAIRS, {"x": 1}, ["expected array, received object"]),
        (PAIRS, [1], ["expected pairs of key and value"]),
        (PAIRS, [{"key": "x"}], ["expected pairs of key and value"]),
        (PAIRS, [{"key": "x", "value": "9"}], ["x: expected one of the listed values"]),
        (OBJECT, [], ["expected object, received array"]),
        (OBJECT, {"a_b": 1, "a[b]": 2}, ["a[b]: key written twice"]),
        (REST, {"a": 1, "more": [{"key": "a", "value": 2}]}, ["a: key written twice"]),
        (REST, {"more": 1}, ["expected array, received number"]),
        (TUPLE, [], ["expected object, received array"]),
        (TUPLE, {"item_0": 1, "item_1": None, "rest": [[]]}, ["1: required"]),
        (TUPLE, {"item_0": 1, "rest": "x"}, ["expected array, received string"]),
        (TUPLE, {"item_0": 1, "item_1": [], "rest": [1]}, ["2: expected array, received number"]),
        (LOOSE, {"item_1": 1}, ["0: required"]),
        (ArrayLens(PAIRS), "x", ["expected array, received string"]),
        (WrapLens("value", PAIRS), 1, ["expected object, received number"]),
        (WrapLens("value", PAIRS), {}, ["required"]),
        (JsonTextLens(), 1, ["expected string, received number"]),
        (JsonTextLens(), "{", ["not JSON: the text ends inside an object at line 1 column 1"]),
        (UNION, 1, ["expected one of 2 forms"]),
        (UNION, {"c": 1}, ["expected one of 2 forms"]),
    ],
)
def test_an_unreadable_value_is_an_issue(lens: NodeLens, wire: Any, issues: list[str]) -> None:
    found = Lens(lens).get(wire)
    assert isinstance(found, Failure)
    assert [str(issue) for issue in found.issues] == issues


@pytest.mark.parametrize(
    ("lens", "path", "wire", "expected"),
    [
        (PAIRS, ("x",), [{"key": "w"}, {"key": "x", "value": "1"}], (1, "value")),
        (PAIRS, ("z",), None, ("z",)),
        (PAIRS, (), [], ()),
        (OBJECT, ("a[b]", 0), {}, ("a_b", 0)),
        (OBJECT, ("other",), {}, ("other",)),
        (OBJECT, (), {}, ()),
        (REST, ("b", 1), {"more": [{"key": "b", "value": []}]}, ("more", 0, "value", 1)),
        (REST, ("more",), {"more": [{"key": "more", "value": 1}]}, ("more", 0, "value")),
        (TUPLE, (1, "k"), {"item_1": [{"key": "k", "value": "1"}]}, ("item_1", 0, "value")),
        (TUPLE, (2,), {"rest": []}, ("rest", 0)),
        (LOOSE, (2,), {}, ("rest", 0)),
        (TUPLE, (), {}, ()),
        (ArrayLens(PAIRS), (0, "k"), [[{"key": "k"}]], (0, 0, "value")),
        (ArrayLens(PAIRS), (), [], ()),
        (WrapLens("value", IDENTITY), ("x",), None, ("value", "x")),
        (JsonTextLens(), ("x",), "", ()),
        (EnumLens(()), ("x",), "", ()),
        (ANYTHING, ("a",), {"entries": [{"key": "a"}]}, ("entries", 0, "value")),
        (SCALAR_OR_TEXT, ("a",), {}, ("json",)),
        (SCALAR_OR_TEXT, (), "x", ()),
        (KindLens({}), (0,), [], (0,)),
        (NullableLens(PAIRS), ("x",), [{"key": "x"}], (0, "value")),
        (NullableLens(PAIRS), ("x",), None, ("x",)),
        (ReferenceLens("/x", {}), ("x",), {}, ("x",)),
        (UNION, ("x",), [{"key": "x"}], (0, "value")),
        (UNION, ("x",), 1, ("x",)),
    ],
)
def test_a_path_is_found_on_the_wire(lens: NodeLens, path: Path, wire: Any, expected: Path) -> None:
    assert Lens(lens).wire_path(path, wire) == expected


@pytest.mark.requirement("lowering-places")
@pytest.mark.parametrize(
    ("lens", "path", "wire", "expected"),
    [
        (IDENTITY, ("x", 0), {}, ("x", 0)),
        (PAIRS, (1, "value"), [{"key": "w"}, {"key": "x", "value": "1"}], ("x",)),
        (PAIRS, (0, "key"), [{"key": "w"}], ("w",)),
        (PAIRS, (0,), [1], ()),
        (PAIRS, (7, "value"), [], ()),
        (PAIRS, (), [], ()),
        (OBJECT, ("a_b", 0), {}, ("a[b]", 0)),
        (OBJECT, ("n",), {}, ("n",)),
        (OBJECT, ("other",), {}, ("other",)),
        (OBJECT, (), {}, ()),
        (REST, ("more", 0, "value", 1), {"more": [{"key": "b", "value": []}]}, ("b", 1)),
        (TUPLE, ("item_1", 0, "value"), {"item_1": [{"key": "k", "value": "1"}]}, (1, "k")),
        (TUPLE, ("rest", 0), {"rest": []}, (2,)),
        (TUPLE, ("rest",), {"rest": []}, ()),
        (TUPLE, (), {}, ()),
        (LOOSE, ("rest", 0), {}, ()),
        (ArrayLens(PAIRS), (0, 0, "value"), [[{"key": "k"}]], (0, "k")),
        (ArrayLens(PAIRS), (), [], ()),
        (WrapLens("value", IDENTITY), ("value", "x"), None, ("x",)),
        (JsonTextLens(), ("x",), "", ()),
        (EnumLens(()), ("x",), "", ()),
        (ANYTHING, ("entries", 0, "value"), {"entries": [{"key": "a"}]}, ("a",)),
        (SCALAR_OR_TEXT, ("json",), {}, ()),
        (KindLens({}), (0,), [], (0,)),
        (NullableLens(PAIRS), (0, "value"), [{"key": "x"}], ("x",)),
        (NullableLens(PAIRS), ("x",), None, ("x",)),
        (ReferenceLens("/x", {}), ("x",), {}, ("x",)),
        (UNION, (0, "value"), [{"key": "x"}], ("x",)),
        (UNION, ("x",), 1, ("x",)),
    ],
)
def test_a_path_on_the_wire_is_found_in_the_original(
    lens: NodeLens, path: Path, wire: Any, expected: Path
) -> None:
    assert Lens(lens).own_path(path, wire) == expected


@pytest.mark.requirement("lowering-issues-in-wire-terms")
def test_the_model_reads_issues_at_the_places_where_it_wrote() -> None:
    issues = [Issue("expected integer, received string", ("n", "x"), "type", "integer", "string")]
    wire = {"n": [{"key": "x", "value": "1"}]}
    assert Lens(OBJECT).wire_issues(issues, wire) == [
        Issue("expected integer, received string", ("n", 0, "value"), "type", "integer", "string")
    ]


@pytest.mark.parametrize("lens", [lens for lens, _, _ in ROUND if not isinstance(lens, (WrapLens))])
def test_a_value_that_does_not_fit_is_left_alone(lens: NodeLens) -> None:
    if not isinstance(lens, JsonTextLens | UnionLens):
        assert lens.put(0.5) == 0.5


def test_a_value_is_written_by_the_first_branch_that_takes_what_it_writes() -> None:
    def choice(tag: str, takes: bool) -> Choice:
        signature = BranchSignature(frozenset({"object"}), tag=tag)
        return Choice(
            signature,
            WrapLens(tag, IDENTITY),
            lambda _: True,
            lambda wire: wire == {tag: 1} and takes,
        )

    assert UnionLens((choice("a", False), choice("b", True))).put(1) == {"b": 1}
    assert UnionLens((choice("a", True), choice("b", True))).put(1) == {"a": 1}
    assert UnionLens((choice("a", False), choice("b", False))).put(1) == {"a": 1}
