"""Build the primitives in C if there is a compiler; without one the same project is pure.

`TOOLHAFT_PURE=1` asks for a pure one. A wheel is for every CPython from 3.11 on. The README in the
metadata of a package has no links to files beside it, as a reader has no such files.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wshadow")
LINKED = {"darwin": ("-bundle", "-undefined", "dynamic_lookup")}
MSVC_FLAGS = ("/nologo", "/std:c11", "/O2", "/W3", "/LD")


class System(NamedTuple):
    """What decides how the primitives are compiled; `default_cc` built the interpreter."""

    platform: str
    tag: str
    include: str
    base: str
    default_cc: str
    default_flags: str
    environ: Mapping[str, str]

    @classmethod
    def here(cls) -> System:
        """Describe the interpreter that builds."""
        return cls(
            sys.platform,
            sysconfig.get_platform(),
            sysconfig.get_path("include"),
            sys.base_prefix,
            sysconfig.get_config_var("CC") or "cc",
            sysconfig.get_config_var("CFLAGS") or "",
            os.environ,
        )

    @property
    def file_name(self) -> str:
        """The name of a module that every CPython from 3.11 on can load."""
        return "_native.pyd" if self.platform == "win32" else "_native.abi3.so"

    @property
    def compiler(self) -> list[str]:
        """The compiler with its own arguments."""
        default = "cl" if self.platform == "win32" else self.default_cc
        return shlex.split(self.environ.get("CC") or default, posix=self.platform != "win32")

    @property
    def architectures(self) -> list[str]:
        """What macOS compiles for: ARCHFLAGS, or else as the interpreter was built."""
        flags = self.environ.get("ARCHFLAGS") or self.default_flags
        found = re.findall(r"-arch\s+(\S+)", flags) if self.platform == "darwin" else []
        return sorted(set(found))

    @property
    def wheel_tag(self) -> str:
        """The tag of a wheel with the module; on macOS it names what was compiled for."""
        platform = self.tag
        if self.architectures:
            system, release, _ = platform.split("-", 2)
            release = self.environ.get("MACOSX_DEPLOYMENT_TARGET", release)
            if self.architectures == ["arm64"]:
                release = max(release, "11.0", key=_version)
            one = self.architectures[0] if len(self.architectures) == 1 else "universal2"
            platform = f"{system}-{release}-{one}"
        return f"cp311-abi3-{re.sub('[-.]', '_', platform)}"

    def command(self, sources: list[str], built: str) -> list[str]:
        """Return the command that compiles sources into one module.

        Flags of the environment come last, so that a distribution can add its own for hardening.
        """
        added = {name: shlex.split(self.environ.get(name, "")) for name in ENVIRONMENT}
        cflags = [*added["CPPFLAGS"], *added["CFLAGS"]]
        if self.platform == "win32":
            library = ["/link", f"/LIBPATH:{self.base}\\libs", "python3.lib", *added["LDFLAGS"]]
            output = [f"/Fe:{built}", f"/Fo:{Path(built).parent}\\"]
            flags = [*MSVC_FLAGS, f"/I{self.include}", *cflags]
            return [*self.compiler, *flags, *sources, *output, *library]
        arch = [word for name in self.architectures for word in ("-arch", name)]
        linked = [*LINKED.get(self.platform, ("-shared",)), *added["LDFLAGS"]]
        flags = [*FLAGS, *arch, "-I", self.include, *cflags]
        return [*self.compiler, *flags, *linked, *sources, "-o", built]


ENVIRONMENT = ("CPPFLAGS", "CFLAGS", "LDFLAGS")


def _version(text: str) -> list[int]:
    return [int(part) for part in text.split(".")]


class NativeBuildHook(BuildHookInterface[Any]):
    """Adds the compiled primitives to a wheel, or puts them into the source of an editable one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the wheel is written."""
        root, system = Path(self.root), System.here()
        in_place = root / "src" / "toolhaft" / system.file_name
        built = in_place if version == "editable" else Path(mkdtemp()) / system.file_name
        if version == "editable":
            in_place.unlink(missing_ok=True)
        reason = compile_native(root / "native", built, system)
        if reason is not None:
            self.app.display_warning(f"toolhaft is built without its primitives in C: {reason}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = system.wheel_tag
        if version != "editable":
            build_data["force_include"][str(built)] = f"toolhaft/{system.file_name}"


class ReadmeHook(MetadataHookInterface):
    """Adds the README, with links that work away from the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme; `links` in the configuration is the address of the files."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = substitute_links(text, self.config.get("links"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def substitute_links(text: str, base: str | None) -> str:
    """Let links to files lead to the same files below an address; without one keep their words."""
    link = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")
    return link.sub(rf"[\1]({base}/\2)" if base else r"\1", text)


def compile_native(sources: Path, built: Path, system: System | None = None) -> str | None:
    """Compile the sources into one module; give the reason where that cannot be done."""
    system = system or System.here()
    if system.environ.get("TOOLHAFT_PURE") == "1":
        return "TOOLHAFT_PURE=1"
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "the interpreter is not CPython with its lock"
    if shutil.which(system.compiler[0]) is None:
        return "there is no compiler"
    command = system.command(sorted(map(str, sources.glob("*.c"))), str(built))
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    reason = (done.stderr or done.stdout)[-2000:]  # MSVC writes its errors to standard output
    return None if done.returncode == 0 else f"{system.compiler[0]} failed: {reason}"
