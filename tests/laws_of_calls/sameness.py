"""Whether two calls gave the handler equal objects, as far as a law asks."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from tests.laws_of_calls.places import attribute
from tests.laws_of_calls.spec import ModelSpec, TypeSpec

__all__ = ["Sameness"]


class Sameness(NamedTuple):
    """Equality in every declared field, classes by their names, as twins have equal ones.

    Without `extras` these do not count, without `opened` the fields that a function stands before,
    without `texts` their case and the space around them.
    """

    spec: TypeSpec
    extras: bool = True
    opened: bool = True
    texts: bool = True

    def holds(self, one: Any, other: Any) -> bool:
        """Whether two values are equal."""
        name = type(one).__name__
        if name != type(other).__name__:
            return False
        model = next((each for each in self.spec.models if each.name == name), None)
        if model is not None:
            return self._objects(model, one, other)
        if isinstance(one, dict):
            return self._maps(one, other)
        if isinstance(one, (list, tuple)):
            return len(one) == len(other) and all(map(self.holds, one, other))
        return self._leaves(one, other)

    def _objects(self, model: ModelSpec, one: Any, other: Any) -> bool:
        if self.extras and _extras(one) != _extras(other):
            return False
        fields = [each for each in model.fields if self.opened or not each.is_opened]
        pairs = ((attribute(model, one, each), attribute(model, other, each)) for each in fields)
        return all(self.holds(*pair) for pair in pairs)

    def _maps(self, one: dict[Any, Any], other: dict[Any, Any]) -> bool:
        if self.texts:
            return one.keys() == other.keys() and all(self.holds(one[at], other[at]) for at in one)
        values = map(self.holds, one.values(), other.values())
        return len(one) == len(other) and all(values)

    def _leaves(self, one: Any, other: Any) -> bool:
        if self.texts or isinstance(one, Enum):
            return bool(one == other)
        if isinstance(one, str):
            return bool(one.strip().lower() == other.strip().lower())
        if isinstance(one, (set, frozenset)) and any(isinstance(each, str) for each in one):
            return True
        return bool(one == other)


def _extras(made: Any) -> Any:
    return getattr(made, "model_extra", None)
