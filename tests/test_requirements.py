"""Every promised behaviour has a test, and every mark names a promised behaviour.

The marks are read from the files' syntax trees, so that the answer is the same whichever tests
are selected and whichever worker asks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.requirements import REQUIREMENTS

pytestmark = pytest.mark.unmeasured

TESTS = Path(__file__).parent


def marks(tree: ast.AST) -> Iterator[ast.Call]:
    """Each `pytest.mark.requirement(...)` of a file: on a test, a class, a case or the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "requirement":
            assert ast.unparse(node.func) == "pytest.mark.requirement"
            yield node


@cache
def marked_ids() -> dict[str, list[str]]:
    """Requirement id -> the places of its marks."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for mark in marks(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path.relative_to(TESTS)}:{mark.lineno}"
            for argument in mark.args:
                found.setdefault(ast.literal_eval(argument), []).append(where)
    return found


def test_every_requirement_has_a_test() -> None:
    assert sorted(REQUIREMENTS.keys() - marked_ids().keys()) == []


def test_every_mark_names_a_requirement() -> None:
    unknown = {name: where for name, where in marked_ids().items() if name not in REQUIREMENTS}
    assert unknown == {}


def test_every_requirement_has_an_id_of_its_own_and_one_sentence() -> None:
    tree = ast.parse((TESTS / "requirements.py").read_text(encoding="utf-8"))
    [table] = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    ids = [ast.literal_eval(key) for key in table.keys if key is not None]
    assert len(ids) == len(table.keys)
    assert [name for name in ids if ids.count(name) > 1] == []
    assert [name for name in ids if not re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", name)] == []
    assert [name for name, sentence in REQUIREMENTS.items() if len(sentence.split()) < 3] == []
