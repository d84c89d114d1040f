"""The gate of a derived tool: the model's terms go in, the handler's own come out.

What is prepared, shown to a person, authorised and run is in the handler's terms, with every
hidden value in it; only what the model reads is in the other ones.
"""

from __future__ import annotations

from typing import Any

from toolhaft.call.gate import Admitted, Gate
from toolhaft.call.prepare import Prepared
from toolhaft.call.rules import Rules
from toolhaft.vendors.adapter import Adapter

__all__ = ["DerivedGate"]


class DerivedGate(Gate):
    """Arguments by the derived schema; what is prepared already is in the handler's terms."""

    def __init__(self, rules: Rules, adapter: Adapter[Any], ignored: str | None) -> None:
        super().__init__(rules, adapter, ignored)
        derived: Any = adapter
        self.construct = derived.completed
        self.construct_awaited = derived.completed_awaited
        self.own = self.inner = Gate(rules, derived.base, ignored)

    def admit(self, raw: Any) -> Admitted:
        if type(raw) is Prepared:
            return self.inner.admit(raw)
        (value, own), _, coercions = super().admit(raw)
        return value, own, coercions

    async def admit_awaited(self, raw: Any) -> Admitted:
        if type(raw) is Prepared:
            return await self.inner.admit_awaited(raw)
        (value, own), _, coercions = await super().admit_awaited(raw)
        return value, own, coercions
