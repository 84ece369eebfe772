# SPDX-License-Identifier: Apache-2.0
"""The names that rooms export, read from their objects: each has its room's prefix, and no two rooms have one."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from running import FULL, only_full
from takt.declare.schema import boards
from takt.image.build import GROUPS
from takt.image.kernel_members import Members
from takt.support.compile import BUILD, compile_preset, locked
from takt.support.provision import require

TARGETS = ("rooms", "takt_net_can", "takt_net_e2e", "takt_net_clock", "takt_reflect_core")
RISCV = "riscv64-unknown-elf-"
TOOLS = {"host": "", "mps2-an385": "arm-none-eabi-", "rv32-virt": RISCV, "ibex-soc": RISCV}
BOARDS = [board for board in TOOLS if FULL or board == "host"]
ENGINE = {"ibex-soc": {"TAKT_ENGINE": "rtm"}}  # hardware/driver, in place of the kernel's own queues


@dataclass(frozen=True)
class Room:
    """`target`: in CMake. `prefix`: of private names. `objects`: takt_OBJECT and takt_OBJECT_... are public names, or
    those that a seam asks for. `others`: names that the compiler or a C library gives. `under`: the folder of its
    files, where a target has files of several rooms."""

    target: str
    prefix: str
    objects: str = ""
    others: str = ""
    under: str = ""

    @property
    def name(self) -> str:
        return self.under or self.target


# library/heap, of processes; on the host files of an application have other names of them.
MALLOC = "malloc free calloc realloc aligned_alloc memalign posix_memalign malloc_usable_size strdup strndup"
MALLOC += "".join(f" takt_library_{name}" for name in MALLOC.split())
STDIN = "stdin getchar getchar_unlocked __isoc99_scanf __isoc99_vscanf"  # on host, of processes
# Of what a board must bring, what chips/ has for it.
OF_BOARDS = """takt_board_console_start takt_board_console_take takt_board_interrupt_every takt_board_link_exchange
    takt_board_goes_on takt_board_option takt_board_reset takt_board_stream_write"""
ROOMS = (
    Room("takt_base", "taktb_", "bitmap tournament"),
    Room("takt_analysis", "takta_", "analysis"),
    Room(
        "takt_kernel",
        "takti_",
        "alarm ceiling condition delay events fault hint hook interrupt job kernel log mailbox mutex now pipe pool "
        "priority_mailbox process rendezvous semaphore signal slot start state task trace watchdog",
    ),
    Room("takt_user", "takt_user_", "trap", f"takt_console_read {MALLOC} {STDIN}"),
    Room("takt_net_can", "taktc_", "can"),
    Room("takt_net_e2e", "takte_", "e2e"),
    Room("takt_net_clock", "taktk_", "clock"),
    Room("takt_reflect_core", "taktr_", "admit area assemble node pace push seal window wire"),
    Room("takt_port", "takt_port_", "{port} work", "memcpy memset __aeabi_read_tp __assert_func"),
    Room("takt_runner", "takt_run_", "hook", "main"),
    Room("takt_board", "takt_board_", "port work", under="boards"),
    Room("takt_board", "takt_chip_", "{port} port semihosting", OF_BOARDS, under="chips"),
)


@cache
def built(board_name: str) -> Path:
    """All rooms of a board, with processes."""
    board = boards.load(board_name)
    require(*GROUPS[board.port])
    folder = BUILD / f"symbols-{board_name}"
    settings = {
        **{"TAKT_BOARD": board_name, "TAKT_PORT": board.port, "TAKT_PRESET": "debug", "TAKT_SCHED": "budgets"},
        **{"TAKT_LEVELS": "32", "TAKT_PROCESSES": "1", "TAKT_QUOTAS": "1"},
        **ENGINE.get(board_name, {}),
        "CMAKE_C_FLAGS_RELEASE": "-O0",  # as many names, sooner
    }
    with locked(folder):
        for target in TARGETS:
            compile_preset(board_name, folder, settings, f"building {target} for {board_name}", target)
    return folder


def rooms_of(board_name: str) -> list[Room]:
    return [room for room in ROOMS if room.under != "chips" or boards.load(board_name).chips]


@cache
def exported(board_name: str) -> dict[str, set[str]]:
    """By room: its global names; weak ones aside, which replace those of another room."""
    found = {}
    for room in rooms_of(board_name):
        files = built(board_name).rglob(f"{room.target}.dir/{room.under}/**/*.o*")
        objects = [path for path in files if path.suffix in (".o", ".obj")]
        assert objects, room.name
        command = [f"{TOOLS[board_name]}nm", "--defined-only", "--extern-only", "--format=posix", *map(str, objects)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows = [line.split() for line in printed.splitlines() if not line.endswith(":")]
        found[room.name] = {name for name, kind, *_ in rows if kind not in "WV"}
    return found


def mine(room: Room, port: str) -> re.Pattern[str]:
    names = "|".join(room.objects.format(port=port).split())
    return re.compile(rf"{room.prefix}\w+|takt_({names})(_\w+)?")


@pytest.mark.parametrize(
    ("board_name", "room"),
    [(board, room) for board in BOARDS for room in rooms_of(board)],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_room_exports_its_own_names(board_name: str, room: Room) -> None:
    pattern, others = mine(room, boards.load(board_name).port), room.others.split()
    names = exported(board_name)[room.name]
    assert names
    assert sorted(name for name in names if not pattern.fullmatch(name) and name not in others) == []


@pytest.mark.parametrize("board_name", BOARDS)
def test_no_two_rooms_export_one_name(board_name: str) -> None:
    rooms: dict[str, list[str]] = {}
    for room, names in exported(board_name).items():
        for name in names:
            rooms.setdefault(name, []).append(room)
    assert {name: where for name, where in rooms.items() if len(where) > 1} == {}


def test_private_prefixes_differ() -> None:
    prefixes = [room.prefix for room in ROOMS]
    assert [(a, b) for a in prefixes for b in prefixes if a != b and a.startswith(b)] == []
    assert len(set(prefixes)) == len(prefixes)


def test_every_room_of_the_kernel_is_seen() -> None:
    """A file that is built for processes or quotas alone too."""
    names = exported("host")["takt_kernel"]
    assert {"takt_mutex_lock", "takti_process_step", "takti_quota_memory", "takti_kernel"} <= names


@pytest.mark.parametrize("board_name", BOARDS)
def test_it_is_known_which_file_defines_a_name(board_name: str) -> None:
    """So a link that lacks it can be given that file. Entries of calls are weak where they are used: none lacks one."""
    known = Members(built(board_name), TOOLS[board_name], "").defining()
    names = {name for name in exported(board_name)["takt_kernel"] if not name.startswith("takti_entry_")}
    assert sorted(names - known.keys()) == []
    assert known["takt_mutex_lock"] != known["takt_pipe_write"]


@only_full
def test_the_driver_of_the_task_manager_is_seen() -> None:
    assert list(built("ibex-soc").rglob("takt_kernel.dir/**/hardware/driver/*.o*"))
