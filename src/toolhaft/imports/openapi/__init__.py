"""The operations of an OpenAPI document, taken in as tools.

`tools.py` makes them: `document.py` reads the document, `operations.py` lists what it offers,
`schemas.py` writes schemas in today's terms; `parameters.py` and `bodies.py` read what a request is
made of, `outputs.py` what it gives; `styles.py`, `paths.py` and `forms.py` write a value as its
place has it, under names that `sent_names.py` holds apart; `requests.py` makes one request of the
arguments, `clients.py` sends it, and `responses.py` reads the answer, without what is for writing
only (`write_only.py`, which like `schemas.py` asks `parts.py` for all that speaks of a value).
"""

from __future__ import annotations

__all__: list[str] = []
