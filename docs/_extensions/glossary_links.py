"""Link the first use of each glossary term on a page to the glossary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx

GLOSSARY = "glossary"
# Pages for contributors and reference pages are not read from the top.
LEFT_OUT = (
    "decisions/",
    "project/",
    "reference/",
    "genindex",
    GLOSSARY,
    "rules",
    "troubleshooting",
)
# Terms that a reader knows, or that are ordinary words outside of one page.
KNOWN = frozenset({"tool", "framework", "host"})
FORMS: Mapping[str, str] = {
    "loss": r"loss(?:es)?",
    "lowering": r"lower(?:ing|ed)",
    "lifting": r"lift(?:ing|ed|s)",
    "boundary": r"boundar(?:y|ies)",
    "branch": r"branch(?:es)?",
}
NO_PROSE = (nodes.title, nodes.literal, nodes.literal_block, nodes.reference, nodes.raw)


def glossary_terms(source: str) -> list[str]:
    """Return the terms that a glossary defines, but for those that every reader knows."""
    return [term for term in re.findall(r"^(\w.*)\n: ", source, re.MULTILINE) if term not in KNOWN]


def anchor(term: str) -> str:
    """Return the place of a term on the page of the glossary."""
    return f"term-{term.replace(' ', '-')}"


def link_terms(document: nodes.Element, terms: list[str], uri: Callable[[str], str]) -> None:
    """Put a link around the first use of each term in the prose of a page."""
    waiting = {term: _form(term) for term in terms}
    for text in list(document.findall(nodes.Text)):
        if waiting and not any(isinstance(outer, NO_PROSE) for outer in _around(text)):
            parts = list(_with_links(str(text), waiting, uri))
            if len(parts) > 1:
                text.parent.replace(text, parts)


def _form(term: str) -> re.Pattern[str]:
    return re.compile(rf"\b{FORMS.get(term, f'{term}s?')}\b", re.IGNORECASE)


def _around(node: nodes.Node) -> Iterator[nodes.Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def _with_links(
    text: str, waiting: dict[str, re.Pattern[str]], uri: Callable[[str], str]
) -> Iterator[nodes.Node]:
    """Split a text at the terms that wait for their first use, and take these out."""
    while found := [
        (hit.start(), hit.end(), term)
        for term, form in waiting.items()
        if (hit := form.search(text))
    ]:
        start, end, term = min(found)
        del waiting[term]
        yield nodes.Text(text[:start])
        used = text[start:end]
        yield nodes.reference("", used, refuri=uri(term), internal=True, classes=["term"])
        text = text[end:]
    yield nodes.Text(text)


def name_terms(app: Sphinx, document: nodes.document) -> None:
    """Give each term of the glossary an anchor."""
    if app.env.docname == GLOSSARY:
        for term in document.findall(nodes.term):
            term["ids"] = [anchor(term.astext())]


def link_page(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Link the terms of one page."""
    if docname.startswith(LEFT_OUT):
        return
    terms = glossary_terms(Path(app.env.doc2path(GLOSSARY)).read_text("utf-8"))
    page = app.builder.get_relative_uri(docname, GLOSSARY)
    link_terms(document, terms, lambda term: f"{page}#{anchor(term)}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the extension to Sphinx."""
    app.connect("doctree-read", name_terms)
    app.connect("doctree-resolved", link_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
