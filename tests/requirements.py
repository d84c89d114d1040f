"""Behaviours that the contract promises: id -> one sentence, with its source.

Each has at least one test marked `@pytest.mark.requirement(id)`, and each mark names an id of
this table; `test_requirements.py` checks both directions.
"""

from __future__ import annotations

REQUIREMENTS: dict[str, str] = {
    "import-standard-library-only": "Importing toolhaft, or a public name from it, loads no "
    "third-party module and no asyncio (house rules, imports).",
    "decode-duplicate-keys": "A key written twice is refused, escaped and nested ones too "
    "(contract 3, decoding).",
    "decode-limits": "Text over 1 MiB or nested deeper than 32 levels is refused; both settable "
    "(contract 3, decoding).",
    "decode-numbers": "NaN, infinities, numbers that overflow and integers over 4,300 digits are "
    "refused; integers above 2^53 stay exact (contract 3, decoding).",
    "decode-text": "Lone surrogates, a byte order mark and bytes that are not UTF-8 are refused "
    "(contract 3, decoding).",
    "decode-truncated": "Text that merely stops is truncated and never completed "
    "(contract 3, decoding).",
}
