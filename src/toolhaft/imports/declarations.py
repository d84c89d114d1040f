"""`from_json`: make tools of declarations in any provider's shape.

The keys tell the shape; the schema goes in as it stands, but for one in Gemini's own language.
What a shape says beyond the neutral fields is an instruction to that provider's API, and stays with
the tool as its `provider_options` for it. MCP's further fields (`_meta`, `icons`, `execution`)
describe a server that a toolset is not, so they are left out, and `left_out` names them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolhaft.definition import names
from toolhaft.definition.options import copy_data, faults_of
from toolhaft.errors import DefinitionError, Fault, ToolError
from toolhaft.imports.gemini_schema import to_json_schema
from toolhaft.imports.imported import (
    Call,
    Imported,
    LeftOut,
    SharedSchemas,
    import_tool,
    to_handler,
)
from toolhaft.providers.response import CODE_EXECUTION
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.tools.definition import LIMITS
from toolhaft.tools.invisible import (
    InvisibleCharacters,
    describe_stripped,
    require_choice,
    strip_options,
)
from toolhaft.tools.tool import AnyTool

__all__ = ["ENDINGS", "LINES", "MCP", "Draft", "entries_of", "from_json", "read_declaration"]

# The endings of files of declarations: of those with one a line, and of all.
LINES: Final = (".jsonl", ".jsonl.gz")
ENDINGS: Final = (".json", ".json.gz", *LINES)

CALLERS: Final = "allowed_callers"
NO_ARGUMENTS: Final = {"type": "object", "properties": {}}
NOT_RUN = "This tool cannot be run here: only its declaration is known."


class Shape(NamedTuple):
    """The keys of a provider's declarations: the schema's key, and the other keys that are read.

    `wrapper` is the key of the object that has these. `options` is the target whose provider
    options keep further keys, without keys that its declarations have anyhow (`implied`); without a
    target, further keys are left out.
    """

    input: str
    output: str = ""
    examples: str = ""
    wrapper: str = ""
    copied: tuple[str, ...] = ()
    options: str = ""
    implied: tuple[tuple[str, Any], ...] = ()


MCP: Final = Shape("inputSchema", "outputSchema", copied=("title", "annotations"))
ANTHROPIC: Final = Shape(
    "input_schema",
    examples="input_examples",
    options="anthropic",
    implied=(("type", "custom"),),
)
GEMINI: Final = Shape("parametersJsonSchema", "responseJsonSchema")
GEMINI_OPENAPI: Final = Shape("parameters", "response", options="gemini-openapi")
BEDROCK: Final = Shape(
    "inputSchema", wrapper="toolSpec", options="bedrock", implied=(("toolSpec", {}),)
)
NEUTRAL: Final = Shape("parameters", "output")  # as exports to a dialect of JSON Schema are written
OPENAI: Final = Shape(
    "parameters", "output_schema", options="openai", implied=(("type", "function"),)
)
OPENAI_CHAT: Final = Shape(
    "parameters",
    wrapper="function",
    options="openai-chat",
    implied=(("type", "function"), ("function", {})),
)
# Gemini's keys as google-genai spells them in dicts.
CAMEL_CASE: Final = {
    "function_declarations": "functionDeclarations",
    "parameters_json_schema": "parametersJsonSchema",
    "response_json_schema": "responseJsonSchema",
}
# Shapes in which a missing schema means no arguments.
PARAMETERS_OPTIONAL: Final = (OPENAI, OPENAI_CHAT, GEMINI)


def from_json(
    declarations: Iterable[Any],
    /,
    *,
    call: Call | None = None,
    limits: DefinitionLimits = LIMITS,
    invisible_characters: InvisibleCharacters = "reject",
) -> Imported:
    """Make tools from tool definitions in any provider's format, also mixed.

    Args:
        declarations: The definitions, as dicts or objects of the SDKs. Mistral, Cohere, Ollama and
            xAI use the format of OpenAI's chat interface.
        call: A function, async or not, of the tool's name and the validated arguments, which
            returns the result. A third argument that it requires is the context of the call; or
            annotate further parameters as in a handler, with `Context[T]`, `Injected[T]` or
            `Report`. Without it you can validate and export the tools; running one is a tool error.
        limits: See `DefinitionLimits`.
        invisible_characters: How to handle a tool with characters that a person cannot see:
            "reject" it, or "strip" its texts and leave out defaults, examples and extensions
            with them. Names, enums and patterns are never changed.

    Returns:
        A toolset, with the fields that it cannot represent in `left_out`.

    Raises:
        DefinitionError: Lists everything that is wrong with every definition, by its place.

    >>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    >>> declared = {"name": "double", "description": "Twice.", "inputSchema": schema}
    >>> tools = from_json([declared], call=lambda name, arguments: arguments["n"] * 2)
    >>> tools.call_sync("double", '{"n": 4}').value
    8
    >>> tools.export("mcp").tools == [declared]
    True
    """
    require_choice("from_json", invisible_characters)
    faults: list[Fault] = []
    tools: dict[str, tuple[str, AnyTool]] = {}
    left_out: list[LeftOut] = []
    shared = SharedSchemas()
    for where, declaration, shape in _list_declarations(declarations):
        try:
            draft = read_declaration(declaration, shape, invisible_characters)
            handler = to_handler(draft.options["name"], call) if call else _refuse_to_run
            imported = draft.make_tool(handler, limits, shared)
        except DefinitionError as error:
            faults += [_at(where, fault) for fault in error.faults]
            continue
        twin, _ = tools.setdefault(names.fold_name(imported.name), (where, imported))
        if twin != where:
            reason = f"reads the same as that of {twin}"
            faults.append(Fault(f"{where} {imported.name}", "name", reason, "rename one of them"))
        left_out += [LeftOut(imported.name, field) for field in draft.left_out]
    if faults:
        raise DefinitionError(faults)
    return Imported((imported for _, imported in tools.values()), limits=limits, left_out=left_out)


def entries_of(data: Any) -> list[Any]:
    """List the declarations in the JSON data of a file: one, a list, or those in `tools`.

    >>> entries_of({"name": "ping"}), entries_of({"tools": [{"name": "ping"}]})
    ([{'name': 'ping'}], [{'name': 'ping'}])
    """
    listed = data.get("tools", data) if isinstance(data, dict) else data
    return listed if isinstance(listed, list) else [listed]


def _at(where: str, fault: Fault) -> Fault:
    """Add the place of the declaration to a fault."""
    return fault._replace(tool=f"{where} {fault.tool}".strip())


def _malformed(where: str, reason: str, fix: str) -> DefinitionError:
    """Return the fault of a declaration whose tool has no name yet."""
    return DefinitionError([Fault("", where, reason, fix)])


class Draft(NamedTuple):
    """A declaration in neutral terms: the options of a tool, and what has no place there."""

    options: Any
    left_out: list[str]
    shape: Shape

    def make_tool(
        self, handler: Callable[..., Any], limits: DefinitionLimits, shared: SharedSchemas
    ) -> AnyTool:
        """Make the tool.

        Raises:
            DefinitionError: names the places by the keys of the declaration.
        """
        try:
            return import_tool(handler, self.options, limits, shared)
        except DefinitionError as error:
            raise DefinitionError(map(self._locate_fault, error.faults)) from None

    def strip(self) -> Draft:
        """Return the draft without the characters that a person cannot see, as far as possible."""
        options, changed = strip_options(self.options)
        fields = [
            describe_stripped((self._keys.get(str(option), option), *steps), character)
            for (option, *steps), character in changed
        ]
        return self._replace(options=options, left_out=self.left_out + fields)

    @property
    def _keys(self) -> dict[str, str]:
        """The declaration's own keys for options."""
        shape = self.shape
        return {"input": shape.input, "output": shape.output, "examples": shape.examples}

    def _locate_fault(self, fault: Fault) -> Fault:
        key, slash, steps = fault.where.partition("/")
        return fault._replace(where=f"{self._keys.get(key, key)}{slash}{steps}")


def _list_declarations(declarations: Any) -> Iterator[tuple[str, Any, Shape | None]]:
    """Yield each declaration with its place, and its shape if the place determines it.

    Gemini lists declarations inside of one tool.
    """
    if isinstance(declarations, Mapping | str | bytes) or not isinstance(declarations, Iterable):
        fix = "pass them in a list; of an answer to tools/list, its tools"
        raise DefinitionError([Fault("declarations", "", "not a list of declarations", fix)])
    for place, declared in enumerate(declarations):
        entry = _to_mapping(declared)
        where = f"declarations[{place}]"
        inner = entry.get("functionDeclarations") if isinstance(entry, Mapping) else None
        if isinstance(inner, list | tuple):
            for within, declaration in enumerate(map(_to_mapping, inner)):
                older = isinstance(declaration, Mapping) and "parameters" in declaration
                shape = GEMINI_OPENAPI if older else GEMINI
                yield f"{where}.functionDeclarations[{within}]", declaration, shape
        else:
            yield where, entry, None


def _to_mapping(declared: Any) -> Any:
    """Return the JSON data of a declaration or of an SDK's object; anything else as it is.

    Only other mappings than dicts are copied as a whole: a tool copies its options.
    """
    if isinstance(declared, Mapping):
        data = declared if type(declared) is dict else copy_data(declared)
        return {CAMEL_CASE.get(key, key): value for key, value in data.items()}
    if isinstance(declared, type) or not hasattr(declared, "model_dump"):
        return declared
    return declared.model_dump(mode="json", by_alias=True, exclude_none=True)


def read_declaration(
    declaration: Any,
    known_shape: Shape | None,
    invisible_characters: InvisibleCharacters = "reject",
) -> Draft:
    """Read a declaration, in the shape that its keys determine if none is known.

    Raises:
        DefinitionError: It is not a declaration.
    """
    if not isinstance(declaration, Mapping):
        raise _malformed("", "not an object", "pass a tool declaration as a dict")
    shape = known_shape or _detect_shape(declaration)
    body = declaration[shape.wrapper] if shape.wrapper else declaration
    if shape is BEDROCK:
        body = _flatten_bedrock(body)
    options, left_out = _read_options(shape, body)
    schemas = (shape.input, shape.output, shape.examples)
    neutral_keys = ("name", "description", "strict", CALLERS, *schemas, *shape.copied)
    further = {key: value for key, value in body.items() if key not in neutral_keys}
    if shape.wrapper:
        further = {**declaration, shape.wrapper: further}
    further = {key: value for key, value in further.items() if (key, value) not in shape.implied}
    if not shape.options:
        left_out += [str(key) for key, value in further.items() if value is not None]
    elif further:
        options["provider_options"] = {shape.options: further}
    draft = Draft(options, left_out, shape)
    return draft.strip() if invisible_characters == "strip" else draft


def _flatten_bedrock(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a declaration of Converse with its schema one level up."""
    schema = spec.get("inputSchema")
    inner = schema.get("json") if isinstance(schema, Mapping) else schema
    return {**spec, "inputSchema": inner}


def _detect_shape(declaration: Mapping[str, Any]) -> Shape:
    for shape in (BEDROCK, OPENAI_CHAT):
        if isinstance(declaration.get(shape.wrapper), Mapping):
            return shape
    for shape in (MCP, ANTHROPIC, GEMINI, NEUTRAL, OPENAI):
        if shape.input in declaration and (shape is not NEUTRAL or shape.output in declaration):
            return GEMINI_OPENAPI if _is_in_capitals(declaration[shape.input]) else shape
    if declaration.get("type") == "function":
        return OPENAI
    fix = "give it parameters (OpenAI), input_schema (Anthropic) or inputSchema (MCP)"
    raise _malformed("", "no schema of the arguments", fix)


def _is_in_capitals(schema: Any) -> bool:
    """Whether a schema is in Gemini's own language, by the type of its root."""
    return isinstance(schema, Mapping) and schema.get("type") == "OBJECT"


def _read_options(shape: Shape, body: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Read the options that every shape has keys for, and the annotations that no tool has."""
    if not isinstance(body.get("name"), str):
        raise _malformed("name", "missing, or not text", "name the tool")
    schema, output = body.get(shape.input), body.get(shape.output)
    has_no_parameters = schema is None and shape in PARAMETERS_OPTIONAL
    options = {
        "name": body["name"],
        "input": _read_schema(shape, shape.input, NO_ARGUMENTS if has_no_parameters else schema),
        "output": None if output is None else _read_schema(shape, shape.output, output),
    }
    copied = ("description", *shape.copied)
    options |= {key: body[key] for key in copied if body.get(key) not in (None, "")}
    if body.get(shape.examples) is not None:
        options["examples"] = body[shape.examples]
    if body.get("strict") is True:
        options["strict"] = "prefer"
    if body.get(CALLERS) is not None:
        options[CALLERS] = _read_callers(body[CALLERS])
    hints = options.get("annotations")
    if not isinstance(hints, Mapping):
        return options, []
    valid_hints = {key: value for key, value in hints.items() if _is_hint(key, value)}
    options["annotations"] = valid_hints
    left_out = [
        f"annotations.{k}" for k, v in hints.items() if k not in valid_hints and v is not None
    ]
    return options, left_out


def _read_callers(callers: Any) -> Any:
    """Read who may call a tool: each version of Anthropic's tool that runs code is one of them."""
    if not isinstance(callers, list):
        return callers
    return [
        "programmatic" if isinstance(caller, str) and CODE_EXECUTION.fullmatch(caller) else caller
        for caller in callers
    ]


def _is_hint(key: str, value: Any) -> bool:
    """Whether tools have an annotation of this name and value, but for hidden characters."""
    shown = names.strip_hidden(value) if isinstance(value, str) else value
    option: Any = {"annotations": {key: shown}}
    return next(faults_of(option), None) is None


def _read_schema(shape: Shape, where: str, schema: Any) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        raise _malformed(where, "not a JSON Schema", "write it as an object")
    return dict(to_json_schema(copy_data(schema)) if shape is GEMINI_OPENAPI else schema)


def _refuse_to_run(arguments: Any) -> Any:
    del arguments
    raise ToolError(NOT_RUN)


_refuse_to_run.__annotations__ = {"arguments": Any, "return": Any}  # saves compiling it
