"""Load a module of tools once more, with what lies beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from toolhaft.cli.context import require_context
from toolhaft.cli.offers import load_offers
from toolhaft.cli.source import load
from toolhaft.cli.unusable import Unusable
from toolhaft.serve.reload import Loaded

__all__ = ["list_files", "load_again"]


def list_files(target: str) -> list[Path]:
    """List the files that the tools of a target come from."""
    return [Path(str(module.__file__)) for _, module in _own_modules(target)]


def load_again(target: str, *, has_context: bool = True) -> Loaded | None:
    """Load a module as it is now; print why and return None if it cannot be served."""
    former = dict(_own_modules(target))
    for name in former:
        del sys.modules[name]
    try:
        source = load(target)
        offers = load_offers(source)
        if not has_context:
            require_context((*source.toolset, *offers.tools), None)
    except Unusable as error:
        error.show()
        sys.modules.update(former)  # they go on being served, and their files being watched
        return None
    return Loaded(source.toolset, offers)


def _own_modules(target: str) -> Iterator[tuple[str, ModuleType]]:
    """Find the modules in the folder of a target, which is the current one for a module's name."""
    path = Path(target.partition(".py:")[0]).resolve()
    folder = path.parent if target.endswith(".py") or ".py:" in target else Path.cwd()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        is_own = file is not None and Path(file).is_relative_to(folder)
        if is_own and name != "__main__" and "site-packages" not in str(file):
            yield name, module
