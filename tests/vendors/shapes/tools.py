"""One tool for each vendor and shape; a vendor is one entry of `VENDORS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.vendors.shapes import marshmallow_schemas, models, plain, structs, voluptuous_schemas
from toolhaft import tool, vendors
from toolhaft.tools import AnyTool

__all__ = ["LACKS", "NAMES", "VENDORS", "shape"]

NAMES: Final = tuple(models.SHAPES)


def _same(given: Any) -> Any:
    return given


def _taking(shapes: Mapping[str, Any], made: Callable[[Any], Any] = _same) -> Any:
    def of(name: str) -> AnyTool:
        tp = made(shapes[name])
        found: AnyTool = tool(_same, name=name, description="Take.", input=tp, output=tp)
        return found

    return of


def _signature(name: str) -> AnyTool:
    made: AnyTool = tool(plain.as_function(plain.SHAPES[name]))
    return made


class Native:
    """Another library's schema: one that checks with a model."""

    version = 1
    vendor = "another"

    def __init__(self, tp: Any) -> None:
        self._adapter = vendors.adapt(tp)

    def validate(self, value: Any, /) -> Any:
        return self._adapter.validate(value)

    def json_schema(self, *, target: str, mode: Any) -> Any:
        return self._adapter.json_schema(target=target, mode=mode)


VENDORS: Final[dict[str, Callable[[str], AnyTool]]] = {
    "pydantic": _taking(models.SHAPES),
    "pydantic dataclass": _taking(plain.SHAPES, plain.as_pydantic),
    "dataclass": _taking(plain.SHAPES),
    "TypedDict": _taking(plain.SHAPES, plain.as_typed_dict),
    "NamedTuple": _taking(plain.SHAPES, plain.as_named_tuple),
    "signature": _signature,
    "msgspec": _taking(structs.SHAPES),
    "json-schema": _taking(models.SHAPES, lambda tp: vendors.adapt(tp).json_schema()),
    "native": _taking(models.SHAPES, Native),
    "marshmallow": _taking(marshmallow_schemas.SHAPES),
    "voluptuous": _taking(voluptuous_schemas.SHAPES),
}
LACKS: Final = {("voluptuous", "tree"): "voluptuous's Self has no JSON Schema"}


def shape(vendor: str, name: str) -> AnyTool:
    """The tool of one vendor for one shape."""
    return VENDORS[vendor](name)
