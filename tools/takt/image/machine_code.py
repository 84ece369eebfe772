# SPDX-License-Identifier: Apache-2.0
"""What the machine code of an image says of its functions: bytes that they put on the stack, and where they go."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from takt.support import children

_WORD = 4
_REGISTERS = re.compile(r"r(\d+)-r(\d+)")
_PUSHES = re.compile(r"(?:push|stmdb\s+sp!,)\S*\s*\{([^}]*)\}")
_LOWERS = (
    re.compile(r"\bsubs?(?:\.w)?\s+sp, (?:sp, )?#(\d+)"),
    re.compile(r"\bstrd?(?:\.w)?\s+.*\[sp, #-(\d+)\]!"),
    re.compile(r"\baddi?\s+sp,\s?sp,\s?-(\d+)"),
)
_BRANCH = re.compile(r"\t(?:(bl|jal|call)|[bcjt][\w.]*)\t(?:[^<;#\t]*[\s,])?[0-9a-f]+ <([^>+]+)(\+0x[0-9a-f]+)?>")
POINTER = re.compile(
    r"\t(?:blx\t(?:r\d|ip)|bx\t(?:r\d|ip)|mov\tpc|add\tpc|jalr\t|jr\t(?!ra\b|t0\b)"
    r"|sub\S*\tsp, (?:sp, )?r\d|sub\tsp,sp,)"
)
SAVE = re.compile(r"__riscv_save_(\d+)")  # puts registers on the stack of its caller, and leaves them there
_CODE = re.compile(r"\s*([0-9a-f]+):\t")
_FILLER = re.compile(r"\t(?:\.word|\.short|nop|unimp)\b|\.\.\.$")
TABLE = re.compile(r"slli?\t\w+,\w+,0x2\n(?:.*\n){0,8}?.*\tjr\t(?!ra\b).*")  # a switch, whose cases are in the function
_LEAVES = re.compile(r"\t(?:b(?:\.[nw])?|bx|ldmia.*\bpc|pop.*\bpc|ldr.*\tpc|j|jr|ret|tail|mret|udf|ebreak|ecall)\b")
_RETURNS = re.compile(r"\t(?:bx\tlr|(?:ldmia|pop)\S*\t.*\bpc|ldr\S*\tpc,|ret|mret|jr\tra)")


def pushed(code: str) -> tuple[int, list[str]]:
    """Bytes that assembly puts on its stack, whatever way it goes, and where else it goes: of its disassembly (Arm,
    RISC-V), the line with its name first, if it is there."""
    size = 0
    for registers in _PUSHES.findall(code):
        for name in registers.split(", "):
            span = _REGISTERS.fullmatch(name)
            size += _WORD * (int(span[2]) - int(span[1]) + 1 if span else 1)
    size += sum(int(bytes_) for shape in _LOWERS for bytes_ in shape.findall(code))
    head = re.match(r"[0-9a-f]+ <([^>]+)>:", code)
    own = head[1] if head else ""
    goes = (name for link, name, inside in _BRANCH.findall(code) if name != own or (link and not inside))
    return size, list(dict.fromkeys(goes))


@dataclass
class Code:
    """The disassembly of an image. `aliases`: other names of functions; `after`: what one falls through to, unless it
    ends with a call that never returns; `names`: of all symbols; `weak`: of those that another object may define, too.
    """

    functions: dict[str, str]
    aliases: dict[str, str]
    after: dict[str, str]
    names: set[str]
    weak: set[str]


def _distinguished(text: str) -> str:
    """Of local functions of one name all but the first get their address behind it."""
    first: dict[str, int] = {}
    for address, name in re.findall(r"^([0-9a-f]+) <([^>]+)>:$", text, re.M):
        first.setdefault(name, int(address, 16))

    def named(match: re.Match[str]) -> str:
        start = int(match[1], 16) - int(match[3] or "0", 16)
        name = match[2] if first.get(match[2], start) == start else f"{match[2]}@{start:x}"
        return f"{match[1]} <{name}{f'+{match[3]}' if match[3] else ''}>"

    return re.sub(r"([0-9a-f]+) <([^>+]+)(?:\+(0x[0-9a-f]+))?>", named, text)


def disassembly(image: Path, tools: str) -> Code:
    """Of an image with symbols."""

    def output(*command: str) -> str:
        return children.run([tools + command[0], *command[1:], image], check=True).stdout

    symbols = [line.split() for line in output("nm", "--print-size").splitlines()]
    sizes = {int(words[0], 16) & ~1: int(words[1], 16) for words in symbols if len(words) == 4}
    text = _distinguished(output("objdump", "-d"))
    blocks = re.split(r"\n(?=[0-9a-f]+ <[^>]+>:\n)", text)[1:]
    functions, at, after, calls, before = {}, {}, {}, {}, ""
    for block in blocks:
        address, _, name = block[: block.index(">:")].partition(" <")
        start = int(address, 16)
        functions[name], at[start] = _within(block, start, sizes.get(start, 0)), name
        if before:
            after[before] = name
        code = [line for line in functions[name].splitlines() if _CODE.match(line) and not _FILLER.search(line)]
        falls = "\nDisassembly of section" not in block and code and not _LEAVES.search(code[-1])
        before = name if falls else ""
        last = _BRANCH.search(code[-1]) if falls else None
        if last and last[1]:
            calls[name] = last[2]
    at_address = {words[-1]: at.get(int(words[0], 16) & ~1) for words in symbols if len(words) > 2}
    aliases = {name: function for name, function in at_address.items() if function and name not in functions}
    weak = {words[-1] for words in symbols if words[-2] in ("w", "W")}
    after = {
        name: other
        for name, other in after.items()
        if name not in calls or _returns(calls[name], functions, after, calls)
    }
    return Code(functions, aliases, after, set(at_address), weak)


def _returns(name: str, functions: Mapping[str, str], after: Mapping[str, str], calls: Mapping[str, str]) -> bool:
    """Whether a function may return, as far as its code shows. `calls`: what functions call with their last
    instruction, and go on behind it only if that returns."""
    ahead = [name]
    for one in ahead:
        code = functions.get(one)
        if code is None or _RETURNS.search(code) or POINTER.search(code):
            return True
        ways = {other for link, other, _ in _BRANCH.findall(code) if not link}
        ways |= {calls[one]} if one in calls else {after[one]} if one in after else set()
        ahead += sorted(ways.difference(ahead))
    return False


def _within(block: str, start: int, size: int) -> str:
    """Of a function's lines those of its own, where the compiler said how long it is: constants may follow."""
    if not size:
        return block
    first, *lines = block.splitlines()
    own = (line for line in lines if (found := _CODE.match(line)) and int(found[1], 16) < start + size)
    return "\n".join([first, *own])
