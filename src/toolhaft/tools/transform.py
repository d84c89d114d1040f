"""Derive a tool for another audience: other names and descriptions, some parameters hidden.

The handler keeps its own schema, which validates every call in the end. A parameter inside another
one goes by its path, as in `customer.address`, through lists, maps, branches and recursions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolhaft.tools.assembly import Assembly, AssemblyFailed
from toolhaft.tools.changes import (
    Changes,
    contradictions,
    description_faults,
    option_faults,
    read_changes,
    shown_words,
    values_of,
)
from toolhaft.tools.derivation import Derivation
from toolhaft.tools.derived_document import DerivedDocument
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.derived import Derived
from toolhaft.vendors.fields import field_keys, without_fields
from toolhaft.vendors.json_schema import JsonSchemaAdapter
from toolhaft.vendors.parameters import ParametersAdapter

__all__ = ["Transform"]


class Transform:
    """The changes to a tool, by the parameters' names before them."""

    def __init__(self, rename: Any, describe: Any, hide: Any, defaults: Any) -> None:
        options = {"rename": rename, "describe": describe, "hide": hide, "defaults": defaults}
        faults = option_faults(options)
        if faults:
            raise AssemblyFailed(faults)
        self.changes: Changes = read_changes(options)

    @property
    def hidden(self) -> Mapping[str, Any]:
        """The value of each hidden parameter, or the function that makes it, by its path."""
        return values_of(self.changes, "hide")

    def apply(self, assembly: Assembly) -> Assembly:
        """Return the assembly of the derived tool.

        Raises:
            AssemblyFailed: with every fault.
        """
        adapter = assembly.input
        schema = without_fields(adapter.marked_schema("input"))
        document = DerivedDocument(schema, authored=adapter.authored)
        derivation = Derivation(document, self.changes, _filled(adapter))
        schema, terms = derivation.derive()
        faults = [
            *derivation.unknown_faults(),
            *contradictions(self.changes),
            *derivation.name_faults,
            *description_faults(self.changes),
            *derivation.value_faults,
        ]
        if faults:
            raise AssemblyFailed([*dict.fromkeys(faults)])
        derived = Derived(adapter, schema, terms, shown_words(self.changes))
        return assembly._replace(input=derived)


def _filled(adapter: Adapter[Any]) -> Callable[[str, str], bool]:
    """Return a test for properties that may have a value, unknown to the schema, when absent."""
    base = adapter.base if isinstance(adapter, Derived) else adapter
    if isinstance(base, JsonSchemaAdapter):
        return lambda *_: False  # the handler gets the data themselves
    if base.authored:
        return lambda *_: True
    schema = base.typed_input
    keys = () if schema is None else field_keys(schema.marked)
    names = {key.key for key in keys if key.default}
    if isinstance(adapter, Derived):
        names |= adapter.renamed
    own = base.defaults if isinstance(base, ParametersAdapter) else frozenset[str]()
    return lambda name, prefix: name in names or (not prefix and name in own)
