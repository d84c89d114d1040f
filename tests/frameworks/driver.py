"""A driver: how the battery runs a framework's own runner, with the framework's own fake model."""

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
    """The result of a call that a framework passed to its model.

    `failed` is the framework's error flag, None if it has none.
    """

    text: str
    failed: bool | None = None
    images: tuple[bytes, ...] = ()


# Why a host cannot pass the cases of texts that are not JSON, where it reads them first.
NOT_READ: Final = "what is no JSON object reaches no tool"
ONE_SENT: Final = "who reads the text keeps the last"


class Loss(NamedTuple):
    """Why a framework cannot pass a case, and the result instead.

    The result is its model's view, the exception that ends the run, or None if the model sees
    nothing.
    """

    why: str
    instead: Seen | type[BaseException] | None


class Call(NamedTuple):
    """A call of a model: of which tool, and the text of its arguments."""

    name: str
    text: str = "{}"


class Runner(Protocol):
    """Runs several calls of one turn: a framework, or our own loop."""

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
    # The text for the model of a call that a person declines because it is "too much".
    DECLINED: str

    async def run(self, tools: Any, name: str, text: str, /, *, context: Any = None) -> Seen | None:
        """Run a model that calls a tool with this text, and return its view of the result."""
        ...

    def run_sync(self, tools: Any, name: str, text: str, /) -> Seen | None:
        """Like `run`, by the framework's sync runner."""
        ...

    async def decide(self, tools: Any, name: str, text: str, approved: bool, /) -> Seen | None:
        """Run until the framework waits for a person, and resume it; None if it did not wait."""
        ...

    def shown(self, outcome: Ok[Any] | Err, /) -> Seen:
        """Return the model's view of an outcome of ours."""
        ...

    def returned(self, text: str, /) -> str:
        """Return the text of a tool's result that went out to the framework and came back."""
        ...

    def sent(self, tool: Any, strict: bool, /) -> Any:
        """Return the framework's request with its tool's schema, perhaps to a strict provider."""
        ...

    def steer(self) -> Any:
        """Steer the host, as a handler does."""
        ...

    async def is_steered(self, tools: Any, name: str, /) -> bool:
        """Run a tool whose handler steers, and return whether the framework obeyed."""
        ...


def show_text(outcome: Ok[Any] | Err) -> Seen:
    """Show the text, to a host without an error flag: its `shown`."""
    return Seen(outcome.text)


def show_flagged(outcome: Ok[Any] | Err) -> Seen:
    """Show the text, and whether it is a refusal."""
    return Seen(outcome.text, not outcome)


def keep_text(text: str) -> str:
    """Return a result as it is: the `returned` of a framework that wraps none."""
    return text


def read_text(text: str, *, lists: bool = False) -> Any:
    """Read the text of a call as an SDK does before the framework; None if it is not an object."""
    try:
        data = json.loads(text)
    except ValueError:
        return None
    if data is None:
        return {}
    return data if isinstance(data, dict) or lists else None


def converters(host: str) -> tuple[Any, Any]:
    """Return `to_<framework>` and `from_<framework>`."""
    module = importlib.import_module(f"toolhaft.frameworks.{host}")
    return getattr(module, f"to_{host}"), getattr(module, f"from_{host}")


def fault_of(host: str) -> str | None:
    """Return why a framework cannot run here, or None."""
    try:
        require_host(host)
    except ImportError as error:
        return str(error)
    return None


def driver_of(host: str) -> Driver:
    """Return the driver of an installed framework."""
    return cast("Driver", importlib.import_module(f"tests.frameworks.drivers.drive_{host}"))


# The hosts that `make frameworks` has installed and asks for; none of them is left out in silence.
EXPECTED: Final = os.environ.get("TOOLHAFT_HOSTS", "").split()
INSTALLED: Final = [host for host in EXPECTED or HOSTS if fault_of(host) is None]
