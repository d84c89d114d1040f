"""Google's Agent Development Kit: `pip install 'toolhaft[google-adk]'`.

Out: a `BaseTool` whose declaration has the schema as JSON Schema. The context is the session's
state, as a dict, or `context=`; `visible=` is judged by it before each request. A call that waits
for a person requests the confirmation of ADK, and is resumed by its answer. The payload shows the
arguments: the session has kept it, so exactly the call that was shown runs. Deferred tools of a
toolset are declared, behind the others, once a call of `search_tools` in the session has found
them; with `search="native"` they are declared like others.

Lost on the way out: ADK has read the text of a call; results are shown as `{"result": text}` and
errors as `{"error": text}`, without a flag; media are described in text; title, annotations and
output schema are left out. A handler that runs nodes of a workflow cannot steer it.

Lost on the way in: the tool context, without which a tool that needs one fails with an outcome.
From a declaration in Gemini's dialect, keywords that Google's types cannot write as JSON Schema.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.permission import Deny
from toolhaft.errors import ToolError
from toolhaft.frameworks.approval import describe_call, is_edit
from toolhaft.frameworks.bridge import BridgeOptions, bridge_tools, show_bridge_options
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import reject_object, take_tool
from toolhaft.tools.invisible import InvisibleCharacters
from toolhaft.toolset.deferral import names_in

if TYPE_CHECKING:
    from google.adk.tools.base_tool import BaseTool
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err
    from toolhaft.call.prepared import Prepared
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_google_adk", "to_google_adk"]

LOST = (
    "raw text", "bare text", "error flag", "media", "control flow", "title", "annotations",
    "output schema",
)  # fmt: skip


@overload
def to_google_adk(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> list[BaseTool]: ...
@overload
def to_google_adk(tools: Member, /, **options: Unpack[BridgeOptions]) -> BaseTool: ...
@show_bridge_options
def to_google_adk(tools: Any, /, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `BaseTool` of Google ADK, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: Google ADK is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("google_adk")
    built = bridge_tools(tools, _bridged_class(), lists_by_run=True, searches=True, **options)
    return _with_found(built) if isinstance(built, list) else built


def _with_found(built: list[Any]) -> list[Any]:
    """Have the search declare what it has found, behind all other tools, and defer the rest."""
    search = next((each for each in built if each.bridge.is_search), None)
    if search is None:
        return built
    search.deferred = {each.name: each for each in built if each.bridge.is_deferred}
    for each in search.deferred.values():
        each.is_declared_by_search = True
    others = [each for each in built if each is not search and each.name not in search.deferred]
    return [*others, search, *search.deferred.values()]


@cache
def _bridged_class() -> Any:
    from google.adk.tools.base_tool import BaseTool
    from google.genai.types import FunctionDeclaration

    class BridgedTool(BaseTool):
        """A tool of toolhaft's, for ADK."""

        def __init__(self, bridge: Any) -> None:
            super().__init__(name=bridge.name, description=bridge.description)
            self.bridge = bridge
            self.is_declared_by_search = False
            self.deferred: dict[str, BridgedTool] = {}

        def _get_declaration(self) -> Any:
            return FunctionDeclaration(
                name=self.name,
                description=self.description,
                parameters_json_schema=self.bridge.schema,
            )

        async def process_llm_request(self, *, tool_context: Any, llm_request: Any) -> None:
            """Declare the tool in a request of a run that may see it, and what it has found."""
            state = _state_of(tool_context)
            if not self.bridge.is_shown(state):
                return
            if self.is_declared_by_search:  # it can be called before it was found
                llm_request.tools_dict.setdefault(self.name, self)
                return
            await super().process_llm_request(tool_context=tool_context, llm_request=llm_request)
            for name in _found_in(llm_request.contents, self.name) if self.deferred else ():
                found = self.deferred.get(name)
                if found is not None and found.bridge.is_shown(state):
                    llm_request.append_tools([found])

        async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
            """Run a call."""

            def ask(prepared: Prepared[Any]) -> Prepared[Any] | Err | Deny | None:
                return _confirm(self.bridge, tool_context, prepared)

            call_id = getattr(tool_context, "function_call_id", None)
            outcome = await self.bridge.call(args, _state_of(tool_context), ask, call_id)
            return {"result" if outcome else "error": outcome.text}

    return BridgedTool


def _found_in(contents: Any, search: str) -> list[str]:
    """Return the names that searches in a conversation have found, in their order."""
    parts = [part for content in contents or () for part in content.parts or ()]
    answers = [part.function_response for part in parts if part.function_response]
    texts = [(each.response or {}).get("result") for each in answers if each.name == search]
    return list(dict.fromkeys(name for text in texts for name in names_in(text)))


def _state_of(tool_context: Any) -> dict[str, Any] | None:
    """Return the state as a dict, because ADK's own is not a mapping; None if there is none."""
    return None if tool_context is None else tool_context.state.to_dict() or None


def _confirm(
    bridge: Bridge, tool_context: Any, prepared: Prepared[Any]
) -> Prepared[Any] | Err | Deny | None:
    if tool_context is None:  # the program calls the tool
        return None
    answer = tool_context.tool_confirmation
    if answer is not None:
        payload = answer.payload if isinstance(answer.payload, dict) else {}
        brought = payload.get("call")
        shown = brought if is_edit(brought) else _find_shown(tool_context)
        return bridge.approve(prepared, shown) if answer.confirmed else Deny()
    hint = f"Approve or reject {prepared.name}."
    tool_context.request_confirmation(hint=hint, payload=describe_call(bridge.tool, prepared))
    tool_context.actions.skip_summarization = True
    return None


def _find_shown(tool_context: Any) -> Any:
    """Return the `call` that was shown, which the session has kept."""
    for event in reversed(tool_context.session.events):
        question = event.actions.requested_tool_confirmations.get(tool_context.function_call_id)
        if question is not None:
            return question.payload.get("call") if isinstance(question.payload, dict) else None
    return None


def from_google_adk(
    tool: BaseTool, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of Google ADK to a toolhaft tool.

    A result `{"error": text}` becomes a tool error.

    Args:
        tool: A `BaseTool` with a declaration, such as `FunctionTool`.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: Google ADK is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("google_adk")
    from google.adk.tools.base_tool import BaseTool

    declared: Any = tool._get_declaration() if isinstance(tool, BaseTool) else None  # noqa: SLF001
    if declared is None:
        raise reject_object(
            "google_adk", tool, "a BaseTool with a declaration, such as FunctionTool"
        )

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        result: Any = await tool.run_async(args=arguments, tool_context=context)
        if isinstance(result, dict) and result.keys() == {"error"}:
            raise ToolError(str(result["error"]))
        return result

    bridge = getattr(tool, "bridge", None)
    schema = _schema_of(declared)
    return take_tool(
        declared.name,
        declared.description,
        schema,
        run,
        bridge=bridge,
        invisible_characters=invisible_characters,
    )


def _schema_of(declared: Any) -> Any:
    """Return the JSON Schema of a declaration; Google's types convert Gemini's own dialect."""
    if declared.parameters_json_schema is not None or declared.parameters is None:
        return declared.parameters_json_schema
    return declared.parameters.json_schema.model_dump(by_alias=True, exclude_none=True, mode="json")
