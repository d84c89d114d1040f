"""Read annotations as they are written, without the names that are not defined yet.

Python 3.14 evaluates annotations when they are read (PEP 649), and raises `NameError` if a name is
missing; the class's `__dict__` no longer has them.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["own_annotations"]


def own_annotations(owner: Any) -> dict[str, Any]:
    """Return the annotations of a function, or a class's own; a missing name is a `ForwardRef`.

    >>> def double(n: int) -> int: ...
    >>> list(own_annotations(double))
    ['n', 'return']
    """
    try:
        return getattr(owner, "__annotations__", None) or {}
    except Exception:  # an annotation runs the author's code
        if sys.version_info >= (3, 14):
            import annotationlib

            return annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF)
        raise
