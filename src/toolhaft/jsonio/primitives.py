"""The primitives in use: the ones in C, or their twins in Python.

Python's are used if `TOOLHAFT_PURE=1` is set, if no compiler was available when the package was
built, and in interpreters without a global lock, which C's do not support.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any, Final, TypeVar

from toolhaft.jsonio import plaindata

__all__ = [
    "compiled", "copy_data", "is_small", "native", "plain_copy", "write_canonical", "write_plain",
]  # fmt: skip

T = TypeVar("T")

# As deep as the primitives in C copy.
MOST_LEVELS: Final = 200


def _load() -> ModuleType | None:
    if os.environ.get("TOOLHAFT_PURE") == "1" or "free-threading" in sys.version:
        return None
    try:
        from toolhaft import _native
    except ImportError:
        return None
    return _native


compiled: Any = _load()
native: bool = compiled is not None
plain_copy = plaindata.plain_copy if compiled is None else compiled.plain_copy


def copy_data(data: T) -> T:
    """Copy JSON data in one pass, and whatever else there is by `deepcopy`.

    >>> schema = {"properties": {"city": {"type": "string"}}}
    >>> copied = copy_data(schema)
    >>> copied == schema, copied["properties"] is schema["properties"]
    (True, False)
    """
    copied = plain_copy({"": data}, plaindata.MAX_VALUES, MOST_LEVELS)
    if copied is not None:
        return copied[""]  # type: ignore[no-any-return]
    from copy import deepcopy  # rarely needed

    return deepcopy(data)


def _write_nothing(data: Any) -> str | None:
    """Leave all data to the writers in Python."""
    del data
    return None


write_plain = _write_nothing if compiled is None else compiled.write_plain
write_canonical = _write_nothing if compiled is None else compiled.write_canonical
is_small = plaindata.is_small if compiled is None else compiled.is_small
