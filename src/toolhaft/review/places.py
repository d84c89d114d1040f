"""Places in a tool as its author writes them: `order ship_to.city`, `order items[].sku`."""

from __future__ import annotations

from typing import Final

__all__ = ["describe_place"]

NAMED: Final = frozenset({"properties", "$defs", "definitions"})
SIGNS: Final = {"items": "[]", "prefixItems": "[]", "additionalProperties": ".*"}


def describe_place(tool: str, pointer: str) -> str:
    """Return the name of a tool, and the path of a parameter or the name of an option.

    >>> describe_place("order", "/input/properties/items/items/properties/sku")
    'order items[].sku'
    >>> describe_place("order", "/provider_options/openai"), describe_place("order", "")
    ('order provider_options.openai', 'order')
    """
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    if steps[:1] not in (["input"], ["output"]):
        return f"{tool} {'.'.join(steps)}".rstrip()
    path = "" if steps[0] == "input" else steps[0]
    rest = iter(steps[1:])
    for step in rest:
        # The message beside the place describes any other keyword.
        path += f".{next(rest, '')}" if step in NAMED else SIGNS.get(step, "")
    return f"{tool} {path.lstrip('.')}".rstrip()
