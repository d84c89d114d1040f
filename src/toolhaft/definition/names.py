"""Names of tools, hidden characters in texts, and names for each target.

Names and descriptions are read by a model and by a person who approves a call; a character that
one of them cannot see is a way to tell them different things.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from heapq import nsmallest
from itertools import islice
from math import nextafter
from types import MappingProxyType
from typing import Any, NamedTuple

__all__ = [
    "MOST_COMPARED",
    "NameIndex",
    "NameMap",
    "NameRule",
    "fold_name",
    "free_name",
    "hidden_character",
    "hidden_texts",
    "name_fault",
    "nearest",
    "nearest_few",
    "pad_name",
]
__all__ += ["escape_text", "strip_hidden"]

# ------------------------------------------------------------------------------- names


class NameRule(NamedTuple):
    """Which names a target takes: a class of characters, how many, and a class for the first."""

    characters: str
    most: int
    first: str = ""

    def takes(self, name: str) -> bool:
        """Whether a name can be sent as it is."""
        first = self.first and not re.match(self.first, name)
        return not first and re.fullmatch(f"{self.characters}{{1,{self.most}}}", name) is not None


OWN = NameRule("[A-Za-z0-9_-]", 64)
FOREIGN = NameRule("[A-Za-z0-9_./:-]", 128)


def name_fault(name: Any, *, own: bool) -> tuple[str, str] | None:
    """Return why a name is invalid for a tool, and how to correct it; None if it is valid.

    A tool that comes from elsewhere (`own=False`) may have dots, slashes and colons in its name.
    """
    rule, words = (OWN, "_ and -") if own else (FOREIGN, "_ . / : and -")
    fix = f"use 1 to {rule.most} letters, digits, {words}"
    if not isinstance(name, str) or not name:
        return "missing", fix
    if len(name) > rule.most:
        return f"longer than {rule.most} characters", fix
    if odd := re.search(f"(?!{rule.characters})(?s:.)", name):
        return f"holds {_character_name(odd[0])}", fix
    if ".." in name:
        return "holds two dots in a row", "remove one"
    if "__" in name and any(re.fullmatch("__.*__", part) for part in re.split("[./:]", name)):
        return "begins and ends with two underscores", "remove them"
    return None


def fold_name(name: str) -> str:
    """Return the form in which two names must differ (Unicode NFKC, then casefold).

    >>> fold_name("Get_Weather") == fold_name("get_weather")
    True
    """
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


MOST_COMPARED = 64
MOST_KNOWN = 1_000
MOST_MEASURED = 16
SIMILAR = 0.6
NEARLY = 1e-6  # less than what shares a character more or less differs by, and more than rounding


def free_name(name: str, used_names: Container[str]) -> str:
    """Return a name that is not used yet, with a number if it has to be changed.

    >>> free_name("City", ["City", "City_2"])
    'City_3'
    """
    free, number = name, 1
    while free in used_names:
        number += 1
        free = f"{name}_{number}"
    return free


def pad_name(name: str, used_names: Container[str]) -> str:
    """Return a name that is not used yet, with underscores behind it if it has to be changed.

    >>> pad_name("search", ["search", "search_"])
    'search__'
    """
    while name in used_names:
        name += "_"
    return name


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Guess which of the known names was meant, ignoring case; None if no name is close.

    The work is bounded: 64 characters of each of 1,000 names are compared.

    >>> nearest("get_wether", ["get_weather", "get_user"])
    'get_weather'
    """
    name = _folded(name)
    likely: list[tuple[float, str, str]] = []
    for candidate in islice(known, MOST_KNOWN):
        text = _folded(candidate)
        least = SIMILAR * (len(name) + len(text)) / 2
        if min(len(name), len(text)) >= least and (shared := _shared(text, name)) >= least:
            likely.append((-_ratio(shared, name, text), candidate, text))
    ranked = _rank(name, likely)
    difference, best = ranked[0] if ranked else (0.0, None)
    return best if -difference >= SIMILAR else None


class NameIndex:
    """Names, sorted, among which the nearest is looked for again and again, as `nearest` does.

    >>> NameIndex(["get_weather", "get_user"]).nearest("get_wether")
    'get_weather'
    """

    def __init__(self, known: Iterable[str]) -> None:
        self.names: list[str] = sorted(known)
        # Each letter has a bit, its second occurrence in a name another one, and so on.
        self._bits: dict[tuple[str, int], int] = {}
        # By their length: the letters of each name, and the name with what is compared of it.
        self._sizes: dict[int, tuple[list[int], list[tuple[str, str]]]] = {}
        for each in islice(self.names, MOST_KNOWN):
            text = _folded(each)
            letters, texts = self._sizes.setdefault(len(text), ([], []))
            letters.append(self._letters(text, is_known=True))
            texts.append((each, text))

    def _letters(self, text: str, *, is_known: bool = False) -> int:
        bits, letters, seen = self._bits, 0, dict[str, int]()
        for letter in text:
            seen[letter] = count = seen.get(letter, 0) + 1
            if is_known and (letter, count) not in bits:
                bits[letter, count] = 1 << len(bits)
            letters |= bits.get((letter, count), 0)
        return letters

    def nearest(self, name: str) -> str | None:
        """Guess which of the names was meant; see the function."""
        name = _folded(name)
        own, shared = self._letters(name), dict[int, list[int]]()
        for size, (letters, _) in self._sizes.items():
            if min(len(name), size) >= SIMILAR * (len(name) + size) / 2:
                shared[size] = [*map(int.bit_count, map(own.__and__, letters))]
        return _best(name, [*self._most_shared(name, shared)])

    def _most_shared(
        self, name: str, shared: dict[int, list[int]]
    ) -> Iterator[tuple[int, str, str]]:
        """Yield what shares as much as the few that share the most, and is similar enough."""
        most = sorted(
            count / (len(name) + size or 1)
            for size, counts in shared.items()
            for count in sorted(counts)[-MOST_MEASURED:]
            if count >= SIMILAR * (len(name) + size) / 2
        )[-MOST_MEASURED:]
        least = most[0] if len(most) == MOST_MEASURED else SIMILAR / 2
        for size, counts in shared.items():
            fewest, texts = least * (len(name) + size) - NEARLY, self._sizes[size][1]
            if max(counts) >= fewest:
                for place, count in enumerate(counts):
                    if count >= fewest:
                        yield count, *texts[place]


def nearest_few(name: str, known: Iterable[str]) -> list[str]:
    """Return up to 16 of the known names, the most similar first.

    >>> nearest_few("get_wether", ["delete", "get_user", "get_weather"])
    ['get_weather', 'get_user', 'delete']
    """
    name = _folded(name)
    texts = [(each, _folded(each)) for each in islice(known, MOST_KNOWN)]
    likely = [(-_ratio(_shared(text, name), name, text), each, text) for each, text in texts]
    return [candidate for _, candidate in _rank(name, likely)]


def _folded(name: str) -> str:
    return name[:MOST_COMPARED].casefold()


def _likeliest(name: str, shared: list[tuple[int, str, str]]) -> list[tuple[float, str, str]]:
    """Return the few that may be the most alike, best first: they share the most characters."""
    likely = ((-_ratio(count, name, text), each, text) for count, each, text in shared)
    return nsmallest(MOST_MEASURED, likely)


def _best(name: str, shared: list[tuple[int, str, str]]) -> str | None:
    """Return the most alike, if it is similar; texts that cannot be are not measured."""
    best, places = (nextafter(-SIMILAR, 0), ""), _places(name)
    for likely in _likeliest(name, shared):
        if likely[:2] > best:
            break
        _, each, text = likely
        if (-_ratio(_in_order(text, places), name, text), each) <= best:
            best = min(best, *_rank(name, [likely]))
    return best[1] if best[0] <= -SIMILAR else None


def _rank(name: str, likely: list[tuple[float, str, str]]) -> list[tuple[float, str]]:
    """Measure the likeliest candidates by their longest runs; the most alike comes first."""
    return sorted(
        (-_ratio(_matched(text, name), name, text), candidate)
        for _, candidate, text in sorted(likely)[:MOST_MEASURED]
    )


def _ratio(matched: int, name: str, other: str) -> float:
    """Return how much of two texts is the same, from 0 to 1."""
    return 2 * matched / (len(name) + len(other)) if name or other else 1.0


def _shared(left: str, right: str) -> int:
    """Count the characters that two texts have in common, wherever they stand."""
    remaining = right
    for character in left:
        if character in remaining:
            remaining = remaining.replace(character, "", 1)
    return len(right) - len(remaining)


def _places(text: str) -> dict[str, int]:
    """Return the places of each character as bits."""
    places: dict[str, int] = {}
    for place, character in enumerate(text):
        places[character] = places.get(character, 0) | 1 << place
    return places


def _in_order(text: str, places: dict[str, int]) -> int:
    """Count the characters of the longest subsequence that is in both texts (Hyyrö, 2004).

    No runs that follow each other in both texts have more.
    """
    whole = (1 << sum(map(int.bit_count, places.values()))) - 1
    row = whole
    for character in text:
        matches = row & places.get(character, 0)
        row = (row + matches | row - matches) & whole
    return (whole ^ row).bit_count()


def _matched(left: str, right: str) -> int:
    """Count the characters in the longest run that two texts share, and left and right of it.

    It is what difflib's SequenceMatcher finds (Ratcliff and Obershelp), for short texts sooner.
    """
    size, start, place = _longest_run(left, right)
    count = size
    if start and place:
        count += _matched(left[:start], right[:place])
    if size and start + size < len(left) and place + size < len(right):
        count += _matched(left[start + size :], right[place + size :])
    return count


def _longest_run(left: str, right: str) -> tuple[int, int, int]:
    """Find the longest text that is in both, the first one: its length, and where it stands."""
    run = (0, 0, 0)
    shortest, longest = 0, min(len(left), len(right))
    while shortest < longest:
        size = (shortest + longest + 1) // 2
        for start in range(len(left) - size + 1):
            place = right.find(left[start : start + size])
            if place >= 0:
                shortest, run = size, (size, start, place)
                break
        else:
            longest = size - 1
    return run


# ------------------------------------------------------------------------------- names for a target


class NameMap:
    """Names as a target takes them, and back: the same in every process and every order.

    A name that the target takes stays as it is. In other names each rejected character becomes an
    underscore; if the result is too long, or reads the same as another name, it ends in eight
    digits of the SHA-256 of the name. Raises ValueError if even that is impossible: a rule needs
    room for ten characters, and letters, digits and the underscore among them.

    >>> NameMap(["geo.find", "geo_find"], NameRule("[A-Za-z0-9_-]", 64)).wires["geo.find"]
    'geo_find_980e3b05'
    """

    __slots__ = ("originals", "wires")

    wires: Mapping[str, str]
    originals: Mapping[str, str]

    def __init__(self, names: Iterable[str], rule: NameRule) -> None:
        names = sorted(set(names))
        wires = _wires(names, rule)
        if len(wires) < len(names):
            raise ValueError(f"{len(names) - len(wires)} names cannot be written as {rule}")
        self.wires = MappingProxyType(wires)
        self.originals = MappingProxyType({wire: name for name, wire in wires.items()})


MOST_ATTEMPTS = 4
DIGITS = 8


def _wires(names: Iterable[str], rule: NameRule) -> dict[str, str]:
    wires = {name: name for name in names if rule.takes(name)}
    for attempt in range(MOST_ATTEMPTS):
        fitted = {name: _fit_name(name, rule, attempt) for name in names if name not in wires}
        claims = Counter(map(fold_name, [*wires.values(), *fitted.values()]))
        wires |= {
            name: wire
            for name, wire in fitted.items()
            if claims[fold_name(wire)] == 1 and rule.takes(wire)
        }
    return wires


def _fit_name(name: str, rule: NameRule, attempt: int) -> str:
    """Make a name fit a rule: first by underscores alone, then by digits of a hash too."""
    clean = re.sub(f"(?!{rule.characters})(?s:.)", "_", name)
    if attempt:
        from hashlib import sha256  # only a long name or a collision needs it

        seed = name if attempt == 1 else f"{name}\0{attempt}"
        digest = sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
        room = rule.most - DIGITS - 2
        # the end of a long name says more than its beginning, which is often a prefix
        clean = f"{clean[max(len(clean) - room, 0) :]}_{digest}"
    return f"_{clean}" if rule.first and not re.match(rule.first, clean) else clean


# ------------------------------------------------------------------------------- hidden characters

# Unicode 16.0: Default_Ignorable_Code_Point, the format controls of hieroglyphs, Zl and Zp, the
# symbols that are blank, the controls and the surrogates.
_UNSEEN = {
    "control": r"\x00-\x08\x0b-\x1f\x7f-\x9f",
    "tag": r"\U000e0000-\U000e007f",
    "bidirectional": r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "surrogate": r"\ud800-\udfff",
    "zero-width": r"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065"
    r"\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e0fff",
    "separator": r"\u2028\u2029",
    "blank": r"\u2800\U0001d159",
}
# The longest run in the descriptions of 3,800 real tools is 50.
MOST_PADDING = 200
PADDING = rf"\s{{{MOST_PADDING + 1},}}"
_PAD = " " * (MOST_PADDING + 1)
_HIDDEN = f"[{''.join(_UNSEEN.values())}]"
_ESCAPED = f"[\\n\\t{''.join(_UNSEEN.values())}]"


def hidden_character(text: str) -> str | None:
    """Name the first thing in a text that a reader cannot see, or return None.

    Line ends and tabs do not count. A joiner (U+200C, U+200D) and a variation selector are allowed
    if a script or an emoji needs them (RFC 5892, A.1 and A.2; UTS #51).

    >>> hidden_character("weather\u200b")
    'a zero-width character (U+200B ZERO WIDTH SPACE)'
    """
    line = text.replace("\n", " ").replace("\t", " ")
    if line.isascii() and line.isprintable() and _PAD not in line:  # as most texts, at once
        return None
    for match in re.finditer(_HIDDEN, text):
        if not _is_needed(text, match.start()):
            kind = next(
                kind
                for kind, characters in _UNSEEN.items()
                if re.match(f"[{characters}]", match[0])
            )
            return f"a {kind} character ({_character_name(match[0])})"
    padding = re.search(PADDING, text)
    return f"{len(padding[0]):,} spaces in a row, which hide what follows" if padding else None


def hidden_texts(data: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Find the keys and strings of JSON data that hold what a reader cannot see, and name it.

    >>> list(hidden_texts({"enum": ["a", "b\u200b"]}))
    [(('enum', 1), 'a zero-width character (U+200B ZERO WIDTH SPACE)')]
    """
    texts: list[tuple[tuple[str | int, ...], str]] = []
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    while waiting:
        steps, part = waiting.pop()
        if isinstance(part, str):
            texts.append((steps, part))
        elif isinstance(part, dict):
            texts += [((*steps, key), key) for key in part]
            waiting += [((*steps, key), value) for key, value in part.items()]
        elif isinstance(part, list):
            waiting += [((*steps, index), value) for index, value in enumerate(part)]
    # Most data hide nothing, which one look shows.
    if hidden_character(" ".join([text for _, text in texts])) is not None:
        found = ((steps, hidden_character(text)) for steps, text in texts)
        yield from ((steps, hidden) for steps, hidden in found if hidden is not None)


def strip_hidden(text: str) -> str:
    r"""Remove invisible characters; a character that looks like a line end or a space becomes one.

    >>> strip_hidden("Weather\u200b\u2028of a\u2800city")
    'Weather\nof a city'
    """
    while hidden_character(text) is not None:
        text = "".join(
            SEEN.get(character, "")
            if re.match(_HIDDEN, character) and not _is_needed(text, at)
            else character
            for at, character in enumerate(text)
        )
        text = re.sub(PADDING, lambda found: "\n" if "\n" in found[0] else " ", text)
    return text


MOST_SHOWN = 100


def escape_text(text: str, limit: int = MOST_SHOWN) -> str:
    r"""Write a text on one line, hidden characters escaped, in at most `limit` characters.

    >>> escape_text("city\x1b[8m\n")
    'city\\x1b[8m\\n'
    """
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text

    def escaped(found: re.Match[str]) -> str:
        if found[0] in JOINERS + SELECTORS and _is_needed(text, found.start()):
            return found[0]
        return found[0].encode("unicode_escape").decode()

    written = re.sub(_ESCAPED, escaped, text[: limit + 1])
    return written if len(written) <= limit else f"{written[: limit - 1]}…"


def escape_json(text: str) -> str:
    r"""Escape in a text of JSON what a reader cannot see; it stays the same JSON.

    >>> print(escape_json('{"city": "Par\u202eis \U000e0061"}'))
    {"city": "Par\u202eis \udb40\udc61"}
    """
    if text.isascii() and "\x7f" not in text:
        return text  # jsontext and json have escaped the other controls
    return re.sub(_ESCAPED, lambda found: _json_escape(found[0]), text)


def _json_escape(character: str) -> str:
    if character in "\r\n\t":
        return character  # it stands between tokens
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _character_name(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


SEEN = {"\u2028": "\n", "\u2029": "\n", "\u2800": " "}
JOINERS, SELECTORS, KEYCAP = "\u200c\u200d", "\ufe0e\ufe0f", "\u20e3"
EMOJI_THAT_ARE_NO_SYMBOLS = "\u203c\u2049\u2139\u3030\u303d"
# Living scripts whose letters join (ArabicShaping.txt, Joining_Type D), by their names' first word.
CURSIVE = {"ADLAM", "ARABIC", "HANIFI", "MANDAIC", "MONGOLIAN", "NKO", "PHAGS-PA", "SYRIAC"}
VIRAMA = 9


def _is_needed(text: str, at: int) -> bool:
    """Return whether a line end, a script or an emoji needs the hidden character at a place."""
    character, before, after = text[at], text[max(0, at - 4) : at], text[at + 1 : at + 2]
    if character == "\r":
        return after == "\n"
    if character in SELECTORS:
        return after == KEYCAP or _is_symbol(before[-1:])
    if character not in JOINERS:
        return False
    if VIRAMA in map(unicodedata.combining, before[-1:] + after):
        return True
    marks = "".join(mark for mark in before if unicodedata.combining(mark)) + SELECTORS
    base = before.rstrip(marks)[-1:]
    cursive = base.isalpha() and unicodedata.name(base, "").partition(" ")[0] in CURSIVE
    return cursive or (_is_symbol(base) and _is_symbol(after) and character == JOINERS[1])


def _is_symbol(character: str) -> bool:
    """Whether a character may be an emoji, or part of one."""
    return bool(character) and (
        "\u2190" <= character <= "\u25ff"
        or "\U0001f000" <= character <= "\U0001faff"
        or character in EMOJI_THAT_ARE_NO_SYMBOLS
        or (not character.isascii() and unicodedata.category(character) == "So")
    )
