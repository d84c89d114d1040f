"""Strict JSON text: accepted texts, rejected texts with their messages, and writing."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft.jsonio.jsontext import MAX_BYTES, JsonSyntaxError, read, read_partial, write
from toolhaft.spec import Path

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
plain = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def fault(text: str | bytes, **limits: Any) -> JsonSyntaxError:
    with pytest.raises(JsonSyntaxError) as caught:
        read(text, **limits)
    return caught.value


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@given(plain)
def test_what_json_writes_is_read_as_it_was(data: Any) -> None:
    for text in (json.dumps(data), json.dumps(data, ensure_ascii=False, indent=1)):
        value = read(text, max_depth=200)
        assert value == data
        assert json.dumps(value) == json.dumps(data)
        assert read(text.encode(), max_depth=200) == value


@given(st.dictionaries(st.text(), plain, min_size=1), st.booleans(), st.data())
def test_every_proper_beginning_of_an_object_is_truncated(
    data: dict[str, Any], ascii_only: bool, draw: st.DataObject
) -> None:
    text = json.dumps(data, ensure_ascii=ascii_only)
    cut = draw.draw(st.integers(1, len(text) - 1))
    assert fault(text[:cut]).truncated
    encoded = text.encode()
    assert fault(encoded[: draw.draw(st.integers(1, len(encoded) - 1))]).truncated


@pytest.mark.requirement("decode-truncated")
@pytest.mark.parametrize(
    "text",
    [
        '{"path":"a","content":"hel',
        '{"a":tru',
        '{"a":1',
        '{"a":-',
        '{"a":1.',
        '{"a":1e',
        '{"a":1e+',
        '{"a"',
        '{"a":1,',
        "[1,",
        "[",
        '"abc',
        '"a\\',
        '"a\\u12',
        '"a\\ud83d',
        '"a\\ud83d\\',
        '"a\\ud83d\\ude0',
        "nul",
        b'"caf\xc3',
        b'"\xf0\x9f\x98',
    ],
)
def test_text_that_merely_stops_is_truncated(text: str | bytes) -> None:
    assert fault(text).truncated


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hel", "not JSON: expected a value at line 1 column 1"),
        ("{a:1}", "not JSON: expected a key in double quotes at line 1 column 2"),
        ("{'a':1}", "not JSON: expected a key in double quotes at line 1 column 2"),
        ('{"a" 1}', "not JSON: expected a colon at line 1 column 6"),
        ('{"a":1\n "b":2}', "not JSON: expected a comma or } at line 2 column 2"),
        ("[1 2]", "not JSON: expected a comma or ] at line 1 column 4"),
        ("[1,]", "not JSON: trailing comma at line 1 column 4"),
        ('{"a":1} x', "not JSON: unexpected text after the end at line 1 column 9"),
        ("1\x00", "not JSON: unexpected text after the end at line 1 column 2"),
        ("tRUE", "not JSON: expected true, false or null at line 1 column 2"),
        ("01", "not JSON: invalid number at line 1 column 2"),
        ("0x10", "not JSON: unexpected text after the end at line 1 column 2"),
        ("1_000", "not JSON: unexpected text after the end at line 1 column 2"),
        ("+1", "not JSON: expected a value at line 1 column 1"),
        ('"a\\qb"', "not JSON: invalid escape in a string at line 1 column 4"),
        ('"a\tb"', "not JSON: unescaped control character in a string at line 1 column 3"),
        ('{"a":1/*c*/}', "not JSON: expected a comma or } at line 1 column 7"),
        ("\x0c{}", "not JSON: expected a value at line 1 column 1"),
    ],
)
def test_a_fault_says_what_and_where_and_is_not_truncation(text: str, message: str) -> None:
    found = fault(text)
    assert (found.message, str(found), found.truncated) == (message, message, False)


@pytest.mark.requirement("decode-duplicate-keys")
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"amount":1,"amount":2}', ("amount",)),
        ('{"amount":1,"\\u0061mount":2}', ("amount",)),
        ('{"opts":{"to":"s3cret","to":"x"}}', ("opts", "to")),
        ('[{"a":1,"b":{"c":[],"c":{}}}]', (0, "b", "c")),
        ('{"":1,"":1}', ("",)),
        ('{"a": ["{\\"", {}, [0,\n {"é": 1,\n "é" : 2}]]}', ("a", 2, 1, "é")),
    ],
)
def test_a_key_written_twice_is_refused_and_located(text: str, path: Path) -> None:
    found = fault(text)
    assert found.path == path
    assert found.message.startswith("key written twice at line ")
    assert "to" not in found.message.replace("written", "")


@pytest.mark.requirement("decode-numbers")
@pytest.mark.parametrize(
    "text",
    [
        "1e400",
        "-1E+400",
        '{"a":[1,{"b":1e400}]}',
        '[["x1e2",-1e400]]',
        "1" * 400 + ".0",
        "0." + "0" * 40 + "1e500",
        "1" * 300 + "e10",
        "1" * 212 + "e98",
        "9" * 31 + "." + "9" * 31 + "e278" + " " * 300,
        "1e+309",
        "1e00000309",
        '{"e": "1e1", "a": [1E0309]}',
        "1" * 4301,
        "-" + "1" * 4301,
        "1" * 100_000,
    ],
)
def test_a_number_too_large_is_refused(text: str) -> None:
    assert fault(text).message.startswith("number too large")


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", '{"a":NaN}', "[-Infinity]"])
def test_what_is_not_a_number_in_json_is_refused(text: str) -> None:
    found = fault(text)
    assert found.message.startswith("not JSON: ")
    assert not found.truncated


def test_large_numbers_that_fit_are_exact() -> None:
    assert read("1" * 4300) == int("1" * 4300)
    assert read("[9007199254740993,12345678901234567890,-0]") == [
        2**53 + 1,
        12345678901234567890,
        0,
    ]
    assert read('{"a":1.7976931348623157e308,"b":"e1e400"}') == {
        "a": sys.float_info.max,
        "b": "e1e400",
    }
    assert read("1" * 308 + ".5") == float("1" * 308)


@pytest.mark.requirement("decode-text")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"\\ud800"', "lone surrogate in a string at line 1 column 8"),
        ('"\\udc00"', "lone surrogate in a string at line 1 column 7"),
        ('"\\ud83d\\u0041"', "lone surrogate in a string at line 1 column 13"),
        ('"\ud800"', "lone surrogate in the text"),
        ("\ufeff{}", "not JSON: starts with a byte order mark at line 1 column 1"),
        (b"\xef\xbb\xbf{}", "not JSON: starts with a byte order mark at line 1 column 1"),
        (b'"\xff"', "not UTF-8 at byte 2"),
        (b'"\xff', "not UTF-8 at byte 2"),
        (b'"\xed\xa0\x80"', "not UTF-8 at byte 2"),
        ("{}".encode("utf-16"), "not UTF-8 at byte 1"),
        (b"{\x00}\x00", "not JSON: expected a key in double quotes at line 1 column 2"),
        (b"{}\xc3", "not JSON: unexpected text after the end at line 1 column 3"),
    ],
)
def test_text_that_is_not_unicode_in_utf8_is_refused(text: str | bytes, message: str) -> None:
    found = fault(text)
    assert (found.message, found.truncated) == (message, False)


def test_escaped_surrogate_pairs_are_one_character() -> None:
    assert read('"Zoë \\ud83d\\ude00"') == "Zoë 😀"


@pytest.mark.requirement("decode-limits")
def test_depth_over_32_is_refused() -> None:
    assert read(nested(32)) == json.loads(nested(32))
    assert fault(nested(33)).message == "nested deeper than 32 levels"
    assert fault(nested(33).replace("1", "[]")).message == "nested deeper than 32 levels"
    assert fault("[" * 900 + "]" * 900).message == "nested deeper than 32 levels"
    assert fault("[" * 100_000).message == "nested deeper than 32 levels"


def test_many_brackets_side_by_side_or_in_strings_are_not_depth() -> None:
    assert read("[" + ",".join(["[{}]"] * 100) + "]") == [[{}]] * 100
    assert read('{"a":"' + "[{" * 100 + '"}') == {"a": "[{" * 100}


def test_the_depth_is_settable() -> None:
    assert fault("[[]]", max_depth=1).message == "nested deeper than 1 levels"
    assert read("[[]]", max_depth=2) == [[]]
    assert read(nested(199), max_depth=199) == json.loads(nested(199))


@pytest.mark.requirement("decode-limits")
def test_text_over_one_mebibyte_of_utf8_is_refused() -> None:
    fits = '"' + "é" * (MAX_BYTES // 2 - 1) + '"'
    assert read(fits) == "é" * (MAX_BYTES // 2 - 1)
    assert fault(fits + " ").message == "text longer than 1048576 bytes"
    assert fault("[1]", max_bytes=2).message == "text longer than 2 bytes"


def test_a_message_that_is_not_known_is_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def other_words(_: bytes, **options: Any) -> None:
        raise ValueError(str(options) + "s3cret")

    monkeypatch.setattr("toolhaft.jsonio.jsontext._from_json", other_words)
    assert fault("1").message == "not JSON"


@given(plain)
def test_written_text_is_read_back_as_it_was(data: Any) -> None:
    text = write(data)
    assert json.dumps(json.loads(text)) == json.dumps(data)
    assert write(json.loads(text)) == text


def test_written_text_is_compact_exact_and_in_order() -> None:
    data = {"b": [1, 10**30, 0.1, -0.0, 1.0], "a": None, "é": '\u2028\x00"\\/', "": True}
    assert write(data) == (
        '{"b":[1,1000000000000000000000000000000,0.1,-0.0,1.0],"a":null,'
        '"é":"\u2028\\u0000\\"\\\\/","":true}'
    )


def test_the_engines_are_imported_when_first_needed() -> None:
    program = (
        "import sys; from toolhaft.jsonio.jsontext import read, write\n"
        "before = {'jiter', 'pydantic_core'} & set(sys.modules)\n"
        "print(sorted(before), write(read('[1]')), write(read(b'[2]')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "[] [1] [2]\n"


# ------------------------------------------------------------------- a text that is still written


def is_part(begun: Any, whole: Any) -> bool:
    """Whether nothing is in what has begun that will not be in the whole."""
    if isinstance(begun, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(begun[key], whole[key]) for key in begun)
    if isinstance(begun, list) and isinstance(whole, list):
        return len(begun) <= len(whole) and all(map(is_part, begun, whole))
    return type(begun) is type(whole) and bool(begun == whole)


@pytest.mark.requirement("pain-86")
@given(st.dictionaries(st.text(), plain), st.integers(min_value=1))
def test_of_a_text_that_stops_anywhere_only_what_is_closed_is_read(
    whole: dict[str, Any], length: int
) -> None:
    text = json.dumps(whole)
    begun = read_partial(text[: 1 + length % len(text)])
    assert is_part(begun, whole)
    assert read_partial(text) == whole


@pytest.mark.parametrize("text", ["", " ", "x", '{"a" "b"', "{a", "[1,,", "\ud800", "}"])
def test_what_is_no_beginning_of_json_is_a_fault(text: str) -> None:
    with pytest.raises(JsonSyntaxError):
        read_partial(text)


def test_a_beginning_has_its_limit_too() -> None:
    with pytest.raises(JsonSyntaxError, match=r"^text longer than 4 bytes$"):
        read_partial('{"a": "b', max_bytes=4)
    assert read_partial('{"a": 1, "a": 2, "b": [1, -2.5e') == {"a": 2, "b": [1]}
