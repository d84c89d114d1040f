"""The turns of a scripted model, written as each provider's SDK has them.

Each target has a file here with a `Writer`; `writers.py` maps the targets to them.
"""

from __future__ import annotations

__all__: list[str] = []
