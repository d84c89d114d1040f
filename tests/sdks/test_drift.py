"""The list of reviewed parts of the SDKs is complete and true, and fails if something is new."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.sdks.drift import REVIEWED, differences, read_list
from tests.sdks.inventory import inventory

ROOT = Path(__file__).parents[2]
LIST = read_list(REVIEWED)
SOURCES = [ROOT / "src/toolhaft" / folder for folder in ("providers", "agents", "lowering")]


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


reviewed_only = pytest.mark.skipif(
    any(installed(name) != known for name, known in LIST["versions"].items()),
    reason="other SDKs than the reviewed ones are installed; make sdk-drift compares the newest",
)


@pytest.mark.requirement("sdk-drift")
def test_the_reviewed_versions_are_the_pinned_ones() -> None:
    pins = (ROOT / "constraints/dev.txt").read_text()
    for name, known in LIST["versions"].items():
        assert re.search(rf"^{name}=={re.escape(known)}$", pins, re.MULTILINE)


@pytest.mark.requirement("sdk-drift")
@reviewed_only
def test_every_field_and_variant_of_the_sdks_is_in_the_list() -> None:
    found = inventory()
    assert list(differences(LIST, found)) == []
    assert LIST.keys() - {"versions"} == found.keys()


@pytest.mark.requirement("sdk-drift")
@reviewed_only
def test_a_line_that_is_removed_is_missed() -> None:
    found = inventory()
    for place, entry in LIST.items():
        if place == "versions":
            continue
        for kind in ("carried", "ignored"):
            for name in entry.get(kind, ()):
                rest = [other for other in entry[kind] if other != name]
                less = {**LIST, place: {**entry, kind: rest}}
                words = f"{place}: {name}: new; list it as carried, or as ignored with a reason"
                assert list(differences(less, found)) == [words]


@pytest.mark.requirement("sdk-drift")
@reviewed_only
def test_a_name_that_an_sdk_has_no_longer_is_said() -> None:
    found = inventory()
    place = "anthropic.types.StopReason"
    found[place].remove("refusal")
    assert list(differences(LIST, found)) == [
        f"{place}: refusal: no longer there; remove it from the list"
    ]


@pytest.mark.requirement("sdk-drift")
def test_a_newer_name_may_be_there_or_not() -> None:
    listed = {"types.Part": {"carried": ["text"], "newer": {"audio": "goes back as it came"}}}
    for names in (["text"], ["audio", "text"]):
        assert list(differences(listed, {"types.Part": names})) == []


@pytest.mark.requirement("sdk-drift")
def test_what_is_carried_is_named_in_the_code_and_what_is_ignored_has_a_reason() -> None:
    code = "".join(path.read_text() for folder in SOURCES for path in folder.rglob("*.py"))
    for place, entry in LIST.items():
        if place == "versions":
            continue
        assert all(len(reason.split()) > 1 for reason in entry.get("ignored", {}).values())
        unnamed = [name for name in entry["carried"] if not _is_named(name, code)]
        assert (place, unnamed) == (place, [])


def _is_named(name: str, code: str) -> bool:
    first, *rest = name.split("_")
    spellings = (name, first + "".join(word.capitalize() for word in rest))
    return any(re.search(rf"\b{re.escape(word)}\b", code) for word in spellings)


CHANGES: list[Any] = [
    (
        "openai",
        "types/responses/response_function_tool_call.py",
        "    name: str\n",
        "    name: str\n    urgency: str = ''\n",
        "openai.types.responses.ResponseFunctionToolCall: urgency: new;",
    ),
    (
        "anthropic",
        "types/stop_reason.py",
        '"refusal",',
        '"refusal", "bored",',
        "anthropic.types.StopReason: bored: new;",
    ),
]


@pytest.mark.unmeasured
@pytest.mark.requirement("sdk-drift")
@reviewed_only
def test_fields_that_are_added_to_copies_of_the_sdks_fail_the_check(tmp_path: Path) -> None:
    for package, file, old, new, _ in CHANGES:
        change_copy(package, file, old, new, tmp_path)
    child = subprocess.run(
        [sys.executable, ".ci/sdk_drift.py"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (child.returncode, child.stderr) == (1, "")
    for *_, words in CHANGES:
        assert [line for line in child.stdout.splitlines() if line.startswith(words)] != []
    assert child.stdout.endswith(f"\n{len(CHANGES)} differences\n")


def change_copy(package: str, file: str, old: str, new: str, folder: Path) -> None:
    """Copy a package, and change one of its files."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    shutil.copytree(Path(spec.origin).parent, folder / package, copy_function=os.link)
    changed = folder / package / file
    text = changed.read_text()
    assert old in text
    changed.unlink()  # it is a link to the original
    changed.write_text(text.replace(old, new, 1))
    shutil.rmtree(changed.parent / "__pycache__", ignore_errors=True)
