"""Adapters around other adapters: a schema before a type, a wrapped root, data passed through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.schema.wrapping import wrap_as_property
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.acting import ActingCheck
from toolhaft.vendors.adapter import Adapter, Fill, Rejected, prefix_path
from toolhaft.vendors.fields import Fields
from toolhaft.vendors.input_schema import InputSchema

__all__ = ["DelegatingAdapter", "PassThrough", "SchemaThenType", "WrappedRoot"]

ROOT = "value"


class DelegatingAdapter(Adapter[Any]):
    """An adapter around another one, which it delegates to."""

    def __init__(self, inner: Adapter[Any]) -> None:
        super().__init__()
        self.inner = inner
        self.vendor = inner.vendor
        self.authored = inner.authored
        self.awaits, self.may_await = inner.awaits, inner.may_await
        self.rejects = (*inner.rejects, Rejected)
        self.root = inner.root

    @property
    def fields(self) -> Mapping[type, Fields]:
        return self.inner.fields

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        return self.inner.unexpressed_checks()

    def acting_checks(self) -> list[ActingCheck]:
        return self.inner.acting_checks()

    def is_instance(self, value: object) -> bool:
        return self.inner.is_instance(value)

    def dump(self, value: Any) -> Any:
        return self.inner.dump(value)


class SchemaThenType(DelegatingAdapter):
    """Data must satisfy a declared JSON Schema first, then the type that the handler takes.

    If an author's function of the type reads the whole of the arguments, only it knows how they are
    used, so the type's own schema is not checked.
    """

    def __init__(self, declared: Adapter[Any], typed: Adapter[Any]) -> None:
        super().__init__(typed)
        self.declared = declared
        self.authored = True
        typed_input = typed.input_or_none()
        reads_whole = typed_input is None or typed_input.is_open
        self._read = typed.accept if reads_whole else typed.read
        self._read_awaited = typed.accept_awaited if reads_whole else typed.read_awaited

    @property
    def typed_input(self) -> InputSchema | None:
        return self.inner.typed_input

    def emit(self, mode: Mode) -> dict[str, Any]:
        return self.declared.emit(mode)

    def construct(self, data: Any) -> Any:
        return self.accept(data)[0]

    def accept(self, data: Any, fill: Fill | None = None) -> tuple[Any, Any]:
        return self._read(data, fill)

    async def accept_awaited(self, data: Any, fill: Fill | None = None) -> tuple[Any, Any]:
        return await self._read_awaited(data, fill)

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        return self.inner.explain(error, data)


class WrappedRoot(DelegatingAdapter):
    """A root that is no object, shown to the model as the property `value` of one."""

    def __init__(self, inner: Adapter[Any]) -> None:
        super().__init__(inner)
        self.root, self.is_json = ROOT, inner.is_json

    def emit(self, mode: Mode) -> dict[str, Any]:
        return {**wrap_as_property(self.inner.emit(mode), ROOT), "additionalProperties": False}

    def construct(self, data: Any) -> Any:
        return self.inner.construct(data[ROOT])

    async def construct_awaited(self, data: Any) -> Any:
        return await self.inner.construct_awaited(data[ROOT])

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        return [prefix_path(issue, ROOT) for issue in self.inner.explain(error, data[ROOT])]

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        return [((ROOT, *path), check) for path, check in self.inner.unexpressed_checks()]

    def acting_checks(self) -> list[ActingCheck]:
        checks = self.inner.acting_checks()
        return [check._replace(path=(ROOT, *check.path)) for check in checks]

    def dump(self, value: Any) -> Any:
        return {ROOT: self.inner.dump(value)}


class PassThrough(DelegatingAdapter):
    """Validates by another adapter and returns the data, for a tool that validates by itself."""

    is_json = True

    def emit(self, mode: Mode) -> dict[str, Any]:
        return self.inner.emit(mode)

    def construct(self, data: Any) -> Any:
        self.inner.construct(data)
        return data

    async def construct_awaited(self, data: Any) -> Any:
        await self.inner.construct_awaited(data)
        return data

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        return self.inner.explain(error, data)

    def dump(self, value: Any) -> Any:
        return value

    def is_instance(self, value: object) -> bool:
        del value
        return False
