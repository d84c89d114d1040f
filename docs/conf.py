"""Configuration of the documentation site; `make docs` builds it with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "toolhaft"
author = "The toolhaft authors"
copyright = author  # noqa: A001  Sphinx's name for it
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
extensions += ["toolhaft_site", "glossary_links"]
exclude_patterns = ["_build"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# Docstrings write code in single backticks, as Markdown does.
default_role = "code"

html_theme = "furo"
html_title = "toolhaft"
html_copy_source = False
html_show_sphinx = False

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_ivar = True

# A link may lead to a file outside of docs/; tests/docs checks that every link leads somewhere.
suppress_warnings = ["myst.xref_missing"]
# Sphinx would fetch the inventories of other libraries, and type variables have no page.
nitpick_ignore_regex = [
    ("py:.*", r"(?!toolhaft\.).*"),
    ("py:.*", r".*\.([A-Z]|[A-Za-z]+_co)"),
    # Types that users neither make nor name.
    (
        "py:.*",
        r"toolhaft\..*\.(Fold|FoundCall|NodeLens|Part|Permission|Provider|Select|TextOptions)",
    ),
]
