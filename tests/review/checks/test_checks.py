"""Findings come in order, can be ignored with a reason, and get safe fixes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typing_extensions import TypedDict

from toolhaft import Doc, tool
from toolhaft.cli.source import load
from toolhaft.review import checks
from toolhaft.review.checks.config import Config
from toolhaft.review.checks.finding import Finding, apply_edits
from toolhaft.review.checks.rule import TextEdit
from toolhaft.review.checks.subject import Subject

HEAD = "from toolhaft import tool\n\n"


def found_in(path: Path, text: str, config: Config | None = None) -> list[Finding]:
    path.write_text(HEAD + text)
    source = load(str(path))
    return checks.check([Subject(one, where) for one, where in source.tools], config)


def said(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(one.code, one.tool, one.message) for one in findings]


ONE = """
@tool{comment}
def wait(delay: int) -> None:
    "Wait for some time."
"""


def test_findings_come_by_place_in_the_set_and_then_by_code(tmp_path: Path) -> None:
    text = (
        ONE.format(comment="")
        + """
@tool
def find(city: str):
    "Find."
"""
    )
    codes = [(one.tool, one.code) for one in found_in(tmp_path / "many.py", text)]
    assert codes == [
        ("wait", "TH102"),
        ("find", "TH102"),
        ("find", "TH103"),
        ("find", "TH209"),
        ("find", "TH401"),
    ]


def test_a_comment_with_a_reason_lets_a_finding_be(tmp_path: Path) -> None:
    text = ONE.format(comment="  # toolhaft: ignore[TH102] it is plain")
    assert found_in(tmp_path / "let.py", text) == []


def test_a_comment_right_above_a_tool_is_the_tools(tmp_path: Path) -> None:
    above = "# Waiting.\n# toolhaft: ignore[TH102] it is plain"
    text = ONE.format(comment="").replace("@tool", f"{above}\n@tool")
    assert found_in(tmp_path / "above.py", text) == []
    apart = text.replace("plain\n", "plain\n\n")
    assert [one.code for one in found_in(tmp_path / "apart.py", apart)] == ["TH102"]


def test_a_comment_without_a_reason_lets_nothing_be(tmp_path: Path) -> None:
    path = tmp_path / "noreason.py"
    found = found_in(path, ONE.format(comment="  # toolhaft: ignore[TH102]"))
    assert said(found) == [
        ("TH001", "wait", "ignores without a reason"),
        ("TH102", "wait", "no description"),
    ]
    assert found[0].where == f"{path}:4"


def test_a_comment_that_silences_nothing_is_found_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "idle.py"
    text = ONE.format(comment="  # toolhaft: ignore[TH201, TH999] once it was deep")
    found = found_in(path, text, Config(select=("TH2",)))
    assert said(found) == [("TH002", "wait", "TH201, TH999 would not fire here")]
    assert apply_edits(one.edit for one in found if one.edit) == 1
    assert path.read_text() == HEAD + ONE.format(comment="")


def test_a_misspelt_name_in_a_docstring_is_fixed(tmp_path: Path) -> None:
    path = tmp_path / "misspelt.py"
    text = '''
@tool
def wait(delay: int) -> None:
    """Wait for some time.

    Args:
        dealy: Seconds to wait, no dealy otherwise.
    """
'''
    edits = [one.edit for one in found_in(path, text, Config(select=("TH106",))) if one.edit]
    assert apply_edits(edits) == 1
    assert path.read_text() == HEAD + text.replace("        dealy:", "        delay:")


def test_an_edit_of_a_line_that_has_changed_is_not_applied(tmp_path: Path) -> None:
    path = tmp_path / "changed.py"
    path.write_bytes(b"one\r\ntwo\r\nthree")
    edits = [
        TextEdit(str(path), 1, "one", "uno"),
        TextEdit(str(path), 1, "one", "eins"),
        TextEdit(str(path), 2, "due", "zwei"),
        TextEdit(str(path), 3, "three", ""),
        TextEdit(str(path), 9, "nine", "neun"),
    ]
    assert apply_edits(edits) == 2
    assert path.read_bytes() == b"uno\r\ntwo\r\n"


def test_the_configuration_selects_ignores_and_names_targets() -> None:
    @tool
    def find(city: str, at: list[int]) -> None:
        "Find a shop of the town by its name and its place."

    subject = Subject(find, "tools.py:1")

    def codes(**settings: Any) -> list[str]:
        return [one.code for one in checks.check([subject], Config(**settings))]

    assert codes() == ["TH102", "TH102", "TH209"]
    assert codes(select=("TH2",)) == ["TH209"]
    assert codes(ignore={"TH1": "short names say it"}) == ["TH209"]
    assert codes(per_tool={"find": {"TH102": "said"}, "other": {"TH209": "said"}}) == ["TH209"]
    assert codes(select=("TH5",), targets=("openai", "anthropic")) == []


def test_the_fix_of_an_imported_tool_is_its_schema_or_a_transform() -> None:
    class Place(TypedDict):
        street: str

    @tool
    def find(api_key: Annotated[str, Doc("of the shop")], at: Place) -> str:
        "Find a shop of the town by its name and its place."
        return api_key + at["street"]

    config = Config(select=("TH102", "TH207"))
    code, other = (checks.check([Subject(find, "tools", runs)], config) for runs in (True, False))
    describe = "describe it in its schema, or with Tool.transform(describe=...)"
    assert [(found.code, found.fix) for found in code] == [
        ("TH102", "describe it in the docstring or with Doc"),
        ("TH102", "describe it in its type"),
        ("TH207", "take it from the context: Injected"),
    ]
    assert [(found.code, found.fix) for found in other] == [
        ("TH102", describe),
        ("TH102", describe),
        ("TH207", "give it its value with Tool.transform(hide=...)"),
    ]


def test_the_definitions_of_a_schema_are_known_where_a_default_is_checked() -> None:
    schema = {
        "type": "object",
        "properties": {
            "size": {"allOf": [{"$ref": "#/$defs/Size"}], "default": 7},
            "same": {"$ref": "#/properties/size", "default": 7},
        },
        "$defs": {"Size": {"enum": [1, 2]}},
    }
    buy = tool(lambda arguments: arguments, name="buy", description="Buy.", input=schema)
    found = checks.check([Subject(buy, "tools.py:1")], Config(select=("TH202",)))
    assert [one.pointer for one in found] == ["/input/properties/size"]


def test_a_parameter_is_described_where_its_definition_is() -> None:
    schema = {
        "type": "object",
        "properties": {"size": {"$ref": "#/$defs/Size"}, "lost": {"$ref": "#/properties/size"}},
        "$defs": {"Size": {"enum": [1, 2], "description": "In metres"}},
    }
    buy = tool(lambda arguments: arguments, name="buy", description="Buy.", input=schema)
    found = checks.check([Subject(buy, "tools.py:1")], Config(select=("TH102",)))
    assert [one.pointer for one in found] == ["/input/properties/lost"]


def test_a_function_without_source_has_no_comments() -> None:
    scope: dict[str, Any] = {}
    exec("def find() -> None: 'Find a shop.'", scope)
    assert checks.check([Subject(tool(scope["find"]), "?:1")]) == []
