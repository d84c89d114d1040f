"""The first use of each term of the glossary on a page leads to the glossary."""

from __future__ import annotations

import glossary_links
from docutils import nodes  # type: ignore[import-untyped]

from tests.docs.test_pages import DOCS

TERMS = ["loss", "outcome", "prepared call"]


def linked(*parts: nodes.Node) -> list[str]:
    """The parts of a paragraph once its terms are linked: a link as `text -> place`."""
    paragraph = nodes.paragraph("", "", *parts)
    glossary_links.link_terms(paragraph, TERMS, glossary_links.anchor)
    return [
        f"{part.astext()} -> {part['refuri']}"
        if isinstance(part, nodes.reference)
        else part.astext()
        for part in paragraph
    ]


def test_the_first_use_of_a_term_is_linked_and_no_other() -> None:
    assert linked(nodes.Text("Losses and an outcome. An outcome of a prepared call.")) == [
        "",
        "Losses -> term-loss",
        " and an ",
        "outcome -> term-outcome",
        ". An outcome of a ",
        "prepared call -> term-prepared-call",
        ".",
    ]


def test_code_and_other_words_are_no_use_of_a_term() -> None:
    text = nodes.Text("lossless")
    assert linked(nodes.literal("", "outcome"), text) == ["outcome", "lossless"]


def test_terms_are_glossary_entries_that_need_a_definition() -> None:
    terms = glossary_links.glossary_terms((DOCS / "glossary.md").read_text("utf-8"))
    assert {"loss", "outcome", "prepared call", "target"} <= set(terms)
    assert "tool" not in terms
