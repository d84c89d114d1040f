"""Build a `TypeAdapter`, with the names that the author of a tool could see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.annotations import describe_type, visible_names
from toolhaft.vendors.versions import require_library

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["ObjectType", "to_no_vendor", "type_adapter"]


def type_adapter(tp: Any) -> TypeAdapter[Any]:
    """Compile a type.

    Raises:
        NoVendor: pydantic cannot build a validator for it, or is not there.
    """
    require_library("pydantic")
    from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
    from pydantic_core import SchemaError

    try:
        return _build(tp)
    except PydanticUndefinedAnnotation as error:
        reason = f"pydantic: {describe_type(tp)} names {error.name}, which is not defined"
        raise NoVendor(reason, f"define {error.name} before the tool is used") from None
    except (PydanticUserError, SchemaError) as error:
        raise to_no_vendor(tp, error) from None


def _build(tp: Any) -> TypeAdapter[Any]:
    """Build an adapter; names of local classes are looked up where the tool is defined."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUndefinedAnnotation

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(tp)
        adapter.rebuild()
    except PydanticUndefinedAnnotation:
        names = visible_names()
        if not names:
            raise
        return _build_with_names(names, tp)
    return adapter


def _build_with_names(names: Mapping[str, Any], tp: Any) -> TypeAdapter[Any]:
    """Build with local names: pydantic looks them up in the frame that calls it."""
    from pydantic import TypeAdapter

    class Namespace(type):
        @classmethod
        def __prepare__(cls, *_: Any, **__: Any) -> dict[str, object]:
            return dict(names)

    class Seen(metaclass=Namespace):
        __built__ = TypeAdapter[Any](tp)
        __built__.rebuild(force=True)

    return Seen.__built__


class ObjectType:
    """The type of a JSON object: for each key its type, and whether it is required.

    It is a TypedDict without a class: any text can be a key, and it is freed with its adapter. The
    result has the keys that were given.
    """

    def __init__(
        self, name: str, fields: Mapping[str, tuple[Any, bool]], extra: Literal["forbid", "ignore"]
    ) -> None:
        self.__name__ = self.__qualname__ = name
        self._fields = fields
        self._extra: Literal["forbid", "ignore"] = extra

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        del source
        keys = {
            key: core_schema.typed_dict_field(handler.generate_schema(tp), required=required)
            for key, (tp, required) in self._fields.items()
        }
        return core_schema.typed_dict_schema(keys, extra_behavior=self._extra)


def to_no_vendor(tp: Any, error: Exception) -> NoVendor:
    """Make the error that pydantic cannot carry a type, with the first line of its message."""
    # The setting that pydantic's message suggests would not result in a schema either.
    reason = str(getattr(error, "message", error)).partition("\n")[0].partition(". Set ")[0]
    reason = reason.removesuffix(".")
    return NoVendor(
        f"pydantic: {describe_type(tp)}: {reason}",
        "use a type with a JSON form, or give parameters=",
    )
