"""A server has the limits that it is given, and no others."""

from __future__ import annotations

from toolhaft import Toolset
from toolhaft.serve.app import App
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.limits import LIMITS
from toolhaft.serve.options import Options
from toolhaft.serve.server import make_server


def test_the_limits_of_a_server_are_those_of_its_connections() -> None:
    limits = LIMITS._replace(header_seconds=0.5, connections=3)
    server = make_server(App(Catalogue(Toolset()), Options()), limits, lambda: None)
    assert getattr(server.config.http, "limits", None) == limits
