"""The attributes of a tool for models, frameworks, reviewers and people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal

from toolhaft.definition.call_info import Origin
from toolhaft.definition.typevars import In_co, Out_co
from toolhaft.spec import StandardSchema
from toolhaft.tools.function_like import FunctionLike

if TYPE_CHECKING:
    from toolhaft.definition.text_format import TextFormat
    from toolhaft.tools.definition import Group

__all__ = ["ToolAttributes"]


class ToolAttributes(FunctionLike, Generic[Out_co, In_co]):
    """The attributes of a tool; mutable ones are returned as copies."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self._definition.name

    @property
    def title(self) -> str | None:
        """The title that people see, if there is one."""
        return self._definition.options.get("title")

    @property
    def description(self) -> str:
        """The description that models read."""
        return self._definition.description

    @property
    def annotations(self) -> dict[str, Any] | None:
        """Hints about the behavior of the tool, in MCP's terms, such as `readOnlyHint`."""
        annotations: dict[str, Any] | None = self._definition.copy_option("annotations")
        return annotations

    @property
    def provider_options(self) -> dict[str, dict[str, Any]] | None:
        """The options for each target, which are merged into its declaration."""
        options: dict[str, dict[str, Any]] | None
        options = self._definition.copy_option("provider_options")
        return options

    @property
    def source(self) -> dict[str, Any] | None:
        """Where an imported tool comes from, such as the method and address of its request."""
        return self._definition.copy_source()

    @property
    def metadata(self) -> dict[str, Any] | None:
        """Your own notes, which are never sent."""
        metadata: dict[str, Any] | None = self._definition.copy_option("metadata")
        return metadata

    @property
    def examples(self) -> list[dict[str, Any]] | None:
        """Example arguments."""
        examples: list[dict[str, Any]] | None = self._definition.copy_option("examples")
        if not (examples and self._definition.changes):
            return examples
        from toolhaft.vendors.derived import Derived  # few tools are derived

        shown = self._definition.assemble().input
        if not isinstance(shown, Derived):
            return examples
        return [shown.show(example) for example in examples]

    @property
    def strict(self) -> bool | Literal["prefer", "require"] | None:
        """The strict mode of this tool; None if the export decides."""
        return self._definition.options.get("strict")

    @property
    def allowed_callers(self) -> frozenset[Origin] | None:
        """Who may call the tool: "direct", "programmatic" or both; None if you did not say."""
        allowed: Any = self._definition.options.get("allowed_callers")
        return allowed  # type: ignore[no-any-return]  # a copy, which cannot be changed

    @property
    def defer(self) -> bool:
        """Whether models are shown the tool only once a search has found it."""
        return self._definition.options.get("defer") or False

    @property
    def group(self) -> Group | None:
        """The group that the tool is in; its name then begins with that of the group."""
        return self._definition.group

    @property
    def text_format(self) -> TextFormat | None:
        """The format of the only argument, a text: "text" or a `Regex`; None for other tools.

        A derived tool that hides the argument has none.
        """
        text_format = self._definition.options.get("format")
        if text_format is None or not self._definition.changes:
            return text_format
        has_argument = bool(self.input_schema.json_schema().get("properties"))
        return text_format if has_argument else None

    @property
    def input_schema(self) -> StandardSchema[In_co]:
        """The schema of the arguments. The first access resolves the types.

        Raises:
            DefinitionError: The types cannot be resolved, or no supported validator owns them.
        """
        return self._definition.assemble().input

    @property
    def output_schema(self) -> StandardSchema[Out_co] | None:
        """The schema of the results; None if the tool declares none."""
        return None if self._definition.format else self._definition.assemble().output

    @property
    def injects(self) -> tuple[str, ...]:
        """The names that `Injected` parameters look up in the context."""
        return self._definition.assemble().injects

    @property
    def function(self) -> Any:
        """The Python function of the tool."""
        return self._definition.handler.function

    @property
    def origin(self) -> str:
        """The file and line of the handler."""
        function = getattr(self.function, "defined_by", self.function)
        code = getattr(function, "__code__", self.function.__code__)
        return f"{code.co_filename}:{code.co_firstlineno}"

    def is_visible(self, context: Any) -> bool:
        """Check whether the toolsets of the tool show it to a caller.

        Args:
            context: The context of the caller.
        """
        return self._permission.shows(self, context)

    def missing(self, context: Any) -> list[str]:
        """Return the names that the tool needs and that a context lacks.

        Args:
            context: The context of a call; `UNSET` for no context.
        """
        return self._definition.assemble().binder.missing_names(context)

    def describe(self) -> dict[str, Any]:
        """Return the tool as JSON data: everything that a person who approves a call relies on."""
        output, sent_besides, source = self.output_schema, self.provider_options, self.source
        callers = self.allowed_callers
        return {
            "name": self.name,
            "description": self.description,
            "input": self.input_schema.json_schema(),
            "output": None if output is None else output.json_schema(mode="output"),
            "annotations": self.annotations,
            **({"provider_options": sent_besides} if sent_besides else {}),
            **({"source": source} if source else {}),
            **({"allowed_callers": sorted(callers)} if callers else {}),
        }
