"""JSON text of data that may hold decimals, whose digits are kept."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

__all__ = ["written"]


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
