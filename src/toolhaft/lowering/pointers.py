"""Pointers into a schema as it was given, from pointers into its 2020-12 form."""

from __future__ import annotations

from typing import Any

__all__ = ["as_given"]

# What 2020-12 calls a keyword, and what an older schema may call it.
_OLDER = {
    "$defs": "definitions",
    "prefixItems": "items",
    "items": "additionalItems",
    "dependentSchemas": "dependencies",
    "dependentRequired": "dependencies",
}


def as_given(pointer: str, schema: Any) -> str:
    """The pointer in the words of the schema itself, as far as it leads there.

    A node that was joined from several has no place of its own: the nearest above it is named.

    >>> as_given("/$defs/n", {"definitions": {"n": {}}})
    '/definitions/n'
    """
    place, steps = schema, []
    for given in pointer.split("/")[1:]:
        step, name = given, given.replace("~1", "/").replace("~0", "~")
        if isinstance(place, dict):
            older = _OLDER.get(name)
            listed = name == "items" and isinstance(place.get("items"), list)
            if older in place and (name not in place or listed):
                step = name = str(older)
            if name not in place:
                break
            place = place[name]
        elif isinstance(place, list) and name.isdecimal() and int(name) < len(place):
            place = place[int(name)]
        else:
            break
        steps.append(step)
    return "".join(f"/{step}" for step in steps)
