from __future__ import annotations

import math
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from toolhaft.schema.checker import Checker
from toolhaft.schema.engine import matcher
from toolhaft.schema.explain.node import NodeIssue
from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.spec import Issue

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def test_a_verdict_and_its_reasons() -> None:
    checker = Checker(CITY)
    assert checker.is_valid({"city": "Paris"})
    assert checker.node_issues({"city": "Paris"}) == []
    assert not checker.is_valid({})
    assert checker.issues({}) == [Issue("required", ("city",), "missing")]
    assert checker.schema is CITY


def test_findings_are_bounded_as_asked() -> None:
    assert len(Checker({"items": {"type": "null"}}).node_issues([1] * 100, limit=3)) == 3


@pytest.mark.parametrize("data", ["\ud800", b"x", {1: 2}, object(), {1}])
def test_what_the_engine_stumbles_over_is_refused_and_never_an_error(data: Any) -> None:
    schema = {"minLength": 1, "additionalProperties": {"maxLength": 5}}
    assert not Checker(schema).is_valid(data)


@pytest.mark.parametrize(
    ("schema", "data", "valid"),
    [
        ({"maximum": 10}, 10**4_299, False),
        ({"minimum": 10}, 10**4_299, True),
        ({"type": "integer"}, 5.0, True),
        ({"type": "integer"}, True, False),
        ({"enum": [1]}, True, False),
        ({"type": "number"}, math.nan, False),
        ({"multipleOf": 0.01}, 19.99, True),
        ({"maximum": 2**53}, 2**53 + 1, False),
    ],
)
def test_numbers_are_exact(schema: Any, data: Any, valid: bool) -> None:
    assert Checker(schema).is_valid(data) is valid


@pytest.mark.requirement("schema-normal-form")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "format": "email"},
        {"$schema": "http://json-schema.org/draft-07/schema#", "format": "email"},
        {"contentMediaType": "application/json", "contentEncoding": "base64"},
        {"$schema": "http://json-schema.org/draft-07/schema#",
         "contentMediaType": "application/json"},
    ],
)  # fmt: skip
def test_formats_and_contents_are_not_asserted(schema: Any) -> None:
    assert Checker(schema).is_valid("x")
    assert Checker(schema).node_issues("x") == []


def test_an_older_draft_is_checked_as_it_was_meant() -> None:
    checker = Checker({"minimum": 1, "exclusiveMinimum": True, "type": "integer", "nullable": True})
    assert [checker.is_valid(data) for data in (1, 2, None)] == [False, True, True]


def test_what_is_left_over_of_an_array_may_be_held_to_the_schema_itself() -> None:
    """jsonschema-rs 0.50 overflows its stack here, and a schema may come from another server."""
    tree = {"$ref": "#/$defs/tree"}
    inner = {"type": "array", "allOf": [tree], "unevaluatedItems": {"enum": [1]}}
    checker = Checker({**tree, "$defs": {"tree": {"unevaluatedItems": inner}}})
    cases: list[Any] = [[], [[], [[]]], [[], [1]]]
    assert list(map(checker.is_valid, cases)) == [True, True, False]


def test_data_as_deep_as_data_may_be_is_checked() -> None:
    tree: Any = {"children": []}
    for _ in range(15):
        tree = {"children": [tree]}
    checker = Checker(
        {"properties": {"children": {"items": {"$ref": "#"}}}, "required": ["children"]}
    )
    assert checker.is_valid(tree)
    assert checker.node_issues(tree) == []


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "int"}, "the schema does not compile: "),
        ({"pattern": "("}, "the schema does not compile: "),
        ({"$ref": "#/$defs/gone"}, "no schema at $ref #/$defs/gone"),
        ({"$ref": 5}, "$ref is not text"),
        ({"$ref": "file:///etc/passwd"}, "$ref points outside this schema: file:///etc/passwd"),
    ],
)
def test_a_faulty_schema_is_refused_at_first_use(schema: Any, words: str) -> None:
    checker = Checker(schema)
    with pytest.raises(SchemaRefused) as refused:
        checker.is_valid(1)
    [fault] = refused.value.faults
    assert fault.reason.startswith(words)
    assert (fault.fix == "correct the schema") is words.startswith("the schema")
    assert fault.pointer == ""
    assert refused.value.__cause__ is None


@pytest.fixture
def listener() -> Iterator[tuple[str, list[bytes]]]:
    """A server on the loopback that notes every client."""
    came: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    came.append(client.recv(100))
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port = server.getsockname()[1]
        yield f"http://127.0.0.1:{port}", came
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


@pytest.mark.requirement("schema-refs-local")
def test_nothing_is_ever_fetched(listener: tuple[str, list[bytes]]) -> None:
    address, came = listener
    refused = [
        {"$ref": f"{address}/x.json"},
        {"properties": {"a": {"$ref": f"{address}/x.json#/a"}}},
        {"$defs": {"a": {"$ref": f"{address}/x.json"}}},
        {"$dynamicRef": f"{address}/x.json#a"},
        {"$id": f"{address}/root.json", "$ref": "x.json"},
        {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": f"{address}/x"},
    ]
    for schema in refused:
        with pytest.raises(SchemaRefused):
            Checker(schema).is_valid({"a": 1})
    accepted = [
        {"$schema": f"{address}/meta.json"},
        {"$id": f"{address}/root.json", "items": {"$schema": f"{address}/meta.json"}},
        {"$vocabulary": {f"{address}/v": True}},
    ]
    for schema in accepted:
        assert Checker(schema).is_valid({"a": 1})
        assert Checker(schema).node_issues({"a": 1}) == []
    assert came == []


def test_the_engines_own_retriever_refuses_too() -> None:
    """Should a reference ever pass the normal form, the engine still opens nothing."""
    from toolhaft.schema.engine import compiled

    for ref in ("http://127.0.0.1:9/x.json", "file:///etc/hostname", "x.json"):
        with pytest.raises(SchemaRefused, match="does not compile"):
            compiled({"$ref": ref})


@pytest.mark.requirement("schema-threads")
def test_many_threads_share_a_checker() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            checker = Checker({"properties": {"n": {"type": "integer"}}, "anyOf": [CITY, CITY]})
            values: list[Any] = [{"city": "x", "n": n if n % 2 else str(n)} for n in range(64)]
            with ThreadPoolExecutor(8) as pool:
                verdicts = list(pool.map(checker.is_valid, values))
                reasons = list(pool.map(checker.issues, values))
            assert verdicts == [bool(n % 2) for n in range(64)]
            assert [not issues for issues in reasons] == verdicts
    finally:
        sys.setswitchinterval(before)


def test_a_pattern_that_backtracks_is_given_up() -> None:
    matches = matcher(r"^(a|a(?=a))*(?!c)$")
    assert matches("aaa")
    assert not matches("a" * 60 + "!")


def test_a_pattern_is_compiled_once() -> None:
    assert matcher("^x$") is matcher("^x$")


def test_a_pattern_that_cannot_run_is_refused() -> None:
    with pytest.raises(SchemaRefused, match="does not compile"):
        matcher("(")


def test_what_explaining_cannot_find_is_still_told() -> None:
    """Explaining has a budget; the verdict has not."""
    item = {"type": "object", "required": ["a"], "propertyNames": {"minLength": 1}}
    schema = {"items": {"type": "array", "items": item}}
    data = [[{"a": 1}] * 100_001, [{}]]
    [found] = Checker(schema).node_issues(data)
    assert found == NodeIssue(Issue("does not match the schema"), schema, required=True)


@pytest.mark.parametrize("others", [0, 13, 40])
@pytest.mark.parametrize("rest", [True, False, {"type": "string"}])
def test_two_required_keys_are_demanded_whatever_else_an_object_says(
    others: int, rest: Any
) -> None:
    """jsonschema-rs before 0.46.2 demands neither beside 15 properties, or a schema for others."""
    names = ["a", "b", *(f"p{number}" for number in range(others))]
    properties = {name: {"type": "integer"} for name in names}
    checker = Checker(
        {"properties": properties, "required": ["a", "b"], "additionalProperties": rest}
    )
    data: list[Any] = [{"a": 1, "b": 1}, {"b": 1}, {"a": 1}, {}, dict.fromkeys(names[1:], 1)]
    assert list(map(checker.is_valid, data)) == [True, False, False, False, False]


def test_faults_are_told_in_lines() -> None:
    refused = SchemaRefused([SchemaFault("", "is odd", "mend it"), SchemaFault("/a", "too", "it")])
    assert str(refused) == "schema: is odd; mend it\n/a: too; it"
