"""The common part of `Ok` and `Err`: they can be copied and pickled."""

from __future__ import annotations

from copy import deepcopy
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from toolhaft.call.call_options import CallOptions
from toolhaft.jsonio.primitives import compiled

__all__ = ["OkFields", "OutcomeRecord"]

T = TypeVar("T")


if TYPE_CHECKING or compiled is None:

    class OkFields:
        """The fields of an `Ok`."""

        __slots__ = ("_arguments", "_options", "_shown", "_value", "call_id", "coercions")

else:  # which has the same
    OkFields = compiled.OutcomeFields


class OutcomeRecord:
    """An object of `__slots__` that keeps the options of the tool that made it."""

    __slots__ = ()

    def _slots(self) -> dict[str, Any]:
        members = (member for kind in type(self).__mro__ for member in vars(kind).items())
        names = [name for name, member in members if type(member) is MemberDescriptorType]
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _portable_slots(self) -> dict[str, Any]:
        """Return the fields for another process, which knows nothing of the tool's functions."""
        slots = self._slots()
        options = slots["_options"]
        limit = options.max_result_chars
        hints = {"idempotentHint": True} if options.may_repeat else None
        portable = CallOptions(options.name, max_result_chars=limit, errors={}, annotations=hints)
        return slots | {"_options": portable}

    def __copy__(self) -> Self:
        return _rebuild(type(self), self._slots())

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        slots = self._slots()
        options = slots.pop("_options")
        return _rebuild(type(self), deepcopy(slots, memo) | {"_options": options})

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self._portable_slots())


def _rebuild(kind: type[T], slots: dict[str, Any]) -> T:
    record = object.__new__(kind)
    for name, value in slots.items():
        setattr(record, name, value)
    return record
