"""The local search: BM25 over the texts of tools, with other forms of words and synonyms.

After Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). A
word counts by how rare it is and by how often a tool has it, and less in long tools. It is counted
among the tools that the caller may see, so that hidden ones change no result. `bench/search.py` has
the figures by which the numbers here were chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from heapq import nsmallest
from math import log
from typing import Any, Final, NamedTuple

from toolhaft.definition.call_info import ORIGINS
from toolhaft.discovery.words import read_words, stem
from toolhaft.errors import ToolhaftError
from toolhaft.tools.tool import AnyTool

__all__ = ["ToolIndex", "check_search"]

# How soon more of a word count no more, and how much the length of a tool counts.
_K1: Final = 1.0
_B: Final = 0.85
# How much another form of a word counts, and a word that means the same.
_FORM: Final = 0.4
_SYNONYM: Final = 0.4
# How much a word that is in any text counts; a few tools tell nothing about how rare it is.
_FILLER: Final = 0.2
_FILLERS: Final = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "i", "in", "is",
        "it", "me", "my", "of", "on", "or", "our", "that", "the", "this", "to", "we", "with", "you",
    }
)  # fmt: skip
# Nodes of one schema that are read, and words of one query.
_MOST_NODES: Final = 500
_MOST_WORDS: Final = 100


def check_search(query: object, limit: object, caller: object) -> None:
    """Check the arguments of `Toolset.search`.

    Raises:
        ToolhaftError: names the argument that is of another kind.
    """
    if not isinstance(query, str):
        raise ToolhaftError("search: query: not text; pass a str")
    if type(limit) is not int:
        raise ToolhaftError("search: limit: not a whole number; pass one")
    if not (isinstance(caller, str) and caller in ORIGINS):
        known = ", ".join(sorted(ORIGINS))
        raise ToolhaftError(f"search: caller: invalid value; use one of {known}")


class _Words(NamedTuple):
    """How often each tool has a word, the words of each stem, and how many words a tool has."""

    places: dict[str, dict[str, int]]
    forms: dict[str, set[str]]
    lengths: dict[str, int]


class ToolIndex:
    """The words of tools, read at the first search."""

    __slots__ = ("_known", "_tools")

    def __init__(self, tools: Mapping[str, AnyTool]) -> None:
        self._tools = tools
        self._known: _Words | None = None

    def search(self, query: str, among: Collection[str], limit: int) -> list[str]:
        """Return the names of the tools that fit a query, the best first.

        Args:
            query: What the tool should do, in any words.
            among: The names of the tools that may be found.
            limit: How many names are returned at most.
        """
        if self._known is None:
            self._known = _read_tools(self._tools)
        known, allowed = self._known, frozenset(among) & self._known.lengths.keys()
        scores: Counter[str] = Counter()
        if allowed:
            average = sum(map(known.lengths.__getitem__, allowed)) / len(allowed) or 1.0
            words = list(dict.fromkeys(read_words(query)))[:_MOST_WORDS]
            telling = [word for word in words if word not in _FILLERS] or words
            for word in telling:
                scores.update(_score(known, word, allowed, average))
            for word in (word for word in words if word not in telling):  # they find nothing more
                counts = _score(known, word, allowed, average)
                scores.update({name: counts[name] for name in counts.keys() & scores.keys()})
        return nsmallest(max(limit, 0), scores, key=lambda name: (-scores[name], name))


def _score(known: _Words, word: str, allowed: frozenset[str], average: float) -> dict[str, float]:
    """Return how much a word of a query counts for each tool: as much as its best variant."""
    best: dict[str, float] = {}
    for variant, share in _variants(known, word).items():
        places = known.places[variant]
        found = [name for name in places if name in allowed]
        rarity = share * log(1 + (len(allowed) - len(found) + 0.5) / (len(found) + 0.5))
        for name in found:
            length = 1 - _B + _B * known.lengths[name] / average
            score = rarity * places[name] * (_K1 + 1) / (places[name] + _K1 * length)
            best[name] = max(best.get(name, 0.0), score)
    return best


def _variants(known: _Words, word: str) -> dict[str, float]:
    """Return the known words that a word may stand for, each with how much it counts."""
    from toolhaft.discovery.thesaurus import SYNONYMS  # read at the first search

    if word in _FILLERS:
        return {word: _FILLER} if word in known.places else {}

    root = stem(word)
    synonyms = (form for other in SYNONYMS.get(root, ()) for form in known.forms.get(other, ()))
    variants = dict.fromkeys(synonyms, _SYNONYM)
    variants |= dict.fromkeys(known.forms.get(root, ()), _FORM)
    return variants | ({word: 1.0} if word in known.places else {})


def _read_tools(tools: Mapping[str, AnyTool]) -> _Words:
    known = _Words({}, {}, {})
    for name, tool in tools.items():
        words = Counter(word for text in _texts(tool) for word in read_words(text))
        for word, count in words.items():
            known.places.setdefault(word, {})[name] = count
        known.lengths[name] = words.total()
    for word in known.places:
        known.forms.setdefault(stem(word), set()).add(word)
    return known


def _texts(tool: AnyTool) -> Iterator[str]:
    yield tool.name
    yield tool.title or ""
    yield tool.description
    yield from _schema_texts(tool.input_schema.json_schema())


def _schema_texts(schema: Any) -> Iterator[str]:
    """Yield the names, descriptions and listed values of the parameters of a schema, nested too."""
    waiting, read = [schema], 0
    while waiting and read < _MOST_NODES:
        node, read = waiting.pop(), read + 1
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            yield from _node_texts(node)
            waiting += _children(node)


def _node_texts(node: dict[str, Any]) -> Iterator[str]:
    properties, values = node.get("properties"), node.get("enum")
    yield from properties if isinstance(properties, dict) else ()
    texts = [node.get("description"), *(values if isinstance(values, list) else ())]
    yield from (text for text in texts if isinstance(text, str))


def _children(node: dict[str, Any]) -> Iterator[Any]:
    for key in ("properties", "$defs"):
        if isinstance(node.get(key), dict):
            yield from node[key].values()
    yield from (node[key] for key in ("items", "anyOf", "oneOf", "allOf") if key in node)
