# SPDX-License-Identifier: Apache-2.0
"""From a declaration to the copies of its state messages: by proved bounds or deadlines, and the tasks that copy
locked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from takt.declare.schema.model import Interrupt, System, Task
from takt.declare.service_kinds import state_copies
from takt.declare.service_kinds.priority_mailbox import PriorityMailbox
from takt.declare.service_kinds.state_copies import Read, State
from takt.prove import analysis, choose
from takt.prove import proof as prove
from takt.prove.choose import Prover

MS = 1_000_000
WRITER = Task("control", MS, period_ns=10 * MS, deadline_ns=8 * MS)
READER = Task("monitor", 20 * MS, period_ns=100 * MS, deadline_ns=100 * MS)
SYSTEM = System(Path("system.toml"), "small", "host", "dm", (WRITER, READER, Task("idler", 0)))


def of(*readers: tuple[str, int], **more: int) -> System:
    """`readers`: with their reads in us."""
    reads = tuple(Read(name, us * 1000) for name, us in readers)
    limits = {name: value for name, value in more.items() if name in ("depth", "depth_max", "writes")}
    rest = {name: value for name, value in more.items() if name not in limits}
    state = State("pose", 24, "control", readers=reads, **limits)  # type: ignore[arg-type]
    return replace(SYSTEM.having(State, (state,)), **rest)  # type: ignore[arg-type]


def proved(system: System) -> prove.Proved:
    return prove.prove(state_copies.settle(system, {}))


def test_by_the_proved_bounds() -> None:
    """By hand: monitor ends within 23 ms, 3 of which it waits; control within 1 ms.
    A read of 1 ms lasts 4 at most: one write, or two: floor((4 + 1) / 10) = 0."""
    found = proved(of(("monitor", 1000)))
    assert found.responses_ns == {"control": MS, "monitor": 23 * MS, "idler": None}
    assert [(need.lasts_ns, need.writes) for need in found.depths[0].needs] == [(4 * MS, 1)]
    assert (found.system.of(State)[0].copies, found.system.of(State)[0].slow) == (2, ())
    long = proved(of(("monitor", 20_000)))
    assert [(need.lasts_ns, need.writes) for need in long.depths[0].needs] == [(23 * MS, 3)]
    assert long.system.of(State)[0].copies == 4
    assert proved(of(("monitor", 20_000), writes=3)).system.of(State)[0].copies == 10


def test_a_task_with_too_long_a_copy_copies_locked() -> None:
    """1 ms locked delays control, and is in its bound."""
    found = proved(of(("monitor", 1000), depth_max=2))
    assert found.system.of(State)[0].slow == ()
    tighter = proved(of(("monitor", 7000), depth_max=2))
    assert tighter.system.of(State)[0].slow == ("monitor",)
    assert tighter.responses_ns["control"] == 8 * MS
    assert tighter.system.of(State)[0].copies == 2


def test_a_declared_depth_is_a_limit() -> None:
    assert proved(of(("monitor", 7000), depth=3)).system.of(State)[0].slow == ()
    tighter = proved(of(("monitor", 7000), depth=2))
    assert (tighter.system.of(State)[0].slow, tighter.system.of(State)[0].copies) == (("monitor",), 2)
    assert tighter.depths[0].basis == "declared"


def test_nothing_bounds_a_background_task() -> None:
    found = proved(of(("idler", 100), ("monitor", 20_000)))
    assert found.system.of(State)[0].slow == ("idler",)
    assert found.responses_ns["control"] == MS + 100_000
    assert found.depths[0].needs[0].copies is None


def test_slow_ones_join_until_the_proof_is_of_just_them() -> None:
    """With idler's copy in the proof monitor's read lasts longer, so long that it needs a lock itself."""
    quick = of(("monitor", 5900), depth_max=2)
    assert proved(quick).system.of(State)[0].slow == ()
    both = proved(of(("monitor", 5900), ("idler", 200), depth_max=2))
    assert both.system.of(State)[0].slow == ("monitor", "idler")
    assert both.responses_ns["control"] == 6_900_000
    alone = analysis.analyse(both.system, both.bands, None)
    assert {task.name: task.response_ns for task in alone.tasks} == both.responses_ns


def test_what_is_not_proved_has_copies_by_its_deadlines() -> None:
    """8 ms locked and 1 ms of its own are over control's deadline."""
    found = proved(of(("monitor", 8000), depth_max=2))
    assert not found.feasible
    assert found.depths[0].basis == "deadlines"
    assert found.depths[0].needs[0].lasts_ns == 88 * MS
    late = replace(of(("monitor", 1000)), tasks=(replace(WRITER, wcet_ns=9 * MS), READER))
    assert not proved(late).feasible
    assert proved(late).depths[0].needs[0].writes == 1 + (81 + 8) // 10
    assert (proved(late).system.of(State)[0].copies, proved(late).system.of(State)[0].slow) == (10, ())
    tight = late.having(State, (replace(late.of(State)[0], depth_max=9),))
    assert (proved(tight).system.of(State)[0].copies, proved(tight).system.of(State)[0].slow) == (2, ("monitor",))


@pytest.mark.parametrize("scheduler", ["dm", "edf"])
def test_a_refusal_names_the_copy_that_delays(scheduler: str) -> None:
    """Of two locked copies the longer; none where the load is too much, or a handler locks for longer."""
    refused = replace(of(("monitor", 8000), ("idler", 300), depth_max=2), scheduler=scheduler)
    assert proved(refused).reason().endswith("; this includes 8 ms for which monitor reads pose with the kernel locked")
    quick = replace(refused, tasks=(replace(WRITER, wcet_ns=7_900_000), READER, Task("idler", 0)))
    assert proved(quick).reason().endswith("; this includes 300 us for which idler reads pose with the kernel locked")
    handled = quick.having(PriorityMailbox, (PriorityMailbox("orders", 8, 4, "ordered", MS),))
    assert "kernel locked" not in proved(handled).reason()
    full = replace(refused, tasks=(replace(WRITER, wcet_ns=11 * MS), READER, Task("idler", 0)))
    assert "kernel locked" not in proved(full).reason()


def test_tasks_of_run_time_leave_the_deadlines() -> None:
    found = proved(of(("monitor", 5000), runtime_tasks=1, depth_max=20))
    assert found.feasible
    assert found.depths[0].basis == "deadlines"
    assert [(need.lasts_ns, need.writes) for need in found.depths[0].needs] == [(85 * MS, 10)]
    assert found.system.of(State)[0].copies == 11


def test_interrupts() -> None:
    """One that reads meets one write of a task; one that writes comes at its distance."""
    radio = Interrupt("radio", 5, min_interarrival_ns=4 * MS, wcet_ns=100_000)
    reads = replace(of(("radio", 50), depth_max=2), interrupts=(radio,))
    assert proved(reads).system.of(State)[0].slow == ()
    state = State("level", 24, "radio", readers=(Read("monitor", MS), Read("control", 100_000)))
    writes = proved(replace(SYSTEM, interrupts=(radio,), objects=(state,)))
    lasts_ns = (writes.responses_ns["monitor"] or 0) - 19 * MS
    assert writes.depths[0].needs[0].writes == 2 + lasts_ns // (4 * MS)
    assert writes.depths[0].needs[1].writes == 2
    other = replace(radio, name="line", number=6)
    both = replace(SYSTEM, interrupts=(radio, other), objects=(replace(state, readers=(Read("line", 50_000),)),))
    assert proved(both).system.of(State)[0].slow == ("line",)
    # NAME_read cannot tell an interrupt that is slow, so everybody copies locked, which is in the proof
    mixed = both.having(State, (replace(state, readers=(Read("line", 50_000), Read("monitor", 5 * MS))),))
    assert proved(mixed).system.of(State)[0].slow == ("line", "monitor")
    assert state_copies.locked_ns(proved(mixed).system) == 5 * MS


def test_the_writer_never_overtakes_itself() -> None:
    assert proved(of(("control", 500))).system.of(State)[0].copies == 2


@pytest.mark.parametrize(("size", "type_name", "slow"), [(4, None, ()), (5, None, ("idler",)), (None, "float", ())])
def test_one_word_is_read_at_once(size: int | None, type_name: str | None, slow: tuple[str, ...]) -> None:
    of_idler = of(("idler", 100))
    state = replace(of_idler.of(State)[0], message_size=size, type=type_name)
    found = proved(of_idler.having(State, (state,)))
    assert found.system.of(State)[0].slow == slow
    assert ("  idler: one word is read by one instruction" in found.depths[0].lines()) == (not slow)


def test_the_text_of_a_proof_tells_depths() -> None:
    one, other = proved(of(("monitor", 1000))), proved(of(("monitor", 20_000)))
    assert one.responses_ns == other.responses_ns
    assert one.text() != other.text()


@pytest.mark.parametrize("locked_us", [0, 300])
def test_the_prover_knows_the_locked_copies(locked_us: int) -> None:
    """What sensitivity and search start from."""
    found = proved(of(*([("idler", locked_us)] if locked_us else [("monitor", 100)])))
    assert state_copies.locked_ns(found.prover.system) == locked_us * 1000
    assert isinstance(found.prover, Prover)
    assert choose.choose(found.prover, "dm").proof.tasks[0].response_ns == MS + locked_us * 1000
