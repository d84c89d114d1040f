"""Ask the user of an MCP client to approve a call, as the revision allows.

An older client is asked while the call waits. A newer one is answered that input is required, and
sends the call again with the user's answer and the prepared call, sealed. A client that cannot ask
anybody is given the text of a call that waits, as an error.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.serve.context import Caller
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from toolhaft.call.prepared import Prepared

__all__ = ["Approvals"]

FORM: Final[dict[str, Any]] = {"type": "object", "properties": {}}
QUESTION: Final = "approval"
DECLINED: Final = "the user declined"


class Approvals:
    """Asks for approval; `key` seals the calls that wait with the client."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    async def ask(self, context: Any, waiting: Err, prepared: Prepared[Any], caller: Caller) -> Any:
        """Ask the client's user: an outcome, or what requires input first."""
        from mcp import types
        from mcp.shared.exceptions import MCPError

        session = context.session
        capabilities = session.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            return waiting
        question = _question(prepared)
        if context.protocol_version >= "2026-07-28":
            params = types.ElicitRequestFormParams(message=question, requested_schema=FORM)
            return types.InputRequiredResult(
                input_requests={QUESTION: types.ElicitRequest(params=params)},
                request_state=prepared.to_json(key=self._key_of(caller)),
            )
        try:
            answer = await session.elicit_form(question, FORM, context.request_id)
        except MCPError:  # the client has no way back, or refused to ask
            return waiting
        return await _carry_out(prepared, answer.action, caller)

    async def resume(self, tools: Toolset, params: Any, caller: Caller) -> Ok[Any] | Err:
        """Go on with a call that waited with the client."""
        prepared = tools.resume(params.request_state, key=self._key_of(caller))
        if isinstance(prepared, Err):
            return prepared
        answer = (params.input_responses or {}).get(QUESTION)
        return await _carry_out(prepared, getattr(answer, "action", None), caller)

    def _key_of(self, caller: Caller) -> bytes:
        """Derive a key for one caller: nobody else can go on with the call."""
        return hmac.digest(self._key, caller.principal, "sha256")


async def _carry_out(prepared: Prepared[Any], action: str | None, caller: Caller) -> Ok[Any] | Err:
    if action == "accept":
        return await prepared.call(context=caller.context)
    return await prepared.decline(DECLINED, context=caller.context)


def _question(prepared: Prepared[Any]) -> str:
    arguments = jsontext.write(jsondata.to_json_data(prepared.arguments))
    return f"Run {prepared.name} with {arguments}?"
