"""Calls whose arguments come value by value, as Gemini on Vertex AI streams them on request.

The first part has the name, each has whether another follows, and each value has its place as a
path of RFC 9535 (`$.trip.stops[0]`); text may come in several pieces. Read on 2026-11-21 from
google-genai 2.34.0 (`FunctionCall.partial_args`, `PartialArg`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from toolhaft.errors import WireError
from toolhaft.providers.response import Part
from toolhaft.providers.streams import MOST_LEVELS, join_pieces, last_value

__all__ = ["call_of", "is_continued", "join_calls"]

Steps: TypeAlias = tuple[str | int, ...]

PATH: Final = re.compile(r"\$(?:\.[^.\[\]]+|\[\d{1,9}\]|\['[^'\\]*'\]|\[\"[^\"\\]*\"\])+")
STEP: Final = re.compile(
    r"\.(?P<name>[^.\[\]]+)|\[(?P<index>\d+)\]|\[['\"](?P<quoted>[^'\"]*)['\"]\]"
)


def call_of(part: Part) -> Part | None:
    """Return the call in a part of a content, or None."""
    return part.either("functionCall")


def is_continued(call: Part) -> bool:
    """Return whether more of a call is to follow."""
    return bool(call.get("willContinue"))


def join_calls(parts: Iterable[Part]) -> Iterator[Part]:
    """Join the parts of calls that came in several; give the others as they are."""
    unfinished: list[Part] = []
    for part in parts:
        call = call_of(part)
        if call is None:
            yield part
            continue
        if unfinished and call.get("name"):
            yield _join_parts(unfinished)
            unfinished = []
        unfinished.append(part)
        if not is_continued(call):
            yield _join_parts(unfinished)
            unfinished = []
    if unfinished:
        yield _join_parts(unfinished)


def _join_parts(parts: list[Part]) -> Part:
    first, calls = parts[0], [call for part in parts if (call := call_of(part)) is not None]
    pieces = [piece for call in calls for piece in _pieces(call)]
    if not pieces and not parts[1:]:
        return first
    fields = {key: last_value(call.get(key) for call in calls) for key in ("id", "name")}
    values = _by_place(pieces)
    unfinished = is_continued(calls[-1]) or any(
        is_continued(value_pieces[-1]) for value_pieces in values.values()
    )
    call_fields = {
        **{key: value for key, value in fields.items() if value is not None},
        "args": {**_arguments(values), **(calls[-1].get("args") or {})},
        **({"willContinue": True} if unfinished else {}),
    }
    signature = last_value(part.get("thoughtSignature") for part in parts)
    signature_field = {} if signature is None else {"thoughtSignature": signature}
    return Part(first.provider, {"functionCall": call_fields, **signature_field}, first.path)


def _pieces(call: Part) -> list[Part]:
    return call.parts("partialArgs") if call.get("partialArgs") else []


def _by_place(pieces: Iterable[Part]) -> dict[Steps, list[Part]]:
    values: dict[Steps, list[Part]] = {}
    for piece in pieces:
        values.setdefault(_steps(piece), []).append(piece)
    return values


def _steps(piece: Part) -> Steps:
    path = piece.text("jsonPath")
    steps = tuple(
        int(match["index"]) if match["index"] else match["name"] or match["quoted"] or ""
        for match in STEP.finditer(path)
    )
    if not PATH.fullmatch(path) or len(steps) > MOST_LEVELS:
        raise piece.wrong("jsonPath", "a path to one argument")
    return steps


def _arguments(values: dict[Steps, list[Part]]) -> dict[str, Any]:
    """Put the values in their places, without a text that is still being written."""
    arguments: dict[str, Any] = {}
    for steps, pieces in values.items():
        if not is_continued(pieces[-1]) and not _put_value(
            arguments, steps, join_pieces(map(_value, pieces))
        ):
            reason = "no place where an argument can be"
            raise WireError(pieces[0].provider, pieces[0].at("jsonPath"), reason)
    return arguments


def _put_value(arguments: dict[str, Any], steps: Steps, value: Any) -> bool:
    """Put a value in its place, if there is one: lists grow by their next member only."""
    container: Any = arguments
    for step, following in zip(steps, (*steps[1:], None), strict=True):
        fresh = value if following is None else [] if isinstance(following, int) else {}
        if isinstance(step, str) and isinstance(container, dict):
            container = container.setdefault(step, fresh)
        elif isinstance(step, int) and isinstance(container, list) and step <= len(container):
            container.extend([fresh] if step == len(container) else [])
            container = container[step]
        else:
            return False
    return True


def _value(piece: Part) -> Any:
    """Return the value of a piece; None for null, and for a piece without a value."""
    values = (piece.get(key) for key in ("numberValue", "stringValue", "boolValue"))
    value = next((candidate for candidate in values if candidate is not None), None)
    return int(value) if isinstance(value, float) and value.is_integer() else value
