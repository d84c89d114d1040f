"""Handle characters that a person cannot see in imported tools.

A definition with such a character is rejected wherever a model would read it. With "strip" the
texts of an imported tool lose them first, and parts that decide nothing are left out: defaults,
examples, extension keywords, further options of a provider. Parts that decide which arguments are
valid (names, enums, constants, patterns, references) stay as they are, so the tool is rejected by
name: with another string there, it would be another tool.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from toolhaft.definition import names
from toolhaft.definition.options import own_options
from toolhaft.errors import DefinitionError, Fault
from toolhaft.schema.document.walk import pointer
from toolhaft.schema.invisible import strip_invisible
from toolhaft.spec import Path

__all__ = ["InvisibleCharacters", "describe_stripped", "require_choice", "strip_options"]

InvisibleCharacters: TypeAlias = Literal["reject", "strip"]
"""Whether an import rejects tools with characters that a person cannot see, or strips them."""

CHOICES: Final = ("reject", "strip")
TEXTS: Final = ("title", "description")
NODES: Final = ("input", "output", "annotations")


def require_choice(where: str, choice: object) -> None:
    """Raise for what is neither of the two.

    Raises:
        DefinitionError: names the option and both values.
    """
    if choice not in CHOICES:
        fix = 'use "reject" or "strip"'
        raise DefinitionError([Fault(where, "invisible_characters", "invalid value", fix)])


def strip_options(options: Any) -> tuple[dict[str, Any], list[tuple[Path, str]]]:
    r"""Return the options of an imported tool without such characters, and the list of changes.

    >>> strip_options({"name": "find", "description": "Find\u200b."})[0]
    {'name': 'find', 'description': 'Find.'}
    """
    stripped: dict[str, Any] = {**own_options(options)}
    texts = {option: stripped.pop(option) for option in TEXTS if option in stripped}
    texts, changed = strip_invisible(texts)
    for option in NODES:
        _strip_inside(stripped, option, (option,), changed)
    targets = stripped.get("provider_options", {})
    for target in targets:
        _strip_inside(targets, target, ("provider_options", target), changed)
    examples = stripped.get("examples", ())
    hidden = {steps[0]: character for steps, character in names.hidden_texts(examples)}
    if hidden:
        changed += [(("examples", place), character) for place, character in hidden.items()]
        stripped["examples"] = [each for at, each in enumerate(examples) if at not in hidden]
    return stripped | texts, changed


def _strip_inside(
    parts: dict[str, Any], key: str, steps: Path, changed: list[tuple[Path, str]]
) -> None:
    """Strip one part of the options, if it is an object."""
    if isinstance(parts.get(key), dict):
        parts[key], inside = strip_invisible(parts[key])
        changed += [((*steps, *more), character) for more, character in inside]


def describe_stripped(steps: Path, character: str) -> str:
    """Describe a change as a field that was left out."""
    return f"{names.escape_text(pointer(steps)[1:], 200)} ({character})"
