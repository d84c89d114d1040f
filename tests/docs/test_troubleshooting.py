"""The page on troubleshooting lists every error that definitions and the command line report."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import error_messages
import pytest

from tests.cli.running import forked
from toolhaft import DefinitionError, Toolset, tool
from toolhaft.definition.options import AllOptions
from toolhaft.errors import Fault

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
LISTED = re.findall(r"^```\{error-messages\} (.*)$", PAGE, re.MULTILINE)


@cache
def listed_messages() -> list[error_messages.Message]:
    return error_messages.messages(*" ".join(LISTED).split())


def matches(template: str, text: str) -> bool:
    parts = map(re.escape, template.split("…"))
    return re.fullmatch(".*".join(parts), text, re.DOTALL) is not None


def is_listed(fault: Fault) -> bool:
    """Check whether a row of the page has the reason of a fault."""
    return any(matches(one.problem, fault.reason) for one in listed_messages())


def test_every_module_that_makes_errors_is_in_a_table() -> None:
    listed = " ".join(LISTED).split()
    outside = [
        module
        for module in error_messages.modules_with_messages()
        if module not in listed and module.partition("/")[0] not in listed
    ]
    assert outside == []


@pytest.mark.requirement("troubleshooting-page")
def test_the_words_of_every_error_can_be_read_from_the_code() -> None:
    assert list(error_messages.unread_calls()) == []


NEW_ERRORS = """
UNKNOWN: Final = "zorp is not a name"
MISSING = ("zorp is missing", "pass a zorp")

def check(name):
    raise DefinitionError([Fault(name, "", UNKNOWN, FIXES[name])])

def load(name):
    raise DefinitionError([Fault(name, "input", *MISSING)])

def run(names):
    raise Unusable(*(f"{name}: has no zorp; pass one" for name in names))

def answer():
    raise Refused(404, "no zorp here; ask for another")
"""


def test_a_new_error_is_found_however_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text(NEW_ERRORS)
    assert set(error_messages.messages(str(tmp_path / "new.py"))) == {
        ("zorp is not a name", ""),
        ("zorp is missing", "pass a zorp"),
        ("…: has no zorp", "pass one"),
        ("no zorp here", "ask for another"),
    }


def test_a_row_is_read_with_its_variants_and_the_fix_written_nearest() -> None:
    found = error_messages.messages("definition/names.py")
    assert ("holds two dots in a row", "remove one") in found
    assert any(one.problem.startswith("longer than …") for one in found)


def unannotated(words):  # type: ignore[no-untyped-def]
    """Find."""


def starred(*rest: str) -> None:
    """Find."""


def described(n: int = 1) -> int:
    """Find."""
    return n


def undescribed(n: int = 1) -> int:
    return n


def unclear(data: object) -> None:
    """Find."""


WRONG: list[tuple[Any, dict[str, Any]]] = [
    (unannotated, {}),
    (starred, {}),
    (undescribed, {}),
    (unclear, {}),
    (described, {"name": "two words"}),
    (described, {"omit": ("m",)}),
    (described, {"description": "  "}),
    (described, {"annotations": {"readOnly": True}}),
    (described, {"provider_options": {"opanai": {}}}),
    *((described, {option: object()}) for option in sorted(AllOptions.__annotations__)),
]


@pytest.mark.requirement("troubleshooting-page")
@pytest.mark.parametrize(("function", "options"), WRONG)
def test_the_errors_of_a_wrong_definition_are_on_the_page(
    function: Any, options: dict[str, Any]
) -> None:
    with pytest.raises(DefinitionError) as caught:
        Toolset([tool(function, **options)])
    assert [fault for fault in caught.value.faults if not is_listed(fault)] == []


@pytest.mark.requirement("troubleshooting-page")
@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "tols.py"),
        ("shwo",),
        ("call", "examples/travel/tools.py"),
        ("check", "examples/travel/tools.py", "--select", "XX9"),
        ("diff", "git:nothing", "examples/travel/tools.py"),
        ("export", "examples/travel/tools.py", "--target", "opanai"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_errors_of_wrong_commands_are_on_the_page(arguments: tuple[str, ...]) -> None:
    ran = forked(*arguments, cwd=ROOT)
    assert ran.code == 2
    text = re.sub(r"^error: (invalid value for '.*?': )?", "", ran.err.strip())
    problem, _, fix = text.rpartition("; ") if "; " in text else (text, "", "")
    known = listed_messages()
    assert any(matches(one.problem, problem) and matches(one.fix, fix) for one in known), ran.err
