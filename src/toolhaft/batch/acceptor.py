"""Accept arguments that fit a tool's shape: what the whole way would admit as it was sent."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from toolhaft.batch.record import to_one_line
from toolhaft.call.boundary import Boundary
from toolhaft.call.fast_path import MOST_CHARS, FastPath
from toolhaft.call.view import has_factories
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import native
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors.json_schema import JsonSchemaAdapter
from toolhaft.vendors.msgspec.adapter import MsgspecAdapter

__all__ = ["Accept", "acceptor_of", "is_plain"]

# Tools whose rows come again and again.
REMEMBERED = 1 << 12
# Gives the JSON text of arguments that are accepted; None for those that go the whole way.
Accept: TypeAlias = Callable[[Any], str | None]


def acceptor_of(tool: AnyTool) -> Accept | None:
    """Compile what accepts the arguments of a tool; None where all go the whole way.

    >>> from toolhaft import tool
    >>> takes_all = {"type": "object"}
    >>> accept = acceptor_of(tool(lambda a: a, name="a", description="A.", input=takes_all))
    >>> accept('{"n": 1}'), accept({"n": 1}), accept("[]")
    ('{"n": 1}', '{"n":1}', None)
    """
    path = tool.boundary.fast_path
    return _acceptor(path) if path is not None and is_plain(tool.boundary) else None


@lru_cache(REMEMBERED)
def is_plain(boundary: Boundary) -> bool:
    """Whether the arguments that are admitted are all that a call is made from."""
    pipeline, adapter = boundary.pipeline, boundary.pipeline.adapter
    needs_more = adapter.may_await or adapter.awaits or adapter.takes_context
    return pipeline is pipeline.handler_pipeline and not (needs_more or has_factories(adapter))


def _acceptor(path: FastPath) -> Accept:
    fits_text, accepts_read, accepts_data = _text_test(path), _read_test(path), _data_test(path)
    rejects: tuple[type[Exception], ...] = (ValueError, RuntimeError, *path.rejects)

    def accept(arguments: Any) -> str | None:
        try:
            if type(arguments) is str:
                if len(arguments) > MOST_CHARS:
                    return None
                if not (fits_text(arguments) or accepts_read(arguments)):
                    return None
                return to_one_line(arguments)
            is_object = type(arguments) is dict
            return jsontext.write(arguments) if is_object and accepts_data(arguments) else None
        except rejects:
            return None

    return accept


def _text_test(path: FastPath) -> Callable[[str], bool]:
    """Say of text, without reading it into data, that it fits; what is right but rare it leaves."""
    fits_text: Callable[[str], bool] = path.shape.fits_text
    adapter = path.pipeline.adapter
    if native and isinstance(adapter, JsonSchemaAdapter):
        return fits_text  # such data are what is constructed
    construct_text = path.construct_text
    if isinstance(adapter, MsgspecAdapter):
        construct_text = adapter.decode_text
    if native and construct_text is not None:
        return lambda text: fits_text(text) and bool((construct_text(text),))
    return lambda _: False


def _read_test(path: FastPath) -> Callable[[str], bool]:
    """Say whether the data of text fit, and the library constructs them."""
    shape, construct = path.shape, path.construct
    constructs = not isinstance(path.pipeline.adapter, JsonSchemaAdapter)
    # What was read strictly is plain: in Python it is not looked at again.
    read, fits = (jsontext.read_unbounded, shape.fits) if native else (jsontext.read, shape.accepts)

    def accepts(text: str) -> bool:
        if jsontext.may_round(text):
            return False
        data = read(text)
        if type(data) is not dict or not fits(data):
            return False
        if constructs:
            construct(data)
        return True

    return accepts


def _data_test(path: FastPath) -> Callable[[Any], bool]:
    """Say whether plain data fit, and the library constructs them."""
    fits, construct = path.shape.fits, path.construct

    def accepts(data: Any) -> bool:
        if not fits(data):
            return False
        construct(data)
        return True

    return accepts
