# SPDX-License-Identifier: Apache-2.0
"""What files say of the messages of a bus, whatever their format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.names import shown

CLASSIC_BYTES, FD_BYTES = 8, 64
ID_MAX, EXTENDED_MAX = 0x7FF, 0x1FFF_FFFF
MESSAGES_MAX = 20_000
FILE_MAX = 64_000_000  # bytes

Identifier = tuple[int, bool]
"""A number, and whether it has 29 bits."""


@dataclass(frozen=True)
class Message:
    """A message as its file has it. Times are None where the file does not say them.

    `line`: in the file; 0: not known. `delay_ns`: the least distance of two transmissions, of what is sent on events
    too. `event`: it is sent on events, besides its cycle if it has one. `j1939`: its identifier says what it is, the
    three bits of priority aside. `offset_ns`: of its releases, on the clock of its sender.
    """

    name: str
    identifier: int
    extended: bool
    senders: tuple[str, ...]
    size: int
    line: int = 0
    fd: bool = False
    period_ns: int | None = None
    jitter_ns: int | None = None
    deadline_ns: int | None = None
    delay_ns: int | None = None
    event: bool = False
    j1939: bool = False
    offset_ns: int | None = None

    @property
    def id_text(self) -> str:
        """As tools of CAN show it: 0x and 3 or 8 digits."""
        return f"0x{self.identifier:0{8 if self.extended else 3}X}"

    @property
    def arbitration(self) -> tuple[int, bool, int]:
        """The order in which identifiers win: their first 11 bits, then those with no more, then the others."""
        base = self.identifier >> 18 if self.extended else self.identifier
        return base, self.extended, self.identifier


def fail(path: Path, line: int, problem: str, hint: str) -> NoReturn:
    """UserError at a line of a file; 0: at the file."""
    where = f"{shown_path(path)}:{line}" if line else f"{shown_path(path)}"
    raise UserError(f"{where}: {problem}", hint)


def check(path: Path, messages: Sequence[Message]) -> None:
    """UserError at the first message that no bus can have, or that has the identifier of another."""
    if len(messages) > MESSAGES_MAX:
        fail(path, messages[MESSAGES_MAX].line, f"more than {MESSAGES_MAX} messages", "the messages of one bus")
    seen: dict[tuple[int, bool], Message] = {}
    for one in messages:
        name = f'message "{shown(one.name)}"'
        most = EXTENDED_MAX if one.extended else ID_MAX
        if not 0 <= one.identifier <= most:
            bits = 29 if one.extended else 11
            problem = f"{name}: identifier 0x{one.identifier:X} has more than {bits} bits"
            fail(path, one.line, problem, "an extended identifier (in a DBC file with bit 31 set)")
        if one.size > FD_BYTES:
            fail(
                path, one.line, f"{name}: {one.size} bytes, but no frame has more than {FD_BYTES}", "a shorter message"
            )
        other = seen.setdefault((one.identifier, one.extended), one)
        if other is not one:
            at = f" (line {other.line})" if other.line else ""
            problem = f'{name}: identifier {one.id_text} is that of "{shown(other.name)}"{at}, too'
            fail(path, one.line, problem, "one message for each identifier")


_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8"), (b"", "utf-8"))


@dataclass(frozen=True)
class Text:
    """Of a file, whose bytes are `mark` and `text` in `codec`."""

    text: str
    mark: bytes
    codec: str

    def bytes_of(self, text: str) -> bytes:
        """Another text in the same way."""
        return self.mark + text.encode(self.codec)


def decoded(path: Path, data: bytes) -> Text:
    """UTF-8, UTF-16 with a mark, or Latin-1 as older tools write. UserError: it is no text."""
    mark, codec = next(one for one in _MARKS if data.startswith(one[0]))
    if codec == "utf-8" and 0 in data:
        fail(path, data.count(b"\n", 0, data.index(0)) + 1, "a NUL: it is no text file", "a file of text")
    try:
        return Text(data[len(mark) :].decode(codec), mark, codec)
    except UnicodeDecodeError as error:
        if codec != "utf-8":
            fail(path, 0, f"not UTF-16 (byte {len(mark) + error.start})", "save it as UTF-8")
        return Text(data.decode("latin-1"), b"", "latin-1")
