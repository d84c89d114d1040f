"""The interface of every validator library: emit, construct, explain, dump.

An adapter is a `StandardSchema`. Its emitted schema is what the model is shown and what data are
held to; the library then constructs the declared object from data that passed, in its own JSON
mode and by the names of the schema only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from copy import copy, deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar

from toolhaft.definition.targets import Target
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio.jsondata import UNKNOWN, NotPlain, snapshot
from toolhaft.jsonio.primitives import copy_data, plain_copy
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.checker import Checker
from toolhaft.schema.components import View, view_of
from toolhaft.schema.gate import fast_gate_of
from toolhaft.schema.inline import inline_references
from toolhaft.schema.issues import move_issue
from toolhaft.schema.marks import mark, marks_of, without_marks
from toolhaft.spec import Failure, Issue, Mode, Path, SchemaNotConvertible, Success
from toolhaft.vendors.acting import ActingCheck
from toolhaft.vendors.emission_rules import expand_roots
from toolhaft.vendors.fields import Fields
from toolhaft.vendors.input_schema import Extra, InputSchema, with_extra

if TYPE_CHECKING:
    from toolhaft.schema.faults import SchemaFault

__all__ = ["Adapter", "Fill", "NoVendor", "Rejected", "copying", "prefix_path", "text_of_error"]

T = TypeVar("T")


class Fill(Protocol):
    """Fills the data of one call; `places` has what it added, by the place."""

    @property
    def places(self) -> Mapping[Path, Any]: ...

    def __call__(self, data: Any, /) -> Any: ...


class NoVendor(ToolhaftError):
    """No adapter can carry a type: why, and what to do about it."""

    def __init__(self, reason: str, fix: str) -> None:
        self.reason = reason
        self.fix = fix
        super().__init__(f"{reason}; {fix}")


class Rejected(Exception):
    """Data was refused, with the issues: for adapters that make their own."""

    def __init__(self, issues: list[Issue]) -> None:
        self.issues = issues
        super().__init__(f"{len(issues)} issues")


def text_of_error(error: object) -> str:
    """Return the message of an author's exception; empty if its `__str__` fails."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - an author's code, of any kind
        return ""


class Adapter(Generic[T]):
    """One type of a validator library; an instance stands for the type.

    `construct` takes plain JSON data that the input schema admitted and gives the declared object,
    or raises one of `rejects`. `awaits` says that it needs a loop, which only `construct_awaited`
    can use, and `may_await` that this is not known before it answers; `takes_context` that it makes
    values of the caller's context; `authored` that a person wrote the schema, and that it goes out
    as it stands;
    `is_json` that the object is JSON data of a type that has no class;
    `copies` that the object shares nothing with the data, `is_plain` that it is the data, and
    `settles_floats` that `construct` itself reads whole floats as the integers that are declared.
    """

    version: Literal[1] = 1
    vendor: str
    rejects: tuple[type[Exception], ...] = (Rejected,)
    awaits: bool = False
    may_await: bool = False
    takes_context: bool = False
    authored: bool = False
    is_json: bool = False
    copies: bool = False
    is_plain: bool = False
    settles_floats: bool = False
    extra: Extra | None = None
    # The name of the class, if it is one.
    class_name: str | None = None
    # The key under which the whole of the data stands, where the type's own JSON is no object.
    root: str | None = None
    construct: Callable[[Any], T]
    # Faster ones for data that fit the input's shape, which no library rejects: data, JSON text,
    # and a function of data with its second argument.
    construct_fitting: Callable[[Any], T] | None = None
    construct_text: Callable[[str], T] | None = None
    construct_with: tuple[Callable[[Any, Any], T], Any] | None = None
    # Where objects keep parts of the data, so that the others copy them: the same for data that
    # nobody else has.
    construct_own: tuple[Callable[..., T], Any] | None = None
    # How `dump` reads objects of plain fields (`vendors/dumps.py`); None if it does more.
    layout: Any = None
    # Dumps objects of all libraries; set by `vendors`, which knows them all.
    foreign: ClassVar[Callable[[object], Any]] = staticmethod(lambda _: UNKNOWN)

    def __init__(self) -> None:
        self._fields: Mapping[type, Fields] = {}
        self._schemas: dict[Mode, Any] = {}
        self._checkers: dict[Mode, Checker] = {}
        self._views: dict[Mode, View] = {}

    # ------------------------------------------------------------ what a library provides

    def emit(self, mode: Mode) -> dict[str, Any]:
        """Write the type as JSON Schema, draft 2020-12, marked, the same in every process."""
        raise NotImplementedError

    def emit_partly(self) -> dict[str, Any] | None:
        """Write a partial schema of a type without a whole schema, or return None without any."""
        return None

    async def construct_awaited(self, data: Any) -> T:
        """Construct as `construct` does, where the library may be asynchronous."""
        return self.construct(data)

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        """Write issues for what the library refused beyond the schema, with paths into the data."""
        del data
        return error.issues if isinstance(error, Rejected) else []

    def dump(self, value: T) -> Any:
        """Turn an object of the declared type into JSON data, which is checked afterwards.

        Raises:
            Rejected: Some part of it has no JSON form.
        """
        return value

    def is_instance(self, value: object) -> bool:
        """Return whether a handler's result is already an object of the declared type."""
        del value
        return False

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        """List checks that no schema expresses, such as an author's validators, and where."""
        return []

    def acting_checks(self) -> list[ActingCheck]:
        """List validators that import what the data name, or look at the file system."""
        return []

    # ------------------------------------------------------------ what follows from that

    @property
    def fields(self) -> Mapping[type, Fields]:
        """The fields of each class that the emitted input schema describes."""
        return self._fields

    @property
    def may_quote(self) -> bool:
        """Whether its issues may quote the data, whatever their code."""
        return self.authored

    @property
    def typed_input(self) -> InputSchema | None:
        """The checks of what the library reads; of a type that has no schema, None."""
        return self.input_or_none()

    def with_extra(self, extra: Extra | None) -> Self:
        """Return the same adapter with another policy for undeclared keys, in every object."""
        if extra is None:
            return self
        adapter = copy(self)
        Adapter.__init__(adapter)
        for known in ("input", "_known_input", "shape", "_construct_at_once"):
            adapter.__dict__.pop(known, None)
        adapter.extra = extra
        return adapter

    def marked_schema(self, mode: Mode) -> Any:
        """Return the emitted schema with its marks, written once for each mode."""
        schema = self._schemas.get(mode)
        if schema is None:
            schema = self._schemas[mode] = self._prepare(self.emit(mode), mode)
        return schema

    def _prepare(self, emitted: dict[str, Any], mode: Mode) -> Any:
        schema = emitted if self.authored else inline_references(expand_roots(emitted))
        if self.class_name is not None and "properties" in schema:
            schema = {**schema}
            mark(schema, **{"defined": {"name": self.class_name, "beside": []}, **marks_of(schema)})
        if mode == "input" and self.extra is not None:
            return with_extra(schema, self.extra, authored=self.authored)
        return schema

    @cached_property
    def input(self) -> InputSchema:
        """The checks of data before the library reads them."""
        return InputSchema(self.marked_schema("input"), authored=self.authored)

    def input_or_none(self) -> InputSchema | None:
        """Return `input`; for a type with parts without a schema, the other parts' schema, or None.

        The tool declares its own parameters there.
        """
        return self._known_input

    @cached_property
    def _known_input(self) -> InputSchema | None:
        try:
            return self.input
        except (NoVendor, SchemaNotConvertible):
            schema = self.emit_partly()
        return None if schema is None else InputSchema(self._prepare(schema, "input"))

    def checker(self, mode: Mode = "input") -> Checker:
        """Return the compiled check of the schema that goes out, made once for each mode."""
        compiled = self._checkers.get(mode)
        if compiled is None:
            compiled = self._checkers[mode] = Checker(without_marks(self.marked_schema(mode)))
        return compiled

    def dump_gate(self) -> Checker:
        """Return the check of dumps that are returned unchanged; others are checked as a whole."""
        return Checker(fast_gate_of(self.marked_schema("output"), authored=self.authored))

    @cached_property
    def shape(self) -> Any:
        """The shape of exact plain data that are admitted as they are, or None if it is unknown."""
        known = self.input_or_none()
        if known is None or self.may_await:
            return None
        return known.shape(whole_floats=self.settles_floats)

    @property
    def constructs_as_sent(self) -> bool:
        """Whether objects are made of the admitted data themselves."""
        return type(self).accept is Adapter.accept

    def accept(self, data: Any, fill: Fill | None = None) -> tuple[T, Any]:
        """Construct the object of admitted data, and give the data it was made from.

        `fill` adds what default factories give.

        Raises:
            Exception: One of `rejects`.
        """
        data = data if fill is None else fill(data)
        return self.construct(data), data

    async def accept_awaited(self, data: Any, fill: Fill | None = None) -> tuple[T, Any]:
        """Construct as `accept` does, where the library may be asynchronous."""
        data = data if fill is None else fill(data)
        return await self.construct_awaited(data), data

    @cached_property
    def _construct_at_once(self) -> Callable[[Any], T] | None:
        """The constructor for data that fit the shape; None if objects are made of other data."""
        if self.shape is None or not self.constructs_as_sent:
            return None
        return self.construct_fitting or self.construct

    def read(self, data: Any, fill: Fill | None = None) -> tuple[T, Any]:
        """Validate plain data by the schema, then accept them.

        Raises:
            Rejected: with every issue.
        """
        construct = self._construct_at_once
        fits = construct is not None and self.shape.fits(data)
        data = data if fits else self._admit(data)
        try:
            if fits and fill is None and construct is not None:
                return construct(data), data
            return self.accept(data, fill)
        except self.rejects as error:
            issues = self.explain(error, data)
        raise Rejected(issues)

    async def read_awaited(self, data: Any, fill: Fill | None = None) -> tuple[T, Any]:
        """Read as `read` does, where the library may be asynchronous."""
        data = self._admit(data)
        try:
            return await self.accept_awaited(data, fill)
        except self.rejects as error:
            issues = self.explain(error, data)
        raise Rejected(issues)

    def _admit(self, data: Any) -> Any:
        if self.shape is not None and self.shape.fits(data):
            return data
        input_schema = self.input_or_none()
        if input_schema is None:
            return data
        admitted = input_schema.admit(data)
        if admitted.issues:
            raise Rejected(admitted.issues)
        return admitted.data

    def view(self, mode: Mode, limits: DefinitionLimits | None = None) -> View:
        """Return what is known of the schema that goes out, read once for each limits."""
        limits = limits or DefinitionLimits()
        view = self._views.get(mode)
        if view is None or view.limits != limits:
            view = self._views[mode] = view_of(self.checker(mode).schema, limits)
        return view

    def faults(self, mode: Mode, limits: DefinitionLimits) -> list[SchemaFault]:
        """List where the emitted schema is too large or refers outside of itself."""
        return self.view(mode, limits).faults

    def validate(self, value: object, /) -> Success[T] | Failure | Awaitable[Success[T] | Failure]:
        """Check decoded JSON data; bad data is a `Failure`, never an exception."""
        try:
            data = snapshot(value)
        except NotPlain as error:
            return Failure(error.issues)
        if self.awaits:
            return self._validate_awaited(data)
        try:
            return Success(self.read(data)[0])
        except Rejected as error:
            return Failure(error.issues)

    async def _validate_awaited(self, data: Any) -> Success[T] | Failure:
        try:
            return Success((await self.read_awaited(data))[0])
        except Rejected as error:
            return Failure(error.issues)

    def json_schema(
        self, *, target: Target = "draft-2020-12", mode: Mode = "input"
    ) -> dict[str, Any]:
        """Write the emitted schema in a dialect of schemas, as a fresh copy.

        Raises:
            SchemaNotConvertible: There is no such dialect, or it cannot express the schema.
        """
        schema: dict[str, Any] = copy_data(self.checker(mode).schema)
        if target == "draft-2020-12":
            return schema
        from toolhaft.lowering.schema_dialects import write_schema  # few ask for another

        return write_schema(schema, target)


def copying(read: Callable[[Any], T]) -> Callable[[Any], T]:
    """Return a reader of copies, for a library that keeps undeclared parts of data as they are."""

    def read_copy(data: Any) -> T:
        copied = plain_copy({"": data})
        return read(deepcopy(data) if copied is None else copied[""])

    return read_copy


def prefix_path(issue: Issue, *path: str | int) -> Issue:
    """Return an issue with its path inside a larger value."""
    return move_issue(issue, (*path, *issue.path))
