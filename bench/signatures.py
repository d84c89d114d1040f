"""Parameters of functions, for `tool` to read: two named shapes, and any shape of fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from typing import Annotated, Any, Final

from floors import REQUIRED, Declared
from pydantic import BaseModel, Field
from workloads import take

__all__ = ["SIGNATURES", "function_of"]


class Item(BaseModel):
    """One line of an order."""

    sku: str
    quantity: int
    price: float


def flat(city: str, days: Annotated[int, Field(ge=1, le=14)], units: str) -> Any:
    """Three parameters."""
    return take(city, days)


def nested(
    city: str,
    days: int,
    customer: str,
    email: str,
    street: str,
    country: str,
    express: bool,
    discount: float,
    priority: int,
    notes: str,
    tags: list[str],
    items: list[Item],
) -> Any:
    """Twelve parameters."""
    return take(city, days)


SIGNATURES: Final[dict[str, Any]] = {"flat": flat, "nested": nested}


def function_of(
    fields: Mapping[str, Declared], run: Callable[..., Any], returns: Any = None
) -> Any:
    """Make a function whose parameters are the fields, and which calls another with them."""
    defaults = {key: one.default for key, one in fields.items() if one.default is not REQUIRED}
    listed = ", ".join(f"{key}=_defaults[{key!r}]" if key in defaults else key for key in fields)
    waits = "async " if iscoroutinefunction(run) else ""
    body = f"return {'await ' if waits else ''}_run({', '.join(f'{key}={key}' for key in fields)})"
    source = f"{waits}def run({listed}):\n    'Run.'\n    {body}"
    names: dict[str, Any] = {"_run": run, "_defaults": defaults}
    exec(compile(source, "<bench>", "exec", dont_inherit=True), names)  # noqa: S102  our own text
    made: Any = names["run"]
    made.__annotations__ = {key: one.annotated for key, one in fields.items()}
    made.__annotations__["return"] = returns or Any
    return made
