"""A random tool, what is hidden and renamed of it, and what the handler was given."""

from __future__ import annotations

import sys
import types
from itertools import count
from random import Random
from typing import Any, Final, cast

from tests.laws_of_hiding.spec import ClassSpec, FieldSpec, draw, instance
from tests.laws_of_hiding.writing import CLASSES, WITHOUT, source_of
from toolhaft import tool
from toolhaft.tools.tool import AnyTool

__all__ = ["Sample"]

MOST: Final = 3
_NUMBERS: Final = count()


class Sample:
    """One tool; `close` forgets its module.

    `hidden` has the value of each path, `renamed` the new name, and `says` what nothing may say.
    """

    def __init__(self, vendor: str, seed: int, number: int) -> None:
        self.random = Random(f"{vendor}:{seed}:{number}")
        self.vendor = vendor
        inner = self.random.choice(CLASSES) if vendor == "function" else vendor
        self.root: ClassSpec = draw(self.random, WITHOUT.get(inner, ()))
        self.text = source_of(self.root, vendor, inner)
        self.hidden: dict[str, Any] = {}
        self.renamed: dict[str, str] = {}
        self.never: set[str] = set()
        self._draw_changes()
        self.context = {path: value for path, value in self.hidden.items() if self._is_late(path)}
        self.seen: list[Any] = []
        self.module = types.ModuleType(f"random_tool_{next(_NUMBERS)}")

    def open(self) -> None:
        """Run the module."""
        sys.modules[self.module.__name__] = self.module
        self.module.__dict__["SEEN"] = self.seen
        exec(compile(self.text, self.module.__name__, "exec"), self.module.__dict__)

    def close(self) -> None:
        sys.modules.pop(self.module.__name__, None)

    @property
    def source(self) -> str:
        return f"{self.text}\nhide = {self.hidden}\nrename = {self.renamed}"

    def _draw_changes(self) -> None:
        paths = [*self.root.walk()]
        self.random.shuffle(paths)
        for path, field in paths:
            if len(self.hidden) < MOST and not self._is_touched(path):
                self.hidden[path] = instance(field.kind, self.random)
                self._forbid(field)
            elif len(self.renamed) < MOST and not self._is_hidden(path):
                self.renamed[path] = f"zr{field.name[2:]}"
                self.never.add(field.name)
        self.never |= {word for value in self.hidden.values() for word in _words(value)}

    def _is_hidden(self, path: str) -> bool:
        return any(path == each or path.startswith(f"{each}.") for each in self.hidden)

    def _is_touched(self, path: str) -> bool:
        """Whether a path is renamed or hidden, or something inside of it or around it."""
        inside = any(each.startswith(f"{path}.") for each in (*self.hidden, *self.renamed))
        return inside or path in self.renamed or self._is_hidden(path)

    def _forbid(self, field: FieldSpec) -> None:
        fields = [field, *(each for cls in field.kind.classes for _, each in _all(cls, field))]
        for each in fields:
            self.never.add(each.name)
            self.never |= set(_words(each.default))

    def _is_late(self, path: str) -> bool:
        return self.random.random() < 0.3

    def tool(self) -> AnyTool:
        """Return the tool, whose handler records its inputs."""
        define: Any = tool
        options: dict[str, Any] = {"name": "take", "description": "Take.", "output": None}
        if self.vendor == "function":
            return cast(AnyTool, define(self.module.__dict__["Root"], **options))
        declared = self.module.__dict__["Root"]
        if self.vendor == "json_schema":
            declared = define(lambda _: None, input=declared, **options).input_schema.json_schema()
        return cast(AnyTool, define(self._take, input=declared, **options))

    def _take(self, given: Any) -> None:
        self.seen.append(given)

    def derived(self, whole: AnyTool) -> AnyTool:
        """Return the derived tool, in one step or in two."""
        hide = {path: self._value(path) for path in self.hidden}
        if self.random.random() < 0.6:
            return whole.transform(hide=hide, rename=self.renamed)
        first = {path for path in (*hide, *self.renamed) if self.random.random() < 0.5}
        renamed = {path: name for path, name in self.renamed.items() if path in first}
        once = whole.transform(hide={p: v for p, v in hide.items() if p in first}, rename=renamed)
        others = {_renamed(p, renamed): v for p, v in hide.items() if p not in first}
        names = {_renamed(p, renamed): n for p, n in self.renamed.items() if p not in first}
        return once.transform(hide=others, rename=names)

    def _value(self, path: str) -> Any:
        return (lambda context: context[path]) if path in self.context else self.hidden[path]

    def names_of(self, cls: ClassSpec) -> dict[str, str]:
        """Return the new names of a class's fields."""
        fields = {id(field): path for path, field in self.root.walk()}
        return {
            each.name: self.renamed[path]
            for each in cls.fields
            for path in [fields[id(each)]]
            if path in self.renamed
        }


def _all(cls: ClassSpec, owner: FieldSpec) -> list[tuple[str, FieldSpec]]:
    return [*cls.walk()] if owner not in cls.fields else []


def _words(value: Any) -> list[str]:
    """Return the texts and numbers of a value that no artefact could have by chance."""
    if isinstance(value, dict):
        return [word for each in value.values() for word in _words(each)]
    is_told = isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) > 3
    return [str(value)] if is_told else []


def _renamed(path: str, renamed: dict[str, str]) -> str:
    """Write a path by the names that its parts have after a first transform."""
    parts = path.split(".")
    outers = [".".join(parts[: at + 1]) for at in range(len(parts))]
    return ".".join(renamed.get(outer, part) for outer, part in zip(outers, parts, strict=True))
