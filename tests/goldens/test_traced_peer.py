# SPDX-License-Identifier: Apache-2.0
"""FreeRTOS as `takt bench kernel` measures it with a trace and assertions: its ring has what the rows do."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from running import FULL
from takt.bench.kernel import BANDS, BOARDS, FREERTOS_TRACED, RECORDS, Run, rows_run
from takt.support.errors import UserError

# The events of each row, from the stamp that begins it to the one that ends it.
CHAIN = ["resume", "run"] * 4 + ["suspend", "run"] * 4
EVENTS = {
    "yield": ["run"],
    "chain_of_5": CHAIN,
    "resume_runs": ["resume", "run"],
    "suspend_self": ["suspend", "run"],
    "task_create": ["create"],
    "task_delete": ["delete"],
    "semaphore_pair": ["send", "receive"],
    "mutex_pair": ["receive", "send"],
    "mutex_contended": ["receive_block", "inherit", "run", "send", "disinherit", "ready", "run", "receive"],
    "queue_8": ["send", "receive"],
    "queue_16": ["send", "receive"],
    "queue_8_to_waiter": ["send", "ready", "run", "receive"],
    "semaphore_to_waiter": ["send", "ready", "run", "receive"],
    "semaphore_take_blocks": ["receive_block", "run"],
    "timed_take_blocks": ["receive_block", "run"],
    "timed_to_waiter": ["send", "ready", "run", "receive"],
    "interrupt_to_task": ["interrupt", "send", "ready", "interrupt_end", "run", "receive"],
    "event_to_waiter": ["flags_set", "ready", "run", "flags_take"],
    "block_pair": ["allocate", "free"],
    "due_none": ["tick", "tick_end"],
    **{f"due_{count}": ["tick", *["ready"] * count, "tick_end"] for count in (1, 8, 32, 64)},
    "delay_insert": ["delay", "run"],
    "rearm": ["delay", "run"],
}
TICKS_PER_INSTRUCTION = {"mps2-an385": 1.6, "rv32-virt": 1.28}  # of the clock that records have, at least


INTERRUPTS = {"mps2-an385": 20, "rv32-virt": 0}  # target.h


@pytest.fixture(scope="module", params=BOARDS if FULL else BOARDS[:1])
def found(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """A board, and its rows: each with the records of its last repetition, as event, object and time."""
    run = rows_run(request.param, FREERTOS_TRACED, BANDS[0], 4, 1, RECORDS)
    document = run.found(run.image())
    return request.param, {name: row for name, row in document.items() if isinstance(row, dict)}


def test_every_event_of_a_row_has_its_record(found: tuple[str, dict[str, Any]]) -> None:
    assert {name: [event for event, _, _ in row["records"]] for name, row in found[1].items()} == EVENTS


def test_records_have_their_objects(found: tuple[str, dict[str, Any]]) -> None:
    rows = {name: [which for _, which, _ in row["records"]] for name, row in found[1].items()}
    send, ready, run, receive = rows["semaphore_to_waiter"]
    assert send == receive != ready == run
    _, inheriting, owner, mutex, disinheriting, waiter, now, locked = rows["mutex_contended"]
    assert inheriting == owner == disinheriting != waiter == now
    assert mutex == locked
    assert len(set(rows["due_64"][1:-1])) == 64
    allocated, freed = rows["block_pair"]
    assert allocated == freed != 0
    assert rows["interrupt_to_task"][0] == INTERRUPTS[found[0]]


def test_the_time_of_a_record_is_the_clock_s(found: tuple[str, dict[str, Any]]) -> None:
    """Its records are as far apart as the row's instructions allow: less than all of it, more than none."""
    board, rows = found
    for name, row in rows.items():
        times = [time for _, _, time in row["records"]]
        assert all(before < after for before, after in pairwise(times)), name
        assert times[-1] - times[0] <= TICKS_PER_INSTRUCTION[board] * row["max"], name


def test_an_assertion_ends_the_run() -> None:
    run = Run(BOARDS[0], FREERTOS_TRACED, (("repeats", 1), ("tasks", 4), ("misuse", 1)), RECORDS)
    with pytest.raises(UserError, match=r"FreeRTOS: assertion in line \d+\nbenchmark: configASSERT: failed"):
        run.found(run.image())
