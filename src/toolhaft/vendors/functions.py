"""Make a schema of a validating function and the JSON Schema of its data."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping
from typing import Any, Final, Literal, TypeAlias, TypeVar, overload

from toolhaft.definition.options import copy_data
from toolhaft.errors import DefinitionError, Fault
from toolhaft.schema.limits import faults_of
from toolhaft.spec import Failure, Issue, Mode, StandardSchema, Success
from toolhaft.vendors import native
from toolhaft.vendors.adapter import text_of_error
from toolhaft.vendors.annotations import is_async

__all__ = ["schema_of"]

T = TypeVar("T")
JsonSchema: TypeAlias = Mapping[str, Any] | Callable[[Mode], Mapping[str, Any]]

MAX_WORDS: Final = 300


@overload
def schema_of(
    *,
    validate: Callable[[Any], Coroutine[Any, Any, Success[T] | Failure]],
    vendor: str = ...,
    json_schema: JsonSchema | None = ...,
    dump: Callable[[Any], Any] | None = ...,
) -> StandardSchema[T]: ...
@overload
def schema_of(
    *,
    validate: Callable[[Any], Coroutine[Any, Any, T]],
    vendor: str = ...,
    json_schema: JsonSchema | None = ...,
    dump: Callable[[Any], Any] | None = ...,
) -> StandardSchema[T]: ...
@overload
def schema_of(
    *,
    validate: Callable[[Any], Success[T] | Failure],
    vendor: str = ...,
    json_schema: JsonSchema | None = ...,
    dump: Callable[[Any], Any] | None = ...,
) -> StandardSchema[T]: ...
@overload
def schema_of(
    *,
    validate: Callable[[Any], T],
    vendor: str = ...,
    json_schema: JsonSchema | None = ...,
    dump: Callable[[Any], Any] | None = ...,
) -> StandardSchema[T]: ...
def schema_of(
    *,
    validate: Callable[[Any], Any],
    vendor: str = "custom",
    json_schema: JsonSchema | None = None,
    dump: Callable[[Any], Any] | None = None,
) -> StandardSchema[Any]:
    """Make a schema from a validating function, for `input=` and `output=`.

    Args:
        validate: A function, async or not, of decoded JSON that fits `json_schema`; it returns the
            value. It rejects data by raising `ValueError`, whose message the model reads with sent
            values masked, or by returning a `Failure` with places. Return `Success(value)` if the
            value itself could be one of the two. Any other exception is a bug of the tool.
        vendor: The name of the library, for messages.
        json_schema: The JSON Schema, or a function of "input" or "output" that returns it.
        dump: A function that returns the JSON data of a value.

    Raises:
        DefinitionError: `json_schema` is missing or not a JSON Schema.

    >>> def even(data):
    ...     if data["n"] % 2:
    ...         raise ValueError("n must be even")
    ...     return data["n"]
    >>> schema = schema_of(validate=even, json_schema={
    ...     "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
    >>> schema.validate({"n": 4}).value, [str(issue) for issue in schema.validate({"n": 3}).issues]
    (4, ['n must be even'])
    """
    where = f"schema_of({vendor})"
    if json_schema is None:
        raise DefinitionError([Fault(where, "json_schema", "missing", _FIX)])
    if not callable(json_schema):
        json_schema = copy_data(json_schema)
        faults = faults_of(json_schema)
        if faults or not json_schema:
            reason = str(faults[0].reason) if faults else "it is empty"
            raise DefinitionError([Fault(where, "json_schema", reason, _FIX)])
    schema: StandardSchema[Any] = native.adapter(_Function(validate, vendor, json_schema, dump))
    return schema


_FIX: Final = "give the JSON Schema of what the function takes as json_schema="


class _Function:
    """A function as a schema of the protocol."""

    version: Literal[1] = 1

    def __init__(
        self,
        validate: Callable[[Any], Any],
        vendor: str,
        json_schema: JsonSchema,
        dump: Callable[[Any], Any] | None,
    ) -> None:
        self.vendor = vendor
        self._validate = validate
        self._schema = json_schema
        self.validate = self._validate_async if is_async(validate) else self._validate_sync
        self.dump = _identity if dump is None else dump

    def _validate_sync(self, value: Any, /) -> Any:
        try:
            result = self._validate(value)
        except ValueError as error:
            return _to_failure(error)
        return _PendingResult(result) if isinstance(result, Coroutine) else _to_result(result)

    async def _validate_async(self, value: Any, /) -> Any:
        return await _PendingResult(self._validate(value))

    def json_schema(self, *, target: str = "draft-2020-12", mode: Mode = "input") -> dict[str, Any]:
        del target  # the adapter around it asks for no other
        return dict(self._schema(mode) if callable(self._schema) else self._schema)


class _PendingResult:
    """Awaits the result of a coroutine; it can be closed like the coroutine itself."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._coroutine = coroutine
        self.close = coroutine.close

    def __await__(self) -> Generator[Any, Any, Any]:
        try:
            return _to_result((yield from self._coroutine.__await__()))
        except ValueError as error:
            return _to_failure(error)


def _identity(value: Any) -> Any:
    return value


def _to_result(result: Any) -> Any:
    """Wrap a returned value in `Success`; `Success` and `Failure` stay."""
    return result if isinstance(result, Success | Failure) else Success(result)


def _to_failure(error: ValueError) -> Failure:
    """Return the author's message; reports of several lines are left out: they name classes."""
    message = text_of_error(error)
    is_report = not message or "\n" in message or len(message) > MAX_WORDS
    return Failure([Issue("not accepted" if is_report else message)])
