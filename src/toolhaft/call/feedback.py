"""The texts that a model reads: short, bounded, and without a value or a secret in them.

Three kinds never mix: the model's errors (`describe_invalid`), the author's messages (`ToolError`,
passed through), and errors that the model cannot fix (`describe_crash`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.call.issue_groups import (
    MOST_READ,
    IssueGroup,
    cut_place,
    group_issues,
    place_of,
)
from toolhaft.call.parts import ContentParts
from toolhaft.call.shorten import shorten
from toolhaft.definition import names
from toolhaft.jsonio import jsondata
from toolhaft.spec import Issue

if TYPE_CHECKING:
    from toolhaft.call.types import Coercion
    from toolhaft.content import Content
    from toolhaft.errors import Effect

__all__ = [
    "APPROVAL",
    "DENIED",
    "NO_REASON",
    "SPENT",
    "TRUNCATED",
    "UNASKED",
    "FormatIssues",
    "cut_result_parts",
    "cut_text",
    "describe_author_error",
    "describe_crash",
    "describe_decline",
    "describe_denial",
    "describe_invalid",
    "describe_invalid_output",
    "describe_loop",
    "describe_not_resumed",
    "describe_overload",
    "describe_spent",
    "describe_timeout",
    "describe_unknown_tool",
    "format_result",
    "freeze",
    "ignored_note",
    "list_issues",
]

# Writes issues as text; called only when the text is read.
FormatIssues: TypeAlias = Callable[[Sequence[Issue]], str]

# Every issue has so much room, however many there are.
MOST_ISSUE_CHARS = 100
FEWEST_PATH_CHARS = 60
MOST_PATH_CHARS = 100
MOST_TEXT_CHARS = 700
MOST_TAIL_CHARS = len(" (+1000 more)")
MOST_NAMES = 20
MOST_AUTHOR_CHARS = 4_000
BREAKS = frozenset("\n\t")
SCALARS = (str, int, float, bool, type(None))

INVALID = "Please rewrite the input with valid arguments. Errors: "
MOST_LINE_CHARS = MOST_TEXT_CHARS - len(INVALID)
TRUNCATED = (
    "The arguments were cut off before they were complete. "
    "Please send the whole call again, with shorter values if they are long."
)

DENIED = "This call is not permitted and was not run. Please do not try it again."
UNASKED = (
    "This call needs the approval of a person, whom a program cannot ask, and was not run. "
    "Please do not try it again from code."
)
APPROVAL = (
    "This call needs the approval of a person and was not run. "
    "Please wait for the answer and do not repeat it."
)
TRY_AGAIN = "You may try once more."
NO_REPEAT = "do not repeat the call."
NO_REASON = "The tool failed and gave no reason."
SPENT = "This call has been decided already and was not run again."


def describe_invalid(issues: Sequence[Issue], *, unread: int = 0) -> str:
    """Describe the errors in the arguments, in at most 700 characters."""
    return INVALID + list_issues(issues, unread=unread)


def list_issues(issues: Sequence[Issue], *, unread: int = 0) -> str:
    """List issues in a line, as part of a text.

    Missing keys are first, then wrong types; places with the same message are joined. The issues
    share the room, and the last line counts the issues without room. Past the first 200, issues are
    only counted, as are the `unread` ones that are not given.
    """
    if len(issues) == 1 and not unread:  # most have one fault
        [issue] = issues
        return _write_line((place_of(issue),), issue.message, MOST_LINE_CHARS)
    groups = group_issues(issues)
    unread += max(len(issues) - MOST_READ, 0)
    whole = [_write_line(tuple(places), message, MOST_LINE_CHARS) for message, places, _ in groups]
    text = "; ".join(whole)
    if len(text) <= MOST_LINE_CHARS and not unread:
        return text
    return _share_room(groups, [*map(len, whole)], unread)


def _share_room(groups: Sequence[IssueGroup], sizes: Sequence[int], unread: int) -> str:
    """Write as many issues as there is room for, and how many others there are."""
    room = MOST_LINE_CHARS - MOST_TAIL_CHARS
    share = _share_of_each(sizes, room)
    lines: list[str] = []
    for message, places, _ in groups:
        line = _write_line((*places,), message, share)
        if len(line) > room:  # later lines are less urgent
            break
        lines.append(line)
        room -= len(line) + len("; ")
    unread += sum(count for *_, count in groups[len(lines) :])
    return "; ".join(lines) + (f" (+{unread} more)" if unread else "")


def _share_of_each(sizes: Sequence[int], room: int) -> int:
    """Return how long a line may be, where short ones leave their room to the others.

    >>> _share_of_each([20, 30, 900, 900], 600)
    271
    """
    left = len(sizes)
    for size in sorted(sizes):
        if (size + 2) * left > room:
            break
        room -= size + 2
        left -= 1
    return max(room // max(left, 1) - 2, MOST_ISSUE_CHARS)


@lru_cache(maxsize=1024)  # models repeat themselves; no value is in it
def _write_line(places: tuple[str, ...], message: str, limit: int) -> str:
    """Write where something is wrong and what, in at most `limit` characters."""
    message = names.escape_text(message, MOST_TEXT_CHARS)
    if not places[0]:
        return _cut_list(message, limit)
    # The message is worth more than the whole of a long path.
    where = _list_places(places, max(limit - len(message) - 2, FEWEST_PATH_CHARS))
    return f"{where}: {_cut_list(message, limit - len(where) - 2)}"


def _list_places(places: Sequence[str], room: int) -> str:
    """Write places in a row, as many as there is room for and the number of the others."""
    shown = [cut_place(place, min(room, MOST_PATH_CHARS)) for place in places]
    text = ", ".join(shown)
    while len(text) > room and len(shown) > 1:
        shown.pop()
        text = f"{', '.join(shown)} and {len(places) - len(shown)} more"
    return text


def _cut_list(text: str, limit: int) -> str:
    """Shorten a message, behind a whole member of a list if there is one.

    >>> _cut_list('expected one of "red", "green", "blue"', 33)
    'expected one of "red", "green", …'
    """
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    end = cut.rfind(", ") + 2
    return (cut[:end] if 2 * end > limit else cut) + "…"


def describe_author_error(message: str) -> str:
    r"""Write an author's words: hidden characters escaped, in at most 4,000 characters.

    >>> describe_author_error("no file a\udcff.txt\u200b")
    'no file a\\udcff.txt\\u200b'
    """
    pieces = re.split(r"([\n\t])", message[: MOST_AUTHOR_CHARS + 1])
    escaped = [
        piece if piece in BREAKS else names.escape_text(piece, MOST_AUTHOR_CHARS)
        for piece in pieces
    ]
    return cut_text("".join(escaped), MOST_AUTHOR_CHARS)


def describe_crash(error_id: str, effect: Effect, *, may_repeat: bool) -> str:
    """Describe a crash of the tool that is no fault of the model."""
    if effect == "none":
        return f"The tool failed (id {error_id}) before it did anything. {TRY_AGAIN}"
    return _describe_effect(f"The tool failed (id {error_id})", may_repeat=may_repeat)


def _describe_effect(what: str, *, may_repeat: bool) -> str:
    """Describe the consequence of a call that may have acted for the next call."""
    return (
        f"{what}. {TRY_AGAIN}" if may_repeat else f"{what} and may have taken effect: {NO_REPEAT}"
    )


def describe_invalid_output(error_id: str) -> str:
    """Describe a result that does not fit the tool's output schema."""
    return (
        f"The tool ran, but its result was not valid and is withheld (id {error_id}): {NO_REPEAT}"
    )


def describe_timeout(seconds: float | None, *, begun: bool, may_repeat: bool) -> str:
    """Describe a timeout, of so many seconds where they are known, and whether the tool began."""
    within = "in time" if seconds is None else f"within {seconds:g} seconds"
    what = f"The tool did not finish {within}"
    if not begun:
        return f"{what}; it had not begun. {TRY_AGAIN}"
    return _describe_effect(what, may_repeat=may_repeat)


def describe_denial(reason: str = "") -> str:
    """Describe that the program denied a call, with its reason if there is one."""
    escaped = names.escape_text(reason, MOST_TEXT_CHARS)
    return f"This call is not permitted and was not run: {escaped}" if escaped else DENIED


def describe_caller(tool: str, allowed: Collection[str]) -> str:
    """Describe that who called may not call the tool, and who may."""
    if {"direct", "programmatic"} <= set(allowed):  # a caller of an unknown kind
        only = "by the model or by its code, and the caller is neither"
    else:
        only = "directly, not from code" if "direct" in allowed else "from code"
    return f"This call is not permitted and was not run: {tool} can only be called {only}."


def describe_spent(limit: str) -> str:
    """Describe that a program has reached a limit."""
    return f"This call was not run: the program has reached its limit of {limit}."


def describe_edit(changed: Sequence[str]) -> str:
    """Describe that a person changed arguments, by their names alone."""
    rest = f" (+{len(changed) - MOST_NAMES} more)" if len(changed) > MOST_NAMES else ""
    listed = ", ".join(names.escape_text(name, 80) for name in changed[:MOST_NAMES])
    return f"A person changed these arguments before the call ran: {listed}{rest}."


def describe_decline(reason: str) -> str:
    """Describe that a person declined a call, with their reason if there is one."""
    suffix = f": {names.escape_text(reason, MOST_TEXT_CHARS)}" if reason else "."
    return f"This call was declined by a person and was not run{suffix}"


def describe_not_resumed(reason: str) -> str:
    """Describe why a stored call cannot be resumed."""
    return f"This call cannot be resumed and was not run: {reason}."


def describe_overload() -> str:
    """Describe that no worker is free."""
    return "The tool is overloaded and was not run. Please try again later."


def describe_loop(times: int, period: int = 1) -> str:
    """Describe that a call repeats itself, alone or in turn with others, and what to do instead."""
    calls = "call was" if period == 1 else f"{period} calls were"
    how, this = ("in a row", "was") if period == 1 else ("in turn", "this one was")
    return (
        f"The same {calls} made {times} times {how} and {this} not run again; the result would "
        "not change. Use other arguments or another tool, or explain the obstacle to the user."
    )


def describe_unknown_tool(name: str, tools: Iterable[str] | names.NameIndex) -> str:
    """Describe an unknown tool: name the nearest one, and list at most twenty."""
    if isinstance(tools, names.NameIndex):
        known, near = tools.names, tools.nearest(name)
    else:
        known = sorted(tools)
        near = names.nearest(name, known)
    hint = f" Did you mean {near}?" if near else ""
    rest = f" (+{len(known) - MOST_NAMES} more)" if len(known) > MOST_NAMES else ""
    listed = f" Available tools: {', '.join(known[:MOST_NAMES])}{rest}." if known else ""
    fault = f"There is no tool named {names.escape_text(name, 80)}" if name else "No tool is named"
    return f"{fault}.{hint}{listed}"


def format_result(shown: Any, coercions: tuple[Coercion, ...], limit: int | None) -> str:
    """Write a result as text: a string as it is, content in words, other data as compact JSON."""
    note = ignored_note(coercions, limit)
    room = None if limit is None else limit - len(note)
    return shorten(shown.text(room) if type(shown) is ContentParts else shown, room) + note


def cut_result_parts(
    shown: ContentParts, coercions: tuple[Coercion, ...], limit: int | None
) -> tuple[Content, ...]:
    """Return the parts of a result that is content, its texts within the limit."""
    note = ignored_note(coercions, limit)
    parts = shown.cut_to(None if limit is None else limit - len(note))
    return (*parts, note.lstrip()) if note else parts


def ignored_note(coercions: tuple[Coercion, ...], limit: int | None) -> str:
    """Name the arguments that were ignored, in at most half of the limit."""
    ignored = [c.path for c in coercions if c.rule == "ignored" and c.path]
    if not ignored:
        return ""
    keys = ", ".join([names.escape_text(str(path[-1]), 60) for path in ignored])
    limit_of_note = MOST_TEXT_CHARS if limit is None else min(MOST_TEXT_CHARS, limit // 2)
    return cut_text(f"\n(ignored unknown arguments: {keys})", limit_of_note)


def cut_text(text: str, limit: int | None) -> str:
    """Shorten a text to `limit` characters, a marker with the full size included."""
    if limit is None or len(text) <= limit:
        return text
    marker = f"… ({len(text)} characters in all)" if limit > MOST_ISSUE_CHARS else "…"
    return text[: max(limit - len(marker), 0)] + marker[:limit]


def thaw(shown: Any) -> Any:
    """Write a read-only view as plain JSON data again.

    >>> thaw(freeze({"a": [1, {}]}))
    {'a': [1, {}]}
    """
    if isinstance(shown, Mapping):
        return {key: thaw(item) for key, item in shown.items()}
    return [thaw(item) for item in shown] if isinstance(shown, list | tuple) else shown


def freeze(data: Any) -> Any:
    """Show JSON data read-only: mappings as `MappingProxyType`, lists as tuples.

    Subclasses of scalars become the scalars themselves.
    """
    kind = type(data)
    if kind in SCALARS:
        return data
    if issubclass(kind, Mapping):
        return MappingProxyType(
            {key: value if type(value) in SCALARS else freeze(value) for key, value in data.items()}
        )
    if issubclass(kind, list | tuple):
        return tuple([freeze(item) for item in data])
    return jsondata.to_exact(data)
