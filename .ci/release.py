"""Build a release into dist/: an sdist and a wheel, reproducible, checked and tried out.

    python .ci/release.py

Refuses a tree with changes, a version whose section in CHANGELOG.md is not dated, and settings that
only the owner knows and has left empty. What is built twice must have the same bytes. Beside the
packages are SHA256SUMS and the packages that an installation brings, as CycloneDX. Nothing is
uploaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
DIST: Final = ROOT / "dist"
TOOLS: Final = ROOT / ".venv-release"
OWNERS: Final = ("Homepage", "Source", "Security")
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
VERSION: Final = PROJECT["project"]["version"]


def main() -> int:
    """Refuse what is not ready; otherwise build, check, test and sum."""
    if reasons := list(refusals()):
        sys.stderr.writelines(f"error: {reason}\n" for reason in reasons)
        return 1
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        built = build(Path(first))
        if sums(built) != sums(build(Path(second))):
            sys.exit("error: two builds differ; compare them with diffoscope")
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        packages = [Path(shutil.copy(path, DIST)) for path in built]
    check(packages)
    materials = [try_out(package) for package in packages][-1]
    (DIST / f"toolhaft-{VERSION}.cdx.json").write_text(json.dumps(materials, indent=1) + "\n")
    digests = sums(sorted(DIST.iterdir()))
    written = "".join(f"{digest}  {name}\n" for name, digest in digests.items())
    (DIST / "SHA256SUMS").write_text(written)
    print(written, end="")
    return 0


def refusals() -> Iterator[str]:
    """Yield each reason why this tree cannot be released."""
    urls = PROJECT["project"].get("urls", {})
    for name in OWNERS:
        if not urls.get(name):
            yield f"[project.urls] {name} is empty; the owner sets it in pyproject.toml"
    if output("git", "status", "--porcelain"):
        yield "the tree has changes; commit them"
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if not re.search(rf"^## {re.escape(VERSION)} \(\d{{4}}-\d\d-\d\d\)$", changelog, re.MULTILINE):
        yield f"CHANGELOG.md has no section '## {VERSION} (YYYY-MM-DD)'; date it"


def build(folder: Path) -> list[Path]:
    """Build an sdist of the last commit, and a wheel of the sdist, with the tag of its system."""
    tree = folder / "tree"
    tree.mkdir()
    run("git", "archive", "--output", folder / "tree.tar", "HEAD")
    run("tar", "-x", "-f", folder / "tree.tar", "-C", tree)
    run(tool("pyproject-build"), "--outdir", folder / "built", tree)
    [sdist] = (folder / "built").glob("*.tar.gz")
    [wheel] = (folder / "built").glob("*.whl")
    if "-linux_" in wheel.name:
        run(tool("auditwheel"), "repair", "--wheel-dir", folder / "repaired", wheel)
        [wheel] = (folder / "repaired").glob("*.whl")
    return [sdist, wheel]


def check(packages: list[Path]) -> None:
    """Check metadata, contents, and that a compiled module uses the stable interface only."""
    run(tool("twine"), "check", "--strict", *packages)
    run(tool("check-wheel-contents"), packages[-1])
    if "abi3" in packages[-1].name:
        run(tool("abi3audit"), "--strict", packages[-1])


def try_out(package: Path) -> dict[str, Any]:
    """Install a package in an environment of its own, and use it away from the repository."""
    with TemporaryDirectory() as home:
        folder, work = Path(home, "environment"), Path(home, "work")
        work.mkdir()
        run(sys.executable, "-m", "venv", folder)
        python = folder / "bin" / "python"
        run(python, "-m", "pip", "install", "--quiet", f"{package}[cli]", "pytest")
        for arguments in (["--version"], ["init"], ["check", "tools.py"]):
            run(python, "-I", "-m", "toolhaft", *arguments, cwd=work)
        run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=work)
        return bill_of_materials(json.loads(output(python, "-m", "pip", "inspect")))


def bill_of_materials(inspected: dict[str, Any]) -> dict[str, Any]:
    """Return what an installation consists of, as CycloneDX 1.6."""
    found = [one["metadata"] for one in inspected["installed"]]
    left_out = {"pip", "setuptools", "pytest", "pluggy", "iniconfig", "packaging", "pygments"}
    components = [
        {
            "type": "library",
            "name": one["name"],
            "version": one["version"],
            "purl": f"pkg:pypi/{one['name'].lower()}@{one['version']}",
        }
        for one in sorted(found, key=lambda one: one["name"].lower())
        if one["name"].lower() not in left_out
    ]
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}


def sums(paths: list[Path]) -> dict[str, str]:
    """Return the SHA-256 of each file by its name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def tool(name: str) -> Path:
    """Return the path of a program in the environment of tools."""
    return TOOLS / "bin" / name


def output(*command: str | Path) -> str:
    """Return the output of a command that has to succeed."""
    return subprocess.run(  # noqa: S603
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command that has to succeed, with the time of the last commit."""
    moment = output("git", "log", "-1", "--format=%ct").strip()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    path = f"{TOOLS / 'bin'}{os.pathsep}{clean['PATH']}"
    pinned = {"PIP_CONSTRAINT": str(ROOT / "constraints" / "dev.txt")}
    environment = {**clean, **pinned, "SOURCE_DATE_EPOCH": moment, "PATH": path}
    subprocess.run(command, check=True, cwd=cwd, env=environment)  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
