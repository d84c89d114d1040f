"""The page in a browser: `make page`, or `python .ci/page --browser PATH --axe FILE`.

The driver has an environment of its own (.venv-page), and starts servers with that of the project.
It fails where the browser reports an error or a breach of the policy, where axe-core finds
something, or where a step is not possible. `--quick` runs the steps that CI has time for.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from driver import VIEWS, Run
from failing import failing
from forms import forms
from hostile import code, foreign, hostile
from keyboard import keyboard
from many import many, past, waiting
from playwright.sync_api import sync_playwright
from typed import exact, typing
from way import way_through

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--host-resolver-rules=MAP *.example 127.0.0.1",
]  # fmt: skip
Step = Callable[[Run], None]
STEPS: dict[str, Step] = {
    **{
        f"the way through, {theme}, {width}": partial(way_through, theme=theme, width=width)
        for theme, width in VIEWS
    },
    "the keyboard alone": keyboard,
    "forms": forms,
    "typing": typing,
    "exact values": exact,
    "hostile texts": hostile,
    "a foreign page": foreign,
    "the one-time code": code,
    "a dying server, a full disk, a damaged file": failing,
    "2,000 tools": many,
    "1,000 waiting calls": waiting,
    "100,000 calls": past,
}
QUICK: dict[str, Step] = {
    "the way through, light, 1360": partial(way_through, theme="light", width=1360),
    "the way through, dark, 390": partial(way_through, theme="dark", width=390),
    "forms": partial(forms, modelled=50, shown=2),
    "hostile texts": hostile,
    "a dying server, a full disk, a damaged file": failing,
}


def main() -> int:
    """Run every step; return 1 if one failed, or the browser complained."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", default=shutil.which("chromium"), help="a Chromium")
    parser.add_argument("--axe", type=Path, help="axe.min.js of axe-core")
    parser.add_argument("--quick", action="store_true", help="only what CI has time for")
    parser.add_argument("--only", default="", help="words of the steps to run")
    parser.add_argument("--shots", type=Path, help="where pictures go")
    asked = parser.parse_args()
    if asked.axe is not None and not asked.axe.exists() and asked.quick:
        print("without axe-core, which npm could not fetch")
        asked.axe = None
    axe = None if asked.axe is None else asked.axe.read_text()
    chosen = QUICK if asked.quick else STEPS
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=asked.browser, args=FLAGS)
        print(f"Chromium {browser.version}", flush=True)
        run = Run(browser, axe, asked.shots)
        steps = {name: step for name, step in chosen.items() if asked.only in name}
        failed = [name for name, step in steps.items() if not is_done(name, step, run)]
        browser.close()
    print("\n".join(dict.fromkeys(run.complaints)))
    return 1 if failed or run.complaints else 0


def is_done(name: str, step: Step, run: Run) -> bool:
    """Run a step, and say how it went."""
    begun = time.monotonic()
    try:
        step(run)
    except Exception as error:  # noqa: BLE001  each step is told
        print(f"{name}: {error}", flush=True)
        return False
    print(f"{name}: done in {time.monotonic() - begun:.0f} s", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
