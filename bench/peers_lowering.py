"""Side by side: how many valid values the transformers of other libraries leave expressible.

    make peers        (in an environment of its own, constraints/peers.txt)

For each schema, each library writes what it would send to a provider. A schema that it refuses, or
that the linter of the target refuses, carries no value. Of the others, a valid value is reached if
the written schema accepts it as it stands; absent keys that became required are filled with null,
because none of the libraries says how. Ours is reached if what the lens puts is accepted and lifts
back to the same value. The corpora are random schemas of the laws, and real tools where
`../shared/data` has them.
"""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.laws.laws import bare, closed
from tests.laws.meaning import meaning
from tests.laws.schemas import schema as random_schema
from toolhaft.lowering import Strict, lint, lower
from toolhaft.lowering.loss import LoweringUnsupported
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import json_equal
from toolhaft.schema.generate import Values
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise

REAL = Path(__file__).parents[2] / "shared" / "data" / "tools_mcp.jsonl.gz"
SCHEMAS = 400
VALUES = 10

Write = Callable[[dict[str, Any]], Any]


class Peer(NamedTuple):
    """A library's way to one target."""

    name: str
    target: str
    strict: bool
    write: Write


def openai_sdk(schema: dict[str, Any]) -> Any:
    """Return the SDK's strict form of a model's schema."""
    module: Any = import_module("openai.lib._pydantic")
    return module._ensure_strict_json_schema(schema, path=(), root=schema)


def openai_agents(schema: dict[str, Any]) -> Any:
    """The strict schema of a function tool."""
    return import_module("agents.strict_schema").ensure_strict_json_schema(schema)


def pydantic_ai(module: str, name: str, *, strict: bool | None) -> Write:
    """A provider's transformer."""

    def write(schema: dict[str, Any]) -> Any:
        transformer = getattr(import_module(f"pydantic_ai.profiles.{module}"), name)
        return transformer(schema, strict=strict).walk()

    return write


def anthropic_sdk(schema: dict[str, Any]) -> Any:
    """The SDK's transformer for strict tools."""
    return import_module("anthropic").transform_schema(schema)


def google_genai(schema: dict[str, Any]) -> Any:
    """The SDK's way from JSON Schema to its own type."""
    types = import_module("google.genai.types")
    given = types.JSONSchema.model_validate(schema)
    made = types.Schema.from_json_schema(json_schema=given, api_option="GEMINI_API")
    return _lower_case(made.model_dump(mode="json", exclude_none=True, by_alias=True))


def langchain(schema: dict[str, Any]) -> Any:
    """The strict function of a declaration."""
    convert = import_module("langchain_core.utils.function_calling").convert_to_openai_function
    named = {"title": "tool", "description": "A tool.", **schema}
    return convert(named, strict=True)["parameters"]


def _lower_case(node: Any) -> Any:
    """Gemini's enumeration of types in the words of JSON Schema."""
    if isinstance(node, list):
        return [_lower_case(one) for one in node]
    if not isinstance(node, dict):
        return node
    made = {key: _lower_case(value) for key, value in node.items()}
    if isinstance(made.get("type"), str):
        made["type"] = made["type"].lower()
    return made


_OPENAI = pydantic_ai("openai", "OpenAIJsonSchemaTransformer", strict=True)
_GEMINI = pydantic_ai("google", "GoogleJsonSchemaTransformer", strict=None)
_GEMINI_OPENAPI = pydantic_ai("google", "GoogleOpenAPISchemaTransformer", strict=None)
PEERS = (
    Peer("openai 3.52", "openai", True, openai_sdk),
    Peer("openai-agents 0.24", "openai", True, openai_agents),
    Peer("pydantic-ai 2.68", "openai", True, _OPENAI),
    Peer("langchain-core 1.7", "openai", True, langchain),
    Peer("anthropic 2.11", "anthropic", True, anthropic_sdk),
    Peer("pydantic-ai 2.68", "gemini", False, _GEMINI),
    Peer("pydantic-ai 2.68", "gemini-openapi", False, _GEMINI_OPENAPI),
    Peer("google-genai 2.34", "gemini-openapi", False, google_genai),
)


class Counts(NamedTuple):
    """Schemas that were refused, that the target refuses, and values reached of all."""

    raised: int
    illegal: int
    reached: int
    values: int

    def __str__(self) -> str:
        share = 100 * self.reached / max(self.values, 1)
        return f"{self.raised:>8}{self.illegal:>10}{share:>10.1f} %"


def counted(corpus: list[tuple[Any, list[Any]]], peer: Peer) -> Counts:
    """How a library does on a corpus."""
    raised = illegal = reached = values = 0
    for schema, valid in corpus:
        values += len(valid)
        try:
            written = peer.write(copy.deepcopy(schema))
        except Exception:  # noqa: BLE001 - any library, any way to say no
            raised += 1
            continue
        if not isinstance(written, dict) or lint(written, peer.target, peer.strict):
            illegal += 1
            continue
        accepts = Checker(meaning(written, peer.target)).is_valid
        reached += sum(accepts(_filled(written, value)) for value in valid)
    return Counts(raised, illegal, reached, values)


def ours(corpus: list[tuple[Any, list[Any]]], target: str, strict: Strict) -> Counts:
    """How lowering does on it."""
    raised = illegal = reached = values = 0
    for schema, valid in corpus:
        values += len(valid)
        try:
            lowered = lower(schema, target, strict)
        except LoweringUnsupported:
            raised += 1
            continue
        illegal += bool(lint(lowered.schema, target, strict))
        accepts = Checker(meaning(lowered.schema, target)).is_valid
        for value in valid:
            wire = lowered.lens.put(value)
            back = bare(schema, lowered.lens.get(wire))
            reached += accepts(wire) and json_equal(back, bare(schema, value))
    return Counts(raised, illegal, reached, values)


def _filled(schema: Any, value: Any) -> Any:
    """The value with null for the keys that a library made required, at every depth it shows."""
    if isinstance(value, dict) and isinstance(schema, dict):
        properties = schema.get("properties", {})
        made = {key: _filled(properties.get(key), one) for key, one in value.items()}
        return {
            **dict.fromkeys(key for key in schema.get("required", ()) if key not in made),
            **made,
        }
    if isinstance(value, list) and isinstance(schema, dict):
        return [_filled(schema.get("items"), one) for one in value]
    return value


def random_corpus() -> Iterator[tuple[Any, list[Any]]]:
    """Random schemas with the keywords of real ones, and valid values of each."""
    for number in range(SCHEMAS):
        made = random_schema(Random(f"peers:{number}"))  # noqa: S311 - draws schemas
        if not faults_of(made):
            yield made, _values(made, number)


def real_corpus() -> Iterator[tuple[Any, list[Any]]]:
    """The schemas of real tools."""
    if not REAL.exists():
        return
    for number, line in enumerate(gzip.decompress(REAL.read_bytes()).splitlines()):
        schema = json.loads(line)["inputSchema"]
        if schema.get("type") == "object" and not faults_of(schema):
            yield schema, _values(schema, number)


def _values(schema: Any, seed: int) -> list[Any]:
    """Valid values without undeclared keys."""
    source = Values(normalise(schema), Random(seed))  # noqa: S311 - draws values
    shut = Checker(closed(schema, lower(schema, "openai", "prefer")))
    found = (source.draw() for _ in range(3 * VALUES))
    return [value for value in found if isinstance(value, dict) and shut.is_valid(value)][:VALUES]


def main() -> None:
    """Print one table for each corpus."""
    for name, corpus in (("random", list(random_corpus())), ("real", list(real_corpus()))):
        print(f"\n{name}: {len(corpus)} schemas, {sum(len(v) for _, v in corpus)} values")
        print(f"{'':<22}{'target':<16}{'raises':>8}{'illegal':>10}{'reached':>12}")
        for peer in PEERS:
            print(f"{peer.name:<22}{peer.target:<16}{counted(corpus, peer)}")
        for target, strict in dict.fromkeys((peer.target, peer.strict) for peer in PEERS):
            wish: Strict = "require" if strict else False
            print(f"{'toolhaft':<22}{target:<16}{ours(corpus, target, wish)}")


if __name__ == "__main__":
    main()
