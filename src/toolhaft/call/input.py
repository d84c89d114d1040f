"""Validate what a model sent: decode it, check it against the gate, repair it, construct it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, TypeAlias

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.callers import deny_caller
from toolhaft.call.decode import LIMITS, DecodeLimits, Undecodable, decode, to_builtin_text
from toolhaft.call.filling import DefaultFill
from toolhaft.call.masking import literal_words, mask_issues, words_of
from toolhaft.call.outcome import Err
from toolhaft.call.paths import Locator
from toolhaft.call.prepared import Prepared
from toolhaft.call.repair import Repairer
from toolhaft.call.types import Coercion, Rule, ValidatedInput
from toolhaft.call.view import write_object
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.jsonio.primitives import native
from toolhaft.schema.checker import Checker
from toolhaft.spec import Issue, Path
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.input_schema import InputSchema

__all__ = ["InputPipeline", "RefusedInput"]

Coercions: TypeAlias = tuple[Coercion, ...]
NO_COERCIONS: Coercions = ()
ISSUE_OF = attrgetter("issue")
# The types that clients hand over; anything else may be an object of the declared type.
DECODED_TYPES = (str, bytes, dict, type(None))
TEXT_TYPES = (str, bytes)


# Normalised data with their repairs, or the outcome of a call without any.
Admission: TypeAlias = tuple[Any, Coercions] | Err


class InputPipeline:
    """Validates the arguments of one tool; nothing here runs the handler.

    A refusal is an `Err`; other exceptions of a foreign validator are raised. `ignored_rule` is
    recorded for undeclared keys that were dropped. `handler_pipeline` validates arguments under the
    handler's own names, where a transform shows the model others.
    """

    def __init__(
        self,
        options: CallOptions,
        adapter: Adapter[Any],
        ignored_rule: Rule,
        handler_pipeline: InputPipeline | None = None,
    ) -> None:
        self.options = options
        self._handler_pipeline = handler_pipeline
        self.adapter = adapter
        self.schema: InputSchema = adapter.input
        self.ignored_rule: Rule = ignored_rule
        self.limits: DecodeLimits = DecodeLimits(
            options.max_argument_bytes, options.max_argument_depth
        )
        self.checker: Checker = adapter.checker("input")

    @property
    def handler_pipeline(self) -> InputPipeline:
        """The pipeline for arguments under the handler's own names."""
        return self._handler_pipeline or self

    def validate(self, raw: Any, fill: DefaultFill | None = None) -> ValidatedInput | Err:
        """Validate raw arguments; an `Err` where they are refused.

        `fill` adds what default factories give, before the object is made.
        """
        if type(raw) is Prepared:
            return self.handler_pipeline.validate_data(raw.json, raw.coercions, fill)
        decoded = self.decode(raw)
        return decoded if isinstance(decoded, Err) else self.validate_data(*decoded, fill)

    def validate_data(
        self, data: Any, coercions: Coercions, fill: DefaultFill | None = None
    ) -> ValidatedInput | Err:
        """Validate decoded arguments."""
        return self._construct(self.admit(data, coercions), data, fill)

    def _construct(
        self, admitted: Admission, sent: Any, fill: DefaultFill | None = None
    ) -> ValidatedInput | Err:
        if isinstance(admitted, Err):
            return admitted
        data, coercions = admitted
        try:
            value, admitted_data = self.adapter.accept(data, fill)
        except self.adapter.rejects as error:
            return self.to_library_refusal(error, data, coercions, sent, fill)
        return value, self.record(admitted_data), coercions

    def record(self, admitted_data: Any) -> Any:
        """Return data that no handler can change through its objects."""
        if self.adapter.copies:
            return admitted_data
        return jsondata.snapshot(admitted_data, max_depth=self.limits.max_depth, decimals=True)

    async def validate_awaited(
        self, raw: Any, fill: DefaultFill | None = None
    ) -> ValidatedInput | Err:
        """Like `validate`, with a validator that may be async."""
        if type(raw) is Prepared:
            return await self.handler_pipeline.validate_data_awaited(raw.json, raw.coercions, fill)
        decoded = self.decode(raw)
        if isinstance(decoded, Err):
            return decoded
        return await self.validate_data_awaited(*decoded, fill)

    async def validate_data_awaited(
        self, data: Any, coercions: Coercions, fill: DefaultFill | None = None
    ) -> ValidatedInput | Err:
        """Validate decoded arguments."""
        admitted = self.admit(data, coercions)
        if isinstance(admitted, Err):
            return admitted
        settled, coercions = admitted
        try:
            value, admitted_data = await self.adapter.accept_awaited(settled, fill)
        except self.adapter.rejects as error:
            return self.to_library_refusal(error, settled, coercions, data, fill)
        return value, self.record(admitted_data), coercions

    def validate_refused(self, data: Any) -> ValidatedInput | Err:
        """Validate plain data that do not fit the shape."""
        return self._construct(self._repair(data, NO_COERCIONS), data)

    def admit(self, data: Any, coercions: Coercions) -> Admission:
        """Check data against the gate, repair what it refuses, and settle what passed."""
        if self.shape is not None and self.shape.fits(data):
            return data, coercions
        if self.schema.gate.is_valid(data):
            return self._settle(data, coercions, data)
        return self._repair(data, coercions)

    def _drop_ignored(self, data: Any, coercions: Coercions) -> Admission | None:
        """Drop ignored keys of data that pass the gate; None if there is more to do than that."""
        unknown = self.schema.unknown
        if unknown is None or self.shape is None:
            return None
        if native and (dropped := self.shape.drop(data)) is not None:
            return dropped[0], coercions + self.record_dropped(dropped[1])
        declared = unknown.drop(data)
        if not self.shape.fits(declared.data):
            return None
        return declared.data, coercions + self.record_dropped(declared.ignored)

    def record_dropped(self, paths: Iterable[Path]) -> Coercions:
        """Return what is recorded of keys that were dropped."""
        return _record_coercions(NO_COERCIONS, paths, self.ignored_rule)

    def admitted_data(self, text: str) -> Any:
        """Return the data of a text that was admitted as it is."""
        decoded = self.decode(text)
        admitted = decoded if isinstance(decoded, Err) else self.admit(*decoded)
        return admitted.unwrap() if isinstance(admitted, Err) else admitted[0]

    def _repair(self, sent: Any, coercions: Coercions) -> Admission:
        data, repairs, remaining = self._repairer.repair(sent)
        coercions += repairs
        if remaining:
            issues: Iterable[Issue] = map(ISSUE_OF, remaining)
            if (numbers := self.schema.numbers).may_hold_floats((data,)):
                issues = _with_others(issues, numbers.settle(data)[1])
            return self.to_refusal(issues, data, coercions, sent)
        gate = self.schema.gate
        if remaining is None and not gate.is_valid(data):
            return self.to_refusal(gate.issues(data), data, coercions, sent)
        if self.shape is not None and self.shape.fits(data):
            return data, coercions
        return self._drop_ignored(data, coercions) or self._settle(data, coercions, sent)

    @cached_property
    def _repairer(self) -> Repairer:
        return Repairer(
            self.schema.gate,
            self.options.coerce,
            fits=None if self.shape is None else self.shape.fits,
            max_depth=self.limits.max_depth,
            decimals=self.schema.has_decimals,
        )

    @cached_property
    def shape(self) -> Any:
        """The shape of exact plain data that are admitted as they are; None if it is unknown."""
        # Data that fit the shape are within the usual limits, so not always within smaller ones.
        is_limited = any(mine < usual for mine, usual in zip(self.limits, LIMITS, strict=True))
        return None if is_limited else self.adapter.shape

    def _settle(self, data: Any, coercions: Coercions, sent: Any) -> Admission:
        admitted = self.schema.settle(data)
        if admitted.issues:
            return self.to_refusal(admitted.issues, data, coercions, sent)
        if admitted.ignored or admitted.widened:
            coercions = _record_coercions(coercions, admitted.ignored, self.ignored_rule)
            coercions = _record_coercions(coercions, admitted.widened, "vendor")
        return admitted.data, coercions

    def decode(self, raw: Any) -> tuple[Any, Coercions] | Err:
        """Decode the arguments; an object of the declared type is written as JSON data."""
        try:
            if not issubclass(type(raw), DECODED_TYPES) and self.adapter.is_instance(raw):
                data, root = write_object(self.adapter, raw), self.adapter.root
                raw = data if root is None else {root: data}
            may_round = issubclass(type(raw), TEXT_TYPES) and jsontext.may_round(
                to_builtin_text(raw)
            )
            data, coercions = decode(
                raw,
                literals=self.options.coerce != "none",
                limits=self.limits,
                decimals=may_round or self.schema.has_decimals,
            )
            return self.schema.numbers.nearest_floats(data) if may_round else data, coercions
        except Undecodable as fault:
            if fault.kind == "truncated":
                return Err(fault.kind, feedback.TRUNCATED, self.options, fault.issues)
            return self.to_refusal(fault.issues, None, NO_COERCIONS)
        except jsondata.NotJson as fault:
            return self.to_refusal(fault.issues, raw, NO_COERCIONS)

    def to_library_refusal(
        self,
        error: Exception,
        data: Any,
        coercions: Coercions,
        sent: Any,
        fill: DefaultFill | None = None,
    ) -> Err:
        """Explain why the library refused data that passed the gate.

        Raises:
                UnfitDefaultError: It rejected a default factory's value.
        """
        filled = None if fill is None else fill.admitted
        issues = self.adapter.explain(error, data if filled is None else filled) or [
            Issue("refused", (), "custom")
        ]
        if fill is not None:
            fill.require_sent(issues)
        known = self._known_words | literal_words(error)
        masked = mask_issues(issues, data, known, authored=self.adapter.may_quote)
        return self.to_refusal(masked, data, coercions, sent)

    @cached_property
    def _known_words(self) -> frozenset[str]:
        return words_of(self.checker.normalised, self.options.description)

    @cached_property
    def _locator(self) -> Locator:
        return Locator(self.checker.places, keys=self.options.feedback == "keys")

    def to_refusal(
        self, issues: Iterable[Issue], data: Any, coercions: Coercions, sent: Any = None
    ) -> Err:
        """Return the outcome of rejected arguments; `sent` are the arguments before any repair."""
        located = self._locator.locate(issues, data, sent=sent)
        return Err("invalid_input", feedback.describe_invalid, self.options, located, coercions)


class RefusedInput(InputPipeline):
    """The arguments of a caller who may not call the tool: they are not read."""

    def __init__(self, pipeline: InputPipeline) -> None:
        super().__init__(pipeline.options, pipeline.adapter, pipeline.ignored_rule)

    @cached_property
    def shape(self) -> Any:
        """None: nothing is constructed."""
        return None

    def validate(self, raw: Any, fill: Any = None) -> Err:
        """Return the denial, whatever the arguments are."""
        del raw, fill
        return deny_caller(self.options)

    async def validate_awaited(self, raw: Any, fill: Any = None) -> Err:
        """Like `validate`, in a loop."""
        del raw, fill
        return deny_caller(self.options)

    def decode(self, raw: Any) -> Err:
        """Return the denial, whatever the arguments are."""
        del raw
        return deny_caller(self.options)


def _with_others(issues: Iterable[Issue], others: Sequence[Issue]) -> list[Issue]:
    """Return issues, and other issues at places without one."""
    issues = list(issues)
    paths = {issue.path for issue in issues}
    return [*issues, *(issue for issue in others if issue.path not in paths)]


def _record_coercions(coercions: Coercions, paths: Iterable[Path], rule: Rule) -> Coercions:
    return coercions + tuple([Coercion(path, rule) for path in paths])
