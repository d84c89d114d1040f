"""The requests by which the search is measured share no word with the names of their tools."""

from __future__ import annotations

from pathlib import Path

from toolhaft.discovery.words import read_words, stem

LINES = (Path(__file__).parents[2] / "bench" / "search_requests.txt").read_text().splitlines()
# Words that no request is about.
FILLERS = {"to", "in"}


def test_no_request_has_a_word_of_the_name_that_it_is_to_find() -> None:
    requests = [line.split(" | ") for line in LINES if not line.startswith("#")]
    assert len(requests) > 100
    for request, names in requests:
        named = {stem(word) for word in read_words(names)} - FILLERS
        assert named.isdisjoint(map(stem, read_words(request))), request
