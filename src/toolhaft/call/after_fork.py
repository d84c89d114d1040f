"""Make anew in a forked process what belongs to threads, as only the forking one runs there."""

from __future__ import annotations

import os
from typing import Final, Protocol
from weakref import WeakSet

__all__ = ["Renewable", "renew_after_fork"]


class Renewable(Protocol):
    """An object that threads share."""

    def renew(self) -> None:
        """Make the locks anew, and forget what other threads hold or wait for."""


_RENEWABLES: Final[WeakSet[Renewable]] = WeakSet()


def renew_after_fork(renewable: Renewable) -> None:
    """Renew an object in every process that is forked from now on, as long as the object lives."""
    _RENEWABLES.add(renewable)


def _renew_all() -> None:
    for renewable in list(_RENEWABLES):
        renewable.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
