"""Every exception of toolhaft can be copied, pickled, and written as JSON."""

from __future__ import annotations

import copy
import json
import pickle
import pkgutil
from importlib import import_module
from typing import Any

import pytest

import toolhaft
from toolhaft import errors
from toolhaft.errors import Fault
from toolhaft.lowering.loss import ExportError, LoweringUnsupported, Problem
from toolhaft.observers.chain import ChainError
from toolhaft.review.lock import LockError, Mismatch
from toolhaft.spec import Issue, SchemaNotConvertible, ToolValidationError

pytestmark = pytest.mark.requirement("errors-portable")

ISSUES = [Issue("expected integer", ("n",), "type")]
FAULT = Fault("search", "n", "no type", "annotate it")
ERRORS: list[Exception] = [
    ToolValidationError("search", "output", ISSUES),
    errors.ToolInputInvalid("search", ISSUES),
    errors.ToolOutputInvalid("search", iter(ISSUES)),
    errors.ToolDenied("search", "no"),
    errors.ToolTimeout("search", "late", "unknown"),
    errors.ToolOverloaded("search", "full"),
    errors.ToolLoop("search", "again"),
    errors.ToolRefused("search", "no"),
    errors.ToolError("no such order"),
    errors.HandlerFailed("gone"),
    errors.DefinitionError([FAULT, FAULT]),
    errors.ContextMissing("search", ["user"]),
    errors.WireError("openai", "output", "absent"),
    errors.CallFailed("search", "runtime_error", "failed", "id"),
    errors.ToolhaftError("wrong"),
    SchemaNotConvertible("no"),
    LoweringUnsupported("openai", "/n", "oneOf", "no", "yes", "search"),
    ExportError("openai", [Problem("search", "openai.name", "no", "yes")]),
    ChainError(3, "changed"),
    LockError("lock.json: no"),
    Mismatch({"search": "added"}),
]


def _same(one: Exception, other: Exception) -> bool:
    fields = [{**vars(error), "args": error.args} for error in (one, other)]
    return type(one) is type(other) and fields[0] == fields[1] and str(one) == str(other)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_exception_that_was_copied_or_pickled_is_the_same(error: Exception) -> None:
    error.add_note("seen in production")
    for twin in (
        copy.copy(error),
        copy.deepcopy(error),
        *(pickle.loads(pickle.dumps(error, n)) for n in range(2, pickle.HIGHEST_PROTOCOL + 1)),
    ):
        assert _same(twin, error)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_exception_with_fields_is_written_as_json(error: Any) -> None:
    if type(error) in (ToolValidationError, SchemaNotConvertible):
        pytest.skip("of the file to copy, which knows the exceptions of Python only")
    written = error.as_json()
    assert (written["error"], written["message"]) == (type(error).__name__, str(error))
    assert json.loads(json.dumps(written)) == written


def test_the_fields_of_an_exception_are_those_of_its_json() -> None:
    invalid = errors.ToolInputInvalid("search", ISSUES)
    assert invalid.as_json() == {
        "error": "ToolInputInvalid",
        "message": "input validation failed: n: expected integer",
        "tool": "search",
        "target": "input",
        "issues": [{"message": "expected integer", "path": ["n"], "code": "type"}],
    }
    assert errors.DefinitionError([FAULT]).as_json()["faults"] == [FAULT._asdict()]


def test_no_public_exception_is_left_out() -> None:
    """Exceptions with a leading underscore, or that only carry data inside, are not public."""
    names = [module.name for module in pkgutil.walk_packages(toolhaft.__path__, "toolhaft.")]
    for name in names:
        if not name.endswith(("__main__", "pytest_plugin", "opentelemetry", "structlog")):
            import_module(name)
    roots = (errors.ToolhaftError, errors.ToolRefused, errors.ToolError, ToolValidationError)
    public = {kind for root in roots for kind in _subclasses(root) if kind.__module__ in names}
    unpicklable = {kind.__name__ for kind in public if "__reduce__" not in _inherited(kind)}
    assert unpicklable == set()
    assert len(public) > 15


def _subclasses(kind: type) -> set[type]:
    return {kind}.union(*map(_subclasses, kind.__subclasses__()))


def _inherited(kind: type) -> set[str]:
    return {name for base in kind.__mro__[: kind.__mro__.index(Exception)] for name in vars(base)}
