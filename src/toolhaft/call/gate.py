"""From what a model sent to arguments that passed: decode, validate, and repair what failed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft import jsondata, jsontext, vendors
from toolhaft.call import feedback
from toolhaft.call.coerce import repair
from toolhaft.call.decode import DecodeLimits, Undecodable, decode
from toolhaft.call.ignored import Watch, watch
from toolhaft.call.masking import masked
from toolhaft.call.outcome import Coercion, Err, ErrKind
from toolhaft.call.prepare import Prepared
from toolhaft.call.readings import spells_nothing
from toolhaft.call.rules import Rules
from toolhaft.plaindata import is_flat, plain_copy
from toolhaft.schema.explain import Finding
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import Adapter

if TYPE_CHECKING:
    from toolhaft.schema.plainly import Sight

__all__ = ["Admitted", "Gate", "Refused"]

Coercions: TypeAlias = tuple[Coercion, ...]
# The declared object, the JSON data behind it, and what was repaired.
Admitted: TypeAlias = tuple[Any, Any, Coercions]


class Refused(Exception):
    """Arguments that did not pass, and never will as they are."""

    def __init__(self, err: Err) -> None:  # what an exception is made of is in `args` already
        self.err = err


class Gate:
    """The first half of a tool's boundary, compiled; nothing here runs the handler.

    `own` is the gate for arguments in the handler's own terms, where the model knows others.
    """

    own: Gate | None = None

    def __init__(self, rules: Rules, adapter: Adapter[Any], ignored: str | None) -> None:
        self.rules = rules
        self.adapter = adapter
        self.construct: Callable[[Any], Any] = adapter.construct
        self.construct_awaited: Callable[[Any], Awaitable[Any]] = adapter.construct_awaited
        self.rejects: tuple[type[Exception], ...] = adapter.rejects
        self.ignored = ignored
        self.limits: DecodeLimits = DecodeLimits(rules.max_argument_bytes, rules.max_argument_depth)
        self.room: int = self.limits.max_values
        self.depth: int = self.limits.max_depth
        schema = adapter.checker("input").schema
        self.schema: Any = schema
        self.words: feedback.Words = partial(feedback.invalid, schema=schema)
        self.watch: Watch | None = watch(schema) if ignored else None
        self.notices: bool = adapter.widens or self.watch is not None

    def admit(self, raw: Any) -> Admitted:
        """Decode and validate; only where that failed, repair and validate again.

        Raises:
            Refused: carries the outcome.
        """
        coercions = NOTHING
        data: Any = plain_copy(raw, self.room, self.depth) if type(raw) is dict else None
        if data is None:
            data, coercions = self.decoded(raw)
        try:
            value = self.construct(data)
        except self.rejects as error:
            failure = error
        else:
            if self.notices:
                coercions = self.noticed(data, coercions)
            return value, data, coercions
        try:
            return self.recovered(failure, data, coercions)
        finally:
            del failure  # it knows this frame, and they would hold each other

    def looked_at(self, value: Any, raw: Any) -> Admitted:
        """Look at data that were read already, but hold something besides.

        Raises:
            Refused: carries the outcome.
        """
        data, _ = self.decoded(raw)
        return value, data, self.noticed(data, NOTHING)

    def recovered_raw(self, raw: Any) -> Admitted | Err:
        """The same for arguments that were refused before anybody looked at them.

        What is beyond repair comes back as it is: an exception costs as much as all the rest.

        Raises:
            Refused: carries the outcome.
        """
        if type(raw) is dict and is_flat(copy := raw.copy()):
            data, coercions = copy, NOTHING
        else:
            data, coercions = self.decoded(raw)
        beyond = None if coercions else self.beyond_repair(data)
        if beyond is not None:
            return beyond
        return self.admit(raw)  # a validator of whole calls may refuse more, or speak of a text

    def beyond_repair(self, data: Any, failure: Exception | None = None) -> Err | None:
        """Give the outcome where all faults are seen at once, and no safe rule could mend any.

        Where a library checks more than its schema says, only its failure tells whether they are
        all.
        """
        sight = self.sight
        issues = None if sight is None else sight.see(data, spells_nothing)
        if issues is None or not self.adapter.found_only(issues, failure):
            return None
        return Err("invalid_input", self.said, self.rules, tuple(issues))

    @cached_property
    def sight(self) -> Sight | None:
        """What sees the commonest faults; only data that were refused need it."""
        return self.adapter.sight if self.rules.coerce == "safe" else None

    @cached_property
    def said(self) -> feedback.Words:
        """The words for what is seen at once; most of them are put together beforehand."""
        return feedback.known(self.sight.issues if self.sight else (), self.schema)

    def recovered(self, failure: Exception, data: Any, coercions: Coercions = ()) -> Admitted:
        """Repair what the validator refused, and validate again.

        Raises:
            Refused: carries the outcome.
        """
        beyond = self.beyond_repair(data, failure)
        if beyond is not None:
            beyond.coercions = coercions
            raise Refused(beyond) from None
        data, more = self.mended(failure, data, coercions)
        try:
            value = self.construct(data)
        except self.rejects as error:
            raise self.refused(error, data, more) from None
        return value, data, self.noticed(data, more)

    async def admit_awaited(self, raw: Any) -> Admitted:
        """The same for a validator that may answer later."""
        data, coercions = self.decoded(raw)
        try:
            value = await self.construct_awaited(data)
        except self.rejects as error:
            failure = error
        else:
            return value, data, self.noticed(data, coercions)
        try:
            data, more = self.mended(failure, data, coercions)
        finally:
            del failure  # as above
        try:
            value = await self.construct_awaited(data)
        except self.rejects as error:
            raise self.refused(error, data, more) from None
        return value, data, self.noticed(data, more)

    def decoded(self, raw: Any) -> tuple[Any, Coercions]:
        """Read the arguments; an object of the declared type is read as the data it stands for."""
        if type(raw) is str:  # most calls, and most of them one JSON object
            try:
                data = jsontext.read(raw, max_bytes=self.limits[0], max_depth=self.limits[1])
            except jsontext.JsonFault:
                data = None
            if type(data) is dict:
                return data, NOTHING
        if type(raw) is Prepared:
            return raw.json, raw.coercions
        kind: ErrKind = "invalid_input"
        issues: tuple[Issue, ...]
        try:
            if type(raw) not in SENT and self.adapter.is_instance(raw):
                raw = jsondata.dumped(self.adapter.dump(raw), foreign=vendors.dumped)
            return decode(raw, literals=self.rules.coerce != "none", limits=self.limits)
        except Undecodable as fault:
            kind, issues = fault.kind, fault.issues
        except jsondata.NotJson as fault:
            issues = tuple(fault.issues)
        raise Refused(self.refusal(kind, issues, ()))

    def mended(self, error: Exception, data: Any, coercions: Coercions) -> tuple[Any, Coercions]:
        """Repair by the table, on a copy; what no rule can mend is refused."""
        checker, depth = self.adapter.checker("input"), self.limits.max_depth
        mended, more, left = repair(checker, data, self.rules.coerce, max_depth=depth)
        if mended is data:
            raise self.refused(error, data, coercions, left) from None
        return mended, coercions + more

    def noticed(self, data: Any, coercions: Coercions) -> Coercions:
        """Record what the validator let pass on its own account."""
        if self.watch is not None and (ignored := self.watch(data)):
            coercions = _with(coercions, [Coercion(at, self.ignored or "") for at in ignored])
        if self.adapter.widens:
            found = self.adapter.checker("input").failure(data)
            coercions = _with(coercions, [Coercion(issue.path, "vendor") for issue in found])
        return coercions

    def refused(
        self,
        error: Exception,
        data: Any,
        coercions: Coercions,
        left: list[Finding] | None = None,
    ) -> Refused:
        """Say what is wrong, once nothing more can be done about it."""
        known = None if not left else [finding.issue for finding in left]
        found = self.adapter.issues(error, data, known)
        issues = tuple([masked(one, data) if one.code == "custom" else one for one in found])
        return Refused(self.refusal("invalid_input", issues, coercions))

    def refusal(self, kind: ErrKind, issues: tuple[Issue, ...], coercions: Coercions) -> Err:
        text: str | feedback.Words = feedback.TRUNCATED
        if kind != "truncated":
            text = self.words
        return Err(kind, text, self.rules, issues, coercions)


def _with(coercions: Coercions, more: list[Coercion]) -> Coercions:
    """Add records; a prepared call has brought its own."""
    return coercions + tuple([one for one in more if one not in coercions])


NOTHING: Coercions = ()
# What a model's client hands over; anything else may be an object of the program's own.
SENT = frozenset({str, bytes, dict, type(None)})
