"""What the site adds to Sphinx: one signature for each function, and `llms.txt` for models.

`llms.txt` lists every page with its first sentence (llmstxt.org, read 2026-11-24), and
`llms-full.txt` has the source of all pages in their order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer


def drop_overloads(app: Sphinx) -> None:
    """Show the signature that a function has, rather than each overload for type checkers."""
    del app
    analyze = ModuleAnalyzer.analyze

    def analyze_without_overloads(analyzer: ModuleAnalyzer) -> None:
        analyze(analyzer)
        analyzer.overloads.clear()

    ModuleAnalyzer.analyze = analyze_without_overloads  # type: ignore[assignment, method-assign]


def first_sentence(source: str) -> str:
    """Return the first paragraph below the title of a page, up to its first full stop."""
    _, _, body = source.partition("\n\n")
    paragraph = " ".join(body.strip().partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".:")


def write_llms_texts(app: Sphinx, error: Exception | None) -> None:
    """Write `llms.txt` and `llms-full.txt` beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    documents = [name for name in app.env.found_docs if not name.startswith("decisions/")]
    sources = {name: Path(app.env.doc2path(name)).read_text("utf-8") for name in sorted(documents)}
    titles = {name: app.env.titles[name].astext() for name in sources}
    lines = [
        f"- [{titles[name]}]({name}.html): {first_sentence(source)}"
        for name, source in sources.items()
    ]
    outdir = Path(app.outdir)
    header = f"# {app.config.project}\n\n> {first_sentence(sources['index'])}.\n\n## Pages\n\n"
    (outdir / "llms.txt").write_text(header + "\n".join(lines) + "\n", encoding="utf-8")
    (outdir / "llms-full.txt").write_text("\n\n".join(sources.values()), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the extension to Sphinx."""
    app.connect("builder-inited", drop_overloads)
    app.connect("build-finished", write_llms_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
