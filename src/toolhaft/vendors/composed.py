"""Adapters made of adapters: one schema before another, a wrapped root, data passed through."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.rooted import as_property
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, Rejected, placed

__all__ = ["Both", "Passing", "Wrapped"]

ROOT = "value"


class Both(Adapter[Any]):
    """Data must satisfy a declared JSON Schema first, then the type that the handler takes."""

    def __init__(self, declared: Adapter[Any], typed: Adapter[Any]) -> None:
        super().__init__()
        self.declared, self.typed = declared, typed
        self.vendor = typed.vendor
        self.authored = True
        self.own_checks, self.widens = True, False
        self.awaits, self.may_await = typed.awaits, typed.may_await
        self.rejects = (*declared.rejects, *typed.rejects)

    def construct(self, data: Any) -> Any:
        self.declared.construct(data)
        return self.typed.construct(data)

    async def construct_awaited(self, data: Any) -> Any:
        self.declared.construct(data)
        return await self.typed.construct_awaited(data)

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        return [] if self.declared.checker().failure(data) else self.typed.issues(error, data)

    def unwritten(self) -> list[tuple[Path, str]]:
        return self.typed.unwritten()

    def emit(self, mode: Mode) -> dict[str, Any]:
        return self.declared.emit(mode)

    def dump(self, value: Any) -> Any:
        return self.typed.dump(value)

    def is_instance(self, value: object) -> bool:
        return self.typed.is_instance(value)


class Wrapped(Adapter[Any]):
    """A root that is no object, shown to the model as the property `value` of one."""

    def __init__(self, inner: Adapter[Any]) -> None:
        super().__init__()
        self.inner = inner
        self.vendor = inner.vendor
        self.authored = inner.authored
        self.own_checks, self.widens = inner.own_checks, inner.widens
        self.awaits, self.may_await = inner.awaits, inner.may_await
        self.rejects = (*inner.rejects, Rejected)

    def construct(self, data: Any) -> Any:
        return self.inner.construct(self._inside(data))

    async def construct_awaited(self, data: Any) -> Any:
        return await self.inner.construct_awaited(self._inside(data))

    def _inside(self, data: Any) -> Any:
        if type(data) is not dict or data.keys() != {ROOT}:
            raise Rejected(self.refused(data))
        return data[ROOT]

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        if isinstance(error, Rejected) and self.refused(data):
            return []
        return [placed(issue, ROOT) for issue in self.inner.explain(error, data[ROOT])]

    def unwritten(self) -> list[tuple[Path, str]]:
        return [((ROOT, *path), what) for path, what in self.inner.unwritten()]

    def emit(self, mode: Mode) -> dict[str, Any]:
        return {**as_property(self.inner.emit(mode), ROOT), "additionalProperties": False}

    def dump(self, value: Any) -> Any:
        return {ROOT: self.inner.dump(value)}

    def is_instance(self, value: object) -> bool:
        return self.inner.is_instance(value)


class Passing(Adapter[Any]):
    """Checks by another adapter and passes the data on, for a tool that validates by itself."""

    def __init__(self, inner: Adapter[Any]) -> None:
        super().__init__()
        self.inner = inner
        self.vendor = inner.vendor
        self.authored = inner.authored
        self.own_checks, self.widens = inner.own_checks, inner.widens
        self.awaits, self.may_await = inner.awaits, inner.may_await
        self.rejects = inner.rejects

    def construct(self, data: Any) -> Any:
        self.inner.construct(data)
        return data

    async def construct_awaited(self, data: Any) -> Any:
        await self.inner.construct_awaited(data)
        return data

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        return self.inner.explain(error, data)

    def unwritten(self) -> list[tuple[Path, str]]:
        return self.inner.unwritten()

    def emit(self, mode: Mode) -> dict[str, Any]:
        return self.inner.emit(mode)
