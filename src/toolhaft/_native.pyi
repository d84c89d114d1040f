# The primitives in C: jsonio/plaindata.py, jsonio/jsontext.py, schema/shape.py, call/outcome.py,
# call/outcome_record.py and call/boundary.py have their twins.

from collections.abc import Callable
from typing import Any, Self

def plain_copy(value: dict[Any, Any], room: int = ..., depth: int = ..., /) -> Any: ...
def finish(result: Any, arguments: Any, options: Any, coercions: tuple[Any, ...], /) -> Any: ...
def set_outcome(outcome: type, /) -> None: ...
def is_small(value: object, /) -> bool: ...
def write_plain(data: Any, /) -> str | None: ...
def write_canonical(data: Any, /) -> str | None: ...

class OutcomeFields: ...

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
        words: tuple[str, ...] | None,
        format: int,
        verdict: Callable[[Any], bool] | None,
        branches: tuple[Shape, ...],
        items: Shape | None,
        members: tuple[tuple[str, Shape | None, bool], ...],
        rest: Shape | None,
        closed: bool,
        drops: bool,
    ) -> Self: ...
    def drop(self, data: dict[str, Any], /) -> tuple[dict[str, Any], list[Any]] | None: ...
    def fits(self, data: Any, /) -> bool: ...
    def fits_text(self, text: Any, /) -> bool: ...

class RightCall:
    def __new__(
        cls,
        shape: Shape,
        construct: tuple[Callable[..., Any], Any],
        construct_text: Callable[[str], Any] | None,
        read_text: Callable[[str], Any],
        function: Callable[..., Any],
        options: Any,
        record_dropped: Callable[[list[Any]], tuple[Any, ...]],
        bind: Callable[[Any, Any], tuple[tuple[Any, ...], dict[str, Any]]] | None,
        copies: bool,
        accepts: bool,
        spreads: bool,
        finishes: bool,
        steps: tuple[Any, ...] | None,
    ) -> Self: ...
    def bind(self, function: Callable[..., Any], /) -> Self: ...
    def run_with(
        self, boundary: Any, raw: Any, context: Any, function: Callable[..., Any], /
    ) -> Any: ...
    def run(self, boundary: Any, raw: Any, context: Any, on_error: Any = ..., /) -> Any: ...
