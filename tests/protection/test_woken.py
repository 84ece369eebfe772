# SPDX-License-Identifier: Apache-2.0
"""A call that wakes all waiters of an object is in the proof for as long as it locks the kernel
(takt.prove.overheads)."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from running import EMULATED, FULL
from takt.observe import run
from takt.support.provision import ROOT
from takt.trace.records import Event

WAITERS = 20
PROCESSES = 2  # that have them
PERIOD_NS = 14_000_000

CALLS = {  # an object, what the tasks wait for, and what wakes all of them
    "flush": (
        '[[semaphore]]\nname = "count"',
        "(void)!takt_semaphore_wait_until(&count, until_ns);",
        "takt_semaphore_flush(&count);",
    ),
    "set": (
        '[[events]]\nname = "flags"',
        "struct takt_events_wanted wanted = {1, TAKT_EVENTS_CLEAR};"
        " (void)!takt_events_wait_until(&flags, &wanted, until_ns);",
        "takt_events_set(&flags, 1);",
    ),
    "broadcast": (
        '[[priority_mailbox]]\nname = "post"\nmessage_size = 256\ncapacity = 2',
        "(void)!takt_priority_mailbox_receive_until(&post, message, until_ns);",
        "(void)takt_priority_mailbox_broadcast(&post, message);",
    ),
    "signal": (
        '[[mutex]]\nname = "lock"\nusers = [@users@]\n\n[[condition]]\nname = "come"\nmutex = "lock"',
        "if (takt_mutex_lock(&lock) == TAKT_OK) { (void)!takt_condition_wait_until(&come, &lock, until_ns);"
        " takt_mutex_unlock(&lock); }",
        "takt_condition_broadcast(&come); takt_delay(TAKT_US(3100));",
    ),
    "write": (
        '[[pipe]]\nname = "bytes"\ncapacity = 32',
        "struct takt_pipe_count want = {.size = 12, .least = 12};"
        " (void)!takt_pipe_read_until(&bytes, message, &want, until_ns);",
        "struct takt_pipe_count all = {.size = 252, .least = 0}; (void)!takt_pipe_try_write(&bytes, message, &all);",
    ),
}


def application(folder: Path, call: str, budgets: bool) -> Path:
    """The system in a folder of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(Path(__file__).parent / "woken", folder)
    names = [f"waiter_{number}" for number in range(WAITERS)]
    users = ", ".join(f'{{ task = "{name}", hold = "50 us" }}' for name in names)
    declared, wait, wake = CALLS[call]
    name = re.findall(r'name = "(\w+)"', declared)[-1]
    text = (folder / "system.toml").read_text(encoding="utf-8").replace("@object@", declared)
    text = (
        text.replace("@users@", users).replace("@name@", name).replace("@budgets@", "budgets = true" if budgets else "")
    )
    text += "".join(
        f'\n[[task]]\nname = "{name}"\nentry = "waiter_job_{i % PROCESSES}"\n' for i, name in enumerate(names)
    )
    for number in range(PROCESSES):
        tasks = names[number::PROCESSES]
        text += f'\n[[process]]\nname = "waits_{number}"\ntasks = {tasks}\nsources = ["waits_{number}.c"]\n'
        text += f'uses = ["{name}"]\n'
        source = (folder / "waits.c").read_text(encoding="utf-8").replace("waiter_job", f"waiter_job_{number}")
        (folder / f"waits_{number}.c").write_text(source, encoding="utf-8")
    (folder / "waits.c").unlink()
    (folder / "system.toml").write_text(text, encoding="utf-8")
    (folder / "call.h").write_text(f"#define WAIT {wait}\n#define WAKE_ALL {wake}\n", encoding="utf-8")
    return folder


def locked_ns(finished: run.Finished) -> int:
    """The longest that a job of the victim came late: its response without what it takes from its release on."""
    index = finished.trace.names.tasks.index("victim")
    released_ns, least_ns = None, PERIOD_NS
    for entry in finished.trace.entries:
        if entry.task == index and entry.event is Event.RELEASE:
            released_ns = entry.time_ns
        elif entry.task == index and entry.event is Event.COMPLETE and released_ns is not None:
            least_ns = min(least_ns, entry.time_ns - released_ns)
    task = finished.outcome.tasks[index]
    assert task.jobs > 200
    return task.response_ns_max - least_ns


CASES = [
    pytest.param(*board.values, call, budgets, marks=board.marks)
    for row, call in enumerate(CALLS)
    for column, board in enumerate(EMULATED)
    for budgets in ([False, True] if FULL else [row // 2 % 2 == 0])
    if FULL or row == column
]
"""By default the first call on one board, the second on the other."""


@pytest.mark.parametrize(("board", "call", "budgets"), CASES)
def test_no_call_locks_for_longer_than_is_proved(board: str, call: str, budgets: bool) -> None:
    folder = application(ROOT / "build" / "woken" / f"{board}-{call}{'-budgets' * budgets}", call, budgets)
    proved = run.load(str(folder), board, None, "measured")
    assert proved.feasible
    assert proved.overheads is not None
    finished = run.run(proved, 3_000_000_000, 1)
    assert not finished.outcome.misses
    assert not finished.outcome.process_faults
    seen_ns, proved_ns = locked_ns(finished), proved.overheads.lock_ns
    print(f"{board} {call} {budgets}: {seen_ns} of {proved_ns}")
    assert seen_ns <= proved_ns
