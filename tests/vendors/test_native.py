"""Schemas of the protocol by any author: synchronous, awaitable, broken."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable
from typing import Any

import pytest

from toolhaft.spec import Failure, Issue, SchemaNotConvertible, Success
from toolhaft.vendors import native
from toolhaft.vendors.adapter import NoVendor

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class Accepted:
    """Somebody else's success: recognised by its value."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Fault:
    def __init__(self, **given: Any) -> None:
        self.__dict__ = given


class Refused:
    """Somebody else's failure: recognised by its issues."""

    def __init__(self, *issues: Fault) -> None:
        self.issues = issues


class Key:
    def __init__(self, key: Any) -> None:
        self.key = key


class Schema:
    version = 1
    vendor = "theirs"

    def __init__(self, result: Any = None) -> None:
        self.result = result

    def validate(self, value: Any, /) -> Any:
        return Accepted(value) if self.result is None else self.result

    def json_schema(self, *, target: str, mode: str) -> Any:
        return {**SCHEMA, "description": f"{target} {mode}"}


class Later(Schema):
    async def validate(self, value: Any, /) -> Any:
        return super().validate(value)


class Promised(Schema):
    def validate(self, value: Any, /) -> Awaitable[Any]:
        return Later(self.result).validate(value)


class Surprising(Schema):
    def validate(self, value: Any, /) -> Any:
        return Later(self.result).validate(value)


def failure(schema: Schema, data: Any) -> tuple[Issue, ...]:
    result = native.adapter(schema).validate(data)
    assert isinstance(result, Failure)
    return result.issues


@pytest.mark.requirement("vendor-native-schemas")
def test_a_schema_or_its_carrier_is_taken_as_it_is() -> None:
    class Carrier:
        __standard_schema__ = Schema()

    for tp in (Schema(), Carrier, Carrier()):
        assert native.owns(tp)
        adapter = native.adapter(tp)
        assert adapter.vendor == "theirs"
        assert adapter.construct({"n": 1}) == {"n": 1}
        assert adapter.emit("output") == {**SCHEMA, "description": "draft-2020-12 output"}


def test_an_adapter_of_ours_is_itself() -> None:
    adapter = native.adapter(Schema())
    assert native.adapter(adapter) is adapter


def test_the_result_of_the_schema_is_the_value() -> None:
    class Twice(Schema):
        def validate(self, value: Any, /) -> Any:
            return Success(value["n"] * 2)

    assert native.adapter(Twice()).construct({"n": 2}) == 4


def test_issues_are_read_from_anybodys_objects() -> None:
    theirs = Refused(
        Fault(message="too small", path=("n",), code="value", expected=5, vendor_code="min"),
        Fault(message="odd", path=[Key("a"), Key(0), 1.5], code="strange"),
        Fault(message="whole"),
    )
    assert failure(Schema(theirs), {"n": 1}) == (
        Issue("too small", ("n",), "value", vendor_code="min"),
        Issue("odd", ("a", 0, "1.5"), "custom"),
        Issue("whole"),
    )


def test_data_that_the_shown_schema_refuses_never_reaches_the_validator() -> None:
    assert [str(issue) for issue in failure(Schema(), {"n": "1"})] == [
        "n: expected integer, received string"
    ]


@pytest.mark.parametrize("result", [5, Fault(), Fault(issues=()), Refused()])
def test_a_result_of_neither_shape_is_its_authors_bug(result: Any) -> None:
    with pytest.raises(TypeError, match="neither success nor failure"):
        native.adapter(Schema(result)).validate({"n": 1})


def test_an_exception_of_the_validator_passes_through() -> None:
    class Broken(Schema):
        def validate(self, value: Any, /) -> Any:
            raise KeyError(value)

    with pytest.raises(KeyError):
        native.adapter(Broken()).validate({"n": 1})


# ----------------------------------------------------------------------------- awaitables


@pytest.mark.requirement("vendor-awaitable-validate")
@pytest.mark.parametrize("kind", [Later, Promised])
def test_an_awaitable_result_is_awaited(kind: type[Schema]) -> None:
    adapter = native.adapter(kind())
    assert adapter.awaits
    assert asyncio.run(adapter.construct_awaited({"n": 1})) == {"n": 1}


@pytest.mark.requirement("vendor-awaitable-validate")
@pytest.mark.parametrize("kind", [Later, Promised, Surprising])
def test_an_awaitable_result_is_a_clear_error_where_nothing_can_wait(kind: type[Schema]) -> None:
    with pytest.raises(TypeError, match="theirs: validate is asynchronous; use the async methods"):
        native.adapter(kind()).construct({"n": 1})


def test_a_future_that_cannot_be_closed_is_the_same_error() -> None:
    class Never:
        def __await__(self) -> Any:
            raise AssertionError

    with pytest.raises(TypeError, match="use the async methods"):
        native.adapter(Schema(Never())).construct({"n": 1})


def test_validating_asynchronously_returns_an_awaitable() -> None:
    async def results() -> tuple[Any, Any]:
        good = native.adapter(Later()).validate({"n": 1})
        bad = native.adapter(Later(Refused(Fault(message="no")))).validate({"n": 1})
        assert inspect.isawaitable(good)
        assert inspect.isawaitable(bad)
        return await good, await bad

    good, bad = asyncio.run(results())
    assert isinstance(good, Success)
    assert good.value == {"n": 1}
    assert isinstance(bad, Failure)
    assert bad.issues == (Issue("no"),)


def test_a_synchronous_schema_can_be_awaited_as_well() -> None:
    assert asyncio.run(native.adapter(Schema()).construct_awaited({"n": 1})) == {"n": 1}


# ----------------------------------------------------------------------------- emission


def test_a_schema_without_json_schema_needs_parameters() -> None:
    class Silent:
        version = 1
        vendor = "silent"

        def validate(self, value: Any, /) -> Any:
            return Success(value)

    adapter = native.adapter(Silent())
    with pytest.raises(NoVendor, match="silent writes no JSON Schema; give it as parameters="):
        adapter.emit("input")
    assert adapter.construct(5) == 5


@pytest.mark.parametrize(
    ("made", "words"),
    [({}, "is empty"), (None, "is empty"), ({"type": {1}}, "is not JSON")],
)
def test_an_unusable_json_schema_is_refused(made: Any, words: str) -> None:
    class Odd(Schema):
        def json_schema(self, *, target: str, mode: str) -> Any:
            return made

    with pytest.raises(NoVendor, match=words):
        native.adapter(Odd()).emit("input")


def test_a_schema_that_cannot_be_converted_raises_and_still_validates() -> None:
    class Unwritten(Schema):
        def json_schema(self, *, target: str, mode: str) -> Any:
            raise SchemaNotConvertible("a function")

    adapter = native.adapter(Unwritten())
    with pytest.raises(SchemaNotConvertible, match="a function"):
        adapter.emit("input")
    assert adapter.construct(5) == 5


def test_a_dump_is_the_schemas_own_where_it_has_one() -> None:
    class Dumping(Schema):
        def dump(self, value: Any, /) -> Any:
            return {"n": value}

    assert native.adapter(Dumping()).dump(1) == {"n": 1}
    assert native.adapter(Schema()).dump(1) == 1


@pytest.mark.parametrize("version", [2, None])
def test_another_version_of_the_protocol_is_refused(version: Any) -> None:
    class Other(Schema):
        pass

    Other.version = version
    with pytest.raises(NoVendor, match="Other is not a standard schema of version 1"):
        native.adapter(Other())
