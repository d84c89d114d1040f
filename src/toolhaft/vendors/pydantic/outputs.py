"""The short way of a result that is right at once: copied or written once, and looked at once.

The full way copies a result, reads it, writes what was read, copies that, and checks it. The shape
of a type says how to see in one step that data are plain; and where a type is written as it is
read, such data are what would be written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from toolhaft.jsondata import dumped
from toolhaft.plaindata import is_exact, is_flat
from toolhaft.vendors.adapter import Check, Rejected
from toolhaft.vendors.pydantic.scalars import LONGEST
from toolhaft.vendors.pydantic.shape import Shape
from toolhaft.vendors.pydantic.walk import UNBOUNDED
from toolhaft.vendors.said import says_no_more

if TYPE_CHECKING:
    from toolhaft.spec import Issue
    from toolhaft.vendors.pydantic import PydanticAdapter

__all__ = ["shortened"]


def shortened(adapter: PydanticAdapter, shape: Shape, check: Check) -> Check:
    """Put the short way of a shape before a check of results."""
    if shape.flat:
        short = _flat_dict if adapter.cls is None else _flat_object
        return short(adapter, shape, check)
    return check if shape.open else _shaped(adapter, shape, check)


def _flat_object(adapter: PydanticAdapter, shape: Shape, check: Check) -> Check:
    """Objects that store scalars under their keys: what they store is their data."""
    cls, checker, read = adapter.cls, adapter.checker("output"), _reader(adapter)
    names, floats = list(shape.node["fields"]), shape.floats
    is_checked = says_no_more(adapter.strict, checker.schema)

    def check_flat(result: Any) -> tuple[Any, Any]:
        kind = type(result)
        try:
            if kind is dict:
                if is_flat(copy := result.copy()):
                    value = read(copy)
                    data = value.__dict__.copy()
                    if is_checked or checker.accepts(data):
                        return value, data
            elif kind is cls:
                data = result.__dict__.copy()
                is_stored = [*data] == names and is_flat(data)
                if is_stored and not _has_integer(data, floats) and checker.accepts(data):
                    return result, data
        except ValueError:
            pass
        return check(result)

    return check_flat


def _has_integer(data: dict[str, Any], floats: tuple[str, ...]) -> bool:
    """Whether an integer stands for a float, which would be written as one."""
    return any(type(data[name]) is int for name in floats) if floats else False


def _flat_dict(adapter: PydanticAdapter, shape: Shape, check: Check) -> Check:
    """Dicts of scalars, which are their own data."""
    del shape
    checker, read = adapter.checker("output"), _reader(adapter)
    is_checked = says_no_more(adapter.strict, checker.schema)

    def check_flat(result: Any) -> tuple[Any, Any]:
        try:
            if type(result) is dict and is_flat(copy := result.copy()):
                made = read(copy)
                data = {**copy, **made}  # in the order of the result
                if made == copy and (is_checked or checker.accepts(data)):
                    return result, data
        except ValueError:
            pass
        return check(result)

    return check_flat


def _shaped(adapter: PydanticAdapter, shape: Shape, check: Check) -> Check:
    """Anything else: the shape sees that the dump is plain, or copies what would be dumped."""
    copy, read = _validator(shape.node), _reader(adapter) if shape.exact else None
    checker, is_class = adapter.checker("output"), adapter.cls is not None
    is_instance, construct, dump = adapter.is_instance, adapter.construct, adapter.dump
    check_instance = _instance(adapter, copy, check)
    is_checked = says_no_more(adapter.strict, checker.schema)

    def check_shaped(result: Any) -> tuple[Any, Any]:
        try:
            if (not is_class or type(result) is not dict) and is_instance(result):
                return check_instance(result)
            if not is_exact(result):
                return check(result)
            if read is not None:
                data, value = copy(result), read(result)
                if is_checked:
                    return value, data
            else:
                value = construct(dumped(result))  # an author's function sees what was returned
                data = dump(value)
                copy(data)
            if checker.accepts(data):
                return value, data
        except (ValueError, Rejected):
            pass
        return check(result)

    return check_shaped


def _instance(adapter: PydanticAdapter, copy: Callable[[Any], Any], check: Check) -> Check:
    """An object of the declared type: it is dumped once, for what iterates in it is then empty."""
    dump, checker = adapter.dump, adapter.checker("output")

    def check_instance(result: Any) -> tuple[Any, Any]:
        try:
            data = dump(result)
        except Rejected as error:
            return check(result, partial(_raise, error.issues))
        try:
            copy(data)
            if checker.accepts(data):
                return result, data
        except ValueError:
            pass
        return check(result, lambda _: data)

    return check_instance


def _raise(issues: list[Issue], _: Any) -> Any:
    raise Rejected(issues)


def _reader(adapter: PydanticAdapter) -> Callable[[Any], Any]:
    """What reads data that are seen to be plain: strictly, but for what is seen already."""
    return _validator(_unbounded(adapter.strict))


def _unbounded(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _unbounded(one) for key, one in node.items() if not _is_plainness(key, one)}
    return type(node)(map(_unbounded, node)) if isinstance(node, list | tuple) else node


def _is_plainness(key: str, bound: Any) -> bool:
    """Whether a bound only keeps out lone surrogates, or integers that nothing can write."""
    if key == "max_length":
        return bool(bound == UNBOUNDED)
    return key in ("gt", "lt") and isinstance(bound, int) and abs(bound) == LONGEST


def _validator(schema: Any) -> Callable[[Any], Any]:
    from pydantic_core import SchemaValidator

    return SchemaValidator(schema, _use_prebuilt=False).validate_python
