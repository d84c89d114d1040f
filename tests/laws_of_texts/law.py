"""A tool of one text gives the same verdict on every target, whether it has custom tools or not.

The verdict on an expression that was written by hand is known; on a drawn one, Python's own engine
says whether the whole text matches, for texts of ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

from toolhaft import Regex, ToolCall, Toolset, tool
from toolhaft.schema.patterns import texts_for

__all__ = ["BY_HAND", "check_by_hand", "check_drawn", "draw"]

CUSTOM: Final = ("openai", "openai-chat")
PLAIN: Final = (
    "openai", "openai-chat", "xai", "anthropic", "gemini", "gemini-openapi", "bedrock", "mistral",
    "cohere", "ollama", "mcp", "mcp-2025-11-25", "text",
)  # fmt: skip
ATOMS: Final = (
    "a", "b", "[a-c]", "[^x]", r"\d", r"\w", ".", "(ab|c)", "(?:a|bc)", r"\.", "é", " ", r"[\w-]",
    r"\s", "[^a-y]", "(a(b|c)?)", r"\\", r"[\].]",
)  # fmt: skip
COUNTS: Final = ("", "", "*", "+", "?", "{2}", "{1,3}", "{2,}")


class Known(NamedTuple):
    """An expression, texts that match as a whole, and texts that do not."""

    pattern: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


BY_HAND: Final = (
    Known(r"[0-9]+( [-+*/] [0-9]+)*", ("3", "3 + 4"), ("3 +", "3+4", "")),
    Known(
        r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", ("2026-11-28",), ("2026-13-01", "26-1-1")
    ),
    Known(r"#[0-9a-fA-F]{6}", ("#a0B1c2",), ("#a0b1c", "a0b1c2", "#a0b1cg")),
    Known(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", ("1.20.3",), ("1.2", "01.2.3", "1.2.3\n")),
    Known(
        r"SELECT [a-z_, ]+ FROM [a-z_]+;?",
        ("SELECT a, b FROM t;",),
        ("select a FROM t", "SELECT FROM"),
    ),
    Known(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", ("a.b@c.example",), ("a@b", "a b@c.de", "@c.de")),
    Known(
        r"(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}",
        ("10.0.255.1",),
        ("256.0.0.1", "1.2.3"),
    ),
    Known(r"(/[a-z0-9_-]+)+/?", ("/usr/local/",), ("usr", "/", "//a")),
    Known(
        r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}",
        ("DE89370400440532013000",),
        ("DE8937", "de89370400440532013000"),
    ),
    Known(r"yes|no", ("yes", "no"), ("yesno", "ye", "YES", "no ")),
    Known(r"a|b c", ("a", "b c"), ("a c", "b")),
    Known(r"(a|b)*c?", ("", "abba", "c"), ("cc", "ac b")),
    Known(r".*", ("", "anything at all"), ("a\nb",)),
    Known(r"[\s\S]*", ("", "a\nb", "\u2028"), ()),
    Known(r"^ab$", ("ab",), ("xab", "ab\n", "aab")),
    Known(r"\w+\s\w+", ("ab cd", "ab\tcd"), ("abcd", "ab  cd", "é a")),
    Known(r"\d+", ("0123",), ("٣", "1.0", "-1")),
    Known(r"[é-ü]+", ("éü",), ("e", "ý")),
    Known(r"(?:ab)+?", ("ab", "abab"), ("aba", "")),
    Known(r"\x41\u0042", ("AB",), ("ab", "A")),
    Known(r"[^\d\n]{3}", ("abc", "a b"), ("ab1", "ab", "ab\n")),
    Known(r"\$\{[A-Z_]+\}", ("${HOME}",), ("$HOME", "${}", "${a}")),
    Known(r"\"([^\"\\]|\\.)*\"", ('"a"', r'"a\"b"'), ('"a', '"a"b"')),
    Known(r"x{3}", ("xxx",), ("xx", "xxxx")),
)


def check_by_hand(known: Known) -> int:
    """Check every text of an expression; return how many there are."""
    for text in known.right:
        _check(known.pattern, text, expected=True)
    for text in known.wrong:
        _check(known.pattern, text, expected=False)
    return len(known.right) + len(known.wrong)


def check_drawn(seed: int) -> int:
    """Check texts that match a drawn expression, nearly match it, or do not; return how many."""
    random = Random(seed)
    pattern = draw(random)
    texts = [*_texts(random, pattern)]
    for text in texts:
        _check(pattern, text, expected=re.fullmatch(pattern, text, re.ASCII) is not None)
    return len(texts)


def draw(random: Random) -> str:
    """Draw an expression."""
    parts = [random.choice(ATOMS) + random.choice(COUNTS) for _ in range(random.randrange(1, 5))]
    at = random.randrange(len(parts) + 1)
    branches = ["".join(parts[:at]), "".join(parts[at:])]
    drawn = "|".join(branches) if random.random() < 0.3 else "".join(parts)
    return drawn if drawn.strip() else "a"  # a blank expression is none


def _texts(random: Random, pattern: str) -> Iterator[str]:
    take = texts_for(f"^(?:{pattern})$")
    for _ in range(3):
        text = take(random)
        if text.isascii():
            yield text
            yield _change(random, text)
    yield from ("", "a", "xyz", "\n", "\\")


def _change(random: Random, text: str) -> str:
    at = random.randrange(len(text) + 1)
    return random.choice([text + "\n", text + "!", text[:-1], text[:at] + "Q" + text[at:]])


def _check(pattern: str, text: str, *, expected: bool) -> None:
    verdicts = {target: bool(_call(pattern, target, text)) for target in PLAIN}
    custom = {target: bool(_call_custom(pattern, target, text)) for target in CUSTOM}
    assert verdicts == dict.fromkeys(PLAIN, expected), (pattern, text)
    assert custom == dict.fromkeys(CUSTOM, expected), (pattern, text)


def _exports(pattern: str) -> dict[str, Any]:
    if pattern not in _MADE:
        _MADE.clear()
        tools = Toolset([tool(_one, format=Regex(pattern))])
        _MADE[pattern] = {target: tools.export(target) for target in PLAIN}
    return _MADE[pattern]


def _one(text: str) -> str:
    """Take one."""
    return text


def _call(pattern: str, target: str, text: str) -> Any:
    return _exports(pattern)[target].call_sync(ToolCall("c", "_one", {"text": text}))


def _call_custom(pattern: str, target: str, text: str) -> Any:
    called = {"type": "custom_tool_call", "call_id": "c", "name": "_one", "input": text}
    response: dict[str, Any] = {"output": [called]}
    if target == "openai-chat":
        call = {"id": "c", "type": "custom", "custom": {"name": "_one", "input": text}}
        response = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    [outcome] = _exports(pattern)[target].answer_sync(response).outcomes
    return outcome


_MADE: dict[str, dict[str, Any]] = {}
