"""The limits of a server are the ones that its page names."""

from __future__ import annotations

from pathlib import Path

from toolhaft.serve.limits import LIMITS

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"


def test_the_page_names_the_limits() -> None:
    page = " ".join(PAGE.read_text("utf-8").split())
    assert (
        f"A head must arrive within {LIMITS.header_seconds:g} seconds and a body within "
        f"{LIMITS.body_seconds:g}; a client must read within {LIMITS.write_seconds:g} seconds. "
        f"Bodies of more than {LIMITS.body_bytes >> 20} MiB and more than "
        f"{LIMITS.connections:,} connections are refused."
    ) in page
    assert f"It waits for {LIMITS.drain_seconds:g} seconds; a call that takes longer" in page
