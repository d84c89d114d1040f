"""One pass over a pydantic core schema, node by node, each rewritten by the rule of its type."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any, Final, Literal, TypeAlias

from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.annotations import is_async

__all__ = ["GUARD", "OBJECT", "MeetsObjects", "NeedsJson", "Node", "Route", "Rule", "Walk"]
__all__ += ["numbered", "require_sync", "union"]

Node: TypeAlias = dict[str, Any]
Route: TypeAlias = Literal["python", "json"]
Rule: TypeAlias = Callable[["Walk", Node], Node]

# What a union's branch is called that is there for the Python objects of an author's function.
OBJECT: Final = "\0object"
# What the branches of a guard are called: they are no part of the author's type.
GUARD: Final = "\0guard"
# Keys that say nothing of validation.
_UNUSED: Final = {"ref", "metadata", "serialization"}
# No text is as long; but with a bound pydantic looks at the text, and refuses a lone surrogate.
UNBOUNDED: Final = 1 << 40
_TEXT_CONFIG: Final = {"str_strip_whitespace", "str_to_lower", "str_to_upper"}


class NeedsJson(Exception):
    """Only JSON mode can read a node as pydantic would."""


class MeetsObjects(Exception):
    """An author's function stands before some node, and may hand it Python objects."""


class Walk:
    """A pass by one route; `objects` says that nodes may be given Python objects.

    What it notices on the way stays on it: `own_checks` and `widens` as on an adapter, and
    `loose` where pydantic would accept more than the schema says: a class's own `__init__` that
    validates laxly, keys that are numbers, lengths that count bytes.
    """

    def __init__(self, rules: Mapping[str, Rule], route: Route, *, objects: bool) -> None:
        self.rules = rules
        self.route = route
        self.objects = objects
        self.own_checks = self.widens = self.loose = self.by_name = False
        self.text_bound = UNBOUNDED
        self.definitions: dict[str, Node] = {}

    def __call__(self, node: Node) -> Node:
        require_sync(node.get("serialization", {}).get("function"))
        rule = self.rules.get(node["type"])
        if rule is None:
            return self.unknown(node)
        made = rule(self, {key: value for key, value in node.items() if key not in _UNUSED})
        if "ref" in node:
            made["ref"] = node["ref"]
        return made

    def unknown(self, node: Node) -> Node:
        """Leave a node to JSON mode, which reads it strictly by itself."""
        if self.route == "python":
            raise NeedsJson
        self.own_checks = True
        return {**node, "strict": True}

    def expect_objects(self) -> None:
        if not self.objects:
            raise MeetsObjects

    def read(self, lax: Node, strict: Node) -> Node:
        """Choose between a lax node behind a guard and the strict one, which JSON mode can read.

        On the Python route the guarded node reads the JSON form; the strict one would take
        Python objects only, and is wanted beside it where a function may make such.
        """
        if self.route == "python":
            return self.or_instance(lax, strict)
        return union((strict, GUARD), (lax, GUARD)) if self.objects else strict

    def or_instance(self, by_json: Node, by_object: Node) -> Node:
        """Accept the Python object too, where a function may make one."""
        return union((by_json, GUARD), (by_object, OBJECT)) if self.objects else by_json

    @contextmanager
    def under(self, node: Mapping[str, Any]) -> Generator[Node]:
        """Walk what a node's config holds for; its strictness stands at every node now."""
        config, outer = node.get("config") or {}, self.text_bound
        if config:
            self.text_bound = config.get("str_max_length") or UNBOUNDED
        yield self._config(config) if config else {}
        self.text_bound = outer

    def _config(self, config: Mapping[str, Any]) -> Node:
        if config.get("validate_default"):
            self.expect_objects()
        self.own_checks |= any(key in config for key in _TEXT_CONFIG)
        by_alias = config.get("validate_by_alias", True)
        self.by_name |= bool(config.get("validate_by_name") and by_alias)
        return {"config": {key: value for key, value in config.items() if key != "strict"}}

    def aliases(self, name: str, alias: Any) -> None:
        """Notice where a key may be spelt in more ways than the emitted schema says.

        Raises:
            NoVendor: No spelling is a plain name, as the schema needs one.
        """
        self.widens |= alias is not None and self.by_name
        if isinstance(alias, list):
            self.widens = True
            paths = alias if isinstance(alias[0], list) else [alias]
            if not any(len(path) == 1 for path in paths):
                reason = f"pydantic: the alias of {name} is a path, which no JSON Schema can say"
                raise NoVendor(reason, "add an alias that is a name")


def union(*labelled: tuple[Node, str]) -> Node:
    """Give a union that takes the first branch that fits."""
    return {"type": "union", "mode": "left_to_right", "choices": list(labelled)}


def numbered(choices: Iterable[Node]) -> list[tuple[Node, str]]:
    """Label a union's branches, so that an error's location can be read back."""
    return [(choice, str(place)) for place, choice in enumerate(choices)]


def require_sync(function: Any) -> None:
    """Refuse an author's function that pydantic would call and never await.

    Raises:
        NoVendor: It is async.
    """
    if is_async(function):
        name = getattr(function, "__name__", "a function")
        raise NoVendor(f"pydantic does not await {name}", "write it as a plain def")
