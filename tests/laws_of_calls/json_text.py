"""JSON text of data that may hold decimals, whose digits are kept."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

__all__ = ["in_digits", "written"]


def written(data: Any) -> str:
    """Write data as JSON text.

    >>> from decimal import Decimal
    >>> written({"price": Decimal("2.50")})
    '{"price": 2.50}'
    """
    if isinstance(data, dict):
        return f"{{{', '.join(f'{json.dumps(key)}: {written(data[key])}' for key in data)}}}"
    if isinstance(data, list):
        return f"[{', '.join(map(written, data))}]"
    return format(data, "f") if isinstance(data, Decimal) else json.dumps(data)


def in_digits(data: Any) -> Any:
    """Return data with every number by its digits, which a float and a decimal may share."""
    if isinstance(data, dict):
        return {key: in_digits(each) for key, each in data.items()}
    if isinstance(data, list):
        return [in_digits(each) for each in data]
    is_number = isinstance(data, (int, float)) and not isinstance(data, bool)
    return Decimal(str(data)) if is_number else data
