"""marshmallow behind the boundary: strict, in one error language, and nothing trusted."""

from __future__ import annotations

import datetime as dt
import enum
import sys
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from marshmallow import (
    Schema,
    ValidationError,
    fields,
    post_load,
    pre_load,
    validate,
    validates_schema,
)

from tests.installed import at_least, needs
from tests.share import share
from toolhaft import Err, tool, vendors
from toolhaft.spec import Failure, Issue
from toolhaft.testing import agreement
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors.adapter import Adapter, NoVendor
from toolhaft.vendors.marshmallow import adapter as marshmallow


class Item(Schema):
    sku = fields.String(required=True, validate=validate.Regexp(r"^[A-Z]{2}\d{3}$"))
    count = fields.Integer(validate=validate.Range(1, 99), load_default=1)


class Order(Schema):
    id = fields.Integer(required=True)
    price = fields.Decimal()
    day = fields.Date()
    at = fields.DateTime()
    key = fields.UUID()
    mail = fields.Email()
    paid = fields.Boolean()
    items = fields.List(fields.Nested(Item))
    by_name = fields.Dict(keys=fields.String(), values=fields.Nested(Item))
    pair = fields.Tuple((fields.Integer(), fields.String()))
    note = fields.String(allow_none=True)


def adapter() -> Adapter[Any]:
    return vendors.adapt(Order)


def issues(data: Any, schema: Any = Order) -> list[Issue]:
    found = vendors.adapt(schema).validate(data)
    assert isinstance(found, Failure)
    return list(found.issues)


def shown(data: Any, schema: Any = Order) -> list[tuple[str, str]]:
    return [(one.code, str(one)) for one in issues(data, schema)]


def handler(schema: Any, **options: Any) -> AnyTool:
    def shown(given: Any) -> str:
        return repr(given)

    return tool(shown, name="t", description="d", input=schema, **options)


# ----------------------------------------------------------------------------- ownership


def test_a_schema_and_its_class_are_owned_and_nothing_else() -> None:
    assert vendors.find_owner(Order) is marshmallow
    assert vendors.find_owner(Order()) is marshmallow
    assert not any(map(marshmallow.owns, (fields.String(), dict, {}, None, Schema.Meta)))


@pytest.mark.requirement("vendor-nothing-imported")
def test_nothing_is_owned_where_the_library_was_not_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "marshmallow")
    assert not marshmallow.owns(Order)
    assert "marshmallow" not in sys.modules


# ----------------------------------------------------------------------------- strictness


@pytest.mark.requirement("vendor-strict-json")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "3"), ("id", 3.7), ("id", True), ("paid", 1), ("paid", "on"), ("price", "1.5"),
        ("note", 5), ("items", {}), ("day", "20240101"), ("day", "2024-W01-1"),
        ("at", "2024-01-01"), ("key", "{12345678123456781234567812345678}"),
        ("pair", [1]), ("pair", {"a": 1}),
    ],
)  # fmt: skip
def test_values_that_only_marshmallow_would_accept_or_convert_are_rejected(
    key: str, value: Any
) -> None:
    [found] = issues({"id": 1, key: value})
    assert found.path[:1] == (key,)
    assert found.code in ("type", "format", "value")


def test_a_valid_value_is_loaded() -> None:
    found = adapter().validate(
        {"id": 5, "price": 1.25, "day": "2024-02-29", "items": [{"sku": "AB123"}], "note": None}
    )
    assert found
    value: Any = found.value  # type: ignore[union-attr]
    assert value["day"] == dt.date(2024, 2, 29)
    assert str(value["price"]) == "1.25"
    assert value["items"] == [{"sku": "AB123", "count": 1}]
    assert value["note"] is None


def test_a_pattern_means_what_it_means_in_a_schema() -> None:
    text = "AB123\n"  # `$` of Python would let the line end pass
    expected = [("format", "items.0.sku: expected string that matches ^[A-Z]{2}\\d{3}$")]
    assert shown({"id": 1, "items": [{"sku": text}]}) == expected


# ----------------------------------------------------------------------------- issues


@pytest.mark.requirement("vendor-one-error-language")
def test_all_faults_are_found_at_once_with_exact_paths() -> None:
    data = {
        "id": "x",
        "items": [{"sku": "AB123"}, {"count": 0}],
        "by_name": {"a.b": {"sku": 1}, "value": {"count": 2}},
        "pair": ["x", 1],
        "zz": 1,
    }
    assert shown(data) == [
        ("type", "id: expected integer, received string"),
        ("missing", "items.1.sku: required"),
        ("value", "items.1.count: expected at least 1"),
        ("type", "by_name.a.b.sku: expected string, received integer"),
        ("missing", "by_name.value.sku: required"),
        ("type", "pair.0: expected integer, received string"),
        ("type", "pair.1: expected string, received integer"),
        ("extra", "zz: unknown"),
    ]
    assert issues(data)[3].path == ("by_name", "a.b", "sku")


@pytest.mark.requirement("vendor-one-error-language")
def test_format_errors_of_the_library_alone_have_the_same_words() -> None:
    assert shown({"id": 1, "mail": "nobody"}) == [
        ("format", "mail: expected an email address, such as ann@example.com")
    ]
    assert shown({"id": 1, "day": "2024-02-30", "at": "2024-01-01T25:00:00Z"}) == [
        ("format", "day: not a real date (the calendar has no such day)"),
        ("format", "at: expected an ISO date-time, such as 2026-01-31T09:00:00Z"),
    ]


def upper(text: str) -> None:
    if not text.isupper():
        raise ValidationError("write it large")


def few(found: list[Any]) -> None:
    if len(found) > 1:
        raise ValidationError({"count": ["too many"]})


def listed(value: int) -> None:
    if value == 4:
        raise ValidationError(["not four", "never"])
    if value == 5:
        raise ValidationError([{"deep": "not five"}])


class Word(Schema):
    word = fields.String(validate=upper)


class Checked(Schema):
    n = fields.Integer(required=True)
    items = fields.List(fields.Nested(Item), validate=few)
    tree = fields.Dict(values=fields.List(fields.String(validate=upper)))
    nested = fields.Nested(Word)
    plucked = fields.Pluck(Word, "word")
    plucks = fields.Pluck(Word, "word", many=True)
    keyed = fields.Dict(keys=fields.String(validate=upper))
    own = fields.Integer(validate=listed)
    pair = fields.Tuple((fields.String(validate=upper), fields.Integer()))

    @validates_schema
    def whole(self, data: Any, **_: Any) -> None:
        if data.get("n") == 13:
            raise ValidationError("13 is not lucky")
        if data.get("n") == 14:
            raise ValidationError({"n": ["not 14"], "ghost": {"deep": ["no such thing"]}})
        if data.get("n") == 15:
            raise KeyError("a bug")


PARAMETERS = {"type": "object", "properties": {"n": {"type": "integer"}}}


def err(raw: Any, schema: Any = Checked) -> Err:
    outcome = handler(schema, parameters=PARAMETERS).call_sync(raw)
    assert isinstance(outcome, Err)
    return outcome


@pytest.mark.requirement("vendor-lossy-with-parameters")
def test_with_parameters_a_schema_with_losses_is_used_all_the_same() -> None:
    checked = handler(Checked, parameters=PARAMETERS)
    assert checked.call_sync({"n": 3}).unwrap() == "{'n': 3}"
    assert checked.input_schema.json_schema() == PARAMETERS


@pytest.mark.requirement("vendor-lossy-with-parameters")
def test_the_expressible_part_of_such_a_schema_still_applies() -> None:
    found = err({"items": [{"sku": "AB123", "count": "7"}], "pair": ["A", True]})
    assert [(one.path, one.code) for one in found.issues] == [
        (("n",), "missing"),
        (("items", 0, "count"), "type"),
        (("pair", 1), "type"),
    ]


@pytest.mark.requirement("vendor-exact-paths")
def test_an_authors_own_words_come_with_the_path_and_without_the_value() -> None:
    assert [str(one) for one in err({"n": 13}).issues] == ["… is not lucky"]
    assert [str(one) for one in err({"n": 14}).issues] == ["n: not …", "no such thing"]
    found = err({"n": 1, "tree": {"a.b": ["UP", "low"]}, "pair": ["low", 1], "plucked": "AB123"})
    assert [(one.path, one.code) for one in found.issues] == [
        (("tree", "a.b", 1), "custom"),
        (("pair", 0), "custom"),
    ]
    found = err(
        {
            "n": 1,
            "nested": {"word": "low"},
            "plucked": "low",
            "plucks": ["UP", "low"],
            "keyed": {"low": 1},
        }
    )
    assert [(one.path, one.message) for one in found.issues] == [
        (("nested", "word"), "write it large"),
        (("plucked",), "write it large"),
        (("plucks", 1), "write it large"),
        (("keyed", "low"), "write it large"),
    ]
    two = [{"sku": "AB123"}, {"sku": "AB124"}]
    assert [one.path for one in err({"n": 1, "items": two}).issues] == [("items",)]


def test_words_that_an_author_nests_are_read_all_the_same() -> None:
    assert [str(one) for one in err({"n": 1, "own": 4}).issues] == [
        "2nd entry: not four",
        "2nd entry: never",
    ]
    assert [one.path for one in err({"n": 1, "own": 5}).issues] == [("own",)]


# How a validator asks for all items at once: marshmallow 4 renamed it.
OF_ALL: Any = {"pass_collection" if at_least("marshmallow", "4") else "pass_many": True}


@pytest.mark.parametrize(
    "words",
    ["no", ["no"], {"x": "no"}, {"x": ["no"]}, {0: {"x": ["no"]}}, {"_schema": {"a": ["no"]}}],
)
@pytest.mark.parametrize("many", [False, True])
def test_words_of_any_shape_on_the_whole_are_read(words: Any, many: bool) -> None:
    class Whole(Schema):
        n = fields.Integer()

        @validates_schema(**OF_ALL)
        def whole(self, data: Any, **_: Any) -> None:
            raise ValidationError(words)

    adapter = vendors.adapt(Whole(many=many, unknown="include"))
    found = adapter.validate([{"n": 1}] if many else {"n": 1})
    assert isinstance(found, Failure)
    assert [(one.code, one.message) for one in found.issues] == [("custom", "no")]


def test_words_on_an_undeclared_key_are_no_unknown_key() -> None:
    class Whole(Schema):
        @validates_schema
        def whole(self, data: Any, **_: Any) -> None:
            raise ValidationError({"x": ["too strange"], "y": {"deep": ["no"]}})

    found = vendors.adapt(Whole(unknown="include")).validate({"x": 1})
    assert isinstance(found, Failure)
    assert [(one.code, str(one)) for one in found.issues] == [
        ("custom", "x: too strange"),
        ("custom", "no"),
    ]


@pytest.mark.parametrize("words", [{"x": ["no"]}, {0: ["no"]}, {"k": {"value": {"x": ["no"]}}}])
@pytest.mark.parametrize("field", [fields.List(fields.Integer()), fields.Dict(), fields.Integer()])
@pytest.mark.parametrize(
    "hook", ["validate", pytest.param("post_load", marks=needs("marshmallow", "4.3"))]
)
def test_words_of_any_shape_on_a_container_are_read(words: Any, field: Any, hook: str) -> None:
    def refuse(value: Any) -> None:
        raise ValidationError(words)

    data: dict[str, Any] = {"List": [1], "Dict": {"k": 1}, "Integer": 1}
    own = type(field)(*(field.inner,) if hasattr(field, "inner") else (), **{hook: refuse})
    adapter = vendors.adapt(Schema.from_dict({"f": own}))
    found = adapter.validate({"f": data[type(field).__name__]})
    assert isinstance(found, Failure)
    assert [one.message for one in found.issues] == ["no"]


@pytest.mark.requirement("vendor-author-bug")
def test_an_authors_bug_is_a_runtime_error_and_not_the_models_fault() -> None:
    outcome = err({"n": 15})
    assert outcome.kind == "runtime_error"
    assert outcome.error_id is not None
    assert "a bug" not in outcome.text


class Opened(Schema):
    n = fields.Integer(required=True, strict=True)

    @pre_load
    def open(self, data: Any, **_: Any) -> Any:
        return data.get("wrapped", data)


@pytest.mark.requirement("vendor-widened-field")
def test_a_hook_that_reads_the_raw_data_is_given_it() -> None:
    opened = handler(Opened, parameters={"type": "object"})
    assert opened.call_sync({"wrapped": {"n": 4}}).unwrap() == "{'n': 4}"
    found = err({"wrapped": {}}, Opened)
    assert [str(one) for one in found.issues] == ["n: required"]
    assert [(one.code, one.path) for one in err({"n": 1, "x": 2}, Opened).issues] == [
        ("extra", ("x",))
    ]


def test_a_root_of_many_objects_has_a_place_for_each_fault() -> None:
    class Upper(Schema):
        word = fields.String(validate=upper)

    many = handler(Upper(many=True), parameters={"type": "object"})
    found = many.call_sync({"value": [{"word": "UP"}, {"word": "low"}]})
    assert isinstance(found, Err)
    assert [one.path for one in found.issues] == [("value", 1, "word")]


# ----------------------------------------------------------------------------- async


async def later(value: Any) -> bool:
    return value is not None


class Later:
    async def __call__(self, value: Any) -> bool:
        return value is not None


class AsyncHook(Schema):
    n = fields.Integer()

    @post_load
    async def make(self, data: Any, **_: Any) -> Any:
        return data


class AsyncMethod(Schema):
    n = fields.Method(deserialize="read")

    async def read(self, value: Any) -> Any:
        return value


@pytest.mark.requirement("vendor-async-refused")
@pytest.mark.parametrize(
    "schema",
    [
        Schema.from_dict({"n": fields.Integer(validate=later)}),
        Schema.from_dict({"n": fields.Integer(validate=Later())}),
        Schema.from_dict({"n": fields.Function(deserialize=later)}),
        Schema.from_dict({"n": fields.Nested(AsyncHook)}),
        AsyncHook,
        AsyncMethod,
    ],
)
def test_an_async_function_is_refused_at_the_definition(schema: Any) -> None:
    with pytest.raises(NoVendor, match=r"marshmallow: .* is async; use def"):
        vendors.adapt(schema)


@needs("marshmallow", "4.3")
def test_an_async_function_of_a_field_is_refused_at_the_definition() -> None:
    schema = Schema.from_dict({"n": fields.List(fields.Integer(post_load=later))})
    with pytest.raises(NoVendor, match=r"marshmallow: .* is async; use def"):
        vendors.adapt(schema)


def test_a_nested_schema_that_does_not_exist_is_named() -> None:
    with pytest.raises(NoVendor, match=r"marshmallow: GeneratedSchema: .*Nowhere"):
        vendors.adapt(Schema.from_dict({"n": fields.Nested("Nowhere")}))


# ----------------------------------------------------------------------------- results


@dataclass
class Stock:
    sku: Any
    count: Any = 1


class Shop(Schema):
    sku = fields.String(required=True)
    count = fields.Integer(validate=validate.Range(0, 9))
    secret = fields.String(load_only=True)

    @post_load
    def make(self, data: Any, **_: Any) -> Stock:
        return Stock(**data)


def result(value: Any, schema: Any = Shop) -> Any:
    made = tool(lambda: value, name="t", description="d", output=schema)
    return made.call_sync({})


@pytest.mark.requirement("vendor-dump-is-checked")
def test_a_result_is_dumped_by_its_schema_and_the_dump_is_checked() -> None:
    stock = Stock("a", 3)
    outcome = result(stock)
    assert (outcome.value, outcome.json) == (stock, {"sku": "a", "count": 3})
    assert result({"sku": "a", "secret": "s"}).json == {"sku": "a"}
    assert result([Stock("a"), {"sku": "b"}], Shop(many=True)).json == [
        {"sku": "a", "count": 1},
        {"sku": "b"},
    ]


@pytest.mark.requirement("vendor-dump-is-checked")
@pytest.mark.parametrize(
    "value", [Stock("a", 99), Stock(None), {}, Stock("a", "many"), None, "text", [], object()]
)
def test_a_result_that_does_not_fit_is_the_tools_fault(value: Any) -> None:
    outcome = result(value)
    assert isinstance(outcome, Err)
    assert outcome.kind == "output_invalid"


def test_an_object_of_the_program_is_taken_as_arguments_too() -> None:
    shop = handler(Shop)
    assert shop.call_sync(Stock("a", 3)).unwrap() == "Stock(sku='a', count=3)"  # type: ignore[arg-type]


# ----------------------------------------------------------------------------- agreement


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Branch(Schema):
    value = fields.Integer()
    below = fields.List(fields.Nested("Branch"))


class Everything(Schema):
    decimal = fields.Decimal(places=2)
    colour = fields.Enum(Colour)
    by_value = fields.Enum(Colour, by_value=True)
    level = fields.Enum(Level, by_value=fields.Integer)
    period = fields.TimeDelta("hours")
    second = fields.DateTime("timestamp")
    aware = fields.AwareDateTime()
    month = fields.Date("%Y/%m")
    address = fields.IP()
    url = fields.Url()
    raw = fields.Raw(validate=validate.NoneOf([1]))
    names = fields.Dict(keys=fields.String(validate=validate.Length(2, 4)), values=fields.Raw())
    plucked = fields.Pluck(Branch, "value", many=True)
    constant = fields.Constant("x")
    share = fields.Float(validate=validate.Range(0, 1))
    letters = fields.List(fields.String(), validate=validate.ContainsOnly(["a", "b"]))
    flag = fields.Boolean(allow_none=True)


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-loaders-agree")
@pytest.mark.parametrize(
    ("schema", "whole"),
    [
        (Order, 2000),
        (Everything, 1000),
        (Everything(unknown="exclude"), 200),
        (Everything(unknown="include"), 200),
        (Branch, 200),
        (Branch(many=True), 200),
    ],
)
def test_the_schema_and_the_library_agree_on_thousands_of_values(schema: Any, whole: int) -> None:
    values = share(whole)
    found = agreement(handler(schema), values=values)
    assert [str(one) for one in found.disagreements] == []
    assert (found.values, found.unwritten, found.widened) == (values, (), ())
    assert found.mutations >= values


class Prices(Schema):
    price = fields.Decimal(validate=validate.Range(max=10**17))
    each = fields.List(fields.Decimal(allow_none=True))
    share = fields.Float()


@pytest.mark.requirement("exact-integers")
@pytest.mark.parametrize(
    "text", ["12345678901234567.5", "0.12345678901234567890123", "9007199254740993", "1.10"]
)
def test_a_decimal_has_the_digits_of_the_text_to_everyone(text: str) -> None:
    priced = tool(
        lambda data: data, name="price", description="Price.", input=Prices, output=None
    ).replace(requires_approval=True)
    outcome = priced.call_sync(f'{{"price": {text}, "each": [{text}, null], "share": 0.1}}')
    assert isinstance(outcome, Err)
    assert outcome.prepared is not None
    exact = Decimal(text)
    assert outcome.prepared.arguments == {"price": exact, "each": (exact, None), "share": 0.1}
    seen = outcome.prepared.call_sync().unwrap()
    assert repr(seen) == repr({"price": exact, "each": [exact, None], "share": 0.1})


def test_a_decimal_is_held_to_its_bounds_digit_by_digit() -> None:
    priced = tool(lambda data: data, name="price", description="Price.", input=Prices, output=None)
    outcome = priced.call_sync('{"price": 100000000000000000.1}')
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [("price",)]


@pytest.mark.requirement("exact-integers")
def test_a_decimal_with_more_places_than_are_kept_is_refused_and_not_rounded() -> None:
    shape = Schema.from_dict({"price": fields.Decimal(places=2)})
    priced = tool(lambda data: data, name="price", description="Price.", input=shape, output=None)
    assert priced.call_sync('{"price": 1.1}').unwrap() == {"price": Decimal("1.10")}
    refused = priced.call_sync('{"price": 1.005}')
    assert refused.text.endswith("Errors: price: expected a multiple of 0.01")
