# SPDX-License-Identifier: Apache-2.0
"""The sections of a page that are about the image: its memory, its stacks."""

from __future__ import annotations

from collections.abc import Sequence

from takt.declare.schema.boards import Board
from takt.image.stack_bounds import Bound
from takt.report import memory_map
from takt.report.memory_map import Map
from takt.report.parts import Cell, bar, paragraph, section, stacked, table
from takt.report.process_figures import Figures

_MEMORIES = {"code": "code and constants", "data": "data", "zeroed": "zeroed data"}


def memory(board: Board, found: Map | None, no_image: str) -> str:
    """What lies where."""
    if found is None:
        return section("Memory", paragraph(f"Unknown: {no_image}"))
    used = memory_map.parts(found)
    whole = sum(used.values())
    code = sum(one.size for one in found.sections if one.memory == "code")
    if board.flash and board.ram:
        flash = f"{_size(found.flash)} of {_size(board.flash)} for code and constants are used"
        head = f"{flash}, {_size(found.ram)} of {_size(board.ram)} for data."
    else:
        head = f"{_size(code)} of code and constants, {_size(whole)} of data; {board.name} sets no limit."
    bars = stacked([(name, size, _size(size)) for name, size in used.items()], max(whole, 1))
    rows = [
        (
            "",
            [
                Cell(one.name),
                Cell(_MEMORIES[one.memory]),
                Cell(f"0x{one.address:08x}", True),
                Cell(str(one.size), True),
            ],
        )
        for one in found.sections
    ]
    large = [("", [Cell(one.name), Cell(_MEMORIES[one.memory]), Cell(str(one.size), True)]) for one in found.largest]
    return section(
        "Memory",
        paragraph(head),
        bars,
        "<div class='pair'>",
        table(("section", "holds", "at", "bytes"), rows, (2, 3)),
        table(("largest", "in", "bytes"), large, (2,)),
        "</div>",
    )


def processes(found: Sequence[Figures]) -> str:
    """What each process reaches, and where."""
    if not found:
        return ""
    rows = []
    for one in found:
        for row, region in enumerate(one.regions):
            first = [Cell(one.name), Cell(", ".join(one.tasks))] if row == 0 else [Cell(""), Cell("")]
            may = "read, write" if region.write else "read, execute" if "text" in region.name else "read"
            where = "" if region.base is None else f"0x{region.base:08x}"
            figures = ["" if value is None else str(value) for value in (region.size, region.waste)]
            rows.append(("", [*first, Cell(region.name), Cell(may), *(Cell(text, True) for text in (where, *figures))]))
    heads = ("process", "tasks", "region", "may", "at", "bytes", "lost")
    lines = [paragraph(f"{one.line()}.") for one in found]
    return section("Processes", *lines, table(heads, rows, (4, 5, 6)))


def stacks(found: Sequence[Bound], no_image: str) -> str:
    """What each may need at most, of what it has."""
    if not found:
        return section("Stacks", paragraph(f"Unknown: {no_image}")) if no_image else ""
    rows = []
    for one in found:
        over = one.fits is False
        drawn = "" if one.needs is None else bar(one.needs, one.declared, one.declared, over)
        needs = "unknown" if one.needs is None else str(one.needs)
        says = one.reason if one.needs is None else "too small" if over else "fits"
        colour = "warn" if one.needs is None else "bad" if over else "good"
        cells = [Cell(one.name), Cell(drawn, markup=True), Cell(needs, True), Cell(str(one.declared), True)]
        rows.append(("wrong" if over else "", [*cells, Cell(says, colour=colour), Cell(one.calls())]))
    note = (
        "Bytes at most: the longest path through the compiler's call graph, with kernel calls and one "
        "interrupt. Handlers"
        " that a program gives the kernel at run time are not in it."
    )
    return section(
        "Stacks", table(("task", "use of the stack", "needs", "has", "", "longest path"), rows, (2, 3)), paragraph(note)
    )


def _size(count: int) -> str:
    return f"{count / 1024:.4g} KiB" if count >= 10_240 else f"{count} bytes"
