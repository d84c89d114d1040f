"""Sign data that leaves the process as text, and verify it when it comes back.

The seal is HMAC-SHA256 (RFC 2104) over the canonical form (RFC 8785) of everything in the text.
Without a key there is no seal: anyone who can change the text can change the data.
"""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Any, Final, TypeAlias

from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.canonical import canonical

__all__ = ["Key", "VerificationFailed", "as_floats", "sign", "verify"]

Key: TypeAlias = str | bytes | None

VERSION: Final = 1
MAX_BYTES, MAX_DEPTH = 64 << 20, 200


class VerificationFailed(Exception):
    """A text differs from the signed one; the message has the reason, without a value of it."""


def sign(kind: str, data: dict[str, Any], key: Key) -> str:
    """Write data as text that `verify` takes with the same key.

    Raises:
        ToolhaftError: The key is empty, or neither text nor bytes.
    """
    content = {"toolhaft": kind, "version": VERSION, **data}
    signed = content if key is None else {**content, "seal": _seal(content, key)}
    return jsontext.write_exact(signed)


def verify(kind: str, text: object, key: Key) -> dict[str, Any]:
    """Return the data of a text that `sign` wrote; numbers with a fraction are Decimals.

    Raises:
        VerificationFailed: It is another text, the key is another one, or only one side has
            a key.
    """
    if not isinstance(text, str | bytes):
        raise VerificationFailed("not a text")
    try:
        content = jsontext.read(text, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH, decimals=True)
    except jsontext.JsonSyntaxError as fault:
        raise VerificationFailed(fault.message) from None
    if not isinstance(content, dict) or content.get("toolhaft") != kind:
        raise VerificationFailed(f"the text holds no {kind}")
    if content.get("version") != VERSION:
        raise VerificationFailed("the text has the format of another version of toolhaft")
    _check_seal(content.pop("seal", None), content, key)
    return content


def as_floats(data: Any) -> Any:
    """Return data with floats for Decimals whose digits a float keeps.

    >>> as_floats([Decimal("0.5"), Decimal("0.12345678901234567890")])
    [0.5, Decimal('0.12345678901234567890')]
    """
    if type(data) is dict:
        return {key: as_floats(item) for key, item in data.items()}
    if type(data) is list:
        return [as_floats(item) for item in data]
    if type(data) is not Decimal:
        return data
    number = float(data)
    return number if isfinite(number) and Decimal(repr(number)) == data else data


def _check_seal(seal: Any, content: dict[str, Any], key: Key) -> None:
    from hmac import compare_digest

    if seal is None and key is None:
        return
    if seal is None:
        raise VerificationFailed("the text has no seal, and a key was given")
    if key is None or key in ("", b""):
        raise VerificationFailed("the text is sealed, and no key was given")
    if not isinstance(seal, str) or not compare_digest(
        seal.encode("utf-8"), _seal(content, key).encode("utf-8")
    ):
        raise VerificationFailed("the seal does not fit the text and the key")


def _seal(content: dict[str, Any], key: object) -> str:
    import hmac

    if not isinstance(key, str | bytes):
        raise ToolhaftError("the key is no text or bytes; pass 32 random bytes or more")
    if not key:
        raise ToolhaftError("the key is empty; pass a secret of at least 32 random bytes")
    secret = key.encode("utf-8") if isinstance(key, str) else key
    return hmac.digest(secret, canonical(content), "sha256").hex()
