# SPDX-License-Identifier: Apache-2.0
"""Numbers and layouts of C, read from the debug information that the compiler makes of the headers.

No C is parsed here: macros, conditions and padding are the compiler's. `read` compiles lines of C, mostly includes, and
returns the enumerations and structures that they declare, and the values of expressions.
"""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from takt.support import children
from takt.support.errors import UserError
from takt.support.provision import ROOT

Die = Any  # elftools.dwarf.die.DIE: the package has no types

# A kernel with everything in it, and the rooms whose headers are read.
INCLUDES = (
    *("", "kernel/include", "kernel/config/preset/debug", "kernel/config/sched/budgets"),
    *("analysis/include", "runner/include", "net/can/include", "reflect/core/include", "reflect/linux/include"),
)
_FLAGS = ("-std=gnu11", "-g", "-gdwarf-4", "-O0", "-w", "-fno-eliminate-unused-debug-types", "-c", "-x", "c", "-")
_UNSIGNED, _SIGNED, _FLAG, _CHARACTER = "unsigned", "signed", "flag", "character"
_ENCODINGS = {2: _FLAG, 5: _SIGNED, 6: _CHARACTER, 7: _UNSIGNED, 8: _UNSIGNED}  # DW_ATE_*
_LETTERS = {(_UNSIGNED, 1): "B", (_UNSIGNED, 2): "H", (_UNSIGNED, 4): "I", (_UNSIGNED, 8): "Q", (_FLAG, 1): "?"}
_LETTERS |= {(_SIGNED, 1): "b", (_SIGNED, 2): "h", (_SIGNED, 4): "i", (_SIGNED, 8): "q"}


@dataclass(frozen=True)
class How:
    """A compiler, and what it is given: folders from the root on, macros, flags."""

    compiler: str
    includes: tuple[str, ...]
    defines: tuple[str, ...] = ("TAKT_PROCESSES=1",)
    flags: tuple[str, ...] = ()


HOST = How("gcc", (*INCLUDES, "ports/host"))
BOARD = How(
    "arm-none-eabi-gcc", (*INCLUDES, "ports/armv7m"), flags=("-mcpu=cortex-m3", "-mthumb", "--specs=picolibc.specs")
)


@dataclass(frozen=True)
class Kind:
    """A type. `to`: of a pointer what it points to, of an array its element's; None: nothing that is known.

    `word`: unsigned, signed, flag, character; pointer; array; a structure: "struct" and its tag in `tag`.
    """

    word: str
    size: int
    tag: str = ""
    count: int = 0
    to: Kind | None = None


@dataclass(frozen=True)
class Field:
    name: str
    offset: int
    kind: Kind


@dataclass(frozen=True)
class Structure:
    tag: str
    size: int
    fields: tuple[Field, ...]

    def format(self) -> str:
        """For Python's struct module, little endian, padding included. Structures in it, and arrays of bytes or
        structures, are bytes there."""
        return f"<{_format(self)}"


@dataclass
class Facts:
    """What some lines of C declare, by tag or name."""

    enumerations: dict[str, dict[str, int]] = field(default_factory=dict)
    structures: dict[str, Structure] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)


def read(lines: str, values: Mapping[str, str] | None = None, how: How = HOST) -> Facts:
    """The facts of some lines of C. `values`: expressions, each an integer, by the name that they get.

    UserError: they do not compile.
    """
    from elftools.elf.elffile import ELFFile

    wanted = dict(values or {})
    numbered = (
        f"enum takt_value_{index} {{ TAKT_VALUE_{index} = ({text}) }};" for index, text in enumerate(wanted.values())
    )
    text = "\n".join([lines, *numbered, ""])
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "facts.o"
        command = [how.compiler, *how.flags, *_FLAGS, *(f"-D{one}" for one in how.defines), "-o", str(made)]
        command += [f"-I{ROOT / path}" for path in how.includes]
        done = children.run(command, given=text, environment={**os.environ, "LC_ALL": "C"})
        if done.returncode != 0:
            first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[-200:])
            raise UserError(f"a header does not compile alone: {first}", "correct it, then run takt docs")
        with made.open("rb") as file:
            return _facts(ELFFile(file).get_dwarf_info(), wanted)


def _facts(information: Any, wanted: Mapping[str, str]) -> Facts:
    found = Facts()
    for unit in information.iter_CUs():
        for die in unit.get_top_DIE().iter_children():
            name = _name(die)
            if die.tag == "DW_TAG_enumeration_type" and name:
                found.enumerations[name] = _enumerators(die)
            elif die.tag == "DW_TAG_structure_type" and name and "DW_AT_byte_size" in die.attributes:
                found.structures[name] = _structure(die)
    for index, name in enumerate(wanted):
        found.values[name] = found.enumerations.pop(f"takt_value_{index}")[f"TAKT_VALUE_{index}"]
    return found


def _name(die: Die) -> str:
    return die.attributes["DW_AT_name"].value.decode() if "DW_AT_name" in die.attributes else ""


def _enumerators(die: Die) -> dict[str, int]:
    return {_name(child): int(child.attributes["DW_AT_const_value"].value) for child in die.iter_children()}


def _structure(die: Die) -> Structure:
    members = (child for child in die.iter_children() if child.tag == "DW_TAG_member")
    fields = (Field(_name(one), one.attributes["DW_AT_data_member_location"].value, _kind(one)) for one in members)
    return Structure(_name(die), die.attributes["DW_AT_byte_size"].value, tuple(fields))


def _kind(die: Die) -> Kind:
    """The type that an entry names."""
    if "DW_AT_type" not in die.attributes:
        return Kind("void", 0)
    of = die.get_DIE_from_attribute("DW_AT_type")
    size = of.attributes["DW_AT_byte_size"].value if "DW_AT_byte_size" in of.attributes else 0
    if of.tag == "DW_TAG_base_type":
        return Kind(_ENCODINGS.get(of.attributes["DW_AT_encoding"].value, "other"), size)
    plain = {"DW_TAG_enumeration_type": _UNSIGNED, "DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union"}
    if of.tag in plain:
        return Kind(plain[of.tag], size, _name(of))
    if of.tag == "DW_TAG_pointer_type":
        return Kind("pointer", size, to=_pointed(of))
    return _array(of) if of.tag == "DW_TAG_array_type" else _kind(of)  # const, volatile, a typedef


def _array(die: Die) -> Kind:
    each, count = _kind(die), 1
    for part in die.iter_children():
        count *= part.attributes["DW_AT_upper_bound"].value + 1 if "DW_AT_upper_bound" in part.attributes else 0
    return Kind("array", each.size * count, count=count, to=each)


def _pointed(die: Die) -> Kind | None:
    """What a pointer points to, as far as it is a number or a structure: no further pointers, which may be a circle."""
    if "DW_AT_type" not in die.attributes:
        return None
    of = die.get_DIE_from_attribute("DW_AT_type")
    while of.tag in ("DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_typedef") and "DW_AT_type" in of.attributes:
        of, last = of.get_DIE_from_attribute("DW_AT_type"), of
        die = last
    return None if of.tag in ("DW_TAG_pointer_type", "DW_TAG_subroutine_type") else _kind(die)


def _format(one: Structure) -> str:
    letters, at = "", 0
    for each in one.fields:
        letters += "x" * (each.offset - at) + _letters(each.kind)
        at = each.offset + each.kind.size
    letters += "x" * (one.size - at)
    assert struct.calcsize(f"<{letters}") == one.size, one.tag
    return letters


def _letters(kind: Kind) -> str:
    if kind.word == "struct":
        return f"{kind.size}s"
    if kind.word == "array" and kind.to is not None:
        return f"{kind.size}s" if kind.to.word == "struct" or kind.to.size == 1 else kind.count * _letters(kind.to)
    if kind.word == "pointer":
        return _LETTERS[_UNSIGNED, kind.size]
    return _LETTERS[kind.word, kind.size]
