"""How many tokens the declarations of a toolset take at a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from toolhaft.discovery.tokens import estimate_tokens
from toolhaft.jsonio import jsontext
from toolhaft.toolset.internals import entries_of
from toolhaft.toolset.wire import Wire

__all__ = ["TokenEstimate", "estimate_wire"]


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """About how many tokens the declarations of tools take.

    Attributes:
        tools: The tokens of each tool that is sent with every request.
        deferred: The tokens of each tool that is sent once a search has found it.
        groups: The tokens of the name and the description of each group that a target has.
    """

    tools: Mapping[str, int]
    deferred: Mapping[str, int]
    groups: Mapping[str, int]

    @property
    def total(self) -> int:
        """The tokens of every request, before a search."""
        return sum(self.tools.values()) + sum(self.groups.values())

    @property
    def total_deferred(self) -> int:
        """The tokens that requests save as long as nothing is found."""
        return sum(self.deferred.values())


def estimate_wire(wire: Wire) -> TokenEstimate:
    """Estimate the tokens of the declarations of an export."""
    tools: dict[str, int] = {}
    deferred: dict[str, int] = {}
    entries, defers = entries_of(wire)
    for entry in entries:
        count = estimate_tokens(jsontext.write(entry.declaration))
        (deferred if entry.tool.defer and defers else tools)[entry.tool.name] = count
    groups = {
        each["name"]: estimate_tokens(f"{each['name']}: {each['description']}")
        for each in wire.tools
        if isinstance(each, dict) and each.get("type") == "namespace"
    }
    return TokenEstimate(*map(MappingProxyType, (tools, deferred, groups)))
