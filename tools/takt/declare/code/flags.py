# SPDX-License-Identifier: Apache-2.0
"""Defines and flags of [build]: those that contradict the build are refused, each with the key that is for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from takt.declare.schema.kinds import ODD, STRING, Kind
from takt.support.errors import UserError

ARCHIVES = (".a", ".o")
BOARD = "{board}"  # in the path of a library
LIBRARY = re.compile(r"[A-Za-z0-9_+.-]+", re.ASCII)

_OF_THE_BUILD = "the build says it itself"
_PROCESSOR = "the board says which processor it is for"
_LAYOUT = "it changes types that the kernel has in common with the application"
# Of a compiler: what a flag begins with, why it is refused, what to try.
_REFUSED = (
    (r"[^-]", "it is no flag", 'a file that all include: "--include=config.h"'),
    (r"-include|-imacros", "one flag with its file", '"--include=config.h"'),
    (r"-O", "the whole image is compiled with -O2, as the kernel's costs were measured", "remove it"),
    (r"-std=|--std|-ansi$", "there is a key for the standard", "c_standard = 17, or cxx_standard = 20"),
    (r"-D|-U|--define-macro|--undefine-macro", "there is a key for macros", 'defines = ["NAME=value"]'),
    (r"-I|-isystem|-iquote|-idirafter|--include-directory", "there is a key for folders", 'include = ["FOLDER"]'),
    (r"-f(no-)?exceptions$", "there is a key for it", "exceptions = true"),
    (r"-f(no-)?rtti$", "there is a key for it", "rtti = true"),
    (r"-l|-L|--library", "there is a key for libraries", 'libraries = ["m", "lib/libfilter.a"]'),
    (r"-(c|S|E|o.*|pipe|save-temps.*|v|###)$|-M|-d|--output|-fsyntax-only|--version|--help|-print", _OF_THE_BUILD, ""),
    (r"-x|-specs|--specs|-B|-wrapper|-fplugin|@|--sysroot|-nostdinc|-nostdlib|-nostartfiles", _OF_THE_BUILD, ""),
    (r"-m|-Wa,-m|--target", _PROCESSOR, "another board"),
    (r"-f(no-)?(pack-struct|short-enums|short-wchar|ms-extensions|abi-version)", _LAYOUT, "the attribute packed"),
    (
        r"-flto|-fsplit-stack|-fwhole-program|-fstack-usage|-fcallgraph-info",
        "stacks and memory are read from objects",
        "",
    ),
    (r"-f(PIC|pic|PIE|pie)$", "an image has its addresses", ""),
    (r"-Wl,|-Xlinker|-T|-u$|-r$|-s$|-static|-shared|-pie$|-no-pie$|-rdynamic", "it is for the link", "link_flags"),
)
_REFUSED_LINK = (
    (r"-l|-L|--library", "there is a key for libraries", 'libraries = ["m", "lib/libfilter.a"]'),
    (r"[^-]", "it is no flag", 'libraries = ["lib/libfilter.a"], or sources'),
    (r"-(c|S|E|o.*|r|s|pie|no-pie|static.*|shared.*|rdynamic)$|-T|-specs|--specs|-nostd|-nostart", _OF_THE_BUILD, ""),
    (
        r"-Wl,(.*,)?(-T|--script|-Map|-o\b|-r\b|-s\b|-S\b|-e\b|--entry|--strip|--no-gc|-Ttext|-Tdata|-Tbss|-pie|-shared)",
        "the map, the script and the symbols of an image are what takt reads",
        "remove it",
    ),
    (r"-O|-m|-std=|-D|-I|-U", "it is for the compiler, or the board says it", "remove it"),
    (r"-flto|-fuse-ld", "stacks and memory are read from what the board's linker makes", "remove it"),
)


def _flag(refused: tuple[tuple[str, str, str], ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        text: str = STRING.read(value)
        if not text.strip() or ODD.search(text):
            raise UserError("one flag of a compiler, without ; or the end of a line", '["-Wextra", "-Wshadow"]')
        if re.search(r"\s", text):
            raise UserError("one flag in each string", ", ".join(f'"{part}"' for part in text.split()))
        for begins, why, hint in refused:
            if re.match(begins, text):
                raise UserError(f"{text} contradicts the build: {why}", hint or "remove it")
        return text

    return read


C_FLAGS = CXX_FLAGS = Kind("string", _flag(_REFUSED), schema=STRING.schema)
LINK_FLAGS = Kind("string", _flag(_REFUSED_LINK), schema=STRING.schema)
