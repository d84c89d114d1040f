"""Choose the form in which a target returns a typed answer, by the rules of its dialect.

The rule "answer" is what the target takes beside tools and text: a schema that its answer must
satisfy ("strict"), one that may also be a hint ("either"), or no form of its own ("tool"). The rule
"answer beside tools" is whether that form is allowed in a request with tools.
"""

from __future__ import annotations

from typing import NamedTuple

from toolhaft.errors import ToolhaftError
from toolhaft.lowering import Lowered
from toolhaft.lowering.dialects import dialect
from toolhaft.lowering.loss import LoweringUnsupported
from toolhaft.lowering.plan import Declaration, lower_cached

__all__ = ["AnswerForm", "choose_form"]

NO_FORM = "the target has no form for it"
NOT_BESIDE_TOOLS = "the target takes no form for it beside tools"


class AnswerForm(NamedTuple):
    """The schema in the target's own form; or None, and why the answer must be a call."""

    lowered: Lowered | None
    reason: str = ""


def choose_form(answer: Declaration, target: str, *, beside_tools: bool) -> AnswerForm:
    """Lower the type of an answer for the target's own form, if it can have it.

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
