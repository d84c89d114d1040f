"""Write the page of all rules: `python -m toolhaft.review.checks.reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from toolhaft.review import checks
from toolhaft.review.checks.rule import Rule

__all__ = ["page"]

HEAD = """\
# The rules of `toolhaft check`

This page is written from the code by `python -m toolhaft.review.checks.reference`.
In the examples, `tool`, `Annotated`, `Doc` and `Injected` are imported, and `run` is a function
that returns its argument. `TOOLS` is a list of tools or declarations, and `TARGETS` are the
targets of your project.

TH000 is an invalid definition, with the reason that `DefinitionError` reports.
TH001 is a `# toolhaft: ignore[...]` without a reason, and TH002 one that ignores nothing.
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
