"""The booking tool's arguments as the parameters of a function."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from tests.vendors.booking.pydantic_model import Cat, Dog, Place, Size

__all__ = ["HANDLER", "LACKS", "POLICY"]


def book(
    id: int,
    text: str,
    tags: list[str],
    place: Place,
    n: Annotated[int, Field(ge=1, le=9)] = 3,
    ratio: Annotated[float, Field(gt=0, lt=1)] = 0.5,
    maybe: int | None = 3,
    flag: bool = False,
    kind: Literal["old", "new"] = "old",
    size: Size = Size.SMALL,
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}\d{2}$")] = "AA00",
    label: Annotated[str, Field(min_length=2, max_length=5)] = "ab",
    day: date | None = None,
    when: AwareDatetime | None = None,
    either: int | str = 1,
    scores: dict[str, float] = {},  # noqa: B006 - the library copies it for each call
    stops: Annotated[list[Place], Field(max_length=2)] = [],  # noqa: B006 - the same
    grid: list[list[int]] = [],  # noqa: B006 - the same
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None,
    größe: float = 1.0,  # noqa: PLC2401 - a key that is not ASCII
) -> Any:
    return dict(locals())


HANDLER = book
POLICY = "forbid"
LACKS = {"fromCity": "a parameter has no aliases"}
