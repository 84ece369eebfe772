# SPDX-License-Identifier: Apache-2.0
"""What the files of processes may reach: every name that they use is looked up in the linked image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from takt.declare import processes
from takt.declare.schema.model import Process, System
from takt.declare.service_kinds.priority_mailbox import PriorityMailbox
from takt.declare.service_kinds.watchdog import Watchdog
from takt.image.application import archives, elf_symbols, heap
from takt.image.application.names import demangled
from takt.image.tables import process_code
from takt.prove.proof import Proved
from takt.support import plain
from takt.support.errors import UserError

_WRITE, _ALLOCATED, _THREAD = 1, 2, 0x400  # SHF_*
_HANDLE = "takt_handle_"
_CONSTRUCTORS = (".init_array", ".preinit_array", ".ctors")
_BOARD = {"takt_user_board_console_write": "console", "takt_user_board_link_exchange": "serial"}  # key of [[process]]
_HOST_CALLS = {"takt_work", "stdin"}  # on the host time only passes in the port, and the C library knows one stdin
_IDENTITY = "__dso_handle"  # an address with which objects are registered for their destruction, and no more
_LOG = "takt_log"  # section of the texts of the log, which is in the memory of none
_HOOKS = ("takt_app_init", "takt_app_budget", "takt_hook_idle", "takt_hook_fault", "main")


@dataclass(frozen=True)
class Symbol:
    """Of an image. `section`: its name; "" absolute, None undefined."""

    section: str | None
    function: bool


def symbols(path: Path) -> dict[str, Symbol]:
    """Global symbols of an object or image; undefined ones, too."""
    from elftools.elf.elffile import ELFFile

    found: dict[str, Symbol] = {}
    with path.open("rb") as file:
        elf = ELFFile(file)
        names = [section.name for section in elf.iter_sections()]
        for item in elf_symbols.read(elf):
            if not item.name or item.bind == elf_symbols.LOCAL or item.type == elf_symbols.THREAD:
                continue
            section = None if item.section == elf_symbols.UNDEFINED else names[item.section] if item.placed else ""
            found[item.name] = Symbol(section, item.type == elf_symbols.FUNCTION)
    return found


def written(path: Path) -> str | None:
    """The name of a symbol of an object, local or not, in data that can be written; None: there is none."""
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as file:
        elf = ELFFile(file)
        items = elf_symbols.read(elf)
        for index, section in enumerate(elf.iter_sections()):
            flags = section["sh_flags"]
            if not flags & _ALLOCATED or not flags & _WRITE or flags & _THREAD or not section["sh_size"]:
                continue
            inside = (one.name for one in items if one.section == index and one.name and one.size)
            return next(inside, section.name)
        common = (one.name for one in items if one.section == elf_symbols.COMMON)
        return next(common, None)


def objects(folder: Path, library: str) -> Iterator[tuple[str, Path]]:
    """Files of a library of CMake's, by the name of their source."""
    for path in sorted((folder / "CMakeFiles" / f"{library}.dir").rglob("*.o*")):
        if path.suffix in (".o", ".obj"):
            yield plain.restored(path.name.removesuffix(path.suffix)), path


def of_processes(system: System, folder: Path) -> Iterator[tuple[str, Path]]:
    """Compiled files by the names of their processes; those of shared_sources by "" """
    for name in (*(process.name for process in system.processes), ""):
        library = f"takt_process_{name}" if name else "takt_shared_text"
        yield from ((name, path) for _, path in objects(folder, library))


def has_constructors(path: Path) -> bool:
    """Whether an object has functions that are to be called before main: constructors of static objects."""
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as file:
        return any(section.name.startswith(_CONSTRUCTORS) for section in ELFFile(file).iter_sections())


def _refuse_constructors(file: str, path: Path, why: str, key: str = "") -> None:
    if has_constructors(path):
        hint = f"{key}constexpr constructors and constant values (constinit tells), or a function of the first job"
        raise UserError(f"{file} has static objects whose constructors are code, and {why}", hint)


def check(proved: Proved, image: Path, folder: Path) -> None:
    """UserError: a file of a process uses what is not the process's, or the kernel calls into one."""
    system = proved.system
    there = {**symbols(image), **dict(_constants(system))}
    _kernel(system, there)
    for path in _kernel_objects(system, folder):
        _kernel_reach(system, path, there)
    for name, path in objects(folder, "takt_shared_text"):
        _refuse_constructors(name, path, "is in shared_sources, and is nobody's to construct")
        variable = written(path)
        if variable is not None:
            problem = f"{name}: {variable} is writable, but files in shared_sources may define only code and constants"
            raise UserError(problem, "declare it const, or move the file to sources of one process")
        _reach(system, None, name, path, there)
    for name, path in archives.linked(system, folder):
        _refuse_constructors(name, path, "is in an archive, which processes share")
        variable = written(path)
        if variable is not None:
            problem = f"{name}: {demangled(variable)} is writable, but with protection archives are code and constants"
            raise UserError(problem, "compile its files as sources of the process")
        _reach(system, None, name, path, there)
    for process in system.processes:
        for name, path in objects(folder, f"takt_process_{process.name}"):
            if process.constructors_wcet_ns is None:
                why = f'is in process "{process.name}", which declares no time for them'
                _refuse_constructors(name, path, why, 'constructors_wcet = "100 us" in its [[process]]; or ')
            _reach(system, process, name, path, there)


def _constants(system: System) -> Iterator[tuple[str, Symbol]]:
    """Rings and state messages, which are constants, as memory of the processes that share them."""
    for group in process_code.groups(system):
        yield from ((item.name, Symbol(f".takt_{group.name}", False)) for kind, item in group.items if kind != "shared")


def _sections(system: System, process: Process | None) -> set[str]:
    """Sections that are its own."""
    found = {f".takt_{process_code.SHARED_TEXT}"}
    if process is not None:
        memory = [process_code.memory_of(process)]
        memory += [one.name for one in process_code.groups(system) if process.name in dict(one.rights)]
        found |= {f".takt_{process_code.text_of(process)}"}
        found |= {f".takt_{prefix}{name}" for name in memory for prefix in ("", "zero_")}
    return found


def _reach(system: System, process: Process | None, file: str, path: Path, there: dict[str, Symbol]) -> None:
    own = _sections(system, process)
    rights = None if process is None else processes.rights(system, process)
    for name, symbol in symbols(path).items():
        if symbol.section is not None:
            _refuse_common(system, file, name, there.get(name), own)
            continue
        if name.startswith(_HANDLE):
            object_name = name.removeprefix(_HANDLE)
            if rights is not None and process is not None and object_name not in rights:
                problem = f'{file} uses {object_name}, which process "{process.name}" does not declare'
                raise UserError(problem, f'uses = ["{object_name}"] or gives = ["{object_name}"] in its [[process]]')
            continue
        key = _BOARD.get(name)
        if key is not None and process is not None and not getattr(process, key):
            call = name.replace("_user", "")
            problem = f'{file} calls {call}, but process "{process.name}" does not declare {key}'
            raise UserError(problem, f"{key} = true in its [[process]]")
        found = there.get(name)
        if found is None or not found.section or found.section in own or name in _HOST_CALLS or name == _IDENTITY:
            continue  # of no object file, so it is not called; a constant of the link; the host's C library
        whose = _owner(system, found.section)
        verb = "calls" if found.function else "uses"
        if whose is None:
            hint = "a call that processes may make (docs/processes.md, Calls), or remove the file from the process"
            if found.section.startswith(".takt_"):
                hint = (
                    "name the process in read or write of the shared memory, or in readers or writer of the "
                    "state message"
                )
            raise UserError(f"{file} {verb} {name}, which belongs to the kernel", hint)
        hint = "list its file in shared_sources; declare common data as [[shared]]"
        raise UserError(f'{file} {verb} {name}, which belongs to process "{whose}"', hint)


def _refuse_common(system: System, file: str, name: str, found: Symbol | None, own: set[str]) -> None:
    """UserError: what a file defines is another file's in the image: of inline functions, templates and virtual tables
    of C++ the linker keeps one."""
    if found is None or not found.section or found.section in own or found.section == _LOG:
        return
    whose = _owner(system, found.section)
    other = "the kernel's side" if whose is None else f'process "{whose}"'
    if found.section == f".takt_{process_code.SHARED_TEXT}":
        other = "processes"
    problem = f"{file} has {demangled(name)}, and so has a file of {other}: the image has one of them, in its memory"
    raise UserError(problem, "static, an unnamed namespace, or always_inline; or the files in shared_sources")


def _owner(system: System, section: str) -> str | None:
    for process in system.processes:
        memory = process_code.memory_of(process)
        if section in (f".takt_{process_code.text_of(process)}", f".takt_{memory}", f".takt_zero_{memory}"):
            return process.name
    return None


def _kernel_objects(system: System, folder: Path) -> Iterator[Path]:
    """Of the application's files that are of no process."""
    kernels = [plain.path(source) for source in system.kernel_sources]
    for _, path in objects(folder, "application"):
        if any(path.with_suffix("").parts[-2:] == source.parts[-2:] for source in kernels):
            yield path


def _kernel_reach(system: System, path: Path, there: dict[str, Symbol]) -> None:
    """UserError: a file of no process uses memory that a process writes, so that the process could lead it astray."""
    file = plain.restored(path.stem)
    shared = {one.name: one for one in system.shared}
    groups = {group.name: group for group in process_code.groups(system)}
    memory = {process_code.memory_of(process): process.name for process in system.processes}
    for name, symbol in symbols(path).items():
        found = there.get(name)
        if name in heap.FUNCTIONS and symbol.section is None:
            hint = "move it to a process with heap, or an array"
            raise UserError(f"{file} runs in the kernel's mode and calls {name}, but heaps are of processes", hint)
        if found is None or not (found.section or "").startswith(".takt_"):
            continue
        if symbol.section is not None:
            _refuse_common(system, file, name, found, set())
        section = (found.section or "").removeprefix(".takt_").removeprefix("zero_")
        if section in memory:
            hint = (
                "[[shared]] with kernel = true, if the file tolerates any content; or list the file in "
                "sources of a process"
            )
            raise UserError(
                f'{file} runs in the kernel\'s mode and uses {name}, which process "{memory[section]}" writes', hint
            )
        group = groups.get(section)
        writer = next((process for process, writes in group.rights if writes), None) if group else None
        item = shared.get(name.removeprefix("takti_memory_"))
        if writer is not None and not (item is not None and item.kernel):
            hint = f'kernel = true in [[shared]] "{name}", if the file tolerates any content' if item else "[[shared]]"
            hint += "; or list the file in sources of a process"
            raise UserError(f'{file} runs in the kernel\'s mode and uses {name}, which process "{writer}" writes', hint)


def _kernel(system: System, there: dict[str, Symbol]) -> None:
    """Entries belong to the processes of their tasks, and functions that the kernel calls to no process."""
    for process in system.processes:
        for name in process.tasks:
            entry = system.task(name).entry
            symbol = there.get(entry or "")
            if entry is None or symbol is None or symbol.section in _sections(system, process):
                continue
            problem = f'{entry}, the entry of task "{name}", is in no file of process "{process.name}"'
            raise UserError(problem, "list its file in sources of the process, or in shared_sources")
    called = [
        *_HOOKS,
        *(item.handler for item in system.interrupts if item.process is None),
        *(item.handler for item in system.of(Watchdog)),
        *(task.miss_handler for task in system.tasks),
    ]
    called += [item.handler for item in system.of(PriorityMailbox)]
    for function in called:
        symbol = there.get(function or "")
        whose = _owner(system, symbol.section or "") if symbol is not None else None
        if function is not None and whose is not None:
            problem = f'{function} is in a file of process "{whose}", but the kernel calls it in its own mode'
            raise UserError(problem, "move it to a file that belongs to no process")
