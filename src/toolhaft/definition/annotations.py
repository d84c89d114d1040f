"""Read annotations as they are written, without the names that are not defined yet.

Python 3.14 evaluates annotations when they are read (PEP 649), and raises `NameError` if a name is
missing; the class's `__dict__` no longer has them.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["own_annotations"]


if sys.version_info >= (3, 14):
    import annotationlib

    def own_annotations(owner: Any) -> dict[str, Any]:
        """Return the annotations of a function, or a class's own; a missing name is a `ForwardRef`.

        >>> def double(n: int) -> int: ...
        >>> list(own_annotations(double))
        ['n', 'return']
        """
        try:
            return annotationlib.get_annotations(owner)
        except TypeError:  # a callable of another kind
            return {}
        except Exception:  # noqa: BLE001  an annotation runs the author's code
            return annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF)

else:

    def own_annotations(owner: Any) -> dict[str, Any]:
        """Return the annotations of a function, or a class's own; a missing name is a `ForwardRef`.

        >>> def double(n: int) -> int: ...
        >>> list(own_annotations(double))
        ['n', 'return']
        """
        if isinstance(owner, type):
            return vars(owner).get("__annotations__") or {}
        return getattr(owner, "__annotations__", None) or {}
