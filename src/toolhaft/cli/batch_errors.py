"""Errors of a batch, other than errors of its calls, in words for the user."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from toolhaft.batch.compression import NeedsLibrary, Unreadable
from toolhaft.batch.job import NotJsonLines, UnknownFields
from toolhaft.batch.journal import Changed, Taken
from toolhaft.batch.pool import WorkerDied
from toolhaft.cli.batch_options import Options
from toolhaft.cli.unusable import Unusable
from toolhaft.definition import names
from toolhaft.loading.faults import one_line

__all__ = ["explain_errors"]


@contextmanager
def explain_errors(options: Options) -> Generator[None]:
    """Report an error in one line.

    Raises:
        Unusable: with the reason.
    """
    calls = " ".join(options.calls)
    try:
        yield
    except NotJsonLines as error:
        reason = f"not JSON Lines: none of its first lines is a JSON object ({error})"
        raise Unusable(f"{calls}: {reason}") from None
    except UnknownFields as error:
        unknown, present = (_listed(fields) for fields in (error.unknown, error.present))
        reason = f"none of its first rows has the field {unknown}; they have {present}"
        raise Unusable(f"{calls}: {reason}") from None
    except FileNotFoundError as error:
        if options.output and error.filename and str(error.filename).startswith("/"):
            raise Unusable(f"{options.output}: cannot be written: {error.strerror}") from None
        raise Unusable(f"{error}: no such file") from None
    except (Taken, Changed) as error:
        raise Unusable(f"{options.output}: {error}") from None
    except WorkerDied as error:
        raise Unusable(f"a worker cannot be started: {error}") from None
    except (NeedsLibrary, Unreadable) as error:
        raise Unusable(one_line(str(error))) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = one_line(error.strerror or str(error))
        raise Unusable(f"{options.output or calls}: cannot be written: {reason}") from None


def _listed(fields: list[str]) -> str:
    return one_line(", ".join(map(names.escape_text, fields)))
