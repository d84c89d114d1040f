"""`toolhaft.agents.loop`, under the name that the documentation uses."""

from toolhaft.agents.events import (
    Called,
    Event,
    Finished,
    ModelTurn,
    Reason,
    Reported,
    Streamed,
)
from toolhaft.agents.loop import run, run_sync
from toolhaft.providers.ending import Usage

__all__ = [
    "Called", "Event", "Finished", "ModelTurn", "Reason", "Reported", "Streamed", "Usage", "run",
    "run_sync",
]  # fmt: skip
