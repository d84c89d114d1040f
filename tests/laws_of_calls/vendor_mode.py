"""The data that a library's own strict JSON mode accepts, without an author's functions."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec
from pydantic import TypeAdapter, ValidationError

from tests.laws_of_calls.sample import Sample

__all__ = ["takes"]

# Parts of a duration that not every reader takes in fractions.
FRACTION: Final = re.compile(r"P[0-9.YMWDTHS]*\.[0-9]+[YMWDH]")
# Vendors that read as pydantic's core does; the others have the schema alone.
PYDANTIC: Final = ("pydantic", "pydantic_dataclass", "dataclass")


def takes(sample: Sample, value: Any) -> bool:
    """Whether the vendor reads the arguments as they are; without a vendor, the schema decides."""
    text = json.dumps(value)
    if sample.spec.vendor == "msgspec":
        return _msgspec_takes(sample.root, text)
    if sample.spec.vendor in PYDANTIC:
        return _pydantic_takes(sample.root, text)
    return FRACTION.search(text) is None


def _msgspec_takes(root: Any, text: str) -> bool:
    try:
        msgspec.json.decode(text, type=root)
    except msgspec.ValidationError:
        return False
    return True


def _pydantic_takes(root: Any, text: str) -> bool:
    try:
        TypeAdapter(root).validate_json(text, strict=True, by_alias=True, by_name=False)
    except ValidationError:
        return False
    return True
