# SPDX-License-Identifier: Apache-2.0
"""The public calls of the kernel, and the contract of each in its header: its contexts, and when it blocks.

Declarations are those that the compiler finds; a contract is the comment before them: "Context: task that owns it.
Blocks: never." (takt/takt.h says what the words mean). As a program, which the build of the kernel's tests runs with
nothing but Python: writes them as a table for C (kernel/test/unit/core/contract_test.c).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HEADERS = ROOT / "kernel" / "include" / "takt"
INCLUDES = (
    "",
    "kernel/include",
    "kernel/config/preset/lean",
    "kernel/config/sched/bands",
    "ports/host",
    "analysis/include",
)
CONTEXTS = ("task", "interrupt", "init", "main", "idle")
ANY = ("task", "interrupt", "init")

_DECLARED = re.compile(r"^/\* (.+?):(\d+):N([CF]) \*/ [^(]*\b(takt_\w+) \(", re.MULTILINE)
_CONTRACT = re.compile(
    r"Context(?: of every call)?: ((?:any|task|interrupt|init|main|idle)\b[^.]*)\. Blocks: ([^.]*)\."
)
OF_PROCESSES = ("create.h", "process.h")
_WORDS = re.compile(rf"(?:any|{'|'.join(CONTEXTS)})\b(?:, (?:{'|'.join(CONTEXTS)})\b)*")


@dataclass(frozen=True)
class Call:
    """`contexts`: of CONTEXTS. `remark`: a further condition on the caller, or "". `blocks`: "never", or until when.

    `inline`: the header defines it.
    """

    name: str
    header: str
    contexts: tuple[str, ...]
    remark: str
    blocks: str
    inline: bool = False

    @property
    def may_block(self) -> bool:
        return not self.blocks.startswith("never")


def declared(processes: bool, headers: Sequence[Path] = ()) -> list[tuple[str, Path, int, bool]]:
    """Every function of the kernel's headers, or of `headers`: name, header, line, whether it is defined. In order."""
    headers = headers or sorted(HEADERS.glob("*.h"))
    source = "".join(f'#include "{path}"\n' for path in headers)
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "listing"
        command = ["gcc", "-std=c11", "-fsyntax-only", "-aux-info", str(listing), "-x", "c", "-"]
        command += [f"-I{ROOT / name}" for name in INCLUDES] + [f"-DTAKT_PROCESSES={processes:d}"]
        subprocess.run(command, input=source.encode(), check=True)
        text = os.fsdecode(listing.read_bytes())
    found = [(name, Path(file), int(line), kind == "F") for file, line, kind, name in _DECLARED.findall(text)]
    return sorted({row for row in found if row[1] in headers}, key=lambda row: (row[1].name, row[2]))


def comment_before(lines: list[str], line: int) -> str:
    """The comment of the declaration that begins at `line`, from 1, or of those right before it; or ""."""
    end = line - 1
    while end > 0 and not lines[end - 1].endswith("*/"):
        if not lines[end - 1].strip():
            return ""
        end -= 1
    begin = end
    while begin > 0 and "/*" not in lines[begin - 1]:
        begin -= 1
    return _joined(lines[max(begin - 1, 0) : end])


def _joined(lines: list[str]) -> str:
    words = (line.strip().removeprefix("/*").removesuffix("*/").removeprefix("*").strip() for line in lines)
    return " ".join(word for word in words if word)


def contract(comment: str) -> tuple[tuple[str, ...], str, str] | None:
    """Contexts, remark and what it blocks for."""
    found = _CONTRACT.search(comment)
    if found is None:
        return None
    words = _WORDS.match(found[1])
    assert words is not None
    remark = found[1][words.end() :].strip(" ,;")
    contexts = ANY if words[0] == "any" else tuple(words[0].split(", "))
    return contexts, remark, found[2]


def said(comment: str) -> tuple[str, str] | None:
    """The same in the words of the header: its contexts, and what it blocks for."""
    found = _CONTRACT.search(comment)
    return None if found is None else (found[1], found[2])


def calls(processes: bool = False, headers: Sequence[Path] = ()) -> list[Call]:
    """Those of `declared`; `processes`: those of tasks of processes, too. ValueError: one has no contract."""
    found = []
    for name, path, line, inline in declared(processes, headers):
        if not processes and path.name in OF_PROCESSES:
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        of_all = _joined(lines).partition("Context of every call: ")
        said = contract(comment_before(lines, line)) or contract("".join(of_all[1:]))
        if said is None:
            raise ValueError(f'{path.name}:{line}: {name}: no "Context: ... Blocks: ..." before it')
        found.append(Call(name, path.name, *said, inline))
    return found


def table() -> str:
    """CONTRACT(name, contexts, blocks) for each, for the preprocessor."""
    rows = []
    for call in calls():
        contexts = " | ".join(f"CONTEXT_{word.upper()}" for word in call.contexts)
        rows.append(f"CONTRACT({call.name}, {contexts}, {str(call.may_block).lower()})\n")
    return "".join(rows)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(table(), encoding="utf-8")
