"""`toolhaft.agents.loop`, under the name that the documentation uses."""

from toolhaft.agents.loop import *  # noqa: F403
from toolhaft.agents.loop import __all__  # noqa: F401 - what the star gives
