"""The style of a report's page; its colours differ in lightness too, for print and for all eyes."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root { --paper: #fff; --ink: #1b1f24; --soft: #59636e; --line: #d1d9e0; --sent: #2a6f97;
  --repaired: #8ecae6; --refused: #e76f51; --unknown: #8d4a3a; --none: #9aa4ae; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --ink: #e6e9ec; --soft: #9aa4ae;
  --line: #30363d; --sent: #58a6d6; --repaired: #2c5f80; --refused: #f0876b; --unknown: #b5654f;
  --none: #59636e; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 2rem 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 1rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .2rem; }
p, footer { color: var(--soft); margin: .2rem 0 .8rem; max-width: 46rem; }
footer { margin-top: 3rem; font-size: .85rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .85rem; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: middle; }
.issues td { vertical-align: top; } .name { overflow-wrap: anywhere; }
.shares td:nth-child(2), .shares td:nth-child(4), .shares td:nth-child(6),
.issues td:nth-child(4) { text-align: right; white-space: nowrap; }
.shares { table-layout: fixed; } .shares td:nth-child(n+2) { white-space: nowrap; }
.shares th:nth-child(1) { width: 24%; } .shares th:nth-child(2) { width: 8%; }
.shares th:nth-child(3) { width: 24%; } .shares th:nth-child(4) { width: 9%; }
.shares th:nth-child(5) { width: 14%; } .shares th:nth-child(6) { width: 7%; }
.shares th:nth-child(2), .shares th:nth-child(4), .shares th:nth-child(6) { text-align: right; }
svg { display: block; max-width: 100%; } .legend svg { display: inline-block; }
.legend span { margin-right: 1.2rem; white-space: nowrap; }
.shares td:nth-child(3) svg { width: 14rem; height: 14px; }
.shares td:nth-child(5) svg, .shares td:nth-child(7) svg { width: 9rem; height: 16px; }
.sent { fill: var(--sent); } .repaired { fill: var(--repaired); } .refused { fill: var(--refused); }
.unknown { fill: var(--unknown); } .none { fill: var(--none); }
line { stroke: var(--ink); stroke-width: 2; } circle { fill: var(--ink); }
line.run1 { stroke: var(--refused); } circle.run1 { fill: var(--refused); }
line.grid { stroke: var(--line); stroke-width: 1; }
code { font-size: .9em; overflow-wrap: anywhere; }
blockquote { margin: 0 0 .4rem; padding-left: .7rem; border-left: 3px solid var(--line);
  overflow-wrap: anywhere; max-width: 40rem; }
@media (max-width: 60rem) { .shares td:nth-child(5), .shares th:nth-child(5),
  .shares td:nth-child(7), .shares th:nth-child(7) { display: none; } }
@media print { main { max-width: none; padding: 0; } tr { break-inside: avoid; }
  h2 { break-after: avoid; } svg * { print-color-adjust: exact; } }
"""
