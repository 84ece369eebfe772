# SPDX-License-Identifier: Apache-2.0
"""Logs as they are written: entry by entry to the disk, so that a long one takes no more memory."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from takt.can.logs.entry import Entry
from takt.support import files, provision
from takt.support.errors import UserError, one_of
from takt.support.files import fault_of, shown_path
from takt.support.names import shown

LOCK = "can"
KINDS = ("asc", "blf", "log", "pcap")
EXTENDED, REMOTE, ERROR = 1 << 31, 1 << 30, 1 << 29  # of an identifier of SocketCAN
_BUS_ERROR = 0x80
_BRS, _ESI, _FDF = 1, 2, 4
PCAP_MAGIC, LINKTYPE_CAN = 0xA1B23C4D, 227  # with time stamps in ns
_ASC_HEAD = (
    "date Thu Jan 1 12:00:00.000 am 1970\nbase hex  timestamps absolute\nno internal events logged\n"
    "Begin Triggerblock Thu Jan 1 12:00:00.000 am 1970\n   0.000000 Start of measurement\n"
)

_ASC_FDF = 0x1000  # of the flags of a line
_DLC_OF = {size: code for code, size in enumerate((0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64))}

Write = Callable[[Iterable[Entry]], None]


def kind_of(path: Path) -> str:
    """The format, by the suffix. UserError: there is none of this suffix."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        suffixes = one_of(f".{one}" for one in KINDS)
        raise UserError(f'{shown_path(path)}: "{shown(path.suffix)}" is no suffix of a log', suffixes)
    return kind


@contextmanager
def writing(path: Path) -> Iterator[Write]:
    """Writes a log, which is there once the context is left without an error. What is no file, such as /dev/null, stays
    what it is. OSError, UserError: it cannot be written."""
    kind = kind_of(path)
    if kind == "blf":
        provision.require_python(LOCK)
    if path.is_dir():
        raise UserError(f"{shown_path(path)} {fault_of(path)}", "the name of a file")
    with files.writing(path) as file:
        file_of = _FORMATS[kind](file)
        yield file_of.write
        file_of.close()


class _Candump:
    """As `candump -L` writes it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def write(self, entries: Iterable[Entry]) -> None:
        self.file.write("".join(map(_candump_line, entries)).encode())

    def close(self) -> None:
        """Nothing follows the lines."""


def _candump_line(one: Entry) -> str:
    seconds, rest = divmod(one.time_ns, 1_000_000_000)
    when = f"({seconds}.{rest // 1000:06d}) can0"
    if one.error:
        return f"{when} {ERROR | _BUS_ERROR:08X}#0000000000000000\n"
    name = f"{one.identifier:0{8 if one.extended else 3}X}"
    if one.fd:
        flags = (_BRS if one.brs else 0) | (_ESI if one.passive else 0)
        return f"{when} {name}##{flags}{one.data.hex().upper()}\n"
    return f"{when} {name}#{f'R{one.size}' if one.remote else one.data.hex().upper()}\n"


class _Asc:
    """ASCII format of Vector's tools."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        file.write(_ASC_HEAD.encode())

    def write(self, entries: Iterable[Entry]) -> None:
        self.file.write("".join(map(_asc_line, entries)).encode())

    def close(self) -> None:
        self.file.write(b"End TriggerBlock\n")


def _asc_line(one: Entry) -> str:
    seconds, rest = divmod(one.time_ns, 1_000_000_000)
    when = f"{seconds:4d}.{rest // 1000:06d}"
    if one.error:
        return f"{when} 1  ErrorFrame\n"
    name = f"{one.identifier:X}{'x' if one.extended else ''}"
    data = one.data.hex(" ").upper()
    if one.fd:
        code = _DLC_OF[one.size]
        flags = f"{int(one.brs)} {int(one.passive)} {code:x} {one.size:2d} {data}"
        return f"{when} CANFD   1 Rx   {name:>8}  {'':32} {flags}        0    0     {_ASC_FDF:X}        0 0 0 0 0\n"
    return f"{when} 1  {name:<15} Rx   {f'r {one.size:x}' if one.remote else f'd {one.size:x} {data}'}\n"


class _Pcap:
    """pcap with frames of SocketCAN, as Wireshark and scapy read it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        file.write(struct.pack("<IHHiIII", PCAP_MAGIC, 2, 4, 0, 0, 1 << 16, LINKTYPE_CAN))

    def write(self, entries: Iterable[Entry]) -> None:
        self.file.write(b"".join(map(_packet, entries)))

    def close(self) -> None:
        """Nothing follows the packets."""


def _packet(one: Entry) -> bytes:
    seconds, rest = divmod(one.time_ns, 1_000_000_000)
    if one.error:
        frame = struct.pack(">IBBxx8x", ERROR | _BUS_ERROR, 8, 0)
    else:
        word = one.identifier | (EXTENDED if one.extended else 0) | (REMOTE if one.remote else 0)
        flags = _FDF | (_BRS if one.brs else 0) | (_ESI if one.passive else 0) if one.fd else 0
        frame = struct.pack(">IBBxx", word, one.size, flags) + one.data
    return struct.pack("<IIII", seconds, rest, len(frame), len(frame)) + frame


class _Blf:
    """Binary format of Vector's tools, by python-can."""

    def __init__(self, file: IO[bytes]) -> None:
        self.can: Any = importlib.import_module("can")
        self.writer: Any = self.can.BLFWriter(cast(BinaryIO, file), channel=0)
        self.writer.start_timestamp = 0.0  # not the time of the first frame

    def write(self, entries: Iterable[Entry]) -> None:
        for one in entries:
            self.writer.on_message_received(
                self.can.Message(
                    timestamp=one.time_ns / 1e9,
                    arbitration_id=one.identifier,
                    is_extended_id=one.extended,
                    is_remote_frame=one.remote,
                    is_error_frame=one.error,
                    is_fd=one.fd,
                    bitrate_switch=one.brs,
                    error_state_indicator=one.passive,
                    dlc=one.size,
                    data=one.data,
                    channel=0,
                )
            )

    def close(self) -> None:
        self.writer.stop()


_FORMATS: dict[str, Any] = {"asc": _Asc, "blf": _Blf, "log": _Candump, "pcap": _Pcap}
