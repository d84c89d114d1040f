"""The lens of a whole tool: arguments of the wire to the original's, and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, Path
from toolhaft.schema.issues import move_issue
from toolhaft.spec import Failure, Issue

__all__ = ["Lens"]


@dataclass(frozen=True, slots=True)
class Lens:
    """Converts arguments between a target's schema and yours.

    Args:
        node: The lens of the root node.

    >>> Lens().get({"city": "Paris"})
    {'city': 'Paris'}
    """

    node: NodeLens = IDENTITY

    @property
    def identity(self) -> bool:
        """Whether arguments look the same at the target."""
        return self.node is IDENTITY

    def get(self, wire_arguments: Any) -> Any:
        """Return the arguments of your schema, or a `Failure`; does not raise or validate.

        Args:
            wire_arguments: The arguments as the target wrote them.
        """
        issues: list[Issue] = []
        arguments = self.node.get(wire_arguments, (), issues)
        return Failure(issues) if issues else arguments

    def put(self, arguments: Any) -> Any:
        """Return the arguments as the target writes them.

        Args:
            arguments: Valid arguments of your schema.
        """
        return self.node.put(arguments)

    def wire_path(self, path: Iterable[str | int], wire_arguments: Any = None) -> Path:
        """Return the place in the target's arguments of a path in yours.

        Args:
            path: A path in your arguments.
            wire_arguments: The arguments as the target wrote them.
        """
        return self.node.wire_path(tuple(path), wire_arguments)

    def own_path(self, path: Iterable[str | int], wire_arguments: Any = None) -> Path:
        """Return the place in your arguments of a path in the target's.

        Args:
            path: A path in the target's arguments.
            wire_arguments: The arguments as the target wrote them.

        >>> from toolhaft.lowering import lower
        >>> counts = {"type": "object", "additionalProperties": {"type": "integer"}}
        >>> lens = lower(counts, "openai", "require").lens
        >>> lens.own_path(("additional_properties", 0, "value"),
        ...               {"additional_properties": [{"key": "a", "value": 1}]})
        ('a',)
        """
        return self.node.own_path(tuple(path), wire_arguments)

    def wire_issues(self, issues: Iterable[Issue], wire_arguments: Any = None) -> list[Issue]:
        """Return the issues with the paths that the model wrote.

        Args:
            issues: Issues with paths in your arguments.
            wire_arguments: The arguments as the target wrote them.
        """
        return [
            move_issue(issue, _at_key(issue, self.wire_path(issue.path, wire_arguments)))
            for issue in issues
        ]


def _at_key(issue: Issue, path: Path) -> Path:
    """Return the place of the key of a pair if the issue is about the key, else `path`."""
    is_pair = "key" in issue.facts and path[-1:] == ("value",)
    return (*path[:-1], "key") if is_pair else path
