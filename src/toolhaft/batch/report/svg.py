"""The two plots of a report as SVG: bars of verdicts, and shares with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

__all__ = ["interval", "verdict_bar"]

WIDTH, HEIGHT = 300, 16
CLASSES = {
    "as sent": "sent", "repaired": "repaired", "refused": "refused", "unknown tool": "unknown",
    "no call": "none",
}  # fmt: skip


def verdict_bar(verdicts: Mapping[str, int]) -> str:
    """Draw the verdicts of some calls as the parts of one bar."""
    total = sum(verdicts.values()) or 1
    parts, start = [], 0.0
    for verdict, count in verdicts.items():
        width = WIDTH * count / total
        if count:
            title = f"<title>{verdict}: {count:,} ({count / total:.1%})</title>"
            parts.append(
                f'<rect class="{CLASSES[verdict]}" x="{start:.2f}" width="{max(width, 0.5):.2f}" '
                f'height="{HEIGHT}">{title}</rect>'
            )
        start += width
    label = ", ".join(f"{verdict} {count:,}" for verdict, count in verdicts.items() if count)
    return _svg(label or "no calls", parts)


def interval(share: Mapping[str, Any], run: int = 0) -> str:
    """Draw a share of one of several runs as a point with its interval, from 0 to 1."""
    left, middle, right = (5 + (WIDTH - 10) * share[key] for key in ("low", "share", "high"))
    y = HEIGHT / 2
    parts = [
        f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{HEIGHT}"/>'
        for x in (5, WIDTH / 2, WIDTH - 5)
    ]
    parts.append(
        f'<line class="run{run}" x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}"/>'
        f'<circle class="run{run}" cx="{middle:.1f}" cy="{y}" r="5"/>'
    )
    return _svg(f"{share['share']:.1%}, {share['low']:.1%} to {share['high']:.1%}", parts)


def _svg(label: str, parts: Sequence[str]) -> str:
    inner = "".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(label)}"><title>{escape(label)}</title>{inner}</svg>'
    )
