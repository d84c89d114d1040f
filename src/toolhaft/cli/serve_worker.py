"""One worker of `toolhaft serve --workers`, which its supervisor starts with JSON."""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from toolhaft.cli.errors import Unusable, report_error
from toolhaft.cli.interrupts import Interrupts, catch_interrupts
from toolhaft.cli.serve_app import make_app
from toolhaft.cli.serve_options import Asked
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.errors import DefinitionError
from toolhaft.serve.server import make_server
from toolhaft.serve.supervisor import Endpoints, end_with_supervisor, hear_signals, tell_ready
from toolhaft.serve.telemetry import stop_telemetry

if TYPE_CHECKING:
    from toolhaft.serve.server import Draining

__all__ = ["main", "run_worker"]


class _Stopping:
    """Stops a worker when its supervisor ended; before it serves, it simply ends."""

    server: Draining | None = None

    def __call__(self) -> None:
        if self.server is None:
            os._exit(1)
        self.server.stop()


def run_worker(asked: Asked, endpoints: Endpoints, interrupts: Interrupts) -> None:
    """Serve at the socket of the supervisor until a signal comes or the supervisor ends.

    Raises:
        Unusable: Something that was named cannot be used.
    """
    for descriptor in endpoints:  # not for the programs that handlers start
        os.set_inheritable(descriptor, False)
    stopping = _Stopping()
    most_seconds = asked.drain_delay + asked.limits.drain_seconds
    end_with_supervisor(endpoints.life, stopping, most_seconds)
    with reserve_stdout():
        app, count, _ = make_app(asked)
        server = make_server(app, asked.limits, lambda: tell_ready(endpoints.ready, count))
        stopping.server = server
        interrupts.pass_on(server.handle_exit)  # until it listens itself
        with suppress(SystemExit):  # of a lifespan that failed
            server.run([socket.socket(fileno=endpoints.listening)])
        stop_telemetry()
    if app.failed:
        sys.exit(1)


def main() -> None:
    """Run a worker; an error is one line, and exit code 2."""
    asked, endpoints = json.loads(sys.argv[1])
    try:
        with catch_interrupts() as interrupts, interrupts.ending():
            hear_signals()
            run_worker(Asked(*asked), Endpoints(*endpoints), interrupts)
    except (Unusable, DefinitionError) as error:
        unusable = error if isinstance(error, Unusable) else Unusable.from_definition_error(error)
        report_error(unusable, as_json=False)
        sys.exit(unusable.exit_code)


if __name__ == "__main__":
    main()
