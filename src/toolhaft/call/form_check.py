"""Check that the objects of unions are of the forms that were shown, after a library made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from toolhaft.call.object_writer import attribute_of, is_root
from toolhaft.errors import ToolhaftError
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.fields import Fields

__all__ = ["FORM", "Choice", "FormCheck", "UnfitDefaultError"]

# Where a choice stands among the steps that lead to others.
FORM: Final = object()


class UnfitDefaultError(ToolhaftError):
    """Raised if a value that fills an absent argument is invalid there."""


class Choice(NamedTuple):
    """The form of a union that the data are of, and the others that could be meant."""

    fields: Fields
    others: list[Fields]


class FormCheck:
    """Looks for the objects of unions at the places of their data, as far as they are still there.

    Validators may reorder them: each union must have as many objects of each branch as were shown.
    """

    def __init__(self, adapter: Adapter[Any]) -> None:
        self._fields: Mapping[type, Fields] = adapter.fields
        self._surplus: dict[frozenset[Any], Counter[Any]] = {}

    def require(self, choices: dict[Any, Any], data: Any, made: Any) -> None:
        """Require the objects of the forms that were shown.

        Raises:
            UnfitDefaultError: The library took another form of a union.
        """
        self._count(choices, data, made)
        if any(max(surplus.values()) > 0 for surplus in self._surplus.values()):
            raise UnfitDefaultError("the library took another form of a union than was shown")

    def _count(self, choices: dict[Any, Any], data: Any, value: Any) -> None:
        fields = self._fields.get(type(value))
        if fields is not None and is_root(fields):
            value = attribute_of(value, fields.keys[0])
            fields = self._fields.get(type(value))
        choice: Choice | None = choices.get(FORM)
        if choice is not None:
            self._add(choice, data, value)
        inner = [step for step in choices if step is not FORM]
        if inner and type(data) in (dict, list):
            held = self._held(fields, data, value)
            for step in inner:
                if step in held:
                    self._count(choices[step], data[step], held[step])

    def _add(self, choice: Choice, data: Any, value: Any) -> None:
        """Count the form that an object is of, against the one that was shown."""
        forms = [choice.fields, *choice.others]
        made = next((form for form in forms if _is_of(form, data, value)), None)
        if made is not None:
            surplus = self._surplus.setdefault(frozenset(forms), Counter())
            surplus[made] += 1
            surplus[choice.fields] -= 1

    def _held(self, fields: Fields | None, data: Any, value: Any) -> Mapping[Any, Any]:
        """Return the parts of an object, by the steps of its data."""
        if fields is not None:
            steps = range(len(fields.keys)) if fields.is_array else [key.key for key in fields.keys]
            held = dict(zip(steps, (attribute_of(value, key) for key in fields.keys), strict=True))
            extras: Any = getattr(value, fields.extras, None) if fields.extras else None
            return {**(extras or {}), **held}
        if isinstance(value, list | tuple):
            return dict(enumerate(value))
        if not isinstance(value, Mapping):
            return {}
        if value.keys().isdisjoint(data) and len(value) == len(data):  # keys were read as dates
            return dict(zip(data, value.values(), strict=True))
        return value


def _is_of(form: Fields, data: Any, value: Any) -> bool:
    """Return whether a value is of a branch; a dict must have the branch's keys that were sent."""
    if form.cls is not None:
        return type(value) is form.cls
    return isinstance(value, dict) and all(
        key.attribute in value for key in form.keys if key.key in data
    )
