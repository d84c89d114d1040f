"""Compare the SDKs of this environment with what was reviewed of them: `make sdk-drift`.

PYTHONPATH=. python .ci/sdk_drift.py [LIST] prints the list and the differences, and exits with 1 if
there are any.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.sdks.drift import REVIEWED, differences, read_list, report
from tests.sdks.inventory import inventory


def main(path: Path) -> int:
    """Print the list with its reasons, and the differences to the installed SDKs."""
    reviewed, found = read_list(path), inventory()
    different = list(differences(reviewed, found))
    print(*report(reviewed, found), "", *different, f"{len(different)} differences", sep="\n")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else REVIEWED))
