"""The tools that `toolhaft serve` serves: loaded, held against a lock, and loaded again."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import require_context
from toolhaft.cli.source import load, load_offers, tell_left_out
from toolhaft.loading.faults import one_line
from toolhaft.loading.source import Source
from toolhaft.review.lock import LockError, Mismatch, verify_tools
from toolhaft.serve.reload import Loaded
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from toolhaft.serve.offers import Offers

__all__ = ["list_files", "load_again", "load_served", "verify_served"]


def load_served(target: str) -> Source:
    """Load tools that can run.

    Raises:
        Unusable: They cannot be loaded, or are declarations.
    """
    source = load(target)
    if not source.runs:
        reason = source.lacks or "declarations have no code to run; name a module of tools"
        raise Unusable(f"{target}: {reason}")
    return source


def verify_served(tools: Toolset, offers: Offers, lock: str | None) -> tuple[Toolset, Offers]:
    """Select what is as it was locked; name the rest on standard error."""
    if lock is None:
        return tools, offers.without((), tools)
    try:
        verify_tools(tools, lock, offers=offers.definitions())
    except LockError as error:
        raise Unusable(f"--lock {lock}: {one_line(str(error))}") from None
    except Mismatch as mismatch:
        verified = [tool.name for tool in tools if tool.name not in mismatch.tools]
        if not verified:
            raise Unusable(f"--lock {lock}: {one_line(str(mismatch))}") from None
        tell_left_out(f"{name}: {why}" for name, why in mismatch.tools.items())
        tools, offers = (
            tools.select(*map(glob.escape, verified)),
            offers.without(mismatch.tools, tools),
        )
    return tools, offers


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
