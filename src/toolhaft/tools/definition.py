"""A tool as its author wrote it: checked as far as can be without types, the rest on demand."""

from __future__ import annotations

from _thread import allocate_lock  # all that `threading` would be loaded for
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolhaft.definition import names, options
from toolhaft.definition.options import AllOptions
from toolhaft.definition.signature import Handler, UnnamedFault, read_handler
from toolhaft.errors import DefinitionError, Fault
from toolhaft.schema.bounds import DefinitionLimits

if TYPE_CHECKING:
    from toolhaft.call.call_options import CallOptions
    from toolhaft.call.limits import Limit
    from toolhaft.tools.assembly import Assembly
    from toolhaft.tools.transform import Transform

__all__ = ["LIMITS", "Definition"]

LIMITS: Final = DefinitionLimits()
DESCRIBE = "say in a sentence what the tool does, in its docstring or in description="
UNNAMED = "(unnamed tool)"
NAMELESS: Final = {"<lambda>": "a lambda", "__call__": "a callable object"}


class Definition:
    """The facts of a tool, and its assembly, made once and shared by all that it is bound to.

    Raises:
        DefinitionError: lists everything that is wrong with name, options and annotations.
    """

    __slots__ = (
        "_assembled",
        "_lock",
        "_summary",
        "_within",
        "changes",
        "fn",
        "handler",
        "limit",
        "name",
        "options",
        "own",
    )

    def __init__(
        self,
        fn: Callable[..., Any],
        given: AllOptions,
        *,
        own: bool = True,
        changes: tuple[Transform, ...] = (),
    ) -> None:
        handler, given = read_handler(fn), options.drop_unset(given)
        self.fn: Callable[..., Any] = fn
        self.options: AllOptions = given
        self.own: bool = own
        self.changes: tuple[Transform, ...] = changes
        self.name: str = _name(given, handler)
        self._assembled: Assembly | None = None
        self._summary: str | None = None
        self._within: DefinitionLimits | None = None
        self._lock = allocate_lock()
        flaws = list(_flaws(self.name, handler, given, own=own))
        if handler is None or flaws:
            raise DefinitionError(self.faults(flaws))
        self.handler: Handler = handler
        most = given.get("limit")
        self.limit: Limit | None = None if most is None else _limit(most)

    def faults(self, flaws: list[UnnamedFault]) -> list[Fault]:
        """Say of flaws which tool they are in."""
        return [Fault(self.name or UNNAMED, *flaw) for flaw in flaws]

    @property
    def description(self) -> str:
        """What `description=` says, else the docstring without its sections."""
        if self._summary is None:
            written = self.options.get("description")
            if written is None:
                from toolhaft.definition import docstrings

                written = docstrings.read_docstring(self.handler.function.__doc__).summary
            self._summary = written
        return self._summary

    def plain(self, option: str) -> Any:
        """Give a fresh copy of an option that holds plain JSON; None where it was not given."""
        from copy import deepcopy

        return deepcopy(self.options.get(option))

    @property
    def rules(self) -> CallOptions:
        """What the author settled about calls."""
        from toolhaft.call.call_options import CallOptions

        given: Mapping[str, Any] = self.options
        found: dict[str, Any] = {name: given[name] for name in CallOptions._fields if name in given}
        found["name"] = self.name
        return CallOptions(**found)

    def assembled(self) -> Assembly:
        """Resolve types and force the vendors' schemas, once.

        Raises:
            DefinitionError: lists everything that is wrong.
        """
        with self._lock:
            if self._assembled is not None:
                return self._assembled
            # Types, vendors and schemas are only needed from here on: a program that defines
            # tools starts without them.
            from toolhaft.tools.assembly import AssemblyFailed, assemble

            try:
                made = assemble(self.name, self.handler, self.options)
                for change in self.changes:
                    made = change.applied(made)
            except AssemblyFailed as error:
                flaws = error.flaws
            else:
                self._assembled = made
                self.handler = self.handler._replace(frames=())
                return made
        raise DefinitionError(self.faults(flaws))

    def changed(self, **changes: Any) -> Definition:
        """Give the definition of a derived tool; types are resolved as they were for this one.

        Raises:
            DefinitionError: lists everything that is wrong.
        """
        from toolhaft.tools.assembly import AssemblyFailed
        from toolhaft.tools.transform import Transform  # few tools are derived

        base = self.assembled()

        try:
            change = Transform(**changes)
            assembled = change.applied(base)
        except AssemblyFailed as error:
            flaws = error.flaws
        else:
            all_of_them = (*self.changes, change)
            derived = Definition(self.fn, self.options, own=self.own, changes=all_of_them)
            derived._assembled = assembled
            derived.limit = self.limit
            return derived
        raise DefinitionError(self.faults(flaws))

    def bounded(self, limits: DefinitionLimits = LIMITS) -> Assembly:
        """Give the assembly, its schemas within the limits.

        Raises:
            DefinitionError: lists everything that is wrong.
        """
        made = self.assembled()
        if self._within != limits:
            from toolhaft.tools.assembly import faults_of_size

            flaws = faults_of_size(made, limits)
            if self.own and not self.description:
                flaws.append(
                    UnnamedFault("description", "the docstring has sections only", DESCRIBE)
                )
            if len(self.description) > limits.max_description:
                reason = f"longer than {limits.max_description} characters"
                flaws.append(UnnamedFault("description", reason, "shorten it"))
            if flaws:
                raise DefinitionError(self.faults(flaws))
            self._within = limits
        return made


def _limit(most: int) -> Limit:
    from toolhaft.call.limits import Limit

    return Limit(most)


def _name(given: AllOptions, handler: Handler | None) -> str:
    if "name" in given:
        return given["name"]
    return "" if handler is None else handler.function.__name__


def _flaws(
    name: Any, handler: Handler | None, given: AllOptions, *, own: bool
) -> Iterator[UnnamedFault]:
    if handler is None:
        yield UnnamedFault("", "there is no Python function in what was given", "pass a function")
        return
    if name in NAMELESS:
        yield UnnamedFault("name", f"{NAMELESS[name]} has no name", "pass name=")
    elif (fault := names.name_fault(name, own=own)) is not None:
        yield UnnamedFault("name", *fault)
    yield from options.faults_of(given)
    whole = "input" in given
    first = handler.parameters[0].name if whole and handler.parameters else None
    yield from (flaw for flaw in handler.faults if flaw.where != first)
    if own and "description" not in given:
        yield from _undescribed(handler)


def _undescribed(handler: Handler) -> Iterator[UnnamedFault]:
    told = handler.function.__doc__ or ""
    if not told.strip():
        yield UnnamedFault("description", "there is none", DESCRIBE)
    elif len(told) > options.MOST_DESCRIPTION:
        yield UnnamedFault(
            "description", f"longer than {options.MOST_DESCRIPTION} characters", DESCRIBE
        )
    elif (found := names.hidden_character(told)) is not None:
        yield UnnamedFault("description", f"holds {found}", "remove it")
