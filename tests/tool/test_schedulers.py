# SPDX-License-Identifier: Apache-2.0
"""From scheduler names to bands, and the searches against a plain enumeration."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from takt import analysis, compile, schedulers
from takt.analysis import Proof
from takt.errors import UserError
from takt.model import Band, Hold, Mutex, Overheads, System, Task, Verdict
from takt.schedulers import Choice

MS = 1_000_000


def system(*rows: tuple[str, int, int, int], background: int = 0, mutexes: tuple[Mutex, ...] = ()) -> System:
    """Tasks from (name, deadline ms, period ms, wcet us)."""
    tasks = [
        Task(name, wcet * 1000, period_ns=period * MS, deadline_ns=deadline * MS)
        for name, deadline, period, wcet in rows
    ]
    tasks += [Task(f"idle{index}", 0) for index in range(background)]
    return System(Path("system.toml"), "test", "host", "auto", tuple(tasks), mutexes=mutexes)


def shapes(bands: tuple[Band, ...]) -> list[tuple[str, tuple[tuple[str, ...], ...]]]:
    return [(band.kind, band.groups) for band in bands]


@pytest.fixture(autouse=True, scope="module")
def _library() -> None:
    compile.host_library()


def choose(of: System, name: str, overheads: Overheads | None = None) -> Choice:
    def judge(bands: tuple[Band, ...], cooperative: bool) -> Proof:
        return analysis.analyse(of, bands, overheads, cooperative=cooperative)

    return schedulers.choose(of, name, judge, lambda bands, cooperative: overheads)


MIXED = system(("slow", 50, 50, 100), ("tight", 5, 40, 100), ("fast", 10, 10, 100), ("also", 10, 20, 100), background=2)
IDLE = ("fixed", (("idle0", "idle1"),))


def test_rm_goes_by_period() -> None:
    bands = schedulers.plain_bands(MIXED, "rm")
    assert bands
    assert shapes(bands) == [("fixed", (("fast",), ("also",), ("tight",), ("slow",))), IDLE]


@pytest.mark.parametrize("name", ["dm", "cooperative"])
def test_dm_goes_by_deadline_then_declaration(name: str) -> None:
    bands = schedulers.plain_bands(MIXED, name)
    assert bands
    assert shapes(bands) == [("fixed", (("tight",), ("fast",), ("also",), ("slow",))), IDLE]


def test_edf_is_one_group_in_declaration_order() -> None:
    bands = schedulers.plain_bands(MIXED, "edf")
    assert bands
    assert shapes(bands) == [("edf", (("slow", "tight", "fast", "also"),)), IDLE]


def test_csd_cuts_the_deadline_ordered_list() -> None:
    bands = schedulers.csd_bands(MIXED, (1, 3))
    assert shapes(bands) == [("edf", (("tight",),)), ("edf", (("fast", "also"),)), ("fixed", (("slow",),)), IDLE]


def test_csd_candidates_are_all_cuts_fewest_in_edf_bands_first() -> None:
    four = system(*((f"t{index}", 10 + index, 10 + index, 1) for index in range(4)))
    sizes = [[len(band.tasks) for band in bands] for bands in schedulers.candidates(four, 3)]
    assert sizes == [[1, 1, 2], [1, 2, 1], [2, 1, 1]]


def test_every_band_of_csd_has_a_task() -> None:
    with pytest.raises(UserError, match="csd5 needs at least 5 tasks, one for each band; there are 4 with a deadline"):
        choose(MIXED, "csd5")


@pytest.mark.parametrize("name", ["csd1", "csd0", "csdx", "fifo", "EDF", "csd100"])
def test_unknown_name(name: str) -> None:
    with pytest.raises(UserError, match=f'no scheduler "{name}"'):
        choose(MIXED, name)


def test_auto_prefers_dm() -> None:
    assert choose(MIXED, "auto").scheduler == "dm"


# U = 0.98, and b cannot wait for two jobs of a: refuted under dm, proved by csd2 and edf.
HOSTILE = system(("a", 10, 10, 5000), ("b", 14, 14, 6000), ("c", 95, 100, 5000))


def test_auto_takes_csd2_where_dm_fails() -> None:
    assert choose(HOSTILE, "dm").proof.verdict is Verdict.INFEASIBLE
    found = choose(HOSTILE, "auto")
    assert found.scheduler == "csd2"
    assert found.proof.verdict is Verdict.FEASIBLE


def test_auto_takes_edf_where_all_else_fails() -> None:
    pair = system(("a", 10, 10, 5000), ("b", 14, 14, 7000))
    assert choose(pair, "csd").proof.verdict is Verdict.INFEASIBLE
    assert choose(pair, "auto").scheduler == "edf"


def test_auto_shows_edf_when_nothing_proves() -> None:
    found = choose(system(("a", 10, 10, 6000), ("b", 14, 14, 7000)), "auto")
    assert (found.scheduler, found.proof.verdict) == ("edf", Verdict.INFEASIBLE)


def test_auto_of_background_tasks_only() -> None:
    found = choose(system(background=2), "auto")
    assert (found.scheduler, shapes(found.bands)) == ("dm", [IDLE])


@pytest.mark.parametrize("name", ["auto", "csd", "csd2", "csd3", "edf"])
def test_undecided_is_never_taken_for_an_answer(name: str) -> None:
    overloaded = system(("a", 10, 10, 6000), ("b", 14, 14, 7000), ("c", 20, 20, 1000))

    def judge(bands: tuple[Band, ...], cooperative: bool) -> Proof:
        proof = analysis.analyse(overloaded, bands, None, cooperative=cooperative)
        return replace(proof, verdict=Verdict.UNDECIDED) if bands[0].kind == "edf" else proof

    assert schedulers.choose(overloaded, name, judge).proof.verdict is Verdict.UNDECIDED


def test_a_search_goes_on_after_an_undecided_list() -> None:
    def judge(bands: tuple[Band, ...], cooperative: bool) -> Proof:
        proof = analysis.analyse(MIXED, bands, None, cooperative=cooperative)
        return replace(proof, verdict=Verdict.UNDECIDED) if len(bands[0].tasks) == 1 else proof

    found = schedulers.choose(MIXED, "csd2", judge)
    assert (len(found.bands[0].tasks), found.proof.verdict) == (2, Verdict.FEASIBLE)


def overheads(edf_ns: int, fixed_ns: int) -> Overheads:
    by_kind = {"fixed": fixed_ns, "edf": edf_ns}
    return Overheads("host", "standard", "bands", 32, 0, 0, 0, by_kind, by_kind, by_kind)


def test_measured_overheads_decide() -> None:
    assert choose(MIXED, "auto", overheads(2000, 1000)).scheduler == "dm"
    assert choose(MIXED, "auto", overheads(1000, 2000)).scheduler == "edf"
    found = choose(MIXED, "csd", overheads(1000, 2000))
    assert [len(band.tasks) for band in found.bands] == [3, 1, 2]


def random_system(generator: random.Random) -> System:
    rows = []
    for index in range(generator.randint(3, 6)):
        period = generator.randint(4, 40)
        deadline = period if generator.random() < 0.5 else generator.randint(max(3, period // 2), period)
        rows.append((f"t{index}", deadline, period, generator.randint(200, max(300, period * 1000 // 4))))
    users = tuple(Hold(name, generator.randint(1, 150_000)) for name, *_ in rows if generator.random() < 0.4)
    return system(*rows, mutexes=(Mutex("m", users),) if users and generator.random() < 0.5 else ())


def exhaustive(of: System, number: int) -> tuple[Band, ...] | None:
    """The first list of bands that proves, every one tried."""
    for bands in schedulers.candidates(of, number):
        if analysis.analyse(of, bands, None).verdict is Verdict.FEASIBLE:
            return bands
    return None


@pytest.mark.parametrize("seed", range(150))
def test_search_finds_what_enumeration_finds(seed: int) -> None:
    of = random_system(random.Random(seed))
    for number in (2, 3, 4):
        if len(of.tasks) < number:
            continue
        expected = exhaustive(of, number)
        found = choose(of, f"csd{number}")
        assert (found.bands if found.proof.verdict is Verdict.FEASIBLE else None) == expected, f"seed {seed}"


def test_seventeen_tasks_are_quick() -> None:
    judged = 0
    generator = random.Random(7)
    periods = [5 + 6 * index for index in range(17)]
    of = system(*((f"t{index}", p, p, p * generator.randint(50, 66)) for index, p in enumerate(periods)))

    def judge(bands: tuple[Band, ...], cooperative: bool) -> Proof:
        nonlocal judged
        judged += 1
        return analysis.analyse(of, bands, None, cooperative=cooperative)

    for name in ("csd3", "csd9", "auto", "csd"):
        schedulers.choose(of, name, judge)
    assert judged < 500
