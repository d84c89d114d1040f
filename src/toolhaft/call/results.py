"""Check what a handler returned: it is dumped, and the dump must fit the output schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from types import CoroutineType
from typing import Any, Final, TypeAlias

from toolhaft import vendors
from toolhaft.call.masking import mask_issues, words_of
from toolhaft.call.parts import ContentParts
from toolhaft.call.paths import locate
from toolhaft.jsonio.jsondata import NotJson, to_json_data
from toolhaft.jsonio.primitives import plain_copy
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.schema.shape import shape_of
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import Adapter, Rejected, prefix_path
from toolhaft.vendors.dumps import too_large

__all__ = ["Check", "InvalidResult", "Results", "to_content"]


# The validated output and its JSON data, or `ContentParts` in place of it.
Check: TypeAlias = Callable[[Any], tuple[Any, Any]]
Fits: TypeAlias = Callable[[Any], bool]
UNREAD: Final = object()
# No API takes more images and files in one message than some hundred.
MOST_PARTS: Final = 1_000


class InvalidResult(Exception):
    """A result is not JSON, or does not fit the output schema; `data` is the rejected result.

    The issues have their author's words; `Results.shown_issues` are safe to show.
    """

    def __init__(self, issues: Iterable[Issue], data: Any = None) -> None:
        super().__init__()
        self.issues: tuple[Issue, ...] = tuple(issues)
        self.data = data


class Results:
    """Checks one tool's results: against its output schema, or for being JSON at all.

    A result that is content gives `ContentParts` in place of JSON; with `content` it must be.
    """

    def __init__(self, adapter: Adapter[Any] | None, *, content: bool = False) -> None:
        self.adapter: Any = adapter
        if adapter is None:
            vars(self)["check"] = _check_content if content else dump_any
        self.awaits: bool = adapter is not None and adapter.awaits
        self.may_await: bool = adapter is not None and adapter.may_await

    def check(self, result: Any) -> tuple[Any, Any]:
        """Return the validated output and its JSON data.

        Raises:
            InvalidResult: has the path of everything that does not fit.
        """
        kind = type(result)
        if kind is dict or kind is list:
            value = self._read_fast(result)
            if value is not UNREAD:
                return self._check_value(_keep_original(result, value))
        return self._check_value(result) if self._is_instance(result) else self.check_whole(result)

    def check_whole(self, result: Any) -> tuple[Any, Any]:
        """Like `check`, without the fast checks."""
        if self._is_instance(result):
            return self._check_value(result, try_fast=False)
        data = to_plain_data(result)
        try:
            value = self.adapter.read(data)[0]
        except Rejected as error:
            issues = error.issues
        else:
            return self._check_value(_keep_original(result, value), try_fast=False)
        raise InvalidResult(issues, data)

    def _is_instance(self, result: Any) -> bool:
        """Check whether a result is an object of the declared type, and not too large for a dump.

        Libraries look at all that an object holds, and write all of it.
        """
        return not too_large(result) and bool(self.adapter.is_instance(result))

    def _read_fast(self, result: Any) -> Any:
        """Construct from data that can be constructed at once; `UNREAD` from any other."""
        try:
            if self._type_shape is not None and self._type_shape.fits(result):
                return self._construct(result)
        except (*self.adapter.rejects, ValueError, RuntimeError):
            pass  # the whole check explains it, on a copy that no other thread changes
        return UNREAD

    @cached_property
    def _type_shape(self) -> Any:
        """The shape of returned data that can be constructed at once, or None."""
        adapter = self.adapter
        known = adapter.input_or_none()
        if known is None or not adapter.copies or type(adapter).accept is not Adapter.accept:
            return None
        return shape_of(known.fast_gate, whole_floats=not adapter.is_plain, is_object=False)

    @property
    def _construct(self) -> Callable[[Any], Any]:
        if self.adapter.is_plain:
            return _identity
        construct: Callable[[Any], Any] = self.adapter.construct_fitting or self.adapter.construct
        return construct

    @cached_property
    def _schema_shape(self) -> Any:
        """The shape of a dump that is plain data of the output schema."""
        return shape_of(self.adapter.dump_gate(), whole_floats=True, is_object=False)

    def fast_steps(self) -> tuple[Any, ...] | None:
        """Return the steps that check a valid result at once, or None if there are none.

        These are the shape of returned data that can be constructed, or None, their constructor
        with its second argument, whether a result is an object of the declared type, the layout of
        such objects, their dump function, and the shape of a dump.
        """
        if self.adapter is None or self.may_await:
            return None
        adapter = self.adapter
        construct = adapter.construct_with or (self._construct, None)
        read = self._type_shape, construct, self._is_instance
        return *read, adapter.layout, self._dump, self._schema_shape

    @cached_property
    def _dump(self) -> Callable[[Any], Any]:
        """The function that dumps an object: objects that are data are copied."""
        dump: Callable[[Any], Any] = self.adapter.dump
        if self.adapter.is_plain:
            return partial(_copy_or_dump, dump)
        return dump if self.adapter.copies else lambda value: to_plain_data(dump(value))

    async def check_awaited(self, result: Any) -> tuple[Any, Any]:
        """Like `check`, with a validator that may be async."""
        adapter = self.adapter
        if not self.may_await or self._is_instance(result):
            return self.check(result)
        data = to_plain_data(result)
        try:
            value = (await adapter.read_awaited(data))[0]
        except Rejected as error:
            issues = error.issues
        else:
            return self._check_value(value)
        raise InvalidResult(issues, data)

    def _check_value(self, value: Any, *, try_fast: bool = True) -> tuple[Any, Any]:
        """Dump an object, and check the dump against the schema: no returned object is trusted."""
        try:
            dump = self._dump(value)
        except Rejected as error:
            issues = self.explain_dump(error, value)
        else:
            return value, self.check_dump(dump, try_fast=try_fast)
        raise InvalidResult(issues)

    def check_dump(self, dump: Any, *, try_fast: bool = True) -> Any:
        """Return the JSON data of a dump, or raise `InvalidResult`."""
        if try_fast and self._schema_shape.fits(dump):
            return dump
        data = to_plain_data(dump)
        if not self.checker.is_valid(data):
            raise InvalidResult(self.checker.issues(data), data)
        return data

    def shown_issues(self, error: InvalidResult) -> tuple[Issue, ...]:
        """Return the issues of a rejected result with places in words, and without its values."""
        has_schema = self.adapter is not None
        known = words_of(self.checker.normalised) if has_schema else frozenset[str]()
        places = self.checker.places if has_schema else PlaceIndex(True)
        return locate(mask_issues(error.issues, error.data, known), places, error.data)

    def explain_dump(self, error: Rejected, value: Any) -> Iterable[Issue]:
        """Return why an object cannot be dumped."""
        try:
            to_plain_data(value)
        except InvalidResult as invalid:
            return invalid.issues
        # The library's issues have no path; the issues of the value's own classes have one.
        return error.issues

    @cached_property
    def checker(self) -> Checker:
        """The check of the dump against the output schema."""
        checker: Checker = self.adapter.checker("output")
        return checker


def _identity(value: Any) -> Any:
    return value


def _copy_or_dump(dump: Callable[[Any], Any], value: Any) -> Any:
    """Copy what is plain data already; a declared `Any` may hold other objects."""
    copy = plain_copy({"": value})
    return dump(value) if copy is None else copy[""]


def _keep_original(result: Any, value: Any) -> Any:
    """Return the returned list or dict itself, if it equals the validated one."""
    kind = type(result)
    is_container = kind is dict or kind is list
    return result if is_container and type(value) is kind and value == result else value


def dump_any(value: Any) -> tuple[Any, Any]:
    """Check a result without a declared output; most are plain data."""
    if type(value) is dict and (copy := plain_copy(value)) is not None:
        return value, copy
    return value, to_content(value)


def _check_content(value: Any) -> tuple[Any, Any]:
    return value, None if value is None else _to_parts(value)


def to_content(value: Any) -> Any:
    """Return a result without a declared output: JSON data, or `ContentParts` if it has any.

    Raises:
        InvalidResult: It is neither.
    """
    try:
        return to_plain_data(value)
    except InvalidResult:
        if not any(map(_is_part, _items(value))):
            raise
    return _to_parts(value)


def _items(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _is_part(value: Any) -> bool:
    from toolhaft.content import PARTS

    return isinstance(value, PARTS)


def _to_parts(value: Any) -> ContentParts:
    """Take text and content as they are, and nothing else beside them."""
    parts: list[Any] = []
    issues: list[Issue] = []
    is_sequence = isinstance(value, list | tuple)
    if is_sequence and len(value) > MOST_PARTS:
        raise InvalidResult([Issue(f"more than {MOST_PARTS} parts of content")])
    for place, item in enumerate(_items(value)):
        path = (place,) if is_sequence else ()
        try:
            parts.append(item if _is_part(item) else _require_text(item))
        except InvalidResult as error:
            issues += [prefix_path(issue, *path) for issue in error.issues]
    if issues:
        raise InvalidResult(issues)
    return ContentParts(parts)


def _require_text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidResult([Issue("expected text or content", (), "type")])
    text: str = to_plain_data(value)
    return text


def to_plain_data(value: Any) -> Any:
    """Return the JSON data of a value, or raise `InvalidResult`."""
    issues = too_large(value)
    try:
        if not issues:
            return to_json_data(value, foreign=vendors.dump_foreign)
    except NotJson as fault:
        issues = fault.issues
    if isinstance(value, CoroutineType):
        value.close()  # it is never awaited; Python would warn
    raise InvalidResult(issues)
