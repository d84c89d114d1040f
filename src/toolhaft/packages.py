"""Name the extra of a package that is missing, instead of only the package."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["naming_extra"]


@contextmanager
def naming_extra(user: str, package: str, wanted: str) -> Generator[None]:
    """Raise an error with the command that helps, if the package cannot be found inside.

    Args:
        user: The module of toolhaft that imports the package, as users write it.
        package: The name by which it is imported.
        wanted: The package for pip to install, an extra of toolhaft if there is one.

    Raises:
        ModuleNotFoundError: The package is not installed.

    >>> with naming_extra("toolhaft.rows", "rowing", "toolhaft[rows]"):
    ...     import rowing
    Traceback (most recent call last):
    ModuleNotFoundError: toolhaft.rows: rowing is not installed: pip install 'toolhaft[rows]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        message = f"{user}: {package} is not installed: pip install '{wanted}'"
        raise ModuleNotFoundError(message, name=package) from None
