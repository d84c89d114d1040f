"""Values as pydantic would read them from JSON."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import AnyUrl, SecretBytes, SecretStr, TypeAdapter

from toolhaft.jsonio.jsondata import NotJson
from toolhaft.vendors.pydantic.scalars import scalar_writer


class Size(Enum):
    S = 1


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (AnyUrl("https://example.org/a"), "https://example.org/a"),
        (IPv4Address("127.0.0.1"), "127.0.0.1"),
        (ZoneInfo("UTC"), "UTC"),
        (b"text", "text"),
        (Size.S, 1),
    ],
)
def test_written_data_are_read_back_as_the_same(value: Any, data: Any) -> None:
    assert scalar_writer({})(value) == data
    assert TypeAdapter(type(value)).validate_python(data) == value


def test_a_decimal_keeps_its_digits() -> None:
    assert str(scalar_writer({})(Decimal("1.10"))) == "1.10"


@pytest.mark.parametrize(("form", "text"), [("base64", "_wA="), ("hex", "ff00")])
def test_bytes_are_text_as_the_class_reads_them(form: str, text: str) -> None:
    assert scalar_writer({"val_json_bytes": form})(b"\xff\x00") == text


@pytest.mark.parametrize("secret", [SecretStr("sesame"), SecretBytes(b"sesame"), object()])
def test_a_secret_has_no_json_form(secret: Any) -> None:
    with pytest.raises(NotJson):
        scalar_writer({})(secret)
