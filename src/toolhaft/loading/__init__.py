"""Load tools by the place that names them: the one loader of the command line and of `batch`.

`source` is where to begin: `load_tools` takes a module, a Python file, one name of either, or a
file of declarations. `modules` imports, `selection` finds the tools of a module, `declared` reads
declarations, and `faults` says what cannot be loaded and where.
"""

__all__: list[str] = []
