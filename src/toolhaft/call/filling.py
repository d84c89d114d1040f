"""Fill the defaults of a call's arguments, in walks along the schema and the data.

The values of default factories are inserted before the object is made; static defaults are shown
only. Nothing is read back from an object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from operator import is_not
from typing import Any, Final

from toolhaft.call.default_nodes import (
    FACTORIES,
    DefaultNode,
    compile_defaults,
)
from toolhaft.call.form_check import FORM, Choice, FormCheck, UnfitDefaultError
from toolhaft.call.object_writer import ABSENT, ObjectWriter
from toolhaft.call.unfit_defaults import UnfitDefault, unfit_defaults
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.spec import Issue, Path
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.fields import FieldKey, Fields
from toolhaft.vendors.shared_defaults import is_mutable

__all__ = ["DefaultFill", "Defaults"]

CHANGING: Final = object()


class Defaults:
    """The defaults of one tool's arguments."""

    def __init__(self, adapter: Adapter[Any]) -> None:
        self.adapter: Adapter[Any] = adapter
        self._written: dict[tuple[int, bool], Any] = {}
        self._known: dict[int, Mapping[str, Any] | None] = {}

    @cached_property
    def filled(self) -> DefaultNode | None:
        """The places in which factories fill absent values."""
        return compile_defaults(self.adapter.typed_input, FACTORIES)

    @cached_property
    def shown(self) -> DefaultNode | None:
        """The places of all defaults."""
        return compile_defaults(self.adapter.typed_input)

    @cached_property
    def unfit(self) -> list[UnfitDefault]:
        """The defaults that are not known before the object is made."""
        return unfit_defaults(self.adapter)

    @cached_property
    def writer(self) -> ObjectWriter:
        return ObjectWriter(self.adapter)

    def fill(self) -> DefaultFill:
        """Return a filler for the data of one call."""
        return DefaultFill(self)

    def show(self, data: Any) -> Any:
        """Return data with their static defaults; no factory is called."""
        return _Showing(self).value(self.shown, data)

    def show_made(self, data: Any, made: Any) -> Any:
        """Do the same with the data that an object was made from.

        Raises:
            UnfitDefaultError: The library took another form of a union than is shown.
        """
        showing = _Showing(self)
        shown = showing.value(self.shown, data)
        if showing.choices:
            self._require_forms(showing.choices, data, made)
        return shown

    def known(self, node: DefaultNode) -> Mapping[str, Any] | None:
        """Return the defaults to show for all fields of a node, or None if one may change."""
        key = id(node.members)  # a node that recurs may stand here for itself
        if key not in self._known:
            self._known[key] = self._fixed(node)
        return self._known[key]

    def _fixed(self, node: DefaultNode) -> Mapping[str, Any] | None:
        keys = [key for key in node.keys if key.default == "static"]
        if any(is_mutable(key.declared) or node.makes_in(key.key) for key in keys):
            return None
        shown = {key.key: self.static(key, node.fields, converted=True) for key in keys}
        return {key: value for key, value in shown.items() if value is not ABSENT}

    def static(self, key: FieldKey, fields: Fields, *, converted: bool = False) -> Any:
        """Write a static default, or what becomes of it; `ABSENT` where that is no JSON."""
        place = id(key), converted
        written = self._written.get(place, CHANGING)
        if written is CHANGING:
            written = self._write_static(key, fields, converted=converted)
            self._written[place] = CHANGING if is_mutable(key.declared) else written
        return written

    def _write_static(self, key: FieldKey, fields: Fields, *, converted: bool) -> Any:
        convert: Callable[[], Any] | None = key.convert if converted else None
        if converted and key.unfit is not None:
            return ABSENT
        try:
            value = key.declared if convert is None else convert()
            return self.writer.write_default(key, fields, value)
        except Exception:  # noqa: BLE001  an author's code runs here, and the call is right
            return ABSENT

    def as_sent(self, data: Any) -> Any:
        """Write filled decimals as a model would where the schema says no Decimal: as text.

        Read again as a number, one of many digits would be another number.
        """
        schema = self.adapter.typed_input
        if schema is None:
            return data
        written = schema.numbers.decimals_as_texts(data)
        is_taken = written is data or self.accepts(written)
        return written if is_taken else schema.numbers.nearest_floats(data)

    def accepts(self, data: Any) -> bool:
        schema = self.adapter.typed_input
        return schema is None or schema.gate.is_valid(data)

    def declares(self, data: Any) -> bool:
        """Whether filled data pass `parameters=` as they are, so that they can be read again."""
        schema = self.adapter.input
        if schema is self.adapter.typed_input:
            return True
        admitted = schema.admit(data)
        return not (admitted.issues or admitted.ignored)

    def _require_forms(self, choices: dict[Any, Any], data: Any, made: Any) -> None:
        root = self.adapter.root
        if root is None:
            FormCheck(self.adapter).require(choices, data, made)
        elif root in choices:
            FormCheck(self.adapter).require(choices[root], data[root], made)


class DefaultFill:
    """Fills the data of one call; parts that no factory fills stay the same objects."""

    def __init__(self, defaults: Defaults) -> None:
        self._defaults = defaults
        self.sent: Any = None
        self.admitted: Any = None

    @property
    def calls_factories(self) -> bool:
        """Whether there is any factory to call."""
        return self._defaults.filled is not None

    @property
    def places(self) -> dict[Path, Any]:
        """The factories' values, by place."""
        return dict(_filled_places(self.sent, self.admitted, ()))

    def __call__(self, data: Any) -> Any:
        """Fill data.

        Raises:
            UnfitDefaultError: A factory's value is no JSON of its field.
        """
        self.sent = data
        filling = _Filling(self._defaults)
        self.admitted = filling.value(self._defaults.filled, data)
        if self.admitted is data:
            return data
        if filling.has_decimals:
            self.admitted = self._defaults.as_sent(self.admitted)
        if not self._defaults.accepts(self.admitted):
            raise UnfitDefaultError(f"{self._names}: a default factory gave no value of its type")
        if not self._defaults.declares(self.admitted):
            raise UnfitDefaultError(f"{self._names}: parameters= rejects a factory's value")
        return self.admitted

    @property
    def _names(self) -> str:
        return ", ".join(dict.fromkeys(str(path[-1]) for path in self.places))

    def require_sent(self, issues: Iterable[Issue]) -> None:
        """Require that issues are about values that were sent.

        Raises:
            UnfitDefaultError: The library rejects a factory's value.
        """
        places = self.places
        for issue in issues:
            if any(issue.path[:length] in places for length in range(1, len(issue.path) + 1)):
                where = ".".join(map(str, issue.path))
                raise UnfitDefaultError(f"{where}: the value of its default factory is not taken")


def _filled_places(sent: Any, filled: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the values that were filled in data, each with its place."""
    if filled is sent:
        return
    if type(sent) is dict:
        steps: Iterable[Any] = filled
        held = sent
    elif type(sent) is list:
        steps, held = range(len(filled)), dict(enumerate(sent))
    else:  # a text that holds JSON
        yield from _filled_places(jsontext.read(sent), jsontext.read(filled), (*path, ""))
        return
    for step in steps:
        if step in held:
            yield from _filled_places(held[step], filled[step], (*path, step))
        else:
            yield (*path, step), filled[step]


class _Walk:
    """One walk along the schema and the data; unchanged parts are not copied.

    `path` is the current place: one list, because a path for each value would be most of the work.
    Calls are nested as little as possible, since a call that reaches another page of the stack
    costs twice as much.
    """

    def __init__(self, defaults: Defaults) -> None:
        self.defaults = defaults
        self.path: list[str | int] = []

    def default(self, key: FieldKey, node: DefaultNode, step: str | int) -> Any:
        """Return the value that fills a field of an object, or `ABSENT` if it stays absent."""
        raise NotImplementedError

    def end(self, node: DefaultNode) -> int:
        """Return the number of items that an array of fields must have."""
        raise NotImplementedError

    def chosen(self, node: DefaultNode, data: Any) -> DefaultNode | None:
        """Return the defaults of the branch of a union that accepts the data, or None."""
        form = node.form(data)
        return None if form is None else form.node

    def value(self, node: DefaultNode | None, data: Any) -> Any:
        if node is None:
            return data
        chosen = self.chosen(node, data) if node.forms else None
        kind = type(data)
        if kind is dict:
            data = self._members(node, data)
        elif kind is list:
            data = self._items(node, data)
        elif kind is str and node.content is not None:
            data = self._text(node.content, data)
        for part in node.combined:
            data = self.value(part, data)
        return data if chosen is None else self.value(chosen, data)

    def at(self, step: str | int, node: DefaultNode | None, data: Any) -> Any:
        """Fill a part of a value."""
        if node is None:
            return data
        self.path.append(step)
        filled = self.value(node, data)
        self.path.pop()
        return filled

    def absent(self, node: DefaultNode, data: dict[str, Any]) -> Mapping[str, Any]:
        """Return the values that fill the fields that data lack."""
        filled: dict[str, Any] = {}
        for field in node.keys:
            if field.key not in data:
                value = self.default(field, node, field.key)
                if value is not ABSENT:
                    filled[field.key] = value
        return filled

    def _members(self, node: DefaultNode, data: dict[str, Any]) -> dict[str, Any]:
        changes: dict[str, Any] = {}
        for key in (node.inner_names or data) if node.has_inner else ():
            if key in data:
                self.path.append(key)
                item = self.value(node.member(key), data[key])
                self.path.pop()
                if item is not data[key]:
                    changes[key] = item
        absent = self.absent(node, data) if node.keys else None
        return {**data, **changes, **(absent or {})} if changes or absent else data

    def _items(self, node: DefaultNode, data: list[Any]) -> list[Any]:
        row = node.items[0]
        if row is not None and row.is_flat and len(node.items) == 1:  # most data are rows
            items = [self._members(row, item) if type(item) is dict else item for item in data]
        else:
            items = []
            for at, item in enumerate(data):
                self.path.append(at)
                items.append(self.value(node.item(at), item))
                self.path.pop()
        data = items if any(map(is_not, items, data)) else data
        for at in range(len(data), self.end(node)):
            value = self.default(node.fields.keys[at], node, at)
            if value is ABSENT:
                break
            data = [*data, value]
        return data

    def _text(self, content: DefaultNode, text: str) -> str:
        """Fill the JSON in a text."""
        data = jsontext.read(text)
        filled = self.at("", content, data)
        return text if filled is data else jsontext.write(filled)


class _Filling(_Walk):
    """Calls the factories of absent values."""

    def __init__(self, defaults: Defaults) -> None:
        super().__init__(defaults)
        self.has_decimals: bool = False

    def end(self, node: DefaultNode) -> int:
        """Fill up to the last factory: no item before that can be left out."""
        factories = [at for at, key in enumerate(node.fields.keys) if key.default == "factory"]
        return factories[-1] + 1 if node.fields.is_array and factories else 0

    def default(self, key: FieldKey, node: DefaultNode, step: str | int) -> Any:
        if key.default == "factory":
            made = self._made(key, node.fields)
            self.has_decimals |= _holds_decimals(made)
            return self.at(step, node.inner(step), made)
        static = self.defaults.static(key, node.fields)
        if node.fields.is_array:
            if static is ABSENT:
                raise UnfitDefaultError(f"{key.key}: its default is no JSON")
            self.has_decimals |= _holds_decimals(static)
            return static
        filled = self.at(step, node.inner(step), static)
        return ABSENT if filled is static else filled  # the library reads it, and fills nothing

    def _made(self, key: FieldKey, fields: Fields) -> Any:
        """Call a factory, and write its value as JSON."""
        make: Callable[[], Any] | None = key.make
        if make is None:
            raise UnfitDefaultError(f"{key.key}: its default factory is not known")
        try:
            value = make()
        except Exception as error:
            raise UnfitDefaultError(f"{key.key}: its default factory failed") from error
        try:
            return self.defaults.writer.write_default(key, fields, value)
        except jsondata.NotJson:
            raise UnfitDefaultError(f"{key.key}: its default factory gave no JSON") from None


def _holds_decimals(data: Any) -> bool:
    """Whether JSON data have decimals, with digits that a float may not have."""
    if type(data) is dict:
        return any(map(_holds_decimals, data.values()))
    if type(data) is list:
        return any(map(_holds_decimals, data))
    return type(data) is Decimal


class _Showing(_Walk):
    """Adds the static defaults, as the handler gets them."""

    def __init__(self, defaults: Defaults) -> None:
        super().__init__(defaults)
        self.choices: dict[Any, Any] = {}  # by the steps of their places

    def end(self, node: DefaultNode) -> int:
        return len(node.fields.keys) if node.fields.is_array else 0

    def absent(self, node: DefaultNode, data: dict[str, Any]) -> Mapping[str, Any]:
        known = self.defaults.known(node)
        if known is None:
            return super().absent(node, data)
        return known if known.keys().isdisjoint(data) else super().absent(node, data)

    def default(self, key: FieldKey, node: DefaultNode, step: str | int) -> Any:
        if key.default != "static":
            return ABSENT
        if not node.makes_in(step):
            return self.defaults.static(key, node.fields, converted=True)
        return self.at(step, node.inner(step), self.defaults.static(key, node.fields))

    def chosen(self, node: DefaultNode, data: Any) -> DefaultNode | None:
        """Note which form is shown, where an object can be of another."""
        chosen = node.form(data)
        if chosen is None:
            return None
        others = [form.fields for form in node.forms_of(data) if form is not chosen]
        known = [fields for fields in others if fields is not None]
        if chosen.fields is not None and known:
            choices = self.choices
            for step in self.path:
                choices = choices.setdefault(step, {})
            choices[FORM] = Choice(chosen.fields, known)
        return chosen.node
