"""Docstrings of every style say the same of the same function, and no text is an error."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolhaft.definition.docstrings import Description, read_docstring

SUMMARY = "Current weather for a city.\n\nLooks at the nearest station,\nwhichever that is."
TOLD = {
    "city": "City name, e.g. Paris",
    "days": "How many days, at most 14",
    "options": "Passed on to the station",
}


def google() -> None:
    """Current weather for a city.

    Looks at the nearest station,
    whichever that is.

    Args:
        city (str): City name, e.g. Paris
        days (int, optional) : How many days,
            at most 14
        **options: Passed on to the station

    Returns:
        dict[str, float]: The weather.

    Raises:
        LookupError: There is no such city.
    """


def numpy() -> None:
    """Current weather for a city.

    Looks at the nearest station,
    whichever that is.

    Parameters
    ----------
    city : str
        City name, e.g. Paris
    days : {1, 7, 14}, optional
        How many days,
        at most 14
    **options
        Passed on to the station

    Returns
    -------
    dict of str
        The weather.

    Notes
    -----
    days : not a parameter here
        Nor is this its text.
    """


def rest() -> None:
    """Current weather for a city.

    Looks at the nearest station,
    whichever that is.

    :param city: City name, e.g. Paris
    :type city: str
    :param int days: How many days,
        at most 14
    :param \\**options: Passed on to the station
    :returns: The weather.
    :rtype: dict
    :raises LookupError: There is no such city.
    """


def epydoc() -> None:
    """Current weather for a city.

    Looks at the nearest station,
    whichever that is.

    @param city: City name, e.g. Paris
    @type city: str
    @param days: How many days,
      at most 14
    @keyword options: Passed on to the station
    @return: The weather.
    """


def markdown() -> None:
    """Current weather for a city.

    Looks at the nearest station,
    whichever that is.

    Parameters:
    - `city` (str): City name, e.g. Paris
    - **days**: How many days,
      at most 14
    * options - Passed on to the station

    That is all.
    """


def mixed() -> None:
    """Current weather for a city.

    Looks at the nearest station,
    whichever that is.

    Args:
        city: City name, e.g. Paris

    :param days: How many days, at most 14

    Other Parameters
    ----------------
    options : object
        Passed on to the station
    """


@pytest.mark.requirement("pain-43")
@pytest.mark.parametrize("documented", [google, numpy, rest, epydoc, markdown, mixed])
def test_every_style_reads_the_same(documented: Callable[[], None]) -> None:
    assert read_docstring(documented.__doc__) == Description(SUMMARY, TOLD)


def google_of(*lines: str) -> Mapping[str, str]:
    return read_docstring("\n".join(["Summary.", "", *lines])).parameters


@pytest.mark.requirement("pain-43")
def test_args_may_be_in_the_first_line() -> None:
    def only_items() -> None:
        """Args:
        city: City name.

        days (int): How many
            days.
        """

    def with_a_section_after_it() -> None:
        """Args:
            city: City name.
            days: How many days.
        Returns:
            The weather.
        """

    for documented in (only_items, with_a_section_after_it):
        told = {"city": "City name.", "days": "How many days."}
        assert read_docstring(documented.__doc__) == Description("", told)


@pytest.mark.parametrize(
    "line",
    [
        "    city: City name.",
        "    city : City name.",
        "    city (str): City name.",
        "    city (str, optional) : City name.",
        "    city (tuple(int, int), optional): City name.",
        "    city (Callable[[int], str]): City name.",
        "    city(str): City name.",
        "    city - City name.",
        "    city -- City name.",
        "    city \u2013 City name.",
        "    *city: City name.",
        "    - city: City name.",
        "    `city`: City name.",
        "    **city:** City name.",
        "    city:\n        City name.",
        "    city (str):\n\n        City name.",
        "    city: City\n    name.",
        "city: City name.",
        "\tcity: City name.",
    ],
)
@pytest.mark.requirement("pain-43")
def test_an_item_is_read_however_it_is_written(line: str) -> None:
    assert google_of("Args:", *line.split("\n")) == {"city": "City name."}


@pytest.mark.parametrize(
    "heading",
    [
        "Args:",
        "args:",
        "Param:",
        "Parameters:",
        "Keyword Args:",
        "## Parameters",
        "**Parameters**",
        "**Args:**",
    ],
)
def test_a_heading_is_read_however_it_is_written(heading: str) -> None:
    assert google_of(heading, "    city: City name.") == {"city": "City name."}


def test_names_that_share_a_description_each_get_it() -> None:
    text = (
        "Summary.\n\nParameters\n----------\na, b : int\n    An edge.\n*args, **kwargs\n    More."
    )
    told = {"a": "An edge.", "b": "An edge.", "args": "More.", "kwargs": "More."}
    assert read_docstring(text) == Description("Summary.", told)


def test_paragraphs_of_a_description_stay_apart() -> None:
    lines = [
        "    city: City name.",
        "",
        "        Any language,",
        "        any script.",
        "    days: n",
    ]
    assert google_of("Args:", *lines) == {
        "city": "City name.\n\nAny language, any script.",
        "days": "n",
    }


def test_a_deeper_line_with_a_colon_belongs_to_the_item_above() -> None:
    lines = ["    city: One of", "        paris: the capital", "        args:", "    days: n"]
    assert google_of("Args:", *lines) == {"city": "One of paris: the capital args:", "days": "n"}


def test_a_parameter_may_be_called_like_a_section() -> None:
    lines = ["    args: The arguments.", "    returns:", "        Whether to return."]
    assert google_of("Args:", *lines) == {
        "args": "The arguments.",
        "returns": "Whether to return.",
    }


@pytest.mark.parametrize(
    "lines",
    [
        ["Args:", "    city: City name.", "More: about nothing."],
        ["Args:", "    city: City name.", "Returns: the weather."],
        ["Parameters:", "- city: City name.", "", "Some closing words."],
        [":param city: City name.", "", "Some closing words."],
        ["Args:", "    city: City name.", "", "Note:", "    days: not a parameter"],
        ["Parameters", "---", "city : str", "    City name.", "", "Some closing words."],
    ],
)
def test_text_after_a_section_belongs_to_no_parameter(lines: list[str]) -> None:
    assert google_of(*lines) == {"city": "City name."}


def test_remarks_before_the_sections_are_part_of_the_summary() -> None:
    text = "Deletes a file.\n\nWarning:\n    There is no way back.\n\nArgs:\n    path: Its path."
    summary = "Deletes a file.\n\nWarning:\n    There is no way back."
    assert read_docstring(text) == Description(summary, {"path": "Its path."})


@pytest.mark.parametrize(
    "text",
    [
        "One line.",
        "Uses :class:`Foo`.\n\n:class:`Bar` too: yes.",
        "Use this when:\n- the user asks\n- nothing else fits",
        "RETURNS:\n- a list\n\nNOTE: slow",
        "Caveats\n-------\nMany.",
        "Returns: the weather.",
        "A table:\n\na | b\n--|--\n  1 | 2",
    ],
)
def test_a_text_without_sections_is_the_summary(text: str) -> None:
    assert read_docstring(text) == Description(text, {})


@pytest.mark.parametrize("nothing", [None, "", " \n \n"])
def test_no_docstring_is_no_description(nothing: str | None) -> None:
    assert read_docstring(nothing) == Description("", {})


def test_a_parameter_without_a_text_is_not_described() -> None:
    assert google_of("Args:", "    city:", "    days: n", ":param hours:") == {"days": "n"}


def test_the_first_description_of_a_name_counts() -> None:
    assert google_of("Args:", "    city: First.", ":param city: Second.") == {"city": "First."}


def test_windows_line_ends_are_line_ends() -> None:
    assert read_docstring("Summary.\r\n\r\nArgs:\r\n    city: City name.\r\n") == Description(
        "Summary.", {"city": "City name."}
    )


STARTS = [
    "Args:",
    "Parameters",
    "-----",
    ":param x: y",
    ":param",
    "@type x: y",
    "Note:",
    "Returns:",
    "**Args:**",
]
ITEMS = ["x (int): y", "x : y", "x, *y", "- `x`: y", "", "\t", "words", "\x00", "\u2028"]
PIECES = st.sampled_from([*STARTS, *ITEMS])
LINES = st.tuples(st.integers(0, 12), PIECES | st.text(max_size=20)).map(
    lambda line: " " * line[0] + line[1]
)


@given(st.lists(LINES, max_size=12).map("\n".join) | st.text())
@example("Args:\n" + "\t" * 50 + "x:")
def test_no_text_is_an_error_and_nothing_is_made_up(text: str) -> None:
    found = read_docstring(text)
    assert found.summary == found.summary.strip()
    words = set(text.split())
    assert all(set(told.split()) <= words for told in found.parameters.values() if ":" not in told)
    assert all(name.isidentifier() or name[0].isdigit() for name in found.parameters)
    assert all(found.parameters.values())


@given(st.from_regex(r"[A-Z][a-z ,.]{0,40}", fullmatch=True), st.text("abc -:\n", max_size=20))
def test_the_summary_is_what_python_itself_shows(first: str, more: str) -> None:
    text = f"{first}.\n\n{more}"
    lines = [line.rstrip() for line in inspect.cleandoc(text).splitlines()]
    assert read_docstring(text).summary == "\n".join(lines).strip()


def test_real_functions_can_be_read() -> None:
    members: list[Any] = [
        getattr(module, name) for module in (inspect, pydoc) for name in vars(module)
    ]
    texts = [member.__doc__ for member in members if callable(member)]
    assert len([read_docstring(text) for text in texts]) > 100


@pytest.mark.parametrize("line", ["------", "======"])
def test_an_underlined_heading_of_any_words_ends_the_parameters(line: str) -> None:
    parameters = f"Parameters\n{line}\na : int\n    The a.\n"
    docstring = f"Do it.\n\n{parameters}\nCustom\n{line}\nb : int\n    No parameter.\n"
    assert read_docstring(docstring) == Description("Do it.", {"a": "The a."})
