"""A tool's definition: its options are checked at once, its types resolved on first use."""

from __future__ import annotations

from _thread import allocate_lock  # all that `threading` would be loaded for
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolhaft.call.after_fork import renew_after_fork
from toolhaft.definition import names, options
from toolhaft.definition.options import AllOptions
from toolhaft.definition.signature import Handler, UnnamedFault, read_handler
from toolhaft.errors import DefinitionError, Fault
from toolhaft.schema.bounds import DefinitionLimits

if TYPE_CHECKING:
    from toolhaft.call.call_options import CallOptions
    from toolhaft.call.formatted import Format
    from toolhaft.call.limits import Limit
    from toolhaft.tools.assembly import Assembly
    from toolhaft.tools.transform import Transform

__all__ = ["LIMITS", "Definition", "Group", "make_limit"]

LIMITS: Final = DefinitionLimits()
DESCRIBE = "say in a sentence what the tool does, in its docstring or in description="
UNNAMED = "(unnamed tool)"
TYPES: Final = ("input", "output")
NAMELESS: Final = {"<lambda>": "a lambda", "__call__": "a callable object"}


class Group(NamedTuple):
    """A named toolset inside another one.

    Attributes:
        name: Its name, with which the names of its tools begin.
        description: What its tools are for.
    """

    name: str
    description: str

    def join(self, name: str) -> str:
        """Return the name that a tool of the group has in the toolset around it."""
        return f"{self.name}.{name}"

    def has(self, name: object) -> bool:
        """Whether a name is one of the group's."""
        return isinstance(name, str) and name.startswith(f"{self.name}.")

    def strip(self, name: str) -> str:
        """Return the name that a tool of the group has by itself."""
        return name.removeprefix(f"{self.name}.")


class Definition:
    """The definition of a tool and its assembly, shared by all objects that it is bound to.

    Raises:
        DefinitionError: lists everything that is wrong with name, options and annotations.
    """

    __slots__ = (
        "__weakref__",
        "_assembled",
        "_checked_limits",
        "_lock",
        "_summary",
        "changes",
        "fn",
        "format",
        "group",
        "handler",
        "is_own",
        "limit",
        "name",
        "options",
        "source",
    )

    def __init__(
        self,
        fn: Callable[..., Any],
        options_given: AllOptions,
        *,
        handler: Handler | None = None,
        is_own: bool = True,
        changes: tuple[Transform, ...] = (),
        format: Format | None = None,
        source: Mapping[str, Any] | None = None,
        group: Group | None = None,
    ) -> None:
        handler = handler or read_handler(fn)
        options_given = options.own_options(options_given)
        self.fn: Callable[..., Any] = fn
        self.options: AllOptions = options_given
        self.is_own: bool = is_own
        self.changes: tuple[Transform, ...] = changes
        self.format: Format | None = format
        self.source: Mapping[str, Any] | None = source
        self.name: str = _name(options_given, handler)
        # A tool that was renamed altogether has left its group.
        self.group: Group | None = group if group and group.has(self.name) else None
        self._assembled: Assembly | None = None
        self._summary: str | None = None
        self._checked_limits: DefinitionLimits | None = None
        self.renew()
        renew_after_fork(self)
        faults = list(_faults(self.name, handler, options_given, self.group, is_own=is_own))
        if handler is None or faults:
            raise DefinitionError(self.name_faults(faults))
        self.handler: Handler = handler
        limit = options_given.get("limit")
        self.limit: Limit | None = None if limit is None else make_limit(limit)

    def renew(self) -> None:
        """Make the lock anew, in a process that was forked while another thread held it."""
        self._lock = allocate_lock()

    def name_faults(self, unnamed: list[UnnamedFault]) -> list[Fault]:
        """Add the tool's name to faults."""
        return [Fault(self.name or UNNAMED, *fault) for fault in unnamed]

    @property
    def description(self) -> str:
        """The text of `description=`; of a tool of one's own, else its docstring's summary."""
        if self._summary is None:
            text = self.options.get("description")
            if text is None and self.is_own:
                from toolhaft.definition import docstrings

                text = docstrings.read_docstring(self.handler.function.__doc__).summary
            self._summary = text or ""
        return self._summary

    def copy_option(self, option: str) -> Any:
        """Copy an option that holds plain JSON, or return None if it was not passed."""
        from toolhaft.jsonio.primitives import copy_data

        return copy_data(self.options.get(option))

    def copy_source(self) -> dict[str, Any] | None:
        """Copy what an imported tool is run by."""
        from toolhaft.jsonio.primitives import copy_data

        return None if self.source is None else copy_data(dict(self.source))

    @property
    def rules(self) -> CallOptions:
        """The author's options for calls."""
        from toolhaft.call.call_options import CallOptions

        options: Mapping[str, Any] = self.options
        values: dict[str, Any] = {
            name: options[name] for name in CallOptions._fields if name in options
        }
        values |= {"name": self.name, "description": self.description}
        return CallOptions(**values)

    def assemble(self) -> Assembly:
        """Resolve types and build the vendors' schemas, once.

        Raises:
            DefinitionError: lists everything that is wrong.
        """
        assembled = self._assembled
        if assembled is not None:
            return assembled
        with self._lock:
            if self._assembled is not None:  # by another thread meanwhile
                return self._assembled
            # Imported here, so that a program that only defines tools does not load vendors.
            from toolhaft.tools.assembly import (
                AssemblyFailed,
                assemble,
                rejecting_deep_types,
                require_readable,
            )

            try:
                with rejecting_deep_types():
                    assembly = assemble(self.name, self.handler, self.options)
                    for change in self.changes:
                        assembly = change.apply(assembly)
                    require_readable(assembly)
            except AssemblyFailed as error:
                faults = error.faults
            else:
                self._assembled = assembly
                self.handler.scope.release()
                return assembly
        raise DefinitionError(self.name_faults(faults))

    def derive(
        self,
        given: AllOptions | None = None,
        changes: tuple[Transform, ...] = (),
        format: Format | None = None,
        assembled: Assembly | None = None,
        group: Group | None = None,
    ) -> Definition:
        """Return the definition with other options, further changes, or a format of its results.

        Both tools count together towards a limit, unless another limit is passed.
        """
        options: Any = {**self.options, **(given or {})}
        derived = Definition(
            self.fn,
            options,
            handler=self._handler_for(given or {}),
            is_own=self.is_own,
            changes=self.changes + changes,
            format=self.format if format is None else format,
            source=self.source,
            group=group or self.group,
        )
        derived._assembled = assembled
        if given is None or "limit" not in given:
            derived.limit = self.limit
        return derived

    def _handler_for(self, given: AllOptions) -> Handler:
        """Return the handler with its types; those given here may have names from here."""
        if given.keys().isdisjoint(TYPES):
            return self.handler
        return self.handler._replace(scope=self.handler.scope.extend())

    def transform(self, **changes: Any) -> Definition:
        """Return the definition of a derived tool, with the same types.

        Raises:
            DefinitionError: lists all faults.
        """
        from toolhaft.tools.assembly import AssemblyFailed, require_readable
        from toolhaft.tools.transform import Transform  # few tools are derived

        base = self.assemble()

        try:
            change = Transform(**changes)
            assembled = change.apply(base)
            require_readable(assembled)
        except AssemblyFailed as error:
            faults = error.faults
        else:
            return self.derive(changes=(change,), assembled=assembled)
        raise DefinitionError(self.name_faults(faults))

    def assemble_within(self, limits: DefinitionLimits = LIMITS) -> Assembly:
        """Return the assembly, with its schemas checked against the limits.

        Raises:
            DefinitionError: lists all faults.
        """
        assembly = self.assemble()
        if self._checked_limits != limits:
            from toolhaft.tools.assembly import exploding_patterns, faults_of_size

            faults = faults_of_size(assembly, limits)
            if not self.is_own and not faults:
                faults = exploding_patterns(assembly)
            if self.is_own and not self.description:
                faults.append(
                    UnnamedFault("description", "the docstring has sections only", DESCRIBE)
                )
            if len(self.description) > limits.max_description:
                reason = f"longer than {limits.max_description} characters"
                faults.append(UnnamedFault("description", reason, "shorten it"))
            if faults:
                raise DefinitionError(self.name_faults(faults))
            self._checked_limits = limits
        return assembly


def make_limit(size: int) -> Limit:
    """Make a limit of so many calls at a time."""
    from toolhaft.call.limits import Limit

    return Limit(size)


def _name(options_given: AllOptions, handler: Handler | None) -> str:
    name = options_given.get("name")
    if name is not None:
        return name
    return "" if handler is None else handler.function.__name__


def _faults(
    name: Any,
    handler: Handler | None,
    options_given: AllOptions,
    group: Group | None,
    *,
    is_own: bool,
) -> Iterator[UnnamedFault]:
    if handler is None:
        fix = "pass a function, and options by their names, as in @tool(name=...)"
        yield UnnamedFault("", "not a Python function", fix)
        return
    if name in NAMELESS:
        yield UnnamedFault("name", f"{NAMELESS[name]} has no name", "pass name=")
    elif (fault := names.name_fault(name, own=is_own and group is None)) is not None:
        yield UnnamedFault("name", *fault)
    yield from options.faults_of(options_given)
    single_argument = "input" in options_given
    first = handler.parameters[0].name if single_argument and handler.parameters else None
    yield from (fault for fault in handler.faults if fault.where != first)
    if is_own and "description" not in options_given:
        yield from _description_faults(handler)


def _description_faults(handler: Handler) -> Iterator[UnnamedFault]:
    docstring = handler.function.__doc__ or ""
    if not docstring.strip():
        yield UnnamedFault("description", "missing", DESCRIBE)
    elif len(docstring) > options.MOST_DESCRIPTION:
        yield UnnamedFault(
            "description", f"longer than {options.MOST_DESCRIPTION} characters", DESCRIBE
        )
    elif (character := names.hidden_character(docstring)) is not None:
        yield UnnamedFault("description", f"holds {character}", "remove it")
