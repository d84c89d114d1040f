"""Warn of names that a later version removes, once for each name and process."""

from __future__ import annotations

from typing import Final

__all__ = ["warn_once"]

WARNED: Final[set[str]] = set()


def warn_once(name: str, instead: str, *, removed_in: str, stacklevel: int = 1) -> None:
    """Warn that a name is deprecated, unless this process was warned of it before.

    Call it where a deprecated name is used; docs/project/versioning.md has how long it stays.

    Args:
        name: The deprecated name, as users write it.
        instead: The replacement, as an imperative.
        removed_in: The version without the name: two minor versions later at the earliest.
        stacklevel: As in `warnings.warn`, counted from the caller of this function.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     for _ in range(2):
    ...         warn_once("toolhaft.old", "use toolhaft.new", removed_in="0.3")
    >>> [str(warning.message) for warning in caught]
    ['toolhaft.old is deprecated, and removed in 0.3; use toolhaft.new']
    """
    if name in WARNED:
        return
    WARNED.add(name)
    import warnings

    message = f"{name} is deprecated, and removed in {removed_in}; {instead}"
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel + 1)
