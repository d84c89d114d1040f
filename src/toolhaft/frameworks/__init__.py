"""Convert tools to other frameworks' tools, and theirs to ours: one file for each framework.

`to_<framework>` returns a framework's own tool for a tool of ours, or a list for a toolset;
`from_<framework>` converts a framework's tool to one of ours. Each file lists what is lost.
"""

from __future__ import annotations

__all__: list[str] = []
