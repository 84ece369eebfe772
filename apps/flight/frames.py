# SPDX-License-Identifier: Apache-2.0
"""Frames of the serial link, as frame.h and messages.h say: encoder, payload formats and a parser."""

from __future__ import annotations

import binascii
import struct
from dataclasses import dataclass, field
from enum import IntEnum

SYNC = b"\xa5\x5a"
HEADER_SIZE = 5
CRC_SIZE = 2


class FrameType(IntEnum):
    ATTITUDE = 0x01
    POSITION = 0x02
    FEEDBACK = 0x03
    COMMAND = 0x04
    ROTORS = 0x11
    ACKNOWLEDGE = 0x12
    STATUS = 0x13


# Payloads in the order of the fields in messages.h.
PAYLOADS: dict[int, struct.Struct] = {
    FrameType.ATTITUDE: struct.Struct("<I9h"),  # time, roll pitch yaw, acceleration, rate
    FrameType.POSITION: struct.Struct("<Iiii3h"),  # time, latitude, longitude, altitude, velocity
    FrameType.FEEDBACK: struct.Struct("<I4H"),  # time, throttles
    FrameType.COMMAND: struct.Struct("<IHHihh"),  # time, number, mode, altitude, heading, speed
    FrameType.ROTORS: struct.Struct("<I4H"),  # time, throttles
    FrameType.ACKNOWLEDGE: struct.Struct("<HH"),  # number, accepted
    FrameType.STATUS: struct.Struct("<II10Hi"),  # time, frames, counters, altitude
}

# The counters of a status frame, in order.
STATUS_COUNTERS = (
    "bad_crc",
    "bad_length",
    "resync_bytes",
    "late",
    "lost",
    "overflow",
    "stale",
    "refused",
    "rotor_faults",
    "flags",
)


@dataclass(frozen=True)
class Frame:
    type: int
    sequence: int
    payload: bytes

    def values(self) -> tuple[int, ...]:
        """The payload's fields, integers in the units of messages.h."""
        return PAYLOADS[self.type].unpack(self.payload)


def encode(frame_type: FrameType, sequence: int, *values: int) -> bytes:
    """The frame's bytes on the line."""
    payload = PAYLOADS[frame_type].pack(*values)
    body = bytes((frame_type, len(payload), sequence)) + payload
    return SYNC + body + struct.pack("<H", binascii.crc_hqx(body, 0xFFFF))


@dataclass
class Parser:
    """Byte-wise parser; the same verdicts and counts as frame.c."""

    frames: int = 0
    bad_crc: int = 0
    bad_length: int = 0
    resync_bytes: int = 0
    _buffer: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are complete once `data` has arrived."""
        found: list[Frame] = []
        self._buffer += data
        while self._buffer:
            size = self._judge()
            if size is None:
                break
            if size == 0:
                self.resync_bytes += 1
                del self._buffer[0]
                continue
            found.append(Frame(self._buffer[2], self._buffer[4], bytes(self._buffer[HEADER_SIZE : size - CRC_SIZE])))
            self.frames += 1
            del self._buffer[:size]
        return found

    def _judge(self) -> int | None:
        """Size of the frame at the front; 0: there is none; None: too few bytes to say."""
        buffer = self._buffer
        if not SYNC.startswith(buffer[:2]):
            return 0
        if len(buffer) < 4:
            return None
        payload = PAYLOADS.get(buffer[2])
        if payload is None or payload.size != buffer[3]:
            self.bad_length += 1
            return 0
        end = HEADER_SIZE + payload.size
        if len(buffer) < end + CRC_SIZE:
            return None
        if binascii.crc_hqx(bytes(buffer[2:end]), 0xFFFF) != int.from_bytes(buffer[end : end + CRC_SIZE], "little"):
            self.bad_crc += 1
            return 0
        return end + CRC_SIZE
