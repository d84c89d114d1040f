"""A program that reads the text of a rejected call, and fixes the call at the places it names.

It knows what a model knows: the schema, its own call and the text, and also the valid value of each
place, because a model that learns the place finds the value in its conversation. Places that the
text does not name stay as they were sent. A place is named by its path; a key also by the words for
the fix. A fault without a path names only the keys in its words: the whole of the arguments is
never written anew, except for text that is not a JSON object at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft.schema.document.places import Place, child_schemas, parts
from toolhaft.spec import Path

__all__ = ["READERS", "Named", "mend", "read_jsonschema", "read_ours", "read_pydantic"]


class Named(NamedTuple):
    """The places that one issue of a text names as to be changed.

    If it does not name the fault inside of an object or an array, nothing is changed. `keys_alike`
    are an object and a pattern of keys that may be in it.
    """

    places: tuple[Path, ...]
    says_what: bool = True
    keys_alike: tuple[Path, str] | None = None


Reader: TypeAlias = "Callable[[str, Any, Any], list[Named]]"


def mend(sent: Any, right: Any, named: Iterable[Named]) -> Any:
    """Return the sent call with the valid values at the named places, or without a value there.

    >>> mend({"a": 1, "b": 2, "x": 0}, {"a": 5, "b": 5}, [Named((("a",), ("x",)))])
    {'a': 5, 'b': 2}
    """
    copy = deepcopy(sent)
    telling = [issue for issue in named if issue.says_what]
    places = [place for issue in telling for place in issue.places]
    for issue in telling:
        if issue.keys_alike:
            places += _matching(right, *issue.keys_alike)
    for path in dict.fromkeys(places):
        if path:
            _restore(copy, right, path)
    return copy


def _matching(right: Any, outer: Path, pattern: str) -> Iterator[Path]:
    for step in outer:
        right = _step(right, step)
    if isinstance(right, dict):
        yield from ((*outer, key) for key in right if re.search(pattern, key))


def _restore(data: Any, right: Any, path: Path) -> None:
    *outer, last = path
    for step in outer:
        inner = _step(right, step)
        if inner is not MISSING and not isinstance(inner, dict | list):
            _restore_at(data, right, step)  # the valid arguments have no such place
            return
        data, right = _step(data, step), inner
    _restore_at(data, right, last)


def _restore_at(data: Any, right: Any, last: str | int) -> None:
    value = _step(right, last)
    if isinstance(data, dict) and isinstance(last, str):
        if value is MISSING:
            data.pop(last, None)
        else:
            data[last] = deepcopy(value)
    elif isinstance(data, list) and isinstance(last, int):
        if value is MISSING:
            del data[last:]
        elif last < len(data):
            data[last] = deepcopy(value)


MISSING: Final = object()


def _step(data: Any, step: str | int) -> Any:
    if isinstance(data, dict) and step in data:
        return data[step]
    if isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
        return data[step]
    return MISSING


class _Names:
    """The names at a place that a model can know: from the schema, and from its call."""

    def __init__(self, root: Any, sent: Any) -> None:
        self.root, self.sent = root, sent

    def nodes_at(self, path: Path) -> list[Any]:
        """Return the schemas for a place."""
        here = [Place(self.root)]
        for step in path:
            here = child_schemas(self.root, here, step)
        return [part for place in here for part in parts(self.root, place.schema)]

    def undeclared_at(self, path: Path) -> list[str]:
        """Return the keys that were sent at a place, and that no schema declares."""
        data = self.data_at(path)
        if not isinstance(data, dict):
            return []
        nodes = [node.get("properties", {}) for node in self.nodes_at(path)]
        meant = [properties for properties in nodes if not _contradicts(properties, data)]
        return [key for key in data if not any(key in properties for properties in meant)]

    def at(self, path: Path) -> dict[str, str]:
        """Return the keys at a place as they may be written, with the keys themselves."""
        nodes, data = self.nodes_at(path), self.data_at(path)
        names = [name for node in nodes for name in node.get("properties", ())]
        names += [name for node in nodes for name in node.get("required", ())]
        for node in nodes:
            for needed in node.get("dependentRequired", {}).values():
                names += needed
        names += data if isinstance(data, dict) else ()
        return {_escaped(name): name for name in names}

    def data_at(self, path: Path) -> Any:
        data = self.sent
        for step in path:
            data = _step(data, step)
        return data


def _contradicts(properties: Any, data: dict[str, Any]) -> bool:
    """Whether data have another constant, so that they are of another form of a union."""
    constants = {
        name: sub["const"]
        for name, sub in properties.items()
        if isinstance(sub, dict) and "const" in sub
    }
    return any(name in data and data[name] != value for name, value in constants.items())


def _escaped(name: str) -> str:
    return name if name.isprintable() else name.encode("unicode_escape").decode()


# --------------------------------------------------------------------------------- our texts

INVALID: Final = "Please rewrite the input with valid arguments. Errors: "
_ENTRY: Final = re.compile(r"(?:^|, )(\d+)(?:st|nd|rd|th) entry(?=$|[,:.( ])")
_ENTRIES: Final = re.compile(r"(.*?)((?:\d+(?:st|nd|rd|th), )*\d+(?:st|nd|rd|th) and \S+) entries$")


def read_ours(text: str, sent: Any, schema: Any) -> list[Named]:
    """Read a text of toolhaft's: `place, place: what belongs there; place: ...`."""
    names = _Names(schema, sent)
    text = re.sub(r" \(\+\d+ more\)$", "", text.removeprefix(INVALID))
    issues: list[tuple[tuple[Path, ...], str]] = []
    for segment in text.split("; "):
        if re.match(r"\d+ entries: ", segment):
            issues.append((((),), f"such as {', '.join(map(_escaped, names.undeclared_at(())))}"))
            continue
        for place, words in _splits(segment):
            paths = _paths(place, names)
            if paths:
                issues.append((paths, words))
                break
        else:
            if (
                issues
                and issues[-1][1]
                and not re.match("expected|give|leave out|not JSON", segment)
            ):
                issues[-1] = issues[-1][0], f"{issues[-1][1]}; {segment}"
            else:
                issues.append((((),), segment))
    return [
        Named(
            _touched(path, words, names),
            _says_what(path, words, names),
            _keys_alike(path, words),
        )
        for paths, words in issues
        for path in paths
    ]


def _paths(place: str, names: _Names) -> tuple[Path, ...]:
    """Read places in a row; return nothing if one is not in the call."""
    place = re.sub(r" and \d+ more$", "", place)
    if found := _ENTRIES.match(place):
        numbers = re.split(", | and ", found[2])
        listed = [f"{found[1]}{number} entry" for number in numbers]
    else:
        has_entry = re.search(" entry(?:,|$)", place)  # which has a comma of its own
        listed = [place] if has_entry else place.split(", ")
    paths = [path for each in listed if (path := _path(each, names)) is not None]
    whole = _path(place, names) if len(paths) < len(listed) else None
    return tuple(paths) if len(paths) == len(listed) else () if whole is None else (whole,)


def _keys_alike(path: Path, words: str) -> tuple[Path, str] | None:
    """Return the object and the pattern if words name keys that match one."""
    if words.endswith(" or any other"):
        return path, ""
    found = re.search(r"keys (?:that|must) match ([^ ,;)]+)", words)
    return found and (path[:-1] if words.startswith("unknown") else path, found[1])


def _says_what(path: Path, words: str, names: _Names) -> bool:
    is_vague = re.search(r"of \d+ forms$|^not accepted|does not match", words)
    return not (is_vague and isinstance(names.data_at(path), dict | list))


def _splits(segment: str) -> Iterator[tuple[str, str]]:
    for found in re.finditer(": ", segment):
        yield segment[: found.start()], segment[found.end() :]


def _path(place: str, names: _Names) -> Path | None:
    """Read a place; return None if it is not in the call."""
    place = re.sub(r" \(\d+ (entries|items|places)\)$", "", place)
    place = re.split(r"\.\*|, any entry", place)[0]
    return _steps(place, (), names)


def _steps(  # noqa: PLR0911 - one for each form of a place
    rest: str, path: Path, names: _Names
) -> Path | None:
    if not rest:
        return path
    entry = _ENTRY.match(rest)
    data = names.data_at(path)
    if entry and isinstance(data, dict) and 0 < int(entry[1]) <= len(data):
        key = list(data)[int(entry[1]) - 1]
        return _steps(rest[entry.end() :], (*path, key), names)
    bare = rest.removeprefix(", ").removeprefix(".") if path else rest
    index = re.match(r"(\d+)(?=$|[.,\[])", bare)
    if index and isinstance(data, list):
        return _steps(bare[index.end() :], (*path, int(index[1])), names)
    if isinstance(data, str):  # JSON as text, in which the place is
        return path
    written = names.at(path)
    for text in sorted(written, key=len, reverse=True):
        if text and bare.startswith(text) and bare[len(text) :][:1] in ("", ".", ","):
            found = _steps(bare[len(text) :], (*path, written[text]), names)
            if found is not None:
                return found
    first, is_cut, last = rest.partition("…")
    if is_cut and first and last and not path:
        return _cut_path(first, last, names)
    cut = bare.removesuffix("…")
    if cut != bare and len(cut) > 1:  # a long name is cut; a model knows which was meant
        likely = [name for text, name in written.items() if text.startswith(cut)]
        return (*path, likely[0]) if len(likely) == 1 else None
    return None


def _cut_path(first: str, last: str, names: _Names) -> Path | None:
    """Read a path without its middle: the one place of the call that begins and ends so."""
    likely = [
        path
        for path in _paths_of(names.sent)
        if (text := ".".join(map(str, path))).startswith(first) and text.endswith(last)
    ]
    return likely[0] if len(likely) == 1 else None


def _paths_of(data: Any, path: Path = ()) -> Iterator[Path]:
    parts_of = data.items() if isinstance(data, dict) else enumerate(data)
    for step, item in parts_of:
        yield (*path, step)
        if isinstance(item, dict | list):
            yield from _paths_of(item, (*path, step))


def _touched(path: Path, words: str, names: _Names) -> tuple[Path, ...]:
    """Return the places that an issue names as to be changed."""
    meant = re.findall(r"did you mean (?:the key )?([^?]+)\?|send inside (.+)$", words)
    meant = [name for pair in meant for name in pair if name]
    if words.startswith(("unknown", "send its members", "did you mean the key")):
        return (path, *_siblings(path[:-1], meant, names), *_members(path, words, names))
    reasons = _siblings(path[:-1], re.findall(r"because (.+?) is (?:not )?\S", words), names)
    if found := re.search(r": leave out \d+ of (.*)", words):
        undeclared = names.undeclared_at(path) if "undeclared" in words else []
        keys = [*undeclared, *_known(found[1].split(", "), path, names)]
        return tuple((*path, key) for key in keys)
    keys = _listed_keys(words)
    if keys and (not path or words.startswith(("give", "leave out"))):
        return (*((*path, key) for key in _known(keys, path, names)), *reasons)
    return (path, *reasons)


def _siblings(outer: Path, meant: list[str], names: _Names) -> list[Path]:
    return [(*outer, key) for key in _known(meant, outer, names)]


def _members(path: Path, words: str, names: _Names) -> list[Path]:
    """Return the members to be moved out of a place, by the names that were sent in it."""
    inner = names.data_at(path)
    if not isinstance(inner, dict) or not re.search("send its (members|content)", words):
        return []
    return [(*path[:-1], key) for key in inner]


def _listed_keys(words: str) -> list[str]:
    if found := re.match(r"give (?:only one of )?(.+?)(?:, because .*)?$", words):
        return re.split(r", | or | and | with |; |\{|\}", found[1])
    if found := re.match(r"leave out (?:one of )?(.+?)(?:, because .*)?$", words):
        return found[1].split(", ")
    if found := re.search(r"such as (.+)$", words):
        return re.split(r", | or ", found[1])
    if words.startswith("send"):
        listed = [
            each for braces in re.findall(r"\{([^}]*)\}", words) for each in braces.split(", ")
        ]
        return [each.partition(": ")[0] for each in listed]
    return []


def _known(keys: Iterable[str], path: Path, names: _Names) -> list[str]:
    written = names.at(path)
    return [written[key] for key in keys if key in written]


# --------------------------------------------------------------------------------- other texts


def read_pydantic(text: str, sent: Any, schema: Any) -> list[Named]:
    """Read pydantic's own message: a line with a location, then one with the fault."""
    names = _Names(schema, sent)
    lines = text.splitlines()
    issues = []
    for line, below in pairwise(lines):
        if below.startswith("  ") and not line.startswith("  "):
            issues.append(Named((_along(line.split("."), names),)))
    return issues


def _along(steps: list[str], names: _Names) -> Path:
    """Read a location along the data: it also names branches of unions and functions."""
    path: Path = ()
    while steps:
        for size in range(len(steps), 0, -1):
            step, data = ".".join(steps[:size]), names.data_at(path)
            if isinstance(data, list) and step.isdecimal() and int(step) < len(data):
                path = (*path, int(step))
                break
            if step in names.at(path) and (isinstance(data, dict)):
                path = (*path, step)
                break
        else:
            size = 1
        steps = steps[size:]
    return path


def read_jsonschema(text: str, sent: Any, schema: Any) -> list[Named]:
    """Read jsonschema's errors: a line each, with the path (as JSON) and the message."""
    import json

    names = _Names(schema, sent)
    issues = []
    for line in text.splitlines():
        where, _, words = line.partition(": ")
        path = tuple(json.loads(where))
        quoted = re.findall(r"'([^']*)'", words)
        if found := re.match(r"'(.*)' is a required property", words):
            issues.append(Named(((*path, found[1]),)))
        elif words.startswith("Additional properties are not allowed"):
            issues.append(Named(tuple((*path, key) for key in quoted)))
        elif found := re.match(r"'(.*)' is a dependency of '(.*)'", words):
            issues.append(Named(((*path, found[1]),)))
        elif re.search("is (not )?valid under", words) and isinstance(
            names.data_at(path), dict | list
        ):
            issues.append(Named((path,), says_what=False))
        else:
            issues.append(Named((path,)))
    return issues


READERS: Final[dict[str, Reader]] = {
    "toolhaft": read_ours,
    "pydantic": read_pydantic,
    "jsonschema": read_jsonschema,
}
