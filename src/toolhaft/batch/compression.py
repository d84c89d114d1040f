"""Read and write text that may be compressed by gzip or Zstandard."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO, cast

__all__ = ["NeedsLibrary", "Unreadable", "compressor_for", "decompressed", "is_compressed"]

GZIP = b"\x1f\x8b"  # RFC 1952, 2.3.1
ZSTD = b"\x28\xb5\x2f\xfd"  # RFC 8878, 3.1.1
# Small, as 4 bytes can decompress to 128 KiB (RFC 8878, 3.1.1.2): at most 32 MB at once.
ZSTD_AT_ONCE = 1 << 10


class NeedsLibrary(Exception):
    """The library for a kind of file is not installed; the message says what to install."""


class Unreadable(Exception):
    """A file is damaged, or cannot be read; the message says which, and why."""


def is_compressed(stream: BufferedReader) -> bool:
    """Whether a stream that was not read yet starts as a compressed one does."""
    return stream.peek(len(ZSTD)).startswith((GZIP, ZSTD))


@contextmanager
def decompressed(stream: BufferedReader) -> Generator[BinaryIO]:
    """Yield the text of a stream that may be compressed, whatever its name.

    Raises:
        NeedsLibrary: It is Zstandard's, and `zstandard` is not installed.
        OSError, EOFError, zlib.error: while reading, if it is damaged or cut off.
    """
    first = stream.peek(len(ZSTD))
    if first.startswith(GZIP):
        with gzip.open(stream) as plain:
            yield cast("BinaryIO", plain)
    elif first.startswith(ZSTD):
        yield BufferedReader(_Joined(_read_frames(stream, _zstandard())))
    else:
        yield stream


def _read_frames(stream: BufferedReader, zstandard: Any) -> Iterator[bytes]:
    """Decompress Zstandard frames; the library's own reader hides that the last one is cut off."""
    decompressor, frame, data = zstandard.ZstdDecompressor(), None, b""
    try:
        while data or (data := stream.read1(ZSTD_AT_ONCE)):
            frame = frame or decompressor.decompressobj()
            yield frame.decompress(data)
            frame, data = (None, frame.unused_data) if frame.eof else (frame, b"")
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from None
    if frame is not None:
        raise EOFError("Compressed file ended before the end of a frame")


class _Joined(RawIOBase):
    """A raw stream over chunks of text."""

    def __init__(self, texts: Iterator[bytes]) -> None:
        self._texts = texts
        self._text = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._text:
            text = next(self._texts, None)
            if text is None:
                return 0
            self._text = memoryview(text)
        size = min(len(target), len(self._text))
        target[:size] = self._text[:size]
        self._text = self._text[size:]
        return size


def compressor_for(name: str) -> Callable[[bytes], bytes]:
    """Return the compressor of text for a file of this name; its results can be joined.

    The same text gives the same bytes.

    >>> compressor_for("out.jsonl")(b"text"), gzip.decompress(compressor_for("out.gz")(b"text"))
    (b'text', b'text')

    Raises:
        NeedsLibrary: The name ends in .zst, and `zstandard` is not installed.
    """
    if name.endswith(".gz"):
        return lambda text: gzip.compress(text, mtime=0)
    if name.endswith(".zst"):
        compress: Callable[[bytes], bytes] = _zstandard().ZstdCompressor().compress
        return compress
    return bytes


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise NeedsLibrary("zstandard is not installed: pip install 'toolhaft[batch]'") from None
    return zstandard
