"""The public names explain themselves: `help()` shows real parameters, and describes each."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
# spec.py stays under 200 lines, to be copied: its docstrings are short.
EXEMPT = {"toolhaft.spec"}


# Objects of these classes come from toolhaft: their attributes are documented.
RETURNED = {"Answer", "Err", "Export", "Imported", "Ok", "Prepared", "Stream", "Tool"}
# The parameters of a provider's request pass through.
PASSED_ON = {"toolhaft.agent_loop.run", "toolhaft.agent_loop.run_sync"}


def documented() -> Iterator[tuple[str, Any]]:
    """Yield each function and class of the API reference with its full name."""
    for page in sorted((ROOT / "docs/reference/api").glob("*.md")):
        module = ""
        for directive, name in re.findall(
            r"^\.\. (currentmodule|autofunction|autoclass|autoexception):: ([\w.]+)$",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        ):
            if directive == "currentmodule":
                module = name
                continue
            public = getattr(importlib.import_module(module), name)
            if public.__module__ not in EXEMPT:
                yield f"{module}.{name}", public


def members(name: str, public: Any) -> Iterator[tuple[str, Any]]:
    """Yield a public function, or the public methods and properties that a class defines."""
    if not inspect.isclass(public):
        yield name, public
        return
    yield name, public
    for kind in public.__mro__:
        if not kind.__module__.startswith("toolhaft") or kind.__module__ in EXEMPT:
            continue
        for member, value in vars(kind).items():
            if member.startswith("_"):
                continue
            found = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if isinstance(found, property) or inspect.isfunction(found):
                yield f"{name}.{member}", found


PUBLIC = {
    full_name: member
    for name, public in documented()
    for full_name, member in members(name, public)
}


def is_made_by_toolhaft(public: Any) -> bool:
    """Check whether a class is a protocol, or its objects come from toolhaft."""
    if not inspect.isclass(public):
        return False
    is_plain = public.__init__ in (object.__init__, Exception.__init__)
    return is_plain or public.__name__ in RETURNED or getattr(public, "_is_protocol", False)


def parameters_of(public: Any) -> list[str]:
    if isinstance(public, property) or is_made_by_toolhaft(public):
        return []
    parameters = inspect.signature(public).parameters.values()
    return [one.name for one in parameters if one.name not in {"self", "cls", "_"}]


@pytest.mark.requirement("documented-api")
def test_every_public_name_describes_itself_and_each_parameter() -> None:
    assert {name: missing for name in PUBLIC if (missing := undescribed(name))} == {}


def undescribed(name: str) -> list[str]:
    """Return the parameters without a description, or the name itself."""
    public = PUBLIC[name]
    docstring = (inspect.getdoc(public) or "").strip()
    twin = re.match(r"Like `(\w+)`.* with the same arguments\.$", docstring)
    if not docstring or (twin is not None and not name.removesuffix("_sync").endswith(twin[1])):
        return [name]
    described = set(re.findall(r"^    (\w+)(?: \([^)]*\))?:", docstring, re.MULTILINE))
    return [one for one in parameters_of(public) if twin is None and one not in described]


@pytest.mark.requirement("documented-api")
def test_no_public_signature_hides_its_options() -> None:
    functions = {name: public for name, public in PUBLIC.items() if inspect.isfunction(public)}
    assert {name for name, public in functions.items() if hides_options(public)} == PASSED_ON


def hides_options(function: Any) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)
