"""The parts of `make mutation` that run without mutmut: the choice of tests, and the interval."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.choice import mirrored, statement
from tests.mutation.report import interval

MODULE = """\
LIMIT = 3
def outer(a):
    if a > LIMIT and (
        a < 9
    ):
        return [
            a,
        ]
    return None
"""


@pytest.mark.parametrize(
    ("line", "reached"), [(1, []), (2, []), (4, [3, 4, 5]), (7, [6, 7, 8]), (9, [9])]
)
def test_the_tests_of_a_line_reach_its_statement(
    tmp_path: Path, line: int, reached: list[int]
) -> None:
    path = tmp_path / "module.py"
    path.write_text(MODULE, encoding="utf-8")
    assert [*statement(path, line)] == reached


def test_the_tests_of_a_module_mirror_it() -> None:
    assert mirrored("toolhaft/schema/explain/unions.py") == "tests/schema/explain/test_unions.py"


def test_the_interval_is_that_of_wilson() -> None:
    assert [round(end, 4) for end in interval(90, 100)] == [0.8256, 0.9448]
