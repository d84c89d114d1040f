"""The shown arguments without the static defaults that nobody sent.

The value of a default factory is kept whole.
"""

from __future__ import annotations

import json
from typing import Any

from tests.laws_of_calls.spec import TypeSpec

__all__ = ["admitted"]


def admitted(spec: TypeSpec, shown: Any, sent: Any) -> Any:
    """Return the arguments that objects are made from, by the view and the call."""
    defaults = {each.key for each in spec.fields() if each.default is not None}
    factories = {each.key for each in spec.fields() if each.factory}
    return _admitted(defaults, factories, shown, sent)


def _admitted(defaults: set[str], factories: set[str], shown: Any, sent: Any) -> Any:
    sent = _decoded(sent) if isinstance(shown, (dict, list)) else sent
    if isinstance(shown, dict):
        given = sent if isinstance(sent, dict) else {}
        members = {}
        for key, each in shown.items():
            if _is_given(given, key, each) or key not in defaults | factories:
                members[key] = _admitted(defaults, factories, each, given.get(key))
            elif key not in defaults:
                members[key] = each
        return members
    if isinstance(shown, list):
        items = sent if isinstance(sent, list) and len(sent) == len(shown) else [None] * len(shown)
        pairs = zip(shown, items, strict=True)
        return [_admitted(defaults, factories, *pair) for pair in pairs]
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
