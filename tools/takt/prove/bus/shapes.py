# SPDX-License-Identifier: Apache-2.0
"""What the frame of a message looks like, for tables of messages."""

from __future__ import annotations

from dataclasses import dataclass

from takt.can import lengths
from takt.can.messages import Message
from takt.declare.schema.model import Bus


@dataclass(frozen=True)
class Shape:
    """`dlc`: data length code."""

    extended: bool
    fd: bool
    brs: bool
    dlc: int


def shape(frame: Message, bus: Bus) -> Shape:
    fd = lengths.is_fd(frame, bus.fd)
    return Shape(frame.extended, fd, fd and bus.data_bitrate is not None, lengths.code(frame.size, fd))
