"""A second opinion: the types of the providers' own SDKs accept our exports.

They look at the frame of a declaration and at little of the schema, but for Gemini's older field;
the linters of the targets are the first opinion.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema_rs import Draft7Validator, Draft202012Validator, meta
from pydantic import TypeAdapter

from tests.installed import sdk
from tests.lowering.shapes import SHAPES
from tests.schema.corpora import DATA, rows
from toolhaft import DefinitionError, Toolset, from_json, tool
from toolhaft.toolset.export import Export

if TYPE_CHECKING:
    import ollama
    from google.genai import types as gemini
else:
    ollama = sdk("ollama")
    gemini = sdk("google.genai.types")


@cache
def toolsets() -> tuple[Toolset, ...]:
    """The nineteen shapes, and every tenth real tool where they are beside the repository."""
    shapes = [
        tool(_same, name=name, description="A shape.", input=schema, output=None)
        for name, (schema, _) in SHAPES.items()
        if schema.get("type") == "object"
    ]
    real: list[Any] = []
    if (DATA / "tools_mcp.jsonl.gz").exists():
        real = list(_real())
    return (Toolset(shapes), Toolset(real))


def _same(arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


def _real() -> Iterator[Any]:
    for place, row in enumerate(rows("tools_mcp.jsonl.gz")[::10]):
        try:
            yield from from_json([{**row, "name": f"{row['name'][:40]}_{place}"}])
        except DefinitionError:
            continue


def exports(target: str) -> Iterator[Export]:
    for toolset in toolsets():
        for strict in (False, "prefer"):
            wire = toolset.export(target, strict=strict)
            assert not [one for one in wire.problems if one.severity == "error"]
            yield wire


def declared(target: str) -> list[Any]:
    return [one for wire in exports(target) for one in wire.tools]


@pytest.mark.unmeasured
@pytest.mark.requirement("official-types")
@pytest.mark.parametrize(
    ("target", "module", "name"),
    [
        ("openai", "openai.types.responses", "FunctionToolParam"),
        ("openai-chat", "openai.types.chat", "ChatCompletionFunctionToolParam"),
        ("anthropic", "anthropic.types", "ToolParam"),
        ("mistral", "mistralai.client.models", "Tool"),
        ("cohere", "cohere", "ToolV2"),
        ("mcp", "mcp_types._v2026_07_28", "Tool"),
        ("mcp-2025-11-25", "mcp_types._v2025_11_25", "Tool"),
    ],
)
def test_every_declaration_is_one_of_the_sdk(target: str, module: str, name: str) -> None:
    check = TypeAdapter[Any](getattr(sdk(module), name))
    for one in declared(target):
        check.validate_python(one)


@pytest.mark.unmeasured
@pytest.mark.requirement("official-types")
@pytest.mark.parametrize("target", ["gemini", "gemini-openapi"])
def test_geminis_own_types_take_every_declaration(target: str) -> None:
    for one in declared(target):
        for function in one["functionDeclarations"]:
            gemini.FunctionDeclaration.model_validate(function)
    for wire in exports(target):
        if wire.tools:
            gemini.GenerateContentConfig.model_validate(wire.request["config"])


@pytest.mark.requirement("official-types")
def test_amazons_service_model_takes_the_whole_request() -> None:
    model = sdk("botocore.session").Session().get_service_model("bedrock-runtime")
    validator = sdk("botocore.validate").ParamValidator()
    shape = model.operation_model("Converse").input_shape
    for wire in exports("bedrock"):
        report = validator.validate({"modelId": "m", **wire.request}, shape)
        assert not report.has_errors(), report.generate_report()


@pytest.mark.requirement("official-types")
def test_ollamas_client_keeps_name_and_description() -> None:
    for one in declared("ollama"):
        kept = ollama.Tool.model_validate(one).model_dump(exclude_none=True)
        assert kept["function"]["name"] == one["function"]["name"]


@pytest.mark.requirement("official-types")
@pytest.mark.parametrize(
    ("target", "draft"), [("draft-07", Draft7Validator), ("draft-2020-12", Draft202012Validator)]
)
def test_schemas_are_valid_in_their_own_draft(target: str, draft: Any) -> None:
    for one in declared(target):
        schema = one["parameters"]
        meta.validate({"$schema": _DRAFTS[target], **schema})
        draft(schema, retriever=refuse)


def refuse(uri: str) -> Any:
    raise LookupError(uri)


_DRAFTS = {
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "draft-2020-12": "https://json-schema.org/draft/2020-12/schema",
}
# The keywords of a Schema Object that OpenAPI 3.0.3 lists under 4.7.24.
OPENAPI_3_0 = frozenset({
    "title", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
    "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties",
    "minProperties", "required", "enum", "type", "allOf", "oneOf", "anyOf", "not", "items",
    "properties", "additionalProperties", "description", "format", "default", "nullable",
    "discriminator", "readOnly", "writeOnly", "xml", "externalDocs", "example", "deprecated",
    "$ref", "components",
})  # fmt: skip


@pytest.mark.requirement("official-types")
def test_openapi_3_0_has_a_word_for_every_keyword() -> None:
    from toolhaft.schema.document.walk import walk_schemas

    for one in declared("openapi-3.0"):
        for _, node in walk_schemas(one["parameters"]):
            assert isinstance(node, bool) or set(node) <= OPENAPI_3_0 | extensions(node)
            assert not isinstance(node, dict) or isinstance(node.get("type", ""), str), node


def extensions(node: dict[str, Any]) -> set[str]:
    return {key for key in node if key.startswith("x-")}


@pytest.mark.unmeasured
def test_declared_values_are_json() -> None:
    for target in ("text", "xai", "openapi-3.1"):
        assert json.loads(json.dumps(declared(target))) == declared(target)
