"""The options of `tool`: their names, and the check of what can be checked without types."""

from __future__ import annotations

from _thread import TIMEOUT_MAX  # `threading` has it from here, and is slow to import
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypedDict, TypeVar

from toolhaft.definition import names
from toolhaft.definition.call_info import ORIGINS, Origin
from toolhaft.definition.predicates import (
    Approval,
    Authorize,
    fault_of_callback,
    fault_of_predicate,
)
from toolhaft.definition.signature import UnnamedFault
from toolhaft.definition.text_format import FREE, Regex, TextFormat

__all__ = [
    "UNSET",
    "AllOptions",
    "ToolOptions",
    "copy_data",
    "fault_of_limit",
    "fault_of_seconds",
    "faults_of",
    "own_options",
    "require_known_options",
]

T = TypeVar("T")

MOST_DESCRIPTION = 16_384
FEWEST_RESULT_CHARS = 100
MOST_ARGUMENT_BYTES = 64 << 20
# On a wire one level may be four, and Python calls itself a thousand times at most.
MOST_ARGUMENT_DEPTH = 100
ANNOTATIONS = ("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
COERCE = ("safe", "lenient", "none")
FEEDBACK = ("ordinals", "keys")
EXTRA = ("forbid", "ignore")
ISOLATION = ("none", "process")
STRICT = ("prefer", "require")
# Keys that describe a tool itself, in each target's words, with their place in a declaration; an
# SDK takes a key in snake case and in camel case alike. Looked up on 2026-11-28 in anthropic 2.11,
# cohere 7.3, google-genai 2.34, mcp 2.3, mistralai 3.7, ollama 0.6 and openai 3.52.
RESERVED = {
    "name", "title", "description", "annotations", "type", "strict", "parameters", "inputschema",
    "outputschema", "parametersjsonschema", "parameterdefinitions", "response",
    "responsejsonschema", "inputexamples", "allowedcallers",
}  # fmt: skip
WRAPPERS = ("function", "toolspec")
# Options that are data, or may be: they are copied, as the program may change them later.
DATA = ("annotations", "provider_options", "metadata", "examples", "parameters", "input", "output")


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()


class ToolOptions(TypedDict, Generic[T], total=False):
    """The options of `tool`, other than `input` and `output`; None leaves an option unset.

    `T` is the type that predicates receive for a call.
    """

    name: str | None
    """The tool's name for models; by default the function's name."""
    title: str | None
    """The tool's name for people."""
    description: str | None
    """The tool's description for models; by default the docstring."""
    parameters: Mapping[str, Any] | None
    """A JSON Schema of the arguments, in place of what the types give."""
    omit: Sequence[str] | None
    """Parameters with a default that stay out of the schema."""
    annotations: Mapping[str, Any] | None
    """MCP's hints: title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint."""
    provider_options: Mapping[str, Mapping[str, Any]] | None
    """For each target an object that joins the declaration sent to it."""
    metadata: Mapping[str, Any] | None
    """The program's own notes; never sent."""
    examples: Sequence[Mapping[str, Any]] | None
    """Example arguments."""
    errors: Mapping[type[Exception], str] | None
    """The words that the model reads when the handler raises such an exception."""
    render: Callable[[Any], Any] | None
    """Makes what the model reads of the validated output: text, or content."""
    timeout: float | None
    """Seconds after which a call ends with `timeout`."""
    offload: bool | None
    """Whether a sync handler runs in a thread under `call`; True by default."""
    isolation: Literal["none", "process"] | None
    """"process" runs each call in a process of its own."""
    parallel: bool | None
    """False: while this runs, no other call of the turn does."""
    limit: int | None
    """How many calls of it run at a time."""
    coerce: Literal["safe", "lenient", "none"] | None
    """Which repairs of arguments are made; "safe" by default."""
    feedback: Literal["ordinals", "keys"] | None
    """How texts name entries of open maps: by ordinals (the default) or by their keys."""
    extra: Literal["forbid", "ignore"] | None
    """How undeclared keys are handled, whatever the type declares."""
    max_result_chars: int | None
    """How long the text that the model reads of a result may be."""
    max_argument_bytes: int | None
    """The longest text of a call, in bytes; 1 MiB by default."""
    max_argument_depth: int | None
    """The greatest depth of its data, in levels; 32 by default."""
    requires_approval: Approval[T] | None
    """Whether a person is asked first: True, or a predicate."""
    authorize: Authorize[T] | None
    """A predicate that runs before each run: only True permits."""
    strict: bool | Literal["prefer", "require"] | None
    """A provider's strict mode for this tool; True is "require"."""
    allowed_callers: Collection[Origin] | None
    """Who may call it: "direct", "programmatic" or both, which is so where nothing is said."""
    defer: bool | None
    """Whether models are shown the tool only once a search has found it."""
    format: TextFormat | None
    """"text" or a `Regex`: the one argument is a text, which some providers send as it is."""


class AllOptions(ToolOptions[Any], total=False):
    """All options of `tool`; `output=None` declares that a result has no schema."""

    input: Any
    """The type of the one argument: a type of any validator, a schema object, or a JSON Schema."""
    output: Any
    """The type of the result; None declares that it has no schema."""


def require_known_options(options: Mapping[str, Any], where: str) -> None:
    """Raise for an unknown option, as a signature would.

    Raises:
        TypeError: names the unknown option and the nearest known one.
    """
    unknown = options.keys() - AllOptions.__annotations__.keys()
    if unknown:
        name = min(unknown)
        near = names.nearest(name, AllOptions.__annotations__)
        hint = f"; did you mean {near}?" if near else ""
        raise TypeError(f"{where} has no option {name}{hint}")


def faults_of(options: AllOptions) -> Iterator[UnnamedFault]:
    """Check every option by itself."""
    for name, check in CHECKS.items():
        if name in options:
            fault = check(options[name])  # type: ignore[literal-required]
            if fault is not None:
                yield UnnamedFault(name, *fault)
    if "input" in options and "omit" in options:
        yield UnnamedFault("omit", "input= already says all parameters", "drop one of the two")
    schemas = [name for name in ("input", "parameters") if "format" in options and name in options]
    for name in schemas:
        yield UnnamedFault("format", f"{name}= says what the arguments are", "drop one of the two")
    if "input" in options and "parameters" in options and isinstance(options["input"], Mapping):
        yield UnnamedFault("parameters", "input= is a JSON Schema already", "drop one of the two")


Verdict = tuple[str, str] | None


def _text(limit: int) -> Callable[[Any], Verdict]:
    def check(value: Any) -> Verdict:
        if not _is_text(value):
            return "not a text, or empty", "write a sentence"
        if len(value) > limit:
            return f"longer than {limit} characters", "shorten it"
        hidden = names.hidden_character(value)
        return (f"holds {hidden}", "remove it") if hidden else None

    return check


_title = _text(200)


def _one_of(allowed: tuple[str, ...]) -> Callable[[Any], Verdict]:
    def check(value: Any) -> Verdict:
        if value in allowed:
            return None
        return "invalid value", f"use one of {', '.join(allowed)}"

    return check


def _strictness(value: Any) -> Verdict:
    if isinstance(value, bool) or value in STRICT:
        return None
    return "invalid value", 'use True, False, "prefer" or "require"'


def _hints(value: Any) -> Verdict:
    if not isinstance(value, Mapping):
        return "not a mapping", "pass a dict"
    for key, hint in value.items():
        if key not in ANNOTATIONS:
            near = names.nearest(str(key), ANNOTATIONS)
            fix = f"did you mean {near}?" if near else f"use {', '.join(ANNOTATIONS)}"
            return f"{names.escape_text(str(key), 60)} is not an annotation", fix
        if key == "title" and (fault := _title(hint)) is not None:
            return f"title: {fault[0]}", fault[1]
        if key != "title" and not isinstance(hint, bool):
            return f"{key} is not a boolean", "use True or False"
    return None


def _plain(value: Any) -> Verdict:
    if not isinstance(value, Mapping):
        return "not a mapping", "pass a dict"
    fault = _fault_of_data(value)
    if fault is None and _has_dunder(value):
        return "holds a key with two leading underscores", "rename it"
    return fault


def _sent(value: Any) -> Verdict:
    """Return the fault of data that a model may read, with the fix, or None."""
    fault = _plain(value)
    hidden = None if fault else next(names.hidden_texts(value), None)
    if hidden is None:
        return fault
    where = names.escape_text("/".join(map(str, hidden[0])))
    return f"{where} holds {hidden[1]}", "remove it"


def _fault_of_data(value: Any) -> Verdict:
    from toolhaft.jsonio import jsondata

    try:
        jsondata.read_plain(value)
    except jsondata.NotPlain as fault:
        return f"not plain JSON ({fault.issues[0]})", "use JSON data only"
    return None


def _has_dunder(data: Any) -> bool:
    if isinstance(data, Mapping):
        return any(key.startswith("__") or _has_dunder(item) for key, item in data.items())
    return isinstance(data, list) and any(map(_has_dunder, data))


def _per_target(value: Any) -> Verdict:
    if isinstance(value, Mapping) and not all(isinstance(o, Mapping) for o in value.values()):
        return "not one object for each target", "write {'openai': {...}}"
    fault = _sent(value)
    return fault or next(filter(None, map(_fault_of_target, value.items())), None)


def _fault_of_target(item: tuple[str, Mapping[str, Any]]) -> Verdict:
    """Return why a target is unknown, or which keys of the declaration its options replace."""
    from toolhaft.definition.targets import TARGETS

    target, options = item
    if target not in TARGETS:
        near = names.nearest(target, TARGETS)
        fix = f"did you mean {near}?" if near else f"use one of {', '.join(TARGETS)}"
        return f"{names.escape_text(target, 60)} is not a target", fix
    inner = [value for key, value in options.items() if _bare(key) in WRAPPERS]
    objects = [options, *(each for each in inner if isinstance(each, Mapping))]
    taken = sorted({key for each in objects for key in each if _bare(key) in RESERVED})
    if taken:
        reason = f"{target} would replace {', '.join(taken)}, which a reviewer reads of the tool"
        return reason, "use the option of that name, and leave it out here"
    return None


def _bare(key: str) -> str:
    """Write a key without what its spellings differ in."""
    return key.replace("_", "").lower()


def _examples(value: Any) -> Verdict:
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        return "not a list of arguments", "pass a list of dicts"
    return next((fault for example in value if (fault := _sent(example))), None)


def _errors(value: Any) -> Verdict:
    if isinstance(value, Mapping) and all(
        isinstance(kind, type) and issubclass(kind, Exception) and _is_text(words)
        for kind, words in value.items()
    ):
        return None
    return "not exception classes with words", "write {NotFound: 'no such order'}"


def _is_text(words: Any) -> bool:
    return isinstance(words, str) and bool(words.strip())


def fault_of_seconds(value: Any) -> Verdict:
    """Return the fault of a time limit in seconds, or None; no lock waits longer than 292 years."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None or (number and 0 < value <= TIMEOUT_MAX):
        return None
    return "not a positive number of seconds", "use a number, or None for no limit"


def _characters(value: Any) -> Verdict:
    number = isinstance(value, int) and not isinstance(value, bool)
    if value is None or (number and value >= FEWEST_RESULT_CHARS):
        return None
    return (
        f"not a whole number of at least {FEWEST_RESULT_CHARS}",
        "use a number, or None for no limit",
    )


def _whole(most: int) -> Callable[[Any], Verdict]:
    def check(value: Any) -> Verdict:
        if type(value) is int and 0 < value <= most:
            return None
        return f"not a whole number from 1 to {most}", "use such a number, or leave it out"

    return check


def fault_of_limit(value: Any) -> Verdict:
    """Return the fault of a limit on concurrent runs, or None."""
    number = isinstance(value, int) and not isinstance(value, bool)
    if value is None or (number and value > 0):
        return None
    return "not a whole number of at least 1", "use a number, or None for no limit"


def _approval(value: Any) -> Verdict:
    if isinstance(value, bool):
        return None
    if callable(value):
        return fault_of_predicate(value)
    return "not a boolean or a function of the arguments", "use True, or pass a function"


def _boolean(value: Any) -> Verdict:
    return None if isinstance(value, bool) else ("not a boolean", "use True or False")


def _json_schema(value: Any) -> Verdict:
    return _schema(value) if isinstance(value, Mapping) else ("not a JSON Schema", "pass a dict")


def _callers(value: Any) -> Verdict:
    named = isinstance(value, Collection) and not isinstance(value, str | Mapping)
    if named and value and all(isinstance(name, str) and name in ORIGINS for name in value):
        return None
    return "not a set of callers", 'write {"direct"}, {"programmatic"} or both in one set'


def _schema(value: Any) -> Verdict:
    return _fault_of_data(value) if _is_data(value) else None


def _format(value: Any) -> Verdict:
    if value == FREE or (isinstance(value, Regex) and _is_text(value.pattern)):
        return None
    return "invalid value", 'use "text" or Regex("...")'


def _names(value: Any) -> Verdict:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return "not a list of parameters", "write omit=('session',)"
    return None


def own_options(options: AllOptions) -> AllOptions:
    """Copy options, their containers too, without options that are None.

    `output=None` is kept: it declares that there is no schema.
    """
    passed: Any = {
        name: _own(name, value)
        for name, value in options.items()
        if value is not None or name == "output"
    }
    return passed  # type: ignore[no-any-return]


def _own(name: str, value: Any) -> Any:
    if name == "errors" and isinstance(value, Mapping):
        return dict(value)
    if name == "allowed_callers" and _callers(value) is None:
        return frozenset(value)
    if name == "omit" and not isinstance(value, str) and isinstance(value, Sequence):
        return tuple(value)
    return copy_data(value) if name in DATA else value


def copy_data(value: Any) -> Any:
    """Copy plain JSON data in containers of any kind; anything else is left for the checks."""
    if not _is_data(value):
        return value
    from toolhaft.jsonio import jsondata

    try:
        return jsondata.read_plain(value)
    except jsondata.NotPlain:
        return value


def _is_data(value: Any) -> bool:
    """Whether a value is data, not a class or an object that has a schema of its own."""
    is_container = isinstance(value, Mapping | Sequence) and not isinstance(value, str)
    return is_container and not hasattr(value, "__standard_schema__")


CHECKS: dict[str, Callable[[Any], Verdict]] = {
    "title": _title,
    "description": _text(MOST_DESCRIPTION),
    "annotations": _hints,
    "provider_options": _per_target,
    "metadata": _plain,
    "examples": _examples,
    "errors": _errors,
    "render": fault_of_callback,
    "timeout": fault_of_seconds,
    "offload": _boolean,
    "isolation": _one_of(ISOLATION),
    "parallel": _boolean,
    "limit": fault_of_limit,
    "coerce": _one_of(COERCE),
    "extra": _one_of(EXTRA),
    "feedback": _one_of(FEEDBACK),
    "max_result_chars": _characters,
    "max_argument_bytes": _whole(MOST_ARGUMENT_BYTES),
    "max_argument_depth": _whole(MOST_ARGUMENT_DEPTH),
    "requires_approval": _approval,
    "authorize": fault_of_predicate,
    "strict": _strictness,
    "allowed_callers": _callers,
    "defer": _boolean,
    "format": _format,
    "input": _schema,
    "output": _schema,
    "parameters": _json_schema,
    "omit": _names,
}
