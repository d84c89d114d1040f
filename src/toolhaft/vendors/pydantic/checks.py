"""The checks of a pydantic type that its JSON Schema does not express, and those that act."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolhaft.spec import Path
from toolhaft.vendors.acting import ActingCheck
from toolhaft.vendors.pydantic.core_schemas import core_nodes, is_pydantic_function

__all__ = ["acting_checks", "unexpressed_checks"]

FUNCTIONS: Final = ("function-after", "function-before", "function-wrap", "function-plain")
BOUNDS: Final = ("gt", "ge", "lt", "le")
TEMPORAL: Final = (*BOUNDS, "now_op", "tz_constraint")
# Constraints of core nodes that pydantic's generator leaves out (pydantic 2.14).
SILENT: Final[Mapping[str, tuple[str, ...]]] = {
    "date": TEMPORAL,
    "datetime": TEMPORAL,
    "time": TEMPORAL,
    "timedelta": BOUNDS,
    # Of the text that a decimal may be.
    "decimal": (*BOUNDS, "multiple_of", "max_digits", "decimal_places"),
    "url": ("allowed_schemes", "host_required"),
    "multi-host-url": ("allowed_schemes", "host_required"),
}


# Types of pydantic whose text has a syntax that their schema does not express.
SYNTAX: Final = {"complex": "a complex number", "json": "text that holds JSON"}
UNITS: Final = "ByteSize._validate"


# The function that a `PathType` calls, by the kind of path; a subclass may have its own.
LOOKING: Final = {
    "validate_file": "FilePath",
    "validate_directory": "DirectoryPath",
    "validate_new": "NewPath",
    "validate_socket": "SocketPath",
}


def unexpressed_checks(core_schema: Mapping[str, Any]) -> list[tuple[Path, str]]:
    """Name each such check with its place: an author's validators, and constraints left out."""
    checks = ((path, check) for path, node in core_nodes(core_schema) for check in _checks_of(node))
    return list(dict.fromkeys(checks))


def _checks_of(node: Mapping[str, Any]) -> Iterator[str]:
    kind = node.get("type", "")
    if kind in FUNCTIONS:
        yield from _function_checks(node)
    elif node.get("post_init"):
        name = node["post_init"]  # of a dataclass it is True
        check = getattr(node["cls"], name if isinstance(name, str) else "__post_init__")
        if not is_pydantic_function(check):
            yield f"validator {check.__qualname__}"
    if kind in SYNTAX:
        yield SYNTAX[kind]
    if kind == "str" and node.get("strip_whitespace") and "min_length" in node:
        yield f"min_length={node['min_length']} without the spaces around it"
    yield from (f"{word}={node[word]}" for word in SILENT.get(kind, ()) if word in node)


def _function_checks(node: Mapping[str, Any]) -> Iterator[str]:
    function = node["function"]["function"]
    module = str(getattr(function, "__module__", None)).partition(".")[0]
    if module == "toolhaft":  # an adapter's, which knows its author's checks
        authored = getattr(getattr(function, "__self__", None), "authored_checks", tuple)
        yield from (f"validator {name}" for name in authored())
    elif getattr(function, "__qualname__", "") == UNITS and module == "pydantic":
        yield "a unit of bytes"
    elif module != "ipaddress" and not is_pydantic_function(function):
        yield f"validator {getattr(function, '__qualname__', type(function).__qualname__)}"
    elif getattr(function, "__name__", "") == "val_func":
        yield "a predicate"


def acting_checks(core_schema: Mapping[str, Any]) -> list[ActingCheck]:
    """Name each such check with its place."""
    from pydantic.types import PathType

    path_types = [PathType, *_subclasses(PathType)]
    lookers = {
        vars(cls)[method].__func__: name
        for cls in path_types
        for method, name in LOOKING.items()
        if hasattr(vars(cls).get(method), "__func__")
    }
    checks: dict[ActingCheck, None] = {}
    for path, node in core_nodes(core_schema):
        function = _function_of(node)
        if _is_import(function):
            checks[ActingCheck(path, "ImportString", imports=True)] = None
        elif function in lookers:
            checks[ActingCheck(path, lookers[function])] = None
    return list(checks)


def _subclasses(cls: type) -> Iterator[type]:
    inner: type
    for inner in cls.__subclasses__():
        yield inner
        yield from _subclasses(inner)


def _function_of(node: Mapping[str, Any]) -> Any:
    called = node.get("function")
    function = called.get("function") if isinstance(called, Mapping) else None
    return getattr(function, "__func__", function)


def _is_import(function: Any) -> bool:
    name = getattr(function, "__name__", None)
    module = str(getattr(function, "__module__", None))
    return name == "import_string" and module.partition(".")[0] == "pydantic"
