"""Find the checks of a pydantic type that its JSON Schema does not express."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolhaft.spec import Path
from toolhaft.vendors.pydantic.core_schemas import is_pydantic_function

__all__ = ["unexpressed_checks"]

FUNCTIONS: Final = ("function-after", "function-before", "function-wrap", "function-plain")
BOUNDS: Final = ("gt", "ge", "lt", "le")
TEMPORAL: Final = (*BOUNDS, "now_op", "tz_constraint")
# Constraints of core nodes that pydantic's generator leaves out (pydantic 2.14).
SILENT: Final[Mapping[str, tuple[str, ...]]] = {
    "date": TEMPORAL,
    "datetime": TEMPORAL,
    "time": TEMPORAL,
    "timedelta": BOUNDS,
    "decimal": (*BOUNDS, "max_digits", "decimal_places"),  # of the text that a decimal may be
    "url": ("allowed_schemes", "host_required"),
    "multi-host-url": ("allowed_schemes", "host_required"),
}
# Where a node keeps nodes that the data reach by no step.
SAME_PLACE: Final = ("schema", "steps", "choices", "json_schema", "strict_schema", "definitions")
ITEMS: Final = ("items_schema", "values_schema", "keys_schema", "extras_schema")


def unexpressed_checks(core_schema: Mapping[str, Any]) -> list[tuple[Path, str]]:
    """Name each such check with its place: an author's validators, and constraints left out."""
    return list(dict.fromkeys(_find_checks(core_schema, ())))


def _find_checks(node: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    kind = node.get("type", "")
    if kind in FUNCTIONS:
        yield from ((path, description) for description in _function_checks(node))
    elif node.get("post_init"):
        name = node["post_init"]  # of a dataclass it is True
        check = getattr(node["cls"], name if isinstance(name, str) else "__post_init__")
        if not is_pydantic_function(check):
            yield path, f"validator {check.__qualname__}"
    yield from ((path, f"{word}={node[word]}") for word in SILENT.get(kind, ()) if word in node)
    for inner, steps in _inner_nodes(node):
        yield from _find_checks(inner, (*path, *steps))


def _function_checks(node: Mapping[str, Any]) -> Iterator[str]:
    function = node["function"]["function"]
    module = str(getattr(function, "__module__", None)).partition(".")[0]
    if module == "toolhaft":  # an adapter's, which knows what its author wrote
        authored = getattr(getattr(function, "__self__", None), "authored_checks", tuple)
        yield from (f"validator {name}" for name in authored())
    elif module != "ipaddress" and not is_pydantic_function(function):
        yield f"validator {getattr(function, '__qualname__', type(function).__qualname__)}"
    elif getattr(function, "__name__", "") == "val_func":
        yield "a predicate"


def _inner_nodes(node: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Path]]:
    fields = node.get("fields", ())
    named_fields = (
        fields.items() if isinstance(fields, Mapping) else ((f["name"], f) for f in fields)
    )
    if node.get("type") in ("model-fields", "dataclass-args", "typed-dict", "named-tuple"):
        yield from ((field["schema"], (_key(name, field),)) for name, field in named_fields)
    for word in SAME_PLACE:
        yield from ((inner_node, ()) for inner_node in _nodes_under(node.get(word)))
    for word in ITEMS:
        yield from ((inner_node, ("*",)) for inner_node in _nodes_under(node.get(word)))


def _key(name: str, field: Mapping[str, Any]) -> str:
    alias = field.get("validation_alias")
    return alias if isinstance(alias, str) else name


def _nodes_under(value: Any) -> Iterator[Mapping[str, Any]]:
    """Give the nodes that stand under a key: one, several, or several by name or with a label."""
    items: Iterable[Any] = value if isinstance(value, list) else ()
    if isinstance(value, Mapping):
        items = (value,) if isinstance(value.get("type"), str) else value.values()
    for item in items:
        node = item[0] if isinstance(item, tuple) else item
        if isinstance(node, Mapping):
            yield node
