"""`Edit`: a person's decision that a call runs with other arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, final

from toolhaft.errors import ToolhaftError

if TYPE_CHECKING:
    from toolhaft.call.outcome import Err
    from toolhaft.call.prepared import Prepared

__all__ = ["Decision", "Edit", "changed_names", "record_edit"]

T = TypeVar("T")


@final
class Edit:
    """The answer of a person who approves a call with other arguments.

    The arguments are validated and authorized again. Return it from `approve=`, or pass it to
    `Export.resume`.

    Args:
        arguments: All arguments of the call, by the names of `Prepared.arguments`. What
            `transform(hide=)` hides stays as it is: leave it out, or send the same value.
        notify_model: Whether the model reads which arguments a person changed; it never reads
            their values.

    Raises:
        ToolhaftError: The arguments are not a mapping.

    >>> from toolhaft import Toolset, tool
    >>> @tool(requires_approval=True)
    ... def pay(account: str, amount: int) -> str:
    ...     "Pay an amount."
    ...     return f"{amount} to {account}"
    >>> def at_most_50(call):
    ...     return Edit({**call.arguments, "amount": min(call.arguments["amount"], 50)})
    >>> Toolset([pay], approve=at_most_50).call_sync("pay", {"account": "A", "amount": 80}).text
    '50 to A'
    """

    __slots__ = ("arguments", "notify_model")

    def __init__(self, arguments: Mapping[str, Any], *, notify_model: bool = False) -> None:
        if not isinstance(arguments, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ToolhaftError("Edit: arguments: not a mapping; pass all arguments by their names")
        self.arguments: Mapping[str, Any] = arguments
        self.notify_model: bool = notify_model

    def __repr__(self) -> str:
        return f"Edit(notify_model={self.notify_model!r})"

    def apply(self, prepared: Prepared[T]) -> Prepared[T] | Err:
        """Return the call with the arguments of the edit, or an `Err` if they are invalid.

        Args:
            prepared: The call that a person was asked about.
        """
        from toolhaft.call.feedback import thaw  # definitions load no calls

        return prepared.edited(thaw(self.arguments), notify_model=self.notify_model)


class Decision(NamedTuple):
    """The decision of a person: the digest of the call that runs, or that they declined.

    `asked` is the digest of what they were asked if they changed the arguments, and `changed` names
    those, if the model reads about it.
    """

    digest: str
    asked: str | None = None
    changed: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """The text about it for the model."""
        from toolhaft.call import feedback

        return feedback.describe_edit(self.changed) if self.changed else ""


def record_edit(
    asked: Prepared[Any], edited: Prepared[Any], show: Callable[[Any], Any], *, notify: bool
) -> Decision:
    """Record an edit; `show` writes arguments as the model knows them."""
    from toolhaft.call.internals import edit_of, view_of

    former = edit_of(asked)
    names = changed_names(show(view_of(asked).shown), show(view_of(edited).shown))
    first = asked.digest if former is None else former.asked
    return Decision(edited.digest, first, tuple(names) if notify else ())


def changed_names(before: Any, after: Any) -> list[str]:
    """Name the arguments that differ.

    >>> changed_names({"a": 1, "b": [2]}, {"a": 1.0, "b": [3], "c": None})
    ['b', 'c']
    """
    from toolhaft.jsonio.canonical import canonical

    if not (isinstance(before, dict) and isinstance(after, dict)):
        return []
    return [
        name
        for name in dict.fromkeys((*before, *after))
        if canonical([before[name]] if name in before else [])
        != canonical([after[name]] if name in after else [])
    ]
