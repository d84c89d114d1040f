"""Rules for nodes around another node: defaults, an author's functions, branches by mode."""

from __future__ import annotations

from typing import Any, Final

from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.pydantic.walk import Node, Rule, Walk, require_sync

__all__ = ["RULES"]


def _inner(walk: Walk, node: Node) -> Node:
    return {**node, "schema": walk(node["schema"])} if "schema" in node else node


def _default(walk: Walk, node: Node) -> Node:
    require_sync(node.get("default_factory"))
    if node.get("validate_default"):
        walk.expect_objects()
    return _inner(walk, node)


def _after(walk: Walk, node: Node) -> Node:
    require_sync(node["function"]["function"])
    walk.own_checks = True
    return _inner(walk, node)


def _before(walk: Walk, node: Node) -> Node:
    """A function that sees the raw value, and may turn it into anything."""
    require_sync(node["function"]["function"])
    walk.own_checks = True
    if _is_pydantics(node["function"]["function"]):
        walk.loose = True  # it reads more than its type's schema says
    else:
        walk.widens = True
    walk.expect_objects()
    return _inner(walk, node)


def _is_pydantics(function: Any) -> bool:
    module = getattr(getattr(function, "func", function), "__module__", None)
    return str(module).partition(".")[0] == "pydantic"


def _function(walk: Walk, node: Node) -> Node:
    del walk, node
    raise NoVendor("to validate with it would run the function", "make the function the tool")


def _chain(walk: Walk, node: Node) -> Node:
    walk.expect_objects()
    return {**node, "steps": [walk(step) for step in node["steps"]]}


def _lax_or_strict(walk: Walk, node: Node) -> Node:
    return walk(node["strict_schema"])


def _json_or_python(walk: Walk, node: Node) -> Node:
    by_json = walk(node["json_schema"])
    return walk.or_instance(by_json, walk(node["python_schema"])) if walk.objects else by_json


def _json_text(walk: Walk, node: Node) -> Node:
    walk.own_checks = True
    return _inner(walk, node)


def _definitions(walk: Walk, node: Node) -> Node:
    walk.definitions |= {one["ref"]: one for one in node["definitions"]}
    definitions = [walk(one) for one in node["definitions"]]
    return {**node, "schema": walk(node["schema"]), "definitions": definitions}


def _reference(walk: Walk, node: Node) -> Node:
    del walk
    return node


RULES: Final[dict[str, Rule]] = {
    "default": _default,
    "nullable": _inner,
    "custom-error": _inner,
    "call": _function,
    "arguments": _function,
    "function-after": _after,
    "function-before": _before,
    "function-wrap": _before,
    "function-plain": _before,
    "chain": _chain,
    "lax-or-strict": _lax_or_strict,
    "json-or-python": _json_or_python,
    "json": _json_text,
    "definitions": _definitions,
    "definition-ref": _reference,
}
