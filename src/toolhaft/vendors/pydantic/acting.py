"""The types of pydantic whose validation imports code or looks at the file system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolhaft.vendors.acting import ActingCheck
from toolhaft.vendors.pydantic.core_nodes import core_nodes

__all__ = ["acting_checks"]

# The function that a `PathType` calls, by the kind of path; a subclass may have its own.
LOOKING: Final = {
    "validate_file": "FilePath",
    "validate_directory": "DirectoryPath",
    "validate_new": "NewPath",
    "validate_socket": "SocketPath",
}


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
