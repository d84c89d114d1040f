"""Every place that takes tools loads them alike: the same tools, in one order, or one error."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tests.cli.running import Run
from toolhaft.batch import gate, rewards, tools_digest
from toolhaft.batch.calls import FIELDS
from toolhaft.batch.rewarding import Reward
from toolhaft.cli.batch_options import make_job
from toolhaft.cli.errors import Unusable
from toolhaft.cli.serve_tools import load_served
from toolhaft.loading.faults import LoadError
from toolhaft.loading.source import load_tools

pytestmark = pytest.mark.requirement("one-loader")

SRC = Path(__file__).parents[2] / "src" / "toolhaft"

HEAD = """
from toolhaft import Toolset, tool


@tool
def zebra(n: int) -> int:
    "Return a number."
    return n


@tool
def ant(n: int) -> int:
    "Return a number."
    return n
"""


class Case(NamedTuple):
    """A module that defines `zebra` and `ant` and more, a name in it, and what loads."""

    text: str
    tools: list[str] | str
    name: str = ""


OTHER_ANT = '@tool(name="ant")\ndef beetle(n: str) -> str:\n    "Return text."\n    return n\n'
SHOP = (
    "class Shop:\n"
    "    @tool\n"
    "    def hours(self, day: str) -> str:\n"
    '        "Return when the shop is open."\n'
    "        return day\n"
)
TWO_SETS = "shop.py: has 2 toolsets; say which: shop.py:first, shop.py:second"
ONE_NAME = (
    "shop.py: ant.name: reads the same as ant; rename one of them (shop.py:11 and shop.py:15)"
)
FACTORY = "def make() -> Toolset:\n    return Toolset([ant])\n"
FACTORY_ERROR = (
    "shop.py: make is a function that returns tools; call it in the module, as in tools = make(), "
    "and name what it returns"
)

CASES = {
    "tools": Case("", ["zebra", "ant"]),
    "a toolset of the tools beside them": Case("shop = Toolset([ant, zebra])", ["ant", "zebra"]),
    "two toolsets that share tools": Case(
        "first = Toolset([zebra, ant])\nsecond = Toolset([ant])", TWO_SETS
    ),
    "one of two toolsets": Case(
        "first = Toolset([zebra, ant])\nsecond = Toolset([ant])", ["ant"], "second"
    ),
    "a toolset under two names": Case("first = Toolset([ant])\nsecond = first", ["ant"]),
    "a prefixed toolset": Case('shop = Toolset([ant]).prefix("my_")', ["my_ant"]),
    "a renamed tool": Case('bee = ant.replace(name="bee")', ["zebra", "ant", "bee"]),
    "a transformed tool": Case(
        'bee = ant.transform(rename={"n": "number"}).replace(name="bee")', ["zebra", "ant", "bee"]
    ),
    "aliases": Case("a = b = ant\nc = zebra", ["zebra", "ant"]),
    "a tool by its name": Case("a = ant", ["ant"], "a"),
    "a list by its name": Case("listed = [ant, zebra, ant]", ["ant", "zebra"], "listed"),
    "a dict by its name": Case('table = {"x": ant, "y": zebra}', ["ant", "zebra"], "table"),
    "only a list": Case(
        "listed = [ant]\ndel ant, zebra",
        "shop.py: has no tools of its own; say whose: shop.py:listed",
    ),
    "only a dict": Case(
        'table = {"x": ant}\ndel ant, zebra',
        "shop.py: has no tools of its own; say whose: shop.py:table",
    ),
    "an object by its name": Case(f"{SHOP}\nshop = Shop()", ["hours"], "shop"),
    "a class by its name": Case(
        SHOP,
        "shop.py: Shop.hours: a method needs its object; pass an instance instead of the class",
        "Shop",
    ),
    "a bound method under two names": Case(
        f"{SHOP}\nshop = Shop()\na = shop.hours\nb = shop.hours\ndel shop",
        ["zebra", "ant", "hours"],
    ),
    "a factory": Case(FACTORY, ["zebra", "ant"]),
    "a factory by its name": Case(FACTORY, FACTORY_ERROR, "make"),
    "a factory of a list by its name": Case(
        "from toolhaft import Tool\ndef make() -> list[Tool]:\n    return [ant]",
        FACTORY_ERROR,
        "make",
    ),
    "a name that is no tool": Case(
        "x = 1",
        "shop.py:1: int: not a tool; pass a tool, an annotated function, or an object of the "
        "StandardTool shape",
        "x",
    ),
    "a name that is not there": Case("x = 1", "shop.py: has no annt; did you mean ant?", "annt"),
    "names in __all__": Case('__all__ = ["ant"]', ["zebra", "ant"]),
    "tools of another module": Case("from beside import bee", ["zebra", "ant", "bee"]),
    "a toolset of another module": Case("from beside import bees", ["bee"]),
    "two tools of one name": Case(OTHER_ANT, ONE_NAME),
    "no tool": Case(
        "del ant, zebra", "shop.py: has no tools; make one with @tool, or name a list: shop.py:name"
    ),
    "an error": Case(
        "1 / 0", "shop.py:15: cannot be imported: ZeroDivisionError: division by zero"
    ),
    "an exit": Case("raise SystemExit", "shop.py:15: cannot be imported: it calls sys.exit"),
    "a relative import without a package": Case(
        "from .beside import bee",
        "shop.py:15: cannot be imported: ImportError: attempted relative import with no known "
        "parent package",
    ),
    "a faulty definition": Case(
        "@tool\ndef bee(n) -> int:\n    'Return a number.'\n    return 1",
        "shop.py:15: bee.n: the parameter has no annotation; annotate it with its type",
    ),
    "a type that is not there": Case(
        "@tool\ndef bee(n: 'Nowhere') -> int:\n    'Return a number.'\n    return 1",
        "shop.py:15: bee.n: the annotation names Nowhere, which is not defined at run time; "
        "import Nowhere outside `if TYPE_CHECKING`",
    ),
}
BESIDE = HEAD.replace("zebra", "wasp").replace("def ant", "def bee") + "\nbees = Toolset([bee])\n"


@pytest.fixture(autouse=True)
def _own_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beside.py").write_text(BESIDE)
    yield
    for name in ("beside", "_tools_shop"):
        sys.modules.pop(name, None)


def of_show(run: Run, place: str) -> Any:
    ran = run("show", place, "--format", "json")
    return [listed["name"] for listed in ran.json] if ran.code == 0 else ran.err


def of_lock(run: Run, place: str) -> Any:
    ran = run("lock", place, "-o", "-")
    return [*ran.json["tools"]] if ran.code == 0 else ran.err


def of_manifest(run: Run, place: str) -> Any:
    ran = run("manifest", place, "--format", "json", "--target", "openai")
    return [listed["name"] for listed in ran.json] if ran.code == 0 else ran.err


def of_batch(run: Run, place: str) -> Any:
    Path("calls.jsonl").write_text('{"name": "-", "arguments": "{}"}\n')
    ran = run("batch", place, "calls.jsonl", "-o", "-")
    return available(ran.rows[0]["text"]) if ran.code == 1 else ran.err


def of_serve(run: Run, place: str) -> Any:
    try:
        return [listed.name for listed in load_served(place).toolset]
    except Unusable:
        return run("serve", place, "--stdio").err


def of_ray(run: Run, place: str) -> Any:
    """Load the tools as a worker of a pool or a Ray cluster does."""
    del run
    options: Any = SimpleNamespace(
        tools=place, execute=False, context=None, fields=FIELDS, max_line_bytes=9
    )
    try:
        job, _ = make_job(options, False)
    except Unusable as error:
        return error.message
    return available(job.catalogue.describe_unknown("-"))


def of_gate(run: Run, place: str) -> Any:
    del run
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"name": ["-"], "arguments": ["{}"]})
    try:
        return available(gate(table, place)["text"][0].as_py())
    except LoadError as error:
        return str(error)


def of_rewards(run: Run, place: str) -> Any:
    del run
    try:
        [scored] = rewards([{"name": "-", "arguments": {}}], place)
    except LoadError as error:
        return str(error)
    assert scored is not None
    return available(scored.reason)


def available(text: str) -> list[str]:
    return text.removesuffix(".").partition("Available tools: ")[2].split(", ")


def _reason(text: str) -> str:
    """Return the reason of an error, of a command with `--format json` too."""
    if not text.startswith("{"):
        return text.replace("error: ", "")
    written = json.loads(text)
    faults = [written, *written.get("more", ())]
    return "\n".join("; ".join(filter(None, [one["error"], one["fix"]])) for one in faults)


ENTRIES = (of_show, of_lock, of_manifest, of_batch, of_serve, of_ray, of_gate, of_rewards)


@pytest.mark.filterwarnings("ignore:left out")
@pytest.mark.parametrize("case", CASES)
def test_every_entry_point_loads_the_same_tools_or_names_the_same_fault(
    run: Run, case: str
) -> None:
    text, expected, name = CASES[case]
    Path("shop.py").write_text(f"{HEAD}{text}\n")
    place = f"shop.py:{name}" if name else "shop.py"
    for entry in ENTRIES:
        loaded = entry(run, place)
        if isinstance(expected, str):
            reason = _reason(loaded).replace(f"{Path.cwd()}/", "").strip()
            assert reason == expected, entry
        else:  # some of them list names in alphabetical order
            assert sorted(loaded) == sorted(expected), entry
    if not isinstance(expected, str):
        assert [listed.name for listed, _ in load_tools(place).tools] == expected


# Code that can import a module named by data, or find tools in an object, and its users.
IMPORTERS = {"SourceFileLoader", "module_from_spec", "spec_from_file_location", "run_path"}
FINDERS = {"collect_tools", "is_tool", "ModuleImport", "select_tools"}
ALLOWED = {
    "loading/modules.py": {"SourceFileLoader", "module_from_spec", "ModuleImport", "import_module"},
    "loading/selection.py": {"collect_tools", "is_tool", "select_tools"},
    "loading/source.py": {"ModuleImport", "select_tools"},
    # A set of an object's tools, which is not a module.
    "toolset/members.py": {"collect_tools", "is_tool"},
    "toolset/toolset.py": {"collect_tools"},
    # The module of a handler that runs in a process of its own, and the context of `serve`.
    "tools/child.py": {"SourceFileLoader", "module_from_spec", "import_module"},
    "cli/serve_app.py": {"import_module"},
    # Libraries that are optional.
    "batch/columns.py": {"import_module"},
    "cli/openapi.py": {"import_module"},
}


# The attributes of nodes that are words of the code.
WORDS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Name: ("id",),
    ast.alias: ("name",),
    ast.Attribute: ("attr",),
    ast.FunctionDef: ("name",),
    ast.ClassDef: ("name",),
}


def test_no_second_module_imports_what_is_named_or_looks_for_tools_in_it() -> None:
    seen: dict[str, set[str]] = {}
    for path in SRC.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        words = {getattr(node, part) for node in nodes for part in WORDS.get(type(node), ())}
        used = words & (IMPORTERS | FINDERS) | (
            {"import_module"} if _imports_data(nodes) else set()
        )
        if used:
            seen[path.relative_to(SRC).as_posix()] = used
    assert seen == ALLOWED


def _imports_data(nodes: list[ast.AST]) -> bool:
    """Whether a module is imported whose name stands in a variable."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"import_module", "__import__"}
        and isinstance(node.args[0], ast.Name | ast.Attribute | ast.Call)
        for node in nodes
    )


def test_a_right_call_of_a_tool_that_also_stands_in_a_toolset_is_accepted() -> None:
    pa = pytest.importorskip("pyarrow")
    Path("shop.py").write_text(f"{HEAD}shop = Toolset([zebra, ant])\n")
    table = pa.table({"name": ["ant"], "arguments": ['{"n": 1}']})
    assert gate(table, "shop.py")["kind"].to_pylist() == ["accepted"]
    call = {"name": "ant", "arguments": {"n": 1}}
    assert rewards([call], "shop.py") == [Reward(1.0, "valid")]
    assert tools_digest("shop.py") == tools_digest("shop.py:shop")


def test_tools_themselves_count_once_too_and_may_not_share_a_name() -> None:
    Path("shop.py").write_text(f"{HEAD}{OTHER_ANT}")
    with pytest.raises(LoadError, match=r"ant\.name: reads the same as ant; rename one of them"):
        load_tools("shop.py")
    ant, other = (load_tools(f"shop.py:{name}").toolset["ant"] for name in ("ant", "beetle"))
    call = {"name": "ant", "arguments": {"n": 1}}
    assert rewards([call], [ant, ant]) == [Reward(1.0, "valid")]
    with pytest.raises(LoadError, match=r"tools: ant\.name: reads the same as ant"):
        rewards([call], [ant, other])


def test_no_reward_of_zero_is_without_a_reason() -> None:
    Path("shop.py").write_text(HEAD)
    calls = [
        {"name": "-", "arguments": {}},
        {"name": "ant", "arguments": {"n": "x"}},
        {"name": "ant", "arguments": "{"},
        {"name": "ant"},
        {"name": 1, "arguments": {}},
        {"type": "function", "function": 1},
        [{"role": "assistant", "tool_calls": [None]}],
    ]
    scored = rewards(calls, "shop.py")
    assert [(one.score, bool(one.reason)) for one in scored if one] == [(0.0, True)] * len(calls)


def test_what_a_module_has_besides_its_tools_is_a_warning_to_a_program() -> None:
    Path("shop.py").write_text(f'{HEAD}listed = [ant.replace(name="bee")]\n')
    with pytest.warns(
        UserWarning, match=r"left out: bee of listed: name it to have them: shop\.py:"
    ):
        rewards([], "shop.py")


def test_a_module_with_a_faulty_definition_is_not_left_half_imported() -> None:
    Path("half_made.py").write_text(f"{HEAD}bee = tool(lambda n: n)\nafter = 1\n")
    with pytest.raises(LoadError, match=r"half_made\.py:15: "):
        rewards([], "half_made")
    assert "half_made" not in sys.modules


def test_a_faulty_declaration_hides_no_other_from_any_entry_point(run: Run) -> None:
    schema = '{"type": "object", "properties": {"n": {"type": "integer"}}}'
    good = f'{{"name": "good", "description": "Good.", "inputSchema": {schema}}}'
    bad = '{"name": "bad", "description": "Bad.", "inputSchema": 5}'
    Path("tools.jsonl").write_text(f"{good}\n{bad}\n")
    calls = [{"name": "good", "arguments": {"n": 1}}, {"name": "bad", "arguments": {}}]
    with pytest.warns(UserWarning, match=r"left out: tools\.jsonl:2: "):
        scored = rewards(calls, "tools.jsonl")
    reason = "the declaration of its tool is faulty"
    assert scored == [Reward(1.0, "valid"), Reward(0.0, "refused", issues=1, reason=reason)]
    Path("calls.jsonl").write_text("".join(f"{json.dumps(call)}\n" for call in calls))
    rows = run("batch", "tools.jsonl", "calls.jsonl", "-o", "-").rows
    assert [row["issues"] for row in rows][1][0]["message"] == reason
