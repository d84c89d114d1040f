"""The operations of a document: their names, and which of them are selected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypedDict

from toolhaft.definition import names
from toolhaft.errors import DefinitionError, Fault
from toolhaft.imports.openapi.document import Document, Refused, as_object

__all__ = ["Operation", "Select", "list_operations", "select_operations"]

# OpenAPI 3.2.0, 4.9.1; `additionalOperations` has any other.
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
# RFC 9110, 9.1: a method is a token.
METHOD: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}")
MAX_NAME: Final = 64
DIGITS: Final = 8


class Select(TypedDict, total=False):
    """The operations that become tools: they fit a pattern (`get_*`) of each given key."""

    tags: Sequence[str]
    methods: Sequence[str]
    operations: Sequence[str]
    """Patterns of operation ids or, without an id, of the tools' names."""


class Operation(NamedTuple):
    """One operation as it is written; `shared` is what its path says for all of its methods."""

    name: str
    id: str
    method: str
    path: str
    node: Mapping[str, Any]
    shared: Mapping[str, Any]
    problem: Refused | None = None

    @property
    def where(self) -> str:
        return f"{self.method} {self.path}"

    def fault(self, where: str, reason: str, fix: str) -> Fault:
        """Return a fault of the operation, by its name."""
        place = f"{self.where} {where}".rstrip()
        return Fault(self.name, names.escape_text(place, 200), reason, fix)


def list_operations(document: Document) -> list[Operation]:
    """List every operation, in the document's order, under names that differ."""
    operations = [
        operation
        for path, item in document.mapping("paths").items()
        if not str(path).startswith("x-")
        for operation in _operations_of(document, str(path), item)
    ]
    return _name_operations(operations)


def select_operations(operations: Iterable[Operation], select: Select) -> list[Operation]:
    """Return the operations that fit.

    Raises:
        DefinitionError: An unknown key, or a pattern that nothing fits.
    """
    operations = list(operations)
    chosen: Any = select
    if not isinstance(chosen, Mapping):
        fix = 'write {"methods": ["get"]}, with tags or operations'
        raise DefinitionError([Fault("select", "", "not an object of patterns", fix)])
    faults = [
        Fault("select", key, *fault)
        for key, patterns in select.items()
        for fault in _faults_of_patterns(operations, key, patterns)
    ]
    if faults:
        raise DefinitionError(faults)
    return [
        operation
        for operation in operations
        if all(_fits(operation, key, patterns) for key, patterns in select.items())
    ]


def _faults_of_patterns(
    operations: list[Operation], key: str, patterns: Any
) -> Iterator[tuple[str, str]]:
    if key not in Select.__annotations__:
        yield "not a way to select", f"use {', '.join(Select.__annotations__)}"
    elif isinstance(patterns, str) or not isinstance(patterns, Sequence):
        yield "not a list of patterns", "write them in a list"
    else:
        for pattern in patterns:
            if not any(_fits(operation, key, [pattern]) for operation in operations):
                yield f"no operation fits {names.escape_text(str(pattern), 60)}", "correct it"


def _fits(operation: Operation, key: str, patterns: Any) -> bool:
    texts = {
        "tags": operation.node.get("tags"),
        "methods": [operation.method, operation.method.lower()],
        "operations": [operation.id or operation.name],
    }[key]
    return isinstance(texts, list) and any(
        fnmatchcase(str(text), str(pattern)) for text in texts for pattern in patterns
    )


def _operations_of(document: Document, path: str, item: Any) -> Iterator[Operation]:
    try:
        shared = document.follow(item, "")
    except Refused as problem:
        yield Operation("", "", "ALL", path, {}, {}, problem)
        return
    for method, own in _methods_of(shared):
        try:
            node = document.follow(own, "")
        except Refused as problem:
            yield Operation("", "", method, path, {}, shared, problem)
            continue
        is_method = METHOD.fullmatch(method) is not None
        fault = None if is_method else Refused("", "the method is not a token", "correct it")
        operation_id = node.get("operationId")
        known = operation_id if isinstance(operation_id, str) else ""
        yield Operation("", known, method, path, node, shared, fault)


def _methods_of(item: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for method in METHODS:
        if method in item:
            yield method.upper(), item[method]
    additional = as_object(item.get("additionalOperations"))
    yield from ((str(method), node) for method, node in additional.items())


def _name_operations(operations: list[Operation]) -> list[Operation]:
    """Name each by its id; one without an id that can be a name, by its method and its path."""
    ids = Counter(names.fold_name(operation.id) for operation in operations)
    written = [
        operation.id if _is_name(operation.id, ids) else _name_by_path(operation)
        for operation in operations
    ]
    claims = Counter(map(names.fold_name, written))
    return [
        operation._replace(name=name if claims[names.fold_name(name)] == 1 else _digest(operation))
        for operation, name in zip(operations, written, strict=True)
    ]


def _is_name(name: str, ids: Counter[str]) -> bool:
    return ids[names.fold_name(name)] == 1 and names.name_fault(name, own=False) is None


def _name_by_path(operation: Operation) -> str:
    words = re.findall("[A-Za-z0-9]+", operation.path)
    name = "_".join([operation.method.lower(), *words])
    return name if len(name) <= MAX_NAME and name.isascii() else _digest(operation)


def _digest(operation: Operation) -> str:
    """Name an operation by its place and a digest of it: unique, and the same in every process."""
    digits = sha256(operation.where.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    words = "_".join(re.findall("[A-Za-z0-9]+", operation.where)).lower()
    return f"{words[: MAX_NAME - DIGITS - 1]}_{digits}"
