"""An OpenAPI document of version 3.0, 3.1 or 3.2, and what its local references lead to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from toolhaft.errors import DefinitionError, Fault
from toolhaft.jsonio import jsontext
from toolhaft.schema.document.references import beside_reference, resolve, show_ref, tokens
from toolhaft.schema.faults import SchemaRefused

__all__ = ["Document", "Refused", "as_object", "read_document"]

MAX_FILE_BYTES: Final = 64 << 20
MAX_FILE_DEPTH: Final = 200
# Data of YAML may share parts (`*alias`): so many times the size is allowed when written out.
MAX_TIMES: Final = 10
MAX_SHARED: Final = 100_000
# A chain of references that is longer than any real one.
MAX_CHAIN: Final = 32
VERSION: Final = re.compile(r"3\.([012])(\.\d+\S*)?")
# OpenAPI 3.1.1 and 3.2.0, 4.24.7: the dialects of schemas that mean what draft 2020-12 means.
DIALECTS: Final = re.compile(
    r"https://(spec\.openapis\.org/oas/3\.[12]/dialect/\S+|json-schema\.org/draft/2020-12/schema)"
)
TEXTS: Final = (str, bytes)
LOCAL: Final = 'bundle the document, so that every $ref begins with "#/"'


class Refused(Exception):
    """Something in the document cannot be imported: the place, the reason, and the fix."""

    def __init__(self, where: str, reason: str, fix: str) -> None:
        super().__init__(where, reason, fix)
        self.fault = (where, reason, fix)


class Document:
    """The data of a document, and its version; nothing outside of it is ever read."""

    def __init__(self, data: Mapping[str, Any], minor: int) -> None:
        self.data = data
        self.minor = minor

    @cached_property
    def containers(self) -> list[Any]:
        """Each object and each list of it, once."""
        seen: dict[int, Any] = {id(self.data): self.data}
        queue: list[Any] = [self.data]
        for node in queue:  # which grows meanwhile
            for sub in _values_of(node):
                if isinstance(sub, Mapping | list) and id(sub) not in seen:
                    seen[id(sub)] = sub
                    queue.append(sub)
        return queue

    def is_bounded(self) -> bool:
        """Whether the document, with shared parts written out, stays within the limit."""
        level = {id(self.data): 1}
        values = {id(node): node for node in self.containers}
        most = max(MAX_SHARED, MAX_TIMES * len(values))
        count = 0
        while level:
            below: Counter[int] = Counter()
            for node, times in level.items():
                count += times
                for sub in _values_of(values[node]):
                    if id(sub) in values:
                        below[id(sub)] += times
            if count > most:
                return False
            level = below
        return True

    def places_of(self, word: str) -> set[int]:
        """Return the `id` of each object that has this key with the value true."""
        return {
            id(node)
            for node in self.containers
            if isinstance(node, Mapping) and node.get(word) is True
        }

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return an object of the root, or an empty one if it is missing."""
        return as_object(self.data.get(key))

    def follow(self, node: Any, where: str) -> Mapping[str, Any]:
        """Return the object at a place, or the target of its reference.

        Raises:
            Refused: It is no object, or the reference leads outside, to nothing, or in a circle.
        """
        for _ in range(MAX_CHAIN):
            if not isinstance(node, Mapping):
                raise Refused(where, "not an object", "correct the document")
            if "$ref" not in node:
                return node
            # Keys beside a reference add to its target (3.1.1, 4.8.23), or are ignored.
            node = {**self.target(node["$ref"], where), **beside_reference(node)}
        raise Refused(where, "its references lead in a circle", "correct the document")

    def target(self, ref: Any, where: str) -> Any:
        """Return the target of a local reference, one step only.

        Raises:
            Refused: It leads outside, or to nothing.
        """
        if tokens(ref) is None:
            raise Refused(where, "a $ref leads outside of the document", LOCAL)
        try:
            target = resolve(self.data, ref)
        except SchemaRefused:
            reason = f"a $ref leads to nothing: {show_ref(ref)}"
            raise Refused(where, reason, "correct the document") from None
        if not isinstance(target, Mapping | bool):
            reason = f"a $ref leads to no object: {show_ref(ref)}"
            raise Refused(where, reason, "correct the document")
        return target


def as_object(value: Any) -> Mapping[str, Any]:
    """Return a value of a document that should be an object; any other value as an empty one."""
    return value if isinstance(value, Mapping) else {}


def read_document(source: Mapping[str, Any] | str | Path) -> Document:
    """Read a document: its data, or the path of a file of JSON.

    Raises:
        DefinitionError: It cannot be read, or is not a document of a version that is known.
    """
    data = _copy(source) if isinstance(source, Mapping) else _read_file(_path_of(source))
    version = data.get("openapi")
    match = VERSION.fullmatch(version) if isinstance(version, str) else None
    if match is None:
        old = "swagger" in data
        reason = "not an OpenAPI document of version 3.0, 3.1 or 3.2"
        fix = "convert it from Swagger 2.0" if old else "pass the data of such a document"
        raise _fault("swagger" if old else "openapi", reason, fix)
    if not isinstance(data.get("paths", {}), Mapping):
        raise _fault("paths", "not an object", "correct the document")
    dialect = data.get("jsonSchemaDialect")
    if dialect is not None and not (isinstance(dialect, str) and DIALECTS.fullmatch(dialect)):
        raise _fault("jsonSchemaDialect", "an unknown dialect", "use draft 2020-12")
    document = Document(data, int(match[1]))
    if not document.is_bounded():
        reason = "parts of it are used so often that it is too large when written out"
        raise _fault("", reason, 'write "$ref" in place of the aliases')
    return document


def _copy(source: Mapping[str, Any]) -> dict[str, Any]:
    """Copy containers of any kind, each once: shared parts of YAML data stay shared."""
    whole: dict[str, Any] = {}
    copies: dict[int, Any] = {id(source): whole}
    queue: list[tuple[Any, Any]] = [(source, whole)]
    for node, copy in queue:  # which grows meanwhile
        members = node.items() if isinstance(node, Mapping) else enumerate(node)
        for key, value in list(members):
            is_container = isinstance(value, Mapping | Sequence) and not isinstance(value, TEXTS)
            if is_container and id(value) not in copies:
                copies[id(value)] = {} if isinstance(value, Mapping) else [None] * len(value)
                queue.append((value, copies[id(value)]))
            copy[key] = copies[id(value)] if is_container else value
    return whole


def _values_of(node: Any) -> Iterable[Any]:
    return node.values() if isinstance(node, Mapping) else node


def _path_of(source: Any) -> Path:
    if not isinstance(source, str | Path):
        fix = "pass its data, an object, or the path of a file of JSON"
        raise _fault("", "not a document", fix)
    if isinstance(source, str) and (source.lstrip()[:1] in ("{", "[") or "\n" in source):
        fix = "pass its data, as json.loads or yaml.safe_load gives it"
        raise _fault("", "the text of a document, not the path of one", fix)
    return Path(source)


def _read_file(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES + 1)
        data = jsontext.read(text, max_bytes=MAX_FILE_BYTES, max_depth=MAX_FILE_DEPTH)
    except OSError as error:
        raise _fault("", f"cannot be read ({error.strerror})", "pass another path") from None
    except ValueError as error:
        fix = "write it as JSON, or pass the data that yaml.safe_load gives of it"
        raise _fault("", f"the file is not JSON ({error})", fix) from None
    if not isinstance(data, Mapping):
        raise _fault("", "not an object", "pass a file of an OpenAPI document")
    return data


def _fault(where: str, reason: str, fix: str) -> DefinitionError:
    return DefinitionError([Fault("document", where, reason, fix)])
