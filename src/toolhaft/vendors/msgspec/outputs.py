"""The short way of a result that is right at once: read and written once, and looked at once.

The full way copies a result, reads it, writes what was read, copies that, and checks it. A result
that is plain need not be copied; and what msgspec then reads and writes is plain as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_origin

from toolhaft.plaindata import is_exact, is_flat, plain_copy
from toolhaft.vendors.adapter import Check
from toolhaft.vendors.said import says_no_more

if TYPE_CHECKING:
    from toolhaft.vendors.msgspec import MsgspecAdapter

__all__ = ["shortened"]

# What is written as it was read, and holds nothing that is not JSON but for text and numbers.
SCALARS: Final = frozenset({
    "StrType", "IntType", "FloatType", "BoolType", "NoneType", "LiteralType",
})  # fmt: skip
INSIDE: Final = {"ListType": "item_type", "DictType": "value_type", "Metadata": "type"}
NODES: Final = {
    "StrType": "str", "IntType": "int", "FloatType": "float", "BoolType": "bool",
    "NoneType": "none",
}  # fmt: skip
BOUNDS: Final = ("gt", "ge", "lt", "le", "min_length", "max_length")
# More lists within each other may share parts without bound; and a type may recur.
MOST_LISTS: Final = 2
MOST_TYPES: Final = 200
# What can hold no integer of more than 4,300 digits, as `marshal` writes it.
MOST_WRITTEN: Final = 1_900


def shortened(adapter: MsgspecAdapter, tp: Any, info: Any, check: Check) -> Check:
    """Put a short way before a check of results, where the type has one."""
    if not _Plain().holds(info, 0):
        return check
    if not _is_flat(info):
        return _nested(adapter, tp, check)
    is_checked = says_no_more(_node(info), adapter.checker("output").schema)
    return _flat(adapter, tp, check, is_checked=is_checked)


class _Plain:
    """A walk that sees whether a type holds nothing but JSON, and how much of it."""

    def __init__(self) -> None:
        self.left = MOST_TYPES

    def holds(self, info: Any, lists: int) -> bool:
        kind = type(info).__name__
        self.left -= 1
        lists += kind in ("ListType", "DictType")
        if self.left < 0 or lists > MOST_LISTS:
            return False
        if kind == "StructType":
            is_record = info.tag_field is None and not info.array_like
            return is_record and all(self.holds(one.type, lists) for one in info.fields)
        if kind == "UnionType":
            return all(self.holds(one, lists) for one in info.types)
        if kind == "DictType" and type(info.key_type).__name__ != "StrType":
            return False
        return kind in SCALARS or (
            kind in INSIDE and self.holds(getattr(info, INSIDE[kind]), lists)
        )


def _node(info: Any) -> dict[str, Any]:
    """What msgspec checks of a flat type, in the words of pydantic's core schemas."""
    kind = type(info).__name__
    if kind == "Metadata":
        return _node(info.type)
    if kind == "LiteralType":
        return {"type": "literal", "expected": list(info.values)}
    if kind == "StructType":
        fields = {
            one.encode_name: {"schema": _node(one.type), "required": one.required}
            for one in info.fields
        }
        return {"type": "typed-dict", "fields": fields}
    if kind == "UnionType":
        others = [one for one in info.types if type(one).__name__ != "NoneType"]
        is_nullable = len(others) == 1 < len(info.types)
        return (
            {"type": "nullable", "schema": _node(others[0])} if is_nullable else {"type": "union"}
        )
    bounds = {word: getattr(info, word, None) for word in BOUNDS}
    return {"type": NODES[kind], **{word: one for word, one in bounds.items() if one is not None}}


def _flat(adapter: MsgspecAdapter, tp: Any, check: Check, *, is_checked: bool) -> Check:
    """Structs of scalars, of which those that were read or returned are taken apart as they are."""
    from msgspec import convert
    from msgspec.structs import asdict

    cls, checker = get_origin(tp) or tp, adapter.checker("output")
    unfit: tuple[type[Exception], ...] = (*adapter.rejects, ValueError, AttributeError)

    def check_flat(result: Any) -> tuple[Any, Any]:
        kind = type(result)
        try:
            if kind is dict:
                if is_flat(copy := result.copy()):
                    value = convert(copy, tp)
                    data = asdict(value)
                    if is_checked or checker.accepts(data):
                        return value, data
            elif kind is cls:
                data = asdict(result)
                if is_flat(data) and checker.accepts(data):
                    return result, data
        except unfit:
            pass
        return check(result)

    return check_flat


def _nested(adapter: MsgspecAdapter, tp: Any, check: Check) -> Check:
    """Anything else: what is read must be written as the result again, so that nothing is lost."""
    from msgspec import convert, to_builtins

    cls, checker, dump = get_origin(tp) or tp, adapter.checker("output"), adapter.dump
    unfit: tuple[type[Exception], ...] = (*adapter.rejects, ValueError)

    def check_nested(result: Any) -> tuple[Any, Any]:
        try:
            if type(result) is cls and adapter.is_instance(result):
                value, data = result, plain_copy(dump(result))
            elif is_exact(result, MOST_WRITTEN):
                value = convert(result, tp)
                data = to_builtins(value)
                if data != result:
                    return check(result)
            else:
                return check(result)
            if data is not None and checker.accepts(data):
                return value, data
        except unfit:
            pass
        return check(result)

    return check_nested


def _is_flat(info: Any) -> bool:
    """Whether a Struct's data are its fields' values under their names, defaults included."""
    if type(info).__name__ != "StructType" or info.cls.__struct_config__.omit_defaults:
        return False
    from msgspec import NODEFAULT

    return all(
        one.name == one.encode_name
        and _is_scalar(one.type)
        and one.default_factory is NODEFAULT
        and (one.default is NODEFAULT or is_flat({"": one.default}))
        for one in info.fields
    )


def _is_scalar(info: Any) -> bool:
    kind = type(info).__name__
    if kind == "UnionType":
        return all(map(_is_scalar, info.types))
    return kind in SCALARS or (kind == "Metadata" and _is_scalar(info.type))
