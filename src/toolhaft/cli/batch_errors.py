"""Errors of a batch, other than errors of its calls, in words for the user."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Generator
from contextlib import contextmanager

from toolhaft.batch.compression import NeedsLibrary, Unreadable
from toolhaft.batch.job import NotJsonLines, UnknownFields
from toolhaft.batch.journal import Changed, Taken
from toolhaft.batch.pool import WorkerDied
from toolhaft.cli.batch_options import Options
from toolhaft.cli.errors import Unusable
from toolhaft.definition import names
from toolhaft.loading.faults import one_line

__all__ = ["explain_errors", "log_failures", "readable"]


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


@contextmanager
def readable(target: str) -> Generator[None]:
    """Report in one line that a file cannot be read.

    Raises:
        Unusable: with the reason.
    """
    try:
        yield
    except FileNotFoundError:
        raise Unusable(f"{target}: no such file") from None
    except NeedsLibrary as error:
        raise Unusable(f"{target}: {error}") from None
    except Unreadable as error:
        raise Unusable(one_line(str(error))) from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unusable(f"{target}: cannot be read: {one_line(reason)}") from None


@contextmanager
def log_failures(path: str | None) -> Generator[None]:
    """Write to a file what tools log of their failures, or drop it without a file.

    Raises:
        Unusable: The file cannot be written.
    """
    logger = logging.getLogger("toolhaft")
    try:
        handler = logging.FileHandler(path, encoding="utf-8") if path else logging.NullHandler()
    except OSError as error:
        raise Unusable(f"{path}: cannot be written: {one_line(str(error))}") from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()
