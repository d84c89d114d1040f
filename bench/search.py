"""Side by side: the local search, FastMCP's BM25 and Pydantic AI's search, on the same requests.

    make bench-search        (in an environment of its own)

The catalogue is every tool of ../shared/data under its name: tools of MCP servers, and the tools
that recorded calls were meant for. No query shares a word with the name of its tool. There are
three kinds: words of the parameters' descriptions, the first sentence of the description in other
words, and the requests of `search_requests.txt`, which people would write; the later ones were
written after the search had its synonyms. Recall at n is the share
of queries whose tool is among the first n.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "shared" / "data"
FILES = ("tools_mcp", "tools_for_calls")
REQUESTS = HERE / "search_requests.txt"
NOTHING = {"type": "object", "properties": {}}
DRAWN = 600
DEPTHS = (1, 3, 5, 10)
# As many letters tell whether two words are one: no stemmer of a competitor decides that.
SAME = 4
FEWEST, MOST = 4, 12
FILLERS = {
    "a", "an", "and", "are", "as", "be", "by", "can", "for", "from", "if", "in", "into", "is",
    "it", "its", "of", "on", "or", "such", "that", "the", "this", "to", "what", "when", "where",
    "whether", "which", "will", "with",
}  # fmt: skip
OTHER_WORDS = {
    "get": "show", "gets": "shows", "retrieve": "look up", "retrieves": "looks up",
    "fetch": "load", "fetches": "loads", "find": "locate", "finds": "locates",
    "search": "look for", "list": "enumerate", "lists": "enumerates", "create": "make",
    "creates": "makes", "delete": "erase", "remove": "take away", "update": "change",
    "updates": "changes", "calculate": "work out", "calculates": "works out",
    "compute": "work out", "generate": "produce", "given": "from", "specific": "certain",
    "specified": "certain", "details": "particulars", "information": "facts", "returns": "gives",
    "return": "give", "based": "depending", "using": "by means of", "current": "present",
    "number": "count", "allows": "lets", "users": "people", "user": "person",
}  # fmt: skip


class Query(NamedTuple):
    """A query, and the tools that answer it."""

    text: str
    answers: frozenset[str]


def read_catalogue() -> dict[str, dict[str, Any]]:
    """Read the recorded tools, the first of each name in any case."""
    tools: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    for file in FILES:
        with gzip.open(DATA / f"{file}.jsonl.gz", "rt") as lines:
            for line in lines:
                tool = json.loads(line)
                if tool["name"].casefold() not in seen:
                    seen.add(tool["name"].casefold())
                    tool["inputSchema"] = tool["inputSchema"] or NOTHING
                    tools[tool["name"]] = tool
    return tools


def read_requests() -> dict[str, list[Query]]:
    """Read the requests that were written by hand, before and after the search's synonyms."""
    kinds: dict[str, list[Query]] = {"requests": [], "later": []}
    kind = "requests"
    for line in REQUESTS.read_text().splitlines():
        if not line.startswith("#"):
            text, names = line.split(" | ")
            kinds[kind].append(Query(text, frozenset(names.split(", "))))
        else:
            kind = "later" if "after the synonyms" in line else "requests"
    return kinds


def from_parameters(tools: dict[str, dict[str, Any]], random: Random) -> Iterator[Query]:
    """Make queries of words of the parameters' descriptions."""
    for name, tool in tools.items():
        properties = tool["inputSchema"].get("properties") or {}
        texts = [part.get("description") for part in properties.values() if isinstance(part, dict)]
        words = [word for text in texts if text for word in words_beside(name, text)]
        if len(words) >= FEWEST:
            start = random.randrange(max(len(words) - MOST, 0) + 1)
            yield Query(" ".join(words[start : start + MOST]), frozenset({name}))


def from_descriptions(tools: dict[str, dict[str, Any]], random: Random) -> Iterator[Query]:
    """Make queries of the first sentence of a description, in other words and another order."""
    for name, tool in tools.items():
        description = tool.get("description") or ""
        for frame in ("Tool description:", "system,"):  # BFCL's own introduction
            description = description.rpartition(frame)[2]
        first = re.split(r"[.\n]", description.strip())[0]
        words = [OTHER_WORDS.get(word, word) for word in words_beside(name, first)]
        if len(words) >= FEWEST:
            words = words[:MOST]
            random.shuffle(words)
            yield Query(" ".join(words), frozenset({name}))


def words_beside(name: str, text: str) -> list[str]:
    """Return the words of a text that the name does not have, without fillers."""
    named = {word[:SAME] for word in _split(re.sub(r"([a-z])([A-Z])", r"\1 \2", name))}
    words = (word for word in _split(text) if word not in FILLERS)
    return [word for word in words if word[:SAME] not in named]


def _split(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def draw_queries(tools: dict[str, dict[str, Any]]) -> dict[str, list[Query]]:
    """Make the queries of every kind, the same in every run."""
    random = Random(33)  # noqa: S311  the same queries in every run
    made = {
        "parameters": list(from_parameters(tools, random)),
        "paraphrases": list(from_descriptions(tools, random)),
    }
    drawn = {
        kind: random.sample(queries, min(DRAWN, len(queries))) for kind, queries in made.items()
    }
    return drawn | read_requests()


Search = Callable[[str], list[str]]


def toolhaft_search(tools: dict[str, dict[str, Any]]) -> Search:
    """Search by toolhaft."""
    from toolhaft import from_json

    declared = [
        {key: tool[key] for key in ("name", "description", "inputSchema") if key in tool}
        for tool in tools.values()
    ]
    toolset = from_json(declared, call=_run_nothing)
    return lambda query: [tool.name for tool in toolset.search(query, limit=10)]


def _run_nothing(name: str, arguments: object) -> None:
    del name, arguments


def fastmcp_search(tools: dict[str, dict[str, Any]]) -> Search:
    """Search by FastMCP's BM25."""
    module = import_module("fastmcp.server.transforms.search.bm25")
    Tool = import_module("fastmcp.tools.base").Tool  # noqa: N806  a class

    made = [
        Tool(name=name, description=tool.get("description"), parameters=tool["inputSchema"])
        for name, tool in tools.items()
    ]
    transform = module.BM25SearchTransform(max_results=10)
    # There is no public search. Its digest of the catalogue is not taken for each query.
    asyncio.run(transform._search(made, "first"))
    index, names = transform._index, transform._indexed_names
    return lambda query: [names[place] for place in index.query(query, 10)]


def pydantic_ai_search(tools: dict[str, dict[str, Any]]) -> Search:
    """Search by the function that Pydantic AI searches with where the provider does not."""
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets._tool_search import keywords_search_fn

    made = [
        ToolDefinition(
            name=name,
            description=tool.get("description"),
            parameters_json_schema=tool["inputSchema"],
        )
        for name, tool in tools.items()
    ]
    context: Any = None
    return lambda query: keywords_search_fn(context, [query], made)[:10]


PEERS = {
    "toolhaft": toolhaft_search,
    "FastMCP": fastmcp_search,
    "Pydantic AI": pydantic_ai_search,
}


def recall(search: Search, queries: list[Query]) -> list[float]:
    """Return the recall at each depth."""
    found = [(query.answers, search(query.text)) for query in queries]
    return [
        sum(not answers.isdisjoint(names[:depth]) for answers, names in found) / len(found)
        for depth in DEPTHS
    ]


def main() -> None:
    """Print the recall of every search on every kind of query."""
    tools = read_catalogue()
    kinds = draw_queries(tools)
    print(f"{len(tools)} tools; recall at {', '.join(map(str, DEPTHS))}")
    for name, peer in PEERS.items():
        search = peer(tools)
        for kind, queries in kinds.items():
            shares = "  ".join(f"{share:.3f}" for share in recall(search, queries))
            print(f"{name:12} {kind:12} {len(queries):4} queries   {shares}")


if __name__ == "__main__":
    main()
