"""What a driver is: how the battery runs a host's own runner, with the host's own fake model."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol, cast

from toolhaft import Err, Ok
from toolhaft.frameworks.hosts import HOSTS, require_host

__all__ = [
    "EXPECTED",
    "INSTALLED",
    "NOT_READ",
    "ONE_SENT",
    "Call",
    "Driver",
    "Loss",
    "Seen",
    "converters",
    "driver_of",
    "fault_of",
    "keep_text",
    "read_text",
    "show_flagged",
    "show_text",
]


class Seen(NamedTuple):
    """What a host gave its model as the result of a call.

    `failed` is the host's error flag, None where it has none.
    """

    text: str
    failed: bool | None = None
    images: tuple[bytes, ...] = ()


# Why a host cannot pass the cases of texts that are not JSON, where it reads them first.
NOT_READ: Final = "what is no JSON object reaches no tool"
ONE_SENT: Final = "who reads the text keeps the last"


class Loss(NamedTuple):
    """Why a host cannot pass a case, and what comes instead.

    That is what its model sees, the exception that ends the run, or None where nothing is seen.
    """

    why: str
    instead: Seen | type[BaseException] | None


class Call(NamedTuple):
    """A call of a model: of which tool, and the text of its arguments."""

    name: str
    text: str = "{}"


class Runner(Protocol):
    """What runs several calls of one turn: a host, or our own loop."""

    # Whether it lists tools anew for each run, by the context of the run.
    LISTS_BY_RUN: bool
    # Whether it runs the calls of a turn side by side.
    SIDE_BY_SIDE: bool

    async def run_calls(self, tools: Any, calls: list[Call], context: Any, /) -> list[str]:
        """Run a model that makes calls in one turn; give the names of the tools it was shown."""
        ...


class Driver(Runner, Protocol):
    """One host: a module in `drivers`."""

    # Of each case that the host cannot pass.
    LOSSES: Mapping[str, Loss]
    # What a model reads of a call that a person declines because it is "too much".
    DECLINED: str

    async def run(self, tools: Any, name: str, text: str, /, *, context: Any = None) -> Seen | None:
        """Run a model that calls a tool with this text, and give what it then sees."""
        ...

    def run_sync(self, tools: Any, name: str, text: str, /) -> Seen | None:
        """Do as `run` does, by the host's sync runner."""
        ...

    async def decide(self, tools: Any, name: str, text: str, approved: bool, /) -> Seen | None:
        """Run until the host waits for a person, and resume it; None where it did not wait."""
        ...

    def shown(self, outcome: Ok[Any] | Err, /) -> Seen:
        """Give what the model is to see of an outcome of ours."""
        ...

    def returned(self, text: str, /) -> str:
        """Give the text of a tool's result that went out to the host and came back."""
        ...

    def sent(self, tool: Any, strict: bool, /) -> Any:
        """Give what the host sends of its tool's schema, perhaps to a strict provider."""
        ...

    def steer(self) -> Any:
        """Steer the host, as a handler does."""
        ...

    async def is_steered(self, tools: Any, name: str, /) -> bool:
        """Run a tool whose handler steers, and say whether the host did as it was told."""
        ...


def show_text(outcome: Ok[Any] | Err) -> Seen:
    """Show the text, to a host without an error flag: its `shown`."""
    return Seen(outcome.text)


def show_flagged(outcome: Ok[Any] | Err) -> Seen:
    """Show the text, and whether it is a refusal."""
    return Seen(outcome.text, not outcome)


def keep_text(text: str) -> str:
    """Give a result as it is: the `returned` of a host that wraps none."""
    return text


def read_text(text: str, *, lists: bool = False) -> Any:
    """Read the text of a call as an SDK does before the host; None where it is no object."""
    try:
        data = json.loads(text)
    except ValueError:
        return None
    if data is None:
        return {}
    return data if isinstance(data, dict) or lists else None


def converters(host: str) -> tuple[Any, Any]:
    """Give `to_<host>` and `from_<host>`."""
    module = importlib.import_module(f"toolhaft.frameworks.{host}")
    return getattr(module, f"to_{host}"), getattr(module, f"from_{host}")


def fault_of(host: str) -> str | None:
    """Say why a host cannot be run here."""
    try:
        require_host(host)
    except ImportError as error:
        return str(error)
    return None


def driver_of(host: str) -> Driver:
    """Give the driver of a host that is there."""
    return cast("Driver", importlib.import_module(f"tests.frameworks.drivers.drive_{host}"))


# The hosts that `make frameworks` has installed and asks for; none of them is left out in silence.
EXPECTED: Final = os.environ.get("TOOLHAFT_HOSTS", "").split()
INSTALLED: Final = [host for host in EXPECTED or HOSTS if fault_of(host) is None]
