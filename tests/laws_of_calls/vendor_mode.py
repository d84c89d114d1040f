"""What a library's own strict JSON mode takes, for types without an author's functions."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tests.laws_of_calls.sample import Sample

__all__ = ["takes"]


def takes(sample: Sample, value: Any) -> bool:
    """Whether the vendor reads the arguments as they are."""
    text = json.dumps(value)
    if sample.spec.vendor in ("pydantic", "pydantic_dataclass"):
        return _pydantic_takes(sample.root, text)
    return False


def _pydantic_takes(root: Any, text: str) -> bool:
    try:
        TypeAdapter(root).validate_json(text, strict=True, by_alias=True, by_name=False)
    except ValidationError:
        return False
    return True
