# SPDX-License-Identifier: Apache-2.0
"""A build of one's own: what it compiles and links, read from the commands that CMake would give for the same system.

The kernel, the board and the tables are compiled here, with the options with which the kernel's time was measured.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from takt.declare.code import thread_locals
from takt.declare.schema import boards, source_files
from takt.declare.schema.boards import Board
from takt.declare.schema.model import System
from takt.image import build
from takt.image.application import cmake
from takt.image.kernel_members import Members
from takt.image.tables import generate
from takt.prove.proof import Proved
from takt.support import children, files, plain
from takt.support.compile import compile_preset, locked
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.provision import ROOT

OBJECTS = "objects"  # folder of CMake's, in that of the tables
_OURS = re.compile(r"-Wall|-Wextra|-std=.*|-f(debug|file)-prefix-map=.*|-fcallgraph-info=.*")
"""Options that are the user's to choose, or only for builds of takt's: a debugger finds files where they are."""
_DEPENDS = ("base", "analysis", "kernel", "chips", "runner", "library", "reflect/core", "cmake")
_DEPENDS_TOOL = ("declare", "image", "prove")


@dataclass(frozen=True)
class Own:
    """What a build of one's own needs. Paths are absolute and plain (takt.support.plain).

    `options`: of every compilation: processor and optimization. `include`: the user's folders of headers;
    `system_include`: ours. `link`: options of the link, before the files; `objects`: which come first of all that is
    linked; `libraries`: which come last. `depends`: when one of them changes, all this is to be made again.
    """

    board: str
    compiler: str
    cxx_compiler: str
    archiver: str
    objcopy: str
    sources: tuple[str, ...]
    options: tuple[str, ...]
    c_options: tuple[str, ...]
    cxx_options: tuple[str, ...]
    c_standard: int
    cxx_standard: int
    cxx_library: bool
    defines: tuple[str, ...]
    include: tuple[str, ...]
    system_include: tuple[str, ...]
    link: tuple[str, ...]
    objects: tuple[str, ...]
    libraries: tuple[str, ...]
    depends: tuple[str, ...]


def with_sources(system: System, sources: Sequence[Path]) -> System:
    """With other files to build than the declared ones, if there are any. UserError: one is not there, or is none."""
    if not sources:
        return system
    for path in sources:
        if not files.is_regular(path):
            raise UserError(f"--source {shown_path(path)} {files.fault_of(path)}", "a file that is built, by its path")
        if path.suffix not in source_files.BUILT:
            ends = ", ".join(source_files.BUILT)
            raise UserError(
                f"--source {shown_path(path)}: its name ends in none of {ends}", "a file in C, C++ or assembler"
            )
    system = replace(system, sources=tuple(path.resolve() for path in sources))
    return replace(system, thread_local=thread_locals.read(system))


def refuse(system: System, board: Board, compiler: str | None) -> None:
    """UserError: it is no system for a build of one's own, or `compiler` is not for its board."""
    if system.protection:
        problem = f"{shown_path(system.path)}: with protection, memory is placed in two links, which takt build does"
        raise UserError(problem, "takt build; or protection = false, --no-protection (NO_PROTECTION in CMake)")
    for process in system.processes:
        key = next((key for key in ("include", "defines") if getattr(process, key)), None)
        if key is not None:
            problem = f'{shown_path(system.path)}: [[process]] "{process.name}": {key} of one process'
            raise UserError(f"{problem} is for takt build alone", f"{key} of [build], for all files")
    if system.engine != boards.SOFTWARE:
        raise UserError(f"--engine {system.engine} is for takt build alone", "--engine software")
    if compiler is not None:
        _refuse_compiler(board, compiler)


def _refuse_compiler(board: Board, compiler: str) -> None:
    wanted = _machine(f"{board.tools}gcc")
    found = _machine(compiler)
    if found == wanted:
        return
    what = f"compiles for {found}" if found else "is no compiler"
    problem = f"board {board.name} needs a GCC for {wanted}, and {compiler} {what}"
    tools = ROOT / "cmake" / "toolchain.cmake"
    hint = f"{board.tools}gcc; of CMake -DCMAKE_TOOLCHAIN_FILE={tools} -DTAKT_BOARD={board.name}, in a new folder"
    raise UserError(problem, hint)


def _machine(compiler: str) -> str:
    """What it compiles for; "": it does not say."""
    try:
        done = children.run([*shlex.split(compiler), "-dumpmachine"])
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def make(proved: Proved, folder: Path) -> tuple[Own, str]:
    """Writes the tables to `folder`, compiles the kernel, and tables in a folder of their own there. Returns what a
    build needs besides, and the hash of the tables. UserError: as `takt build`."""
    system, board = proved.system, proved.board
    build.refuse_kind(proved)
    folder.mkdir(parents=True, exist_ok=True)
    folder = plain.path(folder)
    objects = folder / OBJECTS
    with locked(objects):
        digest = generate.generate_proved(proved, folder)
        settings, kernel = build.prepare(proved, folder, own=True)
        activity = f"building the tables of {system.name} for {board.name}"
        compile_preset(board.name, objects, settings, activity, "build.ninja")
        commands = _commands(objects)
        tables = [commands.pop(str(path)) for path in (folder / "system.c", ROOT / "runner" / "version.S")]
        before, after = _link(objects, {name for name, _ in commands.values()})
        needed = [name for name, _ in tables] + [name for name in after if _is_within(name)]
        compile_preset(board.name, objects, settings, activity, " ".join(needed))
    own = _of_command(system, board, tables[0][1])
    own = replace(
        own,
        link=tuple(word for word in before if not _is_object(word)),
        objects=tuple(str(objects / word) for word in before if _is_object(word)),
        libraries=tuple(str(objects / word) if _is_within(word) else word for word in after),
        depends=tuple(map(str, _depends(system, board, kernel))),
    )
    return own, digest


def _of_command(system: System, board: Board, command: Sequence[str]) -> Own:
    """All but what is linked."""
    tools, made = board.tools, system.build
    defines, include, system_include, options = _sorted(command)
    return Own(
        board=board.name,
        compiler=f"{tools}gcc",
        cxx_compiler=f"{tools}g++",
        archiver=f"{tools}ar",
        objcopy=f"{tools}objcopy",
        sources=tuple(str(plain.path(path)) for path in system.sources),
        options=options,
        c_options=made.c_flags,
        cxx_options=(*cmake.cxx_options(system, board), *made.cxx_flags),
        c_standard=made.c_standard,
        cxx_standard=made.cxx_standard,
        cxx_library=made.cxx_library,
        defines=(*defines, *made.defines),
        include=(*include, *(str(plain.path(path)) for path in made.include)),
        system_include=system_include,
        link=(),
        objects=(),
        libraries=(),
        depends=(),
    )


def _commands(folder: Path) -> dict[str, tuple[str, list[str]]]:
    """By the path of a file that the application consists of: its object, and the command that compiles it."""
    found = {}
    for one in json.loads(files.read(folder / "compile_commands.json")):
        words = shlex.split(one["command"])
        target = words[words.index("-o") + 1]
        if target.startswith("CMakeFiles/application.dir/"):
            found[one["file"]] = target, words[1:]
    return found


def _link(folder: Path, mine: Collection[str]) -> tuple[list[str], list[str]]:
    """What the command that links the application has before its output, and after it: without the compiler, the map,
    and the objects `mine`."""
    done = children.run(["ninja", "-C", folder, "-t", "commands", "application"], check=True)
    words = [word for word in shlex.split(done.stdout.splitlines()[-1]) if word not in (":", "&&")]
    at = words.index("-o")
    before = [word for word in words[1:at] if word not in mine and not word.startswith("-Wl,-Map=")]
    return before, words[at + 2 :]


def _is_object(word: str) -> bool:
    return word.endswith((".o", ".obj")) and not word.startswith("-")


def _is_within(word: str) -> bool:
    """Whether a word of a link is a path within the folder of the build."""
    return not word.startswith(("-", "/"))


def _sorted(command: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Of the command that compiles the tables: defines, folders of headers, those of the system, other options."""
    defines: list[str] = []
    include: list[str] = []
    system_include: list[str] = []
    options: list[str] = []
    words = iter(command)
    for word in words:
        if word == "-isystem":
            system_include.append(next(words))
        elif word in ("-o", "-c"):
            next(words)
        elif word.startswith("-D"):
            defines.append(word.removeprefix("-D"))
        elif word.startswith("-I"):
            include.append(word.removeprefix("-I"))
        elif not _OURS.fullmatch(word):
            options.append(word)
    return tuple(defines), tuple(include), tuple(system_include), tuple(options)


def _depends(system: System, board: Board, kernel: Path) -> Iterator[Path]:
    """Files from which the tables, the kernel and the options follow."""
    yield plain.path(system.path)
    yield from _files(board.folder, "*.*")
    yield from _files(ROOT / "ports" / board.port, "*.*")
    for name in _DEPENDS:
        yield from _files(ROOT / name, "*.[chSl]*")
    for name in _DEPENDS_TOOL:
        yield from _files(ROOT / "tools" / "takt" / name, "*.py")
    yield from (ROOT / name for name in ("CMakeLists.txt", "CMakePresets.json", "pyproject.toml"))
    yield from sorted({*kernel.rglob("libtakt_*.a")} - {Members(kernel, board.tools, "").archive})  # other images'


def _files(folder: Path, pattern: str) -> Iterable[Path]:
    return sorted(path for path in folder.rglob(pattern) if path.is_file() and "test" not in path.parts)
