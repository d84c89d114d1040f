"""An option of `asgi` of another type is a `TypeError` that says what to pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from toolhaft.serve import asgi


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"name": " "}, "a text"),
        ({"version": 5}, "a text"),
        ({"instructions": ""}, "a text"),
        ({"auth": "token"}, "an Auth of toolhaft.serve.auth"),
        ({"stateless": 0}, "True or False"),
        ({"ttl_ms": True}, "a whole number of milliseconds, 0 or more"),
        ({"ttl_ms": -1}, "a whole number of milliseconds, 0 or more"),
        ({"cache_scope": "all"}, '"private" or "public"'),
        ({"context": "shop:f"}, "a function of the request"),
        ({"lifespan": "shop:f"}, "an async context manager without arguments"),
        ({"approver": "bob"}, "a function of the request"),
        ({"context_of_principal": "f", "approver": print}, "a function of the principal"),
    ],
)
def test_the_error_names_the_option_and_what_to_pass(
    tmp_path: Path, options: dict[str, Any], expected: str
) -> None:
    with pytest.raises(TypeError) as raised:
        asgi([], state=str(tmp_path / "calls.db"), **options)
    assert str(raised.value) == f"{next(iter(options))}: expected {expected}"


@pytest.mark.parametrize("milliseconds", [0, 5])
def test_lists_may_be_kept_for_any_time(milliseconds: int) -> None:
    assert asgi([], ttl_ms=milliseconds) is not None
