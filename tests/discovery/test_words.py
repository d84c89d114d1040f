"""Texts are read as words that the search can compare."""

from __future__ import annotations

import pytest

from toolhaft.discovery.words import read_words, stem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("listOrders", ["list", "orders"]),
        ("list_open-orders", ["list", "open", "orders"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("crm.list", ["crm", "list"]),
        ("\uff46\uff49\uff4c\uff45", ["file"]),
        ("Größe", ["grösse"]),
        ("查询余票", ["查询", "询余", "余票"]),
        ("票", ["票"]),
        ("", []),
        ("\u202e\u200b", []),
    ],
)
def test_names_are_split_and_texts_folded(text: str, words: list[str]) -> None:
    assert read_words(text) == words


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("orders", "order"),
        ("cities", "city"),
        ("planned", "plan"),
        ("calling", "call"),
        ("creates", "creat"),
        ("created", "creat"),
        ("status", "status"),
        ("class", "class"),
        ("string", "string"),
        ("is", "is"),
        ("käse", "käse"),
    ],
)
def test_forms_of_a_word_have_one_stem(word: str, root: str) -> None:
    assert stem(word) == root


def test_a_text_of_a_megabyte_is_read_only_at_its_beginning() -> None:
    assert len(read_words("word " * 200_000)) == 4_000
