"""A random type at work: its module, its tools, and what the handler was given."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping
from copy import copy
from itertools import count as numbers
from random import Random
from typing import Any, Final

from tests.laws_of_calls import prelude
from tests.laws_of_calls.draw import source_of
from tests.laws_of_calls.libraries.maker import OTHER_DEFAULTS
from tests.laws_of_calls.names import complete
from tests.laws_of_calls.spec import FieldSpec, Switches, TypeSpec
from toolhaft import tool
from toolhaft.tools.tool import AnyTool

__all__ = ["KEY", "Sample", "plain"]

KEY: Final = b"a secret of the host's"
WHOLE: Final = Switches()
_NUMBERS: Final = numbers()


class Sample:
    """A type that was written and run; `close` forgets its module.

    Raises:
        DefinitionError: At `tool` and what uses it, where the definition is refused.
    """

    def __init__(self, spec: TypeSpec, switches: Switches = WHOLE) -> None:
        self.spec = spec
        self.switches = switches
        self.twins: list[Sample] = []
        self.text = source_of(spec, switches)
        self.module = types.ModuleType(f"random_type_{next(_NUMBERS)}")
        sys.modules[self.module.__name__] = self.module
        exec(compile(self.text, self.module.__name__, "exec"), self.module.__dict__)
        complete(spec, self.module)
        keys = {field.name: field.key for field in spec.fields()}
        self.module.__dict__["KEYS"].update(keys)
        self.source = self.text.replace("KEYS: dict[str, str] = {}", f"KEYS = {keys}")

    def close(self) -> None:
        del sys.modules[self.module.__name__]
        for each in self.twins:
            each.close()

    def twin(self, switches: Switches) -> Sample:
        """Return the same type, written otherwise; it is closed with this one."""
        made = Sample(copy(self.spec), switches)
        self.twins.append(made)
        return made

    def changed_twin(self, random: Random) -> tuple[FieldSpec, AnyTool] | None:
        """Return the tool of a twin whose root has another default, and the field of it."""
        known = [
            each
            for each in self.spec.root.fields
            if each.default is not None and each.shape.kind in OTHER_DEFAULTS
        ]
        if not known:
            return None
        field = random.choice(known)
        twin = self.twin(Switches(changed=field.name))
        return field, twin.tool(requires_approval=True)

    @property
    def root(self) -> Any:
        return getattr(self.module, self.spec.root.name)

    def tool(self, **options: Any) -> AnyTool:
        """Return a tool of the type, whose handler records its inputs."""
        given: dict[str, Any] = {"name": "take", "description": "Take.", "output": None} | options
        if self.spec.extra is not None:
            given["extra"] = self.spec.extra
        define: Any = tool
        made: AnyTool
        if self.spec.root.library == "function":
            made = define(self.root, **given)
        else:
            made = define(prelude.seen, input=self.root, **given)
        made.input_schema  # noqa: B018 - a use, at which the types are resolved
        return made


class Run:
    """One call: its outcome, the handler's objects where it ran, and how often factories did."""

    __slots__ = ("counts", "outcome", "raised", "seen")

    def __init__(self, call: Callable[[], Any], *, is_moving: bool = False) -> None:
        prelude.SEEN.clear()
        before = prelude.COUNTS.copy()
        prelude.MOVING[0] = is_moving
        self.outcome: Any = None
        self.raised: Exception | None = None
        try:
            self.outcome = call()
        except Exception as error:  # noqa: BLE001 - the law is that nothing is raised
            self.raised = error
        self.seen = list(prelude.SEEN)
        self.counts = prelude.COUNTS - before


def plain(view: Any) -> Any:
    """Copy a read-only view into dicts and lists."""
    if isinstance(view, Mapping):
        return {key: plain(each) for key, each in view.items()}
    if isinstance(view, (list, tuple)):
        return [plain(each) for each in view]
    return view
