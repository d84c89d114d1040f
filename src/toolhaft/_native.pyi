"""The primitives in C: `jsonio.plaindata`, `schema.shape` and `call.outcome` have their twins."""

from collections.abc import Callable
from typing import Any

def plain_copy(value: dict[Any, Any], room: int = ..., depth: int = ..., /) -> dict[str, Any] | None: ...
def finish(result: Any, arguments: Any, options: Any, coercions: tuple[Any, ...], /) -> Any: ...
def set_outcome(outcome: type, /) -> None: ...

class Shape:
    def __new__(
        cls,
        kinds: int,
        low: float,
        high: float,
        shortest: int,
        longest: int,
        fewest: int,
        most: int,
        words: frozenset[str] | None,
        verdict: Callable[[Any], bool] | None,
        branches: tuple[Shape, ...],
        items: Shape | None,
        members: tuple[tuple[str, Shape | None, bool], ...],
        rest: Shape | None,
        closed: bool,
    ) -> Shape: ...
    def fits(self, data: Any, /) -> bool: ...
    def fits_text(self, text: Any, /) -> bool: ...
