# SPDX-License-Identifier: Apache-2.0
"""The kernel's tables of docs/performance.md, from the reviewed figures (benchmarks/golden) and the cited ones."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from takt.bench import kernel
from takt.bench.kernel import BANDS, FREERTOS, FREERTOS_TRACED, Golden, Plan
from takt.support.files import read_text
from takt.support.tables import Cell, Table, ratio

FEW, MANY = min(kernel.TASKS), max(kernel.TASKS)
CITED = ("ThreadX", "Zephyr", "ChibiOS")
LINES = kernel.FOLDER.parent / "reference" / "kernel-lines.toml"
LINE = "line"
WAITS = ("interrupt_latency", "locked_section")

Peers = dict[str, dict[str, dict[str, float]]]
"""Means by kernel, situation and operation."""


def measure_peers(board: str) -> Peers:
    """What the kernels take that are measured with ours, in as few repetitions as the reviewed figures."""
    plan = Plan(board, BANDS[:1], (FEW, MANY), kernel.PRESETS[:1], kernel.golden_plan(board).repeats, sweep=frozenset())
    found: Peers = {}
    for row in kernel.measure(plan):
        for name, mean in row.peers.items():
            found.setdefault(name, {}).setdefault(situation(row.band, row.tasks), {})[row.operation] = mean
    return found


def situation(band: str, tasks: int) -> str:
    """As kernel.golden names it."""
    return f"{band}, {tasks} others"


def lines(board: str) -> dict[str, dict[str, int]]:
    """What every operation should stay within, as if it were a kernel."""
    document: dict[str, dict[str, int]] = tomllib.loads(read_text(LINES))
    return {LINE: document[board]}


def peers_table(board: str, golden: Golden, measured: Peers) -> str:
    """Fixed bands, few other tasks: ours, the peers measured and cited, and the line."""
    where = situation(BANDS[0], FEW)
    cited = {**kernel.reference(board), **lines(board)}
    names = [name for name in CITED if name in cited]
    bare, traced = (measured[name][where] for name in kernel.PEERS)
    rows: list[list[Cell]] = []
    for operation, (mean, most, standard, *_) in golden[where].items():
        known = kernel.citations(cited, operation, FEW)
        ours = kernel.number(mean)
        cells: list[Cell] = [operation, f"**{ours}**" if mean > known.get(LINE, mean) else ours, most]
        cells += [bare.get(operation), ratio(mean, bare.get(operation))]
        cells += [standard, traced.get(operation), ratio(standard, traced.get(operation))]
        rows.append([*cells, *(known.get(name) for name in (*names, LINE))])
    heads = ["", "Takt", "max", FREERTOS, "ratio", "standard", FREERTOS_TRACED, "ratio"]
    title = f"Guest instructions on {board}, fixed bands, {FEW} other tasks"
    return Table(title, [*heads, *(f"{name}*" for name in names), LINE], rows).markdown()


def _comparisons(board: str, golden: Golden, measured: Peers) -> Iterator[tuple[str, float, dict[str, float]]]:
    """Every operation with few tasks, and those that are cited with many tasks: our figures beside the published
    ones."""
    cited = {**kernel.reference(board), **lines(board)}
    cited.pop(FREERTOS)  # measured here
    for tasks in (FEW, MANY):
        where = situation(BANDS[0], tasks)
        for operation, (mean, *_) in golden[where].items():
            own = any(f"{operation}_{tasks}" in rows for rows in cited.values())
            if tasks == FEW or own:
                bare = measured[FREERTOS][where]
                others: dict[str, float] = {FREERTOS: bare[operation]} if operation in bare else {}
                others |= kernel.citations(cited, operation, tasks)
                yield f"`{operation}`" + (f" with {tasks} others" if own else ""), mean, others


def verdict(board: str, golden: Golden, measured: Peers) -> str:
    """Which rows miss their line, and which a peer does in fewer instructions."""
    over, beaten = [], []
    for name, mean, others in _comparisons(board, golden, measured):
        ours, line = kernel.number(mean), others.pop(LINE, mean)
        if mean > line:
            over.append(f"{name} ({ours}, line {kernel.number(line)})")
        better = [f"{peer} {kernel.number(value)}" for peer, value in others.items() if value < mean]
        if better:
            beaten.append(f"{name} ({ours}, {', '.join(better)})")
    said = {"Above the line": over, "A peer needs fewer": beaten}
    said |= {f"{peer} needs fewer than `standard`": _better(peer, golden, measured) for peer in kernel.PEERS}
    return "\n".join(f"- {head}: {', '.join(rows) or 'none'}." for head, rows in said.items())


def _better(peer: str, golden: Golden, measured: Peers) -> list[str]:
    """The operations with few tasks that a peer does in fewer instructions than preset standard."""
    where = situation(BANDS[0], FEW)
    both = [(name, golden[where][name][2], value) for name, value in measured[peer][where].items()]
    return [f"`{name}` ({kernel.number(ours)}, {kernel.number(value)})" for name, ours, value in both if value < ours]


def bands_table(board: str, golden: Golden) -> str:
    """Preset lean, mean: every kind of band with few and with many other tasks."""
    columns = [(band, tasks) for band in BANDS for tasks in (FEW, MANY)]
    rows: list[list[Cell]] = []
    for operation in dict.fromkeys(name for where in golden.values() for name in where if name not in WAITS):
        values = [golden[situation(*column)].get(operation) for column in columns]
        rows.append([operation, *(None if value is None else value[0] for value in values)])
    title = f"Guest instructions on {board}, by kind of band and number of other tasks"
    return Table(title, ["", *(f"{band}, {tasks}" for band, tasks in columns)], rows).markdown()


def waits_table(goldens: dict[str, Golden]) -> str:
    """How long interrupts wait in fixed bands with many other tasks."""
    heads: list[str] = [""]
    cells: list[list[Cell]] = [["latency that the kernel adds, mean / worst"], ["longest locked section"]]
    for board, golden in goldens.items():
        figures = golden[situation(BANDS[0], MANY)]
        heads.append(board)
        latency, section = (figures[name] for name in WAITS)
        cells[0].append(f"{kernel.number(latency[0])} / {kernel.number(latency[1])}")
        cells[1].append(section[1])
    return Table(f"Guest instructions in fixed bands with {MANY} other tasks", heads, cells).markdown()
