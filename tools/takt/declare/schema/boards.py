# SPDX-License-Identifier: Apache-2.0
"""The boards: folders of boards/ with a board.toml, and the memories of their linker scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from takt.declare.schema import reader
from takt.declare.schema.kinds import BOOLEAN, DURATION, IDENTIFIER, STRING, Key, Kind, Table, integer, list_of
from takt.declare.schema.model import System
from takt.support import files
from takt.support.c.task_manager import RECORDS_MAX, RECORDS_MIN
from takt.support.errors import UserError, one_of
from takt.support.files import shown_path
from takt.support.provision import ROOT

FOLDER = ROOT / "boards"
CHIPS = ROOT / "chips"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}
_ORIGIN = re.compile(r"^\s*(\w+)\s*\((\w+)\)\s*:\s*ORIGIN\s*=\s*(0x[0-9a-fA-F]+)\s*,\s*LENGTH\s*=\s*(\d+)([KM]?)", re.M)
SOFTWARE = "software"  # the engine that every board has
RTM = "rtm"  # the task manager in hardware
RECORDS_USUAL = 64  # of one that is built for no system
TOOLS = {"armv7m": "arm-none-eabi-", "rv32": "riscv64-unknown-elf-"}  # prefix of compilers, by port


def _addresses(value: Any) -> tuple[int, int]:
    found = list_of(integer(0, (1 << 32) - 1)).read(value)
    if len(found) != 2 or found[0] > found[1]:
        raise UserError("expected the first and the last address", "[0x40000000, 0x40001fff]")
    return found[0], found[1]


BOARD = Table(
    "",
    "A board.",
    (
        Key("name", STRING, "The folder's name.", required=True),
        Key("description", STRING, "One line.", required=True),
        Key("emulated", BOOLEAN, "Does it exist only as an emulation?", required=True),
        Key("port", IDENTIFIER, "A folder of ports/.", required=True),
        Key(
            "chips",
            list_of(STRING),
            "Folders of chips/ whose code it shares; cmake/board.cmake builds them.",
            default=(),
        ),
        Key("flash", integer(0, 1 << 32), "Bytes for code and constants; 0: the host's.", default=0),
        Key("ram", integer(0, 1 << 32), "Bytes for data and stacks; 0: the host's.", default=0),
        Key("interrupts", integer(1, 240), "Interrupt numbers: 0 to one below.", required=True),
        Key("console_interrupt", integer(0, 239), "Number of the interrupt of the console's input, if it has one."),
        Key("console_wcet", DURATION, "Longest execution of its handler.", default=0),
        Key(
            "can_interrupts",
            list_of(integer(0, 239)),
            "Numbers of the interrupts of its CAN controllers (runner/include/takt/board_can.h).",
            default=(),
        ),
        Key("can_wcet", DURATION, "Longest execution of their handler.", default=0),
        Key("interrupts_taken", list_of(integer(0, 239)), "Numbers that the board needs for itself.", default=()),
        Key(
            "addresses_taken",
            list_of(Kind("first and last", _addresses)),
            "Devices of the kernel and the board, and other names of flash and ram: no process may map them.",
            default=(),
        ),
        Key("interrupts_free", BOOLEAN, "Can it have interrupts that the kernel never masks?", default=True),
        Key(
            "engines",
            list_of(STRING),
            "Engines that find the next task and expiry: software, the kernel's own queues; rtm, the task manager.",
            default=(SOFTWARE,),
        ),
        Key(
            "records",
            list_of(integer(RECORDS_MIN, RECORDS_MAX)),
            "Sizes of the task manager: powers of two. An image is built for the smallest one that suffices.",
            default=(),
        ),
        Key("instruction_ns", integer(1, 1000), "What an emulated instruction takes, if all take the same.", default=0),
        Key("zero_overheads", BOOLEAN, "Do kernel operations take no time there (virtual time)?", default=False),
        Key("simulator", IDENTIFIER, "A folder of hardware/ that {simulator} in `run` is built of.", default=""),
        Key(
            "run",
            list_of(STRING),
            "Command that runs {image} with {options} (alone: a word each). {access_cycles}, if present: by how many"
            " cycles each access to the task manager is longer.",
            required=True,
        ),
        Key("run_option", STRING, "The text in {options} for an option {name} with {value}.", required=True),
        Key("run_link", list_of(STRING), "More words when a plant takes part: {link}.", default=()),
        Key("run_real", list_of(STRING), "More words with which time passes as outside.", default=()),
        Key("real_seconds", integer(1, 1000), "What a second of the board takes then.", default=1),
        Key("run_gdb", list_of(STRING), "More words that make it wait for a debugger at {gdb}.", default=()),
    ),
    many=False,
)


@dataclass(frozen=True)
class Board:
    """A board.toml. `flash` and `ram` in bytes, 0 where the host decides. `run*`: see `run_command`."""

    name: str
    description: str
    emulated: bool
    port: str
    chips: tuple[str, ...]
    flash: int
    ram: int
    interrupts: int
    console_interrupt: int | None  # None: its console has no input
    console_wcet: int  # ns
    can_interrupts: tuple[int, ...]
    can_wcet: int  # ns
    interrupts_taken: tuple[int, ...]
    addresses_taken: tuple[tuple[int, int], ...]  # first and last, besides flash and ram
    interrupts_free: bool
    engines: tuple[str, ...]
    records: tuple[int, ...]  # of the task manager, the fewest first
    instruction_ns: int  # 0: they differ, or take none
    zero_overheads: bool
    simulator: str  # a folder of hardware/; "": none
    run: tuple[str, ...]
    run_option: str
    run_link: tuple[str, ...]
    run_real: tuple[str, ...]  # none: it cannot
    real_seconds: int
    run_gdb: tuple[str, ...]  # none: gdb itself runs the image
    folder: Path

    def run_command(
        self,
        image: Path,
        options: dict[str, object],
        link: Path | None = None,
        gdb: str | None = None,
        access_cycles: int = 0,
        simulator: Path | None = None,
        real: bool = False,
    ) -> list[str]:
        """The command that runs an image. `link`: the plant's serial line, named as board.toml explains.

        `gdb`: where it waits for a debugger, "tcp:ADDRESS:PORT" or "unix:PATH,server=on,wait=off". `access_cycles`:
        only where `delays_accesses`. `real`: with `run_real`. `simulator`: the path from
        takt.image.simulator.require, if the board has one.
        """
        filled = [self.run_option.format(name=name, value=value) for name, value in options.items()]
        more = (
            *(self.run_link if link is not None else ()),
            *(self.run_gdb if gdb is not None else ()),
            *(self.run_real if real else ()),
        )
        command: list[str] = []
        for word in (*self.run, *more):
            if word == "{options}":
                command += filled
            else:
                given = {"image": image, "link": link, "gdb": gdb, "simulator": simulator}
                command.append(word.format(options="".join(filled), access_cycles=access_cycles, **given))
        return command

    @property
    def tools(self) -> str:
        """What the names of its compiler and binary tools begin with; on the host nothing."""
        return TOOLS.get(self.port, "")

    def records_for(self, needed: int) -> int | None:
        """The smallest task manager with at least this number of records; None: there is none."""
        return next((count for count in self.records if count >= needed), None)

    @property
    def delays_accesses(self) -> bool:
        """Whether a run may make each access to the task manager longer."""
        return "{access_cycles}" in self.run


def names() -> list[str]:
    """Every board, in alphabetical order."""
    return sorted(path.parent.name for path in FOLDER.glob("*/board.toml"))


def folder_of(name: str) -> Path:
    """Where the files of a board are; that board need not exist."""
    return FOLDER / name


def load(name: str) -> Board:
    """The board of that name, which must be one of `names()`. UserError: its board.toml is malformed."""
    path = folder_of(name) / "board.toml"
    document = reader.load(path)
    values = reader.read_table(document, BOARD, document.data, ())
    if values["name"] != name:
        document.fail(("name",), f'name = "{values["name"]}": the folder is called {name}', f'"{name}"')
    missing = [name for name in values["chips"] if not (CHIPS / name).is_dir()]
    if missing:
        there = ", ".join(sorted(path.name for path in CHIPS.iterdir() if path.is_dir()))
        document.fail(("chips",), f'"{missing[0]}" is no folder of chips/', f"those are {there}")
    records = values["records"] = tuple(sorted(set(values["records"])))
    if any(count & (count - 1) for count in records):
        document.fail(("records",), f"records = {list(records)}: expected powers of two", "[64, 128]")
    if bool(records) != (RTM in values["engines"]):
        document.fail(("engines",), f'"{RTM}" and `records` go together', "both, or neither")
    return Board(**values, folder=path.parent)


@dataclass(frozen=True)
class Space:
    """Free memory, from `base` to one below `end`."""

    memory: str
    base: int
    end: int


def memories(board: Board) -> dict[str, Space]:
    """`code` and `ram` of the board's linker script."""
    path = board.folder / "link.ld"
    found = {}
    for name, _, base, length, unit in _ORIGIN.findall(files.read_text(path)):
        found[name] = Space(name, int(base, 16), int(base, 16) + int(length) * _UNITS[unit])
    if not {"code", "ram"} <= set(found):
        raise UserError(f"{shown_path(path)}: no memories code and ram with a length each", "as those of mps2-an385")
    return found


def with_engine(system: System, engine: str | None) -> System:
    """The system with another engine (the --engine option), on its board."""
    if engine is None:
        return system
    if engine not in (known := load(system.board).engines):
        raise UserError(f"--engine {engine}: {system.board} has none", f"{one_of(known)}, or --board ibex-soc")
    return replace(system, engine=engine)


def refuse(system: System, board: Board) -> None:
    """UserError: an interrupt or a device that cannot be there."""
    _refuse_free_interrupts(system, board)
    _refuse_devices(system, board)


def _refuse_free_interrupts(system: System, board: Board) -> None:
    """UserError: an interrupt that the kernel never masks, on a board that has none."""
    for item in system.interrupts:
        if not item.kernel and not board.interrupts_free:
            problem = f"kernel = false: on {board.name} the kernel's lock masks every interrupt"
            raise reader.located(system, item.name, f'[[interrupt]] "{item.name}": {problem}', "kernel = true")


def _refuse_devices(system: System, board: Board) -> None:
    """UserError: a process could map ordinary memory, or devices that the kernel and the board need for themselves."""
    if not system.devices or board.port == "host":
        return
    spaces = memories(board).values()
    taken = [(space.base, space.end - 1) for space in spaces] + list(board.addresses_taken)
    for device in system.devices:
        for first, last in taken:
            if device.base <= last and device.base + device.size > first:
                problem = f'[[device]] "{device.name}": {device.size} bytes at {device.base:#x} overlap'
                problem += f" {first:#x} to {last:#x}, which the kernel or the board uses"
                hint = (
                    "the address range of a device that only the application uses; ordinary memory is "
                    "declared as [[shared]]"
                )
                raise reader.located(system, device.name, problem, hint)
