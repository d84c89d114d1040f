"""Answer the calls of programs that OpenAI or Anthropic runs.

PROVIDER=anthropic ANTHROPIC_API_KEY=... python examples/programs/at_providers.py
"""

from __future__ import annotations

import os
import sys
from typing import Any

from orders import TOOLS

MODELS = {"openai": "gpt-5.5", "anthropic": "claude-opus-4-8"}
# The tools by which each provider's model writes and runs a program.
RUNNERS: dict[str, Any] = {
    "openai": {"type": "programmatic_tool_calling"},
    "anthropic": {"type": "code_execution_20260120", "name": "code_execution"},
}


def ask(provider: str, question: str) -> str:
    """Ask a model that may write a program, and answer every call, of the model or its program."""
    wire = TOOLS.export("openai" if provider == "openai" else "anthropic")
    tools = [*wire.tools, RUNNERS[provider]]
    messages: list[Any] = [{"role": "user", "content": question}]
    container: dict[str, Any] = {}  # of Anthropic: the calls of one program stay in one
    for _ in range(20):
        response = request(provider, {"tools": tools, **container}, messages)
        answer = wire.answer_sync(response)
        messages += answer.messages
        for outcome in answer.outcomes:
            print(f"{outcome.name}: {outcome.text}")
        if answer.done:
            return text_of(response)
        if getattr(response, "container", None) is not None:
            container = {"container": response.container.id}
    return "The model did not come to an end in twenty turns."


def request(provider: str, options: dict[str, Any], messages: list[Any]) -> Any:
    """Send the conversation with the provider's own client."""
    model = os.environ.get("MODEL", MODELS[provider])
    if provider == "openai":
        from openai import OpenAI

        return OpenAI().responses.create(model=model, input=messages, **options)
    from anthropic import Anthropic

    return Anthropic().messages.create(model=model, max_tokens=4096, messages=messages, **options)


def text_of(response: Any) -> str:
    """Return the words of a response."""
    if hasattr(response, "output_text"):
        return str(response.output_text)
    return "".join(block.text for block in response.content if block.type == "text")


if __name__ == "__main__":
    words = " ".join(sys.argv[1:]) or "Which orders in Rome and Oslo are late?"
    print(ask(os.environ.get("PROVIDER", "openai"), words))
