"""Pictures of an Xvfb screen, from the file that holds its frame buffer (``Xvfb -fbdir``), in or outside Blender."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def grab(buffer: Path) -> NDArray[np.uint8]:
    """(height, width, 3) colours of the screen, top row first.

    The file is an X window dump of version 7: 25 big-endian words of header, the window's name, a colour table of
    12-byte entries, then rows of 4 bytes a pixel, blue first.
    """
    data = buffer.read_bytes()
    header = struct.unpack(">25I", data[:100])
    header_size, version, width, height, bits, stride, colors = (header[i] for i in (0, 1, 4, 5, 11, 12, 19))
    if version != 7 or bits != 32:
        raise ValueError(f"{buffer} is no window dump of 32 bits a pixel: version {version}, {bits} bits")
    start = header_size + 12 * colors
    rows = np.frombuffer(data, np.uint8, stride * height, start).reshape(height, stride)
    return rows[:, : 4 * width].reshape(height, width, 4)[:, :, 2::-1].copy()


def save_png(pixels: NDArray[np.uint8], file: Path) -> None:
    """Write (height, width, 3) colours as a PNG."""
    height, width = pixels.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, 3 * width)], axis=1)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + chunk(b"IEND", b"")
    )
