"""Encrypt what the state file keeps of a call that waits: arguments, principal and answer.

The key is a secret that stands elsewhere, such as the approver's token: then a copy of the file
tells nothing. Without one it is a secret of the file.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Final

__all__ = ["Sealing"]

LABEL: Final = b"toolhaft: a call that waits"
NONCE_BYTES: Final = 12  # NIST SP 800-38D, 8.2


class Sealing:
    """Seals texts with AES-256-GCM, each for one place, where alone it can be opened.

    >>> sealing = Sealing(b"secret")
    >>> sealed = sealing.seal("arguments", "id")
    >>> sealing.open(sealed, "id"), sealing.open(sealed, "other")
    ('arguments', None)
    """

    def __init__(self, secret: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # a requirement of mcp

        self.key: bytes = hmac.digest(secret, LABEL, "sha256")
        self._cipher = AESGCM(self.key)

    def seal(self, text: str, place: str) -> bytes:
        """Encrypt a text."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, text.encode(), place.encode())

    def open(self, sealed: bytes, place: str) -> str | None:
        """Decrypt a text; None if it has another key, another place, or was changed."""
        from cryptography.exceptions import InvalidTag

        try:
            nonce, rest = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
            return self._cipher.decrypt(nonce, rest, place.encode()).decode()
        except (InvalidTag, ValueError):
            return None
