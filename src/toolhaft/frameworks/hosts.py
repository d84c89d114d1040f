"""The frameworks: the package of each, the oldest version that is tested, and the extra for it."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from toolhaft.vendors.versions import describe_version_fault

__all__ = ["HOSTS", "Host", "require_host"]


class Host(NamedTuple):
    """A framework's name for people, its package, the oldest version, and the extra of toolhaft."""

    title: str
    package: str
    oldest: str
    extra: str


# As in the extras of the package; the keys are the names of the files.
HOSTS: Final[dict[str, Host]] = {
    "agent_framework": Host(
        "Microsoft Agent Framework", "agent-framework-core", "1.23", "agent-framework"
    ),
    "agno": Host("Agno", "agno", "3.1", "agno"),
    "anthropic": Host("Anthropic's tool runner", "anthropic", "2.11", "anthropic-runner"),
    "fastmcp": Host("FastMCP", "fastmcp", "4.1", "fastmcp"),
    "google_adk": Host("Google ADK", "google-adk", "2.13", "google-adk"),
    "haystack": Host("Haystack", "haystack-ai", "3.4", "haystack"),
    "langchain": Host("LangChain", "langchain-core", "1.7", "langchain"),
    "llamaindex": Host("LlamaIndex", "llama-index-core", "0.14.25", "llamaindex"),
    "llm": Host("llm", "llm", "0.36", "llm"),
    "openai_agents": Host("OpenAI Agents SDK", "openai-agents", "0.24", "openai-agents"),
    "pydantic_ai": Host("Pydantic AI", "pydantic-ai-slim", "2.68", "pydantic-ai"),
    "strands": Host("Strands", "strands-agents", "1.62", "strands"),
}


@cache
def require_host(name: str) -> None:
    """Raise if a framework is missing or too old.

    Raises:
        ImportError: It is, in one line that names the extra to install.
    """
    host = HOSTS[name]
    fault = describe_version_fault(host.package, host.oldest)
    if fault is not None:
        fix = f"pip install 'toolhaft[{host.extra}]'"
        raise ImportError(f"toolhaft.frameworks.{name}: {fault}: {fix}", name=host.package)
