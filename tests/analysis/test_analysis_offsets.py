# SPDX-License-Identifier: Apache-2.0
"""Offsets between tasks of one period in the proof, by hand and in a run. Times in ms unless a name says otherwise."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Takt
from running import only_full
from small_systems import MS, edf, fixed, responses, system, task
from takt.declare.schema.model import Process, System, Verdict
from takt.declare.service_kinds.watchdog import Watchdog
from takt.prove.analysis import analyse

ALTERNATE = """
[system]
board = "host"
offsets = {offsets}
scheduler = "{scheduler}"

[[task]]
name = "a"
period = "10 ms"
wcet = "5 ms"
deadline = "5 ms"

[[task]]
name = "b"
period = "10 ms"
wcet = "5 ms"
deadline = "5 ms"
offset = "{offset}"
"""


def two(offset: float, **more: object) -> System:
    tasks = (task("a", 2, 10, 5), task("b", 3, 10, 5, offset_ns=round(offset * MS)))
    return replace(system(*tasks), offsets=True, **more)  # type: ignore[arg-type]


def bounds(of: System) -> list[float | None]:
    return responses(analyse(of, (fixed("a", "b"),), None))


def test_tasks_of_one_period_do_not_meet() -> None:
    assert bounds(replace(two(5), offsets=False)) == [2, 5]
    assert bounds(two(5)) == [2, 3]
    assert bounds(two(1)) == [2, 4]  # a executes for 1 more when b comes
    assert bounds(two(9)) == [2, 5]  # and comes 1 after b: 1 of b, 2 of a, 2 of b
    assert bounds(two(25)) == [2, 3]  # an offset beyond the period


def test_of_other_periods_and_sporadic_tasks_nothing_is_known() -> None:
    """c comes with either of both: 1 of its own more. A sporadic task of their period keeps no distance."""
    of = two(5)
    third = task("c", 1, 20)
    assert responses(analyse(replace(of, tasks=(third, *of.tasks)), (fixed("c", "a", "b"),), None)) == [1, 3, 4]
    sporadic = replace(of.tasks[0], period_ns=None, min_interarrival_ns=10 * MS)
    assert bounds(replace(of, tasks=(sporadic, of.tasks[1]))) == [2, 5]


def test_edf_bands_do_not_use_them() -> None:
    assert responses(analyse(two(5), (edf("a", "b"),), None)) == [5, 5]


def test_a_task_that_may_start_anew_keeps_no_distance() -> None:
    assert bounds(two(5, objects=(Watchdog("guard", "b", 50 * MS, "restart", None, 0),))) == [2, 5]
    assert bounds(two(5, objects=(Watchdog("guard", "b", 50 * MS, "stop", None, 0),))) == [2, 3]
    process = Process("all", ("a",), on_fault="restart")
    assert bounds(two(5, processes=(process,), protection=True)) == [2, 5]
    assert bounds(two(5, processes=(process,))) == [2, 3]


def test_jitter_brings_them_together() -> None:
    of = two(5)
    late = replace(of.tasks[0], jitter_ns=4 * MS, deadline_ns=10 * MS)
    assert bounds(replace(of, tasks=(late, of.tasks[1]))) == [6, 4]  # a released 1 before b, with 1 of it left


def test_waits_and_offsets_both_count() -> None:
    """The lesser bound of each task: c by the jitter of b, b by its distance from a."""
    tasks = (
        task("a", 4, 20),
        task("b", 2, 20, offset_ns=10 * MS, suspension_ns=8 * MS, waits=1),
        task("c", 5, 20, offset_ns=10 * MS),
    )
    of = system(*tasks)
    bands = (fixed("a", "b", "c"),)
    assert responses(analyse(of, bands, None)) == [4, 14, 13]
    assert responses(analyse(replace(of, offsets=True), bands, None)) == [4, 10, 13]


@pytest.mark.parametrize("scheduler", ["dm", *(pytest.param(name, marks=only_full) for name in ("auto", "rm", "csd2"))])
def test_a_full_processor_is_proved_and_runs(takt: Takt, tmp_path: Path, scheduler: str) -> None:
    path = tmp_path / "system.toml"
    path.write_text(ALTERNATE.format(offsets="true", scheduler=scheduler, offset="5 ms"), encoding="utf-8")
    said = takt("check", path)
    assert said.code == 0, said.out
    assert "offsets: jobs of one period, 10 ms, are released at a 0 ns, b 5 ms" in said.out
    document = json.loads(takt("check", path, "--json").out)
    assert document["offsets"] == [["a", "b"]]
    assert [one["response_ns"] for one in document["tasks"]] == [5 * MS, 5 * MS]
    if scheduler == "auto":
        ran = takt("run", path, "--duration", "100 ms")
        assert ran.code == 0, ran.out
        assert "Within what was proved" in ran.out


@pytest.mark.parametrize(("offsets", "offset"), [("false", "5 ms"), ("true", "4999 us"), ("true", "5001 us")])
def test_without_them_it_is_refuted(takt: Takt, tmp_path: Path, offsets: str, offset: str) -> None:
    path = tmp_path / "system.toml"
    path.write_text(ALTERNATE.format(offsets=offsets, scheduler="auto", offset=offset), encoding="utf-8")
    assert takt("check", path).code == 1


def test_sensitivity_keeps_the_distance(takt: Takt, tmp_path: Path) -> None:
    """A jitter as long as what is free; with another period they meet."""
    path = tmp_path / "system.toml"
    text = ALTERNATE.format(offsets="true", scheduler="dm", offset="5 ms").replace('wcet = "5 ms"', 'wcet = "4 ms"')
    path.write_text(text, encoding="utf-8")
    limits = {one["name"]: one for one in json.loads(takt("check", path, "--json").out)["sensitivity"]["tasks"]}
    assert limits["a"]["jitter_ns_max"] == MS
    assert limits["a"]["period_ns_min"] == limits["b"]["period_ns_min"] == 10 * MS


def test_the_verdict_of_the_levels_alone_is_not_the_last_word() -> None:
    assert analyse(two(5), (fixed("a", "b"),), None, responses=False).verdict is Verdict.FEASIBLE
    late = replace(two(5), tasks=(*two(5).tasks, task("c", 6, 20, 8)))
    assert analyse(late, (fixed("a", "b", "c"),), None, responses=False).verdict is Verdict.INFEASIBLE
