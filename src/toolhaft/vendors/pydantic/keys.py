"""How many keys a value was read from, and whether data hold any that are not read.

A validator does not see a key that is written twice or that nobody declared, nor a container that
is not exactly a dict or a list. Data are looked at before they are read; a text holds more keys
than were read, so there it is enough to count both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from toolhaft.plaindata import MAX_DEPTH, MAX_VALUES
from toolhaft.vendors.adapter import MOST_ITEMS, NEVER
from toolhaft.vendors.pydantic.walk import Node

__all__ = ["Keys", "Uncounted", "keys_of"]

# Nodes that hold no keys, and read nothing from Python objects that JSON does not have; they call
# no method of a subclass.
LEAVES: Final = frozenset({
    "none", "bool", "int", "float", "str", "literal", "enum", "uuid", "date", "datetime", "time",
    "timedelta", "decimal", "url", "multi-host-url", "bytes",
})  # fmt: skip
# What holds several values; more of them within each other may share parts without bound.
LISTS: Final = ("list", "dict")
MOST_LISTS: Final = 2
# A type that is used in several places is counted in each.
MOST_NODES: Final = 1_000
# An author's code, or keys that no field has.
OPEN: Final = ("custom_init", "post_init", "root_model", "extras_schema", "extras_keys_schema")

Count = Callable[[Any], int]
Look = Callable[[Any], bool]


class Keys(NamedTuple):
    """How many keys a value was read from, and whether data are exact and hold no others.

    `read` is None where there are none, `fits` where nothing need be looked at. `fixed` is what
    `read` gives where that is always the same; a dict of `width` keys, all exact text, fits.
    """

    read: Count | None
    fits: Look | None
    fixed: int | None = None
    width: int = NEVER


class Uncounted(Exception):
    """A node whose keys cannot be counted, or that is not taken apart."""


def keys_of(schema: Node) -> Keys:
    """Count the keys of a strict core schema.

    Raises:
        Uncounted: They cannot be counted.
    """
    first = _Counting(MOST_ITEMS)
    first.keys(schema)
    return _Counting(first.most_items()).keys(schema)


NOTHING: Final = Keys(None, None)


class _Counting:
    """The counts of one schema, node by node; a list holds at most so many items."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.definitions: dict[str, Node] = {}
        self.depth = self.lists = self.most_lists = 0
        self.left = MOST_NODES

    def most_items(self) -> int:
        """So few that there are never more values than arguments may have."""
        share = MAX_VALUES / (MOST_NODES - self.left)
        return min(self.most, int(share ** (1 / max(self.most_lists, 1))))

    def keys(self, node: Node) -> Keys:
        kind = node["type"]
        self.left -= 1
        if kind in LEAVES:
            return NOTHING
        rule = _RULES.get(kind)
        if rule is None or any(node.get(word) for word in OPEN):
            raise Uncounted
        self.depth += 1
        self.lists += kind in LISTS
        self.most_lists = max(self.most_lists, self.lists)
        if self.depth > MAX_DEPTH or self.lists > MOST_LISTS or self.left <= 0:
            raise Uncounted
        found = rule(self, node)
        self.depth -= 1
        self.lists -= kind in LISTS
        return found

    def default(self, node: Node) -> Keys:
        """A default that holds keys of its own would be counted as if they had been sent."""
        found = self.keys(node["schema"])
        if found.read is not None and not _holds_none(found.read, node.get("default", self)):
            raise Uncounted
        return found

    def nullable(self, node: Node) -> Keys:
        read, fits, _, _ = self.keys(node["schema"])
        return Keys(
            read and (lambda value: 0 if value is None else read(value)),
            fits and (lambda data: data is None or fits(data)),
        )

    def chain(self, node: Node) -> Keys:
        if any(self.keys(step) != NOTHING for step in node["steps"]):
            raise Uncounted
        return NOTHING

    def items(self, node: Node) -> Keys:
        if "items_schema" not in node:
            raise Uncounted
        read, fits, fixed, width = self.keys(node["items_schema"])
        if read is None or fits is None:
            most = self.most
            return Keys(None, lambda data: type(data) is list and len(data) <= most)
        return Keys(
            _sum_of(read) if fixed is None else lambda value: fixed * len(value),
            _look_each(fits, width, self.most),
        )

    def members(self, node: Node) -> Keys:
        names, values = node.get("keys_schema"), node.get("values_schema")
        if names is None or values is None or names["type"] != "str":
            raise Uncounted
        read, fits, _, _ = self.keys(values)
        exact = _exact_keys(self.most)
        if read is None or fits is None:
            return Keys(len, exact)
        return Keys(
            lambda value: len(value) + sum(map(read, value.values())),
            lambda data: exact(data) and all(map(fits, data.values())),
        )

    def instance(self, node: Node) -> Keys:
        inner = node["schema"]
        if inner["type"] not in ("model-fields", "dataclass-args") or _keeps_more(node):
            raise Uncounted
        return self.object(inner)

    def object(self, node: Node) -> Keys:
        fields = _fields(node)
        inner = [(name, self.keys(one["schema"])) for name, one in fields.items()]
        counts = [(name, keys.read) for name, keys in inner if keys.read]
        looks = [(_key(name, fields[name]), keys.fits) for name, keys in inner if keys.fits]
        optional = [_key(key, one) for key, one in fields.items() if not is_required(node, one)]
        if len({_key(key, one) for key, one in fields.items()}) < len(fields):
            raise Uncounted  # one key for two fields
        required = len(fields) - len(optional)
        fixed = None if optional or counts else required
        return Keys(
            _reader(_own(node, fields, required), counts, node["type"] == "typed-dict"),
            _look(required, optional, looks),
            fixed,
            NEVER if looks else required,
        )

    def definitions_of(self, node: Node) -> Keys:
        self.definitions |= {one["ref"]: one for one in node["definitions"]}
        return self.keys(node["schema"])

    def reference(self, node: Node) -> Keys:
        return self.keys(self.definitions[node["schema_ref"]])


def _holds_none(read: Count, default: Any) -> bool:
    """Whether no keys are counted in a default, which need not be what the node reads."""
    is_empty = default is None or (type(default) in (list, dict) and not default)
    try:
        return is_empty and read(default) == 0
    except (AttributeError, TypeError):
        return False


def _exact_keys(most: int) -> Look:
    """Say whether data are a dict whose keys are text: no hash or comparison of a subclass runs."""

    def fits(data: Any) -> bool:
        if type(data) is not dict or len(data) > most:
            return False
        for key in data:  # noqa: SIM110 - twice as fast as a generator
            if type(key) is not str:
                return False
        return True

    return fits


def _look(required: int, optional: list[str], looks: list[tuple[str, Look]]) -> Look:
    """Say of an object's data whether all is exact and no key too many, if none is missing."""

    def fits(data: Any) -> bool:
        if type(data) is not dict:
            return False
        more = len(data) - required
        for key in data:
            if type(key) is not str:
                return False
        if more > 0:
            for name in optional:
                more -= name in data
            if more > 0:
                return False
        for name, look in looks:  # noqa: SIM110 - as above
            if name in data and not look(data[name]):
                return False
        return True

    return fits


def _look_each(fits: Look, width: int, most: int) -> Look:
    """Say the same of a list; objects of exactly `width` keys are seen in place."""

    def fit(items: Any) -> bool:
        if type(items) is not list or len(items) > most:
            return False
        for data in items:
            if type(data) is dict and len(data) == width:
                for key in data:
                    if type(key) is not str:
                        return False
            elif not fits(data):
                return False
        return True

    return fit


def _reader(own: Count, counts: list[tuple[str, Count]], is_dict: bool) -> Count:
    if not counts:
        return own

    def read(value: Any) -> int:
        total = own(value)
        for name, count in counts:
            if not is_dict:
                total += count(getattr(value, name))
            elif name in value:
                total += count(value[name])
        return total

    return read


def _sum_of(count: Count) -> Count:
    return lambda parts: sum(map(count, parts))


def _fields(node: Node) -> dict[str, Node]:
    found: Any = node["fields"]
    if _keeps_more(node):
        raise Uncounted
    return {one["name"]: one for one in found} if isinstance(found, list) else found


def _keeps_more(node: Node) -> bool:
    """Whether an object keeps keys that no field has, or a field is no key."""
    config: dict[str, Any] = node.get("config") or {}
    fields: Any = node.get("fields")
    unread = isinstance(fields, list) and any(
        field.get("init_only") or field.get("init") is False
        for field in fields
        if isinstance(field, dict)
    )
    behaviour = node.get("extra_behavior") or config.get("extra_fields_behavior")
    return behaviour == "allow" or unread


def is_required(node: Node, field: Node) -> bool:
    """Whether an object of a core schema cannot do without a field."""
    if field["schema"]["type"] == "default":
        return False
    return node["type"] != "typed-dict" or bool(field.get("required", node.get("total", True)))


def _own(node: Node, fields: Mapping[str, Node], required: int) -> Count:
    """Count the keys that an object of optional fields was made from, where it still knows."""
    if required == len(fields):
        return lambda _: required
    if node["type"] == "model-fields":
        return lambda value: len(value.__pydantic_fields_set__)
    has_defaults = any(one["schema"]["type"] == "default" for one in fields.values())
    if node["type"] != "typed-dict" or has_defaults:
        raise Uncounted
    return len


def _key(name: str, field: Node) -> str:
    alias = field.get("validation_alias", name)
    if not isinstance(alias, str):
        raise Uncounted
    return alias


_RULES: Final[dict[str, Callable[[_Counting, Node], Keys]]] = {
    "list": _Counting.items,
    "dict": _Counting.members,
    "model": _Counting.instance,
    "dataclass": _Counting.instance,
    "typed-dict": _Counting.object,
    "default": _Counting.default,
    "nullable": _Counting.nullable,
    "chain": _Counting.chain,
    "definitions": _Counting.definitions_of,
    "definition-ref": _Counting.reference,
}
