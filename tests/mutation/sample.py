"""Draws mutants of toolhaft: one change of one place of the source each, by mutmut's operators.

    python -m tests.mutation.sample SEED COUNT

Runs in an environment that has mutmut, and needs nothing else. The places of FOLDERS are shuffled
by the seed, and each of the first COUNT gets one of its changes. So the first ones of a sample are
a sample, too, and the same seed draws the same places of the same source.
"""

from __future__ import annotations

import ast
import difflib
import json
import random
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.mutation import tree

__all__ = ["Place", "draw", "places"]

cst: Any = import_module("libcst")
metadata: Any = import_module("libcst.metadata")
OPERATORS: Final[Any] = import_module("mutmut.mutation.mutators").mutation_operators

# Only a type checker reads their first argument.
TYPES_ONLY: Final = {"cast", "TypeVar", "NewType", "ParamSpec"}


class Place(NamedTuple):
    """A node of a module that an operator changes, and its line."""

    path: str
    node: Any
    module: Any
    line: int
    changes: list[tuple[str, Any]]


def draw(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Draw mutants, in the order of the sample."""
    everywhere = [
        place
        for folder in tree.FOLDERS
        for path in sorted((tree.SOURCE / "toolhaft" / folder).rglob("*.py"))
        for place in places(path)
    ]
    sys.stderr.write(f"{len(everywhere)} places\n")
    chance = random.Random(seed)
    chance.shuffle(everywhere)
    drawn = 0
    for place in everywhere:
        if drawn == count:
            return
        if mutant := _mutant(place, chance):
            yield {"number": drawn} | mutant
            drawn += 1


def places(path: Path) -> Iterator[Place]:
    """Yield each place of a module that an operator changes."""
    wrapper = metadata.MetadataWrapper(cst.parse_module(path.read_text(encoding="utf-8")))
    positions = wrapper.resolve(metadata.PositionProvider)
    name = path.relative_to(tree.SOURCE).as_posix()
    for node in _changed_nodes(wrapper.module):
        changes = [
            (operator.__name__.removeprefix("operator_"), changed)
            for kind, operator in OPERATORS
            if isinstance(node, kind)
            for changed in operator(node)
        ]
        if changes and node in positions:
            yield Place(name, node, wrapper.module, positions[node].start.line, changes)


def _changed_nodes(node: Any) -> Iterator[Any]:
    if _runs(node):
        yield node
        for child in node.children:
            yield from _changed_nodes(child)


def _runs(node: Any) -> bool:
    """Check whether what a node says can matter when the program runs.

    Left out, as in mutmut, are calls of `len` and `isinstance`, with which any change fails.
    """
    match node:
        case cst.Annotation() | cst.ImportFrom() | cst.Import():
            runs = False
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString())]):
            runs = False
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[target])]):
            runs = _name(target.target) != "__all__"
        case cst.AnnAssign(annotation=annotation):
            runs = _name(annotation.annotation) != "TypeAlias"
        case cst.If(test=test):
            runs = _name(test) != "TYPE_CHECKING"
        case cst.Call(func=function):
            runs = _name(function) not in {*TYPES_ONLY, "len", "isinstance"}
        case cst.Subscript(value=value):
            runs = _name(value) != "Literal"
        case _:
            runs = True
    return runs


def _name(node: Any) -> str | None:
    return node.value if isinstance(node, cst.Name) else None


def _mutant(place: Place, chance: random.Random) -> dict[str, Any] | None:
    operator, changed = chance.choice(place.changes)
    before = place.module.code
    after = place.module.deep_replace(place.node, changed).code
    try:
        if ast.dump(ast.parse(after)) == ast.dump(ast.parse(before)):
            return None
        compile(after, place.path, "exec", dont_inherit=True)
    except SyntaxError:
        return None
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    change = [line for line in lines if line[:3] not in {"---", "+++"} and line[:2] != "@@"]
    return {
        "path": place.path,
        "line": place.line,
        "operator": operator,
        "change": change,
        "code": after,
    }


if __name__ == "__main__":
    tree.copy()
    with tree.MUTANTS.open("w", encoding="utf-8") as output:
        output.writelines(
            json.dumps(mutant) + "\n" for mutant in draw(int(sys.argv[1]), int(sys.argv[2]))
        )
