# SPDX-License-Identifier: Apache-2.0
"""Logs as they are read: entry by entry, so that a long one takes no more memory. A log that is damaged is refused at
the line or byte that is wrong."""

from __future__ import annotations

import importlib
import io
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from takt.can.logs.entry import Entry
from takt.can.logs.write import ERROR, EXTENDED, LINKTYPE_CAN, LOCK, REMOTE
from takt.can.messages import CLASSIC_BYTES, EXTENDED_MAX, FD_BYTES, ID_MAX, fail
from takt.support import files, provision
from takt.support.errors import UserError, one_of
from takt.support.files import shown_path
from takt.support.names import shown

KINDS = {"asc": "asc", "blf": "blf", "log": "candump", "candump": "candump", "txt": "candump", "pcap": "pcap"}
_LINE_MAX = 2000
_CANDUMP = re.compile(
    r"\((\d{1,10})\.(\d{1,9})\) +(\S+) +([0-9A-Fa-f]{1,8})(#)(?:(#)([0-9A-Fa-f])|(R)(\d?))?([0-9A-Fa-f.]*)(?: +[RT])?"
)
_CANDUMP_SHOWN = re.compile(
    r"\((\d{1,10})\.(\d{1,9})\) +(\S+) +(?:[RT]X [-BE ]+ +)?([0-9A-Fa-f]{1,8}) +\[(\d{1,2})\] *"
    r"(remote request|[0-9A-Fa-f ]*)(?:ERRORFRAME)?.*"
)
_ASC_HEAD = re.compile(
    r"date|base|(?:no )?internal events|//|begin triggerblock|end triggerblock|start of", re.IGNORECASE
)
_ASC_FRAME = re.compile(
    r"(\d{1,10})\.(\d{1,9}) +(\w+) +([0-9A-Fa-f]{1,8})(x?) +[RT]x +([dr])"
    r"(?: +([0-9A-Fa-f]{1,2})((?: +[0-9A-Fa-f]{1,3})*))?(?: .*)?",
    re.IGNORECASE,
)
_ASC_FD = re.compile(
    r"(\d{1,10})\.(\d{1,9}) +CANFD +(\w+) +[RT]x +([0-9A-Fa-f]{1,8})(x?) +(?:\S+ +)??([01]) +([01]) "
    r"+([0-9A-Fa-f]) +(\d{1,2})((?: +[0-9A-Fa-f]{1,3})*)(?: .*)?",
    re.IGNORECASE,
)
_ASC_ANY = re.compile(r"-?\d{1,10}\.\d{1,9} +.*")
_ASC_ERROR = re.compile(r"(\d{1,10})\.(\d{1,9}) +(\w+) +ErrorFrame.*", re.IGNORECASE)
_HINT = "the end of the log may be missing; or correct this line"


def kind_of(path: Path) -> str:
    """The format, by the suffix. UserError: there is none of this suffix."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix == "pcapng":
        raise UserError(f"{shown_path(path)}: pcapng is not read", "editcap -F nsecpcap FILE.pcapng FILE.pcap")
    if suffix not in KINDS:
        raise UserError(
            f'{shown_path(path)}: "{shown(path.suffix)}" is no suffix of a log', one_of(f".{one}" for one in KINDS)
        )
    return KINDS[suffix]


def entries(path: Path, channel: str | None = None, fill: Callable[[float], None] | None = None) -> Iterator[Entry]:
    """The entries of one channel, in the order of the file. `fill`: called with how far it is, 0 to 1. UserError: the
    file cannot be read, is damaged, or has several channels and none is named."""
    kind = kind_of(path)
    size = max(1, len(files.read_first(path, 1)) and path.stat().st_size)
    only: str | None = channel
    seen: str | None = None
    with path.open("rb") as file:
        for count, (name, entry) in enumerate(_READERS[kind](path, file)):
            if only is None:
                seen = name if seen is None else seen
                if name != seen:
                    raise UserError(
                        f"{shown_path(path)}: it has several channels, {shown(seen)} and {shown(name)} among them",
                        f"--channel {shown(seen)}",
                    )
            elif name != only:
                continue
            if fill is not None and count % 5000 == 0:
                fill(min(1.0, file.tell() / size))
            yield entry


def _lines(path: Path, file: io.BufferedReader) -> Iterator[tuple[int, str]]:
    number = 0
    while line := file.readline(_LINE_MAX + 2):
        number += 1
        if len(line) > _LINE_MAX or b"\0" in line:
            fail(path, number, "no line of a log", "a log in text, as its suffix says")
        text = files.text_of(line).strip()
        if text:
            yield number, text


def _time(seconds: str, fraction: str) -> int:
    return int(seconds) * 1_000_000_000 + int(fraction.ljust(9, "0"))


def _wrong(path: Path, line: int, what: str, text: str) -> NoReturn:
    fail(path, line, f'no line of {what}: "{shown(text[:80])}"', _HINT)


def _candump(path: Path, file: io.BufferedReader) -> Iterator[tuple[str, Entry]]:
    for number, line in _lines(path, file):
        found = _CANDUMP.fullmatch(line)
        if found is None:
            yield _candump_shown(path, number, line)
            continue
        seconds, fraction, name, digits, _, fd, flags, remote, length, text = found.groups()
        word, time_ns = int(digits, 16), _time(seconds, fraction)
        try:
            data = bytes.fromhex(text.replace(".", ""))
        except ValueError:
            _wrong(path, number, "candump", line)
        if len(data) > (FD_BYTES if fd else CLASSIC_BYTES):
            fail(path, number, f"{len(data)} bytes in a frame", _HINT)
        if len(digits) == 8 and word & ERROR:
            yield name, Entry(time_ns, 0, False, b"", 0, error=True)
            continue
        identifier, extended = _identifier(path, number, word, len(digits) > 3)
        bits = int(flags, 16) if fd else 0
        yield (
            name,
            Entry(
                time_ns,
                identifier,
                extended,
                data,
                int(length or 0) if remote else len(data),
                bool(remote),
                bool(fd),
                bool(bits & 1),
                bool(bits & 2),
            ),
        )


def _candump_shown(path: Path, number: int, line: str) -> tuple[str, Entry]:
    """A line as candump shows it to people (-ta)."""
    found = _CANDUMP_SHOWN.fullmatch(line)
    if found is None:
        _wrong(path, number, "candump", line)
    seconds, fraction, name, digits, length, text = found.groups()
    size, remote, word = int(length), text.startswith("remote"), int(digits, 16)
    if len(digits) == 8 and word & ERROR:
        return name, Entry(_time(seconds, fraction), 0, False, b"", 0, error=True)
    try:
        data = b"" if remote else bytes.fromhex(text)
    except ValueError:
        _wrong(path, number, "candump", line)
    if size > FD_BYTES or (not remote and len(data) != size):
        _wrong(path, number, "candump", line)
    identifier, extended = _identifier(path, number, word, len(digits) > 3)
    return name, Entry(
        _time(seconds, fraction), identifier, extended, data, size, remote, size > CLASSIC_BYTES, size > CLASSIC_BYTES
    )


def _identifier(path: Path, number: int, word: int, extended: bool) -> tuple[int, bool]:
    if word > (EXTENDED_MAX if extended else ID_MAX):
        fail(path, number, f"0x{word:X} is no identifier of {29 if extended else 11} bits", _HINT)
    return word, extended


def _asc(path: Path, file: io.BufferedReader) -> Iterator[tuple[str, Entry]]:
    base, began_ns, relative = 16, 0, False
    for number, line in _lines(path, file):
        if found := re.fullmatch(r"base +(hex|dec) +timestamps +(absolute|relative).*", line, re.IGNORECASE):
            base, relative = (16 if found[1].lower() == "hex" else 10), found[2].lower() == "relative"
            continue
        entry = _asc_entry(path, number, line, base)
        if entry is None:
            if not _ASC_HEAD.match(line) and not _ASC_ANY.fullmatch(line):
                _wrong(path, number, "an ASC log", line)
            continue
        if relative:
            began_ns += entry[1].time_ns
            entry = entry[0], entry[1]._replace(time_ns=began_ns)
        yield entry


def _asc_entry(path: Path, number: int, line: str, base: int) -> tuple[str, Entry] | None:
    """None: it is another line than of a frame; those of other events are left out."""
    try:
        if found := _ASC_FRAME.fullmatch(line):
            seconds, fraction, name, digits, wide, kind, length, text = found.groups()
            identifier, extended = _identifier(path, number, int(digits, base), bool(wide))
            size, remote = int(length or "0", 16), kind.lower() == "r"
            data = b"" if remote else _bytes((text or "").split()[: min(size, CLASSIC_BYTES)], base)
            if not remote and len(data) != min(size, CLASSIC_BYTES):
                _wrong(path, number, "an ASC log", line)
            size = min(size, CLASSIC_BYTES)
            return name, Entry(_time(seconds, fraction), identifier, extended, data, size, remote)
        if found := _ASC_FD.fullmatch(line):
            seconds, fraction, name, digits, wide, brs, passive, _, length, text = found.groups()
            identifier, extended = _identifier(path, number, int(digits, base), bool(wide))
            size = int(length)
            data = _bytes(text.split()[:size], base)
            if len(data) != size or size > FD_BYTES:
                _wrong(path, number, "an ASC log", line)
            # Classic frames are written so, too: of 8 bytes at most, and marked in a field behind the data.
            return name, Entry(
                _time(seconds, fraction), identifier, extended, data, size, False, True, brs == "1", passive == "1"
            )
    except ValueError:
        _wrong(path, number, "an ASC log", line)
    if found := _ASC_ERROR.fullmatch(line):
        return found[3], Entry(_time(found[1], found[2]), 0, False, b"", 0, error=True)
    return None


def _bytes(words: list[str], base: int) -> bytes:
    return bytes(int(word, base) for word in words)


def _pcap(path: Path, file: io.BufferedReader) -> Iterator[tuple[str, Entry]]:
    head = file.read(24)
    orders = {b"\xd4\xc3\xb2\xa1": ("<", 1000), b"\xa1\xb2\xc3\xd4": (">", 1000)}
    orders |= {b"\x4d\x3c\xb2\xa1": ("<", 1), b"\xa1\xb2\x3c\x4d": (">", 1)}
    if len(head) < 24 or head[:4] not in orders:
        _at(path, 0, "no pcap file begins like this", "a log of SocketCAN in the format pcap")
    order, unit_ns = orders[head[:4]]
    (link,) = struct.unpack(f"{order}I", head[20:])
    if link & 0xFFFF != LINKTYPE_CAN:
        _at(path, 20, f"link type {link & 0xFFFF}, not {LINKTYPE_CAN} (SocketCAN)", "a log of a CAN interface")
    packet, offset = struct.Struct(f"{order}IIII"), 24
    while record := file.read(16):
        if len(record) < 16:
            _at(path, offset, "the file ends within a packet", "the whole log")
        seconds, rest, kept, _ = packet.unpack(record)
        frame = file.read(kept) if kept <= 8 + FD_BYTES else b""
        if len(frame) < 8 or len(frame) != kept:
            ended = kept <= 8 + FD_BYTES and len(frame) != kept
            _at(
                path, offset, "the file ends within a packet" if ended else f"a packet of {kept} bytes", "the whole log"
            )
        yield "can0", _packet(path, offset, seconds * 1_000_000_000 + rest * unit_ns, frame)
        offset += 16 + kept


def _packet(path: Path, offset: int, time_ns: int, frame: bytes) -> Entry:
    word, size, flags = struct.unpack(">IBB", frame[:6])
    if word & ERROR:
        return Entry(time_ns, 0, False, b"", 0, error=True)
    fd, remote, extended = bool(flags & 4) or size > CLASSIC_BYTES, bool(word & REMOTE), bool(word & EXTENDED)
    data = b"" if remote else frame[8 : 8 + size]
    if (
        size > FD_BYTES
        or (not remote and len(data) != size)
        or word & EXTENDED_MAX > (EXTENDED_MAX if extended else ID_MAX)
    ):
        _at(path, offset, "no frame of CAN in this packet", "a log of a CAN interface")
    return Entry(
        time_ns, word & EXTENDED_MAX, extended, data, size, remote, fd, bool(flags & 1 and fd), bool(flags & 2 and fd)
    )


def _at(path: Path, offset: int, problem: str, hint: str) -> NoReturn:
    raise UserError(f"{shown_path(path)}: byte {offset}: {problem}", hint)


def _blf(path: Path, file: io.BufferedReader) -> Iterator[tuple[str, Entry]]:
    provision.require_python(LOCK)
    can: Any = importlib.import_module("can")
    try:
        reader = can.BLFReader(file)
        for one in reader:
            data = b"" if one.is_remote_frame or one.is_error_frame else bytes(one.data)
            yield (
                str(one.channel),
                Entry(
                    round(one.timestamp * 1e9),
                    one.arbitration_id,
                    one.is_extended_id,
                    data,
                    one.dlc,
                    one.is_remote_frame,
                    one.is_fd,
                    one.bitrate_switch,
                    one.error_state_indicator,
                    one.is_error_frame,
                ),
            )
    except UserError:
        raise
    except Exception as error:  # whatever a file that is wrong makes python-can raise
        said = " ".join(str(error).split()) or type(error).__name__
        _at(path, file.tell(), f"no BLF file that python-can reads: {shown(said[:200])}", "the whole log")


_READERS = {"candump": _candump, "asc": _asc, "pcap": _pcap, "blf": _blf}
