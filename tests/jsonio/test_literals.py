"""Python literals instead of JSON: exactly the part of Python that means something in JSON."""

from __future__ import annotations

import ast
import json
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft.jsonio import literals as literals_module
from toolhaft.jsonio.literals import LiteralSyntaxError, read_literal

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
literals = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def as_json(value: Any) -> Any:
    """Literal data with its tuples as lists."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list | tuple) else value


def fault(text: str, **options: Any) -> LiteralSyntaxError:
    with pytest.raises(LiteralSyntaxError) as caught:
        read_literal(text, **options)
    return caught.value


@given(st.dictionaries(st.text(), literals) | st.lists(literals) | st.lists(literals).map(tuple))
def test_what_python_writes_is_read_as_it_was(value: Any) -> None:
    assert json.dumps(read_literal(repr(value))) == json.dumps(as_json(value))


@given(st.dictionaries(st.text(), literals, min_size=1), st.data())
def test_every_proper_beginning_of_a_dict_is_truncated(value: Any, draw: st.DataObject) -> None:
    text = repr(value)
    assert fault(text[: draw.draw(st.integers(1, len(text) - 1))]).truncated


@given(st.text(alphabet="{}[]()'\",:01.eE-+ \t\n\\nxuTrueFalsNo#ab", max_size=12), st.booleans())
def test_whatever_is_read_is_what_python_means_by_it(text: str, bare: bool) -> None:
    for candidate in (text, "{'a':" + text + "}", "[" + text + "]"):
        try:
            value = read_literal(candidate, bare=bare)
        except LiteralSyntaxError:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert value == as_json(ast.literal_eval(candidate.strip()))


def outcome(text: str, *, decimals: bool) -> tuple[Any, ...]:
    """The value that is read, with its types, or the reason why none is."""
    try:
        value = read_literal(text, decimals=decimals)
    except LiteralSyntaxError as error:
        return error.message, error.truncated
    return repr(value), None


@given(
    st.text(alphabet="{}[]'\",:01.eE- \t\nTrueFalsNotu#ab\\\x7f\u2028", max_size=14)
    | (st.dictionaries(st.text(), literals) | st.lists(literals)).map(repr),
    st.booleans(),
)
def test_a_literal_that_is_read_as_json_is_what_the_whole_reader_reads(
    text: str, decimals: bool
) -> None:
    for candidate in (text, "{'a':" + text + "}", "[" + text + "]"):
        quick = outcome(candidate, decimals=decimals)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(literals_module, "_to_json", lambda _: None)
            assert outcome(candidate, decimals=decimals) == quick


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (" {'a': 1,}\n", {"a": 1}),
        (
            "{'function': 'f(x)=x^2', 'on': True, 'x': None}",
            {"function": "f(x)=x^2", "on": True, "x": None},
        ),
        ("""{"it's": 'a "b"'}""", {"it's": 'a "b"'}),
        ("[1, 2]", [1, 2]),
        ("[-0, -1.5, 2e3, 1E-2]", [0, -1.5, 2000.0, 0.01]),
        ("('a','b')", ["a", "b"]),
        ("(1,)", [1]),
        ("()", []),
        ("[[], {}, ()]", [[], {}, []]),
        (r"['\\\'\"\n\r\t\x41\u0042\U0001F600']", ["\\'\"\n\r\tAB😀"]),
        ("['a\tb']", ["a\tb"]),
        ("{'n': 12345678901234567890}", {"n": 12345678901234567890}),
    ],
)
def test_dicts_lists_and_tuples_are_read(text: str, value: Any) -> None:
    assert read_literal(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("1, 2, 3", [1, 2, 3]), ("'a', \"b\"", ["a", "b"]), ("1,2.5,", [1, 2.5]), ("[1]", [1])],
)
def test_a_bare_tuple_is_read_where_it_may_stand(text: str, value: list[Any]) -> None:
    assert read_literal(text, bare=True) == value


@pytest.mark.parametrize("text", ["1,", "1, True", "1, None", "1, [2]", "[1], [2]", "True, False"])
def test_a_bare_tuple_holds_two_or_more_numbers_or_strings(text: str) -> None:
    message = "a bare tuple holds two or more numbers or strings"
    found = fault(text, bare=True)
    assert (found.message, found.truncated) == (message, False)


@pytest.mark.requirement("decode-python-literal")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{'a': 1} # done", "unexpected text after the end at line 1 column 10"),
        ("{'a': # one\n1}", "expected a value at line 1 column 7"),
        ("{'a': b'x'}", "expected a value at line 1 column 7"),
        ("{'a': f'x'}", "expected a value at line 1 column 7"),
        ("{'a': r'x'}", "expected a value at line 1 column 7"),
        ("{'a': 'x' 'y'}", "expected a comma or } at line 1 column 11"),
        ("{'a': '''x'''}", "expected a comma or } at line 1 column 9"),
        ("{'a', 'b'}", "expected a colon at line 1 column 5"),
        ("{'a': 1j}", "expected a comma or } at line 1 column 8"),
        ("{'a': 1_000}", "expected a comma or } at line 1 column 8"),
        ("{'a': 0x10}", "expected a comma or } at line 1 column 8"),
        ("{'a': 01}", "expected a comma or } at line 1 column 8"),
        ("{'a': 1.}", "expected a comma or } at line 1 column 8"),
        ("{'a': .5}", "expected a value at line 1 column 7"),
        ("{'a': +1}", "expected a value at line 1 column 7"),
        ("{'a': - 1}", "expected a number at line 1 column 7"),
        ("{'a': 1/6}", "expected a comma or } at line 1 column 8"),
        ("{'a': 5 * 2}", "expected a comma or } at line 1 column 9"),
        ("{'a': '\u0663'.x}", "expected a comma or } at line 1 column 10"),
        ("{'a': \u0663}", "expected a number at line 1 column 7"),
        ("{'a': true}", "expected a value at line 1 column 7"),
        ("{'a': None1}", "expected a comma or } at line 1 column 11"),
        ("{'a': open('x')}", "expected a value at line 1 column 7"),
        ("{'a': __import__('os')}", "expected a value at line 1 column 7"),
        ("{'a': (1)}", "brackets around a single value"),
        ("{1: 2}", "expected a key in quotes at line 1 column 2"),
        ("{'a'\n1}", "expected a colon at line 2 column 1"),
        ("[1 2]", "expected a comma or ] at line 1 column 4"),
        ("[1,,2]", "expected a value at line 1 column 4"),
        ("[,]", "expected a value at line 1 column 2"),
        ("['a\nb']", "expected the end of a string at line 1 column 4"),
        ("['a\0']", "expected the end of a string at line 1 column 4"),
        (r"['\d+']", "unknown escape in a string at line 1 column 4"),
        (r"['\0']", "unknown escape in a string at line 1 column 4"),
        (r"['\N{DIGIT ONE}']", "unknown escape in a string at line 1 column 4"),
        (r"['\x4g']", "expected hexadecimal digits at line 1 column 6"),
        ("[1] [2]", "unexpected text after the end at line 1 column 5"),
        ("\ufeff{}", "expected a value at line 1 column 1"),
        ("lambda: 1", "expected a value at line 1 column 1"),
    ],
)
def test_everything_else_that_python_knows_is_refused(text: str, message: str) -> None:
    found = fault(text)
    assert (found.message, found.truncated) == (f"not a Python literal: {message}", False)


@pytest.mark.requirement("decode-python-literal")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{'a': 1, 'b': 2, 'a': 3}", "key written twice"),
        ("{'a': 1, '\\x61': 3}", "key written twice"),
        ("[1e400]", "number too large"),
        ("[" + "1" * 4301 + "]", "number too large"),
        ("['\\ud800']", "not a character, or a lone surrogate, in a literal"),
        ("['\\ud83d\\ude00']", "not a character, or a lone surrogate, in a literal"),
        ("['\\U00110000']", "not a character, or a lone surrogate, in a literal"),
        ("['\\UFFFFFFFF']", "not a character, or a lone surrogate, in a literal"),
        ("['\ud800']", "lone surrogate in a literal"),
        ("'a'", "expected a dict, list or tuple"),
        ("5", "expected a dict, list or tuple"),
        ("None", "expected a dict, list or tuple"),
        ("[" * 33 + "]" * 33, "nested deeper than 32 levels"),
        ("[" * 60_000, "nested deeper than 32 levels"),
        ("['" + "é" * 32_768 + "']", "literal longer than 65536 bytes"),
    ],
)
def test_the_rules_of_json_text_hold_for_literals_too(text: str, message: str) -> None:
    found = fault(text)
    assert (found.message, found.truncated) == (message, False)


@pytest.mark.parametrize(
    "text",
    [
        "{'path':'a','content':'hel",
        "{'a': Tru",
        "{'a': N",
        "{'a': -",
        "{'a': 1.",
        "{'a': 1e-",
        "{'a': 1",
        "{'a'",
        "{'a': ",
        "{",
        "('a'",
        "['a\\",
        "['a\\x4",
        "['a\\u00",
        "['a\\U0001F",
    ],
)
def test_a_literal_that_merely_stops_is_truncated(text: str) -> None:
    assert fault(text).truncated


def test_depth_and_size_are_settable() -> None:
    assert read_literal("[" * 32 + "]" * 32) is not None
    assert fault("[[]]", max_depth=1).message == "nested deeper than 1 levels"
    assert fault("[1]", max_bytes=2).message == "literal longer than 2 bytes"
