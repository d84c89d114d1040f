"""What the site adds to Sphinx: one signature a function, tables from the code, and `llms.txt`.

`llms.txt` lists every page with its first sentence (llmstxt.org, read 2026-11-24), and
`llms-full.txt` has the source of all pages in their order.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from docutils import nodes  # type: ignore[import-untyped]
from error_messages import messages
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

from toolhaft.cli.app import app as command_line

HELP_COLUMNS = 80


def drop_overloads(app: Sphinx) -> None:
    """Show the signature that a function has, rather than each overload for type checkers."""
    del app
    analyze = ModuleAnalyzer.analyze

    def analyze_without_overloads(analyzer: ModuleAnalyzer) -> None:
        analyze(analyzer)
        analyzer.overloads.clear()

    ModuleAnalyzer.analyze = analyze_without_overloads  # type: ignore[assignment, method-assign]


class ErrorMessages(SphinxDirective):
    """A table of the messages that some modules make: `{error-messages} definition tools`."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the table, read from the code."""
        return self.parse_text_to_nodes(error_table(self.arguments[0]))


def error_table(modules: str) -> str:
    """Return the messages of some modules as a table in Markdown."""
    rows = [f"| {_cell(one.problem)} | {_cell(one.fix)} |" for one in messages(*modules.split())]
    return "\n".join(["| error | fix |", "|---|---|", *rows])


def _cell(text: str) -> str:
    """Return text as a cell of a table, in which no character has a meaning."""
    return "".join(f"&#{ord(one)};" if one in "|*_`<>[]\\&{}$~#:" else one for one in text)


class CommandReference(SphinxDirective):
    """A section for each command, with its help as the terminal prints it."""

    def run(self) -> list[nodes.Node]:
        """Return the sections, in the order of the commands."""
        return self.parse_text_to_nodes(command_sections(), allow_section_headings=True)


def command_sections() -> str:
    """Return a section in Markdown for each command."""
    names = command_line.list_commands(_context())
    return "\n".join(line for name in names for line in _help(name))


def _context() -> click.Context:
    return click.Context(command_line, info_name="toolhaft", max_content_width=HELP_COLUMNS)


def _help(name: str) -> list[str]:
    context = _context()
    command = command_line.get_command(context, name)
    assert command is not None
    inner = click.Context(
        command, info_name=name, parent=context, terminal_width=HELP_COLUMNS, color=False
    )
    return [f"## toolhaft {name}", "", "````text", command.get_help(inner), "````", ""]


def leave_out_of_search(app: Sphinx, docname: str, source: list[str]) -> None:
    """Keep pages for contributors and the changelog out of the index, where guides would drown."""
    del source
    if docname.startswith(("decisions/", "project/")):
        app.env.metadata[docname]["nosearch"] = "true"


def strip_blank_lines(app: Sphinx, document: nodes.document) -> None:
    """Remove the blank line with which the last example of a block ends."""
    del app
    for block in document.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block[:] = [nodes.Text(text)]
        block.rawsource = text  # another text would not be highlighted


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
    (outdir / "llms-full.txt").write_text(
        "\n\n".join(map(expanded, sources.values())), encoding="utf-8"
    )


def expanded(source: str) -> str:
    """Return the source of a page with the tables that the code writes in place of directives."""
    source = re.sub(
        r"^```\{error-messages\} (.*)\n```$",
        lambda found: error_table(found[1]),
        source,
        flags=re.MULTILINE,
    )
    return source.replace("```{command-reference}\n```", command_sections())


def reject_remote_assets(app: Sphinx, error: Exception | None) -> None:
    """Raise if a page loads anything from another host: the site works offline."""
    if error is not None or app.builder.format != "html":
        return
    loads = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]+(?:src|href)=\"(?:https?:)?//")
    for page in sorted(Path(app.outdir).rglob("*.html")):
        if loads.search(page.read_text("utf-8")):
            message = f"{page}: loads a remote asset"
            raise ExtensionError(message)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the extension to Sphinx."""
    app.add_directive("error-messages", ErrorMessages)
    app.add_directive("command-reference", CommandReference)
    app.connect("builder-inited", drop_overloads)
    app.connect("source-read", leave_out_of_search)
    app.connect("doctree-read", strip_blank_lines)
    app.connect("build-finished", write_llms_texts)
    app.connect("build-finished", reject_remote_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
