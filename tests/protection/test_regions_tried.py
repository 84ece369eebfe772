# SPDX-License-Identifier: Apache-2.0
"""Every process x every region x read, write, execute, from user mode, on every processor with user mode, against what
the declaration says (declared_memory.py): the first and the last word of each region, and the words just outside.

Beside the image is then regions.md, the table of what was tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from declared_memory import GUARD, Image, attachable, reaches, slack_is_least
from running import EMULATED, FULL
from takt.declare.schema import boards
from takt.support.provision import ROOT
from tries import EXECUTE, READ, REWRITE, WRITE, Try, attached, results, with_tries

HERE = Path(__file__).parent
APPS = [HERE / "two", HERE / "regions", ROOT / "apps" / "flight"]
CASES = [
    pytest.param(*board.values, application, marks=board.marks, id=f"{board.values[0]}-{application.name}")
    for column, board in enumerate(EMULATED)
    for row, application in enumerate(APPS)
    if FULL or row == column
]
"""By default one application on each board."""
DEVICES = {"mps2-an385": {"line": 0x40006000}, "rv32-virt": {"line": 0x10001000}}  # a UART; a place for virtio
OUTSIDE = {  # words of the processor, the board, and nothing
    "mps2-an385": """00400000 20400000 22000000 40000000 40004000 40028000 42000000 60000000
        e0001000 e000e010 e000e100 e000ed94 e000ef00 e0100000 fffffffc""",
    "rv32-virt": """00000000 00001000 00100000 00101000 02000000 0200bff8 0c000000 0c200000
        10000000 20000000 40000000 80800000 80fffffc 81000000 fffffffc""",
}
KERNELS = ("takti_kernel", "takt_tasks", "takti_objects", "takti_processes", "takti_process_configs", "takt_system")
LETTERS = {READ: "r", WRITE: "w", REWRITE: "w", EXECUTE: "x"}


class Tried:
    """An application on a board: what each process reaches, and what it tries."""

    def __init__(self, application: Path, board_name: str):
        self.board, self.port = board_name, boards.load(board_name).port
        self.document, self.path = with_tries(application, board_name, DEVICES[board_name])
        self.image = Image(self.path)
        self.processes: list[dict[str, Any]] = self.document["process"]
        self.reached = {one["name"]: reaches(self.document, self.image, one) for one in self.processes}
        self.attachable = {
            one["name"]: [attachable(self.document, self.image, one, name) for name in attached(self.document, one)]
            for one in self.processes
        }

    def _memory(self) -> Iterator[tuple[str, int, int]]:
        """Name, base and end of everything that there is: regions, the kernel's sections and tables, stacks."""
        for found in (self.reached, self.attachable):
            for mine in found.values():
                yield from ((reach.name, reach.base, reach.base + reach.size) for reach in mine)
        for name, (base, size) in self.image.sections.items():
            if not name.startswith(".takt_"):
                yield f"kernel{name}", base, base + size // 4 * 4
        for name in KERNELS:
            base, size = self.image.symbols[name]
            yield name, base, base + size // 4 * 4
        for name, (base, size) in self.image.symbols.items():
            if name.startswith("takti_stack_") or name == "takti_idle_stack":
                yield name, base, base + size
                yield f"{name}, its lowest bytes", base, base + GUARD
        yield from (("nothing of processes", int(word, 16), int(word, 16) + 4) for word in OUTSIDE[self.board].split())

    def words(self) -> dict[int, str]:
        """First and last words, and those just outside: what each is."""
        found: dict[int, str] = {}
        for name, base, end in dict.fromkeys(self._memory()):
            for address, what in ((base, "first"), (end - 4, "last"), (base - 4, "before"), (end, "behind")):
                if 0 <= address < 1 << 32 and address % 4 == 0:
                    found.setdefault(address, f"{name}, {what}")
        return found

    def rights(self, process: str, address: int, attach: int) -> str:
        """Of rwx, those that the process has there; or "guard"."""
        stack = self.image.symbols[f"takti_stack_tries_{process}"][0]
        if stack <= address < stack + GUARD:
            return "guard"
        mine = self.reached[process] + self.attachable[process][attach - 1 : attach]
        return "".join(reach.rights for reach in mine if reach.holds(address))

    def all_tries(self) -> list[Try]:
        words = self.words()
        found = []
        for number, process in enumerate(self.processes):
            for attach in reversed(range(len(self.attachable[process["name"]]) + 1)):  # then it is gone again
                for address in words:
                    near = attach == 0 or abs(address - self.attachable[process["name"]][attach - 1].base) < 4096
                    rights = self.rights(process["name"], address, attach)
                    for access in (READ, REWRITE if "r" in rights else WRITE, EXECUTE) if near else ():
                        plant = access == EXECUTE and "x" in rights
                        found.append(Try(number, address, access, attach, plant))
        return found

    def wanted(self, one: Try) -> str:
        rights = self.rights(self.processes[one.process]["name"], one.address, one.attach)
        if rights == "guard":
            return "s" if one.access != EXECUTE else "n"
        return "y" if LETTERS[one.access] in rights else "n"

    def table(self, tries: list[Try], letters: str) -> str:
        """Markdown: a line a word, a column a process."""
        words = self.words()
        cells: dict[tuple[int, int], dict[str, str]] = {}
        for one, letter in zip(tries, letters, strict=True):
            if one.attach == 0:
                cells.setdefault((one.address, one.process), {})[LETTERS[one.access]] = letter
        names = [process["name"] for process in self.processes]
        lines = ["| word | what | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
        for address in sorted(words):
            row = []
            for number in range(len(names)):
                cell = cells[(address, number)]
                row.append("".join(right if cell[right] == "y" else "-" for right in "rwx"))
            lines.append(f"| `{address:08x}` | {words[address]} | " + " | ".join(f"`{cell}`" for cell in row) + " |")
        return "\n".join(lines) + "\n"


@cache
def tried(application: Path, board_name: str) -> Tried:
    return Tried(application, board_name)


@pytest.mark.parametrize(("board_name", "application"), CASES)
def test_what_is_granted_is_what_is_declared_and_no_more(board_name: str, application: Path) -> None:
    found = tried(application, board_name)
    sections = {name: (base, base + size) for name, (base, size) in found.image.sections.items()}
    for process, mine in found.reached.items():
        for reach in mine + found.attachable[process]:
            assert slack_is_least(found.port, reach), (process, reach)
            own = (f".takt_{reach.name}", f".takt_zero_{reach.name}")
            for name, (base, end) in sections.items():
                if name not in own and not (base <= reach.base and reach.base + reach.used <= end):
                    assert end <= reach.base or reach.base + reach.size <= base, (process, reach, name)


@pytest.mark.parametrize(("board_name", "application"), CASES)
def test_every_process_reaches_what_is_its_own_and_nothing_else(board_name: str, application: Path) -> None:
    found = tried(application, board_name)
    tries = found.all_tries()
    letters = results(found.path, board_name, tries)
    found.path.with_name("regions.md").write_text(found.table(tries, letters), encoding="utf-8")
    words = found.words()
    wrong = [
        (found.processes[one.process]["name"], words[one.address], LETTERS[one.access], one, got)
        for one, got in zip(tries, letters, strict=True)
        if got != found.wanted(one)
    ]
    assert not wrong, f"{len(wrong)} of {len(tries)}: {wrong[:12]}"
    assert {"y", "n", "s"} == set(letters)
    for right in "rwx":
        assert any(got == "y" for one, got in zip(tries, letters, strict=True) if LETTERS[one.access] == right)
