"""How far estimates of tokens are from OpenAI's tokenizer, and what deferred tools save.

    make bench-search        (in an environment of its own)

The tools are those of `search.py`. bpe-openai has the vocabularies in its package. Each error is a
share of the tokenizer's own count.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from search import read_catalogue

from toolhaft import Toolset, from_json
from toolhaft.toolset.token_estimate import estimate_tokens

ENCODINGS = ("o200k_base", "cl100k_base")
TARGETS = ("openai", "anthropic", "gemini", "openai-chat")
FIELDS = ("name", "description", "inputSchema")


def main() -> None:
    """Print the errors, and the tokens of all tools on four targets, deferred and not."""
    tools = list(read_catalogue().values())
    declared = [{key: tool[key] for key in FIELDS if key in tool} for tool in tools]
    texts = [json.dumps(each, separators=(",", ":"), ensure_ascii=False) for each in declared]
    for name in ENCODINGS:
        encoding: Any = import_module("bpe_openai").get_encoding(name)
        # The weights were fitted to tools at even places.
        counts = [(estimate_tokens(text), len(encoding.encode(text))) for text in texts[1::2]]
        errors = sorted(abs(estimate - count) / count for estimate, count in counts)
        in_all = sum(each[0] for each in counts) / sum(each[1] for each in counts) - 1
        median, most = errors[len(errors) // 2], errors[len(errors) * 95 // 100]
        print(f"{name}: median {median:.1%}, 95th percentile {most:.1%}, in all {in_all:+.1%}")
    plain = from_json(declared)
    deferred = Toolset(plain, defer=True)
    for target in TARGETS:
        before = plain.estimate_tokens(target).total
        print(f"{target}: {before:,} tokens, {deferred.estimate_tokens(target).total:,} deferred")


if __name__ == "__main__":
    main()
