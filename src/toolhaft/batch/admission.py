"""Validate the arguments of calls quickly, and keep their text if nothing was repaired."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from toolhaft.call.boundary import Boundary
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.call.outcome import Err
from toolhaft.call.types import Coercion
from toolhaft.call.view import has_factories
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import native, plain_copy
from toolhaft.tools.internals import boundary_of
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors.json_schema import JsonSchemaAdapter

__all__ = ["Admission", "Admit", "admit_of"]

# Tools for which the compiled function is kept.
REMEMBERED = 1 << 12
# The JSON text, on one line, of arguments that are accepted as they were sent; the data of other
# accepted arguments with their repairs; or the error.
Admission: TypeAlias = str | tuple[Any, tuple[Coercion, ...]] | Err
Admit: TypeAlias = Callable[[Any], Admission]
# A test, and a constructor for what passes it.
Steps: TypeAlias = tuple[Callable[[Any], bool], Callable[[Any], Any]]


@lru_cache(REMEMBERED)
def admit_of(tool: AnyTool) -> Admit:
    """Compile the function that validates the arguments of a tool.

    >>> from toolhaft import tool
    >>> takes_all = {"type": "object"}
    >>> admit = admit_of(tool(lambda a: a, name="a", description="A.", input=takes_all))
    >>> admit('{"n": 1}'), admit({"n": 1}), admit("{'n': 1}"), admit("[]").kind
    ('{"n": 1}', '{"n":1}', ({'n': 1}, (Coercion((), 'python_literal'),)), 'invalid_input')
    """
    boundary = boundary_of(tool)

    def admit_prepared(raw: Any) -> Admission:
        prepared = boundary.check(raw)
        if isinstance(prepared, Err):
            return prepared
        return _find_spelling(raw, prepared.json, prepared.coercions)

    return _quick_admit(boundary, admit_prepared) if _is_plain(boundary) else admit_prepared


def _quick_admit(boundary: Boundary, admit_prepared: Admit) -> Admit:
    validate = boundary.validate
    fits_text, construct_text = _text_steps(boundary)
    fits, construct = _data_steps(boundary)

    def admit(raw: Any) -> Admission:
        try:
            if type(raw) is str and fits_text(raw):
                construct_text(raw)
                return raw if "\n" not in raw and "\r" not in raw else _to_one_line(raw)
            if type(raw) is dict and fits(raw):
                construct(raw)
                return jsontext.write(raw)
            validated = validate(raw)
        except BaseException as error:  # noqa: BLE001 - of the library, or an author's
            raise_interrupt(error)
            return admit_prepared(raw)  # it gives the refusal
        if isinstance(validated, Err):
            return validated
        _, data, coercions = validated
        if data is not raw or coercions:
            return _find_spelling(raw, data, coercions)
        # Nothing was changed.
        return _to_one_line(raw) if type(raw) is str else jsontext.write(data)

    return admit


def _is_plain(boundary: Boundary) -> bool:
    """Return whether a call needs only arguments: no context, no await, no default factory."""
    pipeline, adapter = boundary.pipeline, boundary.pipeline.adapter
    needs_more = adapter.may_await or adapter.awaits or adapter.takes_context
    return pipeline is pipeline.handler_pipeline and not (needs_more or has_factories(adapter))


def _text_steps(boundary: Boundary) -> Steps:
    """Return a test of text that needs no parsing, and the constructor for text that passes it."""
    path, adapter = boundary.fast_path, boundary.pipeline.adapter
    if path is None:
        return _no, _no
    if isinstance(adapter, JsonSchemaAdapter):
        return path.shape.fits_text, _no  # the data need no construction
    if not native or path.construct_text is None:
        return _no, _no
    return path.shape.fits_text, path.construct_text


def _data_steps(boundary: Boundary) -> Steps:
    """Return the same for data."""
    path = boundary.fast_path
    if path is None or path.accepts or not native:
        return _no, _no
    if isinstance(boundary.pipeline.adapter, JsonSchemaAdapter):
        return path.shape.fits, _no
    if path.copies:
        return path.shape.fits, path.construct
    # An object, or its author's code, may change what it was made of.
    return path.shape.fits, lambda data: path.construct(plain_copy(data))


def _no(_: Any) -> bool:
    return False


def _find_spelling(raw: Any, data: Any, coercions: tuple[Coercion, ...]) -> Admission:
    """Return the text that was sent if it has the validated data, else the data."""
    if type(raw) is str and not coercions:
        try:
            if jsontext.read(raw) == data:
                return _to_one_line(raw)
        except jsontext.JsonSyntaxError:
            pass
    return data, coercions


def _to_one_line(text: str) -> str:
    """Write strict JSON text, which has line ends between its tokens only, on one line."""
    return text.replace("\n", " ").replace("\r", " ")
