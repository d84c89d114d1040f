"""A report as one page of HTML: no script, nothing from elsewhere, light and dark, printable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from toolhaft.batch.report.style import STYLE
from toolhaft.batch.report.svg import CLASSES, interval, verdict_bar

__all__ = ["to_html"]

Row = Sequence[str]
MOST_ROWS = 40
COLUMNS = ("calls", "what became of them", "accepted", "", "right", "")
FOOTER = (
    "<footer>Bars are shares of calls. Points are shares that were accepted, or right, with "
    "Wilson's interval at 95 %; changes have Newcombe's. Right is judged where a call has an "
    "expectation, compared as the Berkeley leaderboard does. All scales go from 0 to 1.</footer>"
)
HEADS = {
    "models": ("Models", "The models that wrote the calls, as their rows name them."),
    "tools": ("Tools", "The most called first."),
    "rules": ("Repairs", "Calls that each rule repaired, and how many of them are right."),
}


def to_html(report: Mapping[str, Any], title: str = "Calls of tools") -> str:
    """Write a report, as `to_json` gives it, as a page."""
    runs = report["runs"]
    body = [
        f"<h1>{escape(title)}</h1>",
        _summary(runs),
        _legend(),
        *(_section(runs, plural) for plural in HEADS if any(run[plural] for run in runs)),
        _changes(report["changes"], runs) if report["changes"] else "",
        *(_issues(run, alone=len(runs) == 1) for run in runs if run["issues"]),
        FOOTER,
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _summary(runs: Sequence[Mapping[str, Any]]) -> str:
    rows = [[_name(run["name"]), *_cells(run["all"], place)] for place, run in enumerate(runs)]
    return _table(("run", *COLUMNS), rows)


def _cells(group: Mapping[str, Any], place: int = 0) -> list[str]:
    accepted, right = group["accepted"], group["right"]
    return [
        f"{group['calls']:,}",
        verdict_bar(group["verdicts"]),
        f"{accepted['share']:.1%}",
        interval(accepted, place),
        f"{right['share']:.1%}" if right else "",
        interval(right, place) if right else "",
    ]


def _section(runs: Sequence[Mapping[str, Any]], plural: str) -> str:
    head, words = HEADS[plural]
    rows: list[Row] = []
    for name in _names(runs, plural):
        for place, run in enumerate(runs):
            group = next((entry for entry in run[plural] if entry["name"] == name), None)
            if group is not None:
                label = f"{name} ({run['name']})" if len(runs) > 1 else name
                rows.append([_name(label), *_cells(group, place)])
    total = len({group["name"] for run in runs for group in run[plural]})
    more = f" {MOST_ROWS} of {total:,} are shown." if total > MOST_ROWS else ""
    return f"<h2>{head}</h2><p>{words}{more}</p>{_table((plural[:-1], *COLUMNS), rows)}"


def _names(runs: Sequence[Mapping[str, Any]], plural: str) -> list[str]:
    seen = dict.fromkeys(group["name"] for run in runs for group in run[plural])
    return list(seen)[:MOST_ROWS]


def _changes(changes: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]]) -> str:
    clear = [change for change in changes if change["kind"] == "all" or change["is_clear"]]
    rows = [
        [
            _name(change["name"] or "all calls"),
            " / ".join(f"{count:,}" for count in change["calls"]),
            f"{change['gain']:+.1%}",
            f"{change['low']:+.1%} to {change['high']:+.1%}",
            "clear" if change["is_clear"] else "may be chance",
        ]
        for change in sorted(clear, key=lambda change: (change["kind"] != "all", change["gain"]))
    ]
    first, second = (escape(run["name"]) for run in runs)
    return (
        f"<h2>From {first} to {second}</h2><p>By how much more was accepted; of models and tools, "
        "those where it is no chance.</p>"
        + _table(("", "calls", "change", "interval", ""), rows[:MOST_ROWS], kind="changes")
    )


def _issues(run: Mapping[str, Any], *, alone: bool) -> str:
    rows = [
        [
            _name(issue["tool"]),
            f"<code>{escape(issue['path'] or '(whole)')}</code>",
            escape(issue["code"]),
            f"{issue['count']:,}",
            "".join(f"<blockquote>{escape(text or '')}</blockquote>" for text in issue["texts"]),
        ]
        for issue in run["issues"][:MOST_ROWS]
    ]
    of_run = "" if alone else f" of {escape(run['name'])}"
    return f"<h2>Issues{of_run}</h2><p>Where calls were refused, and what the model reads.</p>" + (
        _table(("tool", "path", "code", "times", "text"), rows, kind="issues")
    )


def _legend() -> str:
    items = "".join(
        f'<span><svg width="12" height="12" aria-hidden="true"><rect class="{css}" width="12" '
        f'height="12"/></svg> {verdict}</span>'
        for verdict, css in CLASSES.items()
    )
    return f'<p class="legend">{items}</p>'


def _name(text: str) -> str:
    return f"<span class=name>{escape(text)}</span>"


def _table(heads: Iterable[str], rows: Sequence[Row], kind: str = "shares") -> str:
    return "".join(_table_parts(heads, rows, kind))


def _table_parts(heads: Iterable[str], rows: Sequence[Row], kind: str) -> Iterator[str]:
    yield f'<table class="{kind}"><thead><tr>'
    yield from (f"<th scope=col>{head}</th>" for head in heads)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
    yield "</tbody></table>"
