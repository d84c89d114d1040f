"""The bytes that a connection sends, in how many pieces."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from toolhaft.serve.protocol import Joined

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
STREAM = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ([HEAD, b"{}", b""], [HEAD + b"{}", b""]),
        ([HEAD, b"", b""], [HEAD, b""]),  # of a request with HEAD
        ([STREAM, b"1", b"2"], [STREAM, b"1", b"2"]),
        ([HEAD, HEAD, HEAD, b""], [HEAD + HEAD, HEAD]),  # a body may look like a head
    ],
)
def test_a_whole_response_is_one_piece_and_a_stream_does_not_wait(
    written: list[bytes], sent: list[bytes]
) -> None:
    transport: Any = Mock()
    joined = Joined(transport)
    for data in written:
        joined.write(data)
    assert [call.args[0] for call in transport.write.call_args_list] == sent


def test_nothing_that_was_written_is_lost_when_a_connection_is_closed() -> None:
    transport: Any = Mock()
    joined = Joined(transport)
    joined.write(HEAD)
    joined.close()
    assert [call[0] for call in transport.method_calls] == ["write", "close"]
    transport.write.assert_called_once_with(HEAD)
