# SPDX-License-Identifier: Apache-2.0
"""What an image was made of: files with their hashes, compiler, flags, options of the kernel, libraries. No path of
this clone or of the application's folder is in it: the same for the same sources and tools."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from takt.image.build import Image, include_folders, options, rooms
from takt.prove.proof import Proved
from takt.support import children, files
from takt.support.compile import BUILD
from takt.support.provision import ROOT

_PATHS = ("-fdebug-prefix-map=", "-fmacro-prefix-map=", "-I", "-T", "--include=")  # that name folders of this machine
_NAMES = ("-o", "-c", "-isystem", "-include")  # and those whose next word is a path


@dataclass(frozen=True)
class File:
    """`name`: relative to the clone, to the application's folder, or whole."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Library:
    """An archive or object that the toolchain brings. `package`, `version`: of Debian; empty: not known."""

    file: File
    package: str
    version: str


@dataclass(frozen=True)
class Contents:
    image: File
    proof: str
    verdict: str
    compiler: str  # its name
    compiler_version: str
    linker_version: str
    flags: tuple[tuple[str, str], ...]  # of the kernel, of the application
    options: tuple[tuple[str, str], ...]
    project: tuple[File, ...]
    application: tuple[File, ...]
    generated: tuple[File, ...]
    libraries: tuple[Library, ...]


def contents(proved: Proved, image: Image) -> Contents:
    """Of an image that was just built."""
    settings = json.loads(files.read_text(image.folder / "takt-settings.json"))
    kernel = rooms(proved.board, options(proved))  # whole: of which files it consists does not depend on other images
    commands = {folder: _commands(folder) for folder in (kernel, image.folder)}
    written = [proved.system.path, *(ROOT / "boards" / proved.board.name).glob("*.ld")]
    linked = _linked(image.folder / "application.map")
    used = sorted({*_dependencies(kernel), *_dependencies(image.folder), *proved.system.sources, *written, *linked})
    own = [folder.resolve() for folder in (*include_folders(proved.system), *proved.system.build.include)]
    groups: dict[str, list[File]] = {"project": [], "application": [], "generated": []}
    for path in dict.fromkeys(one.resolve() for one in used):
        group, name = _named(path, own, image.folder)
        if group:
            groups[group].append(File(name, _sha256(path)))
    compiler = next(words[0] for words in commands[kernel])
    hidden = (
        "TAKT_GENERATED TAKT_SOURCES TAKT_INCLUDE TAKT_BUILD TAKT_ROOMS TAKT_KERNEL CMAKE_C_COMPILER_LAUNCHER".split()
    )
    listed = {
        key: value for key, value in settings.items() if key not in hidden and not key.startswith("TAKT_PROCESS_")
    }
    return Contents(
        image=File(image.path.name, _sha256(image.path)),
        proof=f"{image.proof_hash:016x}",
        verdict=proved.verdict.value,
        compiler=Path(compiler).name,
        compiler_version=_first_line([compiler, "--version"]),
        linker_version=_first_line([_linker(compiler), "--version"]),
        flags=(("kernel", _flags(commands[kernel])), ("application", _flags(commands[image.folder]))),
        options=tuple(sorted((key, str(value)) for key, value in listed.items())),
        project=tuple(sorted(groups["project"], key=lambda one: one.name)),
        application=tuple(sorted(groups["application"], key=lambda one: one.name)),
        generated=tuple(sorted(groups["generated"], key=lambda one: one.name)),
        libraries=tuple(_libraries(path for path in linked if not _named(path, own, image.folder)[0])),
    )


def _named(path: Path, own: Iterable[Path], folder: Path) -> tuple[str, str]:
    """What a file belongs to, and its name there; "": to the toolchain."""
    generated = (folder / "generated").resolve()
    if path.is_relative_to(generated):
        return "generated", str(path.relative_to(generated))
    for one in own:
        if path.is_relative_to(one):
            return "application", str(path.relative_to(one))
    if path.is_relative_to(ROOT.resolve()):
        return "project", str(path.relative_to(ROOT.resolve()))
    return "", ""


def _sha256(path: Path) -> str:
    return hashlib.sha256(files.read(path)).hexdigest()


def _dependencies(folder: Path) -> Iterator[Path]:
    """Every file that compilers read for what lies in a folder of builds."""
    done = children.run(["ninja", "-C", folder, "-t", "deps"])
    for line in done.stdout.splitlines():
        if line.startswith("    "):
            yield folder / line.strip()  # absolute ones stay so


def _commands(folder: Path) -> list[list[str]]:
    """The command of each compilation, in words."""
    listed = json.loads(files.read_text(folder / "compile_commands.json"))
    return [shlex.split(one["command"]) for one in listed if not one["file"].endswith(".S")]


def _flags(commands: Iterable[list[str]]) -> str:
    """Options of these compilations, each once, without the paths of this machine."""
    found: dict[str, None] = {}
    for words in commands:
        leave = False
        for word in words[1:]:
            if not leave and word.startswith("-") and word not in _NAMES and not word.startswith(_PATHS):
                found[word] = None
            leave = word in _NAMES
    return " ".join(found)


def _linker(compiler: str) -> str:
    done = children.run([compiler, "-print-prog-name=ld"])
    return done.stdout.strip() or "ld"


def _first_line(command: list[str]) -> str:
    done = children.run(command)
    return done.stdout.split("\n")[0].strip()


def _linked(linked: Path) -> list[Path]:
    """Archives and objects that the map of a link names, other than what was compiled for it."""
    loaded = re.findall(r"^LOAD (/\S.*)$", files.read_text(linked), re.MULTILINE)
    paths = sorted({Path(name).resolve() for name in loaded})
    return [path for path in paths if path.is_file() and not path.is_relative_to(BUILD.resolve())]


def _libraries(linked: Iterable[Path]) -> Iterator[Library]:
    """Those of the toolchain."""
    for path in linked:
        yield Library(File(str(path), _sha256(path)), *_package(path))


def _package(path: Path) -> tuple[str, str]:
    """Debian's package of a file, and its version; empty: there is no dpkg, or it does not know the file."""
    for name in (str(path), str(path).removeprefix("/usr")):
        try:
            done = children.run(["dpkg-query", "-S", name])
        except OSError:
            return "", ""
        if done.returncode == 0:
            package = done.stdout.partition(": ")[0].partition(",")[0]
            version = children.run(["dpkg-query", "-W", "-f=${Version}", package])
            return package.partition(":")[0], version.stdout.strip()
    return "", ""
