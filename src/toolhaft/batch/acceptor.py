"""Accept arguments that fit a tool's shape: what the whole way would admit as it was sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from toolhaft.batch.record import is_one_line
from toolhaft.call.fast_path import MOST_CHARS, FastPath
from toolhaft.call.view import has_factories
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import native
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors.json_schema import JsonSchemaAdapter

__all__ = ["Accept", "acceptor_of"]

# Gives the JSON text of arguments that are accepted; None for those that go the whole way.
Accept: TypeAlias = Callable[[Any], str | None]


def acceptor_of(tool: AnyTool) -> Accept | None:
    """Compile what accepts the arguments of a tool; None where all go the whole way.

    >>> from toolhaft import tool
    >>> accept = acceptor_of(tool(lambda a: a, name="a", description="A.", input={"type": "object"}))
    >>> accept('{"n": 1}'), accept({"n": 1}), accept("[]")
    ('{"n": 1}', '{"n":1}', None)
    """
    boundary = tool.boundary
    path, pipeline = boundary.fast_path, boundary.pipeline
    adapter = pipeline.adapter
    is_plain = pipeline is pipeline.handler_pipeline and not (
        adapter.may_await or adapter.awaits or adapter.takes_context or has_factories(adapter)
    )
    return _acceptor(path) if path is not None and is_plain else None


def _acceptor(path: FastPath) -> Accept:
    accepts_text, accepts_data = _text_test(path), _data_test(path)

    def accept(arguments: Any) -> str | None:
        try:
            if type(arguments) is str:
                is_short = len(arguments) <= MOST_CHARS and is_one_line(arguments)
                return arguments if is_short and accepts_text(arguments) else None
            is_object = type(arguments) is dict
            return jsontext.write(arguments) if is_object and accepts_data(arguments) else None
        except (ValueError, RuntimeError, *path.rejects):
            return None

    return accept


def _text_test(path: FastPath) -> Callable[[str], bool]:
    """Say whether text fits, and the library constructs it."""
    fits_text = path.shape.fits_text
    constructs = not isinstance(path.pipeline.adapter, JsonSchemaAdapter)
    if native and not constructs:
        return fits_text  # type: ignore[no-any-return]
    construct_text = path.construct_text
    if construct_text is not None:
        return lambda text: fits_text(text) and (construct_text(text), True)[1]
    construct = path.construct if constructs else None
    fits = path.shape.fits if native else path.shape.fits_read

    def accepts(text: str) -> bool:
        if jsontext.may_round(text):
            return False
        data = jsontext.read_unbounded(text)
        if not fits(data):
            return False
        if construct is not None:
            construct(data)
        return True

    return accepts


def _data_test(path: FastPath) -> Callable[[Any], bool]:
    """Say whether plain data fit, and the library constructs them."""
    fits, construct = path.shape.fits, path.construct
    return lambda data: fits(data) and (construct(data), True)[1]
