"""Collect the messages of errors from the code, for the page on troubleshooting.

An error is made by a call such as `Fault(tool, where, reason, fix)` or `Unusable(message)`. The
arguments are read from the syntax tree: constants, f-strings and names that are assigned one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

SOURCE = Path(__file__).parents[2] / "src" / "toolhaft"
# Calls that make an error: the last two arguments are its reason and its fix, or the first is both.
TWO_PARTS = {"Fault", "UnnamedFault", "SchemaFault", "Refused", "_fault", "add_fault", "NoVendor"}
PARTS = 2
MOST_STEPS = 3
# Some pairs are a keyword of a schema and what is wrong with it.
KEYWORDS = {"$schema", "$vocabulary"}
# Many are what commands report in the words of the part that raises it.
WHOLE = {
    "BadParameter", "Changed", "ConfigError", "LoadError", "LockError", "ManifestError",
    "NeedsLibrary", "NotItsOutput", "NotJsonLines", "Taken", "Unreadable", "Unusable",
    "UsageError", "fail",
}  # fmt: skip
# Functions with one of these in the annotation of their result return a reason and a fix.
PAIRS = ("tuple[str, str]", "Verdict")
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Message(NamedTuple):
    """A message of an error, with `…` for the parts that vary, and its fix."""

    problem: str
    fix: str


def messages(*modules: str) -> list[Message]:
    """Return the messages of the modules under these paths of the package, without duplicates."""
    paths = [path for module in modules for path in _files(SOURCE / module)]
    return sorted({message for path in paths for message in _of_module(path)})


def unread_calls() -> Iterator[str]:
    """Yield each call that writes the words of an error so that they cannot be read."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in [node for node in ast.walk(tree) if isinstance(node, Function)]:
            for call in [node for node in _own_nodes(function) if isinstance(node, ast.Call)]:
                if _writes_words(call) and not list(_of_call(call, [function], tree)):
                    yield f"{path.relative_to(SOURCE)} {function.name}: {ast.unparse(call)}"


def _writes_words(call: ast.Call) -> bool:
    """Check whether a call makes an error in its own words, not in those of another error."""
    if _name(call) not in TWO_PARTS | WHOLE or any(isinstance(x, ast.Starred) for x in call.args):
        return False
    reasons = call.args[-2:-1] if _name(call) in TWO_PARTS else call.args[:1]
    texts = [_of_parts(reason) for reason in reasons]
    return any(re.search(r"[a-z]{3}", text.rpartition("; ")[0] or text) for text in texts)


def _of_parts(reason: ast.expr) -> str:
    """Return the words that a text has itself."""
    parts = reason.values if isinstance(reason, ast.JoinedStr) else [reason]
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) and isinstance(part.value, str) else "…"
        for part in parts
    )


def modules_with_messages() -> Iterator[str]:
    """Yield each module that makes errors, as a path below the package."""
    for path in sorted(SOURCE.rglob("*.py")):
        if _of_module(path):
            yield str(path.relative_to(SOURCE))


def _files(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


@cache
def _of_module(path: Path) -> frozenset[Message]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(_of_tree(tree))


def _of_tree(tree: ast.Module) -> Iterator[Message]:
    """Yield the messages of each node, which is visited with the functions around it."""
    nodes: list[tuple[ast.AST, list[Function]]] = [(tree, [])]
    while nodes:
        node, functions = nodes.pop()
        if isinstance(node, Function):
            functions = [*functions, node]
        if isinstance(node, ast.Call):
            yield from _of_call(node, functions, tree)
        elif isinstance(node, ast.Return | ast.Yield) and functions:
            yield from _of_pair(node, functions, tree)
        nodes.extend((child, functions) for child in ast.iter_child_nodes(node))


def _of_call(call: ast.Call, functions: list[Function], tree: ast.Module) -> Iterator[Message]:
    name = _name(call)
    if name not in TWO_PARTS | WHOLE:
        return
    scopes = _between_calls(call, [*reversed(functions), tree])
    arguments = [one for argument in call.args for one in _spread(argument, scopes)]
    if any(isinstance(argument, ast.Starred) for argument in arguments):
        return
    is_answer = name == "Refused" and _is_status(arguments[0])
    if name in TWO_PARTS and len(arguments) >= PARTS and not is_answer:
        yield from _joined(arguments[-2], arguments[-1], scopes)
    elif (name in WHOLE or is_answer) and arguments:
        for _, text in _texts(arguments[int(is_answer)], scopes):
            problem, _, fix = text.rpartition("; ") if "; " in text else (text, "", "")
            if re.search(r"[a-z]{3}", problem):
                yield Message(problem, fix)


def _is_status(argument: ast.expr) -> bool:
    """Check whether an argument is the status of an HTTP answer, whose text follows."""
    return isinstance(argument, ast.Constant) and isinstance(argument.value, int)


def _spread(argument: ast.expr, scopes: Sequence[ast.AST]) -> list[ast.expr]:
    """Return an argument, or the members of the tuple or the texts that it spreads."""
    spread = argument.value if isinstance(argument, ast.Starred) else None
    if isinstance(spread, ast.GeneratorExp):
        return [spread.elt]
    values = _assigned(spread.id, scopes) if isinstance(spread, ast.Name) else []
    tuples = [value.elts for value in values if isinstance(value, ast.Tuple)]
    return tuples[0] if tuples else [argument]


def _between_calls(call: ast.Call, scopes: list[ast.AST]) -> list[ast.AST]:
    """Return the scopes, first the part of the innermost one between the last such call and this.

    A function may use the names of a reason and its fix again for its next error.
    """
    innermost = scopes[0]
    lines = [
        node.lineno
        for node in _own_nodes(innermost)
        if isinstance(node, ast.Call) and _name(node) in TWO_PARTS and node.lineno < call.lineno
    ]
    statements = [
        node
        for node in _own_nodes(innermost)
        if isinstance(node, ast.Assign) and max(lines, default=0) < node.lineno < call.lineno
    ]
    return [ast.Module(body=list(statements), type_ignores=[]), *scopes]


def _name(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", None) or getattr(call.func, "id", ""))


def _of_pair(
    node: ast.Return | ast.Yield, functions: list[Function], tree: ast.Module
) -> Iterator[Message]:
    """Yield the message of a function whose result is a reason and a fix."""
    returned = ast.unparse(functions[-1].returns) if functions[-1].returns else ""
    is_pair = any(name in returned for name in PAIRS)
    value = node.value
    branches = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    for branch in branches:
        if is_pair and isinstance(branch, ast.Tuple) and len(branch.elts) == PARTS:
            reason, fix = branch.elts
            if isinstance(reason, ast.Constant) and reason.value in KEYWORDS:
                yield from (Message(text, "") for _, text in _texts(fix, [tree]))
                continue
            yield from _joined(reason, fix, [*reversed(functions), tree])


def _joined(reason: ast.expr, fix: ast.expr, scopes: Sequence[ast.AST]) -> Iterator[Message]:
    """Yield each reason with the fix that is written nearest to it."""
    fixes = list(_texts(fix, scopes)) or [(fix.lineno, "")]
    for line, problem in _texts(reason, scopes):
        if re.search(r"[a-z]{3}", problem):
            nearest = min(abs(line - place) for place, _ in fixes)
            near = [text for place, text in fixes if abs(line - place) == nearest]
            yield Message(problem, " or ".join(dict.fromkeys(near)))


def _texts(node: ast.expr, scopes: Sequence[ast.AST], depth: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the texts that an expression can be, with their lines; a part that varies is `…`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value
    elif isinstance(node, ast.JoinedStr):
        yield node.lineno, "".join(_part(value, scopes, depth) for value in node.values)
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body, scopes, depth)
        yield from _texts(node.orelse, scopes, depth)
    elif isinstance(node, ast.Name) and depth < MOST_STEPS:
        for value in _assigned(node.id, scopes):
            yield from _texts(value, scopes, depth + 1)


def _part(value: ast.expr, scopes: Sequence[ast.AST], depth: int) -> str:
    if isinstance(value, ast.FormattedValue):
        known = list(_texts(value.value, scopes, depth + 1)) if depth < MOST_STEPS else []
        return known[0][1] if len(known) == 1 else "…"
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else "…"


def _assigned(name: str, scopes: Sequence[ast.AST]) -> list[ast.expr]:
    """Return the values that a name is assigned, in the nearest scope that assigns it."""
    for scope in scopes:
        values = [value for node in _own_nodes(scope) for value in _values(node, name)]
        if values:
            return values
    return [value for scope in scopes for value in _imported(name, scope)]


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without those of functions inside it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, Function | ast.ClassDef):
            yield child
            yield from _own_nodes(child)


def _values(node: ast.AST, name: str) -> Iterator[ast.expr]:
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        node = ast.Assign(targets=[node.target], value=node.value)
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for one, value in zip(target.elts, node.value.elts, strict=False):
                    if isinstance(one, ast.Name) and one.id == name:
                        yield value


def _imported(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(scope):
        if isinstance(node, ast.ImportFrom) and any(one.name == name for one in node.names):
            parts = (node.module or "").split(".")[1:]
            path = SOURCE.joinpath(*parts).with_suffix(".py")
            if path.is_file():
                yield from _assigned(name, [ast.parse(path.read_text(encoding="utf-8"))])
