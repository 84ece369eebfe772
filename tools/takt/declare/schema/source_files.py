# SPDX-License-Identifier: Apache-2.0
"""Which files of an application are built: C, C++ and assembler, by name or by pattern. Other files that look like
sources are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from takt.declare.schema.locate import Path as Where
from takt.declare.schema.reader import Document
from takt.support import files
from takt.support.errors import UserError, did_you_mean
from takt.support.files import generated
from takt.support.names import shown

C, ASSEMBLER = ".c", ".S"
CXX = (".cpp", ".cc", ".cxx")
BUILT = (C, *CXX, ASSEMBLER)
FOUND_MAX = 4000  # files of one pattern

_OTHERS = {
    **dict.fromkeys((".cp", ".c++", ".C", ".CC", ".CPP", ".CXX"), "C++ by another name"),
    **dict.fromkeys((".cppm", ".ixx"), "a module of C++"),
    **{".ino": "C++ of another tool"},
    **dict.fromkeys((".m", ".mm"), "Objective-C"),
    **dict.fromkeys((".s", ".asm", ".sx"), "assembler"),
    **dict.fromkeys((".f", ".f77", ".f90", ".for"), "Fortran"),
    **dict.fromkeys((".adb", ".ads"), "Ada"),
    **{".rs": "Rust", ".zig": "Zig", ".go": "Go", ".d": "D", ".swift": "Swift", ".cu": "CUDA", ".i": "preprocessed C"},
}
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".inc", ".inl", ".ipp", ".tpp")
_PATTERN = re.compile(r"[*?\[]")


def is_cxx(path: Path) -> bool:
    return path.suffix in CXX


def language_of(name: str) -> str:
    """Of a file that is not built, as far as its name tells: "" for one that is built, or that is no source."""
    suffix = Path(name).suffix
    return "" if suffix in BUILT else _OTHERS.get(suffix) or _OTHERS.get(suffix.lower(), "")


def declared(
    document: Document,
    folder: Path,
    label: str,
    where: Where,
    names: tuple[str, ...],
    assembler: bool = False,
    among: Iterable[Path] | None = None,
) -> tuple[Path, ...]:
    """The files that a key names, each once. `assembler`: it may. `among`: what a pattern may match. UserError: one is
    not there, or is not built."""
    found: list[Path] = []
    for number, name in enumerate(names):
        if _PATTERN.search(name) and not files.is_regular(folder / name):
            matched = _matched(document, folder, label, (*where, number), name, assembler)
            found += matched if among is None else [path for path in matched if path in among]
        else:
            _refuse(document, folder, label, (*where, number), name, assembler)
            found.append(folder / name)
    return tuple(dict.fromkeys(found))


def without(document: Document, folder: Path, sources: tuple[Path, ...], names: tuple[str, ...]) -> tuple[Path, ...]:
    """The sources but those that `exclude` of [build] names. UserError: one names none of them, or all are named."""
    left = sources
    for number, name in enumerate(names):
        where, label = ("build", "exclude", number), f'[build]: exclude: "{name}"'
        gone = {folder / name, *_glob(document, where, label, folder, name)}
        if not gone & set(sources):
            near = did_you_mean(
                name, sorted(str(path.relative_to(folder)) for path in sources if folder in path.parents)
            )
            document.fail(where, f"{label} is none of the sources", near or "remove it")
        left = tuple(path for path in left if path not in gone)
        if not left:
            document.fail(where, f"{label} leaves none of the sources", "fewer of them, or no sources at all")
    return left


def found(document: Document, folder: Path) -> tuple[Path, ...]:
    """The files of a folder that are built without `sources`. UserError: it has a source file that cannot be built."""
    named = sorted(path for path in folder.glob("*") if not (path.name.startswith(".") or path.is_dir()))
    odd = next((path for path in named if path.suffix in BUILT and not files.is_regular(path)), None)
    if odd is not None:
        hint = "another name, or sources = [...] without it"
        raise UserError(f"{files.shown_path(folder)}: {shown(odd.name)} {files.fault_of(odd)}", hint)
    regular = [path for path in named if path.is_file()]
    for path in regular:
        language = language_of(path.name)
        if language:
            problem = (
                f'[system]: without sources every C and C++ file and *.S is built, and "{path.name}" is {language}'
            )
            hint = f"{_instead(language)}, another folder for it, or sources = [...] with the files to build"
            document.fail(("system",), problem, hint)
    return tuple(path for path in regular if path.suffix in BUILT and not generated(path))


def _matched(document: Document, folder: Path, label: str, where: Where, pattern: str, assembler: bool) -> list[Path]:
    """The files that are built of those that a pattern matches."""
    key = f'{label}: {where[-2]}: "{pattern}"'
    paths = _glob(document, where, key, folder, pattern)
    built = [path for path in paths if path.suffix in BUILT and files.is_regular(path) and not generated(path)]
    odd = next((path for path in built if path.suffix == ASSEMBLER and not assembler), None)
    if odd is not None:
        problem = f"{key} matches {shown(odd.name)}, assembler, which only the kernel's side has"
        document.fail(where, problem, f'"{pattern.removesuffix("*")}*{C}"')
    if not built:
        others = f", but {len(paths)} that are no source files" if paths else ""
        hint = f"one that ends in *{C} or *.cpp; ** stands for any folders"
        document.fail(where, f"{key} matches no file that is built{others}", hint)
    return built


def _glob(document: Document, where: Where, key: str, folder: Path, pattern: str) -> list[Path]:
    """Sorted; hidden files and folders, and those in folders that are links, are not matched."""
    if ".." in Path(pattern).parts and _PATTERN.search(pattern.partition("..")[0]):
        document.fail(where, f"{key}: .. behind a pattern", "the folder by its name")
    base = folder
    parts = list(Path(pattern).parts)
    while parts and parts[0] == "..":
        base, parts = base.parent, parts[1:]
    found: list[Path] = []
    try:
        for path in base.glob("/".join(parts)) if parts else ():
            if not any(part.startswith(".") for part in path.relative_to(base).parts) and not path.is_dir():
                found.append(path)
            if len(found) > FOUND_MAX:
                document.fail(where, f"{key} matches more than {FOUND_MAX} files", "a pattern for fewer")
    except (OSError, ValueError, NotImplementedError, re.error) as error:
        document.fail(where, f"{key} is no pattern: {error}", f'"src/**/*{C}"')
    return sorted(found)


def _refuse(document: Document, folder: Path, label: str, where: Where, name: str, assembler: bool) -> None:
    path, suffix = folder / name, Path(name).suffix

    def fail(problem: str, hint: str) -> NoReturn:
        document.fail(where, f'{label}: {where[-2]}: "{name}" {problem}', hint)

    if path.is_dir():
        fail("is a folder", f'the files in it, each by its name, or "{name.rstrip("/")}/**/*{C}"')
    if not files.is_regular(path):
        known = (one for built in BUILT for one in path.parent.glob(f"*{built}")) if path.parent.is_dir() else ()
        near = did_you_mean(path.name, sorted(one.name for one in known if files.is_regular(one)))
        fail(files.fault_of(path), near or "a file of this folder")
    language = language_of(name)
    if language:
        fail(f"is {language}, which is not built", _instead(language))
    if suffix in _HEADERS:
        fail("is a header, which is not built alone", "remove it: the files that include it find it")
    if suffix == ASSEMBLER and not assembler:
        fail("is assembler, which only the kernel's side has: calls of processes are in C", "a C file with asm in it")
    if suffix not in BUILT:
        fail(f"is no C file: its name ends in none of {', '.join(BUILT)}", f'"{Path(name).stem or "file"}{C}"')


def _instead(language: str) -> str:
    if language.startswith("C++"):
        return "a name that ends in .cpp"
    if language == "assembler":
        return f"the same with a name that ends in {ASSEMBLER}"
    if language == "preprocessed C":
        return "the C file that it was made of"
    return "the same in C or C++"
