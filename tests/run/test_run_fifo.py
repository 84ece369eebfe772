# SPDX-License-Identifier: Apache-2.0
"""Tasks that wait for a mutex, mailboxes, a pool and a semaphore in FIFO order, on all boards, in processes and not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import FIRST_MODE, Run
from takt.trace.records import Event, Trace
from takt.trace.segments import read

NAMES = "abcd"
"""The tasks, the best first; the last is released first."""

DECLARED = """
[system]
scheduler = "dm"
duration = "3 s"
protection = PROTECTION

[[mutex]]
name = "door"
users = [
    {task = "a", hold = "500 us", locks = 1},
    {task = "b", hold = "500 us", locks = 1},
    {task = "c", hold = "500 us", locks = 1},
    {task = "d", hold = "4 ms", locks = 1},
]
waiters = "ORDER"

[[mailbox]]
name = "box"
message_size = 8
capacity = 1
waiters = "ORDER"

[[priority_mailbox]]
name = "tray"
message_size = 8
capacity = 1
waiters = "ORDER"

[[pool]]
name = "blocks"
block_size = 16
count = 1
waiters = "ORDER"

[[semaphore]]
name = "units"
initial = 1
waiters = "ORDER"
"""

TASK = """
[[task]]
name = "{name}"
entry = "{name}_job"
period = "2 s"
deadline = "{deadline} ms"
offset = "{offset} ms"
wcet = "5 ms"
waits = 9
suspension = "640 ms"
"""

PROCESSES = """
[[process]]
name = "one"
tasks = ["a", "c"]
sources = ["one.c"]
uses = ["door", "box", "tray", "blocks", "units"]
gives = ["box", "tray", "units"]

[[process]]
name = "two"
tasks = ["b", "d"]
sources = ["two.c"]
uses = ["door", "box", "tray", "blocks", "units"]
gives = ["box", "tray", "units"]
"""

BODY = """
#include "takt_app.h"

static void must(enum takt_status status)
{
    while (status != TAKT_OK) { /* which the run reports */
    }
}

/* A section, and then each object for a while: others come to wait meanwhile, the better ones later. */
static void use_all(uint64_t section_ns, uint64_t later_ns)
{
    uint64_t token = 1;
    void *block;
    must(takt_mutex_lock(&door));
    takt_work(section_ns);
    takt_mutex_unlock(&door);
    takt_delay(later_ns);
    must(takt_mailbox_receive(&box, &token));
    takt_delay(TAKT_MS(4));
    must(takt_mailbox_send(&box, &token));
    must(takt_pool_allocate(&blocks, &block));
    takt_delay(TAKT_MS(12));
    takt_pool_free(&blocks, block);
    must(takt_semaphore_wait(&units));
    takt_delay(TAKT_MS(36));
    must(takt_semaphore_post(&units));
    must(takt_priority_mailbox_receive(&tray, &token));
    takt_delay(TAKT_MS(108));
    must(takt_priority_mailbox_send(&tray, &token, 0));
}
"""

JOB = """
void {name}_job(void *argument)
{{
    (void)argument;{first}
    use_all(TAKT_US({section_us}), TAKT_MS({later_ms}));
}}
"""
FIRST = """
    static bool sent;
    uint64_t token = 1;
    if (!sent) {
        sent = takt_mailbox_try_send(&box, &token) == TAKT_OK;
        must(takt_priority_mailbox_try_send(&tray, &token, 0));
    }"""


def jobs(names: str) -> str:
    """C of these tasks."""
    text = BODY
    for name in names:
        last = name == NAMES[-1]
        first, section_us = (FIRST, 3500) if last else ("", 400)
        text += JOB.format(name=name, first=first, section_us=section_us, later_ms=5 - NAMES.index(name))
    return text


def declared(protection: bool, order: str = "fifo") -> str:
    text = DECLARED.replace("PROTECTION", str(protection).lower()).replace("ORDER", order)
    for number, name in enumerate(NAMES):  # d holds the door when c, a and b come, in this order
        offset = {"a": 2, "b": 3, "c": 1, "d": 0}[name]
        text += TASK.format(name=name, deadline=1950 + number, offset=offset)
    return text + (PROCESSES if protection else "")


def overtaken(trace: Trace) -> tuple[Counter[str], Counter[str]]:
    """By object: how often a task that was not the first to come was served first, and how often the first was served
    although a better one waited."""
    waiting: dict[int, list[int]] = defaultdict(list)
    others, first = Counter[str](), Counter[str]()
    for entry in trace.entries:
        if entry.event not in (Event.BLOCK, Event.READY) or entry.object >= len(trace.names.objects):
            continue  # what else names an object is no wait for it
        name = trace.names.objects[entry.object]
        queue = waiting[entry.object]
        if entry.event is Event.BLOCK:
            queue.append(entry.task)
            continue
        others[name] += queue[0] != entry.task
        first[name] += queue[0] == entry.task and min(queue) < entry.task
        queue.remove(entry.task)
    return +others, +first


@pytest.mark.parametrize(("board", "protection"), FIRST_MODE)
def test_served_in_the_order_of_calls(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path, board: str, protection: bool
) -> None:
    files = {"one_dot_c": jobs("ac"), "two_dot_c": jobs("bd")} if protection else {"app_dot_c": jobs(NAMES)}
    code, document = run_json(application(declared(protection), **files), "--board", board)
    assert (code, document["within_proof"], document["misses"]) == (0, True, 0)
    (path,) = scratch_builds.glob("*/run/trace.takt")
    others, first = overtaken(read(path))
    assert others.total() == 0
    assert set(first) == {"door", "box", "tray", "blocks", "units"}  # each has let a better one wait


def test_by_priority_otherwise(run_json: Run, application: Callable[..., Path], scratch_builds: Path) -> None:
    code, _ = run_json(application(declared(False, "priority"), app_dot_c=jobs(NAMES)), "--board", "host")
    assert code == 0
    (path,) = scratch_builds.glob("*/run/trace.takt")
    others, first = overtaken(read(path))
    assert ({"door", "box"} <= set(others), first.total()) == (True, 0)  # and the others in the order that follows


def test_an_object_of_the_program_needs_a_declared_one(application: Callable[..., Path], takt: Takt) -> None:
    """A kernel has FIFO order only for a system with such an object."""
    text = "\nTAKT_MUTEX_FIFO_DEFINE(own, TAKT_TRACE_NO_OBJECT);\n"
    plain = declared(False, "priority")
    said = takt("build", application(plain, app_dot_c=jobs(NAMES) + text), "--board", "host")
    assert said.code == 2
    assert 'declare an object with waiters = \\"fifo\\" in system.toml' in said.err
