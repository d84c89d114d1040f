"""Where a schema has the fields of what is made as a plain dict."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.marks import marks_of
from toolhaft.vendors.fields import Containers, FieldKey, mark_fields

NUMBER = FieldKey("maxOf", "most", "static")
MADE = FieldKey("made", "made", "factory")
SENT = FieldKey("n", "n")


def marked(*keys: FieldKey) -> dict[str, Any]:
    node: dict[str, Any] = {"type": "object"}
    mark_fields(node, keys)
    return node


def test_the_fields_stand_where_the_dict_does() -> None:
    found = Containers({"type": "array", "items": marked(SENT, NUMBER)})
    assert found.keys == [SENT, NUMBER]
    assert [found.at(path) for path in ((), (3,), (3, "n"))] == [[], [SENT, NUMBER], []]


def test_a_union_has_the_fields_of_all_its_forms() -> None:
    found = Containers({"anyOf": [marked(NUMBER), {"type": "null"}, marked(MADE)]})
    assert found.at(()) == [NUMBER, MADE]


def test_nothing_is_written_of_keys_that_are_all_sent_and_kept_by_their_names() -> None:
    node = marked(SENT)
    assert marks_of(node) == {}
    assert Containers(node).keys == []
