"""The one shape that every validator library is given: check data, explain, emit, dump.

An adapter is a `StandardSchema`. The call path uses `construct`, which takes plain JSON data and
behaves as the library's strict JSON mode; everything else is only needed when a call fails, or
once per tool.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from copy import deepcopy
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
)

from toolhaft.errors import ToolhaftError
from toolhaft.jsondata import UNKNOWN, NotPlain, snapshot
from toolhaft.schema.checker import Checker
from toolhaft.schema.inline import inlined
from toolhaft.schema.limits import faults_of
from toolhaft.spec import Failure, Issue, Mode, Path, SchemaNotConvertible, Success
from toolhaft.vendors.emitted import explicit
from toolhaft.vendors.patterns import asserted

if TYPE_CHECKING:
    from toolhaft.schema.bounds import DefinitionLimits
    from toolhaft.schema.explain import Finding
    from toolhaft.schema.faults import SchemaFault
    from toolhaft.schema.plainly import Sight

__all__ = ["MOST_ITEMS", "NEVER", "Adapter", "Check", "Direct", "NoVendor", "Rejected", "placed"]

T = TypeVar("T")

# How a handler's result is checked: to the validated output and its JSON data, or an exception. Who
# has dumped it already says so by what stands for the dump: an iterator in it would be empty now.
Check: TypeAlias = "Callable[..., tuple[Any, Any]]"

# How many items of a list or keys of an object are read in one step; more are counted first.
MOST_ITEMS: Final = 1_000
NEVER: Final = -1  # no dict has as many keys
# What a library may find that no schema says.
_UNWRITTEN = ("custom", "format")


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


class Direct(NamedTuple):
    """How a library reads right data in one step; what is not right may also be refused.

    `read` takes a dict that `fits`, or that has exactly `width` keys, all of them exact text; any
    dict where `fits` is None.
    `read_text` takes JSON text, whose keys are all read if `keys_read(value)` is the number of
    its colons, of which each key has one; `fixed` is that number where it is always the same.
    What they give shares nothing with the data, and is what the decoded data would give. Where
    `read` raises `Rejected`, the data may be right all the same.
    """

    read: Callable[[Any], Any]
    fits: Callable[[Any], bool] | None
    width: int
    read_text: Callable[[str], Any]
    keys_read: Callable[[Any], int]
    fixed: int | None


class Adapter(Generic[T]):
    """A validator library behind one shape; one instance stands for one type.

    `construct` takes plain JSON data and gives the declared object, or raises one of `rejects`.
    `own_checks` says that the library may refuse what its schema accepts (an author's validators,
    formats); `widens` that it may accept what its schema refuses (an author's before-validator);
    `awaits` that it needs a loop, which only `construct_awaited` can use, and `may_await` that
    this is not known before it answers; `direct` is how it reads in one step what is right at once,
    where it can; `authored` says that a person wrote the schema, and that it goes out as it stands.
    """

    version: Literal[1] = 1
    vendor: str
    rejects: tuple[type[Exception], ...] = (Rejected,)
    own_checks: bool = False
    widens: bool = False
    awaits: bool = False
    may_await: bool = False
    direct: Direct | None = None
    authored: bool = False
    construct: Callable[[Any], T]
    # How objects of all libraries are dumped: `vendors`, which knows them all, puts it here.
    foreign: ClassVar[Callable[[object], Any]] = staticmethod(lambda _: UNKNOWN)

    def __init__(self) -> None:
        self._checkers: dict[Mode, Checker] = {}
        self._within: dict[Mode, DefinitionLimits] = {}

    async def construct_awaited(self, data: Any) -> T:
        """Do as `construct` does, where the library may answer later."""
        return self.construct(data)

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        """Say in our words what the library found, with exact paths into the data."""
        del data
        return error.issues if isinstance(error, Rejected) else []

    def emit(self, mode: Mode) -> dict[str, Any]:
        """Write the type as JSON Schema, draft 2020-12, the same in every process."""
        raise NotImplementedError

    def dump(self, value: T) -> Any:
        """Turn an object of the declared type into JSON data, which is checked afterwards.

        Raises:
            Rejected: Some part of it has no JSON form.
        """
        return value

    def is_instance(self, value: object) -> bool:
        """Say whether a handler's result is already an object of the declared type."""
        del value
        return False

    def shortened(self, check: Check) -> Check:
        """Give a check of results that has a short way for what is right at once.

        Whatever it does not see to be right is left to `check`, and what it lets through is what
        `check` would give.
        """
        return check

    def unwritten(self) -> list[tuple[Path, str]]:
        """Name what is checked and no schema says, such as an author's validators, and where."""
        return []

    def checker(self, mode: Mode = "input") -> Checker:
        """Give the compiled check of the emitted schema, made once for each mode."""
        found = self._checkers.get(mode)
        if found is None:
            emitted = self.emit(mode)
            schema = emitted if self.authored else inlined(explicit(emitted))
            found = self._checkers[mode] = Checker(schema)
        return found

    def faults(self, mode: Mode, limits: DefinitionLimits) -> list[SchemaFault]:
        """Say where the emitted schema is too large, or leads out of itself; looked at once."""
        if self._within.get(mode) == limits:
            return []
        found = faults_of(self.checker(mode).schema, limits)
        if not found:
            self._within[mode] = limits
        return found

    def findings(self, data: Any) -> list[Finding]:
        """List what the emitted input schema refuses."""
        return self.checker("input").findings(data)

    def known(self) -> Checker | None:
        """Give the check of what a schema can say of the input; None where nothing is written."""
        try:
            return self.checker("input")
        except (NoVendor, SchemaNotConvertible):
            return None  # the tool declares its parameters beside it

    @cached_property
    def sight(self) -> Sight | None:
        """What sees the commonest of the faults that the emitted schema finds."""
        known = None if self.widens else self.known()
        return None if known is None else known.sight

    def found_only(self, issues: list[Issue], error: Exception | None) -> bool:
        """Whether the library found nothing but these faults, which its schema finds."""
        del issues, error
        return not self.own_checks

    @cached_property
    def exact(self) -> Checker:
        """The check of the emitted schema with its formats, for a library that reads more text."""
        return Checker(asserted(self.checker("input").schema))

    def refused(self, data: Any) -> list[Issue]:
        """List the issues of what the schema refuses, as far as one is known."""
        known = self.known()
        return [] if known is None else known.failure(data)

    def fits(self, construct: Callable[[Any], T]) -> Callable[[Any], T]:
        """Stand the known schema before a library that accepts more than it says."""
        known = self.known()
        if known is None:
            return construct
        is_valid = known.is_valid

        def checked(data: Any) -> T:
            if not is_valid(data):
                raise Rejected([])
            return construct(data)

        return checked

    def issues(self, error: Exception, data: Any, found: list[Issue] | None = None) -> list[Issue]:
        """List everything wrong with data that `construct` refused.

        `found` is what the emitted schema refuses, where that is known already. That
        schema finds all faults, also where the library stops at the first one; what only the
        library can know is added. Where an author's validator widens the schema, the library
        alone can tell.
        """
        own = self.explain(error, data) if self.own_checks or self.widens else []
        if self.widens:
            found = []
        elif found is None:
            found = self.refused(data)
        if not found:
            return own or self.explain(error, data)
        if not own:
            return found
        words = {issue.path for issue in own if issue.code == "custom"}
        kept = [issue for issue in found if issue.path not in words]
        # Of a union the library may tell every branch's faults; the schema told the one's meant.
        more = [issue for issue in own if issue.code in _UNWRITTEN]
        return kept + [issue for issue in more if not _is_said(issue, kept)]

    def validate(self, value: object, /) -> Success[T] | Failure | Awaitable[Success[T] | Failure]:
        """Check decoded JSON data; bad data is a `Failure`, never an exception."""
        try:
            data = snapshot(value)
        except NotPlain as error:
            return Failure(error.issues)
        if self.awaits:
            return self._validated(data)
        try:
            return Success(self.construct(data))
        except self.rejects as error:
            return Failure(self.issues(error, data))

    async def _validated(self, data: Any) -> Success[T] | Failure:
        try:
            return Success(await self.construct_awaited(data))
        except self.rejects as error:
            return Failure(self.issues(error, data))

    def json_schema(self, *, target: str = "draft-2020-12", mode: Mode = "input") -> dict[str, Any]:
        """Give a fresh copy of the emitted schema.

        Raises:
            SchemaNotConvertible: The target is another one; `toolhaft.lower` writes those.
        """
        if target != "draft-2020-12":
            raise SchemaNotConvertible(f"{self.vendor}: {target} is not written; lower the schema")
        made: dict[str, Any] = deepcopy(self.checker(mode).schema)
        return made


def _is_said(own: Issue, found: list[Issue]) -> bool:
    """Say whether a library's issue is known already, at its place or more exactly inside it."""
    paths = [issue.path for issue in found]
    if own.code == "custom":
        return own.path in paths
    return any(path[: len(own.path)] == own.path for path in paths)


def placed(issue: Issue, *path: str | int) -> Issue:
    """Give an issue as seen from further outside."""
    return Issue(
        issue.message,
        (*path, *issue.path),
        issue.code,
        issue.expected,
        issue.received,
        issue.vendor_code,
    )
