"""Types whose validation has side effects: importing code, and reading the file system."""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import attrs
import pytest
import voluptuous
from pydantic import BaseModel, DirectoryPath, FilePath, ImportString, NewPath
from pydantic.types import PathType
from typing_extensions import TypedDict

from toolhaft import DefinitionError, Toolset, tool
from toolhaft.review.checks import check
from toolhaft.review.checks.subject import Subject
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.requirement("validators-that-act")


class OwnPath(PathType):
    @staticmethod
    def validate_file(path: Path, _: Any) -> Path:
        return path if path.is_file() else Path()


class Model(BaseModel):
    at: list[FilePath | None]


@attrs.define
class Attrs:
    at: DirectoryPath


@dataclasses.dataclass
class Data:
    at: dict[str, NewPath]


class Typed(TypedDict):
    at: Annotated[Path, PathType("file")]


class Own(BaseModel):
    at: Annotated[Path, OwnPath("file")]


class Imports(BaseModel):
    at: ImportString[Any]


class Held(BaseModel):
    inner: dict[str, Imports | None]


LOOKING: list[tuple[Any, str, str]] = [
    (Model, "at.*", "FilePath"),
    (Attrs, "at", "DirectoryPath"),
    (Data, "at.*", "NewPath"),
    (Typed, "at", "FilePath"),
    (Own, "at", "FilePath"),
    (list[Model], "value.*.at.*", "FilePath"),
]


def taking(tp: Any, **options: Any) -> AnyTool:
    return tool(lambda given: None, name="t", description="T.", input=tp, output=None, **options)


def allow(arguments: Any, context: Any) -> bool:
    return True


def faults_of(*tools: Any, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(DefinitionError) as caught:
        Toolset(tools, **options)
    return [(fault.where, fault.reason) for fault in caught.value.faults]


@pytest.mark.parametrize(("tp", "where", "name"), LOOKING)
@pytest.mark.parametrize("options", [{"authorize": allow}, {"requires_approval": True}])
def test_a_type_that_reads_the_file_system_is_rejected_for_approval(
    tp: Any, where: str, name: str, options: Any
) -> None:
    assert faults_of(taking(tp, **options)) == [(where, f"{name} shows which files exist, unasked")]


@pytest.mark.parametrize(("tp", "where", "name"), LOOKING)
def test_the_authorize_of_a_toolset_asks_too(tp: Any, where: str, name: str) -> None:
    one = taking(tp)
    assert len(Toolset([one])) == 1
    assert faults_of(one, authorize=allow) == [(where, f"{name} shows which files exist, unasked")]


CALLS: list[Callable[[AnyTool], object]] = [
    lambda one: one.call_sync({}, authorize=allow),
    lambda one: asyncio.run(one.call({}, authorize=allow)),
    lambda one: Toolset([one]).call_sync("t", {}, authorize=allow),
    lambda one: asyncio.run(Toolset([one]).call("t", {}, authorize=allow)),
    lambda one: Toolset([one]).asking(authorize=allow),
]


@pytest.mark.parametrize(("tp", "where", "name"), LOOKING)
@pytest.mark.parametrize("call", CALLS)
def test_the_authorize_of_a_call_asks_too(
    tp: Any, where: str, name: str, call: Callable[[AnyTool], object]
) -> None:
    with pytest.raises(DefinitionError) as caught:
        call(taking(tp))
    faults = [(fault.tool, fault.where, fault.reason) for fault in caught.value.faults]
    assert faults == [("t", where, f"{name} shows which files exist, unasked")]


def test_a_person_who_approves_one_call_gets_a_single_question() -> None:
    def take(at: FilePath) -> str:
        "Take."
        return at.name

    assert (
        tool(take).call_sync({"at": __file__}, approve=lambda _: True).unwrap() == "test_acting.py"
    )


@pytest.mark.parametrize(("tp", "where", "name"), LOOKING)
def test_elsewhere_a_check_finds_it(tp: Any, where: str, name: str) -> None:
    found = [each for each in check([Subject(taking(tp), "here:1")]) if each.code == "TH212"]
    assert [each.message for each in found] == [f"{where}: {name} looks at the file system"]


@pytest.mark.parametrize("check_name", ["IsFile", "IsDir", "PathExists"])
def test_voluptuous_looks_at_files_too(check_name: str) -> None:
    looking = voluptuous.Schema({"at": voluptuous.All(str, getattr(voluptuous, check_name)())})
    declared = {"type": "object", "properties": {"at": {"type": "string"}}}
    one = taking(looking, parameters=declared, authorize=allow)
    assert faults_of(one) == [("input", f"{check_name} shows which files exist, unasked")]
    assert len(Toolset([one.replace(authorize=None)])) == 1


@pytest.mark.parametrize(("tp", "where"), [(Imports, "at"), (Held, "inner.*.at")])
def test_a_type_that_imports_a_named_module_is_always_rejected(tp: Any, where: str) -> None:
    assert faults_of(taking(tp)) == [(where, "ImportString imports what the model names")]


def test_a_signature_is_looked_through_with_the_types_of_other_libraries() -> None:
    def take(module: ImportString[int], at: Attrs) -> None:
        "Take."

    assert faults_of(tool(take, authorize=allow)) == [
        ("module", "ImportString imports what the model names"),
        ("at.at", "DirectoryPath shows which files exist, unasked"),
    ]
    assert "this" not in sys.modules


def test_a_path_is_an_ordinary_type() -> None:
    def take(at: Path) -> None:
        "Take."

    assert len(Toolset([tool(take, authorize=allow)], authorize=allow)) == 1
