"""What the view of a call costs: in the order of the arguments, however they are nested."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any

import attrs
import marshmallow
import msgspec
import pytest
import voluptuous
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypedDict

from tests.call.work import work_of
from toolhaft import Err, Toolset, tool
from toolhaft.observers.audit import AuditLog
from toolhaft.observers.details import unredacted
from toolhaft.serve import asgi

pytestmark = pytest.mark.requirement("view-linear")

MOST = 40_000  # the present way needs less than a tenth of it


class Deep(BaseModel):
    kept: dict[int, Deep] = {}
    span: timedelta = timedelta(0)


class Visit(BaseModel):
    length: timedelta
    guests: int = 2


class Calendar(BaseModel):
    visits: list[Visit]


def one() -> int:
    return 1


def asking(tp: Any, **options: Any) -> Any:
    options = {"requires_approval": True, **options}
    return tool(lambda given: None, name="t", description="T.", input=tp, output=None, **options)


def deep(depth: int) -> dict[str, Any]:
    """Objects in maps with numbers for keys, which end in a text that is respelled."""
    return {"kept": {"1": deep(depth - 1)}} if depth else {"span": "+PT1S"}


def calendar(count: int) -> dict[str, Any]:
    return {"visits": [{"length": f"+PT{at}S"} for at in range(count)]}


def test_a_few_nested_maps_are_little_work() -> None:
    raw = json.dumps(deep(12), separators=(",", ":"))
    assert len(raw) < 217
    nested_tool = asking(Deep)
    assert work_of(lambda: nested_tool.call_sync(raw), MOST) < MOST


def test_a_calendar_is_little_work_where_it_is_logged(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl", values=unredacted)
    tools = Toolset([asking(Calendar, requires_approval=None)], observers=[log])
    sent = calendar(250)
    work = work_of(lambda: tools.call_sync("t", sent), MOST)
    log.close()
    assert work < MOST


def test_a_request_holds_no_other_client_of_a_server() -> None:
    app = asgi(Toolset([asking(Calendar)]))
    body = json.dumps(calendar(250)).encode()

    def post() -> None:
        asyncio.run(_post(app, "/tools/t", body))

    assert work_of(post, MOST) < MOST


async def _post(app: Any, path: str, body: bytes) -> None:
    sent: list[Any] = []
    messages = [{"type": "http.request", "body": body}]

    async def receive() -> Any:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json"), (b"host", b"localhost")]
    await app(
        {"type": "http", "method": "POST", "path": path, "headers": headers, "query_string": b"",
         "client": ("127.0.0.1", 1), "server": ("localhost", 80), "scheme": "http",
         "http_version": "1.1", "raw_path": path.encode(), "root_path": ""},
        receive,
        send,
    )  # fmt: skip
    assert sent[0]["status"] < 500


# ------------------------------------------------------------------- growth


def upper(value: str) -> str:
    return value.upper()


def reordered(value: list[Any]) -> list[Any]:
    return value[::-1]


def model(*, makes: bool, changes: bool) -> Any:
    class Row(BaseModel):
        day: date
        note: Annotated[str, AfterValidator(upper)] if changes else str = "none"  # type: ignore[valid-type]
        id: int = Field(default_factory=one) if makes else 1

    class Rows(BaseModel):
        rows: Annotated[list[Row], AfterValidator(reordered)] if changes else list[Row]  # type: ignore[valid-type]

    return Rows


def struct(*, makes: bool, changes: bool) -> Any:
    class Row(msgspec.Struct):
        day: date
        note: str = "none"
        id: int = msgspec.field(default_factory=one) if makes else 1

        def __post_init__(self) -> None:
            self.note = upper(self.note) if changes else self.note

    return msgspec.defstruct("Rows", [("rows", list[Row])])


def attrs_class(*, makes: bool, changes: bool) -> Any:
    converter: Any = upper if changes else None

    @attrs.define
    class Row:
        day: date
        note: str = attrs.field(default="none", converter=converter)  # type: ignore[misc]
        id: int = attrs.field(factory=one) if makes else 1

    return attrs.make_class("Rows", {"rows": attrs.field(type=list[Row])})


def dataclass(*, makes: bool, changes: bool) -> Any:
    text: Any = Annotated[str, AfterValidator(upper)] if changes else str
    id_field: Any = dataclasses.field(default_factory=one if makes else int)
    row = dataclasses.make_dataclass(
        "Row", [("day", date), ("note", text, "none"), ("id", int, id_field)]
    )
    return dataclasses.make_dataclass("Rows", [("rows", list[row])])  # type: ignore[valid-type]


def typed_dict(*, makes: bool, changes: bool) -> Any:
    text: Any = Annotated[str, AfterValidator(upper)] if changes else str
    number: Any = Annotated[int, Field(default_factory=one) if makes else Field(1)]
    keys = {"day": date, "note": Annotated[text, Field("none")], "id": number}
    make: Any = TypedDict
    row: Any = make("Row", keys)
    return make("Rows", {"rows": GenericAlias(list, (row,))})


def schema(*, makes: bool, changes: bool) -> Any:
    def post_load(self: Any, data: Any, **_: Any) -> Any:
        return {**data, "note": upper(data["note"])} if changes else data

    fields = {
        "day": marshmallow.fields.Date(required=True),
        "note": marshmallow.fields.String(load_default="none"),
        "id": marshmallow.fields.Integer(load_default=one if makes else 1),
        "post_load": marshmallow.post_load(post_load),
    }
    row = type("Row", (marshmallow.Schema,), fields)
    rows = marshmallow.fields.List(marshmallow.fields.Nested(row), required=True)
    return type("Rows", (marshmallow.Schema,), {"rows": rows})


def loader(*, makes: bool, changes: bool) -> Any:
    del changes  # a function of an author's is not in its schema
    row = {
        voluptuous.Required("day"): str,
        voluptuous.Optional("note", default="none"): str,
        voluptuous.Optional("id", default=one if makes else 1): int,
    }
    return voluptuous.Schema({voluptuous.Required("rows"): [row]})


EVERY: list[Callable[..., Any]] = [
    model, struct, attrs_class, dataclass, typed_dict, schema, loader,
]  # fmt: skip


def rows(count: int) -> dict[str, Any]:
    """Rows whose order no validator keeps, each of which could be made of another."""
    return {"rows": [{"day": f"{1900 + at % 50}-01-02"} for at in range(count)]}


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("makes", [False, True])
@pytest.mark.parametrize("make", EVERY)
def test_twice_the_rows_are_twice_the_work(
    make: Callable[..., Any], makes: bool, changes: bool
) -> None:
    prepared = asking(make(makes=makes, changes=changes))

    def run(count: int) -> Any:
        sent = rows(count)
        waiting = prepared.call_sync(sent)
        assert isinstance(waiting, Err)
        assert waiting.prepared is not None
        return waiting.prepared.digest

    small, large = (work_of(lambda count=count: run(count)) for count in (200, 400))  # type: ignore[misc]
    assert large <= 2.3 * small


class Tree(BaseModel):
    inner: list[Tree] = []
    spans: dict[int, timedelta] = {}
    id: int = Field(default_factory=one)


class Branch(msgspec.Struct):
    inner: list[Branch] = []
    spans: dict[int, timedelta] = {}
    id: int = msgspec.field(default_factory=one)


@attrs.define
class Limb:
    inner: list[Limb] = attrs.field(factory=list)
    spans: dict[int, timedelta] = attrs.field(factory=dict)
    id: int = attrs.field(factory=one)


def nested(depth: int) -> dict[str, Any]:
    """Objects in lists, which end in a text that is respelled."""
    return {"inner": [nested(depth - 1), {}]} if depth else {"spans": {"1": "+PT1S"}}


@pytest.mark.parametrize("tp", [Tree, Branch, Limb])
def test_twice_the_depth_is_twice_the_work(tp: Any) -> None:
    prepared = asking(tp)
    small, large = (
        work_of(lambda depth=depth: prepared.call_sync(nested(depth)))  # type: ignore[misc]
        for depth in (6, 12)
    )
    assert large <= 2.3 * small
