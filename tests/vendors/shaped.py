"""One tool for each vendor and shape; a vendor is one entry of `VENDORS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Final, NamedTuple, get_type_hints

from pydantic.dataclasses import dataclass

from tests.vendors.shapes import (
    attrs_class,
    json_schema,
    marshmallow_schema,
    msgspec_struct,
    pydantic_model,
    stdlib_dataclass,
    typed_dict,
    voluptuous_schema,
)
from toolhaft import tool, vendors
from toolhaft.tools.tool import AnyTool

__all__ = ["LACKS", "NAMES", "VENDORS", "shape"]

NAMES: Final = tuple(pydantic_model.SHAPES)


def _same(given: Any) -> Any:
    return given


def _taking(shapes: Mapping[str, Any], made: Callable[[Any], Any] = _same) -> Any:
    def of(name: str) -> AnyTool:
        tp = made(shapes[name])
        found: AnyTool = tool(_same, name="take", description="Take.", input=tp, output=tp)
        return found

    return of


def _named_tuple(cls: Any) -> Any:
    define: Any = NamedTuple
    return define(cls.__name__, list(get_type_hints(cls, include_extras=True).items()))


def _signature(name: str) -> AnyTool:
    """A function whose parameters are the fields of a dataclass."""
    cls = stdlib_dataclass.SHAPES[name]
    hints = get_type_hints(cls, include_extras=True)
    if name == "defaults":
        hints["anything"] = dict[str, Any]  # a parameter must declare its type
    listed = [
        f"{one.name}: hints[{one.name!r}]" + ("" if _is_required(one) else " = None")
        for one in fields(cls)
    ]
    namespace: dict[str, Any] = {"hints": hints}
    exec(f"def take(*, {', '.join(listed)}): 'Take a shape.'", namespace)
    made: AnyTool = tool(namespace["take"])
    return made


def _is_required(one: Any) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


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
    "pydantic": _taking(pydantic_model.SHAPES),
    "pydantic dataclass": _taking(stdlib_dataclass.SHAPES, dataclass),
    "dataclass": _taking(stdlib_dataclass.SHAPES),
    "TypedDict": _taking(typed_dict.SHAPES),
    "NamedTuple": _taking(stdlib_dataclass.SHAPES, _named_tuple),
    "signature": _signature,
    "attrs": _taking(attrs_class.SHAPES),
    "msgspec": _taking(msgspec_struct.SHAPES),
    "json-schema": _taking(json_schema.SHAPES),
    "native": _taking(pydantic_model.SHAPES, Native),
    "marshmallow": _taking(marshmallow_schema.SHAPES),
    "voluptuous": _taking(voluptuous_schema.SHAPES),
}
LACKS: Final = {("voluptuous", "recursive tree"): "voluptuous's Self has no JSON Schema"}


def shape(vendor: str, name: str) -> AnyTool:
    """The tool of one vendor for one shape."""
    return VENDORS[vendor](name)
