"""The shared part of all imports: a tool made of a foreign declaration and a handler of ours.

A handler takes the checked arguments as its first parameter. It marks further parameters as every
handler does: `Context[T]`, `Injected[T]`, `Report`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Final, NamedTuple

from toolhaft.definition import signature
from toolhaft.definition.markers import CONTEXT, Context, marker
from toolhaft.definition.options import AllOptions
from toolhaft.definition.scope import Unresolved
from toolhaft.errors import DefinitionError, Fault
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.components import Components
from toolhaft.tools.definition import LIMITS, Definition
from toolhaft.tools.internals import resolve_types
from toolhaft.tools.tool import AnyTool, Tool
from toolhaft.toolset.toolset import Toolset
from toolhaft.vendors import json_schema
from toolhaft.vendors.adapter import NoVendor

__all__ = ["Call", "Imported", "LeftOut", "SharedSchemas", "import_tool", "to_handler"]

# (name, arguments), or (name, arguments, context), or the context and more in marked parameters.
Call = Callable[..., Any]

ANNOTATIONS: Final = {"arguments": Any, "context": Annotated[Any, CONTEXT], "return": Any}
NO_OBJECT: Final = ("not a schema of an object", 'write {"type": "object", ...}')


class LeftOut(NamedTuple):
    """A field of an imported definition that a tool cannot represent.

    Attributes:
        tool: The name of the tool.
        field: The field.
    """

    tool: str
    field: str


class Imported(Toolset):
    """A toolset of imported tools.

    Args:
        tools: The tools.
        limits: See `DefinitionLimits`.
        left_out: The fields that the tools cannot represent.
        refusals: The definitions that were rejected, and why.
    """

    __slots__ = ("left_out", "refusals")

    def __init__(
        self,
        tools: Iterable[Any] = (),
        /,
        *,
        limits: DefinitionLimits = LIMITS,
        left_out: Iterable[LeftOut] = (),
        refusals: Iterable[Fault] = (),
    ) -> None:
        super().__init__(tools, limits=limits)
        self.left_out: tuple[LeftOut, ...] = tuple(left_out)
        self.refusals: tuple[Fault, ...] = tuple(refusals)


class SharedSchemas:
    """The schemas of one import; definitions that several of them have are analysed once."""

    def __init__(self) -> None:
        self._components = {side: Components(DefinitionLimits()) for side in ("input", "output")}

    def adapt(self, options: Any) -> Any:
        """Return the options of a tool with adapters for the schemas that may share definitions.

        A schema that no adapter takes stays as it is, for the tool to report.
        """
        adapted: dict[str, Any] = {}
        for side, components in self._components.items():
            schema = options.get(side)
            if isinstance(schema, dict) and schema.get("$defs"):
                with suppress(NoVendor):
                    adapted[side] = json_schema.adapter(schema, components)
        return {**options, **adapted}


def import_tool(
    handler: Callable[..., Any],
    options: AllOptions,
    limits: DefinitionLimits = LIMITS,
    shared: SharedSchemas | None = None,
) -> AnyTool:
    """Make a tool of a handler and of what a declaration from elsewhere says.

    `options` has the name and the schema (`input`) as they stand there. The handler's docstring is
    not the tool's description, and a name need only be one that export can map.

    Raises:
        DefinitionError: lists everything that is wrong with the declaration.
    """
    given = options if shared is None else shared.adapt(options)
    definition = Definition(handler, given, is_own=False)
    imported: AnyTool = Tool(definition)
    resolve_types(imported, limits)
    adapter = definition.assemble().input
    is_as_given = adapter is given.get("input")
    # Another root would be wrapped.
    if not is_as_given and adapter.checker("input").schema != options.get("input"):
        raise DefinitionError([Fault(imported.name, "input", *NO_OBJECT)])
    return imported


def to_handler(name: str, call: Call) -> Callable[..., Any]:
    """Return the handler that runs one tool by a function of the tool's name and its arguments.

    The function's further parameters are marked like a handler's; an unmarked third one that it
    requires is the context.
    """
    if _marks_parameters(call):
        return partial(call, name)

    def run(arguments: Any, context: Context[Any] = None) -> Any:
        return call(name, arguments, *(context,) * takes_context)

    async def run_awaited(arguments: Any, context: Context[Any] = None) -> Any:
        return await call(name, arguments, *(context,) * takes_context)

    takes_context = signature.takes_positional(call, 3)
    read = signature.read_handler(call)
    handler = run_awaited if read is not None and read.asynchronous else run
    handler.__annotations__ = ANNOTATIONS  # shared, which saves compiling it for each tool
    return handler


def _marks_parameters(call: Call) -> bool:
    read = signature.read_handler(call)
    if read is None:
        return False
    try:
        types = read.types_of({parameter.name for parameter in read.parameters[2:]})
    except Unresolved:
        return False
    return any(marker(annotation) is not None for annotation in types.values())
