"""Addresses: the server that a program trusts, and paths that arguments cannot reshape."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from toolhaft.imports.openapi.document import Refused, as_object
from toolhaft.imports.openapi.styles import Unsendable

__all__ = ["ABSOLUTE", "PathTemplate", "check_base_url", "hide_path", "server_urls"]

# RFC 3986, 3.3: the characters that a path may have as they are, and the % of encoded ones.
LITERAL: Final = "/:@!$&'()*+,;=-._~%"
EXPRESSION: Final = re.compile(r"\{([^{}/?#]+)\}")
# Characters that no host has (RFC 3986, 3.2.2), an empty label, and the @ of a user.
NO_HOST: Final = re.compile(r"[\s\\@%<>^`|\"]|\.\.")
ABSOLUTE: Final = "pass base_url="
CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# A value that is still encoded after so many decodings is refused.
MAX_DECODED: Final = 5
# Of a digest: enough to tell paths apart.
DIGITS: Final = 16
OUTSIDE: Final = "must not be empty, a dot or two, nor hold a slash, a backslash or a line break"


class PathTemplate:
    """A path with places for arguments; no argument can add, take or leave a segment."""

    def __init__(self, path: str) -> None:
        self.path = path
        # A fragment tells operations on one path apart; it is never sent (RFC 9110, 7.1).
        before, _, self.query = path.partition("#")[0].partition("?")
        if not path.startswith("/") or EXPRESSION.search(self.query):
            reason = "a path that does not begin with a slash, or has a parameter in its query"
            raise Refused("", reason, "declare the parameter in the query")
        self.query_names = {name for name, _ in parse_qsl(self.query, keep_blank_values=True)}
        parts = EXPRESSION.split(before)
        if any("{" in literal or "}" in literal for literal in parts[::2]):
            raise Refused("", "a path with an unclosed brace", "correct it")
        if _has_dots(before):
            raise Refused("", "a path with a segment of dots", "write where it leads")
        self.names: tuple[str, ...] = tuple(dict.fromkeys(parts[1::2]))
        self.segments: list[list[str]] = [
            EXPRESSION.split(segment) for segment in before[1:].split("/")
        ]

    def fill(self, texts: Mapping[str, str]) -> str:
        """Put encoded texts in their places.

        Raises:
            Unsendable: An argument would leave its segment; `path` begins with its name.
        """
        return "".join(f"/{self._fill_segment(parts, texts)}" for parts in self.segments)

    def _fill_segment(self, parts: list[str], texts: Mapping[str, str]) -> str:
        if len(parts) == 1:
            return quote(parts[0], safe=LITERAL)
        pieces = [
            quote(part, safe=LITERAL) if place % 2 == 0 else texts[part]
            for place, part in enumerate(parts)
        ]
        segment = "".join(pieces)
        for name in parts[1::2]:
            if not all(map(_is_segment, [*texts[name].split("/"), *segment.split("/")])):
                raise Unsendable(OUTSIDE, (name,))
        return segment


def _has_dots(path: str) -> bool:
    """Whether a path has a segment that leads to itself or back."""
    return any(unquote(segment) in (".", "..") for segment in path.split("/"))


def _is_segment(text: str) -> bool:
    """Whether encoded text stays one segment of a path, however often it is decoded."""
    for _ in range(MAX_DECODED):
        plain = unicodedata.normalize("NFKC", text)
        if CONTROLS.search(plain) or "\\" in plain or "/" in plain:
            return False
        # Some servers cut a segment at a semicolon (RFC 3986, 3.3).
        if plain.strip(" ").partition(";")[0].strip(" ") in ("", ".", "..") and not (
            plain.startswith(";") and len(plain) > 1  # the matrix style
        ):
            return False
        text, before = unquote(text), text
        if text == before:
            return True
    return False


def server_urls(holder: Mapping[str, Any]) -> list[str]:
    """Return the servers of a document, a path or an operation, with the defaults of variables."""
    servers = holder.get("servers")
    nodes = (
        [each for each in servers if isinstance(each, Mapping)] if isinstance(servers, list) else []
    )
    return [_fill_variables(node) for node in nodes if isinstance(node.get("url"), str)]


def _fill_variables(server: Mapping[str, Any]) -> str:
    variables = as_object(server.get("variables"))

    def default(match: re.Match[str]) -> str:
        variable = variables.get(match[1])
        return str(variable.get("default", "")) if isinstance(variable, Mapping) else match[0]

    url = EXPRESSION.sub(default, server["url"]).rstrip("/")
    return f"https:{url}" if url.startswith("//") else url


def check_base_url(url: str) -> str:
    """Return an address without a slash at the end.

    Raises:
        Refused: It is not an absolute address of http or https, or has more than a path.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.port != 0 else None
    except ValueError:
        host = None
    else:
        has_query = parts.query or parts.fragment
        is_plain = parts.scheme in ("http", "https") and not (has_query or _has_dots(parts.path))
        is_host = NO_HOST.search(parts.netloc) is None
        if host and is_plain and is_host and "{" not in url and url.isprintable():
            path = quote(parts.path, safe=LITERAL)
            return f"{parts.scheme}://{parts.netloc}{path}".rstrip("/")
    raise Refused("servers", "not an absolute address of http or https", ABSOLUTE)


def hide_path(base_url: str, servers: Iterable[str]) -> str:
    """Return an address with its path as a digest, unless a server of the document has that path.

    It may have a token, as the addresses of bots and of webhooks do.
    """
    scheme, host, path, *_ = urlsplit(base_url)
    if not path or any(server.endswith(path) for server in servers):
        return base_url
    return f"{scheme}://{host}/sha256-{sha256(path.encode()).hexdigest()[:DIGITS]}"
