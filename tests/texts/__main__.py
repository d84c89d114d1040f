"""Write the golden file anew; each text is to be read before it is kept.

PYTHONPATH=src:. python -m tests.texts
"""

from __future__ import annotations

from tests.texts.golden import GOLDEN, written

if __name__ == "__main__":
    GOLDEN.write_text(written(), "utf-8")
