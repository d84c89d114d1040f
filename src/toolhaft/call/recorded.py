"""A recorded call: the recorded part of its outcome, and how a later one differs from it.

Texts with error ids are not part of it, and times neither: it can be compared on another day.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.jsonio import jsontext
from toolhaft.spec import Path

__all__ = ["differences", "is_recorded", "summarise"]

NEEDED: Final = frozenset({"name", "arguments", "kind"})
KEYS: Final = NEEDED | {"json", "issues", "repairs"}


def is_recorded(line: Any) -> bool:
    """Return whether JSON data are a recorded call, without a key that is never compared."""
    if not isinstance(line, Mapping) or not NEEDED <= line.keys() <= KEYS:
        return False
    return isinstance(line["name"], str) and isinstance(line["kind"], str)


def summarise(outcome: Ok[Any] | Err) -> dict[str, Any]:
    """Return the kind, the codes and places of issues, the repairs, and the result as `json`."""
    repairs = [[list(coercion.path), coercion.rule] for coercion in outcome.coercions]
    if isinstance(outcome, Err):
        issues = [[list(issue.path), issue.code] for issue in outcome.issues]
        return {"kind": outcome.kind, "issues": issues, "repairs": repairs}
    return {"kind": "ok", "json": outcome.json, "repairs": repairs}


def differences(then: Any, now: Any, path: Path = ()) -> Iterator[str]:
    """Yield each place where data differ from what was recorded; only recorded keys count.

    >>> list(differences({"json": {"n": 2}}, {"kind": "ok", "json": {"n": 3, "time": 1}}))
    ['json.n: 2 became 3']
    """
    where = ".".join(map(str, path)) or "the call"
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            if key in now:
                yield from differences(value, now[key], (*path, key))
            else:
                yield f"{'.'.join(map(str, (*path, key)))}: is no longer there"
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for place, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from differences(one, other, (*path, place))
    elif jsontext.write(then) != jsontext.write(now):
        yield f"{where}: {jsontext.write(then)} became {jsontext.write(now)}"
