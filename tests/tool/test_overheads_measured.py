# SPDX-License-Identifier: Apache-2.0
"""`takt bench overheads`: what is made of what it measures."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from takt.bench import kernel
from takt.bench import overheads as bench
from takt.declare.schema import boards
from takt.prove import overheads
from takt.support.c.benchmarks import RELEASES_MAX
from takt.support.errors import UserError

NO_GAPS = {
    f"{row}_{count}": 0
    for row in ("stays", "switches", "completes", "completes_to_released")
    for count in range(RELEASES_MAX)
}
JOBS = NO_GAPS | {
    "stays_1": 64_000,
    "switches_1": 70_000,
    "completes_0": 50_000,
    "latency_0": 60_000,
    "timer_0": 10_000,
}
JOBS |= {"interrupt_0": 64, "block_0": 64, "unblock_0": 64, "select_0": 64}
"""What a run of benchmarks/overheads may print, ns."""


def test_a_call_may_begin_and_end_the_use_of_a_budget() -> None:
    """What the release and the end of a job take more with servers is added to the longest locked section."""
    variant = bench.Variant("lean", "servers", "fixed")
    rows = JOBS | {"keys_0": 64_000 + 640}
    runs = dict.fromkeys(bench.all_runs(variant, 4, 1), rows)
    before = bench.entry(variant, 4, 1, runs, 64).instructions["lock"]
    for run in bench.plain_runs(variant.unserved, 4, 1):
        runs[run] = rows | {"stays_1": 64_000 - 6400, "completes_0": 50_000 - 3200}
    assert bench.entry(variant, 4, 1, runs, 64).instructions["lock"] - before in (157, 158)  # 150 and the margin


def test_an_interrupt_that_changes_keys_is_covered() -> None:
    """By a release and a key for each: also one with a single key."""
    variant = bench.Variant("lean", "servers", "fixed")
    for ones, all_four, key_ns in ((65_000, 68_500, 1125), (66_000, 68_500, 2000), (100, 100, 1)):
        runs = dict.fromkeys(bench.all_runs(variant, 4, 1), JOBS)
        for run in bench.shared_runs(variant, 4, 1):
            runs[run] = JOBS | {"keys_0": ones if dict(run.options)["shared"] == 1 else all_four}
        assert bench.entry(variant, 4, 1, runs, 1).instructions["key"] == bench.with_margin(key_ns, 1)


def test_a_figure_that_was_not_measured_leaves_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the kernel whose figure is missing the file keeps what it had; those of the other kernels are written."""
    rows: dict[str, int] = {}
    board = replace(boards.load("mps2-an385"), folder=tmp_path)
    kinds = (("servers", "fixed"), ("fixed", "fixed"), ("bands", "edf"))
    monkeypatch.setattr(bench, "VARIANTS", tuple(bench.Variant("standard", *kind) for kind in kinds))
    monkeypatch.setattr(bench, "SERVICE_BANDS", {})
    monkeypatch.setattr(bench.Run, "image", lambda run, board: Path(board))
    monkeypatch.setattr(bench.Run, "found", lambda run, board, image: rows)
    monkeypatch.setattr(boards, "load", lambda name: board)
    rows |= JOBS | {"instruction_ns": 10, "keys_0": 1000}
    assert bench.write("mps2-an385", 1, None, None, True) == 0
    rows |= {"stays_1": 128_000, "switches_1": 140_000, "keys_0": 0}
    with pytest.raises(UserError, match=r"kernel servers, 4 tasks: nothing was measured of key; the other figures"):
        bench.write("mps2-an385", 1, None, None, True)
    releases = {kind: overheads.read(board).entries["standard", *kind][0].instructions["release"] for kind in kinds}
    assert releases == {kinds[0]: 6720, kinds[1]: 13440, kinds[2]: 13440}  # 64 and 128 us, and the margin


def test_interrupted_it_measures_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the queue is given up, not waited for."""
    ended, begun = threading.Event(), list[bench.Run]()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            ended.set()
            super().shutdown(wait=wait)

    def found(run: bench.Run, board: str, image: Path) -> dict[str, int]:
        begun.append(run)
        if len(begun) == 1:
            raise KeyboardInterrupt
        assert ended.wait(60)
        return JOBS

    monkeypatch.setattr(bench, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(bench.Run, "image", lambda run, board: Path(board))
    monkeypatch.setattr(bench.Run, "found", found)
    with pytest.raises(KeyboardInterrupt):
        bench.measure("mps2-an385", 1)
    assert len(begun) <= 1 + kernel.WORKERS


def test_bounds_cover_every_gap() -> None:
    """A gap with several releases, or with an end too, may not be longer than its parts together."""
    rows = NO_GAPS | {"stays_1": 100, "switches_1": 130, "completes_0": 50}
    assert bench.costs(rows) == bench.Costs(release=100, switch=30, complete=50)
    assert bench.costs(rows | {"stays_2": 210}).release == 105
    assert bench.costs(rows | {"stays_0": 120}).release == 120
    assert bench.costs(rows | {"completes_1": 170}).release == 120
    assert bench.costs(rows | {"switches_3": 400}).switch == 100
    assert bench.costs(rows | {"completes_to_released_1": 190}).switch == 40


def test_figures_rise_with_the_number_of_tasks() -> None:
    entries = [overheads.Entry({"release": n}, {"mutex_pair": n}) for n in (5, 4, 6)]
    assert [item.instructions["release"] for item in bench.rising(entries)] == [5, 5, 6]
    assert [item.services["mutex_pair"] for item in bench.rising(entries)] == [5, 5, 6]


def test_the_margin_rounds_up() -> None:
    assert bench.with_margin(6400, 64) == 105
    assert bench.with_margin(6401, 64) == 106
