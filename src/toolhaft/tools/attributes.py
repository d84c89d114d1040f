"""The attributes of a tool: a function's, for Python, and its own, for models and people."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Self

from toolhaft.definition.call_info import Origin
from toolhaft.definition.options import AllOptions
from toolhaft.definition.scope import own_annotations
from toolhaft.definition.signature import MISSING
from toolhaft.definition.typevars import In_co, Out_co
from toolhaft.spec import StandardSchema

if TYPE_CHECKING:
    from toolhaft.call.limits import Limit
    from toolhaft.call.permission import Permission
    from toolhaft.definition.text_format import TextFormat
    from toolhaft.tools.definition import Definition, Group

__all__ = ["ToolAttributes"]

# Of these a class has its own, which would be found before that of a function.
COPIED: Final = ("__module__", "__doc__", "__name__", "__qualname__")
COPIED_IF_THERE: Final = ("__type_params__",)
FIELDS: Final = (
    "_boundary", "_bounds", "_definition", "_object", "_permission", "_template", "_unbound",
)  # fmt: skip


class _OfTools:
    """An attribute that tools have and their class has not: `inspect` and pydantic ask both.

    `__getattr__` would say the same, and make every attribute of a tool slow.
    """

    def __init__(self, path: str) -> None:
        self.read: Callable[[Any], Any] = attrgetter(path)

    def __get__(self, tool: Any, owner: type | None = None) -> Any:
        if tool is None:
            raise AttributeError(f"{owner}: only the tools have it")
        return self.read(tool)


class ToolAttributes(Generic[Out_co, In_co]):
    """The attributes of a tool; mutable ones are returned as copies.

    A tool is immutable, and has the names, the signature, the docstring, the copies and the pickles
    of its function.
    """

    __slots__ = ("__dict__", "__weakref__", "_bounds", "_definition", "_object", "_permission")

    if TYPE_CHECKING:
        __name__: str
        __qualname__: str
        __wrapped__: Any

    def __init__(
        self,
        definition: Definition,
        bound_to: Any,
        bounds: tuple[Limit, ...],
        permission: Permission,
    ) -> None:
        self._definition = definition
        self._object = bound_to
        self._bounds = bounds
        self._permission = permission
        function, attributes = self._outer_function, self.__dict__
        for name in COPIED:
            attributes[name] = getattr(function, name)
        attributes["__annotations__"] = own_annotations(function)
        for name in COPIED_IF_THERE:
            if hasattr(function, name):
                attributes[name] = getattr(function, name)

    if not TYPE_CHECKING:  # checkers would take every misspelt attribute for right
        __globals__ = _OfTools("_outer_function.__globals__")
        # `inspect` takes what has the code and the defaults of a function for one.
        __code__ = _OfTools("_outer_function.__code__")
        __defaults__ = _OfTools("_outer_function.__defaults__")
        __kwdefaults__ = _OfTools("_outer_function.__kwdefaults__")
        __isabstractmethod__ = _OfTools("_outer_function.__isabstractmethod__")
        __wrapped__ = _OfTools("_function")
        # Of a tool, not of a field of this type.
        __get_pydantic_core_schema__ = _OfTools("_pydantic_schema")

        def __setattr__(self, name: str, value: object) -> None:
            """Take what frameworks note on functions, and nothing that a tool is made of."""
            is_ours = hasattr(type(self), name) or name in AllOptions.__annotations__
            if is_ours and name not in FIELDS:
                raise AttributeError(f"{name}: a tool is immutable; make another by replace(...)")
            object.__setattr__(self, name, value)

    @property
    def _outer_function(self) -> Any:
        """The object that has the names, the docstring and the code of a function."""
        return self._definition.handler.outer_function

    @property
    def _function(self) -> Any:
        """The function that a call by the program runs: bound if the tool is bound."""
        call: Any = self._definition.handler.call
        return call if self._object is MISSING else call.__get__(self._object)

    def _pydantic_schema(self, source: Any, handler: Any) -> Any:
        """Be a function to `TypeAdapter`, which servers of tools make of functions."""
        del source
        return handler.generate_schema(self._function)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the tool itself; for a bound tool, a tool bound to a copy of its object."""
        if self._object is MISSING or isinstance(self._object, type):
            return self
        owner = deepcopy(self._object, memo)
        return type(self)(self._definition, owner, self._bounds, self._permission)

    def __reduce__(self) -> Any:
        """Pickle by reference: the name in its module, or the attribute of its object."""
        if self._object is MISSING:
            return self.__qualname__  # which pickle looks up, and refuses what it finds else
        by_reference = self._object, self.__name__
        if self._is_same(getattr(*by_reference, None)):
            return getattr, by_reference
        from pickle import PicklingError

        raise PicklingError(f"{self!r} is not the attribute {self.__name__} of its object")

    def _is_same(self, other: object) -> bool:
        fields = ("_definition", "_object", "_bounds", "_permission")
        return isinstance(other, ToolAttributes) and all(
            getattr(self, field) is getattr(other, field) for field in fields
        )

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
