"""A primitive in C rejects everything that its twin in Python rejects; plain data are alike."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import date
from random import Random
from typing import Any

import pytest
from pydantic_core import to_json

from tests.native.agreement import compare
from tests.native.samples import date_like
from tests.share import share
from toolhaft.jsonio import jsontext, plaindata
from toolhaft.jsonio.canonical import write_in_python
from toolhaft.jsonio.plaindata import MAX_VALUES
from toolhaft.jsonio.primitives import native, plain_copy, write_canonical, write_plain
from toolhaft.schema.checker import Checker
from toolhaft.schema.engine import matcher
from toolhaft.schema.format_patterns import PATTERNS
from toolhaft.schema.shape import KINDS, Shape, shape_of

pytestmark = pytest.mark.skipif(not native, reason="built without the primitives in C")


@pytest.mark.unmeasured
def test_primitives_and_their_twins_agree_on_random_data_and_text() -> None:
    counts: Counter[str] = Counter()
    assert compare(share(20_000), "tests", counts) == []
    for what in ("values that fit", "texts that fit", "plain values"):
        assert counts[what] > counts["values"] / 5, counts
    assert counts["values with keys that are dropped"] > counts["values"] / 200, counts


@pytest.mark.unmeasured
def test_dates_are_those_of_the_patterns() -> None:
    random = Random("dates")
    for name in ("date", "date-time"):
        schema = {"properties": {"at": {"type": "string", "pattern": PATTERNS[name]}}}
        shape, matches = shape_of(Checker(schema), whole_floats=False), matcher(PATTERNS[name])
        right, count = 0, share(20_000)
        for _ in range(count):
            text = date_like(random)
            verdict = matches(text)
            right += verdict
            assert (shape.fits({"at": text}), text) == (verdict, text)
            assert (shape.fits_text(json.dumps({"at": text})), text) == (verdict, text)
        assert count / 20 < right < count * 0.95


def test_each_day_of_a_calendar_is_a_date_and_no_other() -> None:
    schema = {"properties": {"at": {"type": "string", "pattern": PATTERNS["date"]}}}
    fits = shape_of(Checker(schema), whole_floats=False).fits
    for year in (0, 1, 4, 1900, 2000, 2023, 2024, 9999):
        for month in range(14):
            for day in range(33):
                text = f"{year:04}-{month:02}-{day:02}"
                assert (fits({"at": text}), text) == (_is_day(text), text)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    "data",
    [
        {}, [], "", None, True, False, 0, -1, 2**63 - 1, -(2**63), 0.0, -0.0, 0.1, 1e-4, 1e15,
        9999999999999998.0, "".join(map(chr, range(0x100))), "\u2028\uffff\U0001f600", "é" * 600,
        {"a": [1, {"b": None}, [[]]], "": {"c": [True, 1.5]}, 'x"y': "\\"}, [0] * 2_000,
    ],
    ids=range(21),
)  # fmt: skip
def test_plain_data_are_written_as_pydantic_writes_them(data: Any) -> None:
    assert write_plain(data) == to_json(data).decode()


DEEP: Any = json.loads("[" * 40 + "]" * 40)


@pytest.mark.parametrize(
    "data",
    [1e16, 9e-5, float("nan"), 2**63, "\ud800", {"\ud800": 1}, {1: 2}, (1,), [object()], DEEP],
    ids=range(10),
)
def test_what_the_writers_may_differ_in_is_left_to_the_other_one(data: Any) -> None:
    assert write_plain(data) is None


@pytest.mark.parametrize(
    "data",
    [
        {}, [], "", None, True, 0, -1, 2**53, -(2**53), 0.0, -0.0, 5.0, -3.0, 0.1, -2.5, 1e-4,
        4503599627370495.5, "".join(map(chr, range(0x100))), "\u2028\uffff\U0001f600",
        {"b": 1.0, "a": [2, {"d": None, "c": [[]]}], "": {"B": 1, "A": 2, "AA": 3}}, {"é": 1},
        {str(index): [index] for index in range(500, 0, -1)},
    ],
    ids=range(22),
)  # fmt: skip
def test_plain_data_are_written_canonically_as_in_python(data: Any) -> None:
    assert write_canonical(data) == write_in_python(data)


@pytest.mark.parametrize(
    "data",
    [
        9007199254740992.0, 1e21, 1e16, 9e-5, float("nan"), float("inf"), 2**53 + 1, "\ud800",
        {"\ud800": 1, "a": 2}, {"é": 1, "a": 2}, {"\U0001f600": 1, "\uffff": 2}, {1: 2},
        {1: 2, 3: 4}, (1,), [object()], DEEP,
    ],
    ids=range(16),
)  # fmt: skip
def test_what_sorts_or_reads_otherwise_is_left_to_the_canonical_writer_in_python(
    data: Any,
) -> None:
    assert write_canonical(data) is None


SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "maxLength": 6},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "price": {"type": "number"},
        "units": {"anyOf": [{"enum": ["C", "F"]}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["city"],
    "additionalProperties": False,
}
RIGHT = [
    '{"city": "Paris"}',
    ' {"city":"\\u00e9\\n\\"\\\\\\/", "days":14 ,"price":-0.5e-3}\r\n',
    '{"price": 1e308, "city": "\U0001f600", "units": null, "tags": []}',
    '{"tags": ["", "\\ud83d\\ude00"], "units": "F", "city": "Zürich"}',
    '{"city": "", "price": 12345678901234567890}',
]
BROKEN = [
    "", "{", "[]", "null", '{"city"}', '{"city":}', '{,"city": "Paris"}', '{"days": 3}',
    '{"city": "Paris\t"}', '{"city": "Par\\x"}', '{"city": "\\ud83d"}',
    '{"city": "\\ude00\\ud83d"}', '{"city": "\\u12"}', '{"city": "a\x00b"}',
    '{"city": "Parisian"}', '{"city": tru}', '{"city": true}', '\ufeff{"city": "Paris"}',
    '{"city": "\ud800"}', "{'city': 'Paris'}",
]  # fmt: skip
WRONG = [
    f'{{"city": "Paris"{rest}' for rest in (
        ",}", "}}", "} x", ', "city": "Rome"}', ', "days": 0}', ', "days": 15}', ', "days": 1.5}',
        ', "days": 01}', ', "days": +1}', ', "days": 1.}', ', "days": -}', ', "price": .5}',
        ', "price": 1e}', ', "price": 1e999}', ', "price": NaN}', ', "units": "K"}',
        ', "tags": ["a", "b", "c"]}', ', "tags": ["a",]}', ', "tags": [1]}', ', "town": 1}',
        "\x0c}",
    )
]  # fmt: skip


def shapes() -> tuple[Any, Any]:
    checker = Checker(SCHEMA)
    return shape_of(checker, whole_floats=False), Shape(checker, whole_floats=False)


@pytest.mark.parametrize("text", RIGHT)
def test_right_text_fits(text: str) -> None:
    data = jsontext.read(text)
    assert [(it.fits(data), it.fits_text(text)) for it in shapes()] == [(True, True)] * 2


@pytest.mark.parametrize("text", [*BROKEN, *WRONG], ids=range(len([*BROKEN, *WRONG])))
def test_text_that_the_reader_or_the_schema_refuses_does_not_fit(text: str) -> None:
    assert [it.fits_text(text) for it in shapes()] == [False, False]


def test_what_is_no_text_and_no_dict_does_not_fit() -> None:
    native_shape, twin = shapes()
    for value in (None, 5, b'{"city": "Paris"}', [], "{}", object()):
        assert (native_shape.fits(value), twin.fits(value)) == (False, False)
    assert native_shape.fits_text(b"{}") is False


@pytest.mark.parametrize("name", KINDS)
def test_a_value_fits_where_its_type_is_named_and_nowhere_else(name: str) -> None:
    values = [None, True, 1, 1.5, "a", [1], {"a": 1}]
    checker = Checker({"type": "object", "properties": {"x": {"type": name}}})
    for shape in (shape_of(checker, whole_floats=False), Shape(checker, whole_floats=False)):
        taken = [value for value in values if shape.fits({"x": value})]
        assert taken == [value for value in values if checker.accepts({"x": value})]


def test_arguments_are_objects_and_other_data_may_be_lists() -> None:
    for is_object, fits in ((True, [True, False]), (False, [True, True])):
        options = {"whole_floats": False, "is_object": is_object}
        for make in (shape_of, Shape):
            shape = make(Checker({}), **options)
            assert [shape.fits({}), shape.fits([])] == fits


def test_names_that_are_escaped_are_left_to_the_reader() -> None:
    native_shape, twin = shapes()
    text = '{"c\\u0069ty": "Paris"}'
    assert (native_shape.fits_text(text), twin.fits_text(text)) == (False, True)


OPEN = {"type": "object", "properties": {"n": {"type": "integer"}, "x": {}}}


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('{"n": 1, "more": {"a": [1, {"b": null}], "c": -1.5e3}, "x": [true, "\\u00e9"]}', True),
        ('{"a": 1, "n": 2, "b": 1}', True),
        ('{"a": 1, "n": 2, "a": 1}', False),
        ('{"x": {"a": 1, "b": 2, "a": 3}}', False),
        ('{"x": [{"n": "a"}, {"n": "b"}]}', True),
        ('{"x": 1e999}', False),
        ('{"x": "\\ud800"}', False),
        ('{"x": [1,]}', False),
    ],
)
def test_undeclared_keys_and_values_of_any_type_are_looked_at_in_text(
    text: str, fits: bool
) -> None:
    checker = Checker(OPEN)
    both = shape_of(checker, whole_floats=False), Shape(checker, whole_floats=False)
    assert [it.fits_text(text) for it in both] == [fits, fits]


def test_bounds_of_lengths_may_be_beyond_the_numbers_of_c() -> None:
    properties = {
        "a": {"minLength": 1 << 63},
        "b": {"maxLength": 10**30},
        "c": {"maxItems": 10**30},
    }
    checker = Checker({"properties": properties})
    values: list[dict[str, Any]] = [{"a": "x"}, {"b": "x"}, {"c": []}]
    for shape in (shape_of(checker, whole_floats=False), Shape(checker, whole_floats=False)):
        assert list(map(shape.fits, values)) == [False, True, True]


@pytest.mark.parametrize("count", [32, 33, 64, 65, 700, 20_000])
def test_of_very_many_keys_none_may_be_there_twice(count: int) -> None:
    names = [f"k{n}" for n in range(count)]
    declared = {"properties": {name: {"type": "integer"} for name in names}}
    schemas = [OPEN, declared] if count <= 700 else [OPEN]
    members = [f'"{name}": 1' for name in Random(count).sample(names, count)]
    for schema in schemas:
        checker = Checker(schema)
        for fits, sent in ((True, members), (False, [*members, f'"{names[count // 2]}": 2'])):
            text = f"{{{', '.join(sent)}}}"
            assert shape_of(checker, whole_floats=False).fits_text(text) is fits
            assert Shape(checker, whole_floats=False).fits_text(text) is fits


def test_names_that_are_chosen_to_meet_each_other_end_the_look() -> None:
    # 2^32 names have one hash; of the places in a table there are far fewer.
    names = (f"n{n:07}" for n in range(400_000))
    met = [name for name in names if place_of(name) % 8192 == 0][:70]
    assert len(met) > 40
    text = json.dumps(dict.fromkeys([*met, *(f"k{n}" for n in range(4_000 - len(met)))], 1))
    shape_of(Checker(OPEN), whole_floats=False).fits_text(text)


def place_of(name: str) -> int:
    """The hash of a name, as native/scan.c has it."""
    place = 0xCBF29CE484222325
    for byte in name.encode():
        place = (place ^ byte) * 0x100000001B3 % 2**64
    return place ^ place >> 32


TREE = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "sub": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["n"],
    "additionalProperties": False,
}


def both(schema: Any, *, whole_floats: bool = False) -> tuple[Any, Any]:
    checker = Checker(schema)
    return (
        shape_of(checker, whole_floats=whole_floats), Shape(checker, whole_floats=whole_floats),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "fits"),
    [
        ({"n": 1, "sub": [{"n": 2, "sub": [{"n": 3}]}]}, True),
        ({"n": 1, "sub": [{"n": 2, "sub": [{"n": "3"}]}]}, False),
        ({"n": 1, "sub": [{"n": 2, "sub": [{"n": 3.0}]}]}, False),
        ({"n": 1, "sub": [{"n": 2, "sub": [{}]}]}, False),
        ({"n": 1, "sub": [{"n": 2, "more": 1}]}, False),
    ],
)
def test_a_schema_that_holds_itself_is_looked_along(data: Any, fits: bool) -> None:
    for it in both(TREE):
        assert (it.fits(data), it.fits_text(json.dumps(data))) == (fits, fits)


def test_a_schema_that_is_nothing_but_itself_is_left_to_the_engine() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"anyOf": [
        {"$ref": "#/$defs/a"}, {"type": "integer"}]}}}  # fmt: skip
    assert [it.fits({"a": 1}) for it in both(schema)] == [True, True]


def test_branches_that_multiply_with_depth_are_given_up() -> None:
    forms = [
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}, "x": {"const": word}}}
        for word in ("p", "q")
    ]
    schema = {"properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"anyOf": [
        *forms, {"type": "null"}]}}}  # fmt: skip
    data: Any = {"a": None, "x": "no"}
    for _ in range(28):
        data = {"a": data, "x": "no"}
    native_shape, _ = both(schema)
    assert (native_shape.fits({"a": data}), native_shape.fits_text(json.dumps({"a": data}))) == (
        False, False,
    )  # fmt: skip


UNION = {
    "type": "object",
    "properties": {
        "form": {
            "oneOf": [
                {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}},
                 "required": ["kind"]},
                {"type": "object", "properties": {"kind": {"const": "b"}, "n": {"type": "number"}},
                 "required": ["kind"]},
            ]
        }
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("form", "fits"),
    [
        ({"kind": "a", "n": 1}, True),
        ({"kind": "b", "n": 1.5}, True),
        ({"kind": "b", "n": 5.0}, False),
        ({"kind": "b", "n": 4503599627370497.5}, False),
        ({"kind": "a", "n": 1.5}, False),
        ({"kind": "c"}, False),
        ({"n": 1}, False),
    ],
)
def test_of_a_union_that_mixes_numbers_whole_floats_are_settled_first(
    form: Any, fits: bool
) -> None:
    for it in both(UNION):
        assert (it.fits({"form": form}), form) == (fits, form)
    text = json.dumps({"form": form})
    assert both(UNION)[0].fits_text(text) is fits
    assert not fits or both(UNION)[1].fits_text(text)


INTEGER = {"type": "integer"}
# Two forms, and how a number is held where one asks for an integer and the other for none.
MIXING: dict[str, tuple[list[dict[str, Any]], Callable[[float], Any]]] = {
    "numbers": ([{"type": "number"}, INTEGER], lambda number: number),
    "lists": (
        [{"type": "array"}, {"type": "array", "items": INTEGER}], lambda number: [number],
    ),
    "objects": (
        [{"$ref": "#"}, {"type": "object", "properties": {"x": INTEGER}}],
        lambda number: {"x": number},
    ),
}  # fmt: skip


@pytest.mark.parametrize("held", MIXING)
@pytest.mark.parametrize("number", [2.5, 5.0, 2.0**53 - 1, 2.0**53, 1e30])
def test_of_a_union_that_mixes_numbers_no_float_is_an_integer_that_is_not_exact(
    number: float, held: str
) -> None:
    forms, holding = MIXING[held]
    native_shape, twin = both({"properties": {"n": {"anyOf": forms}}}, whole_floats=True)
    data = {"n": holding(number)}
    assert native_shape.fits(data) is twin.fits(data) is (number < 2**53)
    assert native_shape.fits_text(json.dumps(data)) <= (number < 2**53)


def test_of_forms_that_no_value_has_both_of_one_decides() -> None:
    apart = {"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}
    mixed = {"properties": {"a": {"oneOf": [{"type": "number"}, {"type": "integer"}]}}}
    loose = [{"properties": {"kind": {"const": word}}} for word in "ab"]
    for schema, value, fits in (
        (apart, "x", True), (apart, 1, True), (apart, None, False), (mixed, 1.5, True),
        (mixed, 1, False), ({"properties": {"a": {"oneOf": loose}}}, {}, False),
        ({"properties": {"a": {"oneOf": loose}}}, {"kind": "a"}, True),
        ({"properties": {"a": {"oneOf": loose}}}, 5, False),
        ({"properties": {"a": {"anyOf": [{"type": "string"}]}}}, None, False),
        ({"properties": {"a": {"oneOf": [{"$ref": "#/$defs/n"}]}}, "$defs": {"n": {"minimum": 1}}},
         0, False),
    ):  # fmt: skip
        assert [it.fits({"a": value}) for it in both(schema)] == [fits, fits]


@pytest.mark.parametrize("value", [2.0**53, -(2.0**53), 1e20, 2.0**53 - 1, 5.0, 0.5])
def test_whole_floats_stand_for_integers_as_far_as_they_are_exact(value: float) -> None:
    fits = value.is_integer() and abs(value) < 2**53
    for it in both({"properties": {"n": {"type": "integer"}}}, whole_floats=True):
        assert it.fits({"n": value}) is fits


@pytest.mark.parametrize("value", [0.1, 5.0, 2.5])
def test_the_float_of_a_decimal_is_left_to_the_pipeline(value: float) -> None:
    node = {"type": "integer", "x-toolhaft": {"decimal": True}}
    for it in both({"properties": {"n": node}}, whole_floats=True):
        assert (it.fits({"n": value}), it.fits({"n": 5})) == (False, True)


@pytest.mark.parametrize("bound", [0.1, 1e-5, 9007199254740991, 7, 0.30000000000000004])
@pytest.mark.parametrize("sign", ["", "-"])
def test_long_numbers_are_held_to_their_bounds_as_their_floats_are(bound: float, sign: str) -> None:
    random = Random(f"{bound}{sign}")
    schema = {"properties": {"x": {"type": "number", "minimum": -bound, "maximum": bound}}}
    for _ in range(2_000):
        number = bound + random.choice((0, 1e-18, -1e-18, 1e-16, -1e-16)) * bound
        digits = random.randint(14, 25)
        text = f'{{"x": {sign}{number:.{digits}{random.choice("fe")}}}}'
        native_shape, twin = both(schema)
        assert (native_shape.fits_text(text), text) == (twin.fits_text(text), text)


@pytest.mark.parametrize("sizes", [[600, *[2] * 998], [1] * 1_000, [300_000, 1], [10] * 40_000])
def test_groups_of_unequal_size_share_one_room(sizes: list[int]) -> None:
    data = {"groups": [[0] * size for size in sizes]}
    fits = sum(sizes) + len(sizes) + 1 <= MAX_VALUES
    for it in both({"type": "object"}):
        assert it.fits(data) is fits
    assert [copy(data) is not None for copy in (plain_copy, plaindata.plain_copy)] == [fits, fits]
    assert plaindata.is_plain(data) is fits


def test_one_list_counts_wherever_it_stands() -> None:
    data: Any = [0] * 10
    for _ in range(20):
        data = [data, data]
    for it in both({"type": "object"}):
        assert not it.fits({"a": data})
    assert [copy({"a": data}) for copy in (plain_copy, plaindata.plain_copy)] == [None, None]


@pytest.mark.parametrize("levels", range(30, 36))
def test_depth_is_bounded_alike(levels: int) -> None:
    checker = Checker({"type": "object"})
    native_shape, twin = shape_of(checker, whole_floats=False), Shape(checker, whole_floats=False)
    data: Any = {}
    for _ in range(levels - 1):
        data = {"a": data}
    text = json.dumps(data)
    assert native_shape.fits(data) is twin.fits(data) is (levels <= 32)
    assert native_shape.fits_text(text) is twin.fits_text(text) is (levels <= 32)


def test_text_of_a_megabyte_and_of_a_thousand_levels_is_refused_without_harm() -> None:
    native_shape, twin = shapes()
    for text in ('{"tags": ' + "[" * 1000, '{"city": "' + "a" * (1 << 20) + '"}', "[" * (1 << 20)):
        assert (native_shape.fits_text(text), twin.fits_text(text)) == (False, False)
