"""Wrap annotated functions and objects of the StandardTool shape as tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from toolhaft import vendors
from toolhaft.call.formatted import Format, format_output
from toolhaft.call.invalid import ForeignInputInvalid, ForeignOutputInvalid
from toolhaft.call.masking import mask_issues, words_of
from toolhaft.call.paths import locate
from toolhaft.definition.markers import Context
from toolhaft.definition.scope import own_annotations
from toolhaft.errors import DefinitionError, Fault
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.schema.issues import reword_issue
from toolhaft.spec import Issue, StandardTool, calling
from toolhaft.tools.decorator import tool
from toolhaft.tools.definition import Definition
from toolhaft.tools.tool import AnyTool, Tool
from toolhaft.vendors import json_schema, native
from toolhaft.vendors.adapter import Adapter, NoVendor
from toolhaft.vendors.composed import PassThrough

__all__ = ["is_standard_tool", "refuse_input", "refuse_output", "wrap_foreign"]

SHAPE = ("name", "description", "execute")
TAKES = "take (input, context), or fewer of them"
NO_ARGUMENTS = {"type": "object", "properties": {}}


def is_standard_tool(member: object) -> bool:
    """Return whether an object has the shape of a StandardTool; title and schemas may be absent."""
    try:
        return not isinstance(member, type) and all(hasattr(member, name) for name in SHAPE)
    except Exception:  # noqa: BLE001 - a proxy that stands for nothing yet says so in its own way
        return False


def wrap_foreign(member: Any) -> AnyTool:
    """Wrap any member of a toolset as a tool.

    Raises:
        DefinitionError: It is not a tool of any shape, or is defined wrongly.
    """
    if isinstance(member, Tool):
        return member
    if is_standard_tool(member):
        if hasattr(member, "__format_output__"):
            write: Format = member.__format_output__ or format_output
            return wrap_foreign(member.__unformatted__).with_format(write)
        return _wrap_standard_tool(member)
    if callable(member):
        wrapped: AnyTool = tool(member)
        return wrapped
    fix = "pass a tool, an annotated function, or an object of the StandardTool shape"
    raise DefinitionError([Fault(type(member).__name__, "", "not a tool", fix)])


def _wrap_standard_tool(member: StandardTool[Any, Any]) -> AnyTool:
    """Wrap an object of the StandardTool shape; arguments and result are checked."""
    schema, output = (getattr(member, f"{side}_schema", None) for side in ("input", "output"))
    try:
        inner = json_schema.adapter(NO_ARGUMENTS) if schema is None else vendors.adapt(schema)
    except NoVendor as error:
        fix = "give a StandardSchema, a carrier of one, or None"
        raise DefinitionError([Fault(str(member.name), "input", error.reason, fix)]) from None
    # A formatted result is not what the output schema declares.
    formatted = hasattr(member, "__unformatted__")
    options: Any = {
        "name": member.name,
        "input": PassThrough(inner),
        "output": None if formatted else output,
    }
    for option in ("title", "description"):
        if getattr(member, option, None):
            options[option] = getattr(member, option)
    handler: Any = _handler_of(member, inner)
    handler.defined_by = member.execute  # whose place is the tool's, for a person
    return Tool(Definition(handler, options, is_own=False))


def _handler_of(member: StandardTool[Any, Any], inner: Adapter[Any]) -> Callable[..., Any]:
    """Return a handler for an `execute` that is sync or async, of the input or of both."""
    execute: Callable[..., Any] = member.execute
    try:
        begin = calling(member.name, execute)
    except TypeError:
        fault = Fault(str(member.name), "execute", "needs other arguments", TAKES)
        raise DefinitionError([fault]) from None

    def run(arguments: Any, context: Context[Any] = None) -> Any:
        try:
            return begin(arguments, context)
        except Exception as error:
            if _is_refusal(error):
                raise _to_refusal(member, inner, arguments, error) from None
            raise

    async def run_awaited(arguments: Any, context: Context[Any] = None) -> Any:
        try:
            result = begin(arguments, context)
            return await result if inspect.isawaitable(result) else result
        except Exception as error:
            if _is_refusal(error):
                raise _to_refusal(member, inner, arguments, error) from None
            raise

    returns = str(own_annotations(execute).get("return", ""))
    is_async = inspect.iscoroutinefunction(execute) or "Awaitable" in returns
    return run_awaited if is_async or "Coroutine" in returns else run


def _is_refusal(error: Exception) -> bool:
    """Whether an exception is a ToolValidationError, of any copy of the specification."""
    return type(error).__name__ in NAMES and getattr(error, "target", None) in ("input", "output")


def _to_refusal(
    member: StandardTool[Any, Any], inner: Adapter[Any], arguments: Any, error: Any
) -> Exception:
    """Return an error of a foreign tool in our terms."""
    issues = [native.to_issue(issue) for issue in getattr(error, "issues", ())]
    if error.target == "output":
        declared = getattr(member, "output_schema", None)
        return refuse_output(member.name, declared, map(_without_words, issues))
    return refuse_input(member.name, member.description, inner, issues, arguments)


def refuse_input(
    name: str, description: str, adapter: Adapter[Any], issues: Sequence[Issue], arguments: Any
) -> ForeignInputInvalid:
    """Return the error for arguments that a foreign tool has issues with, in masked words."""
    checker = adapter.checker()
    known = words_of(checker.normalised, description)
    masked = mask_issues(issues, arguments, known, authored=True)
    return ForeignInputInvalid(name, locate(masked, checker.places, arguments))


def refuse_output(name: str, declared: Any, issues: Iterable[Issue]) -> ForeignOutputInvalid:
    """Return the error for an unseen result, by its declared schema."""
    return ForeignOutputInvalid(name, locate(issues, _places(declared), None))


def _without_words(issue: Issue) -> Issue:
    """Return an issue of an unseen result without the words that may quote it."""
    return reword_issue(issue, "refused") if issue.code == "custom" else issue


def _places(declared: Any) -> PlaceIndex:
    """Return the schemas of a result; without any, every key is one of an open map."""
    return (
        PlaceIndex(True) if declared is None else vendors.adapt(declared).checker("output").places
    )


NAMES = ("ToolValidationError", "ToolInputInvalid", "ToolOutputInvalid")
