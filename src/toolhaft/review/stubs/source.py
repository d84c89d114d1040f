"""Write names and texts as Python source, whatever characters they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from keyword import iskeyword

from toolhaft.definition import names

__all__ = ["docstring", "identifier", "is_attribute", "literal"]

# Of `unicode_escape`: the most that a character becomes.
MOST_ESCAPE = 10


def identifier(text: str, used: Iterable[str] = ()) -> str:
    """Return a Python name that is close to a text and not used yet.

    >>> identifier("crm.list-orders"), identifier("from"), identifier("2d[]", ["_2d"])
    ('crm_list_orders', 'from_', '_2d_2')
    """
    name = re.sub(r"\W+", "_", re.sub(r"\W+$", "", text, flags=re.ASCII), flags=re.ASCII) or "_"
    name = f"_{name}" if name[0].isdigit() else name
    return names.free_name(f"{name}_" if iskeyword(name) else name, {*used})


def is_attribute(key: str) -> bool:
    """Check whether a key can be written in the body of a class; some names are changed there.

    >>> is_attribute("city"), is_attribute("class"), is_attribute("__id")
    (True, False, False)
    """
    return key.isascii() and key.isidentifier() and not (iskeyword(key) or key.startswith("__"))


def literal(text: str) -> str:
    r"""Write a text as a string literal, without anything that a reader cannot see.

    >>> print(literal("Par\u202eis"))
    "Par\u202eis"
    """
    # In double quotes, which `repr` takes for a text with a single one.
    written = repr(text) if '"' in text else '"' + repr(f"'{text}")[2:]
    return names.escape_text(written, MOST_ESCAPE * len(written))


def docstring(text: str, indent: str = "    ") -> str:
    r"""Write a docstring that holds a text and nothing else.

    >>> print(docstring("A backslash: " + chr(92), "").strip('"'))
    A backslash: \\
    """
    lines = [_escape(line.rstrip()) for line in text.strip().split("\n")]
    if len(lines) == 1 and not lines[0].endswith('"'):
        return f'{indent}"""{lines[0]}"""'
    rest = [f"{indent}{line}" if line else "" for line in lines[1:]]
    return "\n".join([f'{indent}"""{lines[0]}', *rest, f'{indent}"""'])


def _escape(line: str) -> str:
    line = line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return names.escape_text(line, MOST_ESCAPE * len(line) + 1)
