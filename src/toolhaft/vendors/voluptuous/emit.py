"""Write a tree of voluptuous validators as JSON Schema, with a list of losses."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from enum import Enum
from types import NoneType
from typing import Any, Final, NamedTuple

from toolhaft.schema.marks import mark
from toolhaft.vendors.emission_rules import is_untyped, object_nodes
from toolhaft.vendors.fields import (
    FieldKey,
    Fields,
    factory_default,
    fields_at,
    is_constant_factory,
    mark_fields,
)
from toolhaft.vendors.schema_writer import (
    WrittenSchema,
    constants,
    default_keyword,
    enum_schema,
    nullable_schema,
)
from toolhaft.vendors.voluptuous.validators import WRITERS, kind_of, validator_label

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
_NESTED: Final = ("schema", "validators", "type", "default")


class Context(NamedTuple):
    """A Schema's rules for the dicts in it: whether plain keys are required, and extra keys."""

    required: bool
    extra: int


def functions_in(tree: Any) -> Iterator[Any]:
    """Yield everything callable in a validator tree that is not a class."""
    queue, visited = [tree], set[int]()
    while queue:
        node = queue.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        if isinstance(node, dict):
            queue += [*node.keys(), *node.values()]
        elif isinstance(node, list | tuple | set | frozenset):
            queue += node
        elif callable(node) and not isinstance(node, type):
            yield node
            queue += [getattr(node, name, None) for name in _NESTED]


class Emission:
    """One pass over a tree; `place` is its current place, for the list of losses."""

    def __init__(self) -> None:
        self.losses: list[str] = []
        self.place: tuple[str, ...] = ()

    def write(self, schema: Any) -> WrittenSchema:
        return WrittenSchema(self.schema(schema), self.losses)

    def add_loss(self, reason: str) -> Node:
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
        return self.add_loss(validator_label(tree)) if literal is None else enum_schema(literal)

    def validator(self, kind: str, tree: Any, context: Context) -> Node:
        if kind == "Schema":
            return self.schema(tree)
        if kind == "Extra":
            return {}
        if kind == "Coerce":
            return self.coercion(tree.type)
        if kind in _COMBINED:
            return _COMBINED[kind](self, tree, context)
        node = WRITERS[kind](tree, {}) if kind in WRITERS else None
        return self.add_loss(validator_label(tree)) if node is None else node

    # ------------------------------------------------------------------------- containers

    def mapping(self, tree: dict[Any, Any], context: Context) -> Node:
        node: Node = {"type": "object", "properties": {}}
        if context.extra != REMOVED:
            node["additionalProperties"] = context.extra == ALLOWED
        mark(node, extra=POLICIES[context.extra])
        mark_fields(node, Fields([_field_key(key, tree[key], context) for key in tree]))
        for key, value in tree.items():
            name, kind = getattr(key, "schema", key), kind_of(key)
            if kind in _UNSAID:
                self.add_loss(f"{kind}({name!r})")
            if type(name) is str:
                node["properties"][name] = self.property(key, value, context)
            elif kind_of(name) == "Extra" or name is str:
                with self.at("*"):
                    node["additionalProperties"] = self.node(value, context) or True
                mark(node, extra="allow")
            else:
                self.add_loss(f"the key {validator_label(name)}")
                node["additionalProperties"] = True
                mark(node, extra="allow")
        if not node["properties"] and node.get("additionalProperties"):
            del node["properties"]
        return {**node, **self.required(tree, context)}

    def property(self, key: Any, value: Any, context: Context) -> Node:
        if kind_of(key) == "Remove":
            return {}
        with self.at(getattr(key, "schema", key)):
            node = self.node(value, context)
        text = getattr(key, "description", None)
        notes = {"description": text} if isinstance(text, str) else {}
        default: Any = getattr(key, "default", None)
        if _is_constant(default):
            notes |= default_keyword(default())
        return {**notes, **node}

    def required(self, tree: dict[Any, Any], context: Context) -> Node:
        """Write the required keys; a required `str` asks for one key of any name."""
        keys = [getattr(key, "schema", key) for key in tree if _is_required(key, context)]
        names = [name for name in keys if type(name) is str]
        keywords: Node = {"required": names} if names else {}
        if str in keys:
            keywords |= {"minProperties": 1} if len(tree) == 1 else self.add_loss("a required str")
        return keywords

    def sequence(self, tree: list[Any], context: Context) -> Node:
        if not tree:
            return {"type": "array", "items": {}, "maxItems": 0}
        with self.at("[]"):
            return {"type": "array", "items": self.choice(tree, context)}

    # ------------------------------------------------------------------------- combinations

    def any(self, tree: Any, context: Context) -> Node:
        if tree.discriminant is not None:
            return self.add_loss("a discriminant")
        return self.choice(tree.validators, context._replace(required=tree.required))

    def choice(self, validators: Any, context: Context) -> Node:
        """Write what the first fitting validator accepts; literals are one enumeration."""
        forms = [
            validator
            for validator in validators
            if validator is not None and validator is not NoneType
        ]
        literals = constants(forms)
        nodes = (
            [enum_schema(literals)]
            if literals
            else [self.node(validator, context) for validator in forms]
        )
        combined = nodes[0] if len(nodes) == 1 else {"anyOf": nodes} if nodes else {"type": "null"}
        if any(map(is_untyped, nodes)):
            return _rewritten(*nodes)
        return nullable_schema(combined) if nodes and len(forms) < len(validators) else combined

    def all(self, tree: Any, context: Context) -> Node:
        """Write validators that hold one after the other; none may be given another value."""
        inner = context._replace(required=tree.required)
        combined: Node = {}
        conjuncts: list[Node] = []
        loss_count = len(self.losses)
        for place, validator in enumerate(tree.validators):
            kind = kind_of(validator)
            if kind == "Coerce" and place:
                node = self.add_loss(f"{validator_label(validator)} after another validator")
            elif kind in WRITERS:
                keywords = WRITERS[kind](validator, combined)
                node = self.add_loss(validator_label(validator)) if keywords is None else keywords
            else:
                node = self.node(validator, inner)
            if len(self.losses) > loss_count:
                # A validator after it may check another value.
                conjuncts += [lost] if (lost := _rewritten(node)) else []
                continue
            if any(combined[word] != node[word] for word in combined.keys() & node.keys()):
                conjuncts.append(node)
            else:
                combined |= node
        return {**combined, "allOf": conjuncts} if conjuncts else combined

    def coercion(self, target: Any) -> Node:
        if isinstance(target, type) and target in (bool, int, float, str):
            return dict(TYPES[target])
        if isinstance(target, type) and issubclass(target, Enum):
            values = constants([member.value for member in target])
            if values:
                return enum_schema(values)
        return self.add_loss(f"Coerce({validator_label(target)})")


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


def _rewritten(*nodes: Node) -> Node:
    """Return a node that accepts any value, with the factories that fill a rewritten one."""
    fields = filter(None, (fields_at(part) for node in nodes for part in object_nodes(node)))
    keys = [key for each in fields for key in each.keys if key.default == "factory"]
    node: Node = {}
    if keys:
        mark(node, rewritten=True)
        mark_fields(node, Fields(keys))
    return node


def _is_required(key: Any, context: Context) -> bool:
    """Return whether a key must be given: a key with a default need not be."""
    kind = kind_of(key)
    if kind == "Required":
        return key.default is _undefined()
    return kind is None and context.required


def _field_key(key: Any, value: Any, context: Context) -> FieldKey:
    """Return how a key is filled that is not given; a key that is not text never is."""
    name, default = getattr(key, "schema", key), getattr(key, "default", None)
    if type(name) is not str or default is None or default is _undefined():
        return FieldKey(str(name), str(name))
    if _is_constant(default):
        convert = _converter(default, value, context)
        return FieldKey(name, name, "static", declared=default(), is_read=True, convert=convert)
    return FieldKey(name, name, is_read=True, **factory_default(default))


def _converter(default: Callable[[], Any], value: Any, context: Context) -> Callable[[], Any]:
    """Make a function that gives a default as its validators leave it."""
    from voluptuous import Schema

    read = Schema(value, required=context.required, extra=context.extra)
    return lambda: read(default())


def _is_constant(default: Any) -> bool:
    """Return whether a default is always the same: an author's factory need not be."""
    from voluptuous import default_factory

    code, constant = (
        getattr(function, "__code__", None) for function in (default, default_factory(0))
    )
    return is_constant_factory(default) or (code is not None and code is constant)


def _undefined() -> Any:
    from voluptuous import UNDEFINED

    return UNDEFINED
