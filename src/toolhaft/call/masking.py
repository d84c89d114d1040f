"""Mask data that a model sent in an author's own messages, and keep the author's words.

A word of a message stays if it is not in the data, or if it is also in the schema, in the
description or in the author's code that raised. If that is unclear, it is hidden. A value that a
validator wrote in another form, without its dashes, in groups or in another base, is recognised by
six of its letters and digits in a row.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from types import CodeType
from typing import Any, Final
from unicodedata import combining, decimal, normalize

from toolhaft.schema.document.walk import walk_schemas
from toolhaft.schema.issues import reword_issue
from toolhaft.spec import Issue

__all__ = ["literal_words", "mask_issues", "words_of"]

# Characters of a message that are read: a model sees a hundred.
MOST_CHARS: Final = 300
# A part of a text that is at least so long is known again in a message.
FEWEST_PART: Final = 3
# So many letters and digits in a row that a word shares with a value tell that it is one.
FEWEST_SHARED: Final = 6
# Words of at most so many characters may be the groups of one value: 4111 1111 1111 1111.
LONGEST_GROUP: Final = 4
# Numbers that are recognised in other bases: smaller ones have too few digits to be distinctive.
LEAST_NUMBER: Final = 1 << 20
MOST_DIGITS: Final = 100
BASES: Final = "dxob"
MOST_ERRORS: Final = 50
_NUMBER: Final = re.compile(r"[0-9]+")
_WORD: Final = re.compile(r"\w+")
_MARKS: Final = re.compile(r"[\W_]+")
_MASKS: Final = re.compile(r"…(?:[\W_]{0,4}…)+")
OURS: Final = __name__.partition(".")[0]
ANNOTATIONS: Final = ("title", "description", "const", "default")


def mask_issues(
    issues: Sequence[Issue], data: Any, known: frozenset[str], *, authored: bool = False
) -> list[Issue]:
    """Mask the data in the messages that an author wrote: custom ones, or all where `authored`.

    `known` are the words that may stand in a message although the data have them too.

    >>> [issue] = mask_issues([Issue("'x9' is taken")], {"id": "x9"}, frozenset())
    >>> issue.message
    "'…' is taken"
    """
    if not authored and all(issue.code != "custom" for issue in issues):
        return list(issues)
    data_words = _DataWords(data, known)
    return [
        reword_issue(issue, data_words.mask(issue.message))
        if authored or issue.code == "custom"
        else issue
        for issue in issues
    ]


class _DataWords:
    """The texts of some data, as a message may quote them, whole or in part."""

    def __init__(self, data: Any, known: frozenset[str]) -> None:
        self.known = known
        self.parts = list(_parts(data))
        self.texts = {text for part in self.parts for text in _texts(part)}

    def mask(self, message: str) -> str:
        """Replace each word that came with the data by a mark."""
        message = normalize("NFC", message[:MOST_CHARS])
        folded = message.casefold()
        if len(folded) == len(message):  # else places would not be the same
            quoted = [text for text in self.texts if text in folded]
            for text in sorted(quoted, key=len, reverse=True):
                is_telling = len(text) >= FEWEST_PART or not text.isalnum()
                if is_telling and not self.is_known(text):
                    message = re.sub(re.escape(text), "…", message, flags=re.IGNORECASE)
        if not self.is_known(message):
            message = _WORD.sub(self._mask_word, self._mask_reformatted(message))
        return _MASKS.sub("…", message)

    def _mask_word(self, match: re.Match[str]) -> str:
        word = match[0].casefold()
        if word in self.known:
            return match[0]
        is_part = len(word) >= FEWEST_PART and word in self.all_texts
        return "…" if is_part or word in self.texts or word in self.numbers else match[0]

    def _mask_reformatted(self, message: str) -> str:
        """Replace words that share enough letters and digits in a row with a value."""
        found = {match for words in self._groups(message) for match in self._shared(words)}
        for match in sorted(found, key=lambda match: match.start(), reverse=True):
            message = f"{message[: match.start()]}…{message[match.end() :]}"
        return message

    def _groups(self, message: str) -> list[list[re.Match[str]]]:
        """Return the unknown words, grouped if they may be one value together."""
        groups: list[list[re.Match[str]]] = [[]]
        for match in _WORD.finditer(message):
            is_group = len(match[0]) <= LONGEST_GROUP
            if match[0].casefold() in self.known:
                groups.append([])
            elif is_group:
                groups[-1].append(match)
            else:
                groups += [[match], []]
        return groups

    def _shared(self, words: list[re.Match[str]]) -> Iterator[re.Match[str]]:
        letters = [(letter, match) for match in words for letter in _letters(match[0])]
        text = "".join(letter for letter, _ in letters)
        for start in range(len(text) - FEWEST_SHARED + 1):
            if text[start : start + FEWEST_SHARED] in self.all_letters:
                yield from (match for _, match in letters[start : start + FEWEST_SHARED])

    @cached_property
    def all_texts(self) -> str:
        return "\n".join(self.texts)

    @cached_property
    def numbers(self) -> set[str]:
        """The digits of the texts that are numbers."""
        return {
            digits for text in self.texts if _is_number(text) for digits in _NUMBER.findall(text)
        }

    @cached_property
    def all_letters(self) -> str:
        """The letters and digits of each text, and of it in other bases, in lines."""
        lines = {*map(_letters, self.texts)}
        lines.update(form for part in self.parts for form in _other_bases(part))
        return "\n".join(lines)

    def is_known(self, text: str) -> bool:
        """Whether all words of a text are known."""
        return all(word.casefold() in self.known for word in _WORD.findall(text))


def _letters(text: str) -> str:
    """Return the letters and digits of a text, without case and accents, digits in ASCII."""
    if not text.isascii():
        folded = (letter for letter in normalize("NFKD", text) if not combining(letter))
        text = "".join(str(decimal(letter, letter)) for letter in folded)
    return _MARKS.sub("", text).casefold()


def _other_bases(part: Any) -> Iterator[str]:
    """Yield the bytes of a text in base 16 and 64, and a number in the bases that programs use.

    >>> [*_other_bases(0xC0FFEE)]
    ['12648430', 'c0ffee', '60177756', '110000001111111111101110']
    """
    if isinstance(part, str):
        encoded = part.encode(errors="surrogatepass")
        yield encoded.hex()
        yield _letters(b64encode(encoded).decode())
    elif isinstance(part, float):
        yield _letters(f"{part:f}")
    numbers = _numbers_in(part)
    yield from (format(n, base) for n in numbers if n >= LEAST_NUMBER for base in BASES)


def _numbers_in(part: Any) -> Iterator[int]:
    """Yield the whole numbers that a part may be read as; the digits of a text in either base."""
    digits = _letters(str(part)).removeprefix("0x")
    if len(digits) <= MOST_DIGITS:
        for base in (10, 16) if isinstance(part, str) else (10,):
            with suppress(ValueError):
                yield int(digits, base)


def _is_number(text: str) -> bool:
    return text[-1:].isdigit() and text.lstrip("-")[:1].isdigit()


def _parts(value: Any) -> Iterator[Any]:
    """Yield every key and every scalar of the data, except null and booleans."""
    queue = [value]
    while queue:
        part = queue.pop()
        if isinstance(part, dict):
            queue += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            queue += part
        elif part is not None and not isinstance(part, bool):
            yield part


def _texts(part: Any) -> set[str]:
    """Return every text that a part could be quoted as, without case."""
    text = normalize("NFC", str(part)).casefold()
    return (
        {text, text.strip(), repr(part)[1:-1].casefold()} - {""}
        if isinstance(part, str)
        else {text}
    )


def words_of(schema: Any, *texts: str) -> frozenset[str]:
    """Return the words of a schema, of its descriptions, and of further texts.

    >>> sorted(words_of({"properties": {"start": {"title": "First day"}}}, "Book a room."))
    ['a', 'book', 'day', 'first', 'room', 'start']
    """
    known_texts = list(texts)
    for _, node in walk_schemas(schema):
        if isinstance(node, dict):
            known_texts += node.get("properties", ())
            known_texts += node.get("required", ())
            known_texts += [text for word in ANNOTATIONS if isinstance(text := node.get(word), str)]
            known_texts += [text for text in node.get("enum", ()) if isinstance(text, str)]
            known_texts += [str(limit) for limit in node.values() if type(limit) in (int, float)]
    return _words_in(known_texts)


def literal_words(error: BaseException) -> frozenset[str]:
    """Return the words of the texts in the code which raised an error."""
    texts = [text for code in _codes(error) for text in _texts_in(code.co_consts)]
    return _words_of_code(tuple(texts))


@lru_cache(maxsize=256)
def _words_of_code(texts: tuple[str, ...]) -> frozenset[str]:
    return _words_in(texts)


def _words_in(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word.casefold() for text in texts for word in _WORD.findall(text))


def _codes(error: BaseException) -> Iterator[CodeType]:
    for raised in _raised(error):
        trace = raised.__traceback__
        while trace is not None:
            frame, trace = trace.tb_frame, trace.tb_next
            if not str(frame.f_globals.get("__name__")).startswith(f"{OURS}."):
                yield frame.f_code


def _texts_in(constants: Iterable[Any]) -> Iterator[str]:
    for value in constants:
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from _texts_in(value)


def _raised(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, also the ones that pydantic keeps in its own."""
    queue: list[Any] = [error]
    seen: set[int] = set()
    while queue and len(seen) < MOST_ERRORS:
        raised = queue.pop()
        if not isinstance(raised, BaseException) or id(raised) in seen:
            continue
        seen.add(id(raised))
        yield raised
        queue += [raised.__cause__, raised.__context__, *getattr(raised, "exceptions", ())]
        queue += _inner_errors(raised)


def _inner_errors(error: Any) -> list[Any]:
    """Return the exceptions that a validation error lists as `errors()`, as pydantic's does."""
    try:
        errors = getattr(error, "errors", None)
        listed = () if errors is None else errors(include_url=False, include_input=False)
        return [entry["ctx"]["error"] for entry in listed if "error" in entry.get("ctx", ())]
    except Exception:  # noqa: BLE001 - a foreign object, of any shape
        return []
