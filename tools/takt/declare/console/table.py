# SPDX-License-Identifier: Apache-2.0
"""[console] of system.toml: input from the console's line. It adds two objects to the declaration, as if they were
written there: an interrupt for each character, and the pipe that its handler writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from takt.declare.schema import boards, reader
from takt.declare.schema.kinds import POSITIVE_DURATION, Key, Table, integer
from takt.declare.schema.model import ConsoleInput, System
from takt.declare.schema.reader import Document, located
from takt.support.c.kernel import PIPE_CAPACITY_MIN
from takt.support.durations import brief
from takt.support.errors import UserError, one_of
from takt.support.files import fault_of, is_regular, shown_path

NAME = "console"
PIPE = "console_input"
INTERRUPT = "console_receive"
BITS = 10  # of a character on the line: start, eight, stop
RATES = (300, 4_000_000)
INPUT_MAX = 1 << 16
LATE_NS = 20_000  # by which a character of a file may come later than the line could bring it

CONSOLE = Table(
    NAME,
    "Input from the console. Characters come over its serial line: an interrupt, `console_receive`, puts each into the"
    " pipe `console_input`, and `takt_console_read` reads that (`takt/console.h`, docs/console.md). A task with the"
    ' trigger "pipe console_input" is released by each character; a process reads with `uses = ["console_input"]`. The'
    " proof counts an interrupt for each character at the line's rate. Left out: there is no input.",
    (
        Key(
            "input",
            integer(PIPE_CAPACITY_MIN, INPUT_MAX),
            "Characters that wait for their reader at most; more are lost and counted.",
            default_text="**required** in this table",
        ),
        Key(
            "rate",
            integer(*RATES),
            "The line's rate in baud: a character takes ten bits, and no two come closer. Emulated boards take them in"
            " at this rate, too.",
            default=9600,
        ),
        Key(
            "wcet",
            POSITIVE_DURATION,
            "Longest execution of the interrupt's handler, which writes to the pipe.",
            default_text="the board's",
        ),
    ),
    many=False,
)


def expand(document: Document) -> ConsoleInput | None:
    """Adds the interrupt and the pipe to the tables of a document that has a [console]. UserError: a key is wrong."""
    if NAME not in document.data:
        return None
    values = reader.read_table(document, CONSOLE, document.data[NAME], (NAME,))
    if values["input"] is None:
        document.fail((NAME,), '[console]: "input" is missing', "characters that wait at most, such as input = 128")
    released = any(
        isinstance(task, dict) and task.get("trigger") == f"pipe {PIPE}" for task in _tables(document, "task")
    )
    senders = {"senders": [{"task": INTERRUPT, "bytes": 1}]} if released else {}
    character_ns = BITS * 10**9 // values["rate"]
    _append(document, "pipe", {"name": PIPE, "capacity": values["input"], **senders})
    interrupt = {"name": INTERRUPT, "number": 0, "min_interarrival": f"{character_ns} ns", "wcet": "1 ns"}
    _append(document, "interrupt", interrupt)
    document.made.add(INTERRUPT)
    return ConsoleInput(character_ns, values["wcet"])


def _tables(document: Document, name: str) -> list[Any]:
    found = document.data.get(name, [])
    return found if isinstance(found, list) else []


def _append(document: Document, name: str, table: dict[str, Any]) -> None:
    found = document.data.setdefault(name, [])
    if isinstance(found, list):  # else it is refused when it is read
        document.lines[(name, len(found))] = document.line((NAME,)) or 0
        found.append(table)


def on_board(system: System) -> System:
    """The system with the interrupt of its board. UserError: the board has no console input, or that number is
    another interrupt's."""
    if system.console is None or system.board not in boards.names():
        return system
    board = boards.load(system.board)
    if board.console_interrupt is None:
        able = [name for name in boards.names() if boards.load(name).console_interrupt is not None]
        problem = f"[console]: the console of {system.board} has no input"
        raise located(system, PIPE, problem, f"board = {one_of(able)}")
    for item in system.interrupts:
        if item.name != INTERRUPT and item.number == board.console_interrupt:
            problem = f'[[interrupt]] "{item.name}": number = {item.number} is that of [console] on {system.board}'
            raise located(system, item.name, problem, "another number")
    wcet_ns = system.console.wcet_ns or board.console_wcet
    own = [
        replace(item, number=board.console_interrupt, wcet_ns=wcet_ns, console=True) if item.name == INTERRUPT else item
        for item in system.interrupts
    ]
    return replace(system, interrupts=tuple(own))


def with_typed(system: System, path: Path | None, duration_ns: int) -> System:
    """The system whose console's line brings the bytes of a file, if there is one, from the start of a run on.

    UserError: it has no [console], it is no file, or the line takes longer for it than the run lasts.
    """
    if path is None:
        return system
    if system.console is None:
        problem = f"--input: {shown_path(system.path)} has no [console], so the line brings nothing"
        raise UserError(problem, "[console] with input = 128")
    if not is_regular(path):
        raise UserError(f"--input {shown_path(path)} {fault_of(path)}", "a file with what is typed")
    size = path.stat().st_size
    needed_ns = size * (system.console.character_ns + LATE_NS)
    if needed_ns >= duration_ns:
        problem = f"--input {shown_path(path)}: the line takes {brief(needed_ns)} for {size} bytes"
        raise UserError(
            f"{problem}, and the run lasts {brief(duration_ns)}", "--duration, and time for what they cause"
        )
    return replace(system, console=replace(system.console, typed=path))
