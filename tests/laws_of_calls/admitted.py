"""The shown arguments without the static defaults that nobody sent."""

from __future__ import annotations

import json
from typing import Any

from tests.laws_of_calls.spec import TypeSpec

__all__ = ["admitted"]


def admitted(spec: TypeSpec, shown: Any, sent: Any) -> Any:
    """Return the arguments that objects are made from, by the view and the call."""
    defaults = {each.key for each in spec.fields() if each.default is not None}
    return _admitted(defaults, shown, sent)


def _admitted(defaults: set[str], shown: Any, sent: Any) -> Any:
    sent = _decoded(sent) if isinstance(shown, (dict, list)) else sent
    if isinstance(shown, dict):
        given = sent if isinstance(sent, dict) else {}
        return {
            key: _admitted(defaults, each, given.get(key))
            for key, each in shown.items()
            if key not in defaults or _is_given(given, key, each)
        }
    if isinstance(shown, list):
        items = sent if isinstance(sent, list) and len(sent) == len(shown) else [None] * len(shown)
        return [_admitted(defaults, *pair) for pair in zip(shown, items, strict=True)]
    return shown


def _is_given(given: dict[str, Any], key: str, shown: Any) -> bool:
    """Whether a key was sent, and not as a null or an empty text that counts as absent."""
    return key in given and (given[key] not in (None, "") or bool(given[key] == shown))


def _decoded(sent: Any) -> Any:
    """Read JSON text, as the repair of a text for an object or a list does."""
    try:
        return json.loads(sent) if isinstance(sent, str) else sent
    except ValueError:
        return sent
