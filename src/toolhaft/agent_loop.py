"""The old place of `toolhaft.agents.loop`."""

from toolhaft.agents.loop import *  # noqa: F403
