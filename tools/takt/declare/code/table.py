# SPDX-License-Identifier: Apache-2.0
"""[build] of system.toml: its keys, and what is read of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from takt.declare.code import flags, folders
from takt.declare.code.flags import C_FLAGS, CXX_FLAGS, LINK_FLAGS
from takt.declare.schema import source_files
from takt.declare.schema.kinds import BOOLEAN, FILE, MACRO, STRING, Key, Kind, Table, list_of
from takt.declare.schema.model import Build
from takt.declare.schema.reader import Document
from takt.support.errors import UserError, did_you_mean, one_of
from takt.support.files import fault_of, is_regular

PATTERNS = list_of(FILE)


def _standard(*years: int) -> Kind:
    def read(value: Any) -> int:
        if value not in years or isinstance(value, bool):
            raise UserError(f"must be {one_of(map(str, years))}", str(years[0]))
        return int(value)

    return Kind(one_of(map(str, years)), read, schema={"enum": list(years)})


BUILD = Table(
    "build",
    "What the application is built of. Paths are relative to its folder. In a path of `sources` and `exclude`, `*` and"
    " `?` stand for any characters but `/`, `[abc]` for one of these, and `**` for any folders. Flags, defines and"
    " folders concern the application's files alone: the kernel and what is generated are compiled as ever.",
    (
        Key(
            "sources",
            PATTERNS,
            "The files that are built: C (`.c`), C++ (`.cpp`, `.cc`, `.cxx`), and assembler (`.S`) outside of"
            " processes; of what a pattern matches only these. `sources` of `[system]` is the same key.",
            default_text="those of the folder itself",
        ),
        Key("exclude", PATTERNS, "Of these files, those that are not built.", default=(), default_text="none"),
        Key(
            "include",
            PATTERNS,
            'Folders of headers, in the order of `#include "..."`; the application\'s own comes first.',
            default=(),
            default_text="none",
        ),
        Key("defines", list_of(MACRO), 'Macros: `"NAME"` or `"NAME=value"`.', default=(), default_text="none"),
        Key("c_flags", list_of(C_FLAGS), "Options of the compiler for C.", default=(), default_text="none"),
        Key("cxx_flags", list_of(CXX_FLAGS), "Options of the compiler for C++.", default=(), default_text="none"),
        Key("link_flags", list_of(LINK_FLAGS), "Options of the link.", default=(), default_text="none"),
        Key(
            "libraries",
            list_of(STRING),
            "Archives and object files by path (`lib/libfilter.a`), for the board's processor; and libraries that the"
            ' compiler has by name (`"m"`). In the order of the link: callers before what they call. `{board}` in a'
            " path stands for the board's name.",
            default=(),
            default_text="none",
        ),
        Key("c_standard", _standard(11, 17), "The standard of C, with the extensions of GCC.", default=11),
        Key("cxx_standard", _standard(17, 20), "The standard of C++, with the extensions of GCC.", default=17),
        Key(
            "exceptions",
            BOOLEAN,
            "May C++ throw? On `host` and Cortex-M, without protection; on boards with a `heap`.",
            default=False,
            default_text="`false`",
        ),
        Key(
            "rtti",
            BOOLEAN,
            "Has C++ `typeid` and `dynamic_cast`? As `exceptions`.",
            default=False,
            default_text="`false`",
        ),
        Key(
            "cxx_library",
            BOOLEAN,
            "Is the compiled C++ standard library linked (`<string>`, `<map>`)? As `exceptions`; both others need it.",
            default=False,
            default_text="`false`",
        ),
    ),
    many=False,
)


def sources(document: Document, folder: Path, tables: dict[str, Any]) -> tuple[Path, ...]:
    """The files that are built, of [build] or [system]. UserError: both name them, or one is not there."""
    named = [table for table in ("system", "build") if tables[table]["sources"] is not None]
    if len(named) == 2:
        problem = "[build]: sources, and [system] has sources, too, which is the same key"
        document.fail(("build", "sources"), problem, "all of them in [build]")
    if not named:
        found = source_files.found(document, folder)
    else:
        table, names = named[0], tables[named[0]]["sources"]
        found = source_files.declared(document, folder, f"[{table}]", (table, "sources"), names, assembler=True)
    return source_files.without(document, folder, found, tables["build"]["exclude"])


def of_process(document: Document, index: int, values: dict[str, Any], built: tuple[Path, ...]) -> dict[str, Any]:
    """The files and folders of a [[process]], by key. `built`: what a pattern may match."""
    where, label = ("process", index), f'[[process]] "{values["name"]}"'
    folder = document.path.resolve().parent
    names = values["sources"]
    return {
        "sources": source_files.declared(document, folder, label, (*where, "sources"), names, among=built),
        "include": folders.include(document, label, (*where, "include"), values["include"]),
    }


def read(document: Document, values: dict[str, Any]) -> Build:
    """Of [build], but its sources. UserError: a folder or library is not there, or flags exclude each other."""
    folder = document.path.resolve().parent
    for key in ("exceptions", "rtti"):
        if values[key] and not values["cxx_library"]:
            problem = f"[build]: {key} = true needs the C++ standard library"
            document.fail(("build", key), problem, "cxx_library = true")
    return Build(
        include=folders.include(document, "[build]", ("build", "include"), values["include"]),
        defines=values["defines"],
        c_flags=values["c_flags"],
        cxx_flags=values["cxx_flags"],
        link_flags=values["link_flags"],
        libraries=tuple(_library(document, folder, number, name) for number, name in enumerate(values["libraries"])),
        c_standard=values["c_standard"],
        cxx_standard=values["cxx_standard"],
        exceptions=values["exceptions"],
        rtti=values["rtti"],
        cxx_library=values["cxx_library"],
    )


def _library(document: Document, folder: Path, number: int, name: str) -> Path | str:
    where, label = ("build", "libraries", number), f'[build]: libraries: "{name}"'
    if "/" not in name and not name.endswith(flags.ARCHIVES):
        if not flags.LIBRARY.fullmatch(name):
            document.fail(where, f"{label} is no name of a library", '"m" for libm.a, or the path of an archive')
        if name.startswith("lib"):
            document.fail(where, f"{label}: a name is without lib", f'"{name.removeprefix("lib")}", or "{name}.a"')
        return name
    if not name.endswith(flags.ARCHIVES):
        hint = "an archive (.a) or an object file (.o), made for the board"
        if ".so" in Path(name).name:
            document.fail(where, f"{label} is a shared library, and an image is linked once for all", hint)
        document.fail(where, f"{label} is neither an archive nor an object file by its name", hint)
    path = folder / name
    if flags.BOARD not in name and not is_regular(path):
        known = sorted(one.name for one in path.parent.glob("*.[ao]")) if path.parent.is_dir() else []
        near = did_you_mean(path.name, known[:20])
        document.fail(
            where, f"{label} {fault_of(path)}", near or "build it first (docs/build.md, Archives), or correct the path"
        )
    return path


def plant(document: Document, folder: Path, declared: str | None) -> str | None:
    if declared is not None and not is_regular(folder / declared):
        near = did_you_mean(declared, sorted(path.name for path in folder.glob("*.py") if is_regular(path)))
        problem = f'[system]: plant = "{declared}" {fault_of(folder / declared)}'
        document.fail(("system", "plant"), problem, near or "a file of this folder")
    return declared
