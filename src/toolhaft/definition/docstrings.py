"""Read docstrings: the summary and the parameters, in Google, NumPy and reST style.

Styles may be mixed, and the liberties that people take are read too: a dash for the colon, a
bullet before the name, no indentation, `Args:` in the first line. A text that fits no style is
a summary; no text is an error.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Description", "read_docstring"]


class Description(NamedTuple):
    """The text before a docstring's first section, and its description of each parameter."""

    summary: str
    parameters: Mapping[str, str]


@lru_cache(maxsize=64)  # asked for the summary, and again for the parameters
def read_docstring(docstring: str | None) -> Description:
    """Read a docstring; types and the stars of `*args` are left out.

    >>> read_docstring('''Current weather.
    ...
    ... Args:
    ...     city (str, optional): City name,
    ...         e.g. Paris.
    ... ''')
    Description(summary='Current weather.', parameters={'city': 'City name, e.g. Paris.'})
    """
    summary, *sections = _sections(_dedented(docstring or ""))
    texts: dict[str, str] = {}
    for section in sections:
        for names, text in _items(section):
            for name in re.findall(r"\w+", names):
                texts[name] = texts.get(name) or _flowing(text)
    descriptions = {name: text for name, text in texts.items() if text}
    return Description("\n".join(summary.lines).strip(), descriptions)


class _Section(NamedTuple):
    style: str
    indent: int
    lines: list[str]


# The words that open a section, by how its items are written. Remarks are for the reader, who is
# the model here: they stay in the summary. (Google Python Style Guide 3.8; numpydoc style guide;
# Sphinx, info field lists; epydoc writes `@` for the colon.)
_HEADINGS = {
    "google": "arg, args, argument, arguments, param, params, parameter, parameters, attributes, "
    "keyword args, keyword arguments, other args, other arguments, other parameters",
    "other": "return, returns, yield, yields, receives, raises, exceptions, warns, methods, "
    "example, examples, see also, references, todo",
    "remark": "note, notes, warning, warnings, important, caution, hint, tip",
}
_FIELDS = {
    "field": "param, parameter, arg, argument, key, keyword, var, ivar, cvar",
    "other": "type, vartype, return, returns, rtype, yield, yields, raise, raises, except, "
    "exception, meta",
}


def _styles(table: dict[str, str]) -> dict[str, str]:
    return {heading: style for style, words in table.items() for heading in words.split(", ")}


_HEADED, _FIELDED = _styles(_HEADINGS), _styles(_FIELDS)

# Texts, not compiled patterns: `re` compiles and keeps one at its first use.
_FIELD = r"[:@](\w+)(?: [^:]*)?:(?:\s|$)"
_NAME = r"[*`\\]*\w+[*`]*"
_NAMES = rf"(?P<names>{_NAME}(?:\s*,\s*{_NAME})*)"
_COLON = r"(?:\s*:[*`]*|\s+(?:-{1,2}|\u2013|\u2014)\s)"
_ITEM = {
    "google": rf"(?:[-*+•] +)?{_NAMES}(?:\s*\(.*?\))?{_COLON}(?P<text>.*)",
    "numpy": rf"{_NAMES}\s*(?::.*)?(?P<text>)$",
    "field": rf"[:@]\w+\s(?:.*?\s)?(?P<names>{_NAME})\s*:(?P<text>.*)",
    "other": r"(?!)",
}


def _dedented(docstring: str) -> list[str]:
    first, *rest = docstring.expandtabs().replace("\r\n", "\n").split("\n")
    margin = min((_indent(line) for line in rest if line.strip()), default=0)
    return [first.strip(), *(line[margin:].rstrip() for line in rest)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _sections(lines: list[str]) -> list[_Section]:
    """Cut at headings and fields; the first section is the summary."""
    sections = [_Section("summary", max(map(len, lines)), [])]
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        indent = _indent(line)
        style = _style(line.strip(), below.strip()) if indent <= sections[-1].indent else None
        if style == "remark":
            style = "other" if len(sections) > 1 else None
        if style is not None:
            sections.append(_Section(style, indent, []))
        if style in {None, "field"}:
            sections[-1].lines.append(line)
    return sections


def _style(text: str, below: str) -> str | None:
    """Return what begins at a line: the style of a section, a remark, or None."""
    if text.startswith((":", "@")) and (field := re.match(_FIELD, text)):
        return _FIELDED.get(field[1])
    bare = text.strip("#* :")
    if bare.isupper():  # a shouted heading belongs to prose that was written for a model
        return None
    headed = _HEADED.get(bare.lower())
    if below.startswith(("---", "===")) and not below.strip("-="):
        return "numpy" if headed == "google" else headed or "remark"
    marked = text.rstrip("*").endswith(":") or text.startswith(("#", "**"))
    return headed if marked else None


def _items(section: _Section) -> list[tuple[str, list[str]]]:
    """Read a section's items: the names of each, and the lines that describe it."""
    items: list[tuple[str, list[str]]] = []
    pattern, edge, above = _ITEM[section.style], sys.maxsize, ""
    for line in section.lines:
        text, indent = line.strip(), _indent(line)
        match = re.match(pattern, text) if indent <= edge else None
        outside = bool(items and text) and indent <= section.indent
        if outside and (edge > section.indent or not (match or above)):
            break
        if match:
            edge = indent
            items.append((match["names"], [match["text"]]))
        elif items:
            items[-1][1].append(text)
        above = text
    return items


def _flowing(lines: list[str]) -> str:
    """Join lines to paragraphs."""
    paragraphs = "\n".join(line.strip() for line in lines).strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).strip()
