"""The public API as a list of lines, which `tests/public_api.txt` keeps: `make api` writes it.

    python -m tests.public_api

A name that is new, gone or has another signature is written only if the section of CHANGELOG.md on
the next version names it in code font. What the API reference has is public:
docs/project/versioning.md.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

import toolhaft
from tests.docs.test_docstrings import PUBLIC
from toolhaft import spec
from toolhaft.cli.app import COMMANDS, app

__all__ = ["SNAPSHOT", "differences", "listing", "undeclared"]

ROOT: Final = Path(__file__).parents[1]
SNAPSHOT: Final = Path(__file__).with_suffix(".txt")
PLAIN: Final = (str, int, float, bool, type(None))


def listing() -> list[str]:
    """Return a line for each public name, parameter list, command and option."""
    lines = {f"toolhaft.{name} from toolhaft.{home}" for name, home in toolhaft.HOMES.items()}
    lines |= {f"toolhaft.spec.{name}" for name in spec.__all__}
    lines |= {f"{name}{describe(public)}" for name, public in PUBLIC.items()}
    return sorted([*lines, *commands()])


def describe(public: Any) -> str:
    """Describe how something public is called, or of which type it is."""
    if isinstance(public, property):
        return f" -> {returned(public.fget)}"
    try:
        signature = inspect.signature(public)
    except ValueError:  # of an exception that takes whatever it is given
        return ""
    awaited = "awaitable " if inspect.iscoroutinefunction(public) else ""
    return f"({', '.join(parameters(signature))}) -> {awaited}{returned(public)}"


def returned(function: Any) -> str:
    """Return the annotation of a result; a class returns itself."""
    if inspect.isclass(function):
        return function.__name__
    return str(inspect.get_annotations(function).get("return", "Any"))


def parameters(signature: inspect.Signature) -> Iterator[str]:
    """Yield each parameter that a caller can pass, with the mark of keywords before the first."""
    is_keyword = False
    for one in signature.parameters.values():
        if one.name in {"self", "cls"}:
            continue
        if one.kind is one.KEYWORD_ONLY and not is_keyword:
            is_keyword = True
            yield "*"
        annotation = "" if one.annotation is one.empty else f": {one.annotation}"
        yield f"{str(one).partition(':')[0].partition('=')[0].strip()}{annotation}{default_of(one)}"


def default_of(parameter: inspect.Parameter) -> str:
    """Return a default that is written as it is, or an ellipsis."""
    if parameter.default is parameter.empty:
        return ""
    return f" = {parameter.default!r}" if isinstance(parameter.default, PLAIN) else " = ..."


def commands() -> Iterator[str]:
    """Yield each command with its arguments, and each of its options."""
    for name in COMMANDS:
        command = app.get_command(click.Context(app), name)
        assert command is not None
        yield f"toolhaft {name}"
        for one in command.params:
            spellings = [*one.opts, *one.secondary_opts]
            is_option = isinstance(one, click.Option)
            yield f"toolhaft {name} {' '.join(spellings) if is_option else one.human_readable_name}"


def differences() -> tuple[list[str], list[str]]:
    """Return the lines that are gone from the snapshot, and the new ones."""
    kept, now = SNAPSHOT.read_text(encoding="utf-8").splitlines(), listing()
    return [one for one in kept if one not in now], [one for one in now if one not in kept]


def undeclared(lines: list[str], changelog: str) -> list[str]:
    """Return the names in lines that the changelog of the next version does not have.

    A new class or command speaks for its members or options.

    >>> lines = ["toolhaft.tool(f) -> Tool", "toolhaft stubs", "toolhaft stubs --sync"]
    >>> undeclared([*lines, "toolhaft lock --check"], "## 0.2\\n`tool`, `toolhaft stubs` ...")
    ['--check']
    """
    section = re.split(r"^## ", changelog, flags=re.MULTILINE)[1]
    names = [name_of(line) for line in lines]
    declared = {name for name in names if re.search(rf"`[^`]*{last(name)}\b[^`]*`", section)}
    missing = [name for name in names if name not in declared and owner(name) not in declared]
    return [re.split(r"[. ]", name)[-1] for name in dict.fromkeys(missing)]


def name_of(line: str) -> str:
    """Return the whole name of a line, without how it is called or what it is."""
    return line if line.startswith("toolhaft ") else re.split(r"[( ]", line)[0]


def last(name: str) -> str:
    """Return the last part of a name as a pattern."""
    return re.escape(re.split(r"[. ]", name)[-1])


def owner(name: str) -> str:
    """Return the class of a member, or the command of an option."""
    return " ".join(name.split()[:2]) if " " in name else name.rpartition(".")[0]


def write() -> int:
    """Write the snapshot, unless the changelog has no line for a change."""
    gone, new = differences() if SNAPSHOT.exists() else ([], [])
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if missing := undeclared([*gone, *new], changelog):
        sys.stderr.write(f"CHANGELOG.md does not name {', '.join(missing)}; write what changed\n")
        return 1
    SNAPSHOT.write_text("".join(f"{line}\n" for line in listing()), encoding="utf-8")
    sys.stdout.writelines([*(f"- {one}\n" for one in gone), *(f"+ {one}\n" for one in new)])
    return 0


if __name__ == "__main__":
    sys.exit(write())
