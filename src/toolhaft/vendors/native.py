"""Schemas of the standard protocol, and objects that carry one as `__standard_schema__`.

Success and failure are recognised by what they have, not by their class: a copy of the
specification is as good as ours. A result of neither shape is a bug of its author, and raises.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import Any, Final, get_args

from toolhaft.definition.scope import own_annotations
from toolhaft.jsonio.jsondata import NotPlain, read_plain
from toolhaft.spec import Code, Issue, Mode, SchemaNotConvertible
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected
from toolhaft.vendors.annotations import is_async

__all__ = ["NAME", "NativeAdapter", "adapter", "owns", "to_issue"]

NAME = "standard-schema"
_CODES: Final = frozenset(get_args(Code))


def owns(tp: object) -> bool:
    """Return whether an object is a schema of the protocol, or carries one."""
    if hasattr(tp, "__standard_schema__"):
        return True
    return not isinstance(tp, type) and all(hasattr(tp, name) for name in ("validate", "vendor"))


def adapter(tp: Any) -> Adapter[Any]:
    """Take a schema of the protocol; one of our own adapters is itself.

    Raises:
        NoVendor: The carrier holds no schema of version 1.
    """
    schema = getattr(tp, "__standard_schema__", tp)
    if isinstance(schema, Adapter):
        return schema
    if getattr(schema, "version", None) != 1 or not callable(getattr(schema, "validate", None)):
        raise NoVendor(
            f"{type(schema).__name__} is not a standard schema of version 1",
            "give it version = 1, vendor, validate and json_schema",
        )
    return NativeAdapter(schema)


class NativeAdapter(Adapter[Any]):
    """One schema of another library, called through the protocol."""

    authored = True

    def __init__(self, schema: Any) -> None:
        super().__init__()
        self._schema = schema
        self.vendor = str(schema.vendor)
        returns = str(own_annotations(schema.validate).get("return", "Any"))
        returns_awaitable = any(word in returns for word in ("Awaitable", "Coroutine"))
        self.awaits = returns_awaitable or is_async(schema.validate)
        self.may_await = self.awaits or "Any" in returns

    def construct(self, data: Any) -> Any:
        return _value_or_raise(self._result(data))

    async def construct_awaited(self, data: Any) -> Any:
        result = self._schema.validate(data)
        return _value_or_raise(await result if isinstance(result, Awaitable) else result)

    def _result(self, data: Any) -> Any:
        result = self._schema.validate(data)
        if isinstance(result, Awaitable):
            close = getattr(result, "close", None)
            if close is not None:
                close()
            raise TypeError(f"{self.vendor}: validate is asynchronous; use the async methods")
        return result

    def emit(self, mode: Mode) -> dict[str, Any]:
        write = getattr(self._schema, "json_schema", None)
        if write is None:
            raise NoVendor(f"{self.vendor} writes no JSON Schema", "give it as parameters=")
        try:
            schema = read_plain(write(target="draft-2020-12", mode=mode))
        except NotPlain as error:
            raise NoVendor(f"{self.vendor}: its JSON Schema is not JSON: {error}", _FIX) from None
        except (NoVendor, SchemaNotConvertible):
            raise
        except Exception as error:
            reason = f"{self.vendor}: json_schema raised {type(error).__name__}"
            raise NoVendor(reason, _FIX) from error
        if not isinstance(schema, dict) or not schema:
            raise NoVendor(f"{self.vendor}: its JSON Schema is empty", _FIX)
        return schema

    def dump(self, value: Any) -> Any:
        write = getattr(self._schema, "dump", None)
        return value if write is None else write(value)


_FIX: Final = "correct its json_schema, or give the schema as parameters="


def _value_or_raise(result: Any) -> Any:
    issues = getattr(result, "issues", None)
    if issues:
        raise Rejected([to_issue(issue) for issue in issues])
    if not hasattr(result, "value"):
        raise TypeError(f"validate gave {type(result).__name__}, neither success nor failure")
    return result.value


def to_issue(issue: Any) -> Issue:
    """Read an issue of any copy of the specification."""
    code: Any = getattr(issue, "code", "custom")
    return Issue(
        str(issue.message),
        _path(getattr(issue, "path", None) or ()),
        code if code in _CODES else "custom",
        _text(issue, "expected"),
        _text(issue, "received"),
        _text(issue, "vendor_code"),
    )


def _text(issue: Any, name: str) -> str | None:
    value = getattr(issue, name, None)
    return value if isinstance(value, str) else None


def _path(steps: Iterable[Any]) -> list[str | int]:
    keys = (getattr(step, "key", step) for step in steps)
    return [key if isinstance(key, str | int) else str(key) for key in keys]
