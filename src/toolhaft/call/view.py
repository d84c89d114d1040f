"""One view of a call's arguments: what is shown, approved and run is the same value.

The *admitted* value is JSON from which the handler's objects are made; on tools that ask someone
it also has the value of each default factory, read back from the object that was made. The *shown*
value has the static defaults too, as the handler gets them.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from toolhaft.call.argument_binder import ArgumentBinder
from toolhaft.call.view_writer import Unrepeatable, ViewWriter, is_same
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.canonical import canonical
from toolhaft.vendors.adapter import Adapter

__all__ = ["View", "ViewBuilder", "has_factories", "make_view", "write_object"]


class View(NamedTuple):
    """What was sent, after repair, the JSON that makes the objects, and the JSON that is shown."""

    sent: Any
    admitted: Any
    shown: Any

    def differs_in_factories(self, other: View) -> bool:
        """Whether another view differs in nothing but in what default factories gave."""
        return _keeps_sent(self.sent, self.admitted, other.admitted)


def has_factories(adapter: Adapter[Any]) -> bool:
    """Whether some field is filled by a function of the author's."""
    return _has_defaults(adapter, "factory")


def _has_defaults(adapter: Adapter[Any], kind: str) -> bool:
    keys = [key for fields in adapter.fields.values() for key in fields.keys]
    return any(key.default == kind for key in (*keys, *adapter.containers.keys))


def make_view(adapter: Adapter[Any], data: Any, value: Any) -> View:
    """Complete the data that were sent with the defaults of the constructed value.

    Raises:
        NotJson: A factory gave what is no JSON.
        Unrepeatable: A factory gave, for a part that is not kept, what is read as another value.
    """
    admitted = ViewWriter(adapter, "factory").complete_root(data, value)
    shown = ViewWriter(adapter, "factory", "static").complete_root(admitted, value)
    return View(data, admitted, shown)


def _keeps_sent(sent: Any, admitted: Any, other: Any) -> bool:
    """Whether other data hold what was sent, and beside it what was filled in there too."""
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
    return ViewWriter(adapter).write(value)


class ViewBuilder:
    """Builds what people and programs are shown of the arguments of one tool's calls.

    Where it is `observed`, somebody is shown the arguments who is not asked.
    """

    def __init__(self, adapter: Adapter[Any], binder: ArgumentBinder, *, observed: bool) -> None:
        self._adapter = adapter
        self._binder = binder
        self._shows_class_defaults: bool = observed and _has_defaults(adapter, "static")
        self.shows_defaults: bool = self._shows_class_defaults or (observed and binder.has_defaults)

    async def build(self, value: Any, data: Any, *, waits: bool) -> tuple[Any, View]:
        """Make the view of the arguments; give it with the value that its JSON constructs.

        Where default factories run, the value is constructed again from what was admitted, and
        must be the same.
        """
        adapter, value = self._adapter, self._binder.copy_mutable_defaults(value)
        view = make_view(adapter, data, value)
        if has_factories(adapter):
            data = view.admitted
            accepted = await adapter.accept_awaited(data) if waits else adapter.accept(data)
            first, value = value, self._binder.copy_mutable_defaults(accepted[0])
            if not is_same(adapter.fields, first, value):
                raise Unrepeatable
        return value, view._replace(shown=self._with_parameter_defaults(view.shown))

    def show(self, validated: Any) -> Any:
        """Give the arguments as observers are shown them; None where there are no more defaults."""
        if not self.shows_defaults:
            return None
        value, data, _ = validated
        try:
            data = jsontext.read(data) if type(data) is str else data
            if self._shows_class_defaults:
                data = ViewWriter(self._adapter, "static").complete_root(data, value)
            return self._with_parameter_defaults(data)
        except Exception:  # noqa: BLE001  an author's object may raise: the call is right
            return None

    def _with_parameter_defaults(self, shown: Any) -> Any:
        """Add the static defaults of the handler's own parameters."""
        return self._binder.add_defaults(shown, partial(write_object, self._adapter))
