"""Values of a schema that a tool may refuse for a reason that no JSON Schema states.

Each reason of this list has a name, under which the audit reports the places where it was met:
nothing is excepted in silence. A check of an author's own is not in the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, Final

from toolhaft.schema.checker import Checker
from toolhaft.schema.document.places import Place, child_schemas, parts
from toolhaft.schema.engine import matcher
from toolhaft.schema.format_patterns import LOCAL
from toolhaft.schema.map_keys import MapKeys
from toolhaft.schema.numbers import is_double
from toolhaft.spec import Issue, Path
from toolhaft.vendors.adapter import Adapter

__all__ = ["NO_ARGUMENTS", "Exceptions"]

INTEGER: Final = "an integer that no float holds"
ZONE: Final = "a local time where a zone is needed"
CALENDAR: Final = "a day that the calendar lacks"
KEYS: Final = "two keys that are read as one"
FORMAT: Final = "a text without its format"
# Values that a tool reads as no arguments, beside an empty object.
NO_ARGUMENTS: Final = (None, "", "null")
# Keywords that describe a text and assert nothing.
DESCRIBING: Final = frozenset({"format", "contentMediaType", "contentEncoding"})
# How an adapter names a check that an author wrote.
AUTHORED: Final = ("validator ", "a predicate")
EVERY: Final = "*"
DAY: Final = slice(0, 10)


class Exceptions:
    """The reasons of one tool.

    >>> from decimal import Decimal
    >>> from typing import Annotated
    >>> from pydantic import Field
    >>> from toolhaft import vendors
    >>> price = vendors.adapt(dict[str, Annotated[Decimal, Field(max_digits=3)]])
    >>> [issue] = price.validate({"tea": "12345"}).issues
    >>> Exceptions(price).reason(issue, {"tea": "12345"})
    'max_digits=3'
    """

    def __init__(self, schema: Any) -> None:
        self._root = Checker(schema.json_schema()).normalised
        checks = schema.unexpressed_checks() if isinstance(schema, Adapter) else []
        self._authored = [path for path, check in checks if check.startswith(AUTHORED)]
        self._constraints = [each for each in checks if not each[1].startswith(AUTHORED)]
        self._map_keys = _map_keys_of(schema)

    def reason(self, issue: Issue, arguments: Any) -> str | None:
        """Return why arguments of the schema may have an issue; None if they may not."""
        if issue.path in {equal.path for equal in self._map_keys.issues(arguments)}:
            return KEYS
        if issue.code == "custom" and _matches(self._authored, issue.path):
            return None
        stated = [check for path, check in self._constraints if _matches([path], issue.path)]
        return _reason_of(_at(arguments, issue.path)) or (
            ", ".join(stated) or (FORMAT if self._has_format(issue.path) else None)
        )

    def _has_format(self, path: Path) -> bool:
        here = [Place(self._root)]
        for step in path:
            here = child_schemas(self._root, here, step)
        schemas = (part for place in here for part in parts(self._root, place.schema))
        return any(not DESCRIBING.isdisjoint(part) for part in schemas if isinstance(part, dict))


def _reason_of(value: Any) -> str | None:
    """Return the reason that a value has in itself."""
    if type(value) is int:
        return None if is_double(value) else INTEGER
    if type(value) is not str:
        return None
    if matcher(LOCAL)(value):
        return ZONE
    return CALENDAR if _is_no_day(value[DAY]) else None


def _is_no_day(text: str) -> bool:
    """Whether a text has the form of a day, and is none."""
    if not matcher(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return True
    return False


def _matches(paths: Iterable[Path], path: Path) -> bool:
    return any(
        len(one) == len(path)
        and all(step in (EVERY, given) for step, given in zip(one, path, strict=True))
        for one in paths
    )


def _map_keys_of(schema: object) -> MapKeys:
    input_schema = schema.input_or_none() if isinstance(schema, Adapter) else None
    return MapKeys(True) if input_schema is None else input_schema.map_keys


def _at(value: Any, path: Path) -> Any:
    """Return the value at a path, or None if there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
