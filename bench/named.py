"""The rows of the named workloads: every library's type as `input=`, and annotated functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from floors import FLOORS, Floor
from paired import Ratio, paired, paired_async
from rows import Measured, Row
from signatures import SIGNATURES
from workloads import WORKLOADS, Workload

from toolhaft import tool
from toolhaft.tools.tool import AnyTool

__all__ = ["named_rows"]


def named_rows() -> Iterator[Row]:
    """Every workload of every library, and of annotated functions (the floor is pydantic's)."""
    for form, floor in FLOORS.items():
        for name, load in WORKLOADS.items():
            yield _row(form, name, load, floor, _by_object)
    for name, load in WORKLOADS.items():
        refused = name == "undeclared key"  # which the floor takes
        if load.shape in SIGNATURES and load.plain and not refused:
            yield _row("signature", name, load, FLOORS["pydantic"], _by_signature)


def _row(
    form: str, name: str, load: Workload, floor: Floor, make: Callable[[Floor, Workload], AnyTool]
) -> Row:
    def measure(rounds: int) -> Measured:
        run: Callable[..., Ratio] = paired_async if load.asynchronous else paired
        return Measured(run(floor.work(load), _work(make(floor, load), load), rounds=rounds))

    return Row(form, name, measure)


def _by_object(floor: Floor, load: Workload) -> AnyTool:
    """A tool that takes the validated object whole, as the floor's handler does."""
    handle: Any = floor.handle

    async def handler(value: Any) -> Any:
        return handle(value)

    run: Any = handler if load.asynchronous else handle
    output = floor.type_of("seen") if load.output else None
    made: Any = tool(
        run, name="run", description="Run.", input=floor.type_of(load.shape), output=output
    )
    return made  # type: ignore[no-any-return]


def _by_signature(floor: Floor, load: Workload) -> AnyTool:
    made: AnyTool = tool(SIGNATURES[load.shape])
    return made


def _work(made: AnyTool, load: Workload) -> Callable[[], Any]:
    """Return one call of a workload on a tool, up to the model's text with `to_text`."""
    call, call_async, raw = made.call_sync, made.call, load.raw
    if load.asynchronous:
        return lambda: call_async(raw)
    return (lambda: call(raw).text) if load.to_text else lambda: call(raw)
