# SPDX-License-Identifier: Apache-2.0
"""The kernels of benchmarks/rtm: the seed's workload runs on them, and every cycle of theirs is in a category."""

from __future__ import annotations

import functools
import statistics
import struct
from dataclasses import replace
from typing import Any

import pytest
from command_line import documented
from running import FULL
from takt.bench.documents import results
from takt.bench.studies import rtm, rtm_kernels, rtm_runs
from takt.bench.studies.rtm import CATEGORIES
from takt.bench.studies.rtm_runs import Run, Seen
from takt.observe import cycles

SHORT = Run("classic", "software", "adpcm decode", 2, 1, 1, 400)
PERIODS = 8  # of a frame in 160 ms
only_full = pytest.mark.skipif(not FULL, reason="another simulator is built, and several runs: takt test --full")


def test_what_a_run_tells_is_read() -> None:
    period = rtm_runs.FRAME_NS
    outputs = [period, 2 * period + 30, 3 * period + 10]
    words = [160_000_000, 1, 3, 2, 700, 900, len(outputs), *outputs, 0xD16E57]
    data = struct.pack(f"<{len(words)}I", *words)
    span, late, responses, jitter = rtm_runs.figures_of(data)
    assert (span, late, responses) == (160_000_000, 3, [700, 900])
    assert jitter == [30, 20]
    assert rtm_runs.digests(data) == (0xD16E57,)


def test_cycles_are_counted_once_and_by_function() -> None:
    functions = [
        cycles.Function("classic_tick", 100, 50),
        cycles.Function("classic_tick.part.0", 20, 10),
        cycles.Function("classic_tickle", 7, 7),
        cycles.Function("nos_tick", 9, 9),
        cycles.Function("memset", 1000, 500),
    ]
    counted = rtm_kernels.categories("classic", cycles.Cycles(2000, 0, 900, tuple(functions)))
    assert counted["tick"] == 120
    assert sum(counted.values()) == 120
    share = Seen(20_000, 0, [], [], counted).utilization["tick"]
    assert share == pytest.approx(100 * 120 / 1000)  # 20 us have 1000 cycles


@pytest.mark.parametrize("kernel", rtm.KERNELS)
def test_a_function_is_in_one_category(kernel: str) -> None:
    names = [name for some in CATEGORIES[kernel].values() for name in some]
    names += [*rtm_kernels.IDLE[kernel], *rtm_kernels.START[kernel], *rtm_kernels.OTHER_CASES[kernel]]
    assert len(set(names)) == len(names)


ALL = [(kernel, kind) for kernel, kinds in rtm_kernels.KINDS_OF.items() for kind in kinds]


@pytest.mark.parametrize(("kernel", "kind"), ALL if FULL else [pair for pair in ALL if pair == ("takt", "software")])
def test_every_function_of_a_kernel_is_known(kernel: str, kind: str) -> None:
    """Those that are linked: counted, idle, before the tasks, or for other cases, and then nothing must call it."""
    image = rtm_runs.workload(kernel, kind, SHORT.tick_us)
    ours = rtm_kernels.functions(image)
    assert {"kernel_signal", "rtm_vectors" if kernel != "takt" else "takt_rv32_vectors"} <= ours
    assert not ours & {"main", "output_step", "memcpy", "takt_board_exit"}
    other = {rtm_kernels.function_of(name) for name in rtm_kernels.unknown(kernel, image)}
    assert other <= {*rtm_kernels.OTHER_CASES[kernel]}


def rows(ticks: dict[int, int], kernel: str = "classic", category: str = "tick") -> list[dict[str, Any]]:
    """Of a kernel in software, by channels: cycles of its ticks in 160 ms."""
    return [
        rtm.row(
            replace(SHORT, kernel=kernel, channels=channels),
            [Seen(160_000_000, 0, [900, 700, 800], [30], {**dict.fromkeys(CATEGORIES[kernel], 0), category: count})],
        )
        for channels, count in ticks.items()
    ]


def test_what_a_channel_adds_to_a_tick() -> None:
    """400 ticks, each of which takes 60 cycles for each channel and 100 besides."""
    found = rows({2: 400 * 220, 12: 400 * 820})
    assert rtm.tick_cycles(found, SHORT.tick_us) == pytest.approx(60, abs=0.1)
    assert rtm.tick_cycles(found[:1], SHORT.tick_us) is None
    assert (found[0]["response_median_ns"], found[0]["response_max_ns"]) == (800, 900)
    assert found[0]["kernel_percent"] == found[0]["categories"]["tick"] == 1.1


def test_keys_are_documented() -> None:
    found = rtm.document("adpcm decode", 1, 1, SHORT.tick_us, rows({2: 1, 3: 2}))
    assert {*found, *(f"rows[].{name}" for name in found["rows"][0])} == documented("bench rtm")
    assert "adpcm decode" in rtm.notes(found)[0]
    assert len(rtm.table(found, "classic").rows) == 2


def test_changes_are_those_with_the_most_channels() -> None:
    """Of two numbers of channels, with the task manager a tenth of the cycles; NOS is the same with it."""
    software = rows({2: 1000, 12: 4000})
    manager = [{**one, "manager": True} for one in rows({2: 1000, 12: 400})]
    nos = [{**one, "kernel": "nos", "manager": kind} for one in software for kind in (False, True)]
    found = rtm.document("adpcm decode", 1, 2, SHORT.tick_us, [*software, *manager, *nos])
    table = rtm.changes(found)
    assert len(table.rows) == len(rtm.reference()["claim"])
    lines = {(row[0], row[1]): row[2:] for row in table.rows}
    assert lines["classic", "tick"] == ["-98", "-90"]
    assert lines["nos", "most jitter"] == ["-61", "+0"]
    assert lines["classic", "ipc"] == ["-14", None]  # there was none
    short = rtm.changes({**found, "simulated_ms": rtm_runs.HYPERPERIOD_MS})
    assert [row[3] for row in short.rows if row[1] == "most jitter"] == [None, None]


def test_all_kernels_stand_beside_the_classical_one() -> None:
    classic, other = rows({2: 1000, 12: 4000}), rows({2: 1000, 12: 1000}, "takt", "jobs")
    found = rtm.document("adpcm decode", 1, 1, SHORT.tick_us, [*classic, *other])
    assert [row[:4] for row in rtm.beside(found).rows] == [
        ["classic", "software", "0.05", "+0"],
        ["takt", "software", "0.01", "-75"],
    ]
    alone = rtm.document("adpcm decode", 1, 1, SHORT.tick_us, other)
    assert [row[3] for row in rtm.beside(alone).rows] == [None]
    assert len(rtm.tables(alone)) == 2  # nothing that the task manager could have changed
    assert len(rtm.tables(found)) == 3
    assert alone["tick_cycles_per_channel"] is None


def test_a_channel_costs_about_what_the_seed_says() -> None:
    """Within a factor of two."""
    seed = rtm.reference()["tick_cycles_per_channel"]
    assert seed / 2 < results("rtm")["tick_cycles_per_channel"] < seed * 2


@functools.cache
def check(run: Run) -> Seen:
    seen = rtm_runs.execute(run)
    assert seen.late == 0
    assert abs(seen.span_ns - rtm_runs.HYPERPERIOD_MS * 1_000_000) < 100_000  # time does not drift
    assert len(seen.jitter) == run.channels * (PERIODS - 2)
    assert max(seen.jitter) < 50_000  # what is processed does not matter
    assert 5 < len(seen.responses) < 40  # 16 are expected
    assert all(0 < one < 1_000_000 for one in seen.responses)
    assert statistics.median(seen.responses) < 20_000  # whom an interrupt wakes runs at its end
    assert all(count > 0 for name, count in seen.counted.items() if name != "other")
    assert seen.uncounted == {}  # what is in no category is the workload's, or idle
    assert len(seen.digests) == run.channels
    assert 0 not in seen.digests
    return seen


@only_full
@pytest.mark.parametrize(("kernel", "kind"), [("takt", "software"), ("takt", "manager")])
def test_kernels_put_out_the_same(kernel: str, kind: str) -> None:
    """Each has processed the frames in time, and nobody's cycles are counted nowhere."""
    ours, peers = check(replace(SHORT, kernel=kernel, kind=kind)), check(replace(SHORT, kernel="freertos"))
    assert ours.digests == peers.digests
    assert ours.utilization["timer interrupt"] < peers.utilization["timer interrupt"] / 10  # there is no tick


@pytest.mark.parametrize("kind", rtm.KINDS)
def test_an_interrupt_reaches_its_task_in_240_cycles(kind: str) -> None:
    """The processor sleeps; the request, the workload's handler, and the task up to its output are counted."""
    cycles_of = [one / rtm_runs.CYCLE_NS for one in check(replace(SHORT, kernel="takt", kind=kind)).responses]
    assert statistics.median(cycles_of) <= 240
    assert max(cycles_of) < 400  # another task runs: its registers are saved


def test_a_job_on_the_task_manager_takes_350_cycles() -> None:
    """From its release to its end, without switches: 167 (docs/hardware.md), and the first of each task takes more."""
    jobs = 2 * SHORT.channels * PERIODS + rtm_runs.HYPERPERIOD_MS // 32
    assert check(replace(SHORT, kernel="takt", kind="manager")).counted["jobs"] / jobs <= 350


@only_full
def test_the_classical_kernel_runs_the_workload() -> None:
    seen = check(SHORT)
    tasks = 2 * SHORT.channels + 3
    per_tick = seen.counted["tick"] / (rtm_runs.HYPERPERIOD_MS * 1000 / SHORT.tick_us)
    assert 10 * tasks < per_tick < 30 * tasks  # each control block is looked at


@only_full
@pytest.mark.parametrize(
    ("kernel", "kind"), [("classic", "manager"), ("nos", "software"), ("nos", "manager"), ("freertos", "manager")]
)
def test_the_others_run_it_too(kernel: str, kind: str) -> None:
    seen = check(replace(SHORT, kernel=kernel, kind=kind))
    assert seen.digests == check(SHORT).digests == check(replace(SHORT, kernel="freertos")).digests
    if kernel == "classic":
        per_tick = seen.counted["tick"] / (rtm_runs.HYPERPERIOD_MS * 1000 / SHORT.tick_us)
        assert per_tick < 10  # one store
    if kernel == "freertos":  # no list is sorted when a task is delayed
        software = check(replace(SHORT, kernel="freertos"))
        assert seen.counted["other"] < software.counted["other"]


@only_full
def test_figures_that_are_kept_are_measured_again() -> None:
    """To the cycle."""
    kept = results("rtm")
    run = Run("classic", "software", kept["codec"], rtm.CHANNELS[0], 1, rtm.PERIODS, kept["tick_us"])
    seeds = [replace(run, seed=seed) for seed in range(1, kept["seeds"] + 1)]
    assert rtm.row(run, [rtm_runs.execute(one) for one in seeds]) == kept["rows"][0]
