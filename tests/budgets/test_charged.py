# SPDX-License-Identifier: Apache-2.0
"""What a proof charges for budgets, by bounds worked out by hand, and which orders of locks it refutes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from takt.declare import lock_order
from takt.declare.schema import boards
from takt.declare.schema.model import Overheads, System, Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.declare.service_kinds.state_copies import Read, State
from takt.prove import analysis, budgets, schedulers
from takt.support import compile

US = 1000
HIGH = Task("high", 10 * US, period_ns=1000 * US, deadline_ns=1000 * US)
LOW = Task("low", 50 * US, period_ns=2000 * US, deadline_ns=2000 * US)
SHARED = Mutex("shared", (Hold("high", 2 * US), Hold("low", 5 * US)))
OWN = Mutex("own", (Hold("low", 20 * US),))


@pytest.fixture(autouse=True, scope="module")
def library() -> None:
    compile.host_library()


def bounds(*tasks: Task, overheads: Overheads | None = None, mutexes: tuple[Mutex, ...] = (SHARED, OWN)) -> list[int]:
    system = System(Path("system.toml"), "charged", "host", "dm", tasks, objects=mutexes)
    proof = analysis.analyse(system, schedulers.plain_bands(system, "dm") or (), overheads)
    return [(task.response_ns or 0) // US for task in proof.tasks]


def test_without_a_budget() -> None:
    assert bounds(HIGH, LOW) == [10 + 5, 50 + 10]
    assert bounds(HIGH, replace(LOW, on_budget="notify", budget_ns=60 * US)) == [10 + 5, 50 + 10]


@pytest.mark.parametrize("policy", ["demote", "stop"])
def test_the_budget_the_longest_hold_and_that_for_every_mutex(policy: str) -> None:
    assert bounds(HIGH, replace(LOW, on_budget=policy, budget_ns=60 * US)) == [10 + 20, 60 + 20 + 10]


@pytest.mark.parametrize("policy", ["none", "demote", "stop"])
def test_a_budget_does_not_end_while_the_kernel_is_locked(policy: str) -> None:
    """A copy of a slow reader that begins with the last of the budget, behind one of a lower task."""
    budget_ns = None if policy == "none" else 10 * US
    reads = (Read("high", 4 * US), Read("low", 3 * US))
    state = State("pose", 64, "writer", depth=2, readers=reads, slow=("high", "low"))
    tasks = (replace(HIGH, on_budget=policy, budget_ns=budget_ns), LOW)
    system = System(Path("system.toml"), "copies", "host", "dm", tasks, objects=(state,))
    proof = analysis.analyse(system, schedulers.plain_bands(system, "dm") or (), None)
    beyond = 0 if policy == "none" else 4
    assert [(task.response_ns or 0) // US for task in proof.tasks] == [4 + 10 + beyond, 4 + 10 + beyond + 50]


def test_the_kernel_takes_time_for_it() -> None:
    """One more timer interrupt above all for the budget, one for the section; a switch away; and the kernel's longest
    locked section, which a budget may end in."""
    job = {"fixed": 2 * US}
    costs = Overheads("none", "lean", "budgets", 4, 0, 3 * US, 5 * US, job, {"fixed": 0}, {"fixed": 1 * US})
    alone = replace(HIGH, deadline_ns=900 * US)
    plain = bounds(alone, overheads=costs, mutexes=())
    assert bounds(replace(alone, on_budget="stop", budget_ns=10 * US), overheads=costs, mutexes=()) == [
        plain[0] + 3 + 1 + 5
    ]
    only = (Mutex("only", (Hold("high", 1 * US),)),)
    plain = bounds(alone, overheads=costs, mutexes=only)
    stop = bounds(replace(alone, on_budget="stop", budget_ns=10 * US), overheads=costs, mutexes=only)
    assert stop == [plain[0] + 6 + 1 + 1 + 5]


COSTS = Overheads(
    "none", "lean", "budgets", 4, 0, 3 * US, 5 * US, {"fixed": 2 * US}, {"fixed": 4 * US}, {"fixed": 1 * US}
)


@pytest.mark.parametrize("waits", [1, 2])
def test_a_wait_costs_what_the_proof_counts_for_one(waits: int) -> None:
    """A switch there and back (4 + 1), the timer's interrupt (2) and the timer (3), what others do meanwhile: a locked
    section (5) and a hold of each (HIGH 2; LOW 20, and as its budget is enforced the locked section that ends it)."""
    low = replace(LOW, on_budget="stop", budget_ns=60 * US)
    system = System(Path("system.toml"), "waits", "host", "dm", (HIGH, low), objects=(SHARED, OWN))
    bands = schedulers.plain_bands(system, "dm") or ()
    found = budgets.costs(system, bands, COSTS, boards.load("host"), low)
    assert found.wait_ns == (4 + 1 + 2 + 3 + 5 + (2 + 20 + 5)) * US
    assert found.yield_ns == (4 + 1) * US

    def charged(count: int) -> int:
        tasks = (HIGH, replace(low, waits=count))
        return int(analysis.Problem(replace(system, tasks=tasks), bands, COSTS, False, 1000).tasks[1].wcet_ns)

    assert charged(waits) - charged(0) == waits * (found.wait_ns - (2 + 3) * US)  # these two above all bands


def test_timers_of_background_tasks_are_in_each_response() -> None:
    """The timer's interrupt, 2 us, of each that may have been armed."""
    idle = Task("idle", 0)
    plain = bounds(HIGH, overheads=COSTS, mutexes=())
    assert bounds(HIGH, idle, overheads=COSTS, mutexes=())[0] == plain[0] + 2
    assert bounds(HIGH, idle, replace(idle, name="more"), overheads=COSTS, mutexes=())[0] == plain[0] + 4


def test_a_timer_of_a_task_that_can_be_demoted_is_in_each_response() -> None:
    """It is a background task then, which waits as it likes; one that is stopped arms none that it did not declare."""
    stops = replace(LOW, on_budget="stop", budget_ns=60 * US)
    demoted = replace(stops, on_budget="demote")
    plain = bounds(HIGH, stops, overheads=COSTS, mutexes=())
    assert bounds(HIGH, demoted, overheads=COSTS, mutexes=()) == [response + 2 for response in plain]


def nested(*within: tuple[str, str, str]) -> System:
    """`within`: (task, outer, inner)."""
    names = sorted({name for _, *pair in within for name in pair})
    tasks = sorted({task for task, _, _ in within})

    def users(inner: str) -> tuple[Hold, ...]:
        return tuple(
            Hold(task, US, tuple(outer for holder, outer, name in within if (holder, name) == (task, inner)))
            for task in tasks
        )

    mutexes = tuple(Mutex(name, users(name)) for name in names)
    return System(Path("system.toml"), "nested", "host", "dm", tuple(replace(LOW, name=t) for t in tasks), (), mutexes)


def test_one_order_is_no_circle() -> None:
    assert lock_order.cycle(nested(("a", "m", "n"), ("b", "n", "o"), ("b", "m", "o"))) == ()


def test_a_task_alone_does_not_wait_for_itself() -> None:
    assert lock_order.cycle(nested(("a", "m", "n"), ("a", "n", "m"))) == ()


def test_a_circle_of_two_and_of_three_is_named() -> None:
    two = nested(("a", "m", "n"), ("b", "n", "m"))
    proof = analysis.analyse(two, schedulers.plain_bands(two, "dm") or (), None)
    assert proof.verdict is Verdict.INFEASIBLE
    assert proof.reason == (
        "deadlock: task a locks n while it holds m; task b locks m while it holds n: lock them in one order everywhere"
    )
    three = nested(("a", "m", "n"), ("b", "n", "o"), ("c", "o", "m"))
    assert [edge.task for edge in lock_order.cycle(three)] == ["a", "b", "c"]


def test_what_is_nested_twice_counts() -> None:
    """a holds m while it locks o, for it locks o within n, and n within m."""
    found = lock_order.cycle(nested(("a", "m", "n"), ("a", "n", "o"), ("b", "o", "m")))
    assert [(edge.outer, edge.inner) for edge in found] == [("m", "o"), ("o", "m")]
