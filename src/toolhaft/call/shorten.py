"""Cut results that are too long for a model: data between elements, text between lines or words.

A marker always says how much is left out. Data that was cut is still JSON, but for the last line,
which says how long it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolhaft.jsonio import jsontext

__all__ = ["share_room", "shorten"]


def shorten(shown: Any, limit: int | None) -> str:
    """Write text or JSON data in at most `limit` characters, with a marker if it is cut.

    >>> print(shorten({"ok": True, "ids": list(range(1000, 2000))}, 100))
    {"ok":true,"ids":[1000,1001,1002,1003,1004,1005,1006,"… 993 more"]}
    … (5019 characters in all)
    """
    text = shown if isinstance(shown, str) else jsontext.write(shown)
    if limit is None or len(text) <= limit:
        return text
    marker = f"… ({len(text)} characters in all)"
    if not isinstance(shown, str):
        room = limit - len(marker) - 1
        data = _write_cut(shown, room)
        if data is not None:
            return f"{data}\n{marker}"
    return (_cut_text(text, limit - len(marker)) + marker)[:limit]


def share_room(sizes: Sequence[int], room: int) -> list[int]:
    """Divide room: small sizes get all that they need, the others equal shares of the rest.

    >>> share_room([10, 500, 90], 210)
    [10, 110, 90]
    """
    shares_by_place = [0] * len(sizes)
    by_size = sorted(range(len(sizes)), key=sizes.__getitem__)
    for done, place in enumerate(by_size):
        shares_by_place[place] = min(sizes[place], max(room, 0) // (len(sizes) - done))
        room -= shares_by_place[place]
    return shares_by_place


def _cut_text(text: str, room: int) -> str:
    """Cut a text at the end of a line, else of a word, in the last half of the room."""
    kept = text[: max(room, 0)]
    for boundary in "\n", " ":
        end = kept.rfind(boundary) + 1
        if 2 * end > len(kept):
            return kept[:end]
    return kept


def _write_cut(data: Any, room: int) -> str | None:
    """Write as much of some data as fits, as JSON, or return None if no part of it does."""
    text = jsontext.write(data)
    if len(text) <= room:
        return text
    if isinstance(data, str):
        return _cut_string(data, room)
    if isinstance(data, list):
        return _cut_array(data, room)
    return _cut_object(data, room) if isinstance(data, dict) else None


def _cut_string(text: str, room: int) -> str | None:
    marker = f"… ({len(text)} characters)"
    most = room - len(marker) - 2
    while most > 0:
        written = jsontext.write(_cut_text(text, most) + marker)
        if len(written) <= room:
            return written
        most -= len(written) - room  # escaped characters take more room
    return None


def _cut_array(items: list[Any], room: int) -> str | None:
    """Write the first elements that fit whole; of the first one at least a part."""
    marker = f'"… {len(items)} more"'
    left = room - 2 - len(marker)
    kept: list[str] = []
    for item in items:
        text = jsontext.write(item)
        if len(text) + 1 > left:
            break
        kept.append(text)
        left -= len(text) + 1
    if items and not kept:
        first = _write_cut(items[0], left - 1)
        kept = [] if first is None else [first]
    if len(kept) < len(items):
        kept.append(f'"… {len(items) - len(kept)} more"')
    return _if_it_fits("[" + ",".join(kept) + "]", room)


def _cut_object(members: dict[str, Any], room: int) -> str | None:
    """Write every member, the long ones cut; if that is too long, the first that fit whole."""
    heads = [jsontext.write(key) + ":" for key in members]
    texts = [jsontext.write(value) for value in members.values()]
    rooms = share_room(list(map(len, texts)), room - 2 - sum(map(len, heads)) - len(heads))
    cut = [
        _write_cut(value, value_room)
        for value, value_room in zip(members.values(), rooms, strict=True)
    ]
    every = [head + text for head, text in zip(heads, cut, strict=True) if text is not None]
    if len(every) == len(members):
        return _if_it_fits("{" + ",".join(every) + "}", room)
    left = room - 2 - len(f'"…":"{len(members)} more"')
    kept: list[str] = []
    for head, text in zip(heads, texts, strict=True):
        if len(head) + len(text) + 1 > left:
            break
        kept.append(head + text)
        left -= len(head) + len(text) + 1
    kept.append(f'"…":"{len(members) - len(kept)} more"')
    return _if_it_fits("{" + ",".join(kept) + "}", room)


def _if_it_fits(text: str, room: int) -> str | None:
    return text if len(text) <= room else None
