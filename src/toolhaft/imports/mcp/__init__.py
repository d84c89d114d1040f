"""The tools of a server of the Model Context Protocol, by a session of the official client.

Read on 2026-11-23 from the specification, revisions 2025-11-25 and 2026-07-28, and mcp 2.3.0.
"""

from __future__ import annotations

__all__: list[str] = []
