"""Names that can be told apart, texts that hide nothing, and names for targets and back."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolhaft.definition import names
from toolhaft.definition.names import (
    NameIndex,
    NameMap,
    NameRule,
    _in_order,
    _places,
    escape_text,
    fold_name,
    hidden_character,
    name_fault,
    nearest,
    strip_hidden,
)

OPENAI = NameRule("[A-Za-z0-9_-]", 64)
GEMINI = NameRule("[A-Za-z0-9_.:-]", 128, first="[A-Za-z_]")

# ------------------------------------------------------------------------------- names

FIX_OWN = "use 1 to 64 letters, digits, _ and -"
FIX_FOREIGN = "use 1 to 128 letters, digits, _ . / : and -"


@pytest.mark.requirement("names-own")
@pytest.mark.parametrize("name", ["get_weather", "get-weather", "_x", "x", "9", "a" * 64, "a__b"])
def test_a_name_of_letters_digits_underscores_and_hyphens_is_a_name(name: str) -> None:
    assert name_fault(name, own=True) is None


@pytest.mark.requirement("names-own")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "missing"),
        (None, "missing"),
        (7, "missing"),
        ("a" * 65, "longer than 64 characters"),
        ("get weather", "holds U+0020 SPACE"),
        ("get.weather", "holds U+002E FULL STOP"),
        ("get\nweather", "holds U+000A"),
        ("get_weather\n", "holds U+000A"),
        ("g\u0435t_weather", "holds U+0435 CYRILLIC SMALL LETTER IE"),
        ("tool\uff11", "holds U+FF11 FULLWIDTH DIGIT ONE"),
        ("get_weather\u200b", "holds U+200B ZERO WIDTH SPACE"),
        ("x\ud800", "holds U+D800"),
        ("__class__", "begins and ends with two underscores"),
    ],
)
def test_any_other_name_is_a_fault_with_its_reason(name: object, reason: str) -> None:
    found = name_fault(name, own=True)
    assert found is not None
    assert found[0] == reason
    assert found[1] in {FIX_OWN, "remove them"}


@pytest.mark.requirement("names-foreign")
@pytest.mark.parametrize("name", ["calendar.respond", "repo/get", "urn:x:y", "a" * 128, "m__s__t"])
def test_a_tool_from_elsewhere_may_have_dots_slashes_and_colons_in_its_name(name: str) -> None:
    assert name_fault(name, own=False) is None


@pytest.mark.requirement("names-foreign")
@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("../../etc/passwd", ("holds two dots in a row", "remove one")),
        ("a..b", ("holds two dots in a row", "remove one")),
        ("__init__", ("begins and ends with two underscores", "remove them")),
        ("x/__class__", ("begins and ends with two underscores", "remove them")),
        ("a" * 129, ("longer than 128 characters", FIX_FOREIGN)),
        ("a b", ("holds U+0020 SPACE", FIX_FOREIGN)),
        ("a\\b", ("holds U+005C REVERSE SOLIDUS", FIX_FOREIGN)),
    ],
)
def test_a_name_from_elsewhere_may_not_climb_or_pose(name: str, fault: tuple[str, str]) -> None:
    assert name_fault(name, own=False) == fault


@given(st.text(max_size=70))
def test_an_own_name_is_also_valid_for_an_imported_tool(name: str) -> None:
    if name_fault(name, own=True) is None:
        assert name_fault(name, own=False) is None
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name)


@pytest.mark.requirement("names-folded")
@pytest.mark.parametrize(
    ("one", "other"),
    [("Get_Weather", "get_weather"), ("tool\uff11", "tool1"), ("stra\u00dfe", "STRASSE")],
)
def test_names_that_read_the_same_fold_to_the_same(one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other)


@given(st.text())
def test_folding_twice_is_folding_once(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


# ------------------------------------------------------------------------------- nearest


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("get_wether", "get_weather"),
        ("GET_WEATHER", "get_weather"),
        ("getWeather", "get_weather"),
        ("functions.get_weather", "get_weather"),
        ("pth", "path"),
        ("unrelated", None),
        ("", None),
        ("x" * 10_000, None),
    ],
)
def test_the_nearest_name_is_guessed_and_nothing_where_none_is_near(
    name: str, best: str | None
) -> None:
    assert nearest(name, ["get_user", "get_weather", "path"]) == best


def test_of_two_equally_near_names_the_first_in_order_is_guessed() -> None:
    assert [nearest("abcx", known) for known in (["abcz", "abcy"], ["abcy", "abcz"])] == [
        "abcy"
    ] * 2


def test_the_search_for_the_nearest_name_looks_at_a_bounded_number() -> None:
    looked: list[str] = []

    def known() -> object:
        for number in range(10**9):
            looked.append(f"tool_{number}")
            yield looked[-1]

    assert nearest("tool_0", known()) == "tool_0"  # type: ignore[arg-type]
    assert len(looked) <= names.MOST_KNOWN + 1


def by_difflib(name: str, known: list[str]) -> str | None:
    """Return the nearest name, as the standard library measures those that share the most."""

    def unlike(one: str) -> tuple[float, str]:
        letters = Counter(one.casefold()), Counter(name.casefold())
        shared, length = (letters[0] & letters[1]).total(), sum(map(Counter.total, letters))
        return -(2 * shared / length if length else 1.0), one

    ratios = [
        (-SequenceMatcher(None, one.casefold(), name.casefold(), autojunk=False).ratio(), one)
        for one in sorted(known, key=unlike)[: names.MOST_MEASURED]
    ]
    difference, best = min(ratios, default=(0.0, None))
    return best if -difference >= names.SIMILAR else None


@given(
    st.text("abcA_ß", max_size=12),
    st.lists(st.text("abcA_ß", max_size=12), max_size=3 * names.MOST_MEASURED),
)
def test_the_nearest_name_is_the_one_that_difflib_finds(name: str, known: list[str]) -> None:
    assert nearest(name, known) == by_difflib(name, known)


@given(st.text("abcA_ß", max_size=12), st.lists(st.text("abcA_ß", max_size=12), max_size=60))
def test_an_index_finds_what_a_look_at_every_name_finds(name: str, known: list[str]) -> None:
    assert NameIndex(known).nearest(name) == nearest(name, sorted(known))


def test_an_index_of_many_names_finds_the_same_and_lists_them() -> None:
    draw = random.Random("names")
    words = ("list", "get", "order", "user", "issue", "repo", "file", "Search", "deploy", "ß")
    known = ["_".join(draw.choices(words, k=3)) + str(n % 70) for n in range(1_500)]
    index = NameIndex(known)
    assert index.names == sorted(known)
    for _ in range(40):
        name = draw.choice(known).replace(*draw.choice((("e", ""), ("s", "ss"), ("_", "-"))))
        name = name[draw.choice((0, 0, 5)) :]
        assert (name, index.nearest(name)) == (name, nearest(name, sorted(known)))


def test_nothing_known_is_near_nothing() -> None:
    assert nearest("x", []) is None
    assert NameIndex([]).nearest("x") is None


# ------------------------------------------------------------------------------- for a target


@pytest.mark.requirement("names-target")
def test_a_name_that_fits_stays_and_others_get_underscores() -> None:
    made = NameMap(["get_weather", "calendar.respond", "a b"], OPENAI)
    assert dict(made.wires) == {
        "get_weather": "get_weather",
        "calendar.respond": "calendar_respond",
        "a b": "a_b",
    }
    assert dict(made.originals) == {wire: name for name, wire in made.wires.items()}


@pytest.mark.requirement("names-target", "row-41")
def test_long_names_and_collisions_end_in_digits_that_never_change() -> None:
    prefix = "p" * 60
    given_names = [
        f"{prefix}_get_user",
        f"{prefix}_get-user",
        "calendar.respond",
        "calendar/respond",
    ]
    assert dict(NameMap(given_names, OPENAI).wires) == {
        f"{prefix}_get_user": f"{'p' * 45}_get_user_3649d2a9",
        f"{prefix}_get-user": f"{'p' * 45}_get-user_37171dfc",
        "calendar.respond": "calendar_respond_0f3e1526",
        "calendar/respond": "calendar_respond_bfe0087e",
    }


@pytest.mark.requirement("names-target")
def test_names_that_differ_in_case_alone_stay_distinct() -> None:
    wires = NameMap(["Get.User", "get_user"], OPENAI).wires
    assert wires["get_user"] == "get_user"
    assert re.fullmatch(r"Get_User_[0-9a-f]{8}", wires["Get.User"])


def test_a_first_character_may_have_a_rule_of_its_own() -> None:
    wires = NameMap(["9lives", "a.b", ".x"], GEMINI).wires
    assert wires == {"9lives": "_9lives", "a.b": "a.b", ".x": "_.x"}


def test_a_collision_with_the_digits_themselves_is_resolved() -> None:
    [taken] = NameMap(["a.b", "a_b"], OPENAI).originals.keys() - {"a_b"}
    made = NameMap(["a.b", "a_b", taken], OPENAI)
    assert made.wires[taken] == taken
    assert len(set(made.wires.values())) == 3


def test_a_rule_without_room_for_the_digits_is_an_error_where_they_are_needed() -> None:
    assert NameMap(["a", "b.c"], NameRule("[a-z_]", 3)).wires == {"a": "a", "b.c": "b_c"}
    with pytest.raises(ValueError, match="2 names cannot be written"):
        NameMap(["a.b", "a/b", "c"], NameRule("[a-z_]", 3))


def test_the_two_directions_cannot_be_written_to() -> None:
    made = NameMap(["a"], OPENAI)
    for direction in (made.wires, made.originals):
        with pytest.raises(TypeError):
            direction["b"] = "c"  # type: ignore[index]


NAMES = st.lists(
    st.text(st.sampled_from("aA_-./: \u00e9\ud800"), max_size=5) | st.text(), max_size=12
)
LONG = st.lists(st.text("a._", min_size=60, max_size=140), max_size=6)


@pytest.mark.requirement("names-target")
@given(NAMES | LONG, st.sampled_from([OPENAI, GEMINI]), st.randoms())
@example(["a.b", "a/b", "a_b", "A_B"], OPENAI, random.Random(0))
def test_the_map_is_injective_has_an_inverse_and_knows_no_order(
    given_names: list[str], rule: NameRule, shuffler: random.Random
) -> None:
    made = NameMap(given_names, rule)
    assert made.wires.keys() == set(given_names)
    assert all(made.originals[wire] == name for name, wire in made.wires.items())
    assert len(made.originals) == len(made.wires)
    assert all(rule.takes(wire) for wire in made.originals)
    assert all(made.wires[name] == name for name in given_names if rule.takes(name))
    shuffler.shuffle(given_names)
    assert NameMap(given_names, rule).wires == made.wires


@pytest.mark.requirement("names-target")
def test_the_map_is_the_same_in_every_process() -> None:
    given_names = [f"tool.{number}/{'x' * number}" for number in range(60)] + ["a.b", "a/b"]
    script = (
        "import json, sys; from toolhaft.definition.names import NameMap, NameRule\n"
        "rule = NameRule('[A-Za-z0-9_-]', 64)\n"
        "print(json.dumps(dict(NameMap(json.loads(sys.argv[1]), rule).wires)))"
    )
    found = []
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(names.__file__).parents[2])}
        command = [sys.executable, "-c", script, json.dumps(given_names)]
        child = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=60
        )
        found.append(child.stdout)
    assert found[0] == found[1]
    assert json.loads(found[0]) == dict(NameMap(given_names, OPENAI).wires)


# ------------------------------------------------------------------------------- hidden characters


@pytest.mark.requirement("names-hidden")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("wea\x00ther", "a control character (U+0000)"),
        ("\x1b[8mhidden", "a control character (U+001B)"),
        ("a\x7f", "a control character (U+007F)"),
        ("a\x85", "a control character (U+0085)"),
        ("Paris\rRome", "a control character (U+000D)"),
        ("x\U000e0041", "a tag character (U+E0041 TAG LATIN CAPITAL LETTER A)"),
        ("x\u202ey", "a bidirectional character (U+202E RIGHT-TO-LEFT OVERRIDE)"),
        ("x\u2066y", "a bidirectional character (U+2066 LEFT-TO-RIGHT ISOLATE)"),
        ("Cur\u200brent", "a zero-width character (U+200B ZERO WIDTH SPACE)"),
        ("we\u200dather", "a zero-width character (U+200D ZERO WIDTH JOINER)"),
        ("we\u200cather", "a zero-width character (U+200C ZERO WIDTH NON-JOINER)"),
        ("\u200cx", "a zero-width character (U+200C ZERO WIDTH NON-JOINER)"),
        ("we\u2060ather", "a zero-width character (U+2060 WORD JOINER)"),
        ("\ufeffx", "a zero-width character (U+FEFF ZERO WIDTH NO-BREAK SPACE)"),
        ("soft\xadhyphen", "a zero-width character (U+00AD SOFT HYPHEN)"),
        ("a\ufe0f", "a zero-width character (U+FE0F VARIATION SELECTOR-16)"),
        ("\u2764\ufe0f\ufe0f", "a zero-width character (U+FE0F VARIATION SELECTOR-16)"),
        ("\U0001f600\U000e0101", "a zero-width character (U+E0101 VARIATION SELECTOR-18)"),
        ("\u0628\u200c\u200c", "a zero-width character (U+200C ZERO WIDTH NON-JOINER)"),
        ("\U0001f469\u200d", "a zero-width character (U+200D ZERO WIDTH JOINER)"),
        ("\U0001f469\u200c\U0001f680", "a zero-width character (U+200C ZERO WIDTH NON-JOINER)"),
        ("x\ud800", "a surrogate character (U+D800)"),
        ("x\u2028", "a separator character (U+2028 LINE SEPARATOR)"),
        ("x\u2029", "a separator character (U+2029 PARAGRAPH SEPARATOR)"),
        ("x\u2800", "a blank character (U+2800 BRAILLE PATTERN BLANK)"),
        ("\U00013430", "a zero-width character (U+13430 EGYPTIAN HIEROGLYPH VERTICAL JOINER)"),
    ],
)
def test_a_character_that_nobody_sees_is_named(text: str, found: str) -> None:
    assert hidden_character(text) == found


@pytest.mark.requirement("names-hidden")
@pytest.mark.parametrize(
    "text",
    [
        "Line\nline\r\nline\tend",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
        "\u0645\u064e\u200c\u062e",  # the same after a vowel mark
        "\u0647\u200d",  # Arabic, the initial form alone
        "\u0915\u094d\u200d\u0937",  # Devanagari, half form
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala
        "\u09b0\u200d\u09cd\u09af",  # Bengali, the joiner before the virama
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # family
        "\U0001f469\U0001f3fd\u200d\U0001f680",  # astronaut with a skin tone
        "\u2764\ufe0f\u200d\U0001f525",  # heart on fire
        "\U0001f642\u200d\u2194\ufe0f",  # head shaking
        "1\ufe0f\u20e3 \u26a0\ufe0f \u2139\ufe0f \u00a9\ufe0f",  # keycap, warning, info, copyright
        "caf\u00e9 e\u0301 \u05e9\u05c1 \u2801",
    ],
)
def test_characters_that_a_script_an_emoji_or_a_line_end_needs_are_allowed(text: str) -> None:
    assert hidden_character(text) is None


@given(st.text())
def test_nothing_of_unicode_s_own_invisible_categories_passes_unneeded(text: str) -> None:
    if hidden_character(text) is None:
        odd = [
            one for one in text if unicodedata.category(one) in {"Cc", "Cs"} and one not in "\n\t\r"
        ]
        assert odd == []


# ------------------------------------------------------------------------------- shown


@pytest.mark.requirement("names-shown")
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("city", "city"),
        ("caf\u00e9 \U0001f469\u200d\U0001f680", "caf\u00e9 \U0001f469\u200d\U0001f680"),
        ("a\nb\r\nc\td", "a\\nb\\r\\nc\\td"),
        ("\x1b[8m\x00", "\\x1b[8m\\x00"),
        ("\u202ex\U000e0041\ud800", "\\u202ex\\U000e0041\\ud800"),
        ("\u2028", "\\u2028"),
        ("x" * 12, "x" * 12),
        ("x" * 200, "x" * 99 + "\u2026"),
    ],
)
def test_a_text_is_shown_on_one_line_with_hidden_characters_escaped(
    text: str, written: str
) -> None:
    assert escape_text(text) == written


@pytest.mark.requirement("names-shown")
@given(st.text() | st.text("\x00\u202e\U000e0041\n\ud800"), st.integers(1, 40))
def test_shown_text_is_bounded_visible_and_can_be_encoded(text: str, limit: int) -> None:
    written = escape_text(text, limit)
    assert len(written) <= limit
    assert hidden_character(written) is None
    assert len(written.splitlines()) <= 1
    written.encode()


@given(st.text())
def test_a_stripped_text_holds_nothing_unseen_and_the_rest_in_order(text: str) -> None:
    stripped = strip_hidden(text)
    assert hidden_character(stripped) is None
    rest = iter(text)
    assert all(character in "\n " or character in rest for character in stripped)
    if hidden_character(text) is None:
        assert stripped == text


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("Find\u200b a\xad shop.", "Find a shop."),
        ("Find\u2028it", "Find\nit"),
        ("a\u2800b", "a b"),
        ("a" + " " * 300 + "b", "a b"),
        ("a" + "\n" * 300 + "b", "a\nb"),
        ("\U0001f468\u200b\u200d\U0001f469", "\U0001f468\U0001f469"),
        ("\u2764\ufe0f\u200d\U0001f525\u202e", "\u2764\ufe0f\u200d\U0001f525"),
        ("a\r\nb\rc", "a\r\nbc"),
    ],
)
def test_a_text_is_stripped_of_what_nobody_sees(text: str, stripped: str) -> None:
    assert strip_hidden(text) == stripped


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("abcbdab", "bdcaba", 4),
        ("get_weather", "get_wether", 10),
        ("abc", "cba", 1),
        ("aaaa", "aa", 2),
        ("xaxbxc", "abc", 3),
        ("abc", "xyz", 0),
        ("", "abc", 0),
    ],
)
def test_the_characters_that_two_texts_have_in_order_are_counted(
    one: str, other: str, count: int
) -> None:
    assert _in_order(one, _places(other)) == _in_order(other, _places(one)) == count


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
@pytest.mark.parametrize("letter", "\u0628\u0712\u0840\u07ca\u1820\ua840\U0001e900\U00010d00")
def test_letters_that_are_written_together_may_be_parted_or_joined(
    letter: str, joiner: str
) -> None:
    assert names.hidden_character(f"{letter}{joiner}{letter}") is None
    assert names.hidden_character(f"a{joiner}b") is not None
