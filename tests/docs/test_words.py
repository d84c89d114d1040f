"""Documentation, public docstrings, messages and changelog use the words of the field.

Each pattern is a phrase in earlier texts that readers stumbled over, with the words to write
instead. Code is left out.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache

import error_messages
import pytest

from tests.docs.test_docstrings import PUBLIC
from tests.docs.test_pages import PAGES, ROOT

INSTEAD = {
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\b(is|are|was|were|be|been) told\b(?! apart)": "reads, is notified, receives",
    r"\b(is|are|was|were) said\b": "is reported, is written",
    r"\bsays? so\b|\bsays? no\b": "name the subject and what it reports",
    r"\bwhoever\b|\bto whom\b|\bof whom\b": "name the person or the program",
    r"\bthat there (is|are) not\b|\bthere is none\b[;:]": "is missing, is unknown",
    r"\btak(e|es|en) the place of\b": "replaces",
    r"\bspoil(s|ed|t)?\b": "damages, affects",
    r"\ball the same\b(?! (as|type|kind|length|value|name|way)\b)|\bfor good\b": "permanently",
    r"\blet be\b|\bfindings? be\b": "ignored",
    r"\bwho must say yes\b": "authorization, approval",
    r"\bis a fault\b": "raises DefinitionError",
    r"\bgives? back\b": "returns",
    r"\bgoes on (its|behind)\b": "continues",
    r"\bof one's own\b": "your own",
}
CODE = re.compile(
    r"^ *(`{3,})[^`]*?\n(.*\n)*?^ *\1 *$|^    .*$|`[^`\n]+(\n[^`\n]+)?`", re.MULTILINE
)
# Pages that show a phrase: the files of tools keep the descriptions that their lock has.
SAMPLES = {"AGENTS.md"}


def read_texts() -> Iterator[tuple[str, str]]:
    """Yield each text that a user reads, with its name."""
    for page in PAGES:
        if page.name not in SAMPLES:
            text = CODE.sub("X", page.read_text(encoding="utf-8"))
            yield str(page.relative_to(ROOT)), text
    for name, public in PUBLIC.items():
        yield f"help({name})", CODE.sub("X", inspect.getdoc(public) or "")
    for module in error_messages.modules_with_messages():
        for message in error_messages.messages(module):
            yield module, f"{message.problem}; {message.fix}"


@cache
def texts() -> list[tuple[str, str]]:
    return list(read_texts())


@pytest.mark.requirement("plain-words")
@pytest.mark.parametrize("pattern", INSTEAD)
def test_no_text_for_users_has_a_phrase_of_the_list(pattern: str) -> None:
    compiled = re.compile(pattern, re.IGNORECASE)
    found = [
        f"{name}: {text[max(0, hit.start() - 40) : hit.end() + 20]!r}; write {INSTEAD[pattern]}"
        for name, text in texts()
        for hit in compiled.finditer(text)
    ]
    assert found == []


@pytest.mark.requirement("plain-words")
def test_every_page_that_is_no_reference_speaks_to_the_reader() -> None:
    reference = {"decisions", "reference", "project"}
    silent = [
        page.name
        for page in PAGES
        if page.is_relative_to(ROOT / "docs")
        and not reference & set(page.parts)
        and page.name not in {"rules.md", "glossary.md", "index.md"}
        and not re.search(
            r"\byours?\b|\byou\b", CODE.sub("X", page.read_text(encoding="utf-8")), re.IGNORECASE
        )
    ]
    assert silent == []
