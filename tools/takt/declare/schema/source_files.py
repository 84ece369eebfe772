# SPDX-License-Identifier: Apache-2.0
"""Which files of an application are built: C and assembler. Other files that look like sources are refused."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from takt.declare.schema.locate import Path as Where
from takt.declare.schema.reader import Document
from takt.support import files
from takt.support.errors import UserError, did_you_mean
from takt.support.files import generated
from takt.support.names import shown

C, ASSEMBLER = ".c", ".S"

_OTHERS = {
    **dict.fromkeys((".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cppm", ".ixx", ".ino"), "C++"),
    **dict.fromkeys((".m", ".mm"), "Objective-C"),
    **dict.fromkeys((".s", ".asm", ".sx"), "assembler"),
    **dict.fromkeys((".f", ".f77", ".f90", ".for"), "Fortran"),
    **dict.fromkeys((".adb", ".ads"), "Ada"),
    **{".rs": "Rust", ".zig": "Zig", ".go": "Go", ".d": "D", ".swift": "Swift", ".cu": "CUDA", ".i": "preprocessed C"},
}
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".inc", ".inl", ".ipp", ".tpp")


def language_of(name: str) -> str:
    """Of a file that is not built, as far as its name tells: "" for one that is built, or that is no source."""
    suffix = Path(name).suffix
    return "" if suffix in (C, ASSEMBLER) else _OTHERS.get(suffix) or _OTHERS.get(suffix.lower(), "")


def declared(
    document: Document, folder: Path, label: str, where: Where, names: tuple[str, ...], assembler: bool = False
) -> tuple[Path, ...]:
    """The files that a key names. `assembler`: it may. UserError: one is not there, or is not built."""
    for number, name in enumerate(names):
        _refuse(document, folder, label, (*where, number), name, assembler)
    return tuple(folder / name for name in names)


def found(document: Document, folder: Path) -> tuple[Path, ...]:
    """The files of a folder that are built without `sources`. UserError: it has a source file that cannot be built."""
    named = sorted(path for path in folder.glob("*") if not (path.name.startswith(".") or path.is_dir()))
    odd = next((path for path in named if path.suffix in (C, ASSEMBLER) and not files.is_regular(path)), None)
    if odd is not None:
        hint = "another name, or sources = [...] without it"
        raise UserError(f"{files.shown_path(folder)}: {shown(odd.name)} {files.fault_of(odd)}", hint)
    regular = [path for path in named if path.is_file()]
    for path in regular:
        language = language_of(path.name)
        if language:
            problem = f'[system]: without sources every *.c and *.S is built, and "{path.name}" is {language}'
            hint = f"{_instead(language)}, another folder for it, or sources = [...] with the files to build"
            document.fail(("system",), problem, hint)
    return tuple(path for path in regular if path.suffix in (C, ASSEMBLER) and not generated(path))


def _refuse(document: Document, folder: Path, label: str, where: Where, name: str, assembler: bool) -> None:
    path, suffix = folder / name, Path(name).suffix

    def fail(problem: str, hint: str) -> NoReturn:
        document.fail(where, f'{label}: {where[-2]}: "{name}" {problem}', hint)

    if path.is_dir():
        fail("is a folder", "the files in it, each by its name")
    if not files.is_regular(path):
        near = did_you_mean(name, sorted(one.name for one in folder.glob(f"*{C}") if files.is_regular(one)))
        fail(files.fault_of(path), near or "a file of this folder")
    language = language_of(name)
    if language:
        fail(f"is {language}, which is not built", _instead(language))
    if suffix in _HEADERS:
        fail("is a header, which is not built alone", "remove it: the files that include it find it")
    if suffix == ASSEMBLER and not assembler:
        fail("is assembler, which only the kernel's side has: calls of processes are in C", "a C file with asm in it")
    if suffix not in (C, ASSEMBLER):
        fail(f"is no C file: its name does not end in {C}", f'"{Path(name).stem or "file"}{C}"')


def _instead(language: str) -> str:
    if language == "assembler":
        return f"the same with a name that ends in {ASSEMBLER}"
    if language == "preprocessed C":
        return "the C file that it was made of"
    return "the same in C"
