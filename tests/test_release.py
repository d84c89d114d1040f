"""`make release` refuses an unfinished release, and lists the parts of an installation."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.fixture
def release() -> Any:
    spec = spec_from_file_location("release", ROOT / ".ci/release.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.requirement("release-refuses")
def test_a_tree_that_is_not_ready_is_refused_by_each_reason(
    release: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = {"Homepage": "https://example.org", "Security": ""}
    monkeypatch.setattr(release, "PROJECT", {"project": {"urls": urls}})
    monkeypatch.setattr(release, "VERSION", "9.9.9")
    monkeypatch.setattr(release, "output", lambda *_: " M a.py\n")
    assert list(release.refusals()) == [
        "[project.urls] Source is empty; the owner sets it in pyproject.toml",
        "[project.urls] Security is empty; the owner sets it in pyproject.toml",
        "the tree has changes; commit them",
        "CHANGELOG.md has no section '## 9.9.9 (YYYY-MM-DD)'; date it",
    ]


def test_the_materials_are_the_packages_of_an_installation(release: Any) -> None:
    installed = [("toolhaft", "1.0"), ("pip", "26.0"), ("Click", "8.3")]
    found = {"installed": [{"metadata": {"name": n, "version": v}} for n, v in installed]}
    assert release.bill_of_materials(found) == {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "components": [
            {"type": "library", "name": "Click", "version": "8.3", "purl": "pkg:pypi/click@8.3"},
            {
                "type": "library",
                "name": "toolhaft",
                "version": "1.0",
                "purl": "pkg:pypi/toolhaft@1.0",
            },
        ],
    }


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_pins_what_it_uses_by_hash(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert [one for one in used if not re.search(r"@[0-9a-f]{40}$|^\$/", one)] == []
    assert "permissions: {}" in text
