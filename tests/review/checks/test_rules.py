"""Every rule fires on its bad example and is silent on its good one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from toolhaft import from_json
from toolhaft.review import checks
from toolhaft.review.checks.config import Config
from toolhaft.review.checks.subject import Subject
from toolhaft.tools.tool import Tool

RULES = checks.rules()
PRELUDE = """
from typing import Annotated
from toolhaft import Doc, Injected, tool
def run(arguments): return arguments
"""


def subjects_of(source: str, path: str) -> tuple[list[Subject], Config]:
    found: dict[str, Any] = {}
    exec(compile(PRELUDE + source, path, "exec"), found)
    listed = found.get("TOOLS", [one for one in found.values() if isinstance(one, Tool)])
    config = Config(targets=tuple(found.get("TARGETS", ())))
    if listed and isinstance(listed[0], dict):
        return [Subject(one, path, runs=False) for one in from_json(listed)], config
    return [Subject(one, path) for one in listed], config


def fired(source: str, code: str, path: Any) -> set[str]:
    path.write_text(PRELUDE + source)
    subjects, config = subjects_of(source, str(path))
    config = replace(config, select=(code,))
    return {one.code for one in checks.check(subjects, config) if one.code == code}


@pytest.mark.parametrize("code", RULES)
def test_a_rule_fires_on_its_bad_example(code: str, tmp_path: Any) -> None:
    assert fired(RULES[code].bad, code, tmp_path / "tools.py") == {code}


@pytest.mark.parametrize("code", RULES)
def test_a_rule_is_silent_on_its_good_example(code: str, tmp_path: Any) -> None:
    assert fired(RULES[code].good, code, tmp_path / "tools.py") == set()


@pytest.mark.parametrize("code", RULES)
def test_a_rule_says_why(code: str) -> None:
    rule = RULES[code]
    assert rule.title
    assert len(rule.why) > 20
