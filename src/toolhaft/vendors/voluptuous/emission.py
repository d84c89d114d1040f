"""A tree of voluptuous validators as JSON Schema, with what cannot be said of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from enum import Enum
from types import NoneType
from typing import Any, Final, NamedTuple

from toolhaft.schema.marks import mark
from toolhaft.vendors.fields import FieldKey, mark_fields
from toolhaft.vendors.schema_writer import (
    SchemaWriter,
    constants,
    default_of,
    enumerated,
    is_empty,
    nullable,
)
from toolhaft.vendors.voluptuous.validators import WRITERS, described, kind_of

__all__ = ["Emission", "functions_in"]

Node = dict[str, Any]

TYPES: Final[dict[Any, Node]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    None: {"type": "null"},
    NoneType: {"type": "null"},
    dict: {"type": "object", "additionalProperties": True},
    list: {"type": "array", "items": {}},
    object: {},
}


# Where validators and markers keep others, and functions.
_HELD: Final = ("schema", "validators", "type", "default")


class Context(NamedTuple):
    """What a Schema decides for the dicts in it: are plain keys required, and what of others."""

    required: bool
    extra: int


def functions_in(tree: Any) -> Iterator[Any]:
    """Give everything callable in a validator tree that is no class."""
    queue, seen = [tree], set[int]()
    while queue:
        one = queue.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            queue += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            queue += one
        elif callable(one) and not isinstance(one, type):
            yield one
            queue += [getattr(one, name, None) for name in _HELD]


class Emission:
    """One pass over a tree; `place` is where it is, for the list of losses."""

    def __init__(self) -> None:
        self.losses: list[str] = []
        self.place: tuple[str, ...] = ()

    def made(self, schema: Any) -> SchemaWriter:
        return SchemaWriter(self.schema(schema), self.losses)

    def lose(self, reason: str) -> Node:
        where = ".".join(self.place)
        self.losses.append(f"{where}: {reason}" if where else reason)
        return {}

    @contextmanager
    def at(self, step: str) -> Generator[None]:
        """Be one step further into the tree."""
        outer, self.place = self.place, (*self.place, step)
        yield
        self.place = outer

    def schema(self, schema: Any) -> Node:
        return self.node(schema.schema, Context(schema.required, schema.extra))

    def node(self, tree: Any, context: Context) -> Node:
        """Write one validator, container, type or literal."""
        kind = kind_of(tree)
        if kind is not None:
            return self.validator(kind, tree, context)
        if isinstance(tree, dict):
            return self.mapping(tree, context)
        if isinstance(tree, list):
            return self.sequence(tree, context)
        if (tree is None or isinstance(tree, type)) and tree in TYPES:
            return dict(TYPES[tree])
        literal = constants([tree])
        return self.lose(described(tree)) if literal is None else enumerated(literal)

    def validator(self, kind: str, tree: Any, context: Context) -> Node:
        if kind == "Schema":
            return self.schema(tree)
        if kind == "Extra":
            return {}
        if kind == "Coerce":
            return self.coerced(tree.type)
        if kind in _COMBINED:
            return _COMBINED[kind](self, tree, context)
        said = WRITERS[kind](tree, {}) if kind in WRITERS else None
        return self.lose(described(tree)) if said is None else said

    # ------------------------------------------------------------------------- containers

    def mapping(self, tree: dict[Any, Any], context: Context) -> Node:
        made: Node = {"type": "object", "properties": {}}
        if context.extra != REMOVED:
            made["additionalProperties"] = context.extra == ALLOWED
        mark(made, extra=POLICIES[context.extra])
        mark_fields(made, [_field_key(key) for key in tree])
        for key, value in tree.items():
            name, kind = getattr(key, "schema", key), kind_of(key)
            if kind in _UNSAID:
                self.lose(f"{kind}({name!r})")
            if type(name) is str:
                made["properties"][name] = self.property(key, value, context)
            elif kind_of(name) == "Extra" or name is str:
                with self.at("*"):
                    made["additionalProperties"] = self.node(value, context) or True
                mark(made, extra="allow")
            else:
                self.lose(f"the key {described(name)}")
                made["additionalProperties"] = True
                mark(made, extra="allow")
        if not made["properties"] and made.get("additionalProperties"):
            del made["properties"]
        return {**made, **self.required(tree, context)}

    def property(self, key: Any, value: Any, context: Context) -> Node:
        if kind_of(key) == "Remove":
            return {}
        with self.at(getattr(key, "schema", key)):
            node = self.node(value, context)
        text = getattr(key, "description", None)
        notes = {"description": text} if isinstance(text, str) else {}
        default: Any = getattr(key, "default", None)
        if _is_constant(default):
            notes |= default_of(default())
        return {**notes, **node}

    def required(self, tree: dict[Any, Any], context: Context) -> Node:
        """Write which keys must be given; `str` itself asks for one key of any name."""
        keys = [getattr(key, "schema", key) for key in tree if _is_required(key, context)]
        names = [name for name in keys if type(name) is str]
        said: Node = {"required": names} if names else {}
        if str in keys:
            said |= {"minProperties": 1} if len(tree) == 1 else self.lose("a required str")
        return said

    def sequence(self, tree: list[Any], context: Context) -> Node:
        if not tree:
            return {"type": "array", "items": {}, "maxItems": 0}
        with self.at("[]"):
            return {"type": "array", "items": self.choice(tree, context)}

    # ------------------------------------------------------------------------- combinations

    def any(self, tree: Any, context: Context) -> Node:
        if tree.discriminant is not None:
            return self.lose("a discriminant")
        return self.choice(tree.validators, context._replace(required=tree.required))

    def choice(self, validators: Any, context: Context) -> Node:
        """Write what the first fitting validator accepts; literals are one enumeration."""
        forms = [one for one in validators if one is not None and one is not NoneType]
        literals = constants(forms)
        nodes = [enumerated(literals)] if literals else [self.node(one, context) for one in forms]
        made = nodes[0] if len(nodes) == 1 else {"anyOf": nodes} if nodes else {"type": "null"}
        is_open = any(not node for node in nodes)
        if is_open:
            return {}
        return nullable(made) if nodes and len(forms) < len(validators) else made

    def all(self, tree: Any, context: Context) -> Node:
        """Write validators that hold one after the other; none may be given another value."""
        inner = context._replace(required=tree.required)
        made: Node = {}
        more: list[Node] = []
        lost = len(self.losses)
        for place, one in enumerate(tree.validators):
            kind = kind_of(one)
            if kind == "Coerce" and place:
                node = self.lose(f"{described(one)} after another validator")
            elif kind in WRITERS:
                said = WRITERS[kind](one, made)
                node = self.lose(described(one)) if said is None else said
            else:
                node = self.node(one, inner)
            if len(self.losses) > lost:
                continue  # what holds after it may hold for another value
            if any(made[word] != node[word] for word in made.keys() & node.keys()):
                more.append(node)
            else:
                made |= node
        return {**made, "allOf": more} if more else made

    def coerced(self, target: Any) -> Node:
        if isinstance(target, type) and target in (bool, int, float, str):
            return dict(TYPES[target])
        if isinstance(target, type) and issubclass(target, Enum):
            values = constants([member.value for member in target])
            if values:
                return enumerated(values)
        return self.lose(f"Coerce({described(target)})")


# Keys whose presence hangs on others, or whose value need not fit.
_UNSAID: Final = ("Exclusive", "Inclusive", "Remove")
ALLOWED: Final = 1  # voluptuous.ALLOW_EXTRA
REMOVED: Final = 2  # voluptuous.REMOVE_EXTRA
POLICIES: Final = ("forbid", "allow", "ignore")

_COMBINED: Final[dict[str, Callable[[Emission, Any, Context], Node]]] = {
    "Any": Emission.any,
    "Union": Emission.any,
    "All": Emission.all,
}


def _is_required(key: Any, context: Context) -> bool:
    """Say whether a key must be given: not where a default stands in for it."""
    kind = kind_of(key)
    if kind == "Required":
        return key.default is _undefined()
    return kind is None and context.required


def _field_key(key: Any) -> FieldKey:
    """Say how a key is filled that is not given; one that is no text never is."""
    name, default = getattr(key, "schema", key), getattr(key, "default", None)
    if type(name) is not str or default is None or default is _undefined():
        return FieldKey(str(name), str(name))
    return FieldKey(name, name, "static" if _is_constant(default) else "factory")


def _is_constant(default: Any) -> bool:
    """Say whether a default is the same each time: a factory of the author's need not be."""
    from voluptuous import default_factory

    code, constant = (getattr(one, "__code__", None) for one in (default, default_factory(0)))
    return is_empty(default) or (code is not None and code is constant)


def _undefined() -> Any:
    from voluptuous import UNDEFINED

    return UNDEFINED
