"""Checks that refuse every value that comes to them, whatever it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from toolhaft.schema.forms import NAMES, Kind
from toolhaft.schema.wording import one_of_types
from toolhaft.spec import Code, Path

if TYPE_CHECKING:
    from toolhaft.schema.explain import Check, Node, Run

__all__ = ["nothing", "refusal", "wrong_type"]


def refusal(
    node: Node,
    message: str,
    code: Code = "value",
    expected: str | None = None,
    received: str | None = None,
) -> Check:
    """A check that reports one issue."""

    def check(run: Run, _: Any, path: Path, required: bool) -> None:
        run.report(node, required, message, path, code, expected, received)

    return check


def wrong_type(node: Node, names: Iterable[str], kind: Kind) -> Check:
    """The refusal of a value of one type where others are expected."""
    expected, received = one_of_types(names), NAMES[kind]
    return refusal(node, f"expected {expected}, received {received}", "type", expected, received)


def nothing(node: Node) -> Check:
    """The refusal of any value at all: what the schema `false` says."""

    def check(run: Run, _: Any, path: Path, required: bool) -> None:
        if path and isinstance(path[-1], str):
            run.report(node, required, "unknown", path, "extra")
        else:
            run.report(node, required, "expected no value", path)

    return check
