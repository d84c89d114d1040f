"""The adapter of a derived tool: its own parameter names outside, the handler's inside.

The model sends what the derived schema says. The data are renamed for the handler, completed with
hidden values and new defaults, and read by the adapter of the tool it was derived from; the issues
of that one are renamed back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolhaft.jsonio.canonical import canonical
from toolhaft.jsonio.primitives import copy_data
from toolhaft.schema.issues import move_issue, reword_issue
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, Fill, Rejected
from toolhaft.vendors.composed import DelegatingAdapter
from toolhaft.vendors.input_schema import InputSchema
from toolhaft.vendors.terms import (
    Terms,
    Unfit,
    is_hidden,
    outer_path,
    to_inner,
    to_outer,
    with_values,
)

__all__ = ["Derived"]

HIDDEN = "…"
# A longer text of a hidden value is masked inside words too.
LONGEST_WORD = 2


class Derived(DelegatingAdapter):
    """Reads arguments of the derived schema by the adapter of the original one.

    `words` has the model's name for each of the handler's that it is not shown, or None.
    """

    def __init__(
        self,
        inner: Adapter[Any],
        schema: dict[str, Any],
        terms: Terms,
        words: Mapping[str, str | None],
    ) -> None:
        super().__init__(inner)
        self.schema: dict[str, Any] = schema
        self.terms: Terms = terms
        self.words: Mapping[str, str | None] = words
        has_factories = any(each.factories for each in terms.reached())
        self.takes_context = inner.takes_context or has_factories
        self.rejects = (Rejected,)
        self._are_of_keys = terms.are_of_keys
        # The data that the handler's objects are made of are made here, but for what they hold.
        self.copies = inner.copies and not has_factories
        if terms.is_same:  # only descriptions are others
            self.rejects = (*inner.rejects, Rejected)
            self.construct_fitting = inner.construct_fitting or inner.construct
            self.construct_text, self.construct_with = inner.construct_text, inner.construct_with
            self.settles_floats = inner.settles_floats
            self.construct_own = inner.construct_own

    @property
    def constructs_as_sent(self) -> bool:
        return self.terms.is_same and self.inner.constructs_as_sent

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        if isinstance(error, Rejected):
            return super().explain(error, data)
        return [self._translate_issue(issue, {}) for issue in self.inner.explain(error, data)]

    @property
    def renamed(self) -> set[str]:
        """The names that the model has for some of the handler's."""
        inner = self.inner.renamed if isinstance(self.inner, Derived) else set[str]()
        return inner | {name for terms in self.terms.reached() for name in terms.names}

    @property
    def typed_input(self) -> InputSchema | None:
        return self.inner.typed_input

    @property
    def base(self) -> Adapter[Any]:
        """The adapter of the handler's own parameters."""
        return self.inner.base if isinstance(self.inner, Derived) else self.inner

    def emit(self, mode: Mode) -> dict[str, Any]:
        del mode
        return copy_data(self.schema)

    def show(self, data: Any) -> Any:
        """Write data of the handler's as the model would send them."""
        data = self.inner.show(data) if isinstance(self.inner, Derived) else data
        return to_outer([self.terms], data)

    def hide_again(self, data: Any, made: Any) -> Any:
        """Complete the handler's data with the hidden values.

        Values that functions made for other data, `made`, stay.

        Raises:
            Rejected: Some names are the model's, not the handler's, or hidden values are others.
        """
        completed = self.complete(self.show(data), made)
        known = dict(_places(completed))
        issues = [
            Issue("unknown", path, "extra")
            for path, _ in _places(data)
            if path not in known and isinstance(known.get(path[:-1]), dict)
        ]
        issues += [
            Issue("hidden, and stays as it is", path)
            for path, value in _places(data)
            if path in known and _is_other(value, known[path])
        ]
        if issues:
            raise Rejected(issues)
        return completed

    def complete(self, sent: Any, made: Any) -> Any:
        """Write a model's data as the handler's, with values that were `made` for other data."""
        inner = self.inner
        known = inner.show(made) if isinstance(inner, Derived) else made
        own = to_inner([self.terms], sent, (), {}, dict(_places(known)))
        return inner.complete(own, made) if isinstance(inner, Derived) else own

    def construct(self, data: Any) -> Any:
        return self.accept(data)[0]

    def accept(self, data: Any, fill: Fill | None = None) -> tuple[Any, Any]:
        unsent: dict[Path, Any] = {}
        is_of_keys = self._are_of_keys and type(data) is dict
        own = with_values(self.terms, data) if is_of_keys else self._complete(data, unsent)
        try:
            return self.inner.read(own, fill)
        except Rejected as error:
            issues = error.issues
        if is_of_keys:  # what was added matters to issues only
            self._complete(data, unsent)
        unsent |= {} if fill is None else fill.places
        raise Rejected([self._translate_issue(issue, unsent) for issue in issues])

    def _complete(self, data: Any, unsent: dict[Path, Any]) -> Any:
        """Write a model's data as the handler's; add what the model did not send to `unsent`."""
        return to_inner([self.terms], data, (), unsent)

    async def construct_awaited(self, data: Any) -> Any:
        return (await self.accept_awaited(data))[0]

    async def accept_awaited(self, data: Any, fill: Fill | None = None) -> tuple[Any, Any]:
        unsent: dict[Path, Any] = {}
        own = self._complete(data, unsent)
        try:
            return await self.inner.read_awaited(own, fill)
        except Rejected as error:
            issues = error.issues
        unsent |= {} if fill is None else fill.places
        raise Rejected([self._translate_issue(issue, unsent) for issue in issues])

    def _translate_issue(self, issue: Issue, unsent: dict[Path, Any]) -> Issue:
        """Rename an issue for the model, without anything that the model neither sees nor sent.

        Raises:
            Unfit: It is about a value that the model did not send.
        """
        path, message = issue.path, issue.message
        if any(path[:length] in unsent for length in range(1, len(path) + 1)):
            where = ".".join(map(str, path))
            raise Unfit(f"{where}: the value that the tool was derived with: {message}")
        if issue.code == "extra":
            message = "unknown"  # the message would list names that the model does not know
        message = _without(message, {text for value in unsent.values() for text in _texts(value)})
        message = self._not_shown.sub(lambda match: self.words[match[0]] or HIDDEN, message)
        return reword_issue(move_issue(issue, outer_path([self.terms], path)), message)

    @property
    def _not_shown(self) -> re.Pattern[str]:
        words = sorted(self.words, key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)" if words else "$^")

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        return [
            (outer_path([self.terms], path), check)
            for path, check in self.inner.unexpressed_checks()
            if not is_hidden([self.terms], path)
        ]


def _places(data: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield data and every value inside, each with its path."""
    yield path, data
    members = data.items() if isinstance(data, dict) else ()
    for step, value in enumerate(data) if isinstance(data, list) else members:
        yield from _places(value, (*path, step))


def _is_other(sent: Any, completed: Any) -> bool:
    """Whether a value differs from the completed one; values inside have places of their own."""
    if isinstance(completed, dict):  # one may be made for null
        return not (sent is None or isinstance(sent, dict))
    if isinstance(completed, list) and isinstance(sent, list):
        return len(sent) != len(completed)
    return canonical(sent) != canonical(completed)


def _without(message: str, texts: Iterable[str]) -> str:
    """Mask texts in a message, short ones as whole words."""
    for text in sorted(filter(str.strip, texts), key=len, reverse=True):
        written = re.escape(text)
        pattern = written if len(text) > LONGEST_WORD else rf"(?<!\w){written}(?!\w)"
        message = re.sub(pattern, HIDDEN, message, flags=re.IGNORECASE)
    return message


def _texts(value: Any) -> Iterator[str]:
    """Yield each text and number of a value, as a message may quote it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from (name, *_texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
