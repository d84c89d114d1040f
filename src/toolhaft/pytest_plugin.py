"""The pytest plugin: rules of `toolhaft check` as tests, a toolset, and exports held to files.

    pytest --toolhaft-check tools.py

adds one test for each tool, which fails with the errors and warnings of its rules. In a project
whose configuration has `toolhaft_tools = "tools.py"`, the fixture `toolset` has these tools, and
`toolhaft_export(target)` compares what would be sent with `tests/exports/<target>.json`, which
`--toolhaft-update` writes.

Calls that the page of `toolhaft serve --open` saved are tests, too: each line of a file whose name
ends with `.calls.jsonl` is one, which calls the tool again and compares the keys that the line has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolhaft.packages import naming_extra

with naming_extra("toolhaft.pytest_plugin", "pytest", "pytest"):
    import pytest

if TYPE_CHECKING:
    from toolhaft.review.checks.finding import Finding
    from toolhaft.toolset.toolset import Toolset

__all__ = ["pytest_addoption", "pytest_collect_file", "pytest_collection_modifyitems"]
__all__ += ["toolhaft_export", "toolset"]

EXPORTS = Path("tests") / "exports"
SAVED = ".calls.jsonl"
NO_CALL = (
    "not a saved call; write an object with name, arguments and kind, if you like tools, json, "
    "issues and repairs, and nothing else"
)
LOADED = pytest.StashKey[dict[str, "Toolset"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the settings of the same names."""
    group = parser.getgroup("toolhaft")
    group.addoption("--toolhaft-check", metavar="TOOLS", help="check these tools as tests")
    group.addoption("--toolhaft-update", action="store_true", help="write the exports anew")
    parser.addini("toolhaft_tools", "the tools of the fixture `toolset`: a module or a file")
    parser.addini("toolhaft_exports", "the folder of exports", default=str(EXPORTS))


class ToolCheck(pytest.Item):
    """One tool, checked by every rule."""

    def __init__(self, *, findings: list[Finding], **rest: Any) -> None:
        super().__init__(**rest)
        self.findings = findings

    def runtest(self) -> None:
        """Fail where a rule found an error, or gave a warning."""
        if self.findings:
            lines = (
                f"{finding.code} {finding.pointer}: {finding.message}; {finding.fix}"
                for finding in self.findings
            )
            raise AssertionError("\n".join(lines))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Return the findings, without a traceback of ours."""
        del style
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"toolhaft check: {self.name}"


def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add a test for each tool that is to be checked."""
    target = config.getoption("--toolhaft-check")
    if target:
        items.extend(_make_checks(session, config, target))


def _make_checks(
    session: pytest.Session, config: pytest.Config, target: str
) -> Iterator[ToolCheck]:
    from toolhaft.cli.source import load
    from toolhaft.review import checks
    from toolhaft.review.checks import config as settings
    from toolhaft.review.checks.subject import Subject

    source = load(target)
    subjects = [Subject(tool, where, source.runs) for tool, where in source.tools]
    failing = ("error", "warning")
    findings = checks.check(subjects, settings.read_config(config.rootpath))
    for subject in subjects:
        tool_findings = [
            finding
            for finding in findings
            if finding.tool == subject.name and finding.severity in failing
        ]
        yield ToolCheck.from_parent(session, name=subject.name, findings=tool_findings)


class SavedCalls(pytest.File):
    """A file of saved calls, one a line."""

    def collect(self) -> Iterator[SavedCall]:
        """Yield a test for each line.

        Raises:
            CollectError: A line is no saved call.
        """
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            saved = _read_saved(line)
            if saved is None:
                raise self.CollectError(f"{self.path.name}:{number}: {NO_CALL}")
            name = f"{saved['name']}-{number}"
            yield SavedCall.from_parent(self, name=name, saved=saved, number=number)


class SavedCall(pytest.Item):
    """One saved call, made again."""

    def __init__(self, *, saved: dict[str, Any], number: int, **rest: Any) -> None:
        super().__init__(**rest)
        self.saved = saved
        self.number = number

    def runtest(self) -> None:
        """Call the tool; fail where a key of the saved outcome differs."""
        from toolhaft.call.recorded import differences, summarise

        then = dict(self.saved)
        place = then.pop("tools", None) or self.config.getini("toolhaft_tools")
        if not place:
            raise pytest.UsageError(
                f"{self.path.name}: no tools; set toolhaft_tools, or add tools to the line"
            )
        tools = _load_toolset(self.config, place)
        name, arguments = then.pop("name"), then.pop("arguments")
        now = summarise(tools.call_sync(name, arguments))
        different = list(differences(then, now))
        if different:
            raise AssertionError("\n".join(different))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Return what differs, without a traceback of ours."""
        del style
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, self.number - 1, f"a saved call of {self.saved['name']}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SavedCalls | None:
    """Collect the calls of a file that the page wrote."""
    if not file_path.name.endswith(SAVED):
        return None
    collected: SavedCalls = SavedCalls.from_parent(parent, path=file_path)
    return collected


def _read_saved(line: str) -> dict[str, Any] | None:
    from toolhaft.call.recorded import is_recorded
    from toolhaft.jsonio import jsontext

    try:
        saved = jsontext.read(line)
    except jsontext.JsonSyntaxError:
        return None
    if not isinstance(saved, dict):
        return None
    call = {key: value for key, value in saved.items() if key != "tools"}
    return saved if is_recorded(call) else None


def _load_toolset(config: pytest.Config, place: str) -> Toolset:
    """Load a place of tools once, with the callbacks of their module's own toolset."""
    from toolhaft.cli.source import load

    if place not in (loaded := config.stash.setdefault(LOADED, {})):
        path = config.rootpath / place
        loaded[place] = load(str(path) if path.exists() else place).toolset
    return loaded[place]


@pytest.fixture(scope="session")
def toolset(request: pytest.FixtureRequest) -> Toolset:
    """The tools that `toolhaft_tools` names."""
    from toolhaft.cli.source import load
    from toolhaft.toolset.toolset import Toolset

    target = request.config.getini("toolhaft_tools")
    if not target:
        raise pytest.UsageError("set toolhaft_tools to a module or a file of tools")
    path = request.config.rootpath / target
    return Toolset(tool for tool, _ in load(str(path) if path.exists() else target).tools)


@pytest.fixture
def toolhaft_export(
    request: pytest.FixtureRequest, toolset: Toolset
) -> Callable[[str], dict[str, Any]]:
    """Compare what a target is sent with a file; give it."""
    config = request.config
    folder = config.rootpath / config.getini("toolhaft_exports")

    def compare_export(target: str) -> dict[str, Any]:
        sent = toolset.export(target, strict="prefer").request
        text = json.dumps(sent, indent=2, ensure_ascii=False) + "\n"
        path = folder / f"{target}.json"
        if config.getoption("--toolhaft-update"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if not path.exists():
            raise AssertionError(f"{path} is not there; write it with --toolhaft-update")
        if path.read_text(encoding="utf-8") != text:
            raise AssertionError(f"{path} differs: run pytest --toolhaft-update, read the diff")
        return sent

    return compare_export
