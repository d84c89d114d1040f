"""A mutable default belongs to one call, whichever library declares it and hands it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import attrs
import msgspec
import pytest
from pydantic import BaseModel

from toolhaft import Tool, tool
from toolhaft.vendors.shared_defaults import copy_of


@dataclass(frozen=True)
class Frozen:
    tags: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Hashable:
    tags: list[str] = field(default_factory=list)


class FrozenStruct(msgspec.Struct, frozen=True):
    tags: list[str] = msgspec.field(default_factory=list)


@dataclass
class InDataclass:
    who: str
    options: Hashable = Hashable()  # noqa: RUF009 - what is tested


class InModel(BaseModel):
    who: str
    options: Hashable = Hashable()


class InStruct(msgspec.Struct, frozen=True):
    who: str
    options: FrozenStruct = FrozenStruct()


class DataclassInStruct(msgspec.Struct):
    who: str
    options: Frozen = Frozen()


@attrs.frozen
class InAttrs:
    who: str
    options: Frozen = Frozen()


class Named(NamedTuple):
    who: str
    tags: list[str] = []  # noqa: RUF012 - what is tested
    options: Frozen = Frozen()


class NamedInModel(BaseModel):
    inner: Named


class NamedInStruct(msgspec.Struct):
    inner: Named


class NamedInTuple(msgspec.Struct, frozen=True):
    pairs: tuple[tuple[Named, int], ...]


class NamedInMap(msgspec.Struct):
    by_name: dict[str, list[Named]]


@attrs.define
class ListInAttrs:
    who: str
    tags: list[str] = []  # noqa: RUF008 - what is tested


def remembering(declared: Any) -> Tool[Any, Any]:
    def remember(data: Any) -> list[str]:
        """Return the remembered names, and remember the caller."""
        tags: list[str] = getattr(data, "options", data).tags
        told = list(tags)
        tags.append(data.who)
        return told

    return tool(remember, input=declared)


@pytest.mark.requirement("pain-83")
@pytest.mark.parametrize(
    "declared", [InDataclass, InModel, InStruct, DataclassInStruct, InAttrs, ListInAttrs]
)
def test_a_mutable_default_of_a_field_belongs_to_one_call(declared: Any) -> None:
    one = remembering(declared)
    for who in ({"who": "Ann"}, '{"who": "Ben"}', {"who": "Cem"}):
        assert one.call_sync(who).unwrap() == []


def names_in(held: Any) -> Iterator[Named]:
    """Find the named tuples, wherever they are held."""
    if isinstance(held, Named):
        yield held
    elif isinstance(held, dict | list | tuple):
        for item in held.values() if isinstance(held, dict) else held:
            yield from names_in(item)
    else:
        names = getattr(type(held), "__annotations__", ())
        yield from names_in([getattr(held, name) for name in names])


@pytest.mark.requirement("pain-83")
@pytest.mark.parametrize(
    ("declared", "sent"),
    [
        (Named, ["Ann"]),
        (NamedInModel, {"inner": ["Ann"]}),
        (NamedInStruct, {"inner": ["Ann"]}),
        (NamedInTuple, {"pairs": [[["Ann"], 1], [["Ann"], 2]]}),
        (NamedInMap, {"by_name": {"a": [["Ann"], ["Ann"]]}}),
    ],
)
def test_a_mutable_default_of_a_named_tuple_belongs_to_one_of_them(
    declared: Any, sent: Any
) -> None:
    def remember(held: Any) -> list[list[str]]:
        """Have each remember who it is."""
        for named in names_in(held):
            for tags in (named.tags, named.options.tags):
                tags.append(named.who)
        return [named.tags + named.options.tags for named in names_in(held)]

    remember.__annotations__["held"] = declared
    remembering = tool(remember)
    for _ in range(2):
        remembered = remembering.call_sync({"held": sent}).unwrap()
        assert remembered == [["Ann", "Ann"]] * len(remembered) != []


def test_a_mutable_default_in_a_list_of_objects_belongs_to_one_of_them() -> None:
    @tool
    def remember(all_of: list[InAttrs]) -> list[list[str]]:
        """Remember each."""
        for one in all_of:
            one.options.tags.append(one.who)
        return [one.options.tags for one in all_of]

    raw = {"all_of": [{"who": "Ann"}, {"who": "Ben"}]}
    assert remember.call_sync(raw).unwrap() == [["Ann"], ["Ben"]]
    assert remember.call_sync(raw).unwrap() == [["Ann"], ["Ben"]]


@pytest.mark.requirement("pain-83")
def test_a_frozen_default_of_a_parameter_belongs_to_one_call() -> None:
    @tool
    def remember(who: str, options: Frozen = Frozen(), more: tuple[list[str], ...] = ([],)) -> str:
        """Remember who."""
        for tags in (options.tags, *more):
            tags.append(who)
        return ",".join([*options.tags, *more[0]])

    assert remember.call_sync({"who": "Ann"}).unwrap() == "Ann,Ann"
    assert remember.call_sync({"who": "Ben"}).unwrap() == "Ben,Ben"


NOTHING: Any = object()


def test_a_sentinel_stays_the_object_that_it_is() -> None:
    @tool
    def ask(who: str = NOTHING) -> bool:
        """Ask."""
        return who is NOTHING

    assert ask.call_sync().unwrap() is True


@pytest.mark.parametrize("default", [[], [1, "a"], [[1]], {}, {"a": [1]}, {1, 2}, {(1,)}, ([],)])
def test_a_default_is_copied_with_all_that_can_be_changed_in_it(default: Any) -> None:
    copied = copy_of(default)
    assert (copied, type(copied)) == (default, type(default))
    assert copied is not default
    if isinstance(default, list):
        pairs = list(zip(default, copied, strict=True))
        assert [one is other for one, other in pairs] == [type(one) is not list for one, _ in pairs]
