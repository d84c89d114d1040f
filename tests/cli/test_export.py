"""`toolhaft export` writes a payload, and says beside it what is lost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Run

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "default": 3}},
    "additionalProperties": False,
}
TOOL = {"name": "find", "description": "Find a shop.", "inputSchema": SCHEMA}


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([TOOL]))
    return str(path)


@pytest.mark.requirement("cli-export")
def test_a_target_that_takes_all_has_a_payload_and_nothing_else(run: Run, path: str) -> None:
    ran = run("export", path, "--target", "anthropic")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == {
        "tools": [{"name": "find", "description": "Find a shop.", "input_schema": SCHEMA}]
    }


@pytest.mark.requirement("cli-export")
def test_losses_are_a_table_on_standard_error(run: Run, path: str) -> None:
    ran = run("export", path, "--target", "openai", "--strict", "prefer")
    assert ran.code == 0
    assert ran.json["tools"][0]["strict"] is True
    assert ran.err.splitlines() == [
        "hinted      find n: default: said in the description",
        "encoded     find n: required: null means absent",
    ]


@pytest.mark.requirement("cli-export")
def test_json_has_payload_losses_and_problems(run: Run, path: str) -> None:
    ran = run("export", path, "--target", "xai", "--strict", "prefer", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["request"]["tools"][0]["function"]["name"] == "find"
    assert ran.json["losses"] == [
        {
            "pointer": "/properties/n",
            "keyword": "default",
            "kind": "hinted",
            "detail": "said in the description",
            "tool": "find",
        }
    ]
    assert ran.json["problems"] == [
        {
            "pointer": "",
            "rule": "xai.strict",
            "reason": "there is one mode only; strict is ignored",
            "fix": "leave strict out",
            "tool": "",
            "severity": "warning",
        }
    ]


@pytest.mark.requirement("cli-export")
def test_a_tool_that_is_refused_ends_in_failure(run: Run, tmp_path: Path) -> None:
    names = ("a b", "a_b", "a_b_c8687a08")
    keys = {"type": "object", "properties": {name: {"type": "null"} for name in names}}
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([TOOL, {"name": "bad", "description": "B.", "inputSchema": keys}]))
    ran = run("export", str(path), "--target", "gemini")
    assert ran.code == 1
    assert [one["name"] for one in ran.json["config"]["tools"][0]["functionDeclarations"]] == [
        "find"
    ]
    assert "two property keys become the same" in " ".join(ran.err.split())


@pytest.mark.requirement("cli-export")
def test_strictness_that_cannot_be_is_a_finding_and_no_payload(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    none = {"type": "object", "properties": {}}
    path.write_text(json.dumps([{"name": "now", "description": "N.", "inputSchema": none}]))
    command = ("export", str(path), "--target", "cohere", "--strict", "require")
    ran = run(*command)
    assert (ran.code, ran.out) == (1, "")
    assert "error" in ran.err
    told = run(*command, "--format", "json")
    assert (told.code, told.json["request"], told.json["losses"]) == (1, None, [])
    [problem] = told.json["problems"]
    assert (problem["tool"], problem["rule"]) == ("now", "cohere.required parameter")


RECURSIVE = """
from __future__ import annotations
from dataclasses import dataclass, field
from toolhaft import tool

@dataclass
class Node:
    value: int
    children: list[Node] = field(default_factory=list)

@tool
def walk(root: Node) -> Node:
    'Walk that tree.'
    return root

@tool
def now() -> None:
    'Say when.'
"""


@pytest.mark.requirement("export-document")
def test_a_whole_openapi_document_is_written(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "trees.py"
    path.write_text(RECURSIVE)
    ran = run("export", str(path), "--target", "openapi-3.1", "--document")
    document = ran.json
    assert (ran.code, document["openapi"]) == (0, "3.1.1")
    assert document["info"] == {"title": "trees", "version": "0"}
    assert list(document["paths"]) == ["/tools/now", "/tools/walk"]
    operation = document["paths"]["/tools/walk"]["post"]
    assert (operation["operationId"], operation["description"]) == ("walk", "Walk that tree.")
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/WalkInput"}
    assert "$defs" not in json.dumps(document)
    references = set(re.findall(r'"\$ref": "(.*?)"', json.dumps(document)))
    schemas = document["components"]["schemas"]
    assert references == {f"#/components/schemas/{name}" for name in schemas}
    assert list(schemas) == ["Node", "NowInput", "WalkInput", "WalkOutput"]


ITSELF = """
from toolhaft import tool

SCHEMA = {
    "type": "object",
    "properties": {
        "next": {"$ref": "#"},
        "name": {"type": "string"},
        "alias": {"$ref": "#/properties/name"},
    },
}
link = tool(lambda given: given, name="link", description="Link.", input=SCHEMA)
"""


@pytest.mark.requirement("export-document")
def test_a_schema_that_refers_to_itself_does_so_in_a_document(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "links.py"
    path.write_text(ITSELF)
    document = run("export", str(path), "--target", "openapi-3.1", "--document").json
    body = document["paths"]["/tools/link"]["post"]["requestBody"]["content"]
    link = "#/components/schemas/LinkInput"
    assert body == {"application/json": {"schema": {"$ref": link}}}
    assert document["components"]["schemas"] == {
        "LinkInput": {
            "title": "LinkInput",
            "type": "object",
            "properties": {
                "next": {"$ref": link},
                "name": {"type": "string"},
                "alias": {"$ref": f"{link}/properties/name"},
            },
        }
    }


@pytest.mark.requirement("export-document")
@pytest.mark.parametrize("source", [RECURSIVE, ITSELF, None], ids=["recursive", "itself", "travel"])
def test_a_document_is_what_the_validator_of_openapi_takes(
    run: Run, tmp_path: Path, source: str | None
) -> None:
    openapi: Any = pytest.importorskip("openapi_spec_validator", reason="it is not installed")
    path = tmp_path / "tools.py"
    if source is None:
        path = Path(__file__).parents[2] / "examples" / "travel" / "tools.py"
    else:
        path.write_text(source)
    document = run("export", str(path), "--target", "openapi-3.1", "--document").json
    assert list(openapi.OpenAPIV31SpecValidator(document).iter_errors()) == []
    document["info"].pop("version")
    assert list(openapi.OpenAPIV31SpecValidator(document).iter_errors()) != []


def test_only_openapi_has_documents(run: Run, tools: str) -> None:
    ran = run("export", tools, "--target", "openai", "--document")
    assert (ran.code, ran.out) == (2, "")
    assert "--document goes with --target openapi-3.1" in ran.err
