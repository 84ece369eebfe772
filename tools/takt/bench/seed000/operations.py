# SPDX-License-Identifier: Apache-2.0
"""Tables 3.4 and 3.5 of seed 000: sizes, and the latency of operations.

Most operations of table 3.5 are calls of a process: benchmarks/seed000 makes all of them, with protection and without.
Those that every kernel has are also rows of benchmarks/kernel, which FreeRTOS has too: there ours without protection is
the row, so that both are measured alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from takt.bench import size
from takt.bench.kernel import FREERTOS, Figure, Figures, figures
from takt.support.errors import UserError
from takt.support.files import read_text
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table, ratio

PROGRAM = ROOT / "benchmarks" / "seed000"
SWITCH = "switch"
KERNEL = {part: room for part, room in size.ROOMS.items() if room != "library"}
"""Parts of an image that are the kernel: the program calls the library too."""

Reference = dict[str, Any]


@dataclass(frozen=True)
class Program:
    """What a run of benchmarks/seed000 found."""

    figures: Figures
    kernel_bytes: int  # code and constants of the kernel in its image


def run_program(board: str, protection: bool) -> Program:
    """Builds and runs it. UserError: it did not end as it should, and says why."""
    from takt.declare import declaration
    from takt.image import build
    from takt.observe import run
    from takt.prove import proof

    system = declaration.with_board(declaration.load(declaration.find(str(PROGRAM)), protection), board)
    proved = proof.prove(system)
    console = run.run(proved, system.duration_ns, run.DEFAULT_SEED).console
    folder = build.folder_of(system, proved.board, proved.choice.scheduler)
    code = size.count(read_text(folder / "application.map"), KERNEL)["code"]
    return Program(printed(console), sum(code.values()))


def printed(console: str) -> Figures:
    """The line of JSON of a run of the program."""
    line = re.search(r"^\{.*\}$", console, re.MULTILINE)
    if line is None:
        last = console.strip().splitlines()[-1:] or ["it printed nothing"]
        raise UserError(f"{PROGRAM.relative_to(ROOT)}: {last[0]}")
    return figures(json.loads(line[0]))


def by_operation(
    known: Reference, rows: Figures, peer: Figures, direct: Figures, protected: Figures
) -> list[dict[str, Any]]:
    """Table 3.5. `rows`, `peer`: of benchmarks/kernel, for ours and for FreeRTOS; `direct`, `protected`: of the program
    without protection and with it."""
    switch_us = next(item["us"] for item in known["table_3_5"] if item["call"] == SWITCH)
    switch = _direct(next(item for item in known["table_3_5"] if item["call"] == SWITCH), rows, direct).mean
    found = []
    for item in known["table_3_5"]:
        row, mean = item.get("row"), _direct(item, rows, direct).mean
        trap = protected[item["call"]].mean
        found.append(
            {
                "operation": item["operation"],
                "cycles": round(item["us"] * known["clock_mhz"]),
                "cycles_of_switch": round(item["us"] / switch_us, 2),
                "row": row,
                "call": item["call"],
                "differs": item.get("differs"),
                "mean": mean,
                "mean_of_switch": round(mean / switch, 2),
                "protected": trap,
                "protected_of_switch": round(trap / protected[SWITCH].mean, 2),
                "peers": {FREERTOS: peer[row].mean} if row in peer else {},
                "peer_lacks": item.get("peer_lacks"),
            }
        )
    return found


def _direct(item: Mapping[str, Any], rows: Figures, direct: Figures) -> Figure:
    """Ours without protection: as the peer's where there is such a row."""
    return rows[item["row"]] if "row" in item else direct[item["call"]]


def by_system(known: Reference, board: str, direct: Program, protected: Program) -> list[dict[str, Any]]:
    """Table 3.4, the kernels of the program, and those of `takt bench size`, as they are kept."""
    kept = size.golden()["boards"]
    for_size = kept[board]
    peer = size.CITED[FREERTOS]["full"].split(" / ")[list(kept).index(board)]
    cited = {item["system"]: item["kbytes"] * 1000 for item in known["table_3_4"]}
    cited[f"{FREERTOS}, full, for size"] = int(peer)
    ours = {
        "Takt, full, for size": for_size["full"],
        "Takt, everything, for size": for_size["everything"],
        "Takt, of table 3.5": direct.kernel_bytes,
        "Takt, of table 3.5, protected": protected.kernel_bytes,
    }
    both = ((cited, True), (ours, False))
    return [
        {"system": name, "bytes": bytes, "cited": is_cited} for some, is_cited in both for name, bytes in some.items()
    ]


def operations_table(document: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        [
            row["operation"],
            row["cycles"],
            row["mean"],
            row["protected"],
            row["peers"].get(FREERTOS),
            f"{row['cycles_of_switch']:.2f}",
            f"{row['mean_of_switch']:.2f}",
            f"{row['protected_of_switch']:.2f}",
            ratio(row["protected"], row["cycles"]),
        ]
        for row in document["operations"]
    ]
    heads = ["", "EMERALDS, cycles", "Takt", "Takt, protected", FREERTOS]
    heads += [f"{name} by its switch" for name in ("EMERALDS", "Takt", "Takt, protected")]
    title = f"Table 3.5 of seed 000, {document['board']}: guest instructions of ours"
    return Table(title, [*heads, "Takt, protected, by EMERALDS"], rows)


def sizes_table(document: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        [row["system"] + ("*" if row["cited"] else ""), row["bytes"]] for row in document["sizes"]
    ]
    return Table(f"Table 3.4 of seed 000, {document['board']}: bytes of the kernel", ["", "bytes"], rows)


def notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    operations = document["operations"]
    differs = "; ".join(f"{row['operation']}: {row['differs']}" for row in operations if row["differs"])
    reasons: dict[str, list[str]] = {}
    for row in operations:
        if row["peer_lacks"]:
            reasons.setdefault(row["peer_lacks"], []).append(row["operation"])
    lacking = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    return (
        "EMERALDS: a 68040 of 25 MHz, cited from seed 000, microseconds times 25, with protection. Cycles are not"
        " instructions: the last column is no ratio of speeds. What can be compared is the ratio of an operation to the"
        " context switch of its own system. Takt: benchmarks/seed000, preset lean, with protection and without; where"
        " FreeRTOS has the operation, without protection, both are rows of benchmarks/kernel, with the same flags.",
        f"What differs. {differs}.",
        f"What {FREERTOS} lacks. {lacking}.",
        "Table 3.4 (*: cited, kbytes as 1000): EMERALDS has 13 kbytes with protection, and all its services. Of table"
        " 3.5: what the linker keeps of kernel, base and port for benchmarks/seed000, compiled for speed. For size:"
        " kernels of `takt bench size`, without protection; full: tasks, semaphores, mutexes and mailboxes.",
    )
