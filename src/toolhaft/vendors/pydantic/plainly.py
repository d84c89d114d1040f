"""The commonest faults, seen in the data themselves: missing keys and wrong types of scalars.

pydantic finds one fault for each of them; so where it counted as many as are seen here, these are
all that there are. They say what walking the emitted schema would say, in its words and its order,
in a tenth of the time. Whatever is not as simple as that is left to the walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from toolhaft.schema.forms import NAMES
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import PlainFaults, SeeFaults
from toolhaft.vendors.pydantic.direct import is_required
from toolhaft.vendors.pydantic.walk import Node

__all__ = ["seer"]

# A name, the issue where it is missing and must not be, and those of values of wrong types.
Field: TypeAlias = tuple[str, Issue | None, Mapping[type, Issue]]

MOST: Final = 20
KINDS: Final = {"int": "integer", "float": "number", "bool": "boolean", "str": "string"}
# What may be refused for its type alone. A whole float is an integer; null and what holds other
# values may be mended in more ways than a text.
REFUSED: Final[dict[str, tuple[type, ...]]] = {
    "int": (bool, str),
    "float": (bool, str),
    "bool": (int, str),
    "str": (bool, int),
}
# Other words that speak about a value of any type.
BESIDE: Final = frozenset({"enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "$ref"})


def seer(schema: Node, emitted: Mapping[str, Any]) -> SeeFaults:
    """Give what sees the faults of the scalars of a strict core schema's object."""
    fields = tuple(_fields(schema, emitted.get("properties", {})))

    def see(error: Any, data: dict[str, Any]) -> PlainFaults | None:
        absent: list[Issue] = []
        refused: list[Issue] = []
        texts: list[str] = []
        for name, missing, wrong in fields:
            if name in data:
                value = data[name]
                issue = wrong.get(type(value))
                if issue is not None:
                    refused.append(issue)
                    if type(value) is str:
                        texts.append(value)
            elif missing is not None:
                absent.append(missing)
        absent += refused
        return (absent, texts) if len(absent) == error.error_count() <= MOST else None

    return see


def _fields(schema: Node, properties: Mapping[str, Any]) -> Iterator[Field]:
    while schema["type"] in ("model", "dataclass", "definitions"):
        schema = schema["schema"]
    fields = schema.get("fields", ())
    named = fields.items() if isinstance(fields, dict) else [(one["name"], one) for one in fields]
    for name, field in named:
        node = field["schema"]
        # A reference may hide a default, and data may give what has an alias under either name.
        if name in properties and "validation_alias" not in field and "schema_ref" not in node:
            needed = is_required(schema, field)
            missing = Issue("required", (name,), "missing") if needed else None
            yield name, missing, _wrong(name, node, properties[name])


def _wrong(name: str, node: Node, emitted: Any) -> dict[type, Issue]:
    while node["type"] in ("default", "chain") and "on_error" not in node:
        node = node["steps"][0] if node["type"] == "chain" else node["schema"]
    kind = node["type"]
    expected = KINDS.get(kind, "")
    if not expected or emitted.get("type") != expected or not BESIDE.isdisjoint(emitted):
        return {}
    return {
        one: Issue(f"expected {expected}, received {received}", (name,), "type", expected, received)
        for one in REFUSED[kind]
        if (received := NAMES[one])
    }
