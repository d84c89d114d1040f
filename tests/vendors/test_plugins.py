"""Adapters that other packages bring: found late, and blamed by name where they are broken."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from toolhaft import DefinitionError, Toolset, schema_of, tool, vendors
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors import plugins
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.annotations import describe_type

ROOT = Path(__file__).parent.parent.parent
PACKAGE = Path(__file__).parent / "adapter_package"


def thing() -> type:
    """Return a library's type, a new one each time, because the owners of types are cached."""
    return type("Thing", (), {})


# ----------------------------------------------------------------------------- a real package


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the adapter package installed in it, without any network."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-index", "--no-deps", "--no-build-isolation", "--no-cache-dir"]
    subprocess.run([*command, "--target", str(target), str(PACKAGE)], check=True, timeout=120)
    return target


def run(program: str, *path: Path) -> str:
    """Return a program's output, in an interpreter that finds packages in `path` too."""
    places = os.pathsep.join(map(str, (ROOT / "src", *path)))
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": places},
    )
    assert done.stderr == ""
    return done.stdout


PROGRAM = """
import sys
import tinycheck
from toolhaft import Toolset, tool

@tool(input=tinycheck.Shape(city=str, days=int), output=None)
def weather(query):
    "The weather of a city."
    return query

tools = Toolset([weather])
print(weather.input_schema.vendor, "toolhaft_tinycheck" in sys.modules)
print(tools["weather"].input_schema.json_schema()["required"])
print(tools.call_sync("weather", {"city": "paris", "days": "2"}).value)
print(tools.call_sync("weather", {"city": " ", "days": 2}).text)
print(tools.call_sync("weather", {"days": 2.5, "x": 1}).text)
"""


@pytest.mark.requirement("vendor-entry-points")
def test_an_installed_adapter_is_found_by_its_entry_point(site: Path) -> None:
    refusal = "Please rewrite the input with valid arguments. Errors: "
    assert run(PROGRAM, site).splitlines() == [
        "tinycheck True",
        "['city', 'days']",
        "{'city': 'Paris', 'days': 2}",
        f"{refusal}city is blank",
        f"{refusal}city: required; days: expected integer, received number; x: unknown",
    ]


ORDINARY = """
import sys
from toolhaft import Toolset, tool

@tool
def add(a: int) -> int:
    "Add one."
    return a + 1

Toolset([add]).call_sync("add", {"a": 1}).unwrap()
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors import plugins
print("toolhaft_tinycheck" in sys.modules, plugins._entries.cache_info().misses)
"""


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-entry-points")
def test_a_tool_that_needs_none_never_looks_for_them(site: Path) -> None:
    assert run(ORDINARY, site) == "False 0\n"


def test_the_documentation_shows_the_package_that_is_tested() -> None:
    page = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
    written = (PACKAGE / "toolhaft_tinycheck.py").read_text(encoding="utf-8")
    _, _, code = written.partition("import sys")
    assert f"import sys{code}" in page
    settings = (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")
    assert settings.partition("[project]")[2].partition("\n\n[tool")[0] in page


# ----------------------------------------------------------------------------- choices and faults


def entry(name: str, value: str = "somewhere:thing") -> EntryPoint:
    return EntryPoint(name, value, plugins.GROUP)


def use(monkeypatch: pytest.MonkeyPatch, **loaded: Any) -> None:
    """Let these be the installed adapters; an exception is raised by loading."""

    def load(self: EntryPoint) -> Any:
        found = loaded[self.name]
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(EntryPoint, "load", load)
    monkeypatch.setattr(plugins, "_entries", lambda: tuple(map(entry, sorted(loaded))))
    plugins._load_plugin.cache_clear()


def adapter_of(**given: Any) -> SimpleNamespace:
    """An adapter object that owns `Thing`."""

    def adapter(tp: Any) -> Any:
        return schema_of(validate=lambda data: tp, json_schema={"type": "object"}, vendor="things")

    whole = {"NAME": "things", "owns": lambda tp: describe_type(tp) == "Thing", "adapter": adapter}
    return SimpleNamespace(**{key: one for key, one in {**whole, **given}.items() if one})


def raising(error: Exception) -> Any:
    def fail(_: Any) -> Any:
        raise error

    return fail


@pytest.mark.requirement("vendor-entry-points")
def test_an_object_with_the_few_names_is_an_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, things=adapter_of())
    mine = thing()
    found = vendors.find_owner(mine)
    assert found is not None
    assert found.NAME == "things"
    assert vendors.adapt(mine).construct({}) is mine


def test_our_own_adapters_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, greedy=adapter_of(owns=lambda tp: True))
    assert vendors.adapt(int).vendor == "pydantic"


def test_a_type_that_no_installed_adapter_owns_has_no_owner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use(monkeypatch, things=adapter_of())
    assert vendors.find_owner(object()) is None


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (ImportError("no such module"), "loading it raised ImportError"),
        (adapter_of(NAME=None, adapter=None), "it has no NAME, adapter"),
        (adapter_of(owns=raising(KeyError("x"))), "owns raised KeyError"),
        (adapter_of(adapter=raising(ValueError("x"))), "adapter raised ValueError"),
        (adapter_of(adapter=lambda tp: 5), "adapter gave int, which is no schema"),
    ],
)
@pytest.mark.requirement("vendor-entry-points")
def test_a_broken_adapter_is_named_in_the_definition_error(
    monkeypatch: pytest.MonkeyPatch, broken: Any, reason: str
) -> None:
    use(monkeypatch, faulty=broken)
    handler: AnyTool = tool(lambda given: 1, name="t", description="d", input=thing())
    with pytest.raises(DefinitionError) as caught:
        Toolset([handler])
    name = getattr(broken, "NAME", "faulty")  # its entry point's, if it has none
    assert str(caught.value) == (
        f"t.input: the adapter {name} (somewhere:thing): {reason}; "
        "fix the package that provides it, or uninstall it"
    )


def test_a_broken_adapter_does_not_block_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use(monkeypatch, a_broken=ImportError("x"), things=adapter_of())
    assert vendors.adapt(thing()).vendor == "things"


def test_an_adapters_own_rejection_has_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused = NoVendor("things: too strange", "use another")
    use(monkeypatch, things=adapter_of(adapter=raising(refused)))
    with pytest.raises(NoVendor, match="things: too strange; use another"):
        vendors.adapt(thing())


@pytest.mark.requirement("standard-tools")
def test_an_adapter_can_be_registered_in_the_process_and_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plugins, "_registered", [])

    class Form:
        """A type of a library that nobody adapts."""

        def __init__(self, kind: str) -> None:
            self.kind = kind

    def adapter_of(kind: str) -> Any:
        def adapt_form(form: Any) -> Any:
            schema = {"type": "object", "properties": {"n": {"type": kind}}}
            return schema_of(validate=dict, vendor="forms", json_schema=schema)

        return SimpleNamespace(
            NAME="forms", owns=lambda tp: isinstance(tp, Form), adapter=adapt_form
        )

    with pytest.raises(NoVendor, match="no validator owns"):
        vendors.adapt(Form("integer"))
    for kind in ("integer", "string"):
        vendors.register(adapter_of(kind))
        emitted = vendors.adapt(Form(kind)).json_schema()
        assert emitted["properties"] == {"n": {"type": kind}}
    with pytest.raises(NoVendor, match="it has no owns, adapter"):
        vendors.register(SimpleNamespace(NAME="half"))
