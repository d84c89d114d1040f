"""The boundary of a tool: from the arguments that a model sent to the outcome of the call.

`decode` reads the arguments, `input` validates them, `repair` fixes values that the schema rejects,
`argument_binder` passes them to the handler, `running` and `workers` run it, `results` check its
result, `feedback` writes the texts for the model; `boundary` puts these steps together.
"""

from __future__ import annotations

__all__: list[str] = []
