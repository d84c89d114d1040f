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
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

NAME = "_native.abi3.so"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra")
LINKED = {"darwin": ("-bundle", "-undefined", "dynamic_lookup")}


class NativeBuildHook(BuildHookInterface[Any]):
    """Adds the compiled primitives to a wheel, or puts them into the source of an editable one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the wheel is written."""
        root = Path(self.root)
        in_place = root / "src" / "toolhaft" / NAME
        built = in_place if version == "editable" else Path(mkdtemp()) / NAME
        if version == "editable":
            in_place.unlink(missing_ok=True)
        reason = compile_native(root / "native", built)
        if reason is not None:
            self.app.display_warning(f"toolhaft is built without its primitives in C: {reason}")
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform}"
        if version != "editable":
            build_data["force_include"][str(built)] = f"toolhaft/{NAME}"


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


def compile_native(sources: Path, built: Path) -> str | None:
    """Compile the sources into one module; give the reason where that cannot be done."""
    if os.environ.get("TOOLHAFT_PURE") == "1":
        return "TOOLHAFT_PURE=1"
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "the interpreter is not CPython with its lock"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if os.name != "posix" or shutil.which(compiler[0]) is None:
        return "there is no compiler"
    command = [*compiler, *FLAGS, *LINKED.get(sys.platform, ("-shared",))]
    command += ["-I", sysconfig.get_path("include"), *map(str, sorted(sources.glob("*.c")))]
    done = subprocess.run(  # noqa: S603 - the compiler that Python was built with
        [*command, "-o", str(built)], capture_output=True, text=True, check=False
    )
    return None if done.returncode == 0 else f"{compiler[0]} failed: {done.stderr[-2000:]}"
