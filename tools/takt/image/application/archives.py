# SPDX-License-Identifier: Apache-2.0
"""Libraries that an application brings: archives and objects, held against an object of the kernel, which was compiled
for the board's processor. A linker would link some that cannot run there, and says of others what only it knows."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt.declare.code import flags
from takt.declare.schema.model import System
from takt.image.application import elf_symbols
from takt.support import files, plain
from takt.support.errors import UserError
from takt.support.provision import ROOT

_MAGIC, _THIN = b"!<arch>\n", b"!<thin>\n"
_HEAD = 60  # bytes of a member's header
_FLOAT_ABIS = ("soft", "single", "double", "quad")  # of RISC-V, by two bits of e_flags
_COMPRESSED, _EMBEDDED = 1, 8  # further bits of it
_M_PROFILE = {11: 0, 12: 0, 10: 1, 13: 2, 16: 3, 17: 3}  # Tag_CPU_arch: which contains which
_TAG_PROFILE, _TAG_ARCH, _TAG_FP, _TAG_VFP_ARGS = (
    "TAG_CPU_ARCH_PROFILE",
    "TAG_CPU_ARCH",
    "TAG_FP_ARCH",
    "TAG_ABI_VFP_ARGS",
)


@dataclass(frozen=True)
class Kind:
    """What an object is compiled for. `attributes`: those of its processor, by tag."""

    machine: str
    bits: int
    little: bool
    flags: int
    attributes: dict[str, Any]
    lto: bool  # it has no code yet


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Names and contents of an archive's objects; an object file is one. UserError: it is neither."""
    data, name = files.read(path), files.shown_path(path)
    if data.startswith(b"\x7fELF"):
        yield path.name, data
        return
    if data.startswith(_THIN):
        raise UserError(f"{name}: a thin archive, which has only the names of its objects", "ar rc, without T")
    if not data.startswith(_MAGIC):
        raise UserError(f"{name}: neither an archive nor an object file", "what ar or a compiler makes, for the board")
    at, long_names = len(_MAGIC), b""
    while at + _HEAD <= len(data):
        head, begin = data[at : at + _HEAD], at + _HEAD
        text = head[48:58].strip()
        if head[58:60] != b"`\n" or not text.isdigit() or begin + int(text) > len(data):
            raise UserError(f"{name}: a damaged archive (byte {at})", "make it again with ar")
        content, label = data[begin : begin + int(text)], head[:16].rstrip()
        at = begin + int(text) + int(text) % 2
        if label == b"//":
            long_names = content
        elif label not in (b"/", b"/SYM64/", b"__.SYMDEF"):
            if label.startswith(b"/") and label[1:].isdigit():
                label = long_names[int(label[1:]) :].partition(b"/\n")[0]
            yield files.text_of(label.rstrip(b"/")), content


def kind_of(data: bytes) -> Kind | None:
    """None: it is no ELF file."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import AttributesSection

    try:
        elf = ELFFile(io.BytesIO(data))
        found: dict[str, Any] = {}
        for section in elf.iter_sections():
            if isinstance(section, AttributesSection):
                for part in section.iter_subsections():
                    for inner in part.iter_subsubsections():
                        found |= {one.tag: one.value for one in inner.iter_attributes()}
        lto = elf_symbols.named(elf, "__gnu_lto_slim") is not None
    except (ELFError, ValueError, KeyError, UnicodeDecodeError):
        return None
    return Kind(elf["e_machine"], elf.elfclass, elf.little_endian, int(elf["e_flags"]), found, lto)


def path_of(system: System, item: Path) -> Path:
    """Of a library, for the system's board."""
    return Path(str(item).replace(flags.BOARD, system.board))


def paths(system: System) -> list[Path]:
    """Of the libraries that are files."""
    return [path_of(system, item) for item in system.build.libraries if isinstance(item, Path)]


def _label(system: System, path: Path) -> str:
    """The file and the key that name a library."""
    name = os.path.relpath(path, system.path.resolve().parent)
    return f'{files.shown_path(system.path)}: [build]: libraries: "{name}"'


def compiler(board: str) -> str:
    """The compiler of C of a board, with the options that name its processor and its C library."""
    presets = json.loads(files.read_text(ROOT / "CMakePresets.json"))["configurePresets"]
    preset = next(one for one in presets if one["name"] == board)
    if "toolchainFile" not in preset:
        return "gcc"
    text = files.read_text(Path(preset["toolchainFile"].replace("${sourceDir}", str(ROOT))))
    values = dict(re.findall(r'set\((TAKT_\w+) "([^"]*)" CACHE', text)) | preset["cacheVariables"]
    (name,) = re.findall(r"set\(CMAKE_C_COMPILER (\S+)\)", text)
    (options,) = re.findall(r'set\(CMAKE_C_FLAGS_INIT "([^"]*)"\)', text)
    for key, value in values.items():
        options = options.replace(f"${{{key}}}", str(value))
    return f"{name} {options}"


def refuse_missing(system: System) -> None:
    """UserError: a library is not there, or is none."""
    for path in paths(system):
        if not files.is_regular(path):
            hint = f"build it first, with {compiler(system.board)}, or correct the path"
            raise UserError(f"{_label(system, path)} {files.fault_of(path)}", hint)
        if not list(members(path)):
            raise UserError(f"{_label(system, path)}: an empty archive", "ar rcs with its objects")


def refuse(system: System, kernel: Path) -> None:
    """UserError: a library is not for the processor that the kernel in the folder `kernel` was compiled for."""
    if not paths(system):
        return
    _, content = next(members(next(iter(sorted(kernel.rglob("libtakt_base.a"))))))
    wanted = kind_of(content)
    assert wanted is not None
    for path in paths(system):
        for name, data in members(path):
            reason = _difference(kind_of(data), wanted)
            if reason is not None:
                hint = f"compile it with {compiler(system.board)}; or another board"
                raise UserError(f"{_label(system, path)}: {name} {reason}", hint)


_INCLUDED = re.compile(r"^(\S+)\(([^()\s]+)\)$", re.MULTILINE)  # in a map


def linked(system: System, folder: Path) -> Iterator[tuple[str, Path]]:
    """The objects of libraries that are in the image which was linked in `folder`: what to call them, and a copy."""
    mapped = files.read_text(folder / "application.map").partition("Discarded input sections")[0]
    included = set(_INCLUDED.findall(mapped))
    for number, path in enumerate(paths(system)):
        for name, data in members(path):
            if path.suffix == ".a" and (str(plain.path(path)), name) not in included:
                continue
            copy = folder / "members" / f"{number}.{name}"
            copy.parent.mkdir(exist_ok=True)
            if not copy.exists() or copy.read_bytes() != data:
                files.write_whole(copy, data)
            yield f"{path.name}({name})", copy


def patterns(system: System) -> list[str]:
    """Of a linker script: the objects of libraries."""
    return [f"{plain.path(path)}{':*' if path.suffix == '.a' else ''}" for path in paths(system)]


def functions(system: System) -> dict[str, Path]:
    """Which file of the libraries defines a function, by its symbol."""
    from elftools.elf.elffile import ELFFile

    found: dict[str, Path] = {}
    for path in paths(system):
        for _, data in members(path):
            for symbol in elf_symbols.read(ELFFile(io.BytesIO(data))) if kind_of(data) is not None else ():
                if symbol.type == elf_symbols.FUNCTION and symbol.section != elf_symbols.UNDEFINED:
                    found.setdefault(symbol.name, path)
    return found


def _machine(kind: Kind) -> str:
    names = {"EM_386": "x86", "EM_X86_64": "x86-64", "EM_AARCH64": "AArch64", "EM_ARM": "Arm", "EM_RISCV": "RISC-V"}
    return names.get(kind.machine, kind.machine.removeprefix("EM_"))


def _difference(kind: Kind | None, wanted: Kind) -> str | None:
    """Why an object cannot be in the image; None: it can."""
    if kind is None:
        return "is no object of ELF (bitcode of LLVM, or of another system)"
    general = (
        (kind.lto, "was compiled with -flto and has no code yet"),
        (kind.machine != wanted.machine, f"is for {_machine(kind)}, and the board has {_machine(wanted)}"),
        (kind.bits != wanted.bits, f"is of {kind.bits} bits, and the board has {wanted.bits}"),
        (kind.little != wanted.little, "has the other order of bytes than the board"),
    )
    reason = next((text for differs, text in general if differs), None)
    if reason is None and kind.machine == "EM_ARM":
        return _arm_difference(kind.attributes, wanted.attributes)
    if reason is None and kind.machine == "EM_RISCV":
        return _riscv_difference(kind, wanted)
    return reason


def _arm_difference(kind: dict[str, Any], wanted: dict[str, Any]) -> str | None:
    if kind.get(_TAG_VFP_ARGS, 0) != wanted.get(_TAG_VFP_ARGS, 0):
        hard = ("in registers of a floating-point unit", "in integer registers")
        mine, boards = hard if kind.get(_TAG_VFP_ARGS, 0) else hard[::-1]
        return f"passes floating-point numbers {mine} (-mfloat-abi), and the board {boards}"
    if kind.get(_TAG_FP, 0) and not wanted.get(_TAG_FP, 0):
        return "is for a processor with a floating-point unit, and the board's has none"
    arch, best = kind.get(_TAG_ARCH), _M_PROFILE.get(wanted.get(_TAG_ARCH, 0), 0)
    if arch is None:
        return None
    if kind.get(_TAG_PROFILE) not in (ord("M"), "M") or _M_PROFILE.get(arch, 9) > best:
        return "is for another Arm than the board's Cortex-M"
    return None


def _extensions(text: str) -> set[str]:
    """Of a name such as rv32i2p0_m2p0_c2p0: without versions, and those that add no instruction to others."""
    parts = [re.sub(r"\d+p\d+$", "", part) for part in text.removeprefix("rv32").removeprefix("rv64").split("_")]
    return {part for part in parts if part not in ("zicsr", "zifencei", "zmmul", "zca", "zaamo", "zalrsc")}


def _riscv_difference(kind: Kind, wanted: Kind) -> str | None:
    if kind.flags & 6 != wanted.flags & 6:
        mine, boards = _FLOAT_ABIS[kind.flags >> 1 & 3], _FLOAT_ABIS[wanted.flags >> 1 & 3]
        return f"has the {mine}-float ABI (-mabi), and the board the {boards}-float ABI"
    if (kind.flags ^ wanted.flags) & _EMBEDDED:
        return "is for RV32E, whose calls differ" if kind.flags & _EMBEDDED else "is not for RV32E"
    if kind.flags & _COMPRESSED and not wanted.flags & _COMPRESSED:
        return "has compressed instructions, and the board's processor none"
    arch, best = kind.attributes.get("TAG_ARCH"), wanted.attributes.get("TAG_ARCH")
    if isinstance(arch, str) and isinstance(best, str):
        more = sorted(_extensions(arch) - _extensions(best))
        if more:
            return f"has instructions of {', '.join(more)}, which the board's processor does not have"
    return None
