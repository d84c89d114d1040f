"""Run tests on primitives that check themselves for errors of memory and undefined behaviour.

    python .ci/sanitize.py [pytest's arguments]

gcc and its libasan and libubsan are needed; the source tree is left as it is. All of `tests` can
run; tests that limit the memory of a child, or pass it another environment, fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
CHECKED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
DEFAULT = ("tests/native", "tests/call", "tests/jsonio")


def main(arguments: list[str]) -> int:
    """Build, and run pytest with the runtime of the sanitizers before everything else."""
    if shutil.which("gcc") is None:
        sys.exit("gcc is needed")
    with TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        build(source / "toolhaft" / "_native.abi3.so")
        environment = os.environ | {
            "PYTHONPATH": str(source),
            "PYTHONMALLOC": "malloc",  # or the sanitizer does not see where an object ends
            "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so.6')}",
            # The interpreter keeps memory until it ends, and some tests end a process by a signal.
            "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:abort_on_error=1"
            ":allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        }
        command = [sys.executable, "-m", "pytest", "-q", *(arguments or DEFAULT)]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode  # noqa: S603


def build(target: Path) -> None:
    """Compile with the checks, and with line numbers for what they find."""
    command = ["gcc", "-std=c11", "-g", "-O1", "-fPIC", "-shared", *CHECKED]
    command += ["-I", sysconfig.get_path("include"), "-o", str(target)]
    command += map(str, sorted((ROOT / "native").glob("*.c")))
    subprocess.run(command, check=True)  # noqa: S603


def library(name: str) -> str:
    """Return the path of gcc's library."""
    command = ["gcc", f"-print-file-name={name}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
