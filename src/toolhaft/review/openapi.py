"""An OpenAPI 3.1 document of tools: one operation for each, and their schemas as components.

A type that tools share is one component under its own name; the input and the output of a tool are
components under the name of the tool. The names depend on nothing but these: another tool changes
none of them, unless it brings another type of the same name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from toolhaft.jsonio.canonical import digest
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.references import map_references, references_in
from toolhaft.schema.document.walk import child_nodes, replace_children
from toolhaft.schema.marks import MARK, marks_of, without_marks

__all__ = ["class_name", "write_document"]


def write_document(
    declarations: Iterable[Mapping[str, Any]],
    title: str,
    version: str = "0",
    reserved: Collection[str] = (),
) -> dict[str, Any]:
    """Write tools, each with `name`, `description`, `parameters` and `output`, as a document.

    Each tool is `POST /tools/NAME`; its arguments are the body, its result the answer. All schemas
    are components; `reserved` are names that they leave to others.
    """
    components = Components(reserved)
    paths = {
        f"/tools/{quote(declaration['name'], safe='')}": {
            "post": _operation(declaration, components)
        }
        for declaration in declarations
    }
    document = {
        "openapi": "3.1.1",
        "info": {"title": title, "version": version},
        "paths": paths,
    }
    return components.write(document)


def _operation(declaration: Mapping[str, Any], components: Components) -> dict[str, Any]:
    name, output = declaration["name"], declaration.get("output")
    body = _content(components.place(declaration["parameters"], name, "input"))
    answer = _content(components.place(output, name, "output")) if output else {}
    return {
        "operationId": name,
        "description": declaration.get("description", ""),
        "requestBody": {"required": True, **body},
        "responses": {"200": {"description": "The result of the tool.", **answer}},
    }


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


Mode: TypeAlias = Literal["input", "output"]

PLACE: Final = "#/components/schemas/"
LOCAL: Final = "#/$defs/"
# Until all are known, a component is named by its digest.
REFERENCE: Final = re.compile(r"#/components/schemas/([0-9a-f]{64})(/.*)?", re.DOTALL)
DIGITS: Final = 8


class _Component(NamedTuple):
    """A schema, the name that its author gave it, and the tools and modes that use it."""

    name: str
    schema: dict[str, Any]
    uses: set[tuple[str, Mode]]


class Components:
    """The schemas of a document; `reserved` are names of others."""

    def __init__(self, reserved: Collection[str] = ()) -> None:
        self._reserved = reserved
        self._components: dict[str, _Component] = {}

    def place(self, schema: Mapping[str, Any], tool: str, mode: Mode) -> dict[str, Any]:
        """Move a tool's schema here, with its definitions; return a reference to it."""
        use = tool, mode
        definitions = schema.get("$defs", {})
        placed = {name: self._place(node, use) for name, node in definitions.items()}
        names = {name: _identity(name, placed) for name in placed}
        body = {key: value for key, value in schema.items() if key != "$defs"}
        same = next((name for name in names if _is_same(definitions[name], body)), None)
        if same is None:
            root = self._place_root(map_references(body, partial(_moved, names)), use)
        else:  # a class that holds itself
            root = {"$ref": PLACE + names[same]}
        own = root["$ref"].removeprefix(PLACE)
        for name, node in placed.items():
            moved = map_references(node, partial(_moved, names, root=own))
            self._add(names[name], _Component(class_name(name), moved, {use}))
        return root

    def _place_root(self, body: dict[str, Any], use: tuple[str, Mode]) -> dict[str, Any]:
        """Move the whole of a schema: as the class that it is, else under the tool's name."""
        root: dict[str, Any] = self._place(body, use)
        if REFERENCE.fullmatch(root.get("$ref", "")) is None:
            name = class_name(use[0]) + use[1].capitalize()
            identity = digest([name, root])
            moved = map_references(root, partial(_moved, {}, root=identity))
            self._add(identity, _Component(name, moved, {use}))
            root = {"$ref": PLACE + identity}
        return root

    def _place(self, node: Any, use: tuple[str, Mode]) -> Any:
        """Move the definitions that were written out in a node, the innermost ones first.

        A default that its own node refuses, such as null for a list, is none in OpenAPI.
        """
        if not isinstance(node, dict):
            return node
        changes = {steps: self._place(child, use) for steps, child in child_nodes(node)}
        placed: dict[str, Any] = replace_children(node, changes) if changes else node
        placed = {key: value for key, value in placed.items() if key != MARK}
        placed |= self._discriminator(placed)
        if "default" in placed and not _fits(placed["default"], node):
            del placed["default"]
        fact = marks_of(node).get("defined")
        if fact is None or any(str(ref).startswith(LOCAL) for ref in references_in(placed)):
            return placed
        beside = {key: placed.pop(key) for key in fact["beside"] if key in placed}
        if "description" in fact:
            placed["description"] = fact["description"]
        identity = digest([fact["name"], placed])
        self._add(identity, _Component(class_name(fact["name"]), placed, {use}))
        return {"$ref": PLACE + identity, **beside}

    def _add(self, identity: str, component: _Component) -> None:
        self._components.setdefault(identity, component).uses.update(component.uses)

    def _discriminator(self, node: Mapping[str, Any]) -> dict[str, Any]:
        """Discriminate the branches of a union by a property, where one has a constant in each."""
        union = node.get("oneOf", ())
        branches = [str(branch.get("$ref")) for branch in union if isinstance(branch, dict)]
        found = [self._components.get(ref.removeprefix(PLACE)) for ref in branches]
        schemas = [one.schema for one in found if one is not None]
        if not schemas or len(schemas) < len(union):
            return {}
        for name in schemas[0].get("required", ()):
            tags = [_tag(schema, name) for schema in schemas]
            if None not in tags and len(set(tags)) == len(tags):
                mapping = dict(zip(tags, branches, strict=True))
                return {"discriminator": {"propertyName": name, "mapping": mapping}}
        return {}

    def write(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return a document with all components in it, under their final names."""
        names = self._names()
        schemas = {
            name: {**_titled(self._components[identity].schema, name)}
            for identity, name in sorted(names.items(), key=lambda pair: pair[1])
        }
        components = {**document.get("components", {})}
        components["schemas"] = {**components.get("schemas", {}), **schemas}
        written: dict[str, Any] = _rename({**document, "components": components}, names)
        return written

    def _names(self) -> dict[str, str]:
        """Name each component by the first of its names that no other one wants."""
        names: dict[str, str] = {}
        taken = {_folded(name) for name in self._reserved}
        choices = {key: list(_choices(key, one)) for key, one in self._components.items()}
        for level in range(max(map(len, choices.values()), default=0)):
            wanted = {key: choices[key][level] for key in choices if key not in names}
            claims = Counter(map(_folded, wanted.values()))
            names |= {
                key: name
                for key, name in wanted.items()
                if claims[_folded(name)] == 1 and _folded(name) not in taken
            }
            taken |= set(map(_folded, names.values()))
        return names


def class_name(text: str) -> str:
    """Return a name as classes have it in many languages.

    >>> class_name("get_weather"), class_name("Page[Order]"), class_name("3d")
    ('GetWeather', 'PageOrder', 'T3d')
    """
    parts = re.findall("[A-Za-z0-9]+", text)
    name = "".join(part[:1].upper() + part[1:] for part in parts) or "T"
    return f"T{name}" if name[0].isdigit() else name


def _moved(names: Mapping[str, str], ref: str, *, root: str | None = None) -> str:
    """Return a reference into a schema as one to a component; `root` is that of the whole."""
    name, slash, rest = ref.removeprefix(LOCAL).partition("/")
    name = name.replace("~1", "/").replace("~0", "~")
    if ref.startswith(LOCAL) and name in names:
        return f"{PLACE}{names[name]}{slash}{rest}"
    is_own = ref == "#" or (ref.startswith("#/") and not ref.startswith(PLACE))
    return f"{PLACE}{root}{ref[1:]}" if is_own and root is not None else ref


def _is_same(definition: Any, whole: Mapping[str, Any]) -> bool:
    """Check whether a definition is the class that the whole schema is of."""
    is_class = "defined" in marks_of(whole)
    return is_class and bool(without_marks(definition) == without_marks(whole))


def _identity(name: str, definitions: Mapping[str, Any]) -> str:
    """Return the digest of a definition, of its name, and of all that it refers to."""
    reached, pending = {name}, [name]
    while pending:
        for ref in references_in(definitions[pending.pop()]):
            other = ref.removeprefix(LOCAL).partition("/")[0].replace("~1", "/").replace("~0", "~")
            if ref.startswith(LOCAL) and other in definitions and other not in reached:
                reached.add(other)
                pending.append(other)
    return digest([name, {other: definitions[other] for other in reached}])


def _fits(default: Any, node: Mapping[str, Any]) -> bool:
    """Check a default; one of a node that refers elsewhere is taken to fit."""
    plain = without_marks({key: value for key, value in node.items() if key != "default"})
    return bool(list(references_in(plain))) or Checker(plain).is_valid(default)


def _tag(schema: Mapping[str, Any], name: str) -> str | None:
    """Return the constant text of a required property; None if it has another value."""
    node = schema.get("properties", {}).get(name)
    constant = node.get("const") if isinstance(node, dict) else None
    return constant if isinstance(constant, str) and name in schema.get("required", ()) else None


def _choices(identity: str, component: _Component) -> Iterator[str]:
    """Yield the names of a component, the best ones first."""
    name = component.name
    modes = {mode for _, mode in component.uses}
    mode = modes.pop().capitalize() if len(modes) == 1 else ""
    tool = class_name(min(component.uses)[0])
    yield name
    yield name + mode
    yield tool + name + mode
    yield f"{name}{identity[:DIGITS]}"


def _folded(name: str) -> str:
    """Return a name as it is compared: generators write it in several forms."""
    return re.sub("[^a-z0-9]", "", name.lower())


def _titled(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Title an object like its component: generators of clients name classes by titles."""
    return {**schema, "title": name} if "properties" in schema or "title" in schema else schema


def _rename(node: Any, names: Mapping[str, str]) -> Any:
    if isinstance(node, dict):
        return {key: _rename(value, names) for key, value in node.items()}
    if isinstance(node, list):
        return [_rename(item, names) for item in node]
    if isinstance(node, str) and (match := REFERENCE.fullmatch(node)):
        return f"{PLACE}{names.get(match[1], match[1])}{match[2] or ''}"
    return node
