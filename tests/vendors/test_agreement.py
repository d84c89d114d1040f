"""A vendor accepts what its schema accepts and nothing else, in ten shapes; here a slice of it.

The whole, at least 2,000 values a vendor, is `make agreement`.
"""

from __future__ import annotations

import enum
from datetime import date, time
from typing import Annotated, Any, Literal, Union
from uuid import UUID

import msgspec
import pydantic
import pytest
from pydantic import Field

from tests.vendors.agreement import audits, counted, line
from tests.vendors.one_field import holder
from tests.vendors.shaped import LACKS, NAMES, VENDORS, shape
from toolhaft import tool
from toolhaft.testing import agreement

VALUES = 20
CASES = [(vendor, name) for vendor in VENDORS for name in NAMES if (vendor, name) not in LACKS]


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-agreement")
@pytest.mark.parametrize(("vendor", "name"), CASES)
def test_a_vendor_and_its_schema_agree(vendor: str, name: str) -> None:
    found = agreement(shape(vendor, name), values=VALUES, seed=1)
    assert found.disagreements == ()
    assert (found.values, found.widened, found.unreadable) == (VALUES, (), ())
    assert found.mutations > 3 * VALUES


@pytest.mark.requirement("vendor-agreement")
def test_the_table_has_a_line_of_figures_for_a_vendor() -> None:
    found = audits("msgspec", 2, 0)
    assert counted(found) == {}
    assert line("msgspec", found).split()[:7] == ["msgspec", "10", "20", "190", "0", "0", "0"]


class Flag(enum.IntFlag):
    READ = 1
    WRITE = 2


class Word(enum.Enum):
    A = "a"
    B = "b"


class Alone(msgspec.Struct, tag="alone", tag_field="kind"):
    n: int


EVERYWHERE: list[Any] = [
    dict[int, str],
    dict[float, int],
    dict[Literal["a", "b"], int],
    dict[Word, int],
    dict[UUID, int],
    dict[date, int],
    Union[list[int], str],  # noqa: UP007 - as some write it
    frozenset[Word],
    tuple[int, ...],
]
PYDANTICS: list[Any] = [
    Annotated[float, Field(multiple_of=0.1)],
    Annotated[bytes, Field(min_length=2)],
    dict[Annotated[str, Field(pattern="^a")], int],
    pydantic.UUID4,
    pydantic.IPvAnyAddress,
]
MSGSPECS: list[Any] = [
    Flag,
    Alone,
    Alone | list[int] | None,
    Annotated[time, msgspec.Meta(tz=True)],
    Annotated[time, msgspec.Meta(tz=False)],
    dict[Literal[1, 2], int],
]
MADE: list[tuple[str, Any]] = [
    *((name, tp) for tp in EVERYWHERE for name in ("pydantic", "dataclass", "msgspec", "attrs")),
    *((name, tp) for tp in PYDANTICS for name in ("pydantic", "attrs", "signature")),
    *(("msgspec", tp) for tp in MSGSPECS),
]


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-agreement")
@pytest.mark.parametrize(("name", "tp"), MADE, ids=str)
def test_a_type_that_its_library_reads_more_widely_agrees_too(name: str, tp: Any) -> None:
    """Keys that are read, lengths of bytes, tags that may be left out, flags, rounded numbers."""
    cls = holder(name, tp)
    made = tool(lambda given: given, name="take", description="Take.", input=cls, output=cls)
    found = agreement(made, values=VALUES, seed=2)
    assert found.disagreements == ()
    assert (found.values, found.widened) == (VALUES, ())
