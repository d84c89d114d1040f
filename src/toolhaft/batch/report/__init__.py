"""The report on a batch: acceptance, repair and refusal by tool, model and rule, with intervals.

`read` joins calls with their outcomes, `tally` counts them, `expectations` decides which are right,
`intervals` computes confidence intervals; `data`, `html` (with `svg` and `style`) and `text` write
the report as JSON, as a page and for the terminal.
"""

from __future__ import annotations

__all__: list[str] = []
