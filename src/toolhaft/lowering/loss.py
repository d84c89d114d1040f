"""The reports of lowering: losses, problems by a target's rules, and the errors that it raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from toolhaft.errors import ToolhaftError

__all__ = ["ExportError", "Loss", "LossKind", "LoweringUnsupported", "Problem"]

LossKind: TypeAlias = Literal["encoded", "closed", "hinted", "widened", "narrowed", "unsupported"]


class Loss(NamedTuple):
    """One thing that a target cannot express.

    Attributes:
        pointer: The JSON pointer of the node in your schema.
        keyword: The keyword that the target cannot express.
        kind: `encoded`: another shape with the same values. `closed`: an open object accepts no
            further keys. `hinted`: moved into a description. `widened`: the target's schema accepts
            more; arguments are still validated by yours. `narrowed`: a valid value can no longer be
            expressed. `unsupported`: the target cannot use the node.
        detail: The change that was made.
        tool: The name of the tool, if several are exported together.
    """

    pointer: str
    keyword: str
    kind: LossKind
    detail: str = ""
    tool: str = ""

    def __str__(self) -> str:
        where = f"{self.tool}{self.pointer}" or "/"
        return f"{where} {self.keyword}: {self.kind}; {self.detail}"


class Problem(NamedTuple):
    """A rule of a target that a schema, a name or a whole request breaks, and how to fix it.

    `rule` is `target.keyword`. A `warning` was seen once but is in no document of the provider.
    """

    pointer: str
    rule: str
    reason: str
    fix: str
    tool: str = ""
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        where = f"{self.tool}{self.pointer}" or "/"
        return f"{where}: {self.reason}; {self.fix} ({self.rule})"


class LoweringUnsupported(ToolhaftError):
    """Raised if a schema cannot be written for a target in the requested mode."""

    def __init__(
        self, target: str, pointer: str, keyword: str, reason: str, fix: str, tool: str = ""
    ) -> None:
        self.target = target
        self.pointer = pointer
        self.keyword = keyword
        self.reason = reason
        self.fix = fix
        self.tool = tool
        where = f"{tool}{pointer}" or "/"
        super().__init__(f"{target}: {where}: {keyword}: {reason}; {fix}")

    @property
    def problem(self) -> Problem:
        """The same as one problem among others."""
        rule = f"{self.target}.{self.keyword}"
        return Problem(self.pointer, rule, self.reason, self.fix, self.tool)

    def named(self, tool: str) -> LoweringUnsupported:
        """Return the same error, naming the tool."""
        return LoweringUnsupported(
            self.target, self.pointer, self.keyword, self.reason, self.fix, tool
        )


class ExportError(ToolhaftError):
    """Raised if a target cannot take some tools, if requested; `problems` lists them all."""

    def __init__(self, target: str, problems: Sequence[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        lines = [f"{target}: {problem}" for problem in self.problems]
        super().__init__(lines[0] if len(lines) == 1 else "\n".join(["", *lines]))
