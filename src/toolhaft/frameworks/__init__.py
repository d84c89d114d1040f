"""Convert tools to those of other frameworks, and theirs to ours: one file for each framework.

`to_<host>` gives a host's own tool for a tool of ours, or the list of them for a toolset;
`from_<host>` makes a tool of ours of a host's. Each file says what is lost on its way.
"""

from __future__ import annotations

__all__: list[str] = []
