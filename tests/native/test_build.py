"""How the primitives are compiled on each system, and what a wheel with them is called."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def build() -> Any:
    pytest.importorskip("hatchling")
    path = ROOT / "hatch_build.py"
    if not path.exists():
        pytest.skip("not in the source tree")
    spec = spec_from_file_location("hatch_build", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nothing_is_compiled_without_a_compiler_or_where_it_is_not_wanted(
    build: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TOOLHAFT_PURE", raising=False)
    monkeypatch.setenv("CC", "no-such-compiler")
    assert build.compile_native(ROOT / "native", tmp_path / "it.so") == "there is no compiler"
    monkeypatch.setenv("TOOLHAFT_PURE", "1")
    assert build.compile_native(ROOT / "native", tmp_path / "it.so") == "TOOLHAFT_PURE=1"
    assert list(tmp_path.iterdir()) == []


def test_a_compiler_that_fails_is_a_reason_and_no_error(
    build: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TOOLHAFT_PURE", raising=False)
    monkeypatch.setenv("CC", "false")
    assert build.compile_native(ROOT / "native", tmp_path / "it.so").startswith("false failed")


MACOS = "-fno-common -arch arm64 -arch x86_64 -g"


def described(build: Any, platform: str, tag: str, **environ: str) -> Any:
    flags = MACOS if platform == "darwin" else "-g"
    return build.System(platform, tag, "INCLUDE", "BASE", "cc -pthread", flags, environ)


@pytest.mark.requirement("wheel-tags")
@pytest.mark.parametrize(
    ("platform", "tag", "environ", "wheel"),
    [
        ("linux", "linux-x86_64", {}, "linux_x86_64"),
        ("linux", "linux-aarch64", {"ARCHFLAGS": "-arch arm64"}, "linux_aarch64"),
        ("win32", "win-amd64", {}, "win_amd64"),
        ("darwin", "macosx-10.9-universal2", {}, "macosx_10_9_universal2"),
        (
            "darwin",
            "macosx-10.9-universal2",
            {"ARCHFLAGS": "-arch arm64"},
            "macosx_11_0_arm64",
        ),
        (
            "darwin",
            "macosx-10.9-universal2",
            {"ARCHFLAGS": "-arch x86_64", "MACOSX_DEPLOYMENT_TARGET": "10.13"},
            "macosx_10_13_x86_64",
        ),
        (
            "darwin",
            "macosx-10.9-universal2",
            {"ARCHFLAGS": "-arch arm64", "MACOSX_DEPLOYMENT_TARGET": "12.0"},
            "macosx_12_0_arm64",
        ),
    ],
)
def test_a_wheel_is_called_what_was_compiled_for(
    build: Any, platform: str, tag: str, environ: dict[str, str], wheel: str
) -> None:
    assert described(build, platform, tag, **environ).wheel_tag == f"cp311-abi3-{wheel}"


def test_macos_compiles_for_each_architecture(build: Any) -> None:
    system = described(build, "darwin", "macosx-10.9-universal2", CC="clang")
    assert system.file_name == "_native.abi3.so"
    assert system.command(["a.c"], "built") == [
        "clang", *build.FLAGS, "-arch", "arm64", "-arch", "x86_64", "-I", "INCLUDE",
        "-bundle", "-undefined", "dynamic_lookup", "a.c", "-o", "built",
    ]  # fmt: skip


def test_linux_takes_the_flags_of_a_distribution_last(build: Any) -> None:
    flags = {"CFLAGS": "-O3 -D_FORTIFY_SOURCE=3", "CPPFLAGS": "-DA", "LDFLAGS": "-Wl,-z,now"}
    assert described(build, "linux", "linux-x86_64", **flags).command(["a.c"], "built") == [
        "cc", "-pthread", *build.FLAGS, "-I", "INCLUDE", "-DA", "-O3", "-D_FORTIFY_SOURCE=3",
        "-shared", "-Wl,-z,now", "a.c", "-o", "built",
    ]  # fmt: skip


def test_windows_links_a_pyd_with_the_stable_library(build: Any) -> None:
    system = described(build, "win32", "win-amd64")
    assert system.file_name == "_native.pyd"
    command = system.command(["a.c"], "folder/_native.pyd")
    assert command[:2] == ["cl", "/nologo"]
    assert command[-6:] == [
        "a.c", "/Fe:folder/_native.pyd", "/Fo:folder\\", "/link", "/LIBPATH:BASE\\libs",
        "python3.lib",
    ]  # fmt: skip


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_sources_compile_without_a_warning(build: Any, compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    here = build.System.here()._replace(environ={"CC": compiler, "CFLAGS": "-Werror -O0"})
    sources = sorted(map(str, (ROOT / "native").glob("*.c")))
    done = subprocess.run(
        here.command(sources, str(tmp_path / here.file_name)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
