"""Raw arguments: every spelling of an object is that object, and everything else is refused."""

from __future__ import annotations

import base64
import gzip
import json
from collections import UserDict
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft.call.decode import DecodeLimits, Undecodable, decode
from toolhaft.call.types import Coercion
from toolhaft.spec import Issue

DATA = Path(__file__).parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data folder is not here")

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=15,
)  # fmt: skip
LITERAL = (Coercion((), "python_literal"),)


def refused(raw: Any, **options: Any) -> tuple[str, Issue]:
    with pytest.raises(Undecodable) as caught:
        decode(raw, **options)
    (issue,) = caught.value.issues
    return caught.value.kind, issue


@pytest.mark.requirement("decode-spellings")
@given(st.dictionaries(st.text(), values))
def test_every_spelling_of_an_object_is_that_object(data: dict[str, Any]) -> None:
    text = json.dumps(data)
    spellings = [text, text.encode(), json.dumps(data, ensure_ascii=False, indent=1), data,
                 MappingProxyType(data), UserDict(data)]  # fmt: skip
    for raw in spellings:
        arguments, coercions = decode(raw)
        assert (json.dumps(arguments), coercions) == (text, ())
        assert arguments is not data
    assert decode(json.dumps(text)) == (data, (Coercion((), "double_encoded"),))
    read, coercions = decode(repr(data))
    assert json.dumps(read) == text
    assert coercions in ((), LITERAL)


@pytest.mark.requirement("decode-nothing")
@pytest.mark.parametrize("raw", ["", None, "  ", "\n\t", "null", " null ", "{}", b"", b" ", {}])
def test_nothing_means_no_arguments(raw: Any) -> None:
    assert decode(raw) == ({}, ())


@pytest.mark.requirement("decode-object")
@pytest.mark.parametrize(
    ("raw", "received"),
    [
        ('"hello"', "string"),
        ('""', "string"),
        ("[1]", "array"),
        ("5", "integer"),
        ("5.5", "number"),
        ("true", "boolean"),
        ('"5"', "integer"),
        ('"[1]"', "array"),
        ('"null"', "null"),
        ('"\\"{}\\""', "string"),
        ("('a', 'b')", "array"),
        (["a"], "array"),
        (5, "integer"),
    ],
)
def test_anything_that_is_not_an_object_is_refused(raw: Any, received: str) -> None:
    expected = Issue(
        f"expected object, received {received}",
        (),
        "type",
        "object",
        received,
    )
    assert refused(raw) == ("invalid_input", expected)


@pytest.mark.requirement("decode-double-encoded")
def test_an_object_that_was_encoded_twice_is_unwrapped_once() -> None:
    assert decode('"{\\"a\\":1}"') == ({"a": 1}, (Coercion((), "double_encoded"),))
    assert decode('"{}"') == ({}, (Coercion((), "double_encoded"),))
    assert refused('"{}"', literals=False)[1].message == "expected object, received string"
    kind, issue = refused('"{\\"a\\":1,\\"a\\":2}"')
    assert (kind, issue.code) == ("invalid_input", "json")
    assert issue.message.startswith("key written twice")
    assert refused('"{\\"a\\":"')[0] == "truncated"
    assert refused("\"{'a':1}\"")[1].message.startswith("not JSON: ")


@pytest.mark.requirement("decode-python-literal")
def test_a_python_literal_of_a_dict_is_read_and_recorded() -> None:
    text = "{'function': 'f(x)=x^2', 'deep': (1, [True, None])}"
    data = {"function": "f(x)=x^2", "deep": [1, [True, None]]}
    assert decode(text) == (data, LITERAL)
    assert decode(text.encode()) == (data, LITERAL)
    kind, issue = refused(text, literals=False)
    assert (kind, issue.message) == (
        "invalid_input",
        "not JSON: expected a key in double quotes at line 1 column 2",
    )


@pytest.mark.requirement("decode-truncated")
@pytest.mark.parametrize(
    "raw",
    [
        '{"path":"a","content":"hel',
        b'{"path":"a","content":"caf\xc3',
        '{"a":tru',
        "[1,",
        "{'path':'a','content':'hel",
        "{'a': Tru",
    ],
)
def test_text_that_merely_stops_is_truncated(raw: Any) -> None:
    kind, issue = refused(raw)
    assert (kind, issue.code, issue.path) == ("truncated", "json", ())


@pytest.mark.requirement("decode-malformed")
@pytest.mark.requirement("pain-47")
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("{a:1}", "not JSON: expected a key in double quotes at line 1 column 2"),
        ('{"a":1} x', "send one JSON object and nothing around it"),
        ('{"a":?}', "not JSON: expected a value at line 1 column 6"),
        ("hello", "send one JSON object and nothing around it"),
        ("{'a': 1} # x", "not JSON: expected a key in double quotes at line 1 column 2"),
        ('{"a": 5 * 2}', "not JSON: expected a comma or } at line 1 column 9"),
        (b'{"a":"\xff"}', "not UTF-8 at byte 7"),
        (b"{'a':'\xff'}", "not UTF-8 at byte 7"),
        (b"\xef\xbb\xbf{}", "not JSON: starts with a byte order mark at line 1 column 1"),
        ('{"a":1e400}', "number too large"),
    ],
)
def test_text_that_is_neither_is_refused_as_json(raw: Any, message: str) -> None:
    assert refused(raw) == ("invalid_input", Issue(message, (), "json"))


@pytest.mark.requirement("decode-duplicate-keys")
def test_a_key_that_is_written_twice_is_located() -> None:
    issue = Issue("key written twice at line 1 column 12", ("a",), "json")
    assert refused('{"a":1,"a":2}') == ("invalid_input", issue)
    issue = Issue("key written twice at line 1 column 20", ("a", 0, "b"), "json")
    assert refused('"{\\"a\\":[{\\"b\\":\\"c\\",\\"b\\":2}]}"') == ("invalid_input", issue)


@pytest.mark.parametrize(
    ("raw", "message", "path"),
    [
        ({"tags": ("a",)}, "expected plain JSON data, received tuple", ("tags",)),
        ({1: 2}, "keys must be text", ()),
        ({"n": float("nan")}, "not a finite number", ("n",)),
        (bytearray(b"{}"), "expected plain JSON data, received bytearray", ()),
        (memoryview(b"{}"), "expected plain JSON data, received memoryview", ()),
        (object(), "expected plain JSON data, received object", ()),
    ],
)
def test_other_objects_are_refused_with_their_path(raw: Any, message: str, path: Any) -> None:
    kind, issue = refused(raw)
    assert (kind, issue.message, issue.path, issue.code) == ("invalid_input", message, path, "json")


def boom(*_: object) -> NoReturn:
    raise AssertionError("an overridden method was called")


Text: Any = type("Text", (str,), dict.fromkeys(("encode", "strip", "__len__", "__str__"), boom))
Bytes: Any = type("Bytes", (bytes,), dict.fromkeys(("decode", "strip", "__len__"), boom))


def test_subclasses_of_text_are_read_as_text() -> None:
    assert decode(Text('{"a":1}')) == ({"a": 1}, ())
    assert decode(Bytes(b'{"a":1}')) == ({"a": 1}, ())
    assert decode(Text("{'a':1}")) == ({"a": 1}, LITERAL)


@pytest.mark.requirement("decode-limits")
def test_size_and_depth_are_settable() -> None:
    small = DecodeLimits(max_bytes=8, max_depth=1)
    assert decode('{"a":1}', limits=small) == ({"a": 1}, ())
    assert refused('{"abc":1}', limits=small)[1].message == "text longer than 8 bytes"
    assert refused("         ", limits=small)[1].message == "text longer than 8 bytes"
    raws: list[Any] = ['{"a":[]}', "{'a':[]}", {"a": []}]
    for raw in raws:
        assert refused(raw, limits=small)[0] == "invalid_input"
    assert refused({"a": []}, limits=small)[1].message == "nested deeper than 1 levels"


# ------------------------------------------------------------------- inputs from the shared data


def hostile_texts() -> dict[str, Any]:
    """The hostile texts, as their generators make them; one that is no fault of decoding is out."""
    if not DATA.is_dir():
        return {}
    base = '{"account":"AB1234","amount":'
    made = {
        "text_amount_digits": lambda n: base + "1" * n + "}",
        "text_opts_deep": lambda n: base + '5,"opts":' + '{"a":' * n + "1" + "}" * n + "}",
    }
    texts: dict[str, Any] = {}
    for line in (DATA / "hostile.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        if item["surface"] == "raw_args":
            source = item["input"]
            if "gen" in source:
                kind, size = source["gen"]
                texts[item["id"]] = made[kind](size)
            else:
                texts[item["id"]] = source.get("text") or base64.b64decode(source["b64"])
    return texts


HOSTILE = hostile_texts()
# Texts that only a schema may reject: decoding reads these as this object.
DECODED = {
    "raw-ok-unicode": {"account": "AB1234", "amount": 5, "memo": "Zoë 日本 😀 😀"},
    "raw-num-neg0": {"account": "AB1234", "amount": 0},
    "raw-num-5.5": {"account": "AB1234", "amount": 5.5},
    "raw-num-str5": {"account": "AB1234", "amount": "5"},
    "raw-pylit": {"account": None},
    "raw-nul-esc": {"account": "AB12\x004", "amount": 5},
    "raw-space-key": {"account": "AB1234", "amount ": 5},
    "raw-secret-missing": {"memo": "sk-SECRET-LEAKME-42", "amount": 5},
    "raw-secret-key": {"account": "AB1234", "amount": 5, "sk-SECRET-LEAKME-42": 1},
}


@needs_data
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_text_is_refused_or_is_harmless(name: str) -> None:
    if name in DECODED:
        assert decode(HOSTILE[name])[0] == DECODED[name]
        return
    kind, issue = refused(HOSTILE[name])
    assert kind == "invalid_input"
    assert len(issue.message) < 100
    assert "SECRET" not in issue.message


@needs_data
def test_the_hostile_texts_are_all_here() -> None:
    assert len(HOSTILE) == 29
    assert HOSTILE.keys() >= DECODED.keys()


@needs_data
def test_malformed_calls_of_real_models_are_refused_or_left_as_they_are() -> None:
    lines = gzip.decompress((DATA / "malformed_from_issues.jsonl.gz").read_bytes()).splitlines()
    kinds = {"placeholder": "invalid_input", "trailing_token": "invalid_input",
             "truncated": "truncated", "truncated_brace": "truncated",
             "code_fence": "invalid_input", "trailing_text": "invalid_input"}  # fmt: skip
    for row in map(json.loads, lines):
        text = row["arguments_text"]
        if row["kind"] in kinds:
            assert refused(text)[0] == kinds[row["kind"]], row["kind"]
        else:
            assert decode(text) == (json.loads(text), ())
    assert len(lines) == 22


def test_data_may_hold_as_many_values_as_a_text_of_the_limit() -> None:
    text = '{"":[1,2,3,4,5,6]}'
    limits = DecodeLimits(len(text))
    assert decode(text, limits=limits) == decode(json.loads(text), limits=limits)
