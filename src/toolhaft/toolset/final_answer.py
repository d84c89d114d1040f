"""`FinalAnswer`: the type of a model's final answer, as a tool whose arguments are the answer.

Its schema is lowered, its text decoded, lifted, repaired and refused as the arguments of any tool
are. Where the target has a form of its own for answers, the schema is sent in that form and the
answer is the text of the response; otherwise the tool is declared, and its call is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from toolhaft.call import feedback
from toolhaft.call.outcome import Err, Ok, Outcome
from toolhaft.call.preparing import validate
from toolhaft.call.results import dump_any
from toolhaft.call.types import ToolCall
from toolhaft.definition.names import fold_name, pad_name
from toolhaft.errors import DefinitionError, ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.lowering import Lowered
from toolhaft.lowering.dialects import dialect
from toolhaft.lowering.loss import Loss, LoweringUnsupported
from toolhaft.lowering.plan import Declaration, PlannedTool, lower_cached
from toolhaft.providers.provider import Provider
from toolhaft.spec import Issue
from toolhaft.tools.decorator import tool
from toolhaft.tools.definition import LIMITS
from toolhaft.tools.internals import boundary_of, call_options_of, resolve_types
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.dispatch import with_call_fields
from toolhaft.toolset.lifting import lifting_of
from toolhaft.toolset.turn import lift_call

__all__ = ["FinalAnswer", "choose_form", "make_answer_tool"]

NAME: Final = "final_answer"
DESCRIPTION: Final = (
    "Give the final answer. Call this tool once, and no other tool with it, when you have all that "
    "you need. Do not give the answer in words."
)
TAKEN: Final = "The final answer was taken."
NOT_ALONE: Final = "not taken beside other calls; give it alone, once you have their results"
NO_CALL: Final = "call {name} with the answer, and write nothing around it"
NOTHING: Final = "send one JSON object and nothing around it"
NO_FORM: Final = "the target has no form for it"
NOT_BESIDE_TOOLS: Final = "the target takes no form for it beside tools"
FENCE: Final = "```"
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9]*")


def make_answer_tool(output: Any, taken: Collection[str]) -> AnyTool:
    """Make the tool whose arguments are the answer, under a name that no other tool has.

    Raises:
        DefinitionError: No validator owns the type, or its schema cannot be used.
    """
    name = pad_name(NAME, set(map(fold_name, taken)))
    try:
        answer: AnyTool = tool(
            _give_back, name=name, description=DESCRIPTION, input=output, output=None
        )
        resolve_types(answer, LIMITS)
    except DefinitionError as error:
        faults = [fault._replace(tool="output", where="") for fault in error.faults]
        raise DefinitionError(faults) from None
    return answer


def _give_back(value: Any) -> Any:
    return value


class FinalAnswer:
    """The type of the final answer in one export: how it is sent, and how answers are read.

    `is_form` says that the target has a form of its own for it; `reason` why it has none.
    """

    __slots__ = ("_lifting", "is_form", "planned", "reason", "tool")

    def __init__(self, answer: AnyTool, planned: PlannedTool, reason: str) -> None:
        self.tool = answer
        self.planned = planned
        self.is_form: bool = not reason
        self.reason = reason
        self._lifting = lifting_of(answer, planned.lowered)

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.planned.name

    def loss(self, form: str) -> Loss:
        """Report in which form the target returns the answer."""
        detail = f"as a call of {self.planned.wire_name}: {self.reason}"
        return Loss("", "output", "encoded", f"as {form}" if self.is_form else detail, self.name)

    @property
    def form_losses(self) -> tuple[Loss, ...]:
        """The losses of the type in the target's own form; a plan reports the losses of tools."""
        losses = self.planned.lowered.losses if self.is_form else ()
        return tuple(loss._replace(tool=self.name) for loss in losses)

    def is_call(self, name: str) -> bool:
        """Whether a call of a name is the answer."""
        return not self.is_form and name == self.planned.wire_name

    def result(self, provider: Provider, outcome: Outcome[Any]) -> dict[str, Any]:
        """Write the result of a call that is the answer; a right one is not sent back."""
        shown = outcome if isinstance(outcome, Err) else self._take(outcome)
        return provider.result(shown, self.planned.wire_name, None)

    def _take(self, outcome: Ok[Any]) -> Ok[Any]:
        taken = Ok(TAKEN, TAKEN, {}, call_options_of(self.tool))
        taken.call_id = outcome.call_id
        return taken

    async def judge(
        self, calls: Sequence[ToolCall], text: str | None, *, is_alone: bool, has_loop: bool
    ) -> list[Outcome[Any]]:
        """Return the outcome of each call that is an answer; without a call, that of the text.

        A call beside others is refused: it was made before their results were known.
        """
        if calls and (calls[1:] or not is_alone):
            return [self._refuse(NOT_ALONE, call) for call in calls]
        if calls:
            return [await self._read(calls[0], has_loop=has_loop)]
        return [] if text is None else [await self._read_text(text, has_loop=has_loop)]

    async def _read_text(self, text: str, *, has_loop: bool) -> Outcome[Any]:
        json_text = _without_fence(text)
        call = ToolCall(None, self.planned.wire_name, json_text)
        if json_text in ("", "null") or not (self.is_form or json_text.startswith("{")):
            reason = NOTHING if self.is_form else NO_CALL.format(name=self.planned.wire_name)
            return self._refuse(reason, call)
        return await self._read(call, has_loop=has_loop)

    async def _read(self, call: ToolCall, *, has_loop: bool) -> Outcome[Any]:
        own_call = ToolCall(call.id, self.name, call.arguments, target=call.target)
        pending = lift_call(own_call, self._lifting)
        if pending.refused is not None:
            return with_call_fields(pending.refused, own_call)
        outcome = await self._validate(own_call.arguments, has_loop=has_loop)
        return pending.to_wire_outcome(with_call_fields(outcome, own_call))

    async def _validate(self, arguments: Any, *, has_loop: bool) -> Outcome[Any]:
        boundary = boundary_of(self.tool)
        validated = await validate(boundary, arguments, None, None, has_loop=has_loop)
        if isinstance(validated, Err):
            return validated
        value, data, coercions = validated
        root = boundary.pipeline.adapter.root
        return Ok(value, _json_of(value, data, root), data, boundary.options, coercions)

    def _refuse(self, reason: str, call: ToolCall) -> Outcome[Any]:
        issue = Issue(reason, (), "json")
        options = call_options_of(self.tool)
        refusal = Err("invalid_input", feedback.describe_invalid, options, (issue,))
        return with_call_fields(refusal, call)


def _without_fence(text: str) -> str:
    r"""Return the content of a text that is one code fence; another text as it is.

    >>> _without_fence('```json\n{"n": 1}\n```')
    '{"n": 1}'
    """
    text = text.strip()
    is_fenced = text.startswith(FENCE) and text.endswith(FENCE) and len(text) >= 2 * len(FENCE)
    if not is_fenced:
        return text
    inside = text[len(FENCE) : -len(FENCE)]
    return _LANGUAGE.sub("", inside, count=1).strip()


def _json_of(value: Any, data: Any, root: str | None) -> Any:
    """Return an answer as JSON data; the admitted data if its object has no JSON form."""
    try:
        return dump_any(value)[1]
    except Exception:  # noqa: BLE001  the author's serializers run in there
        admitted = jsontext.read(data) if isinstance(data, str | bytes) else data
        return admitted if root is None else admitted[root]


class AnswerForm(NamedTuple):
    """The schema in the target's own form; or None, and why the answer must be a call."""

    lowered: Lowered | None
    reason: str = ""


def choose_form(answer: Declaration, target: str, *, beside_tools: bool) -> AnswerForm:
    """Lower the type of an answer for the target's own form, if it can have it.

    The rule "answer" of a dialect is what the target takes beside tools and text: a schema that its
    answer must satisfy ("strict"), one that may also be a hint ("either"), or no form of its own
    ("tool"). The rule "answer beside tools" is whether that form is allowed beside tools.

    Raises:
        ToolhaftError: No model answers to the target.
        LoweringUnsupported: The answer must be strict, and cannot be.

    >>> number = Declaration("answer", "", {"type": "object", "properties": {}})
    >>> choose_form(number, "gemini", beside_tools=True)
    AnswerForm(lowered=None, reason='the target takes no form for it beside tools')
    """
    rules = dialect(target, strict=True)
    kind = rules.request_text("answer", "")
    if not kind:
        fix = "export to the target of a provider"
        raise ToolhaftError(f"{target}: output: no model answers to this target; {fix}")
    if kind == "tool":
        return AnswerForm(None, NO_FORM)
    if beside_tools and rules.request_text("answer beside tools", "tool") == "tool":
        return AnswerForm(None, NOT_BESIDE_TOOLS)
    strict = answer.strict if kind == "either" else "require"
    try:
        return AnswerForm(lower_cached(answer.schema, target, strict))
    except LoweringUnsupported as refused:
        if answer.strict == "require" or kind == "either":
            raise refused.named(answer.name) from None
        return AnswerForm(None, f"not strict: {refused.keyword}: {refused.reason}")
