"""The source text of a random tool's classes, for each library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.laws_of_hiding.spec import TAG, ClassSpec, FieldSpec

__all__ = ["VENDORS", "WITHOUT", "source_of"]

HEAD: Final = """from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import attrs
import msgspec
import voluptuous
from marshmallow import Schema, fields
from pydantic import BaseModel, Field
from pydantic.dataclasses import dataclass as validated
from typing_extensions import NotRequired, TypedDict
"""
OPENINGS: Final = {
    "pydantic": "class {name}(BaseModel):",
    "pydantic_dataclass": "@validated(frozen=True, kw_only=True)\nclass {name}:",
    "msgspec": "class {name}(msgspec.Struct, frozen=True, kw_only=True{tag}):",
    "attrs": "@attrs.frozen(kw_only=True)\nclass {name}:",
    "dataclass": "@dataclass(frozen=True, kw_only=True)\nclass {name}:",
    "typed_dict": "class {name}(TypedDict):",
    "marshmallow": "class {name}(Schema):",
}
FACTORIES: Final = {
    "pydantic": "Field(default_factory={})",
    "pydantic_dataclass": "field(default_factory={})",
    "msgspec": "msgspec.field(default_factory={})",
    "attrs": "attrs.field(factory={})",
    "dataclass": "field(default_factory={})",
}
CLASSES: Final = ("pydantic", "pydantic_dataclass", "msgspec", "attrs", "dataclass", "typed_dict")
VENDORS: Final = (*CLASSES, "function", "json_schema", "marshmallow", "voluptuous")


def source_of(root: ClassSpec, vendor: str, inner: str) -> str:
    """Write the classes of a tool; those inside a function are of another library."""
    blocks = [HEAD]
    for cls in root.classes():
        library = inner if vendor == "function" and cls is not root else vendor
        blocks.append("\n".join(WRITERS.get(library, _class)(cls, library)) + "\n")
    return "\n".join(blocks)


def _annotation(each: FieldSpec) -> str:
    names = [cls.name for cls in each.kind.classes]
    written = {
        "str": "str",
        "int": "int",
        "object": names[:1] and names[0],
        "optional": f"{names[0]} | None" if names else "",
        "self": f"{names[0]} | None" if names else "",
        "list": f"list[{names[0]}]" if names else "",
        "selves": f"list[{names[0]}]" if names else "",
        "map": f"dict[str, {names[0]}]" if names else "",
        "union": " | ".join(names),
    }
    return str(written[each.kind.form])


def _class(cls: ClassSpec, library: str) -> Iterator[str]:
    tag = f", tag_field={TAG!r}, tag={cls.tag!r}" if cls.tag else ""
    yield OPENINGS[library].format(name=cls.name, tag=tag)
    if cls.tag and library != "msgspec":
        yield f"    {TAG}: Literal[{cls.tag!r}]"
    for each in cls.fields:
        yield f"    {each.name}: {_typed(each, library)}"


def _typed(each: FieldSpec, library: str) -> str:
    annotation = _annotation(each)
    if library == "typed_dict":
        return annotation if each.is_required else f"NotRequired[{annotation}]"
    return annotation if each.is_required else f"{annotation} = {_default(each, library)}"


def _default(each: FieldSpec, library: str) -> str:
    if each.has_factory:
        return FACTORIES[library].format(each.kind.classes[0].name)
    if each.kind.form in ("list", "selves", "map"):
        if library in ("pydantic", "msgspec", "function"):
            return repr(each.default)
        return FACTORIES[library].format("dict" if each.kind.form == "map" else "list")
    return f"{each.kind.classes[0].name}()" if each.kind.form == "object" else repr(each.default)


def _function(cls: ClassSpec, _: str) -> Iterator[str]:
    parameters = ", ".join(
        f"{each.name}: {_annotation(each)}"
        + ("" if each.is_required or each.has_factory else f" = {_default(each, 'function')}")
        for each in cls.fields
    )
    yield f"def Root(*, {parameters}) -> None:"
    yield "    SEEN.append(dict(locals()))"


def _json_schema(cls: ClassSpec, library: str) -> Iterator[str]:
    return _class(cls, "pydantic")


def _marshmallow(cls: ClassSpec, library: str) -> Iterator[str]:
    yield OPENINGS[library].format(name=cls.name)
    for each in cls.fields:
        options = "required=True" if each.is_required else _load_default(each)
        if each.kind.form in ("optional", "self"):
            options += ", allow_none=True"
        yield f"    {each.name} = {_marshmallow_field(each, options)}"


def _load_default(each: FieldSpec) -> str:
    default: Any = each.default
    if each.has_factory:
        return "load_default=lambda: {}"
    return f"load_default={'lambda: ' if isinstance(default, list | dict) else ''}{default!r}"


def _marshmallow_field(each: FieldSpec, options: str) -> str:
    nested = f"fields.Nested(lambda: {each.kind.classes[0].name}()" if each.kind.classes else ""
    written: dict[str, str] = {
        "str": f"fields.String({options})",
        "int": f"fields.Integer(strict=True, {options})",
        "list": f"fields.List({nested}), {options})",
        "selves": f"fields.List({nested}), {options})",
        "map": f"fields.Dict(keys=fields.String(), values={nested}), {options})",
    }
    return written.get(each.kind.form, f"{nested}, {options})")


def _voluptuous(cls: ClassSpec, _: str) -> Iterator[str]:
    yield f"{cls.name} = voluptuous.Schema({{"
    if cls.tag:
        yield f"    voluptuous.Required({TAG!r}): {cls.tag!r},"
    for each in cls.fields:
        yield f"    {_voluptuous_key(each)}: {_voluptuous_type(each)},"
    yield "})"


def _voluptuous_key(each: FieldSpec) -> str:
    if each.is_required:
        return f"voluptuous.Required({each.name!r})"
    default: Any = {} if each.has_factory else each.default
    if isinstance(default, list | dict):
        return f"voluptuous.Optional({each.name!r}, default=lambda: {default!r})"
    return f"voluptuous.Optional({each.name!r}, default={default!r})"


def _voluptuous_type(each: FieldSpec) -> str:
    names = [cls.name for cls in each.kind.classes]
    form = each.kind.form
    if form in ("str", "int", "object"):
        return names[0] if names else form
    if form == "optional":
        return f"voluptuous.Any({names[0]}, None)"
    if form == "map":
        return f"{{str: {names[0]}}}"
    return f"[{names[0]}]" if form == "list" else f"voluptuous.Any({', '.join(names)})"


WRITERS: Final[dict[str, Callable[[ClassSpec, str], Iterator[str]]]] = {
    "function": _function,
    "json_schema": _json_schema,
    "marshmallow": _marshmallow,
    "voluptuous": _voluptuous,
}
# Forms that a library cannot express.
WITHOUT: Final = {
    "marshmallow": frozenset({"union"}),
    "voluptuous": frozenset({"self", "selves"}),
    "attrs": frozenset({"union"}),
}
