"""Parts of a response read alike, whether objects or mappings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from toolhaft import WireError
from toolhaft.providers.response import Part

DATA: dict[str, Any] = {"list": [{"text": "a"}], "object": {"inner": {}}, "none": None, "id": ""}
OBJECT = SimpleNamespace(
    list=(SimpleNamespace(text="a"),), object=SimpleNamespace(inner={}), none=None, id=""
)
BOTH = pytest.mark.parametrize("data", [DATA, OBJECT], ids=["mapping", "object"])


@BOTH
def test_fields_are_read_by_key_or_by_attribute(data: Any) -> None:
    whole = Part("acme", data)
    assert whole.part("object").get("inner") == {}
    assert [one.text("text") for one in whole.parts("list")] == ["a"]
    assert (whole.get("none"), whole.get("absent"), whole.id("id")) == (None, None, None)


@BOTH
def test_a_part_knows_where_it_stands(data: Any) -> None:
    [member] = Part("acme", data).parts("list")
    assert member.path == "list[0]"
    assert member.at("text") == "list[0].text"
    assert Part("acme", data).part("object").part("inner").path == "object.inner"


@BOTH
@pytest.mark.parametrize(
    ("kind", "key", "message"),
    [
        ("part", "none", "acme: none: missing; expected an object"),
        ("parts", "absent", "acme: absent: missing; expected a list"),
        ("parts", "object", "acme: object: of another kind; expected a list"),
        ("text", "absent", "acme: absent: missing; expected text"),
        ("text", "list", "acme: list: of another kind; expected text"),
        ("id", "list", "acme: list: of another kind; expected text"),
    ],
)
def test_what_is_not_as_it_should_be_is_named(data: Any, kind: str, key: str, message: str) -> None:
    with pytest.raises(WireError) as raised:
        getattr(Part("acme", data), kind)(key)
    assert (raised.value.provider, raised.value.field, str(raised.value)) == ("acme", key, message)
