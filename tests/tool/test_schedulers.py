# SPDX-License-Identifier: Apache-2.0
"""From scheduler names to bands, and csd against a plain enumeration. All lists: test_search.py."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest
from takt.declare.schema.model import Band, Overheads, System, Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.prove import analysis, band_costs, choose, schedulers
from takt.prove.choose import Choice, Prover
from takt.support import compile
from takt.support.errors import UserError

MS = 1_000_000


def system(*rows: tuple[str, int, int, int], background: int = 0, mutexes: tuple[Mutex, ...] = ()) -> System:
    """Tasks from (name, deadline ms, period ms, wcet us)."""
    tasks = [
        Task(name, wcet * 1000, period_ns=period * MS, deadline_ns=deadline * MS)
        for name, deadline, period, wcet in rows
    ]
    tasks += [Task(f"idle{index}", 0) for index in range(background)]
    return System(Path("system.toml"), "test", "host", "auto", tuple(tasks), objects=mutexes)


def shapes(bands: tuple[Band, ...]) -> list[tuple[str, tuple[tuple[str, ...], ...]]]:
    return [(band.kind, band.groups) for band in bands]


@pytest.fixture(autouse=True, scope="module")
def _library() -> None:
    compile.host_library()


def chosen(of: System, name: str, overheads: Overheads | None = None) -> Choice:
    return choose.choose(Prover(of, lambda bands, cooperative: overheads), name)


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


def test_every_band_of_csd_has_a_task() -> None:
    with pytest.raises(UserError, match="csd5 needs at least 5 tasks, one for each band; there are 4 with a deadline"):
        chosen(MIXED, "csd5")


@pytest.mark.parametrize("name", ["csd1", "csd0", "csdx", "fifo", "EDF", "csd100"])
def test_unknown_name(name: str) -> None:
    with pytest.raises(UserError, match=f'no scheduler "{name}"'):
        chosen(MIXED, name)


def test_auto_prefers_dm() -> None:
    assert chosen(MIXED, "auto").scheduler == "dm"


# U = 0.98, and b cannot wait for two jobs of a: refuted under dm, proved by csd2 and edf.
HOSTILE = system(("a", 10, 10, 5000), ("b", 14, 14, 6000), ("c", 95, 100, 5000))


def test_auto_takes_csd2_where_dm_fails() -> None:
    assert chosen(HOSTILE, "dm").proof.verdict is Verdict.INFEASIBLE
    found = chosen(HOSTILE, "auto")
    assert found.scheduler == "csd2"
    assert found.proof.verdict is Verdict.FEASIBLE


def test_auto_takes_edf_where_all_else_fails() -> None:
    pair = system(("a", 10, 10, 5000), ("b", 14, 14, 7000))
    assert chosen(pair, "csd").proof.verdict is Verdict.INFEASIBLE
    assert chosen(pair, "auto").scheduler == "edf"


def test_auto_shows_edf_when_nothing_proves() -> None:
    found = chosen(system(("a", 10, 10, 6000), ("b", 14, 14, 7000)), "auto")
    assert (found.scheduler, found.proof.verdict) == ("edf", Verdict.INFEASIBLE)


def test_auto_of_background_tasks_only() -> None:
    found = chosen(system(background=2), "auto")
    assert (found.scheduler, shapes(found.bands)) == ("dm", [IDLE])


@pytest.fixture
def no_cycle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hyperperiods decide nothing, as if they were too long."""
    for module in (analysis, band_costs):
        monkeypatch.setattr(module, "CYCLE_JOBS", 0)


@pytest.mark.usefixtures("no_cycle")
@pytest.mark.parametrize("name", ["auto", "csd", "csd2", "csd3", "edf"])
def test_undecided_is_never_taken_for_an_answer(name: str) -> None:
    """At a load of 1 an edf band is decided by its busy period, for which these iterations are too few."""
    full = system(("a", 10, 10, 5000), ("b", 14, 14, 6000), ("c", 140, 140, 10000))
    assert choose.choose(Prover(full), "edf").proved
    found = choose.choose(Prover(full, iterations=1), name)
    assert found.proof.verdict is Verdict.UNDECIDED


@pytest.mark.usefixtures("no_cycle")
def test_a_search_goes_on_after_an_undecided_list() -> None:
    """Two iterations are not enough for the fixed band, but for the edf band."""
    found = choose.choose(Prover(HOSTILE, iterations=2), "auto")
    assert (found.scheduler, found.proof.verdict) == ("edf", Verdict.FEASIBLE)


def overheads(edf_ns: int, fixed_ns: int) -> Overheads:
    by_kind = {"fixed": fixed_ns, "edf": edf_ns}
    return Overheads("host", "standard", "bands", 32, 0, 0, 0, by_kind, by_kind, by_kind)


def test_measured_overheads_decide() -> None:
    assert chosen(MIXED, "auto", overheads(2000, 1000)).scheduler == "dm"
    assert chosen(MIXED, "auto", overheads(1000, 2000)).scheduler == "edf"
    found = chosen(MIXED, "csd", overheads(1000, 2000))
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
    """The first list of bands that proves, every one tried: fewest in edf bands, then the shortest upper bands."""
    count = len(schedulers.by_deadline(of))
    for cuts in sorted(combinations(range(1, count), number - 1), key=lambda cuts: (cuts[-1], cuts)):
        bands = schedulers.csd_bands(of, cuts)
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
        found = chosen(of, f"csd{number}")
        assert (found.bands if found.proof.verdict is Verdict.FEASIBLE else None) == expected, f"seed {seed}"


def test_seventeen_tasks_are_quick() -> None:
    generator = random.Random(7)
    periods = [5 + 6 * index for index in range(17)]
    of = system(*((f"t{index}", p, p, p * generator.randint(50, 66)) for index, p in enumerate(periods)))
    assert sum(chosen(of, name).tried for name in ("csd3", "csd9", "auto", "csd")) < 500
