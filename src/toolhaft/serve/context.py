"""The context of a call, made by the program from the request: so that `authorize` knows who asks.

The trace that a request belongs to (W3C Trace Context) is the context of its spans.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from toolhaft.call import report, workers
from toolhaft.call.callers import call_key
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.canonical import canonical
from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.serve.request import Head
from toolhaft.serve.responses import Refused, Scope

if TYPE_CHECKING:
    from starlette.exceptions import HTTPException

__all__ = ["Caller", "ContextOf", "in_trace", "make_context"]

# Sync or async; there is no request over stdio. With a lifespan, it may take what that yields too.
ContextOf: TypeAlias = Callable[..., Any]
TRACE_HEADERS = (b"traceparent", b"tracestate", b"baggage")
REFUSALS: Final = range(300, 600)
# Headers that a program may add: all but the length and the type of the answer.
NAME: Final = re.compile(
    rb"(?!(?:content-(?:length|type)|transfer-encoding)$)[!#$%&'*+.^_`|~0-9a-z-]+"
)
VALUE: Final = re.compile(rb"[\t -~\x80-\xff]*")


class Caller(NamedTuple):
    """The caller: the context of the program, and the owner of the token.

    `principal` is the key of that owner, as handlers know it; None without a token. `token_owner`
    names the owner for people.
    """

    context: Any
    principal: str | None
    token_owner: str | None = None

    @property
    def identity(self) -> Any:
        """The identity of the context, if that has one."""
        try:
            return _identity_of(self.context)
        except Exception:  # noqa: BLE001  an attribute of the program's may raise
            return None

    def key_of(self, tool: str, key: bytes | None) -> str | None:
        """Return the idempotency key of a call for its handler: one caller's, for one tool."""
        if key is None:
            return None
        whose = self.principal if self.owner is None else self.owner.decode()
        return call_key("http", whose, tool, key.decode("latin-1"))

    @property
    def owner(self) -> bytes | None:
        """The owner of idempotency keys and approvals, or None if the caller has no identity.

        A context is known by its `identity`, a key or an attribute like that of Starlette's users.
        Without one, the whole context identifies the caller, if it is JSON.
        """
        try:
            identity = _identity_of(self.context)
            known = self.context if identity is None else {"identity": identity}
            return canonical([self.principal, to_json_data(known)])
        except Exception:  # noqa: BLE001  an object of the program's, whose attributes are its code
            return None


def _identity_of(context: Any) -> Any:
    """Return the part of a context that identifies its caller, if it has one."""
    is_mapping = isinstance(context, Mapping)
    return context.get("identity") if is_mapping else getattr(context, "identity", None)


async def make_context(function: ContextOf | None, scope: Scope | None) -> Any:
    """Ask the program for the context of a request.

    Raises:
        Refused: The function raised: Starlette's HTTPException with its own status and words,
            anything else with an id of the log.
    """
    if function is None:
        return None
    from starlette.requests import Request

    try:
        context = function(None if scope is None else Request(scope))
        return await context if inspect.isawaitable(context) else context
    except BaseException as error:
        raise_interrupt(error)
        if workers.is_stopping(error):
            raise
        raise _to_refused(error) from None


def _to_refused(error: BaseException) -> Refused:
    """Turn what the program raised into a refusal: its HTTPException, or a failure with an id."""
    from starlette.exceptions import HTTPException

    if isinstance(error, HTTPException):
        try:
            return Refused(_status(error), _words(error), *_headers(error))
        except Exception as fault:  # noqa: BLE001  the program's own exception
            error = fault
    error_id = report.log_part("the context of a request", error)
    return Refused(500, f"the context of the request failed (id {error_id})")


def _status(error: HTTPException) -> int:
    if error.status_code not in REFUSALS:
        raise ValueError("an HTTPException of the context has no status from 300 to 599")
    return error.status_code


def _words(error: HTTPException) -> str:
    """Return the detail as text: FastAPI's exception has any JSON."""
    detail: Any = error.detail
    words = detail if isinstance(detail, str) else jsontext.write(to_json_data(detail))
    words.encode()  # raises where no response can hold it
    return words


def _headers(error: HTTPException) -> Generator[tuple[bytes, bytes]]:
    """Yield the headers to send; one that could break or frame the response is an error."""
    for name, value in (error.headers or {}).items():
        header = name.lower().encode("latin-1"), value.encode("latin-1")
        if not NAME.fullmatch(header[0]) or not VALUE.fullmatch(header[1]):
            raise ValueError("a header of an HTTPException of the context cannot be sent")
        yield header


@contextmanager
def in_trace(head: Head) -> Generator[None]:
    """Run a request inside the trace that its headers name, where the program has telemetry."""
    if "opentelemetry" not in sys.modules:
        yield
        return
    from opentelemetry import context
    from opentelemetry.propagate import extract

    carrier = {
        name.decode(): head.headers[name].decode("latin-1")
        for name in TRACE_HEADERS
        if name in head.headers
    }
    token = context.attach(extract(carrier))
    try:
        yield
    finally:
        context.detach(token)
