"""Many recorded calls through one boundary: read rows, gate or run each, count what happened.

Everything streams and nothing here knows the command line. `lines` reads text of bounded length,
`calls` finds the call in a row, `catalogue` the tool for a call, `job` sends each call through its
tool, a `record` is what came of it, `output` writes records and `summary` counts them.
"""

from __future__ import annotations

__all__: list[str] = []
