"""Parts of a response read alike, whether objects or mappings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, Field

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


@pytest.mark.parametrize("name", ["thoughtSignature", "thought_signature"])
@pytest.mark.parametrize("made", [dict, SimpleNamespace])
def test_a_field_is_found_in_the_spelling_of_an_sdk_too(made: Any, name: str) -> None:
    part = Part("acme", made(**{name: "c2ln"}))
    assert part.text("thoughtSignature") == "c2ln"
    assert part.get("thoughtPart") is None


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
        ("index", "absent", "acme: absent: missing; expected a whole number"),
        ("index", "id", "acme: id: of another kind; expected a whole number"),
    ],
)
def test_what_is_not_as_it_should_be_is_named(data: Any, kind: str, key: str, message: str) -> None:
    with pytest.raises(WireError) as raised:
        getattr(Part("acme", data), kind)(key)
    assert (raised.value.provider, raised.value.field, str(raised.value)) == ("acme", key, message)


class Shown(BaseModel):
    text: str = Field("", alias="shownText")
    unset: int = 1
    later: Any = None


def test_an_sdks_object_is_made_plain_under_the_wires_names_and_as_far_as_it_was_set() -> None:
    shown = Shown.model_validate({"shownText": "a", "later": b"b"})
    assert Part("acme", shown).plain() == {"shownText": "a", "later": "b"}
    assert Part("acme", {"a": 1}).plain() == {"a": 1}
    unchecked = Shown.model_construct(_fields_set={"text"}, text=7)
    assert Part("acme", unchecked).plain() == {"shownText": 7}


@pytest.mark.parametrize(
    "data", [None, "text", [1], SimpleNamespace(), Shown.model_construct(later=object())]
)
def test_what_is_no_object_cannot_be_made_plain(data: Any) -> None:
    with pytest.raises(WireError, match=r"^acme: part: of another kind; expected an object$"):
        Part("acme", data, "part").plain()
