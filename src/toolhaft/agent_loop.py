"""`toolhaft.agents.loop`, under the name that the documentation uses."""

from toolhaft.agents.budgets import Reason
from toolhaft.agents.loop import (
    Called,
    Event,
    Finished,
    ModelTurn,
    Reported,
    Streamed,
    run,
    run_sync,
)

__all__ = [
    "Called", "Event", "Finished", "ModelTurn", "Reason", "Reported", "Streamed", "run", "run_sync",
]  # fmt: skip
