"""Rules for parameters whose name or description says more than their type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolhaft.review.checks.rule import Flag, rule
from toolhaft.review.checks.subject import Subject

__all__: list[str] = []

NOT_CODE = "give it its value with Tool.transform(hide=...)"
SHORT = 100
EXACT_IN_DOUBLES = 2**53 - 1  # RFC 8259, 6: beyond it, programs that read doubles round

_YES_AND_NO = ({"true", "false"}, {"yes", "no"}, {"on", "off"}, {"y", "n"}, {"0", "1"})
_TRUE_OR_FALSE = re.compile(
    r"""(['"`]?)(?:true|yes)\1\s*(?:or|/|\|)\s*(['"`]?)(?:false|no)\2\b""", re.IGNORECASE
)


@rule("TH205", "warning")
def boolean_in_words(subject: Subject) -> Iterator[Flag]:
    """A yes or no is declared as text or as a number.

    Why: a boolean has two spellings in JSON, words have many.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"open": {"type": "string", "enum": ["yes", "no"]}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"open": {"type": "boolean"}}})
    """
    for node, schema in subject.objects:
        members = schema.get("enum")
        kinds = (
            {str(member).casefold() for member in members if not isinstance(member, bool)}
            if isinstance(members, list)
            else set()
        )
        description = str(schema.get("description", "")) if schema.get("type") == "string" else ""
        description = (
            description if len(description) <= SHORT else ""
        )  # a long one speaks of other things too
        if kinds in _YES_AND_NO or ("enum" not in schema and _TRUE_OR_FALSE.search(description)):
            yield Flag(node.pointer, "a boolean in words", 'declare "type": "boolean"')


@rule("TH206", "advice")
def wide_id(subject: Subject) -> Iterator[Flag]:
    """An id is an integer without an upper bound.

    Why: clients that read JSON numbers as doubles round integers past 2^53; text is exact.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"user_id": {"type": "integer"}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"user_id": {"type": "string"}}})
    """
    for node, schema in subject.objects:
        if schema.get("type") == "integer" and re.search(r"(?:^|[_a-z])(?:id|Id|ID)s?$", node.name):
            top = schema.get("maximum", schema.get("exclusiveMaximum"))
            if not isinstance(top, int | float) or top > EXACT_IN_DOUBLES:
                message = "an integer id, rounded past 2^53 by clients that read doubles"
                yield Flag(node.pointer, message, "declare text, or a maximum")


# Settings that a program decides, and a model should not: the words of a name, or its end.
_SETTINGS = re.compile(
    r"""\b(?:
      (?:correlation|request|session|shard|(?:parent\ ?)?span|tenant|trace)\ ?id
      | trace\ ?parent | tracing | ^(?:enable\ ?)?(?:debug|trace)(?:\ ?(?:mode|level|flag|enabled))?
      | log(?:ging)?\ ?level
      | (?:cache|idempotency|partition|shard)\ ?key | cache\ ?ttl | (?:use|skip|no)\ ?cache
      | (?:connect(?:ion)?|http|read|request|socket|write)\ ?timeout(?:\ ?(?:in\ )?\w+)?
    | timeout\ ?(?:in\ )?(?:m?s|secs?|seconds?|millis|milliseconds?)
      | (?:^|max|num|min|retry)\ ?retr(?:y|ies)(?:\ ?(?:count|limit))? | max\ ?attempts?
      | retry\ ?(?:attempts?|backoff|config|delay|interval|on\ ?(?:failure|error)|policy|strategy)
      | (?:max\ ?)?backoff(?:\ ?factor)?
      | (?:api|base|endpoint|proxy|server|service|db|database|redis|postgres)
        \ ?(?:base|url|uri|endpoint)
      | endpoint | api\ ?version
      | (?:db|database|redis|postgres|mysql|mongo)\ ?(?:host|port|user(?:name)?|password|dsn)
      | dsn | connection\ ?string
      | (?:embedding|index|vector)\ ?(?:model|index) | index\ ?name | feature\ ?flags?
      | (?:max|num|thread)\ ?workers? | (?:thread\ ?)?pool\ ?size | tenant
    )$""",
    re.VERBOSE,
)
_SECRETS = re.compile(
    r"""\b(?:
      (?:access|api|auth|bearer|refresh|id)\ ?token | api\ ?key
      | (?:client|webhook)?\ ?secret(?:\ ?key)? | private\ ?key | credentials? | passwd
    )$""",
    re.VERBOSE,
)
# How long a program waits for itself is its own business; how long for what a tool runs is not.
_RUNS = frozenset({
    "command", "exec", "execute", "fetch", "job", "monitor", "poll", "process", "request", "run",
    "shell", "sleep", "task", "wait",
})  # fmt: skip
# Words that do not name a tool's subject.
_GENERAL = frozenset({"api", "base", "count", "id", "key", "max", "name", "num", "url", "version"})


@rule("TH207", "warning")
def internal_configuration(subject: Subject) -> Iterator[Flag]:
    """A parameter is the program's business: retries, endpoints, traces, tenants, secrets.

    Why: a model invents a value; a tenant is not its to choose; and what is secret must not pass
    through a conversation. A tool may have the parameter that its own name
    has, as `get_trace` has a `trace_id`.

    Bad:
        @tool
        def find(city: str, api_key: str) -> str:
            "Find a shop."
            return city

    Good:
        @tool
        def find(city: str, api_key: Injected[str]) -> str:
            "Find a shop."
            return city
    """
    for node in subject.nodes:
        name = " ".join(_spelled(node.name))
        is_setting = _SETTINGS.search(name) and not _is_about(subject.name, node.name)
        if is_setting or _SECRETS.search(name):
            fix = "take it from the context: Injected" if subject.runs else NOT_CODE
            yield Flag(node.pointer, "internal configuration", fix)


def _is_about(tool: str, parameter: str) -> bool:
    """Whether a tool's name has the thing that a parameter names; `end_point` is two words."""
    words, about = _words(parameter), _words(tool)
    if "timeout" in words and not _RUNS.isdisjoint(_spelled(tool)):
        return True
    return bool((words & about) - _GENERAL) or words == {"end", "point"}


def _words(name: str) -> set[str]:
    """Return the words of a name, plurals as what they are plurals of."""
    return {word.removesuffix("s") for word in _spelled(name)}


def _spelled(name: str) -> list[str]:
    """Split a name at signs and capitals.

    >>> _spelled("debugTraceId"), _spelled("DB_HOST")
    (['debug', 'trace', 'id'], ['db', 'host'])
    """
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return [word.lower() for word in words]


_CHOICES = re.compile(
    r"""\b(?:one\ of|either|must\ be|(?:allowed|possible|valid)(?:\ values)?|options)\b
    [^.;]{0,20}? (?P<quote>['"`])[\w -]{1,30}(?P=quote) \s*(?:,|/|\||\bor\b|,\s*or\b)\s*
    (?P=quote)[\w -]{1,30}(?P=quote)""",
    re.IGNORECASE | re.VERBOSE,
)

_EXAMPLES = re.compile(r"\b(?:e\.g|such as|for example|like)\b", re.IGNORECASE)


@rule("TH208", "warning")
def choices_in_words(subject: Subject) -> Iterator[Flag]:
    """A text parameter lists its choices in its description only.

    Why: an enum is enforced, offered by strict modes, and repaired when its case is wrong.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"sort": {"type": "string", "description": "One of 'asc', 'desc'"}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"sort": {"type": "string", "enum": ["asc", "desc"]}}})
    """
    closed = {"enum", "const", "pattern", "format"}
    for node, schema in subject.objects:
        description = schema.get("description")
        if (
            schema.get("type") == "string"
            and not closed & schema.keys()
            and isinstance(description, str)
        ):
            choices = _CHOICES.search(description)
            if choices and not _EXAMPLES.search(choices[0]):
                yield Flag(node.pointer, "lists its choices in words", "declare them as an enum")
