"""`LoopGuard`: stops a model that makes the same call over and over, and asks the program.

It counts the model's calls, whatever their outcome: a call that succeeds, one that is invalid and
one of an unknown tool all count.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from toolhaft import vendors
from toolhaft.call import feedback, report
from toolhaft.call.call_options import CallOptions
from toolhaft.call.callbacks import ask_callback, run_without_loop
from toolhaft.call.decode import Undecodable, decode
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.call.outcome import Err
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.jsonio.canonical import canonical

__all__ = ["LoopGuard"]

# Maps name and arguments to a key that equal calls share; None if the call does not count.
MakeKey: TypeAlias = Callable[[str, Any], Any]
# Name, arguments and how often in a row: True lets the call run.
OnLoop: TypeAlias = Callable[[str, Any, int], bool | Awaitable[bool]]

# As many calls may be repeated in turn.
LONGEST = 3


class LoopGuard:
    """Stop a model that repeats the same call, or the same two or three calls in turn.

    Make one for each conversation and pass it as `guard=`. Two calls are equal if their names and
    their arguments are equal. Arguments are compared as JSON: the order of keys, white space, `1`
    or `1.0`, and text or a dict make no difference. Any other call in between starts the count
    again.

    Args:
        limit: The number of equal calls in a row at which a call is rejected. The same two or three
            calls in turn are rejected when they begin again after this number of times.
        key: A function of the name and the decoded arguments (the raw ones if they cannot be
            decoded) that returns what makes two calls equal. None means that the call does not
            count.
        exempt: Patterns of tool names that may be repeated, such as `("poll_*",)`.
        on_loop: A function of the name, the arguments and the count, async or not. If it returns
            True, the call runs and the count starts again. If it raises, the call is rejected and
            the traceback is logged.

    Raises:
        ValueError: `limit` is less than 1.

    >>> guard = LoopGuard()
    >>> [guard.check_sync("search", '{"q": "x", "n": 1}') for _ in range(2)]
    [None, None]
    >>> guard.check_sync("search", {"n": 1.0, "q": "x"}).kind
    'loop'
    >>> guard = LoopGuard(limit=2)
    >>> [guard.check_sync(name) is None for name in ("look", "wait", "look", "wait", "look")]
    [True, True, True, True, False]
    """

    def __init__(
        self,
        *,
        limit: int = 3,
        key: MakeKey | None = None,
        exempt: Iterable[str] = (),
        on_loop: OnLoop | None = None,
    ) -> None:
        if limit < 1:
            raise ValueError("LoopGuard: limit: less than 1; use 3, or another number of calls")
        self._limit = limit
        self._key = key
        self._exempt = (exempt,) if isinstance(exempt, str) else tuple(exempt)
        self._on_loop = on_loop
        self.reset()

    def reset(self) -> None:
        """Forget the calls so far, for example after a new message from a person."""
        self._recent: list[Any] = []  # the keys of the last calls, the newest first
        self._repeats = [0] * LONGEST  # for each period, how many calls in a row repeat it

    @property
    def tripped(self) -> bool:
        """Whether the last call reached the limit."""
        return self._find_loop() is not None

    def _find_loop(self) -> tuple[int, int] | None:
        """Return how often in a row the last calls were made, and how many calls these are.

        Several calls are a loop when they begin once more: a model may make them in one turn.
        """
        for period, repeats in enumerate(self._repeats if self._recent else (), 1):
            if repeats >= (self._limit - 1) * period + (period > 1):
                return 1 + repeats // period, period
        return None

    async def check(self, name: str, raw: Any = None, /) -> Err | None:
        """Count a call before it runs.

        Args:
            name: The name of the tool.
            raw: The arguments as the model sent them.

        Returns:
            The outcome of a call that must not run, or None.
        """
        return await self._check(name, raw, has_loop=True)

    def check_sync(self, name: str, raw: Any = None, /) -> Err | None:
        """Like `check`, but synchronous, with the same arguments."""
        return run_without_loop(self._check(name, raw, has_loop=False))

    async def _check(self, name: str, raw: Any, *, has_loop: bool) -> Err | None:
        self._count_call(name, raw)
        loop = self._find_loop()
        if loop is None:
            return None
        if self._on_loop is not None:
            call = name, _decode_or_raw(raw), loop[0]
            answer = await ask_callback(name, self._on_loop, *call, has_loop=has_loop)
            if answer.value is True:
                self.reset()
                return None
        return Err("loop", feedback.describe_loop(*loop), CallOptions(name))

    def _count_call(self, name: str, raw: Any) -> None:
        """Count the call."""
        key = self._call_key(name, raw)
        if key is None:
            self.reset()
            return
        for place, repeats in enumerate(self._repeats):
            repeated = place < len(self._recent) and _is_same(self._recent[place], key)
            self._repeats[place] = repeats + 1 if repeated else 0
        self._recent = [key, *self._recent[: LONGEST - 1]]

    def to_json(self) -> str:
        """Return the count so far as text for `from_json`, without any arguments."""
        recent = [_digest(key) for key in self._recent]
        return jsontext.write({"recent": recent, "repeats": self._repeats})

    @classmethod
    def from_json(
        cls,
        text: str,
        *,
        limit: int = 3,
        key: MakeKey | None = None,
        exempt: Iterable[str] = (),
        on_loop: OnLoop | None = None,
    ) -> LoopGuard:
        """Make a guard that continues the count of another one.

        Args:
            text: The text that `to_json` returned.
            limit: See `LoopGuard`, like the other options.
            key: See `LoopGuard`.
            exempt: See `LoopGuard`.
            on_loop: See `LoopGuard`.

        Raises:
            ToolhaftError: The text does not come from `to_json`.

        >>> guard = LoopGuard()
        >>> for _ in range(2):
        ...     guard.check_sync("search", {"q": "x"})
        >>> LoopGuard.from_json(guard.to_json()).check_sync("search", {"q": "x"}).kind
        'loop'
        """
        guard = cls(limit=limit, key=key, exempt=exempt, on_loop=on_loop)
        try:
            state = jsontext.read(text)
        except jsontext.JsonSyntaxError:
            state = None
        match state:
            case {"recent": list(recent), "repeats": list(repeats)} if _is_state(recent, repeats):
                guard._recent = [_StoredKey(digest) for digest in recent]
                guard._repeats = list(repeats)
            case _:
                raise ToolhaftError("LoopGuard: from_json: no state of a guard; pass to_json()'s")
        return guard

    def _call_key(self, name: str, raw: Any) -> Any:
        if any(fnmatchcase(name, pattern) for pattern in self._exempt):
            return None
        if self._key is None:
            return name, _canonical_key(raw)
        try:
            key = self._key(name, _decode_or_raw(raw))
            bool(key == key)  # noqa: PLR0124  it may be something that cannot be compared
        except BaseException as error:  # noqa: BLE001  the host's function runs here
            raise_interrupt(error)
            report.log_crash(name, error)
            return name, _canonical_key(raw)
        return key


class _StoredKey:
    """The record of a call of an earlier request: a digest of its key."""

    __slots__ = ("digest",)

    def __init__(self, digest: str) -> None:
        self.digest = digest


def _is_state(recent: list[Any], repeats: list[Any]) -> bool:
    counts = all(type(count) is int and count >= 0 for count in repeats)
    digests = all(isinstance(digest, str) for digest in recent)
    return counts and digests and len(repeats) == LONGEST and len(recent) <= LONGEST


def _is_same(seen: Any, key: Any) -> bool:
    return _digest(key) == seen.digest if type(seen) is _StoredKey else bool(key == seen)


def _digest(key: Any) -> str:
    """Return the digest of a key; a key whose repr differs each time never repeats."""
    if type(key) is _StoredKey:
        return key.digest
    from hashlib import sha256

    return sha256(repr(key).encode("utf-8", "surrogatepass")).hexdigest()


def _decode_or_raw(raw: Any) -> Any:
    try:
        return decode(raw)[0]
    except Undecodable:
        return raw


def _canonical_key(raw: Any) -> Any:
    """Return a key that equal raw arguments share."""
    try:
        return canonical(decode(raw)[0])
    except Undecodable as fault:
        if issubclass(type(raw), str | bytes):
            return raw
        issues = fault.issues
    try:  # an object of the declared type, or data that no arguments can be
        return canonical(jsondata.to_json_data(raw, foreign=vendors.dump_foreign))
    except Exception:  # noqa: BLE001  the object's own serializers run in there
        return str(issues[0])
