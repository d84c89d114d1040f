"""One view of a call's arguments: the values that are shown, approved and run are the same.

The *admitted* value is JSON from which the handler's objects are made; if a person is asked it also
has the value of each default factory, which was called before the object was made. The *shown*
value has the static defaults too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from toolhaft.call.argument_binder import ArgumentBinder
from toolhaft.call.filling import DefaultFill, Defaults
from toolhaft.call.object_writer import ObjectWriter
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.canonical import canonical
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.fields import field_keys

__all__ = ["View", "ViewBuilder", "has_factories", "write_object"]


class View(NamedTuple):
    """The arguments as sent, after repair, the JSON for the objects, and the JSON that is shown."""

    sent: Any
    admitted: Any
    shown: Any

    def differs_in_factories(self, other: View) -> bool:
        """Return whether another view differs only in the values of default factories."""
        return _keeps_sent(self.sent, self.admitted, other.admitted)


def has_factories(adapter: Adapter[Any]) -> bool:
    """Whether some field is filled by a function of the author's."""
    return _has_defaults(adapter, "factory")


def _has_defaults(adapter: Adapter[Any], kind: str) -> bool:
    schema = adapter.typed_input
    return schema is not None and any(key.default == kind for key in field_keys(schema.marked))


def _keeps_sent(sent: Any, admitted: Any, other: Any) -> bool:
    """Return whether other data have the values that were sent, and the same filled-in keys."""
    if type(sent) is dict and type(other) is dict:
        return admitted.keys() == other.keys() and all(
            _keeps_sent(item, admitted[key], other[key]) for key, item in sent.items()
        )
    if type(sent) is list and type(other) is list:  # what is beyond its end was filled in
        return len(admitted) == len(other) and all(map(_keeps_sent, sent, admitted, other))
    return canonical(sent) == canonical(other)


def write_object(adapter: Adapter[Any], value: Any) -> Any:
    """Write an object as the JSON that it would be made from.

    Raises:
        NotJson: Some part of it has no JSON form.
    """
    return ObjectWriter(adapter).write(value)


class ViewBuilder:
    """Builds the view of the arguments of one tool's calls, for people and programs.

    If it is `observed`, an observer sees the arguments without deciding.
    """

    def __init__(self, defaults: Defaults, binder: ArgumentBinder, *, observed: bool) -> None:
        self._defaults = defaults
        self._binder = binder
        self.shows_defaults: bool = observed and (
            binder.has_defaults or _has_defaults(defaults.adapter, "static")
        )

    def build(self, data: Any, made: Any, fill: DefaultFill | None) -> View:
        """Return the view of admitted data, which `fill` has filled if a person is asked.

        Raises:
            UnfitDefaultError: The objects are of another branch of a union than the shown one.
        """
        defaults = self._defaults
        shown = defaults.show(data) if fill is None else defaults.show_made(data, made)
        sent = data if fill is None or fill.admitted is fill.sent else fill.sent
        return View(sent, data, self._with_parameter_defaults(shown))

    def show(self, validated: Any) -> Any:
        """Return the arguments for observers, or None if there are no more defaults."""
        if not self.shows_defaults:
            return None
        _, data, _ = validated
        try:
            data = jsontext.read(data) if type(data) is str else data
            return self._with_parameter_defaults(self._defaults.show(data))
        except Exception:  # noqa: BLE001  an author's object may raise: the call is right
            return None

    def _with_parameter_defaults(self, shown: Any) -> Any:
        """Add the static defaults of the handler's own parameters."""
        return self._binder.add_defaults(shown, self._defaults.writer.write)
