"""The booking tool's arguments as another library's schema: one that checks with the model."""

from __future__ import annotations

from typing import Any

from tests.vendors.booking import pydantic_model
from toolhaft import vendors

__all__ = ["INPUT", "LACKS", "POLICY"]


class Carrier:
    """An object of the protocol, under the name that carries it."""

    version = 1
    vendor = "another"

    @property
    def __standard_schema__(self) -> Carrier:
        return self

    def validate(self, value: Any, /) -> Any:
        return vendors.adapt(pydantic_model.INPUT).validate(value)

    def json_schema(self, *, target: str, mode: Any) -> Any:
        return vendors.adapt(pydantic_model.INPUT).json_schema(target=target, mode=mode)


INPUT = Carrier()
POLICY = pydantic_model.POLICY
LACKS = pydantic_model.LACKS
