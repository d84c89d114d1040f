"""Write the page of all rules: `python -m toolhaft.review.checks.reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from toolhaft.review import checks
from toolhaft.review.checks.rule import Rule

__all__ = ["page"]

HEAD = """\
# The rules of `toolhaft check`

Written from the code by `python -m toolhaft.review.checks.reference`; a test holds the two
together.
In the examples, `tool`, `Annotated`, `Doc` and `Injected` are imported, `run` is a function that
gives back its argument, `TOOLS` is a list of tools or declarations, and `TARGETS` stands for the
project's targets.

TH000 is a definition that cannot stand at all, with the reason that a `DefinitionError` gives.
TH001 is a `# toolhaft: ignore[...]` without a reason, TH002 one that would silence nothing.
"""
TABLE = ("| code | severity | what |", "|---|---|---|")


def page() -> str:
    """Write the page in Markdown."""
    rules = checks.rules().values()
    parts = (HEAD, "\n".join((*TABLE, *map(_row, rules))), *map(_section, rules))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _row(rule: Rule) -> str:
    return f"| [{rule.code}](#{_anchor(rule)}) | {rule.severity} | {rule.title} |"


def _anchor(rule: Rule) -> str:
    kept = "".join(
        character for character in rule.title.lower() if character.isalnum() or character in " -"
    )
    return f"{rule.code.lower()}-{kept}".replace(" ", "-")


def _section(rule: Rule) -> str:
    return "\n".join(_lines(rule))


def _lines(rule: Rule) -> Iterator[str]:
    yield f"## {rule.code} {rule.title}"
    yield f"\n{rule.why[:1].upper()}{rule.why[1:]}"
    for title, source in (("Fires", rule.bad), ("Silent", rule.good)):
        yield f"\n{title}:\n\n```py\n{source}\n```"


if __name__ == "__main__":
    sys.stdout.write(page())
