"""A value that a validator wrote in another form is masked, and the author's words stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any
from unicodedata import normalize
from uuid import UUID

import pytest
from pydantic import AfterValidator

from toolhaft import tool
from toolhaft.call.masking import mask_issues, words_of
from toolhaft.spec import Issue


def shown(message: str, value: Any, known: str = "") -> str:
    [issue] = mask_issues([Issue(message)], {"value": value}, frozenset(known.split()))
    return issue.message


CARD = "4111-1111-1111-1234"
IDENTITY = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


@pytest.mark.requirement("feedback-reformatted-values")
@pytest.mark.parametrize(
    ("value", "written"),
    [
        (CARD, "4111111111111234"),
        (CARD, "4111 1111 1111 1234"),
        (CARD, "41 11 11 11 11 11 12 34"),
        (CARD, "4 1 1 1 1 1 1 1 1 1 1 1 1 2 3 4"),
        (CARD, "4111111111111234x"),
        (IDENTITY, UUID(IDENTITY).hex),
        (IDENTITY, f"0x{UUID(IDENTITY).hex.upper()}"),
        (1234567, "1,234,567"),
        (1234567.5, "1 234 567"),
        ("2026-01-31", "20260131"),
        ("john.smith@example.com", "johnsmith_example"),
        (normalize("NFD", "Zoë-Müller-Straße"), normalize("NFC", "Zoë Müller")),
        (normalize("NFC", "Zoë-Müller"), normalize("NFD", "Zoë Müller")),
        ("Zoë-Müller", "zoemuller"),
        ("GB82 WEST 1234", "gb82west1234"),
        (4111111111111234, f"{4111111111111234:x}"),
        (4111111111111234, f"0o{4111111111111234:o}"),
        (4111111111111234, f"{4111111111111234:#b}"),
        (CARD, f"{4111111111111234:X}"),
        ("4111 1111 1111 1234", f"{4111111111111234:#x}"),
        ("0xdeadbeef", "3735928559"),
        ("DEAD-BEEF", "3,735,928,559"),
        (IDENTITY, str(UUID(IDENTITY).int)),
        ("S3cret Token", b"S3cret Token".hex()),
        ("S3cret Token", "UzNjcmV0IFRva2Vu"),
        (1e21, "1000000000000000000000"),
        ("٣٤٥٦٧٨٩٠", "34567890"),
        (34567890, "٣٤٥٦٧٨٩٠"),
    ],
)
def test_a_value_in_another_form_is_masked(value: object, written: str) -> None:
    assert shown(f"{written} is taken", value, "is taken") == "… is taken"


@pytest.mark.requirement("feedback-reformatted-values")
@pytest.mark.parametrize(
    ("message", "value"),
    [
        ("reservation is closed until 2027", "reset a table"),
        ("order 12345 of 2 shops is gone", "54321"),
        ("use at most 5 of 7 or 9 in 24 h", "a 5 7"),
        ("4111 is no card", "4112-2222"),
        ("the limit is 1000000 for a decade", 64),
        ("65536 or 777777 would fit", "262143"),
    ],
)
def test_words_that_share_less_stay(message: str, value: object) -> None:
    assert shown(message, value) == message


@pytest.mark.requirement("feedback-reformatted-values")
def test_a_value_of_three_characters_is_masked_inside_a_word_and_a_shorter_one_is_not() -> None:
    assert shown("no such code: xabcx", "abc") == "no such code: x…x"
    assert shown("no such code: xabx", "ab") == "no such code: xabx"
    assert shown("no such code: ab", "ab") == "no such code: …"


@pytest.mark.requirement("feedback-reformatted-values")
def test_the_authors_own_words_stay() -> None:
    def check(number: str) -> str:
        raise ValueError(f"{number.replace('-', '')} is expired, renew the subscription")

    @tool
    def pay(card: Annotated[str, AfterValidator(check)], note: str) -> str:
        "Pay by card."
        return card + note

    outcome = pay.call_sync({"card": CARD, "note": "my subscription-expired, renewing"})
    assert [issue.message for issue in getattr(outcome, "issues", ())] == [
        "… is expired, renew the subscription"
    ]


@pytest.mark.requirement("feedback-reformatted-values")
@pytest.mark.parametrize("grow", [str.upper, str.lower])
def test_long_values_are_searched_once_for_each_place_of_a_message(
    grow: Callable[[str], str],
) -> None:
    value = grow("abcdefghij-") * 50_000
    assert shown("x" * 280 + " fghijabc", value) == "x" * 280 + " …"


def test_the_words_of_a_schema_are_its_names_its_annotations_and_its_values() -> None:
    schema = {
        "title": "First",
        "description": "Second day",
        "properties": {"third": {"enum": ["fourth", 5], "default": "sixth"}, "x": {"const": "7th"}},
        "required": ["eighth"],
        "minimum": 9,
    }
    assert words_of(schema, "Tenth.") == {
        *("first", "second", "day", "third", "fourth", "sixth", "x", "7th", "eighth", "9", "tenth")
    }
