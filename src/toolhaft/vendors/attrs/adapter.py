"""attrs: classes made with `define`, `frozen` or `attr.s`, and containers that hold them.

Their fields are read by the engine that reads plain annotations, which is pydantic's core: so JSON
is read strictly, all faults are found at their places, and the schema has the checks of
`attrs.validators`. Objects are made by the class itself, with its converters, its validators and
`__attrs_post_init__`; `docs/decisions/0005-attrs.md` explains why nothing else makes them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, get_args, get_origin

from toolhaft.vendors.annotations import classes_of, hints_of, map_parts
from toolhaft.vendors.attrs.fields import make_stand_in
from toolhaft.vendors.dumps import layout_of
from toolhaft.vendors.pydantic.adapter import PydanticAdapter
from toolhaft.vendors.pydantic.build import translate_annotation, type_adapter

__all__ = ["NAME", "AttrsAdapter", "adapter", "owns"]

NAME = "attrs"
FOREIGN = ("__pydantic_validator__", "__struct_fields__")


def owns(tp: object) -> bool:
    """Return whether a type is, or contains, an attrs class, without importing attrs."""
    return any(map(_is_ours, classes_of(tp)))


def _is_ours(cls: type) -> bool:
    return hasattr(cls, "__attrs_attrs__") and not any(hasattr(cls, mark) for mark in FOREIGN)


def adapter(tp: Any) -> AttrsAdapter:
    """Read a type once.

    Raises:
        NoVendor: A field has no type, or one that has no JSON form.
    """
    return AttrsAdapter(tp)


class AttrsAdapter(PydanticAdapter):
    """One attrs class, or a type that is built from some."""

    vendor = NAME

    def __init__(self, tp: Any) -> None:
        super().__init__(type_adapter(translate_annotation(_replace_attrs(tp))), tp)

    @cached_property
    def layout(self) -> Any:
        return layout_of(self._type, _fields_of)

    def is_own(self, tp: Any) -> bool:
        return (isinstance(tp, type) and _is_ours(tp)) or super().is_own(tp)


def _fields_of(cls: type) -> list[tuple[str, str, Any]] | None:
    if not _is_ours(cls):
        return None
    hints = hints_of(cls)
    fields: Any = getattr(cls, "__attrs_attrs__", ())
    return [(field.alias, field.name, hints.get(field.name, field.type)) for field in fields]


def _replace_attrs(tp: Any) -> Any:
    """Replace every attrs class in an annotation by a stand-in that the engine can read."""
    cls = get_origin(tp) or tp
    if isinstance(cls, type) and _is_ours(cls):
        return make_stand_in(cls, get_args(tp), _replace_attrs)
    if cls is Annotated:
        return Annotated[(_replace_attrs(tp.__origin__), *tp.__metadata__)]
    return map_parts(tp, _replace_attrs)
