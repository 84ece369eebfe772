# SPDX-License-Identifier: Apache-2.0
"""net/can: bits, checks and lengths of frames beside those of tests/support/can_oracle.py.

TAKT_CAN_FRAMES: how many random frames (default 2000, with --full 100000). TAKT_SEED: the first of their seeds.
"""

from __future__ import annotations

import ctypes
import os
import random
from functools import cache

import can_oracle
import pytest
from can_oracle import BYTES
from takt.support import compile
from takt.support.c import can as c

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
FRAMES = int(os.environ.get("TAKT_CAN_FRAMES", "100000" if FULL else "2000"))
SEED = int(os.environ.get("TAKT_SEED", "1"))


@cache
def library() -> ctypes.CDLL:
    found = ctypes.CDLL(str(compile.host_library("can")))
    found.takt_can_frame_decode.restype = c.Decoded
    found.takt_can_frame_decode.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(c.Frame)]
    for name in ("unstuffed", "max", "exact"):
        getattr(found, f"takt_can_length_{name}").restype = c.Length
    found.takt_can_length_ns.restype = ctypes.c_uint64
    found.takt_can_length_ns.argtypes = [c.Length, ctypes.POINTER(c.Rates)]
    found.takt_can_crc_start.restype = found.takt_can_crc_add.restype = ctypes.c_uint32
    found.takt_can_crc_add.argtypes = [ctypes.c_int, ctypes.c_uint32, ctypes.c_bool]
    return found


def bound(frame: can_oracle.Frame) -> c.Frame:
    """The same as a structure of C."""
    shape = c.Shape(frame.extended, frame.remote, frame.fd, frame.brs, frame.dlc)
    data = (ctypes.c_uint8 * c.DATA_MAX)(*frame.data)
    return c.Frame(shape=shape, passive=frame.passive, id=frame.id, data=data)


def encoded(frame: can_oracle.Frame, acknowledged: bool) -> str:
    bits = (ctypes.c_uint8 * c.BITS_MAX)()
    count = library().takt_can_frame_encode(ctypes.byref(bound(frame)), acknowledged, bits)
    return "".join(map(str, bits[:count]))


def random_frame(choose: random.Random) -> can_oracle.Frame:
    """Of any shape. Half have bytes of long runs, which make stuff bits."""
    extended, fd = choose.random() < 0.5, choose.random() < 0.5
    shape = can_oracle.Frame(
        id=choose.choice([0, (1 << 29) - 1, choose.getrandbits(29)]) >> (0 if extended else 18),
        extended=extended,
        fd=fd,
        remote=not fd and choose.random() < 0.25,
        brs=fd and choose.random() < 0.75,
        passive=fd and choose.random() < 0.25,
        dlc=choose.randrange(16),
    )
    values = range(256) if choose.random() < 0.5 else (0x00, 0xFF, 0xF0, 0x0F, 0x78, 0x87, 0x3C)
    return can_oracle.Frame(**{**vars(shape), "data": bytes(choose.choice(values) for _ in range(shape.bytes()))})


@pytest.mark.parametrize(("kind", "width"), [(c.CRC_15, 15), (c.CRC_17, 17), (c.CRC_21, 21)])
def test_checks(kind: int, width: int) -> None:
    """Of the nine digits that catalogues of checks use, from a start value of 0; and the start values."""
    value = 0
    for bit in "".join(f"{byte:08b}" for byte in b"123456789"):
        value = library().takt_can_crc_add(kind, value, bit == "1")
    assert value == can_oracle.CHECKS[width].calc(b"123456789", initvalue=0)
    assert library().takt_can_crc_width(kind) == width
    assert library().takt_can_crc_start(kind) == (0 if width == 15 else 1 << (width - 1))


def test_bits_of_random_frames() -> None:
    choose = random.Random(SEED)
    found = c.Frame()
    for number in range(FRAMES):
        frame, acknowledged = random_frame(choose), choose.random() < 0.5
        expected = can_oracle.encode(frame, acknowledged)
        where = f"frame {number} of TAKT_SEED={SEED}: {frame}"
        assert encoded(frame, acknowledged) == expected, where
        decoded = library().takt_can_frame_decode(bytes(map(int, expected)), len(expected), ctypes.byref(found))
        assert (decoded.verdict, decoded.bits) == (c.Verdict.COMPLETE, len(expected)), where
        assert decoded.acknowledged == acknowledged, where
        assert bytes(found.data[: frame.bytes()]) == frame.data, where
        length = library().takt_can_length_exact(ctypes.byref(bound(frame)))
        assert length.nominal_bits + length.data_bits == len(expected) + c.INTERMISSION, where


def test_a_frame_with_wrong_bits_is_another_frame_or_none() -> None:
    """Of bits that were changed: if they are accepted, they are those of the frame that was read."""
    choose = random.Random(SEED)
    found, accepted = c.Frame(), 0
    for number in range(FRAMES):
        bits = list(can_oracle.encode(random_frame(choose)))
        for _ in range(choose.randrange(1, 6)):
            place = choose.randrange(len(bits))
            bits[place] = "10"[int(bits[place])]
        decoded = library().takt_can_frame_decode(bytes(map(int, bits)), len(bits), ctypes.byref(found))
        if decoded.verdict == c.Verdict.COMPLETE:
            accepted += 1
            shape = found.shape
            read = can_oracle.Frame(
                id=found.id,
                **{name: getattr(shape, name) for name in ("extended", "remote", "fd", "brs", "dlc")},
                passive=found.passive,
            )
            read = can_oracle.Frame(**{**vars(read), "data": bytes(found.data[: read.bytes()])})
            whole = can_oracle.encode(read, decoded.acknowledged)
            assert whole[:-1] == "".join(bits[: decoded.bits - 1]), f"frame {number} of TAKT_SEED={SEED}"
    assert accepted > 0  # those of which only the acknowledge slot or the last bit was changed


def test_lengths_in_time() -> None:
    """What the bus carries at 500 kbit/s and 2 Mbit/s: a load that a proof counts with."""
    rates = c.Rates(nominal_bps=500_000, data_bps=2_000_000)
    longest = {}
    for dlc in range(16):
        shape = c.Shape(fd=True, brs=True, dlc=dlc)
        length = library().takt_can_length_max(ctypes.byref(shape))
        longest[BYTES[dlc]] = library().takt_can_length_ns(length, ctypes.byref(rates))
    assert (longest[8], longest[64]) == (121_500, 404_000)
    assert list(longest.values()) == sorted(longest.values())
