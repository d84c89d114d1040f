"""Compare two versions of tools, and find the changes that break callers or readers.

A change of an input is judged by the arguments that were valid before, and a change of an output by
the results that are valid now. A client that sends such arguments or reads such results must still
work. A change that cannot be decided is unknown. Rules are compared only if both sides have them: a
lock of version 1 and a server of tools have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolhaft.definition.call_info import ORIGINS
from toolhaft.review.lock import Definitions
from toolhaft.schema.compare import compare_schemas
from toolhaft.schema.differences import GONE, Difference, Direction

__all__ = ["Change", "Class", "diff"]

Class: TypeAlias = Literal["breaking", "widening", "harmless", "unknown"]


class Change(NamedTuple):
    """One change of one tool: where (`/input/...`, `/output/...`, `/description`), what, for whom.

    `callers` are programs that send arguments and read results, recorded calls among them;
    `model` is a model that was prompted, trained or evaluated with the old definition.
    """

    tool: str
    pointer: str
    what: str
    callers: Class
    model: Class

    def __str__(self) -> str:
        return f"{self.tool}{self.pointer}: {self.what} ({self.callers}; model: {self.model})"


INPUT: Final[dict[Direction, Class]] = {
    "same": "harmless",
    "widened": "widening",
    "narrowed": "breaking",
    "unknown": "unknown",
}
OUTPUT: Final[dict[Direction, Class]] = {
    "same": "harmless",
    "widened": "breaking",
    "narrowed": "harmless",
    "unknown": "unknown",
}
# The one that repairs least first.
COERCE: Final = ("none", "safe", "lenient")
# Hints on which a framework may have relied when it let a call pass, with their safer value.
SAFER: Final = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}


def diff(old: Definitions, new: Definitions) -> list[Change]:
    """List the changes from old definitions to new ones, by tool and place.

    >>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    >>> old = {"name": "double", "description": "Twice.", "input": schema}
    >>> new = {**old, "input": {**schema, "required": ["n"]}}
    >>> print(*diff({"double": old}, {"double": new}))
    double/input/properties/n: is required now (breaking; model: breaking)
    """
    changes: list[Change] = []
    for name in sorted({*old, *new}):
        # An offer is named by what it is, and no tool has a space in its name.
        kind = name.partition(" ")[0] if " " in name else "tool"
        if name not in new:
            changes.append(Change(name, "", f"the {kind} is gone", "breaking", "breaking"))
        elif name not in old:
            changes.append(Change(name, "", f"the {kind} is new", "widening", "widening"))
        else:
            changes += _diff_tool(name, old[name], new[name])
    return changes


def _diff_tool(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for part in ("title", "description"):
        if (old.get(part) or "") != (new.get(part) or ""):
            # How other words change a model's behaviour cannot be decided.
            model: Class = "unknown" if part == "description" else "harmless"
            yield Change(name, f"/{part}", f"the {part} changed", "harmless", model)
    yield from _diff_address(name, old, new)
    yield from _diff_annotations(name, old.get("annotations") or {}, new.get("annotations") or {})
    yield from _diff_options(name, old.get("provider_options"), new.get("provider_options"))
    yield from _diff_source(name, old.get("source") or {}, new.get("source") or {})
    yield from _diff_rules(name, old, new)
    for difference in compare_schemas(old["input"], new["input"]):
        callers = _classify(difference, INPUT)
        is_description = difference.pointer.rpartition("/")[2] == "description"
        model = "unknown" if is_description and callers == "harmless" else callers
        yield Change(name, f"/input{difference.pointer}", difference.what, callers, model)
    yield from _diff_output(name, old.get("output"), new.get("output"))


def _diff_address(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """List what changed of the address and the type of a resource."""
    kinds: dict[str, Class] = {"uri": "breaking", "mime_type": "unknown"}
    for part, kind in kinds.items():
        if old.get(part) != new.get(part):
            yield Change(name, f"/{part}", f"the {part} changed", kind, "harmless")


def _classify(difference: Difference, table: Mapping[Direction, Class]) -> Class:
    """Classify a difference; a property that is gone breaks callers."""
    return "breaking" if difference.what.startswith(GONE) else table[difference.direction]


def _diff_annotations(
    name: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Change]:
    for hint in sorted({*old, *new}):
        old_value, new_value = old.get(hint), new.get(hint)
        if old_value != new_value:
            is_less_safe = hint in SAFER and old_value == SAFER[hint]
            text = f"{hint} {_hint_text(old_value)} became {_hint_text(new_value)}"
            callers: Class = "breaking" if is_less_safe else "harmless"
            yield Change(name, f"/annotations/{hint}", text, callers, "harmless")


def _diff_options(
    name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
) -> Iterator[Change]:
    """List targets whose further options changed; the effect of these cannot be decided."""
    before, now = old or {}, new or {}
    for target in sorted({*before, *now}):
        if before.get(target) != now.get(target):
            text = f"further options for {target} changed"
            yield Change(name, f"/provider_options/{target}", text, "unknown", "unknown")


def _diff_source(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """List what a call is sent as that changed: another address may be another server."""
    for part in sorted({*old, *new}):
        if old.get(part) != new.get(part):
            text = f"the {part} of its requests changed"
            yield Change(name, f"/source/{part}", text, "unknown", "harmless")


def _diff_rules(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """List the rules that changed, each for itself."""
    for rule, classify in RULES.items():
        if rule in old and rule in new and old[rule] != new[rule]:
            text = f"{rule} {_rule_text(old[rule])} became {_rule_text(new[rule])}"
            yield Change(name, f"/{rule}", text, *classify(old[rule], new[rule]))
    yield from _diff_callers(name, old.get("allowed_callers"), new.get("allowed_callers"))
    if "examples" in old and "examples" in new and old["examples"] != new["examples"]:
        yield Change(name, "/examples", "the examples changed", "harmless", "unknown")
    if "hidden" in old and "hidden" in new:
        yield from _diff_hidden(name, old["hidden"], new["hidden"])


def _diff_callers(name: str, old: Any, new: Any) -> Iterator[Change]:
    """Return which callers may call a tool that could not, and which may not any more."""
    before, now = set(old or ORIGINS), set(new or ORIGINS)
    if before != now:
        text = f"allowed_callers {_callers_text(before)} became {_callers_text(now)}"
        kind: Class = "breaking" if before - now else "widening"
        yield Change(name, "/allowed_callers", text, kind, kind)


def _callers_text(callers: set[str]) -> str:
    return " and ".join(sorted(callers))


def _diff_hidden(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """List hidden values that are others, by the digest of the parameter's path."""
    for path in sorted({*old, *new}):
        if old.get(path) != new.get(path):
            change = "changed" if path in old and path in new else "is new"
            text = f"a hidden value {change if path in new else 'is gone'}"
            yield Change(name, f"/hidden/{path}", text, "unknown", "harmless")


def _classify_strict(_: Any, __: Any) -> tuple[Class, Class]:
    return "harmless", "unknown"  # another schema on the wire, with the same values


def _classify_coerce(old: Any, new: Any) -> tuple[Class, Class]:
    is_wider = COERCE.index(new) > COERCE.index(old)
    return ("widening", "widening") if is_wider else ("breaking", "breaking")


def _classify_extra(old: Any, new: Any) -> tuple[Class, Class]:
    if None in (old, new):  # the type says it, for each of its objects
        return "unknown", "unknown"
    return ("widening", "widening") if new == "ignore" else ("breaking", "breaking")


def _classify_approval(_: Any, __: Any) -> tuple[Class, Class]:
    return "breaking", "harmless"  # calls wait that did not, or nobody approves them any more


def _classify_authorize(_: Any, new: Any) -> tuple[Class, Class]:
    return ("unknown" if new else "breaking"), "harmless"


def _rule_text(value: Any) -> str:
    return "unsaid" if value is None else str(value).lower()


RULES: Final[dict[str, Callable[[Any, Any], tuple[Class, Class]]]] = {
    "strict": _classify_strict,
    "coerce": _classify_coerce,
    "extra": _classify_extra,
    "requires_approval": _classify_approval,
    "authorize": _classify_authorize,
}


def _hint_text(value: Any) -> str:
    return "unsaid" if value is None else str(value).lower() if isinstance(value, bool) else "text"


def _diff_output(name: str, old: Any, new: Any) -> Iterator[Change]:
    if old is None and new is None:
        return
    if old is None:
        yield Change(name, "/output", "results are declared now", "harmless", "harmless")
    elif new is None:
        yield Change(name, "/output", "results are not declared any more", "breaking", "harmless")
    else:
        for difference in compare_schemas(old, new):
            callers = _classify(difference, OUTPUT)
            yield Change(name, f"/output{difference.pointer}", difference.what, callers, "harmless")
