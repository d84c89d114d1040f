"""Run a batch: inputs go through an engine to an output, which is kept whatever happens."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TextIO

from toolhaft.batch import inputs
from toolhaft.batch.on_ray import RayPool
from toolhaft.batch.output import Output
from toolhaft.batch.pieces import START, STDIN, Piece, Position, require_columns
from toolhaft.batch.pool import Pool, Setup
from toolhaft.batch.record import Record
from toolhaft.batch.summary import Summary
from toolhaft.cli.batch_engines import Alone, ByCall, Engine, Pooled, Step
from toolhaft.cli.batch_errors import explain_errors, readable
from toolhaft.cli.batch_options import Options, load_job, make_job
from toolhaft.cli.batch_show import Drawing
from toolhaft.cli.batch_target import Target
from toolhaft.cli.errors import Unusable
from toolhaft.cli.interrupts import catch_interrupts
from toolhaft.cli.terminal import report_progress, show_progress

__all__ = ["run_batch"]


def run_batch(options: Options, out: TextIO) -> tuple[Summary, int]:
    """Run a batch; give the summary, and the number of the signal that ended it, or 0.

    Raises:
        Unusable: Something is wrong that is not a call.
    """
    with explain_errors(options), ExitStack() as stack:
        paths = inputs.expand(options.calls)
        if options.engine == "ray":
            paths = [path if path == STDIN else str(Path(path).resolve()) for path in paths]
        target = Target(options, paths, out, stack)
        if options.resume and target.has_receipt:
            summary = target.finished(load_job(options)[1])
            if summary is not None:
                return summary, 0
        engine = _open_engine(options, paths, target, stack)
        for path in paths:
            with readable(path):
                inputs.require_readable(path)
        output = target.open(engine.digest)
        try:
            pieces = _pieces(options, paths, output.position)
            if output.position == START:
                pieces = _judged(options, pieces)
            interrupted = _run(options, paths, engine.run(pieces), output, out, stack)
        except BaseException:
            output.park()
            raise
    return output.summary, interrupted


def _open_engine(options: Options, paths: list[str], target: Target, stack: ExitStack) -> Engine:
    workers = options.count_workers(paths)
    setup = Setup(partial(make_job, options.made_absolute()), target.folder, target.name)
    if options.engine == "ray":
        if options.show or options.execute or STDIN in paths:
            raise Unusable("--engine ray checks calls from files; it takes no --show or --execute")
        pool = RayPool(setup, options.workers, options.address)
        return Pooled(stack.enter_context(pool))
    if workers > 1:
        return Pooled(stack.enter_context(Pool(setup, workers)))
    job, digest = load_job(options)
    if options.show or options.execute:
        return ByCall(job, digest, options, target.log_path)
    return Alone(job, digest, target.name)


def _pieces(options: Options, paths: list[str], after: Position) -> Iterator[Piece]:
    for number, path in enumerate(paths):
        with readable(path):
            require_columns(path, options.fields)
            yield from inputs.pieces_of(path, number, options.max_line_bytes, after)


def _judged(options: Options, pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Check the first piece before any row is written."""
    first = next(pieces, None)
    if first is None:
        return pieces
    job = options.reading_job()
    job.judge(job.read_piece(first))
    return chain((first,), pieces)


def _run(
    options: Options,
    paths: list[str],
    steps: Iterator[Step],
    output: Output,
    out: TextIO,
    stack: ExitStack,
) -> int:
    draw = Drawing(out).add if options.show else None
    tick = _progress(options, paths, output, stack)
    with catch_interrupts() as interrupts:
        for step in interrupts.stop_between(steps):
            _take(step, output, draw)
            if step.end is not None:
                tick(step.end)
    if interrupts.seen:
        output.publish()
    else:
        output.finish()
    return interrupts.seen


def _take(step: Step, output: Output, draw: Callable[[Record], None] | None) -> None:
    if step.row:
        output.append_row(step.row, step.summary)
    else:
        output.append(step.rows, step.summary)
    if draw is not None and step.record is not None:
        draw(step.record)
    if step.end is not None:
        output.commit(step.end.end)
        step.when_committed()


def _progress(
    options: Options, paths: list[str], output: Output, stack: ExitStack
) -> Callable[[Piece], None]:
    sizes = inputs.sizes(paths)
    if sizes is None or options.show:
        return lambda _: None
    total, before = sum(sizes), [sum(sizes[:place]) for place in range(len(sizes))]
    if options.shape == "json":
        report = report_progress(total, output)
    elif sys.stderr.isatty():
        report = stack.enter_context(show_progress(total))
    else:
        return lambda _: None
    return lambda piece: report(before[piece.input] + piece.consumed)
