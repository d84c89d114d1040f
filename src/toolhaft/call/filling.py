"""Fill the defaults of a call's arguments, in one walk along the schema and the data.

What default factories give is inserted before the object is made; static defaults are shown only.
Nothing is read back from an object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft.call.default_nodes import (
    DefaultNode,
    Form,
    UnfitDefault,
    compile_defaults,
    unfit_factories,
)
from toolhaft.call.object_writer import ABSENT, ObjectWriter, attribute_of, is_root
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.spec import Issue, Path
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.fields import FieldKey, Fields

__all__ = ["DefaultFill", "Defaults", "UnfitDefaultError"]

# The value with factories' values, and with static defaults too.
Faces: TypeAlias = tuple[Any, Any]
KINDS: Final[dict[type, str]] = {dict: "object", list: "array", str: "string"}
FORM: Final = object()


class UnfitDefaultError(ToolhaftError):
    """What fills an argument that was not sent is not what the tool takes there."""


class _Choice(NamedTuple):
    """The form of a union that was filled, and the others that could be meant."""

    fields: Fields
    others: list[Fields]


class Defaults:
    """The defaults of one tool's arguments."""

    def __init__(self, adapter: Adapter[Any]) -> None:
        self._adapter = adapter
        self._written: dict[int, Any] = {}

    @cached_property
    def root(self) -> DefaultNode | None:
        return compile_defaults(self._adapter.typed_input)

    @cached_property
    def unfit(self) -> list[UnfitDefault]:
        """The factories that cannot be called before the object is made."""
        return unfit_factories(self._adapter.typed_input)

    @cached_property
    def writer(self) -> ObjectWriter:
        return ObjectWriter(self._adapter)

    def show(self, data: Any) -> Any:
        """Give data with their static defaults; no factory is called."""
        return data if self.root is None else _Walk(self, asks=False).value(self.root, data, ())[1]

    def fill(self) -> DefaultFill:
        """Give what fills the data of one call."""
        return DefaultFill(self)

    def static(self, key: FieldKey, fields: Fields) -> Any:
        """Write a static default; `ABSENT` where it is no JSON, such as infinity."""
        if id(key) not in self._written:
            try:
                written = self.writer.write_default(key, fields, key.declared)
            except jsondata.NotJson:
                written = ABSENT
            self._written[id(key)] = written
        return self._written[id(key)]

    def accepts(self, data: Any) -> bool:
        schema = self._adapter.typed_input
        return schema is None or schema.gate.is_valid(data)

    def require_forms(self, choices: Any, data: Any, value: Any) -> None:
        """Require the objects of the forms that were filled.

        Raises:
            UnfitDefaultError: The library took another form of a union.
        """
        root = self._adapter.root
        if root is None:
            _FormCheck(self._adapter).check(choices, data, value)
        elif root in choices:
            _FormCheck(self._adapter).check(choices[root], data[root], value)


class DefaultFill:
    """Fills the data of one call; `places` has what factories gave, by the place."""

    def __init__(self, defaults: Defaults) -> None:
        self._defaults = defaults
        self._walk = _Walk(defaults, asks=True)
        self.places: dict[Path, Any] = self._walk.places
        self.sent: Any = None
        self.admitted: Any = None
        self.shown: Any = None

    def __call__(self, data: Any) -> Any:
        """Fill data.

        Raises:
            UnfitDefaultError: A factory's value is no JSON of its field.
        """
        root = self._defaults.root
        self.sent = data
        self.admitted, self.shown = (
            (data, data) if root is None else self._walk.value(root, data, ())
        )
        if self.places and not self._defaults.accepts(self.admitted):
            raise UnfitDefaultError(f"{self._names()}: a default factory gave no value of its type")
        return self.admitted

    def require_sent(self, issues: Iterable[Issue]) -> None:
        """Require that issues are about what was sent.

        Raises:
            UnfitDefaultError: The library does not take what a factory gave.
        """
        for issue in issues:
            if any(issue.path[:length] in self.places for length in range(1, len(issue.path) + 1)):
                where = ".".join(map(str, issue.path))
                raise UnfitDefaultError(f"{where}: the value of its default factory is not taken")

    def require_forms(self, value: Any) -> None:
        """Require the object that was filled, as `Defaults.require_forms` does."""
        if self._walk.choices:
            self._defaults.require_forms(self._walk.choices, self.admitted, value)

    def _names(self) -> str:
        return ", ".join(dict.fromkeys(str(path[-1]) for path in self.places))


class _Walk:
    """One walk along the schema and the data; with `asks`, factories are called."""

    def __init__(self, defaults: Defaults, *, asks: bool) -> None:
        self.defaults = defaults
        self.asks = asks
        self.places: dict[Path, Any] = {}
        self.choices: dict[Any, Any] = {}  # by the steps of their places

    def value(self, node: DefaultNode | None, data: Any, path: Path) -> Faces:
        if node is None or type(data) not in KINDS:
            return data, data
        faces = self._own(node, data, path)
        parts = [*node.combined, *self._chosen(node, data, path)]
        for part in parts:
            faces = _joined(faces, self.value(part, faces[0], path))
        return faces

    def _own(self, node: DefaultNode, data: Any, path: Path) -> Faces:
        """Fill what the schema itself says, without what it combines."""
        if type(data) is dict:
            return self._members(node, data, path)
        if type(data) is list:
            return self._items(node, data, path)
        return self._text(node.content, data, path)

    def _members(self, node: DefaultNode, data: dict[str, Any], path: Path) -> Faces:
        admitted, shown = dict(data), dict(data)
        for key, item in data.items():
            inner = node.member(key)
            if inner is not None:
                admitted[key], shown[key] = self.value(inner, item, (*path, key))
        fields = node.fields
        for field in () if fields is None or fields.is_array else fields.keys:
            name = field.key
            if field.default is not None and name not in data:
                faces = self._default(field, node, node.member(name), (*path, name))
                for face, value in zip((admitted, shown), faces, strict=True):
                    if value is not ABSENT:
                        face[name] = value
        return admitted, shown

    def _items(self, node: DefaultNode, data: list[Any], path: Path) -> Faces:
        faces = [self.value(node.item(at), item, (*path, at)) for at, item in enumerate(data)]
        admitted, shown = [face for face, _ in faces], [face for _, face in faces]
        if node.fields is not None and node.fields.is_array:
            self._places(node, node.fields, path, admitted, shown)
        return admitted, shown

    def _places(
        self, node: DefaultNode, fields: Fields, path: Path, admitted: list[Any], shown: list[Any]
    ) -> None:
        """Fill an array of fields up to its last factory: no item before that can be left out."""
        factories = [at for at, key in enumerate(fields.keys) if key.default == "factory"]
        last = max(factories, default=-1)
        for at in range(len(shown), len(fields.keys)):
            key = fields.keys[at]
            filled, default = self._default(key, node, node.item(at), (*path, at))
            if default is ABSENT:
                if self.asks and at <= last:
                    raise UnfitDefaultError(f"{key.key}: its default is no JSON")
                return
            shown.append(default)
            if self.asks and at <= last:
                admitted.append(default if filled is ABSENT else filled)

    def _text(self, content: DefaultNode | None, text: str, path: Path) -> Faces:
        """Fill what stands in a text that holds JSON."""
        if content is None:
            return text, text
        data = jsontext.read(text)
        admitted, shown = self.value(content, data, (*path, ""))
        return (
            text if admitted == data else jsontext.write(admitted),
            text if shown == data else jsontext.write(shown),
        )

    def _default(
        self, key: FieldKey, node: DefaultNode, inner: DefaultNode | None, path: Path
    ) -> Faces:
        """Give what fills an absent field; `ABSENT` where it stays so."""
        fields = node.fields
        if key.default is None or fields is None or (key.default == "factory" and not self.asks):
            return ABSENT, ABSENT
        if key.default == "factory":
            value = self._made(key, fields)
            self.places[path] = value
            return self.value(inner, value, path)
        static = self.defaults.static(key, fields)
        if static is ABSENT or not key.is_read:
            return ABSENT, static
        count = len(self.places)
        admitted, shown = self.value(inner, static, path)
        if len(self.places) == count:
            return ABSENT, shown
        self.places[path] = admitted
        return admitted, shown

    def _made(self, key: FieldKey, fields: Fields) -> Any:
        """Call a factory, and write what it gives."""
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

    def _chosen(self, node: DefaultNode, data: Any, path: Path) -> list[DefaultNode]:
        """Choose the first form of a union that accepts the data."""
        kind = KINDS[type(data)]
        forms = [form for form in node.forms if form.types is None or kind in form.types]
        if not any(form.node for form in forms):
            return []
        chosen = next((form for form in forms[:-1] if form.accepts(data)), forms[-1])
        self._note(chosen, forms, path)
        return [] if chosen.node is None else [chosen.node]

    def _note(self, chosen: Form, forms: list[Form], path: Path) -> None:
        """Note which form was filled, where an object can be of another."""
        others = [form.fields for form in forms if form is not chosen and form.fields is not None]
        if not self.asks or chosen.fields is None or not others:
            return
        choices = self.choices
        for step in path:
            choices = choices.setdefault(step, {})
        choices[FORM] = _Choice(chosen.fields, others)


def _joined(faces: Faces, others: Faces) -> Faces:
    """Join what two parts of a schema fill in one value; the second was given the first's."""
    admitted, shown = others
    return admitted, {**faces[1], **shown} if type(shown) is dict else shown


class _FormCheck:
    """Looks for the objects of unions where their data stood, as far as they are still there."""

    def __init__(self, adapter: Adapter[Any]) -> None:
        self._fields: Mapping[type, Fields] = adapter.fields

    def check(self, choices: dict[Any, Any], data: Any, value: Any) -> None:
        fields = self._fields.get(type(value))
        if fields is not None and is_root(fields):
            value = attribute_of(value, fields.keys[0])
            fields = self._fields.get(type(value))
        choice: _Choice | None = choices.get(FORM)
        if choice is not None and self._is_of_another(choice, data, value):
            raise UnfitDefaultError("the library took another form of a union than was shown")
        inner = [step for step in choices if step is not FORM]
        if inner and type(data) in (dict, list):
            held = self._held(fields, data, value)
            for step in inner:
                if step in held:
                    self.check(choices[step], data[step], held[step])

    def _is_of_another(self, choice: _Choice, data: Any, value: Any) -> bool:
        if choice.fields.cls is not None:
            return type(value) is not choice.fields.cls and any(
                type(value) is other.cls for other in choice.others
            )
        return isinstance(value, dict) and any(
            key.key in data and key.attribute not in value for key in choice.fields.keys
        )

    def _held(self, fields: Fields | None, data: Any, value: Any) -> Mapping[Any, Any]:
        """Give what an object holds, by the steps of its data."""
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
