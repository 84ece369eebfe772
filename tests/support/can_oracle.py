# SPDX-License-Identifier: Apache-2.0
"""Frames of CAN as text of 0 and 1, made field by field as ISO 11898-1:2015 describes them, without net/can.

The checks are those of the package crccheck, whose calls take whole bytes and start at 0. Bits before the frame that
are 0 change nothing then, so they fill the first byte. The start value of the checks of 17 and 21 bits, their highest
bit alone, is the same as the other level of the first bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from crccheck.crc import Crc15Can, Crc17CanFd, Crc21CanFd

BYTES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64)
FIXED = 4
CHECKS = {15: Crc15Can, 17: Crc17CanFd, 21: Crc21CanFd}  # by their width


@dataclass(frozen=True)
class Frame:
    """`data`: as many bytes as `dlc` says, none of a remote frame."""

    id: int
    extended: bool = False
    remote: bool = False
    fd: bool = False
    brs: bool = False
    passive: bool = False
    dlc: int = 0
    data: bytes = field(default=b"")

    def bytes(self) -> int:
        """How many bytes of data there must be."""
        if self.remote:
            return 0
        return BYTES[self.dlc] if self.fd else min(self.dlc, 8)


def _number(value: int, width: int) -> str:
    return format(value, f"0{width}b")


def _head(frame: Frame) -> tuple[str, str]:
    """Up to the bit before BRS, or all of a classic frame; and the rest, up to the end of the data."""
    remote = "1" if frame.remote else "0"
    if frame.extended:
        identifier = _number(frame.id, 29)
        first = "0" + identifier[:11] + "11" + identifier[11:] + remote
        classic_control = "00"
    else:
        first = "0" + _number(frame.id, 11) + remote + "0"
        classic_control = "0"
    length_and_data = _number(frame.dlc, 4) + "".join(_number(byte, 8) for byte in frame.data)
    if frame.fd:
        return first + "10", f"{frame.brs:d}{frame.passive:d}" + length_and_data
    return first + classic_control + length_and_data, ""


def stuffed(bits: str, at_end: bool) -> str:
    """With a stuff bit after each five equal bits, stuff bits included. `at_end`: also after the last bit."""
    found = ""
    for bit in bits:
        found += _stuff_bit(found) + bit
    return found + (_stuff_bit(found) if at_end else "")


def _stuff_bit(bits: str) -> str:
    return {"00000": "1", "11111": "0"}.get(bits[-5:], "")


def check(bits: str, fd: bool, many: bool) -> str:
    """The check of these bits. `many`: more than 16 bytes of data."""
    width = 15 if not fd else 21 if many else 17
    if fd:
        bits = ("0" if bits[0] == "1" else "1") + bits[1:]
    whole = bits.rjust(-(-len(bits) // 8) * 8, "0")
    return _number(CHECKS[width].calc(int(whole, 2).to_bytes(len(whole) // 8, "big"), initvalue=0), width)


def classic_check(frame: Frame) -> int:
    """The check of a classic frame."""
    return int(check("".join(_head(frame)), False, False), 2)


def _fixed(part: str, last: str) -> str:
    """With a fixed stuff bit before each four bits."""
    found = last
    for begin in range(0, len(part), FIXED):
        found += ("0" if found[-1] == "1" else "1") + part[begin : begin + FIXED]
    return found[1:]


def _stuff_count(count: int) -> str:
    gray = ("000", "001", "011", "010", "110", "111", "101", "100")[count % 8]
    return gray + str(gray.count("1") % 2)


def encode(frame: Frame, acknowledged: bool = True) -> str:
    """From the start bit to the last bit of the end of frame."""
    first, rest = _head(frame)
    tail = "1" + ("0" if acknowledged else "1") + "1" + "1" * 7
    if not frame.fd:
        bits = first + rest
        return stuffed(bits + check(bits, False, False), at_end=True) + tail
    bits = stuffed(first + rest, at_end=False)  # where one is due after the last bit, a fixed one follows
    count = _stuff_count(len(bits) - len(first + rest))
    return bits + _fixed(count + check(bits + count, True, frame.bytes() > 16), bits[-1]) + tail
