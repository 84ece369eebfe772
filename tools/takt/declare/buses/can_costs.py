# SPDX-License-Identifier: Apache-2.0
"""boards/B/can.toml: what the calls and the interrupt of a driven CAN bus cost on a board, maxima measured by `takt
bench can`.

instruction = "64 ns"      # the board's time for one
messages = [4, 8]          # an array below has one figure for each: with up to so many sent, two of each waiting
[[entry]]                  # one for each number of mailboxes that send
mailboxes = 8
send_mailbox = [700, 800]  # in instructions, the margin included
...

A send is part of the job that makes it, so of its wcet; the interrupt is in the proof as one of the system, and the
longest of all is a locked section.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt.declare.buses import driven, protected
from takt.declare.schema import reader
from takt.declare.schema.boards import Board
from takt.declare.schema.kinds import POSITIVE_DURATION, Key, Kind, Table, integer, list_of
from takt.declare.schema.model import Bus, Message, System
from takt.declare.schema.reader import located

FILE = "can.toml"
SENDS = {
    "send_mailbox": "A message that finds a free mailbox.",
    "send_queue": "One that waits: all mailboxes have lower identifiers.",
    "send_replace": "One that replaces another in a mailbox, whose frame is aborted.",
}
INTERRUPTS = {
    "interrupt": "An interrupt that finds nothing to do.",
    "sent": "The interrupt of a transmission: the best that waits is loaded.",
    "receive_state": "The interrupt of a reception: the state message is written.",
    "receive_queue": "The same, into the mailbox of a task.",
}
WAITING = 2  # of each message, when it was measured
MEASURED_SIZE = 8  # bytes of each
FORWARD = 50
"""Instructions to forward a received message, beyond those to receive it and to send one."""
COPY = 5
"""Instructions for a byte of a received message beyond that: as a byte of any message."""
SEARCH = 24
"""Instructions for each time that the number of received messages is halved: one more look at an identifier."""
STAMP = 100
"""Instructions to note when a protected message came, beyond its copies."""
PROTECT, CHECK, CHECK_BYTE = 120, 420, 27
"""Instructions of a task to protect a message, to check one, and for each byte of either."""
UNBOUNDED = 4  # frames of a message that wait, where no bound is known

_FIGURES = list_of(integer(0, 10_000_000))  # 0: it cannot be with so few messages
_ENTRY = Table(
    "entry",
    "Instructions with one number of mailboxes.",
    (
        Key("mailboxes", integer(1, 16), "That send.", required=True),
        *(Key(name, _FIGURES, doc, required=True) for name, doc in (SENDS | INTERRUPTS).items()),
    ),
)
_FILE = Table(
    "",
    "The file.",
    (
        Key("instruction", POSITIVE_DURATION, "The board's time for an instruction.", required=True),
        Key("messages", list_of(integer(1, 1000)), "Numbers of messages of the measurements.", required=True),
        Key("entry", Kind("array of tables", lambda value: value), "One for each kind.", required=True, table=_ENTRY),
    ),
    many=False,
)


_measured: list[Board] = []


@contextmanager
def measuring(board: Board) -> Iterator[None]:
    """Within it no costs are known: they are being measured."""
    _measured.append(board)
    try:
        yield
    finally:
        _measured.remove(board)


@dataclass(frozen=True)
class CanCosts:
    """Of one bus, ns."""

    send_ns: int  # the longest
    interrupt_ns: int

    @property
    def locked_ns(self) -> int:
        """The longest locked section: a send, or what the interrupt does for the queue."""
        return max(self.send_ns, self.interrupt_ns)


def read(board: Board) -> dict[str, Any] | None:
    """The board's file; None: it has none. UserError: malformed."""
    path = board.folder / FILE
    if not path.exists():
        return None
    document = reader.load(path)
    file = reader.read_table(document, _FILE, document.data, ())
    for index, entry in enumerate(file["entry"]):
        for name in SENDS | INTERRUPTS:
            if len(entry[name]) != len(file["messages"]):
                problem = (
                    f"[[entry]]: {name} has {len(entry[name])} figures, `messages` {len(file['messages'])} numbers"
                )
                document.fail(("entry", index), problem, "one for each")
    return file


def waiting(system: System, bus: Bus) -> Iterator[int]:
    """Frames of each message that may wait at once, if the bus is proved."""
    for one in driven.sent(system, bus):
        period_ns = one.period_ns or system.task(one.sender or "").separation_ns
        known = period_ns and one.deadline_ns
        yield -(-one.deadline_ns // period_ns) + 1 if known and period_ns and one.deadline_ns else UNBOUNDED


def of(system: System, bus: Bus, board: Board) -> CanCosts | None:
    """None: the board has no figures, or its operations take no time. UserError: the bus has more messages."""
    own = _figures(system, bus, board)
    if own is None:
        return None
    receives = driven.received(system, bus)
    more = SEARCH * len(receives).bit_length() + _copied(receives) + _stamped(receives)
    received = more + max(own.entry["receive_state"][own.column], own.entry["receive_queue"][own.column])
    longest = max(own.entry["sent"][own.column], own.entry["interrupt"][own.column], received if receives else 0)
    forwarding = max((_forwarding(system, one, board) for one in receives), default=0)
    if forwarding:
        longest = max(longest, received + forwarding)
    return CanCosts(own.send * own.instruction_ns, longest * own.instruction_ns)


@dataclass(frozen=True)
class _Figures:
    """Of one bus."""

    instruction_ns: int
    entry: dict[str, Any]
    column: int

    @property
    def send(self) -> int:
        """Instructions of the longest."""
        return int(max(self.entry[name][self.column] for name in SENDS))


def _copied(messages: Sequence[Message]) -> int:
    return COPY * max([0, *(one.size - MEASURED_SIZE for one in messages)])


def _stamped(messages: Sequence[Message]) -> int:
    """Instructions more of the longest reception: its time, and two copies of both."""
    sizes = [one.size + protected.STAMP for one in messages if protected.is_received(one)]
    return STAMP + 2 * COPY * max(sizes) if sizes else 0


def _forwarding(system: System, one: Message, board: Board) -> int:
    """Instructions to send all copies of a received message."""
    found = 0
    for bus, copy in driven.copies(system, one):
        own = _figures(system, bus, board)
        found += FORWARD + _copied([copy]) + (own.send if own is not None else 0)
    return found


def _figures(system: System, bus: Bus, board: Board) -> _Figures | None:
    file = None if _measured else read(board)
    if file is None:
        return None
    frames = list(waiting(system, bus))
    needed = max(len(frames), -(-sum(frames) // WAITING))
    column = next((index for index, count in enumerate(file["messages"]) if needed <= count), None)
    if column is None:
        problem = (
            f'[[can]] "{bus.name}": costs are measured for {file["messages"][-1]} messages that are sent, of which'
        )
        problem += f" {file['messages'][-1] * WAITING} wait; it has {len(frames)} and {sum(frames)}"
        raise located(system, bus.name, problem, "fewer messages, or shorter deadlines, on this board")
    entry = min(file["entry"], key=lambda entry: abs(entry["mailboxes"] - driven.mailboxes(bus)))
    return _Figures(file["instruction"], entry, column)


def locked_ns(system: System, board: Board) -> int:
    """The longest locked section of all driven buses."""
    found = (of(system, bus, board) for bus in system.driven)
    return max((costs.locked_ns for costs in found if costs is not None), default=0)


def calls_ns(system: System, task: str, board: Board) -> int:
    """What a job of the task takes at most to send each of its messages once, and to check the protected ones that it
    receives."""
    found = 0
    for bus in system.driven:
        costs = of(system, bus, board)
        own = _figures(system, bus, board)
        if costs is None or own is None:
            continue
        sends = [one for one in driven.sent(system, bus) if one.sender == task]
        bytes_of = [PROTECT + CHECK_BYTE * one.size for one in sends if one.protection is not None]
        for one in driven.received(system, bus):
            if protected.is_received(one) and task in one.receivers:
                bytes_of += [CHECK + CHECK_BYTE * one.size] * ((one.queue or 0) + 1)
        found += costs.send_ns * len(sends) + sum(bytes_of) * own.instruction_ns
    return found


def text_of(instruction_ns: int, messages: list[int], entries: dict[int, dict[str, list[int]]]) -> str:
    """The file's text."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by `./takt bench can`. Guest instructions, the margin included: docs/can.md.",
        f'instruction = "{instruction_ns} ns"',
        f"messages = {messages}",
    ]
    for mailboxes, figures in entries.items():
        lines += ["", "[[entry]]", f"mailboxes = {mailboxes}", *(f"{name} = {row}" for name, row in figures.items())]
    return "\n".join(lines) + "\n"


def path_of(board: Board) -> Path:
    return board.folder / FILE
