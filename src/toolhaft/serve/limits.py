"""Limits of a server: times, sizes and connections."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LIMITS", "Limits"]


class Limits(NamedTuple):
    """Bytes of a body, seconds of each part of a request, and connections at a time.

    `drain_seconds` is how long running calls may take after the signal to stop, and `drain_delay`
    how long before that the server is not ready, and still accepts connections.
    """

    body_bytes: int = 2 << 20  # arguments have 1 MiB of their own (contract 3, decoding)
    body_seconds: float = 30.0
    header_seconds: float = 10.0
    idle_seconds: float = 60.0
    write_seconds: float = 30.0
    connections: int = 1_000
    drain_seconds: float = 30.0
    drain_delay: float = 0.0


LIMITS = Limits()
