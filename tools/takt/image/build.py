# SPDX-License-Identifier: Apache-2.0
"""`takt build`: the image of a proved system for its board."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from takt.declare import quotas, services, symbols
from takt.declare.code import constructors, includes, thread_locals
from takt.declare.schema import boards, levels, servers
from takt.declare.schema.boards import Board
from takt.declare.schema.model import System
from takt.declare.service_kinds.slot import Slot
from takt.image import link_checks, protected, stack_bounds
from takt.image.application import archives, cmake, cxx, headers, heap, shell
from takt.image.kernel_members import Members
from takt.image.stack_bounds import Bound
from takt.image.tables import generate
from takt.prove.proof import Proved
from takt.support import children, files, plain, provision
from takt.support.c.task_manager import DEADLINE_UNIT_NS, DEADLINES_APART
from takt.support.compile import BUILD, Supply, compile_preset, locked
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.link_words import LinkError
from takt.support.provision import ROOT

GROUPS = {"host": ("host",), "armv7m": ("host", "arm"), "rv32": ("host", "riscv")}  # Debian packages by port
NAME_MAX = 60  # of an application, in the name of a folder
RTM_DEADLINE_NS = DEADLINES_APART * DEADLINE_UNIT_NS // 10**9 * 10**9  # in whole seconds
ROOMS = BUILD  # where kernels are, apart from the images that are linked with them
LIBRARIES = {  # of CMake, callers first, and where their headers are
    "takt_shell": ROOT / "library" / "shell" / "include",
    "takt_can_service": ROOT / "library" / "can" / "include",
    "takt_reflect_core": ROOT / "reflect" / "core" / "include",
    "takt_analysis": ROOT / "analysis" / "include",
}
NET_HEADERS = (ROOT / "net" / "can" / "include", ROOT / "net" / "e2e" / "include")
_NO_CACHE = {"CMAKE_C_COMPILER_LAUNCHER": ""}  # one of compilations would leave out what takt.image.stack reads
_MODES = {
    "TAKT_PROCESSES": "protected",
    "TAKT_QUOTAS": "quotas",
    "TAKT_PROCESS_START": "start",
    "TAKT_PROCESS_CONSTRUCTS": "constructors",
    "TAKT_PROCESS_SLOTS": "slots",
    "TAKT_PROCESS_ALARMS": "alarms",
    "TAKT_PROCESS_HEAP": "heap",
    "TAKT_BURSTS": "bursts",
    "TAKT_SERVERS": "servers",
    "TAKT_FIFO_WAITERS": "fifo",
    "TAKT_HEEDS_HINTS": "hints",
    "TAKT_CONSOLE_INPUT": "console",
    "TAKT_CAN": "can",
    "TAKT_THREAD_LOCAL": "tls",
}


@dataclass(frozen=True)
class Image:
    """A built application. Sizes in bytes."""

    path: Path
    folder: Path  # of this build
    proof_hash: int
    text: int
    data: int
    bss: int
    protected: bool  # tasks are in processes
    records: int = boards.RECORDS_USUAL  # of the task manager that it runs beside
    stacks: tuple[Bound, ...] = ()  # of what runs on the board; none where they are the port's own
    typed: Path | None = None  # what the console's line brings in a run
    buses: tuple[str, ...] = ()  # of CAN that it drives


def folder_of(system: System, board: Board, scheduler: str) -> Path:
    """build/APP-BOARD-SCHEDULER-PRESET[-ENGINE][-protected][-injected][-NODE]."""
    mode = ("-protected" if system.protection else "") + ("-injected" if system.injections else "")
    mode += f"-{system.node}" if system.node else ""
    kind = f"{board.name}-{scheduler}-{system.preset}{engine_suffix(system.engine)}{mode}"
    return BUILD / f"{name_of(system.path)}-{kind}"


def of_network(path: Path) -> Path:
    """build/APP-network, of a network's file."""
    return BUILD / f"{name_of(path)}-network"


def name_of(path: Path) -> str:
    """APP of a folder: that of the file's; an application from elsewhere gets a part of its path's hash into it."""
    path = path.resolve()
    name = re.sub(r"[^A-Za-z0-9._-]", "_", path.parent.name)[:NAME_MAX]  # CMake, Ninja and linkers read some characters
    if path != (ROOT / "apps" / name / "system.toml").resolve():
        name += "." + hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    return name


def build(proved: Proved) -> Image:
    """Generates and compiles; a second time only what changed. UserError: the compiler's output."""
    system, board = proved.system, proved.board
    refuse_kind(proved)
    records = records_of(proved, system.engine)
    folder = folder_of(system, board, proved.choice.scheduler)
    with locked(folder):
        tables = folder / "generated"
        digest = generate.generate_proved(proved, tables)
        settings, kernel = prepare(proved, tables)
        activity = f"building {system.name} for {board.name}"
        members = Members(kernel, board.tools, activity) if settings["TAKT_KERNEL"] else None

        def compile_image(supply: Supply | None = None) -> None:
            compile_preset(board.name, folder, settings, activity, "application", supply)

        def compile_once() -> None:
            if members is None:
                compile_image()
            else:
                members.link(folder, compile_image)

        def compile_it() -> Path:
            try:
                headers.provided(system, board, compile_once)
            except LinkError as error:
                without = heap.without(error, link_checks.objects(folder, "application"), link_checks.symbols)
                raise without or symbols.missing(error, system, archives.functions(system)) from None
            return next(path for path in (folder / "application", folder / "application.elf") if path.exists())

        if system.protection:
            settings |= protected.settings(proved, tables)
            protected.link(proved, tables, folder, compile_it)
        image = compile_it()
        stacks = stack_bounds.bounds(proved, image, [folder, kernel]) if stack_bounds.known(board.port) else ()
        typed = system.console.typed if system.console else None
        buses = tuple(bus.name for bus in system.driven)
        return Image(
            image, folder, int(digest, 16), *sizes(board, image), system.protection, records, stacks, typed, buses
        )


def refuse_kind(proved: Proved) -> None:
    """UserError: its board cannot have it, or compilers are missing."""
    more = cxx.groups(proved.system, proved.board)
    provision.require(*GROUPS.get(proved.board.port, ("host",)), *more)


def prepare(proved: Proved, tables: Path, own: bool = False) -> tuple[dict[str, str], Path]:
    """Settings of CMake for an application whose tables are in `tables`, and the folder of its kernel, which is built.

    `own`: for a build of one's own, which may link what the declaration does not name: entries may be there.
    UserError: a file or library cannot be built or linked.
    """
    system, board = proved.system, proved.board
    kind = options(proved)
    _refuse_other_header(system, tables)
    folders = [tables, *header_folders(system), *LIBRARIES.values(), *NET_HEADERS]
    included = includes.refuse(system.sources, folders)
    kernel_side = includes.refuse(system.kernel_sources, folders) if system.protection else included
    archives.refuse_missing(system)
    if not own:
        symbols.refuse_undefined(system, kernel_side, included, archives.functions(system))
    others = libraries(system, included, own)
    shell.write_objects(system, others, tables)
    whole = own or bool(system.build.libraries or system.build.link_flags)  # whose links nobody knows
    archives.refuse(system, kernel := rooms(board, kind, analysis="takt_analysis" in others, whole=whole))
    settings = {
        **kind,
        "TAKT_GENERATED": str(tables),
        "TAKT_SOURCES": plain.listed(system.sources),
        "TAKT_INCLUDE": plain.listed(include_folders(system)),
        "TAKT_BUILD": str(cmake.write(system, board, tables, own)),
        "TAKT_CXX": str(cmake.has_cxx(system)),
        "TAKT_ROOMS": str(kernel),
        "TAKT_KERNEL": "" if whole else str(Members(kernel, board.tools, "").archive),
        "TAKT_LIBRARIES": ";".join(others),  # also if there is none: CMake keeps what it was given before
        "TAKT_HEAP": str(system.heap_size > 0),
        **_NO_CACHE,
    }
    return settings, kernel


def options(proved: Proved) -> dict[str, str]:
    """CMake options of the kernel that a system needs: what it is compiled for."""
    system, board = proved.system, proved.board
    kind = {
        "TAKT_BOARD": board.name,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": system.preset,
        "TAKT_SCHED": levels.kernel_kind(system, proved.bands, proved.choice.cooperative),
        "TAKT_LEVELS": str(levels.level_capacity(proved.bands, system, board.port == "host")),
        **engine_setting(system.engine, records_of(proved, system.engine)),
    }
    constructs = system.protection and bool(constructors.tasks(system))
    features = {
        "TAKT_BURSTS": any(task.burst > 1 for task in system.tasks),
        "TAKT_SERVERS": bool(system.servers),
        "TAKT_PROCESS_START": bool(system.managed) or constructs,
        "TAKT_PROCESS_CONSTRUCTS": constructs,
        "TAKT_CONSOLE_INPUT": system.console is not None,
        "TAKT_CAN": bool(system.driven) and board.port != "host",
        "TAKT_FIFO_WAITERS": services.fifo_waiters(system),
        "TAKT_THREAD_LOCAL": thread_locals.switched(system, board.port, proved.choice.cooperative),
        "TAKT_PROCESSES": system.protection,
        "TAKT_PROCESS_SLOTS": system.protection and bool(system.of(Slot)),
        "TAKT_PROCESS_ALARMS": quotas.creates_alarms(system),
        "TAKT_PROCESS_HEAP": system.protection and system.heap_size > 0,
        "TAKT_QUOTAS": not system.protection and quotas.creates(system),
    }
    return kind | {name: "ON" for name, needed in features.items() if needed}


def libraries(system: System, included: Iterable[Path], own: bool = False) -> list[str]:
    """Rooms beside the kernel's that are linked: files include them, or what is linked may call them.

    The analysis is for a system that admits tasks, for channels, and for archives and what a build of one's `own`
    links, of which nobody knows.
    """
    used = {name for name, folder in LIBRARIES.items() if any(path.is_relative_to(folder) for path in included)}
    shell.refuse(system, used)
    if system.driven:
        used.add("takt_can_service")
    if system.runtime_tasks or system.build.libraries or "takt_reflect_core" in used or own:
        used.add("takt_analysis")
    return [name for name in LIBRARIES if name in used]


def engine_setting(engine: str, records: int = boards.RECORDS_USUAL) -> dict[str, str]:
    """CMake options of an engine; none for the kernel's own queues."""
    return {} if engine == boards.SOFTWARE else {"TAKT_ENGINE": engine, "TAKT_RECORDS": str(records)}


def engine_suffix(engine: str) -> str:
    """What it adds to the name of a build's folder."""
    return "" if engine == boards.SOFTWARE else f"-{engine}"


def rooms(board: Board, kind: Mapping[str, str], *, analysis: bool = False, whole: bool = True) -> Path:
    """What systems with the same kind of kernel on the same board share: its folder, built when sources changed.

    `kind`: TAKT_BOARD, TAKT_PORT, TAKT_PRESET, TAKT_SCHED, TAKT_LEVELS; TAKT_PROCESSES of a protected one;
    TAKT_ENGINE and TAKT_RECORDS if that is not the kernel's own. `analysis`: that is built too, which few link.
    Not `whole`: of the kernel only what images needed so far, in an archive of its own (kernel_members.py).
    """
    parts = [f"TAKT_{name}" for name in ("BOARD", "SCHED", "PRESET", "LEVELS", "ENGINE", "RECORDS")]
    names = [kind[part] for part in parts if part in kind]
    folder = ROOMS / "-".join(["rooms", *names, *(word for key, word in _MODES.items() if key in kind)])
    with locked(folder):
        settings = {**kind, **_NO_CACHE}
        activity = f"building the kernel for {board.name}"
        targets = ["rooms"] if whole else ["rooms_beside_kernel"]
        targets += ["takt_analysis"] if analysis else []
        before = [] if whole else Members(folder, board.tools, activity).so_far()
        try:
            compile_preset(board.name, folder, settings, activity, " ".join([*targets, *before]))
        except UserError:
            now = Members(folder, board.tools, activity).so_far()
            if now == before:
                raise
            targets += now  # CMake was run again, and has other objects
            compile_preset(board.name, folder, settings, activity, " ".join(targets))
        members = Members(folder, board.tools, activity)
        if whole:
            members.note_all()
        else:
            members.pack()
    return folder


def compile_application(
    board: Board, kind: Mapping[str, str], folder: Path, settings: Mapping[str, str], activity: str
) -> None:
    """Compiles the C of `settings` into `folder`, linked with a kernel of which only what it needs is compiled."""
    members = Members(rooms(board, kind, whole=False), board.tools, activity)
    linked = {"TAKT_ROOMS": str(members.folder), "TAKT_KERNEL": str(members.archive), "TAKT_LIBRARIES": ""}
    members.link(folder, partial(compile_preset, board.name, folder, {**settings, **linked}, activity, "application"))


def include_folders(system: System) -> list[Path]:
    """The application's, and those of files that are compiled by a link, whose own headers stand elsewhere."""
    folder = system.path.resolve().parent
    linked = (source.resolve() for source in system.sources if not plain.is_plain(source.name))
    return list(dict.fromkeys([folder, *(source.parent for source in linked)]))


def header_folders(system: System) -> list[Path]:
    """Where the application's headers are: folders of [build], those that only processes have, and its own."""
    of_processes = (folder for process in system.processes for folder in process.include)
    return [*system.build.include, *of_processes, *include_folders(system)]


def records_of(proved: Proved, engine: str) -> int:
    """How many records the task manager of the system's board has: on engine rtm the least that are enough.

    UserError: the board has none with enough, or deadlines are longer than it compares (rtm.c).
    """
    system, board = proved.system, proved.board
    if engine != boards.RTM:
        return boards.RECORDS_USUAL
    servers.refuse_engine(system)
    needed = generate.timers_needed(system)
    records = board.records_for(needed)
    if records is None:
        most = max(board.records, default=0)
        problem = f"the task manager of {board.name} has {most} records at most, but {needed} are needed"
        raise UserError(f"{problem}: one for each task and timer", "--engine software")
    edf = {name for level in levels.levels(proved.bands, system) if level.edf for name in level.tasks}
    for task in system.tasks:
        if task.name in edf and (task.deadline_ns or 0) > RTM_DEADLINE_NS:
            problem = (
                f'task "{task.name}": its deadline is longer than {RTM_DEADLINE_NS / 1e9:g} s, the '
                "longest that the task manager compares"
            )
            raise UserError(problem, "a fixed band, or --engine software")
    return records


def _refuse_other_header(system: System, tables: Path) -> None:
    """UserError: C files would include another takt_app.h, of `takt generate` some time ago, and not the new one."""
    for folder in dict.fromkeys((system.path.resolve().parent, *(path.resolve().parent for path in system.sources))):
        path = folder / "takt_app.h"
        if path.exists() and files.read(path, hint="remove it") != files.read(tables / path.name):
            problem = f"{shown_path(path)} does not match {system.path.name}, and the sources would include it"
            raise UserError(problem, "remove it (the build writes its own), or run takt generate with the same options")


def sizes(board: Board, image: Path) -> tuple[int, int, int]:
    """Bytes of code and constants, of data, and of what is zero at the start; 0: the tool fails."""
    done = children.run([f"{board.tools}size", image])
    if done.returncode != 0:
        return 0, 0, 0
    text, data, bss = done.stdout.splitlines()[1].split()[:3]
    return int(text), int(data), int(bss)
