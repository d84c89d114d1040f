"""What a batch came to: acceptance, repair and refusal by tool, model and rule, with intervals.

`tally` counts, `expectations` says what was right, `intervals` how sure a share is, `read` joins
calls with their outcomes, `shape` gives all as JSON, `html` and `svg` as one page, `words` for the
terminal.
"""

from __future__ import annotations

__all__: list[str] = []
