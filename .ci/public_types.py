"""Fail when a public name, or a member of a public class, has a type that a checker must guess.

pyright's `--verifytypes` looks at every module; public are the names of `toolhaft` and of
`toolhaft.spec`; a public class has the members that it inherits from ours. Any type that a public
name refers to counts with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import toolhaft
from toolhaft import spec

COMMAND = [sys.executable, "-m", "pyright", "--outputjson", "--ignoreexternal"]
BASES = [
    base for name in toolhaft.HOMES for base in getattr(getattr(toolhaft, name), "__mro__", ())
]
PUBLIC = {
    *(f"toolhaft.{name}" for name in toolhaft.__all__),
    *(f"{base.__module__}.{base.__qualname__}" for base in BASES),
    *(f"toolhaft.{home}.{name}" for name, home in toolhaft.HOMES.items()),
    *(f"toolhaft.spec.{name}" for name in spec.__all__),
}


def is_public(symbol: dict[str, Any]) -> bool:
    """Return whether a symbol is a public name, or directly inside of one."""
    name = symbol["name"]
    return symbol["isExported"] and not PUBLIC.isdisjoint({name, name.rpartition(".")[0]})


# --verifytypes does not follow an editable install to the source.
source = {**os.environ, "PYTHONPATH": str(Path(toolhaft.__file__).parents[1])}
done = subprocess.run(  # noqa: S603  a command of our own
    [*COMMAND, "--verifytypes", "toolhaft"], env=source, capture_output=True, text=True, check=False
)
public = [one for one in json.loads(done.stdout)["typeCompleteness"]["symbols"] if is_public(one)]
unsure = [one for one in public if not one["isTypeKnown"] or one["isTypeAmbiguous"]]
for one in unsure:
    print(one["name"], *(found["message"] for found in one["diagnostics"]), sep="\n    ")
print(f"{len(public) - len(unsure)} of {len(public)} public symbols have a known type")
sys.exit(bool(unsure) or not public)
