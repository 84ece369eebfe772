# SPDX-License-Identifier: Apache-2.0
"""The two sides of the serial line: frame.c and messages.c against frames.py, byte for byte and count for count."""

from __future__ import annotations

import ctypes
import random
import subprocess
from pathlib import Path

import pytest
from frames import PAYLOADS, Frame, FrameType, Parser, encode

# Ranges of a payload's fields by struct code.
LIMITS = {"I": (0, 2**32 - 1), "i": (-(2**31), 2**31 - 1), "H": (0, 2**16 - 1), "h": (-(2**15), 2**15 - 1)}
READ_BY_BOARD = (FrameType.ATTITUDE, FrameType.POSITION, FrameType.FEEDBACK, FrameType.COMMAND, FrameType.ROTORS)


@pytest.fixture(scope="module")
def codec(library: Path) -> ctypes.CDLL:
    loaded = ctypes.CDLL(str(library))
    loaded.frame_crc.restype = ctypes.c_uint16
    loaded.codec_encode.restype = loaded.codec_decode.restype = loaded.codec_parse.restype = ctypes.c_size_t
    loaded.codec_parse.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p]
    return loaded


def field_codes(frame_type: FrameType) -> str:
    """The struct code of each field: "I9h" is one I and nine h."""
    codes, count = "", ""
    for letter in PAYLOADS[frame_type].format.lstrip("<"):
        if letter.isdigit():
            count += letter
        else:
            codes += letter * int(count or 1)
            count = ""
    return codes


def random_values(source: random.Random, frame_type: FrameType) -> list[int]:
    limits = [LIMITS[code] for code in field_codes(frame_type)]
    return [source.choice((low, high, source.randint(low, high))) for low, high in limits]


def encode_in_c(codec: ctypes.CDLL, frame_type: FrameType, sequence: int, values: list[int]) -> bytes:
    out = ctypes.create_string_buffer(64)
    padded = (ctypes.c_int64 * 16)(*values)
    size = codec.codec_encode(frame_type, sequence, padded, out)
    return out.raw[:size]


def parse_in_c(codec: ctypes.CDLL, data: bytes) -> tuple[list[Frame], tuple[int, ...]]:
    """Frames, and the counters frames, bad_crc, bad_length, resync_bytes."""
    out = ctypes.create_string_buffer(2 * len(data) + 64)
    counters = (ctypes.c_uint32 * 4)()
    size = codec.codec_parse(data, len(data), out, counters)
    found = out.raw[:size]
    frames = []
    while found:
        frames.append(Frame(found[0], found[1], found[3 : 3 + found[2]]))
        found = found[3 + found[2] :]
    return frames, tuple(counters)


def parse_in_python(data: bytes, chunk: int) -> tuple[list[Frame], tuple[int, ...]]:
    parser = Parser()
    frames = [frame for at in range(0, len(data), chunk) for frame in parser.feed(data[at : at + chunk])]
    return frames, (parser.frames, parser.bad_crc, parser.bad_length, parser.resync_bytes)


@pytest.mark.parametrize("frame_type", FrameType)
def test_both_sides_encode_the_same_bytes(codec: ctypes.CDLL, frame_type: FrameType) -> None:
    source = random.Random(int(frame_type))
    for _ in range(200):
        values, sequence = random_values(source, frame_type), source.randrange(256)
        assert encode_in_c(codec, frame_type, sequence, values) == encode(frame_type, sequence, *values)


@pytest.mark.parametrize("frame_type", READ_BY_BOARD)
def test_the_board_decodes_what_was_encoded(codec: ctypes.CDLL, frame_type: FrameType) -> None:
    source = random.Random(100 + int(frame_type))
    for _ in range(200):
        values = random_values(source, frame_type)
        decoded = (ctypes.c_int64 * 16)()
        count = codec.codec_decode(frame_type, PAYLOADS[frame_type].pack(*values), decoded)
        assert list(decoded)[:count] == values


def test_the_crc_has_its_published_check_value(codec: ctypes.CDLL) -> None:
    assert codec.frame_crc(b"123456789", 9) == 0x29B1  # CRC-16/CCITT-FALSE


def noisy_line(source: random.Random, stretches: int) -> bytes:
    """Frames, broken frames and noise, one after the other."""
    line = b""
    for _ in range(stretches):
        frame_type = source.choice(list(FrameType))
        frame = bytearray(encode(frame_type, source.randrange(256), *random_values(source, frame_type)))
        kind = source.randrange(8)
        if kind == 0:
            frame[source.randrange(len(frame))] ^= 1 << source.randrange(8)
        elif kind == 1:
            del frame[source.randrange(len(frame)) :]
        elif kind == 2:
            frame = bytearray(source.choices((0xA5, 0x5A, 1, 22, 3, 12, source.randrange(256)), k=40))
        line += frame
    return line


@pytest.mark.parametrize("seed", range(20))
def test_both_parsers_see_the_same_frames_and_count_the_same_faults(codec: ctypes.CDLL, seed: int) -> None:
    source = random.Random(seed)
    line = noisy_line(source, 300)
    assert parse_in_c(codec, line) == parse_in_python(line, source.randrange(1, 100))


@pytest.mark.parametrize("frame_type", FrameType)
def test_no_turned_bit_passes(codec: ctypes.CDLL, frame_type: FrameType) -> None:
    frame = encode(frame_type, 7, *random_values(random.Random(5), frame_type))
    for bit in range(8 * len(frame)):
        broken = bytearray(frame)
        broken[bit // 8] ^= 1 << bit % 8
        assert parse_in_c(codec, bytes(broken))[0] == []


def test_the_frame_behind_a_cut_one_is_not_lost(codec: ctypes.CDLL) -> None:
    values = random_values(random.Random(6), FrameType.ATTITUDE)
    whole = encode(FrameType.ATTITUDE, 1, *values)
    for length in range(len(whole)):
        frames, counters = parse_in_c(codec, whole[:length] + whole)
        assert [frame.sequence for frame in frames] == [1]
        assert counters[3] == length


@pytest.mark.parametrize("seed", range(1, 5))
def test_hostile_lines_under_the_sanitizers(fuzzer: Path, seed: int) -> None:
    result = subprocess.run([str(fuzzer), str(seed), "20000"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"seed {seed}: {result.stdout}{result.stderr}"
