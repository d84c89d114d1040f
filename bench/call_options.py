"""The rows of options: a call with one of them, against the same call without."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, NamedTuple

from paired import calls_a_round, paired
from pydantic import BaseModel
from rows import Measured, Row

from toolhaft import Context, Injected, Ok, Store, ToolCall, Toolset, tool
from toolhaft.call.call_options import CallOptions
from toolhaft.observers import Finish, Observer
from toolhaft.observers.audit import AuditLog
from toolhaft.observers.details import CallStarted
from toolhaft.observers.logging import Logging

__all__ = ["option_rows"]

RAW: Final[dict[str, Any]] = {"city": "Paris", "days": 3, "units": "C"}
TEXT: Final = json.dumps(RAW)
SIZES: Final = (1, 100, 1_000)
FEWEST_ROUNDS: Final = 5


class Compared(NamedTuple):
    """A call without the option, and the same with it."""

    plain: Callable[[], Any]
    optional: Callable[[], Any]


def weather(city: str, days: int, units: str) -> dict[str, Any]:
    """Forecast the weather."""
    return {"city": city, "days": days, "units": units}


def with_context(city: str, days: int, units: str, context: Context[Any]) -> dict[str, Any]:
    """Forecast the weather."""
    return {"city": city, "days": days, "units": units, "has": context is not None}


def with_list(city: str, days: int, units: str, tags: list[str] = []) -> dict[str, Any]:  # noqa: B006
    """Forecast the weather."""
    return {"city": city, "days": days, "units": units, "tags": len(tags)}


def by_place(city: str, days: int, /, units: str) -> dict[str, Any]:
    """Forecast the weather."""
    return {"city": city, "days": days, "units": units}


def with_user(city: str, days: int, units: str, user: Injected[str]) -> dict[str, Any]:
    """Forecast the weather."""
    return {"city": city, "days": days, "units": units, "user": user}


class Trip(BaseModel):
    """Where to go."""

    city: str
    days: int
    units: str


class Quiet:
    """An observer that does nothing."""

    reads_values = False

    def started(self, _: CallStarted) -> Finish | None:
        return None


class Station:
    """An object with a tool."""

    @tool
    def weather(self, city: str, days: int, units: str) -> dict[str, Any]:
        """Forecast the weather."""
        return {"city": city, "days": days, "units": units}


def option_rows() -> Iterator[Row]:
    """Every option."""
    for size in SIZES:
        name = f"authorize of a call, on a set of {size:,}"
        yield Row("option", name, partial(_measure, partial(_on_set, size)))
    for name, make in _tools().items():
        yield Row("option", name, partial(_measure, make))


def _tools() -> dict[str, Callable[[], Compared]]:
    plain = tool(weather)

    def against(other: Any, raw: Any = RAW, **given: Any) -> Compared:
        return Compared(lambda: plain.call_sync(RAW), lambda: other.call_sync(raw, **given))

    hidden = {key: RAW[key] for key in ("city", "days")}
    station = Station()
    return {
        "authorize of a call": lambda: against(plain, authorize=_yes),
        "authorize": lambda: against(tool(weather, authorize=_yes)),
        "approval predicate that says no": lambda: against(tool(weather, requires_approval=_no)),
        "method": lambda: Compared(
            lambda: plain.call_sync(RAW), lambda: station.weather.call_sync(RAW)
        ),
        "transform, describe": lambda: against(plain.transform(describe={"city": "A city."})),
        "transform, hide": lambda: against(plain.transform(hide={"units": "C"}), hidden),
        "timeout": lambda: against(tool(weather, timeout=60)),
        "timeout, to a hand-over to a thread": _by_hand,
        "limit": lambda: against(tool(weather, limit=4)),
        "Context": lambda: against(tool(with_context), context=object()),
        "Injected": lambda: against(tool(with_user), context={"user": "ann"}),
        "mutable default": lambda: against(tool(with_list)),
        "positional-only": lambda: against(tool(by_place)),
        "extra=ignore with a key": lambda: against(
            tool(weather, extra="ignore"), {**RAW, "note": "quiet"}
        ),
        "raised limits": lambda: against(tool(weather, max_argument_bytes=1 << 24)),
        "bytes": lambda: Compared(
            lambda: plain.call_sync(TEXT), lambda: plain.call_sync(TEXT.encode())
        ),
        "subclass of dict": lambda: against(plain, OrderedDict(RAW)),
        "instance of the model": _of_a_model,
        "observer that does nothing": lambda: _observed(Quiet()),
        "Logging": lambda: _observed(Logging(_logger())),
        "AuditLog": lambda: _observed(AuditLog(Path(mkdtemp()) / "calls.jsonl")),
        "set with deferred tools": lambda: _in_sets(_with_deferred(plain)),
        "set that keeps results": lambda: _in_sets(Toolset([plain], results=Store())),
        "export of a set with deferred tools": lambda: _exported(_with_deferred(plain)),
    }


def _with_deferred(plain: Any) -> Toolset:
    """Return a set of a tool and of a hundred deferred ones."""
    others = [plain.replace(name=f"weather_{number}") for number in range(100)]
    return Toolset([plain, Toolset(others, name="more", defer=True)])


def _in_sets(other: Toolset) -> Compared:
    """Compare a call of a set of one tool with a call of another set."""
    alone = Toolset([weather])
    return Compared(
        lambda: alone.call_sync("weather", RAW), lambda: other.call_sync("weather", RAW)
    )


def _exported(other: Toolset) -> Compared:
    """Compare a call of an export of one tool with a call of another one."""
    alone, beside = (each.export("openai-chat") for each in (Toolset([weather]), other))
    return Compared(
        lambda: alone.call_sync(ToolCall("c", "weather", TEXT)),
        lambda: beside.call_sync(ToolCall("c", "weather", TEXT)),
    )


def _by_hand() -> Compared:
    """A deadline, against the same function in a thread of an executor."""
    by_hand, timed = ThreadPoolExecutor(4), tool(weather, timeout=60)
    options = CallOptions("weather")
    return Compared(
        lambda: Ok.of(by_hand.submit(weather, **RAW).result(60), {}, RAW, options, ()),
        lambda: timed.call_sync(RAW),
    )


def _of_a_model() -> Compared:
    handler: Any = lambda order: {"city": order.city}  # noqa: E731
    made = tool(handler, name="of_a_model", description="Take a model.", input=Trip)
    instance: Any = Trip(**RAW)
    return Compared(lambda: made.call_sync(RAW), lambda: made.call_sync(instance))


def _observed(observer: Observer) -> Compared:
    plain, observed = Toolset([weather]), Toolset([weather], observers=[observer])
    return Compared(
        lambda: plain.call_sync("weather", RAW), lambda: observed.call_sync("weather", RAW)
    )


def _logger() -> logging.Logger:
    logger = logging.getLogger("bench")
    logger.addHandler(logging.NullHandler())
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return logger


def _on_set(size: int) -> Compared:
    tools = Toolset([weather, *(tool(weather, name=f"weather_{n}") for n in range(1, size))])
    return Compared(
        lambda: tools.call_sync("weather", RAW),
        lambda: tools.call_sync("weather", RAW, authorize=_yes),
    )


def _yes(_: Any) -> bool:
    return True


def _no(_: Any) -> bool:
    return False


def _measure(make: Callable[[], Compared], rounds: int) -> Measured:
    plain, optional = make()
    for call in (plain, optional):
        if not isinstance(outcome := call(), Ok):
            return Measured(None, (f"refused: {outcome.text}",))
    rounds = max(FEWEST_ROUNDS, rounds // 2)
    return Measured(paired(plain, optional, rounds=rounds, count=calls_a_round(optional)))
