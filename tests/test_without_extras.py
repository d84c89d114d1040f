"""Without extras, an import or a command that needs one says which in one line, with the command.

One interpreter has nothing but the standard library and what the core needs: it imports every
module, and uses what imports a package only then.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SITE = Path(sysconfig.get_path("purelib"))
CORE = (
    *("pydantic", "pydantic_core", "jiter", "jsonschema_rs", "typing_extensions"),
    *("annotated_types", "typing_inspection"),
)
CHILD = """
import json, sys
from importlib import import_module
from pathlib import Path
source, packages = sys.argv[1:]
sys.path[:0] = [source, packages]

def attempt(name, action):
    try:
        action()
    except BaseException as error:
        found[name] = f"{type(error).__name__}: {error}"

found = {}
for path in sorted((Path(source) / "toolhaft").rglob("*.py")):
    name = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
    attempt(name, lambda: import_module(name))

from toolhaft import Toolset, tool
from toolhaft.observers.opentelemetry import OpenTelemetry
from toolhaft.observers.structlog import Structlog
from toolhaft.serve import asgi
from toolhaft.testing import arguments_for

@tool
def double(n: int) -> int:
    "Twice a number."
    return 2 * n

tools = Toolset([double])
attempt("()OpenTelemetry", OpenTelemetry)
attempt("()Structlog", Structlog)
attempt("()arguments_for", lambda: arguments_for(double))
attempt("()asgi", lambda: asgi(tools))
attempt("()as_mcp_server", tools.as_mcp_server)
for path in sorted((Path(source) / "toolhaft" / "frameworks").glob("*.py")):
    module = import_module(f"toolhaft.frameworks.{path.stem}")
    for name in module.__all__:
        if name.startswith("to_"):
            attempt(f"(){name}", lambda: vars(module)[name](double))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has the packages of the core, as an environment without extras has."""
    folder = tmp_path_factory.mktemp("packages")
    for name in CORE:
        for top in {
            file.parts[0] for file in distribution(name).files or () if ".." not in str(file)
        }:
            if not (folder / top).exists():
                (folder / top).symlink_to(SITE / top)
    return folder


def run(core: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", "-c", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.requirement("missing-extra-in-one-line")
def test_each_import_and_function_names_the_extra_that_it_lacks(core: Path) -> None:
    child = run(core, CHILD, str(ROOT / "src"), str(core))
    assert (child.returncode, child.stderr) == (0, "")
    found: dict[str, str] = json.loads(child.stdout)
    unnamed = {
        name: error
        for name, error in found.items()
        if "\n" in error or " is not installed: pip install '" not in error
    }
    assert unnamed == {}
    assert found["toolhaft.cli"] == (
        "ModuleNotFoundError: toolhaft.cli: click is not installed: pip install 'toolhaft[cli]'"
    )
    others = {name for name in found if not name.startswith(("toolhaft.cli", "()"))}
    inner = {"toolhaft.serve.protocol", "toolhaft.serve.server"}
    assert others == {"toolhaft.pytest_plugin", *inner}
    assert len([name for name in found if name.startswith("()")]) >= 18


@pytest.mark.requirement("missing-extra-in-one-line")
def test_the_command_without_its_extra_ends_with_one_line(core: Path) -> None:
    code = "import sys; sys.path[:0] = sys.argv[1:]; from toolhaft.__main__ import main; main()"
    child = run(core, code, str(ROOT / "src"), str(core))
    assert (child.returncode, child.stdout, child.stderr) == (
        2,
        "",
        "error: toolhaft.cli: click is not installed: pip install 'toolhaft[cli]'\n",
    )
