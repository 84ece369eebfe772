# SPDX-License-Identifier: Apache-2.0
"""Blocking by mutexes with inheritance, by hand: of each lower task one section, or of each mutex as many as there are
locks that can wait, whichever is less. Times in ms.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from small_systems import MS, edf, fixed, responses, system, task
from takt.declare.declaration import load
from takt.declare.schema.model import Band, System
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.declare.service_kinds.watchdog import Watchdog
from takt.prove import proof
from takt.prove.analysis import analyse


def first(of: System, *bands: Band) -> float | None:
    return responses(analyse(of, bands or (fixed(*(one.name for one in of.tasks)),), None))[0]


def once(task: str, ms: int, *within: str) -> Hold:
    return Hold(task, ms * MS, within, locks=1)


def shared(period: float = 20, locks: int | None = 1) -> System:
    """h waits for l1 or for l2."""
    users = (Hold("h", MS, locks=locks), once("l1", 3), once("l2", 4))
    tasks = (task("h", 1, period, period), task("l1", 3, 100), task("l2", 4, 100))
    return system(*tasks, objects=(Mutex("m", users),))


@pytest.mark.parametrize("protocol", ["inherit", "ceiling"])
def test_a_lock_waits_for_one_section(protocol: str) -> None:
    """1 and the longer of both sections; for l1 that of l2, and for l2 none."""
    of = replace(shared(), objects=(replace(shared().objects[0], protocol=protocol),))
    assert responses(analyse(of, (fixed("h", "l1", "l2"),), None)) == [5, 8, 8]
    assert responses(analyse(of, (edf("h", "l1", "l2"),), None)) == [5, 8, 8]


def test_each_lock_may_wait_for_another_section() -> None:
    assert first(shared(locks=2)) == 1 + 3 + 4
    assert first(shared(locks=None)) == 1 + 3 + 4
    assert first(shared(locks=3)) == 1 + 3 + 4


@pytest.mark.parametrize(("period", "expected"), [(5, 5), (4.9, 8)])
def test_so_may_each_job_of_the_busy_period(period: float, expected: float) -> None:
    """With one job it ends after 5. If another comes before, both may wait; by the kernel's order: l1 holds m, l2 waits
    for it, h comes, l1 unlocks, h locks and unlocks, and hands m to l2."""
    assert first(shared(period)) == expected


def in_turn(of: System) -> System:
    return replace(of, objects=tuple(replace(one, waiters="fifo") for one in of.objects))


@pytest.mark.parametrize("locks", [1, 2, None])
def test_in_fifo_order_a_lock_waits_for_all_below(locks: int | None) -> None:
    """l1 waits for l2, and then h comes. h's own section, for which l1 and l2 may wait, is in its wcet."""
    of = in_turn(shared(locks=locks))
    assert responses(analyse(of, (fixed("h", "l1", "l2"),), None)) == [1 + 3 + 4, 1 + 3 + 4, 8]
    assert responses(analyse(of, (edf("h", "l1", "l2"),), None)) == [1 + 3 + 4, 1 + 3 + 4, 8]


def test_fifo_order_of_a_mutex_that_nobody_urgent_locks() -> None:
    """Its sections block nobody; those of another count by its locks."""
    mutexes = (
        Mutex("a", (once("h", 1), once("l1", 2), once("l2", 2))),
        Mutex("b", (once("l1", 3), once("l2", 9)), waiters="fifo"),
    )
    of = system(task("h", 1, 50), task("l1", 5, 100), task("l2", 11, 100), objects=mutexes)
    assert first(of) == 1 + 2


def test_of_fifo_and_other_mutexes_the_least() -> None:
    """Of l1 and l2 one section each on b, in FIFO order, and one of a, which h locks once."""
    mutexes = (
        Mutex("a", (once("h", 1), once("l1", 2), once("l2", 2))),
        Mutex("b", (once("h", 1), once("l1", 1), once("l2", 1)), waiters="fifo"),
    )
    of = system(task("h", 2, 50), task("l1", 3, 100), task("l2", 3, 100), objects=mutexes)
    assert first(of) == 2 + min(2 + 1 + 1, 2 + 2)


def test_of_two_mutexes_one_section_each() -> None:
    """Three lower tasks with a section of both: of each task one is 3 * 2, of each mutex one is 2 * 2."""
    lower = [task(f"l{i}", 5, 100) for i in range(3)]
    users = (once("h", 1), *(once(one.name, 2) for one in lower))
    of = system(task("h", 1, 50), *lower, objects=(Mutex("a", users), Mutex("b", users)))
    assert first(of) == 1 + 4


@pytest.mark.parametrize("ceilings", [{"c": ("h", "l1"), "d": ("h", "l2")}, {"c": ("h", "l1", "l2")}])
def test_of_all_mutexes_with_ceilings_one_section(ceilings: dict[str, tuple[str, ...]]) -> None:
    """h waits once for a, for a section of 4, and for one of 3 under a ceiling: of both tasks below one section each
    would be 4 + 4."""
    locks = 2 // len(ceilings)
    mutexes = [Mutex("a", (once("h", 1), once("l1", 4), once("l2", 4)))]
    for name, users in ceilings.items():
        below = (once(user, 3) for user in users if user != "h")
        mutexes.append(Mutex(name, (Hold("h", MS, locks=locks), *below), protocol="ceiling"))
    of = system(task("h", 3, 50), task("l1", 7, 100), task("l2", 7, 100), objects=tuple(mutexes))
    assert first(of) == 3 + 4 + 3
    late = replace(of.tasks[2], jitter_ns=MS)  # then more than one may be open: 4 + 3 + 3 is no less than 4 + 4
    assert first(replace(of, tasks=(*of.tasks[:2], late)), edf("h", "l1", "l2")) == 3 + 4 + 4


def test_a_ceiling_that_nobody_urgent_locks_blocks_nobody() -> None:
    mutexes = (
        Mutex("a", (once("h", 1), once("l1", 4), once("l2", 4))),
        Mutex("c", (once("l1", 3), once("l2", 3)), protocol="ceiling"),
    )
    of = system(task("h", 1, 50), task("l1", 7, 100), task("l2", 7, 100), objects=mutexes)
    assert first(of) == 1 + 4


def test_a_mutex_that_nobody_urgent_locks_blocks_nobody() -> None:
    """Of l1's sections h waits for that of a; it uses b after it."""
    mutexes = (
        Mutex("a", (once("h", 1), once("l1", 2))),
        Mutex("b", (once("l1", 2), once("l2", 9))),
    )
    of = system(task("h", 1, 50), task("l1", 5, 100), task("l2", 9, 100), objects=mutexes)
    assert first(of) == 1 + 2


@pytest.mark.parametrize("locks", [1, 2])
def test_a_section_within_waits_for_all_below(locks: int) -> None:
    """l1 locks b while h waits for it at a: l2 may have b then, and l3 before it while h did not wait."""
    mutexes = (
        Mutex("a", (Hold("h", MS, locks=locks), once("l1", 3))),
        Mutex("b", (once("l1", 1, "a"), once("l2", 2), once("l3", 4))),
    )
    lower = (task("l1", 3, 100), task("l2", 3, 100), task("l3", 4, 100))
    of = system(task("h", 1, 50), *lower, objects=mutexes)
    assert first(of) == 1 + 3 + 2 + 4


def test_of_a_task_that_waits_nothing_is_known() -> None:
    """Nor of one that may start anew within a period: of each lower task one section."""
    of = shared()
    waits = system(replace(of.tasks[0], waits=1, suspension_ns=MS), *of.tasks[1:], objects=of.objects)
    assert first(waits) == 1 + 1 + (3 + 4) + (1 + 3 + 4)  # after the wait everybody may be in a section
    guard = Watchdog("guard", "h", 500 * MS, "restart", None, 0)
    assert first(replace(of, objects=(*of.objects, guard))) == 1 + 3 + 4


@pytest.mark.parametrize("scheduler", ["auto", "dm", "edf", "csd2"])
def test_searches_find_it(tmp_path: Path, scheduler: str) -> None:
    text = f"""
[system]
board = "host"
scheduler = "{scheduler}"

[[mutex]]
name = "m"
users = [
    {{task = "h", hold = "1 ms", locks = 1}},
    {{task = "l1", hold = "4 ms", locks = 1}},
    {{task = "l2", hold = "4 ms", locks = 1}},
]
"""
    for name, period, deadline, wcet in (("h", 20, 7, 2), ("l1", 100, 90, 4), ("l2", 100, 90, 4)):
        times = f'period = "{period} ms"\ndeadline = "{deadline} ms"\nwcet = "{wcet} ms"'
        text += f'\n[[task]]\nname = "{name}"\n{times}\n'
    (tmp_path / "system.toml").write_text(text, encoding="utf-8")
    proved = proof.prove(load(tmp_path / "system.toml"), left_out=True)
    assert proved.feasible
    assert proved.responses_ns == {"h": 6 * MS, "l1": 10 * MS, "l2": 10 * MS}
    cheapest = {"auto": ("dm", [3]), "csd2": ("csd2", [1, 2])}.get(scheduler, (scheduler, [3]))
    assert (proved.choice.scheduler, [len(band.tasks) for band in proved.bands]) == cheapest
