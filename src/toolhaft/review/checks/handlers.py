"""Rules for the function behind a tool: its docstring, and the annotation of its result."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolhaft.definition import names
from toolhaft.definition.scope import own_annotations
from toolhaft.review.checks.rule import Flag, TextEdit, rule
from toolhaft.review.checks.subject import Subject

__all__: list[str] = []


@rule("TH106", "warning")
def documented_but_absent(subject: Subject) -> Iterator[Flag]:
    """The docstring describes a parameter that the handler does not have.

    Why: it was renamed or removed, and the description that a model should read is lost.

    Bad:
        @tool
        def wait(delay: int) -> None:
            '''Wait for some time.

            Args:
                dealy: Seconds to wait.
            '''

    Good:
        @tool
        def wait(delay: int) -> None:
            '''Wait for some time.

            Args:
                delay: Seconds to wait.
            '''
    """
    code = subject.tool.function.__code__
    argument_names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + 2]
    known = {*argument_names, *subject.parameters}
    undescribed = [name for name, description in subject.parameters.items() if not description]
    for name in subject.docstring.parameters:
        if name not in known:
            near = names.nearest(name, undescribed)
            hint = f"; did you mean {near}?" if near else ""
            message = (
                f"the docstring describes {names.escape_text(name)}, which is no parameter{hint}"
            )
            edit = _rename_edit(subject, name, near) if near else None
            yield Flag("/description", message, "rename or remove it in the docstring", edit)


def _rename_edit(subject: Subject, old: str, new: str) -> TextEdit | None:
    """The edit that gives a name in a docstring its right spelling, where it stands once."""
    source = subject.source
    places = [
        (number, line)
        for number, line in source.lines
        if re.match(rf"\s*(?::param\s+)?{re.escape(old)}\b", line)
    ]
    if len(places) != 1:
        return None
    number, line = places[0]
    return TextEdit(source.path, number, line, re.sub(rf"\b{re.escape(old)}\b", new, line, count=1))


@rule("TH107", "warning")
def partly_documented(subject: Subject) -> Iterator[Flag]:
    """The docstring describes some parameters and leaves others out.

    Why: a parameter was added without a description.

    Bad:
        @tool
        def wait(delay: int, reason: str) -> None:
            '''Wait for some time.

            Args:
                delay: Seconds to wait.
            '''

    Good:
        @tool
        def wait(delay: int, reason: Annotated[str, Doc("Shown to the user")]) -> None:
            '''Wait for some time.

            Args:
                delay: Seconds to wait.
            '''
    """
    if subject.docstring.parameters.keys() & subject.parameters.keys():
        missing = [name for name, description in subject.parameters.items() if not description]
        if missing:
            listed = ", ".join(map(names.escape_text, missing))
            yield Flag("/description", f"the docstring leaves out {listed}", "describe them too")


@rule("TH401", "warning")
def undeclared_return(subject: Subject) -> Iterator[Flag]:
    """A handler does not declare its result.

    Why: without it there is no output schema, and a wrong result reaches the model unchecked.

    Bad:
        @tool
        def find(city: str):
            "Find a shop."
            return {"shop": city}

    Good:
        @tool
        def find(city: str) -> dict[str, str]:
            "Find a shop."
            return {"shop": city}
    """
    declared = "return" in own_annotations(subject.tool.function) or subject.output is not None
    if subject.runs and not declared:
        yield Flag("/output", "no return annotation", "annotate its return")
