"""Import the operations of an OpenAPI document as tools.

`tools.py` makes them: `document.py` reads the document, `operations.py` lists its operations,
`schemas.py` writes schemas in current terms; `parameters.py` and `bodies.py` read the parts of a
request, `outputs.py` the results; `styles.py`, `paths.py` and `forms.py` write a value for its
place, under names that `sent_names.py` keeps distinct; `requests.py` makes one request of the
arguments, `clients.py` sends it, and `responses.py` reads the answer, without values for writing
only. `parts.py` finds all schemas of a value.
"""

from __future__ import annotations

__all__: list[str] = []
