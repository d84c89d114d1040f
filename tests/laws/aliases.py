"""Data in containers of every kind, all of which can be changed afterwards."""

from __future__ import annotations

from collections import ChainMap, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple

__all__ = ["KINDS", "Aliased"]


class OwnDict(dict[str, Any]):
    """A subclass that reads as a dict."""


class ReadingDict(dict[str, Any]):
    """A subclass that reads in its own way."""

    def __iter__(self) -> Iterator[str]:
        return iter(list(super().__iter__()))

    def items(self) -> Any:
        return [(key, self[key]) for key in self]


class OwnList(list[Any]):
    """A subclass that reads as a list."""


class OwnMapping(Mapping[str, Any]):
    """No dict at all."""

    def __init__(self, held: dict[str, Any]) -> None:
        self.held = held

    def __getitem__(self, key: str) -> Any:
        return self.held[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


class OwnSequence(Sequence[Any]):
    """No list at all."""

    def __init__(self, held: list[Any]) -> None:
        self.held = held

    def __getitem__(self, index: Any) -> Any:
        return self.held[index]

    def __len__(self) -> int:
        return len(self.held)


class Kind(NamedTuple):
    """A kind of container: makes one of a plain one, which `held` finds in it again."""

    make: Callable[[Any], Any]
    held: Callable[[Any, Any], Any] = lambda made, _: made


MAPPINGS: Final[dict[str, Kind]] = {
    "dict": Kind(dict),
    "OrderedDict": Kind(OrderedDict),
    "defaultdict": Kind(lambda plain: defaultdict(list, plain)),
    "MappingProxyType": Kind(MappingProxyType, lambda _, plain: plain),
    "UserDict": Kind(UserDict),
    "ChainMap": Kind(ChainMap),
    "subclass of dict": Kind(OwnDict),
    "dict that reads itself": Kind(ReadingDict),
    "Mapping": Kind(OwnMapping, lambda _, plain: plain),
}
SEQUENCES: Final[dict[str, Kind]] = {
    "list": Kind(list),
    "tuple": Kind(tuple, lambda _, plain: plain),
    "deque": Kind(deque),
    "UserList": Kind(UserList),
    "subclass of list": Kind(OwnList),
    "Sequence": Kind(OwnSequence, lambda _, plain: plain),
}
KINDS: Final = (*MAPPINGS, *SEQUENCES)


class Aliased:
    """Wraps data in containers of random kinds, or of one kind, and changes all of them."""

    def __init__(self, random: Random, kind: str | None = None) -> None:
        self.random, self.kind = random, kind
        self.held: list[Any] = []

    def wrap(self, data: Any) -> Any:
        """Copy data into other containers, all the way down."""
        if isinstance(data, dict):
            plain: Any = {key: self.wrap(value) for key, value in data.items()}
            kind = self.choose(MAPPINGS)
        elif isinstance(data, list):
            plain = [self.wrap(value) for value in data]
            kind = self.choose(SEQUENCES)
        else:
            return data
        made = kind.make(plain)
        self.held.append(kind.held(made, plain))
        return made

    def choose(self, kinds: Mapping[str, Kind]) -> Kind:
        own = kinds.get(self.kind or "")
        return own or kinds[self.random.choice(list(kinds))]

    def change(self) -> None:
        """Change every container in one way or another."""
        for held in self.held:
            way = self.random.randrange(3)
            if way == 0:
                held.clear()
            elif hasattr(held, "keys"):
                held.update(dict.fromkeys(held, "changed") if way == 1 else {"added": "changed"})
            else:
                for index in range(len(held) * way % 2):
                    held[index] = "changed"
                held.append("changed")
