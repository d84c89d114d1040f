"""Many recorded calls through one boundary: read rows, gate or run each, count what happened.

Everything streams and nothing here knows the command line. `gate` takes a batch of Arrow data in
any engine, `reward` one call. Of files, `pieces` cuts inputs, `work` gates a piece, `pool` does so
in processes, `journal` keeps what is done; `job` sends each call through its tool, a `record` is
what came of it, and `summary` counts them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolhaft.batch.arrow import gate, gates
    from toolhaft.batch.digest import tools_digest
    from toolhaft.batch.parquet import output_schema
    from toolhaft.batch.rewarding import Reward, reward, rewards

__all__ = ["Reward", "gate", "gates", "output_schema", "reward", "rewards", "tools_digest"]

_HOMES = {
    "Reward": "rewarding",
    "gate": "arrow",
    "gates": "arrow",
    "output_schema": "parquet",
    "reward": "rewarding",
    "rewards": "rewarding",
    "tools_digest": "digest",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
