from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.document.references import faults_at, is_uri, ref_to, resolve, tokens
from toolhaft.schema.faults import SchemaRefused

ROOT = {
    "$defs": {
        "plain": 1,
        "a/b": 2,
        "a~b": 3,
        "a b": 4,
        "a%b": 5,
        "é": 6,
        'q"': 7,
        "": 8,
        "~1": 9,
        "list": [10, {"deep": 11}],
    },
}


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("#/$defs/plain", 1),
        ("#/$defs/a~1b", 2),
        ("#/$defs/a~0b", 3),
        ("#/$defs/a%20b", 4),
        ("#/$defs/a b", 4),
        ("#/$defs/a%25b", 5),
        ("#/$defs/%C3%A9", 6),
        ("#/$defs/q%22", 7),
        ("#/$defs/", 8),
        ("#/$defs/~01", 9),
        ("#/%24defs/plain", 1),
        ("#/$defs/list/0", 10),
        ("#/$defs/list/1/deep", 11),
    ],
)
def test_a_pointer_is_read_with_its_escapes(ref: str, found: int) -> None:
    assert resolve(ROOT, ref) == found


def test_the_root_refers_to_itself() -> None:
    assert resolve(ROOT, "#") is ROOT


@pytest.mark.parametrize(
    "ref",
    ["#/$defs/gone", "#/$defs/list/2", "#/$defs/list/00", "#/$defs/list/-1", "#/$defs/plain/x"],
)
def test_a_pointer_to_nothing_is_refused(ref: str) -> None:
    with pytest.raises(SchemaRefused, match="no schema at"):
        resolve(ROOT, ref)


@pytest.mark.requirement("schema-refs-local")
@pytest.mark.parametrize(
    "ref",
    [
        "http://127.0.0.1:9/x.json",
        "file:///etc/passwd",
        "other.json#/$defs/a",
        "urn:uuid:1",
        "#1st",
        "#a b",
        "",
        3,
        None,
    ],
)
def test_whatever_is_no_pointer_into_the_schema_is_refused(ref: Any) -> None:
    assert tokens(ref) is None
    with pytest.raises(SchemaRefused):
        resolve(ROOT, ref)
    [fault] = faults_at(("items",), {"$ref": ref})
    assert fault.pointer == "/items"


def test_a_reference_is_written_so_that_it_reads_back() -> None:
    for name in [*ROOT["$defs"], "a?b", "100%", "tab\t", "日本"]:
        ref = ref_to(("$defs", name))
        assert is_uri(ref), ref
        assert tokens(ref) == ("$defs", name)


@pytest.mark.requirement("schema-refs-local")
@pytest.mark.parametrize(
    "word", ["$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"]
)
def test_other_means_of_reference_are_refused_by_name(word: str) -> None:
    [fault] = faults_at((), {word: "#a"})
    assert str(fault).startswith(f"schema: {word} is not supported; use $ref")


@pytest.mark.requirement("schema-anchors")
def test_an_anchor_is_found_wherever_it_stands() -> None:
    place = {"$anchor": "pl-1.x", "type": "string"}
    root = {
        "$defs": {"a": {"items": place}},
        "properties": {"$anchor": {"const": {"$anchor": "q"}}},
    }
    assert resolve(root, "#pl-1.x") is resolve(root, "#p%6C-1.x") is place
    for ref in ("#q", "#gone"):
        with pytest.raises(SchemaRefused, match=f"no schema at .ref {ref}"):
            resolve(root, ref)


@pytest.mark.requirement("schema-anchors")
@pytest.mark.parametrize("anchor", ["#a", "1st", "", "a b", "a/b", 3, None])
def test_a_malformed_anchor_is_refused(anchor: Any) -> None:
    [fault] = faults_at(("items",), {"$anchor": anchor})
    assert (fault.pointer, fault.reason) == ("/items/$anchor", "malformed $anchor")


def test_what_is_no_object_refers_to_nothing() -> None:
    assert faults_at((), True) == []


def test_a_reference_is_shown_escaped_and_cut() -> None:
    [fault] = faults_at((), {"$ref": "x\n" + "y" * 500})
    assert fault.reason == "$ref points outside this schema: x\\n" + "y" * 77
