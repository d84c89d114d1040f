"""Strict JSON semantics for pydantic, compiled into the core schema once.

pydantic reads JSON text strictly as one would wish (`"3"` is no integer, a UUID comes as text),
but decoded data only in one of two wrong ways: strictly, which refuses every UUID and enum, or
laxly, which takes `"3"` for 3. So each node of the core schema is rewritten: scalars become
strict, and a type with a JSON form of its own is read laxly behind a strict check of that form.

Where a union could tell its branches apart only in JSON mode, or a node is not known here, the
whole type takes the other route: the data is written as JSON and read in JSON mode.

Known differences to pydantic's own strict JSON mode, all narrower and all as the emitted schema
says: `true` and `1.0` are not `Literal[1]` or an `IntEnum` member, an infinity is no float, a set
refuses equal items, a named tuple is an array, and a number in text is no date-time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final, Literal, NamedTuple, TypeAlias

__all__ = ["FORMATS", "OBJECT", "Node", "Strict", "strict_schema"]

Node: TypeAlias = dict[str, Any]
Rule: TypeAlias = Callable[["_Walk", Node], Node]


class Strict(NamedTuple):
    """A core schema with strict JSON semantics, and what was seen on the way."""

    schema: Node
    route: Literal["python", "json"]
    own_checks: bool
    widens: bool
    runs_init: bool


def strict_schema(core_schema: Mapping[str, Any], config: Mapping[str, Any] | None) -> Strict:
    """Rewrite a core schema, by the Python route where it can tell everything apart."""
    try:
        return _walked(core_schema, config, "python")
    except _NeedsJson:
        return _walked(core_schema, config, "json")


class _NeedsJson(Exception):
    """Only JSON mode can read this node as pydantic would."""


class _MeetsObjects(Exception):
    """An author's function stands before some node, and may hand it Python objects."""


def _walked(
    core_schema: Mapping[str, Any],
    config: Mapping[str, Any] | None,
    route: Literal["python", "json"],
    *,
    objects: bool = False,
) -> Strict:
    walk = _Walk(route, objects=objects)
    try:
        walk.config({"config": config})
        made = walk(dict(core_schema))
    except _MeetsObjects:
        return _walked(core_schema, config, route, objects=True)
    return Strict(made, route, walk.own_checks, walk.widens, walk.runs_init)


class _Walk:
    """One pass over a core schema; `objects` says that nodes may be given Python objects."""

    def __init__(self, route: Literal["python", "json"], *, objects: bool) -> None:
        self.route = route
        self.objects = objects
        self.own_checks = self.widens = self.runs_init = False
        self.definitions: dict[str, Node] = {}

    def __call__(self, node: Node) -> Node:
        bare = {key: value for key, value in node.items() if key not in _UNUSED}
        rule = _RULES.get(node["type"])
        if rule is None:
            return self.unknown(node)
        made = rule(self, bare)
        if "ref" in node:
            made["ref"] = node["ref"]
        return made

    def unknown(self, node: Node) -> Node:
        if self.route == "python":
            raise _NeedsJson
        self.own_checks = True
        return {**node, "strict": True}

    def config(self, node: Mapping[str, Any]) -> Node:
        """Give a node's config without its strictness, which stands at every node now."""
        config = node.get("config")
        if not config:
            return {}
        if config.get("validate_default"):
            self.expect_objects()
        self.own_checks |= any(key in config for key in _TEXT_CONFIG)
        return {"config": {key: value for key, value in config.items() if key != "strict"}}

    def expect_objects(self) -> None:
        if not self.objects:
            raise _MeetsObjects

    def read(self, lax: Node, strict: Node) -> Node:
        """Choose between a lax node behind a guard and the strict one, which JSON mode can read.

        On the Python route the guarded node reads the JSON form; the strict one would take
        Python objects only, and is wanted beside it where a function may make such.
        """
        if self.route == "python":
            return self.or_instance(lax, strict)
        return _union((strict, "0"), (lax, "1")) if self.objects else strict

    def or_instance(self, by_json: Node, by_object: Node) -> Node:
        """Accept the Python object too, where a function may make one."""
        return _union((by_json, "0"), (by_object, OBJECT)) if self.objects else by_json


def _union(*labelled: tuple[Node, str]) -> Node:
    return {"type": "union", "mode": "left_to_right", "choices": list(labelled)}


def _numbered(choices: Iterable[Node]) -> list[tuple[Node, str]]:
    """Label a union's branches, so that an error's location can be read back."""
    return [(choice, str(place)) for place, choice in enumerate(choices)]


# ------------------------------------------------------------------------------- scalars


def _same(walk: _Walk, node: Node) -> Node:
    del walk
    return node


def _scalar(walk: _Walk, node: Node) -> Node:
    del walk
    return {**node, "strict": True}


def _float(walk: _Walk, node: Node) -> Node:
    del walk
    return {**node, "strict": True, "allow_inf_nan": False}


def _text(walk: _Walk, node: Node) -> Node:
    walk.own_checks |= any(key in node for key in _TEXT_CHECKS)
    made = {**node, "strict": True}
    pattern = node.get("pattern")
    if pattern is None or (isinstance(pattern, str) and "\\" not in pattern):
        return made
    return _matching(getattr(pattern, "pattern", pattern), made)


def _matching(pattern: str, node: Node) -> Node:
    r"""Read a pattern as the model was told: in JSON Schema `\d` is an ASCII digit (ECMA-262)."""
    from toolhaft.schema.checker import matcher

    def match(text: str) -> str:
        if not matcher(pattern)(text):
            from pydantic_core import PydanticKnownError

            raise PydanticKnownError("string_pattern_mismatch", {"pattern": pattern})
        return text

    return {
        "type": "function-after",
        "function": {"type": "no-info", "function": match},
        "schema": node,
    }


def _from_text(form: str | None = None) -> Rule:
    """A type whose JSON form is text, which must look like it before pydantic reads it."""
    guard: Node = {"type": "str", "strict": True}
    if form is not None:
        guard["pattern"] = next(pattern for pattern, name in FORMATS.items() if name == form)

    def rule(walk: _Walk, node: Node) -> Node:
        walk.own_checks = True
        return _guarded(walk, guard, node)

    return rule


def _number_or_text(walk: _Walk, node: Node) -> Node:
    walk.own_checks = True
    return _guarded(walk, _exactly({int, str, float}), node)


def _guarded(walk: _Walk, guard: Node, node: Node) -> Node:
    lax = {"type": "chain", "steps": [guard, {**node, "strict": False}]}
    return walk.read(lax, {**node, "strict": True})


def _only_guarded(walk: _Walk, guard: Node, node: Node) -> Node:
    """Guard a node that is too wide in JSON mode as well."""
    lax = {"type": "chain", "steps": [guard, {**node, "strict": False}]}
    return walk.or_instance(lax, {"type": "is-instance", "cls": node["cls"]})


def _exactly(kinds: Iterable[type]) -> Node:
    """Accept these scalar types, as written: `true` is no 1."""
    choices = [_SCALARS[kind] for kind in _SCALARS if kind in kinds]
    return choices[0] if len(choices) == 1 else _union(*_numbered(choices))


def _literal(walk: _Walk, node: Node) -> Node:
    expected = node["expected"]
    if {type(value) for value in expected} == {str}:
        return node
    groups: dict[type, list[Any]] = {}
    for value in expected:
        groups.setdefault(type(value), []).append(value)
    if not all(kind in _SCALARS or issubclass(kind, Enum) for kind in groups):
        return walk.unknown(node)
    # The order of the scalars matters, see there; members of enums come first.
    ranks = list(_SCALARS)
    kinds = sorted(groups, key=lambda kind: ranks.index(kind) if kind in ranks else -1)
    parts = [_literal_part(walk, node, kind, groups[kind]) for kind in kinds]
    return parts[0] if len(parts) == 1 else _union(*_numbered(parts))


def _literal_part(walk: _Walk, node: Node, kind: type, values: list[Any]) -> Node:
    if issubclass(kind, Enum):
        member = _enum(walk, {"type": "enum", "cls": kind, "members": values})
        return {"type": "chain", "steps": [member, {**node, "expected": values}]}
    return {"type": "chain", "steps": [_SCALARS[kind], {**node, "expected": values}]}


def _enum(walk: _Walk, node: Node) -> Node:
    kinds = {_kind(member.value) for member in node["members"]}
    if "missing" in node:
        walk.own_checks = walk.widens = True
    if not kinds <= _SCALARS.keys():
        return walk.unknown(node)
    if kinds == {str}:
        return _guarded(walk, _exactly(kinds), node)
    return _only_guarded(walk, _exactly(kinds), node)


def _kind(value: object) -> type:
    """Give the JSON scalar that a value is, for members whose enum mixes in another type."""
    return next((kind for kind in (bool, int, float, str) if isinstance(value, kind)), type(value))


# ---------------------------------------------------------------------------- containers


def _list(walk: _Walk, node: Node) -> Node:
    return {**_items(walk, node), "type": "list", "strict": True}


def _from_array(walk: _Walk, node: Node) -> Node:
    return {**_items(walk, node), "strict": walk.route == "json" and not walk.objects}


def _set(walk: _Walk, node: Node) -> Node:
    if walk.route == "json":
        walk.expect_objects()
    lax = {**_items(walk, node), "strict": False}
    return {"type": "function-wrap", "function": _ONLY_UNEQUAL, "schema": lax}


def _only_unequal(value: Any, read: Callable[[Any], Any]) -> Any:
    made = read(value)
    if len(made) != len(value) and _has_equal_items(value):
        from pydantic_core import PydanticCustomError

        raise PydanticCustomError("unique", "expected no duplicate items")
    return made


def _has_equal_items(items: Any) -> bool:
    from pydantic_core import to_json

    return isinstance(items, list) and len({to_json(item) for item in items}) != len(items)


_ONLY_UNEQUAL: Final = {"type": "no-info", "function": _only_unequal}


def _items(walk: _Walk, node: Node) -> Node:
    items = node.get("items_schema")
    if items is None:
        return node
    walked = [walk(item) for item in items] if isinstance(items, list) else walk(items)
    return {**node, "items_schema": walked}


def _named_tuple(walk: _Walk, node: Node) -> Node:
    if walk.route == "json":
        walk.expect_objects()
    fields = [{**field, "schema": walk(field["schema"])} for field in node["fields"]]
    return _only_guarded(walk, {"type": "list", "strict": True}, {**node, "fields": fields})


def _mapping(walk: _Walk, node: Node) -> Node:
    made = {**node, "strict": False}
    if "keys_schema" in node:
        made["keys_schema"] = _keys(walk, node["keys_schema"])
    if "values_schema" in node:
        made["values_schema"] = walk(node["values_schema"])
    return made


def _keys(walk: _Walk, node: Node) -> Node:
    """Keys are text in JSON: an integer key is read from it, in JSON mode too."""
    if node["type"] in ("str", "literal"):
        return walk(node)
    walk.own_checks = True
    return node


# ------------------------------------------------------------------- objects with fields


def _fields(walk: _Walk, node: Node) -> Node:
    found = node["fields"]
    if isinstance(found, list):
        made: Any = [{**field, "schema": walk(field["schema"])} for field in found]
    else:
        made = {name: {**one, "schema": walk(one["schema"])} for name, one in found.items()}
    extras = {"extras_schema": walk(node["extras_schema"])} if "extras_schema" in node else {}
    return {**node, **extras, **walk.config(node), "fields": made}


def _instance(walk: _Walk, node: Node) -> Node:
    if "post_init" in node:
        walk.own_checks = True
    if node.get("custom_init"):
        walk.own_checks = walk.runs_init = True
    return {**node, **walk.config(node), "schema": walk(node["schema"]), "strict": False}


# ------------------------------------------------------------------------------ wrappers


def _inner(walk: _Walk, node: Node) -> Node:
    return {**node, "schema": walk(node["schema"])} if "schema" in node else node


def _default(walk: _Walk, node: Node) -> Node:
    if node.get("validate_default"):
        walk.expect_objects()
    return _inner(walk, node)


def _after(walk: _Walk, node: Node) -> Node:
    walk.own_checks = True
    return _inner(walk, node)


def _before(walk: _Walk, node: Node) -> Node:
    """A function that sees the raw value, and may turn it into anything."""
    walk.own_checks = True
    walk.widens |= not _is_pydantics(node["function"]["function"])
    walk.expect_objects()
    return _inner(walk, node)


def _is_pydantics(function: Any) -> bool:
    module = getattr(getattr(function, "func", function), "__module__", None)
    return str(module).partition(".")[0] == "pydantic"


def _chain(walk: _Walk, node: Node) -> Node:
    walk.expect_objects()
    return {**node, "steps": [walk(step) for step in node["steps"]]}


def _lax_or_strict(walk: _Walk, node: Node) -> Node:
    return walk(node["strict_schema"])


def _json_or_python(walk: _Walk, node: Node) -> Node:
    by_json = walk(node["json_schema"])
    return walk.or_instance(by_json, walk(node["python_schema"])) if walk.objects else by_json


def _json_text(walk: _Walk, node: Node) -> Node:
    walk.own_checks = True
    return _inner(walk, node)


def _definitions(walk: _Walk, node: Node) -> Node:
    walk.definitions |= {one["ref"]: one for one in node["definitions"]}
    definitions = [walk(one) for one in node["definitions"]]
    return {**node, "schema": walk(node["schema"]), "definitions": definitions}


# -------------------------------------------------------------------------------- unions


def _tagged(walk: _Walk, node: Node) -> Node:
    choices = {tag: walk(choice) for tag, choice in node["choices"].items()}
    return {**node, "choices": choices, "strict": False}


def _choices(walk: _Walk, node: Node) -> Node:
    found = [one[0] if isinstance(one, tuple) else one for one in node["choices"]]
    if walk.route == "python" and node.get("mode", "smart") == "smart":
        _tell_apart(walk, found)
    return {**node, "choices": _numbered(map(walk, found)), "strict": False}


def _tell_apart(walk: _Walk, choices: list[Node]) -> None:
    """Refuse the Python route where a rewritten branch shares its JSON type with another.

    pydantic weighs how exactly each branch fits, and a rewritten one weighs less than in JSON
    mode, where text is an exact UUID.
    """
    forms = [_forms(walk, choice) for choice in choices]
    for place, (kinds, rewritten) in enumerate(forms):
        others = {kind for at, (one, _) in enumerate(forms) if at != place for kind in one}
        if rewritten and kinds & others:
            raise _NeedsJson


def _forms(walk: _Walk, node: Node) -> tuple[frozenset[str], bool]:
    """Give the JSON types that a node may accept, and whether it is read in a rewritten way."""
    kind = node["type"]
    if kind in _FORMS:
        return _FORMS[kind]
    if kind == "literal":
        kinds = {type(value) for value in node["expected"]}
        return frozenset(_NAMES.get(one, "any") for one in kinds), kinds != {str}
    if kind == "enum":
        values = {_kind(member.value) for member in node["members"]}
        return frozenset(_NAMES.get(value, "any") for value in values), True
    if kind == "definition-ref":
        return _FORMS.get(walk.definitions[node["schema_ref"]]["type"], _ANYTHING)
    for key in ("schema", "json_schema", "strict_schema"):
        if key in node:
            return _forms(walk, node[key])
    return _ANYTHING


# -------------------------------------------------------------------------------- tables

# What a union's branch is called that is there for the Python objects of an author's function.
OBJECT: Final = "\0object"
# A date or a time starts with its digits and a separator; a bare number does not.
FORMATS: Final = {
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": "date",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}[^0-9]": "date-time",
    "^[0-9]{2}:": "time",
    "[^0-9.+-]": "duration",
}
_UNUSED: Final = {"ref", "metadata", "serialization"}
_TEXT_CHECKS: Final = {"pattern", "strip_whitespace", "to_lower", "to_upper", "ascii_only"}
_TEXT_CONFIG: Final = {"str_strip_whitespace", "str_to_lower", "str_to_upper"}
# The order matters: to pydantic an integer is a float too, to us a float is never an integer.
_SCALARS: Final[dict[type, Node]] = {
    bool: {"type": "bool", "strict": True},
    int: {"type": "int", "strict": True},
    str: {"type": "str", "strict": True},
    float: {"type": "float", "strict": True, "allow_inf_nan": False},
    type(None): {"type": "none"},
}
_NAMES: Final[dict[type, str]] = {
    bool: "boolean",
    int: "integer",
    str: "string",
    float: "number",
    type(None): "null",
}
_RULES: Final[dict[str, Rule]] = {
    "any": _same,
    "callable": _same,
    "is-instance": _same,
    "is-subclass": _same,
    "none": _same,
    "bool": _scalar,
    "int": _scalar,
    "float": _float,
    "str": _text,
    "literal": _literal,
    "enum": _enum,
    "bytes": _from_text(),
    "uuid": _from_text(),
    "url": _from_text(),
    "multi-host-url": _from_text(),
    "complex": _from_text(),
    "date": _from_text("date"),
    "datetime": _from_text("date-time"),
    "time": _from_text("time"),
    "timedelta": _from_text("duration"),
    "decimal": _number_or_text,
    "fraction": _number_or_text,
    "list": _list,
    "generator": _list,
    "tuple": _from_array,
    "deque": _from_array,
    "set": _set,
    "frozenset": _set,
    "named-tuple": _named_tuple,
    "dict": _mapping,
    "ordered-dict": _mapping,
    "counter": _mapping,
    "typed-dict": _fields,
    "model-fields": _fields,
    "dataclass-args": _fields,
    "model": _instance,
    "dataclass": _instance,
    "default": _default,
    "nullable": _inner,
    "custom-error": _inner,
    "function-after": _after,
    "function-before": _before,
    "function-wrap": _before,
    "function-plain": _before,
    "chain": _chain,
    "lax-or-strict": _lax_or_strict,
    "json-or-python": _json_or_python,
    "json": _json_text,
    "definitions": _definitions,
    "definition-ref": _same,
    "union": _choices,
    "tagged-union": _tagged,
}


def _form(*kinds: str, rewritten: bool = False) -> tuple[frozenset[str], bool]:
    return frozenset(kinds), rewritten


_ANYTHING: Final = _form(*_NAMES.values(), "array", "object", rewritten=True)
_FORMS: Final = {
    "none": _form("null"),
    "bool": _form("boolean"),
    "int": _form("integer"),
    "float": _form("integer", "number"),
    "str": _form("string"),
    "list": _form("array"),
    "generator": _form("array"),
    # A dict fits more exactly than a model, which JSON mode takes for an exact fit as well.
    "dict": _form("object", rewritten=True),
    "typed-dict": _form("object", rewritten=True),
    "model": _form("object"),
    "dataclass": _form("object"),
    "tagged-union": _form("object"),
    "uuid": _form("string", rewritten=True),
    "url": _form("string", rewritten=True),
    "multi-host-url": _form("string", rewritten=True),
    "complex": _form("string", rewritten=True),
    "bytes": _form("string", rewritten=True),
    "date": _form("string", rewritten=True),
    "datetime": _form("string", rewritten=True),
    "time": _form("string", rewritten=True),
    "timedelta": _form("string", rewritten=True),
    "tuple": _form("array", rewritten=True),
    "set": _form("array", rewritten=True),
    "frozenset": _form("array", rewritten=True),
    "deque": _form("array", rewritten=True),
    "named-tuple": _form("array", rewritten=True),
}
