"""Judge the arguments of calls: accepted as they were sent, accepted otherwise, or refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from toolhaft.call.boundary import Boundary
from toolhaft.call.outcome import Err
from toolhaft.call.types import Coercion
from toolhaft.call.view import has_factories
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import native
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors.json_schema import JsonSchemaAdapter
from toolhaft.vendors.msgspec.adapter import MsgspecAdapter

__all__ = ["Admission", "Admit", "admit_of"]

# Tools whose rows come again and again.
REMEMBERED = 1 << 12
# The JSON text, on one line, of arguments that are accepted as they were sent; the data of those
# that are accepted otherwise, and what was repaired; or the refusal.
Admission: TypeAlias = str | tuple[Any, tuple[Coercion, ...]] | Err
Admit: TypeAlias = Callable[[Any], Admission]


@lru_cache(REMEMBERED)
def admit_of(tool: AnyTool) -> Admit:
    """Compile what judges the arguments of a tool.

    >>> from toolhaft import tool
    >>> takes_all = {"type": "object"}
    >>> admit = admit_of(tool(lambda a: a, name="a", description="A.", input=takes_all))
    >>> admit('{"n": 1}'), admit({"n": 1}), admit("{'n': 1}"), admit("[]").kind
    ('{"n": 1}', '{"n":1}', ({'n': 1}, (Coercion((), 'python_literal'),)), 'invalid_input')
    """

    def admit_prepared(raw: Any) -> Admission:
        prepared = tool.prepare(raw)
        if isinstance(prepared, Err):
            return prepared
        return _find_spelling(raw, prepared.json, prepared.coercions)

    boundary = tool.boundary
    if not _is_plain(boundary):
        return admit_prepared
    accepts_text, validate = _text_test(boundary), boundary.validate

    def admit(raw: Any) -> Admission:
        try:
            if type(raw) is str and accepts_text(raw):
                return _to_one_line(raw)
            validated = validate(raw)
        except Exception:  # noqa: BLE001 - an author's validator: `prepare` says what of it
            return admit_prepared(raw)
        if isinstance(validated, Err):
            return validated
        _, data, coercions = validated
        if type(validated) is not tuple:
            return _find_spelling(raw, data, coercions)
        # The fast path changes nothing.
        return _to_one_line(raw) if type(raw) is str else jsontext.write(data)

    return admit


def _is_plain(boundary: Boundary) -> bool:
    """Whether the arguments that are admitted are all that a call is made from."""
    pipeline, adapter = boundary.pipeline, boundary.pipeline.adapter
    needs_more = adapter.may_await or adapter.awaits or adapter.takes_context
    return pipeline is pipeline.handler_pipeline and not (needs_more or has_factories(adapter))


def _text_test(boundary: Boundary) -> Callable[[str], bool]:
    """Say of text that it is accepted, sooner than by its data; it leaves what is rare."""
    path, adapter = boundary.fast_path, boundary.pipeline.adapter
    if path is not None and isinstance(adapter, JsonSchemaAdapter):
        fits: Callable[[str], bool] = path.shape.fits_text
        return fits  # such data are what is constructed
    decode = adapter.decode_text if isinstance(adapter, MsgspecAdapter) else None
    if native and path is not None and decode is not None:
        return _decoded(path.shape.fits_text, decode, path.rejects)
    return lambda _: False


def _decoded(
    fits_text: Callable[[str], bool],
    decode: Callable[[str], Any],
    rejects: tuple[type[Exception], ...],
) -> Callable[[str], bool]:
    """Say whether text fits, and the library decodes it."""

    def accepts(text: str) -> bool:
        try:
            return fits_text(text) and bool((decode(text),))
        except rejects:
            return False

    return accepts


def _find_spelling(raw: Any, data: Any, coercions: tuple[Coercion, ...]) -> Admission:
    """Give the text that was sent where it stands for what was admitted."""
    if type(raw) is str and not coercions:
        try:
            if jsontext.read(raw) == data:
                return _to_one_line(raw)
        except jsontext.JsonSyntaxError:
            pass
    return data, coercions


def _to_one_line(text: str) -> str:
    """Write strict JSON text, which has line ends between its tokens only, on one line."""
    if "\n" not in text and "\r" not in text:
        return text
    return text.replace("\n", " ").replace("\r", " ")
