"""Load the operations of an OpenAPI document, which can be called if it names a server."""

from __future__ import annotations

from contextlib import closing, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from toolhaft.cli import remote
from toolhaft.cli.errors import Unusable
from toolhaft.errors import DefinitionError
from toolhaft.imports.imported import Imported
from toolhaft.imports.openapi.document import Refused, read_document
from toolhaft.imports.openapi.paths import check_base_url, server_urls
from toolhaft.imports.openapi.tools import from_openapi
from toolhaft.loading.faults import name_near_file

__all__ = ["open_document"]

PREFIX: Final = "openapi:"
CLIENTS: Final = ("httpx", "httpx2")
SECONDS: Final = 30.0
NOWHERE: Final = "https://server.invalid"
NO_CLIENT: Final = "calls of operations need httpx: pip install httpx"
NO_SERVER: Final = "the document names no server: give --base-url"


def open_document(target: str) -> tuple[Imported, str]:
    """Return the tools of a document, and why they cannot be called: empty if they can.

    Calls need the address of a server in the document and an HTTP client, which is closed when the
    command ends.

    Raises:
        Unusable: with the reason.
    """
    base_url = remote.base_url()
    path = _find_file(target)
    try:
        data = read_document(path).data
        address = _find_address(server_urls(data)) if base_url is None else check_base_url(base_url)
        client = _make_client()
        lacks = NO_CLIENT if client is None else "" if address else NO_SERVER
        opened = nullcontext(_Unable()) if client is None else closing(client)
        used = click.get_current_context().with_resource(opened)
        return from_openapi(data, client=used, base_url=address or NOWHERE), lacks
    except Refused as refused:
        raise Unusable(f"--base-url: {refused.fault[1]}") from None
    except DefinitionError as error:
        raise Unusable.from_definition_error(error, target) from None


def _find_file(target: str) -> Path:
    """Return the path of a document.

    Raises:
        Unusable: Nothing can be read there.
    """
    name = target.removeprefix(PREFIX)
    if "://" in name:
        raise Unusable(f"{target}: expected a file, not an address; download the document")
    if Path(name).is_dir():
        raise Unusable(f"{target}: is a folder; name a document in it")
    if not Path(name).exists():
        raise Unusable(f"{target}: no such file{name_near_file(name, '*.json')}")
    return Path(name)


def _find_address(servers: list[str]) -> str | None:
    """Return the address of the first server, or None if it is not a whole one."""
    try:
        return check_base_url(servers[0]) if servers else None
    except Refused:
        return None


def _make_client() -> Any:
    """Make a client of the HTTP library that is there; None without one."""
    for name in CLIENTS:
        try:
            return import_module(name).Client(timeout=SECONDS, headers=remote.headers())
        except ModuleNotFoundError:
            continue
    return None


class _Unable:
    """A stand-in for a missing client: the tools are only looked at."""

    def request(self, *_: Any, **__: Any) -> NoReturn:
        """Raise an error that names the missing library."""
        raise ModuleNotFoundError(NO_CLIENT)
