"""The boundary: what a model sent comes in at one end, an outcome at the other.

`decode` reads it, `gate` validates and repairs it (`coerce`), `supply` hands it over, `workers` run
the handler, `results` check what it returned, `feedback` finds the words; `boundary` is the whole.
"""

from __future__ import annotations

__all__: list[str] = []
