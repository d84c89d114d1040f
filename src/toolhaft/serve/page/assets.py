"""The files of the page, and the policy under which a browser may show them.

The policy lets a browser run the modules of this server alone, send requests to this server alone,
and make no markup of text; nobody may frame the page.
"""

from __future__ import annotations

from importlib import resources
from typing import Final, NamedTuple

from toolhaft.serve.responses import Send, respond

__all__ = ["DOCUMENTS", "POLICY", "Asset", "load_assets", "respond_asset"]

MEDIA_TYPES: Final = {
    "html": b"text/html; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
}
DIRECTIVES: Final = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
POLICY: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"content-security-policy", "; ".join(DIRECTIVES).encode()),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
DOCUMENT: Final = "index.html"
DOCUMENTS: Final = (b"/", b"/inbox")


class Asset(NamedTuple):
    """A file of the page."""

    media_type: bytes
    content: bytes


def load_assets() -> dict[bytes, Asset]:
    """Load the files by their paths; the document stands at two of them."""
    folder = resources.files("toolhaft.serve.page") / "files"
    loaded = {
        file.name: Asset(MEDIA_TYPES[file.name.rpartition(".")[2]], file.read_bytes())
        for file in folder.iterdir()
        if file.name.rpartition(".")[2] in MEDIA_TYPES
    }
    document = loaded.pop(DOCUMENT)
    files = {f"/page/{name}".encode(): asset for name, asset in loaded.items()}
    return {**dict.fromkeys(DOCUMENTS, document), **files}


async def respond_asset(send: Send, asset: Asset, *, has_body: bool) -> None:
    """Write a file with the policy."""
    content = asset.content if has_body else b""
    await respond(send, 200, content, asset.media_type, POLICY)
