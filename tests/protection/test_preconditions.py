# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the kernel that a call of a process can reach: which code ensures that it holds.

An assertion that is new, or says something else, fails here until it is asked of processes (kernel/process/check.h,
entries/*.h) or shown to be the kernel's own business. kernel/test/process/ makes the calls that would break them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kernel_sources import rooms
from takt.support.c.calls import CALLS

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = ROOT / "kernel" / "process"

# What is so in any trap from user mode: the running task made it, and no interrupt.
IN_A_TRAP = {
    "takt_port_caller(lock) == 0",
    "takti_allowed(lock)",
    "!takt_port_in_interrupt()",
    "until_ns == NULL ? takti_allowed(lock) : takt_port_caller(lock) == 0",
    "task != &takti_kernel.idle",
    "takti_kernel.ready.running != &takti_kernel.idle",
    "takti_kernel.timers.running",
    "!TAKT_COOPERATIVE",
}

# What a call passes on: the words of an entry that ask it.
ASKED = {
    "count >= 2": "takti_required(count >= 2 && count <= TAKT_LOG_WORDS, count)",
    "count <= TAKT_LOG_WORDS": "takti_required(count >= 2 && count <= TAKT_LOG_WORDS, count)",
    "at_ns != TAKT_FOREVER": "takti_required(at_ns != TAKT_FOREVER, handle)",
    "takti_ceiling_for_caller(ceiling, lock)": "takti_ceiling_for_caller(ceiling, TAKT_PORT_ENTERED)",
    "mutex->owner == task": "takti_required(mutex->owner == takti_kernel.ready.running, handle)",
    "mutex->owner == takti_kernel.ready.running": "takti_required(mutex->owner == takti_kernel.ready.running, handle)",
    "ceiling->mutex.owner == task": "ceiling->mutex.owner == takti_kernel.ready.running",
    "mutex->owner != task": "mutex->owner != task && !takti_holds_most(task) && thread_may_lock(handle)",
    "wanted->flags != 0": "wanted->flags != 0 && (wanted->mode & KIND) != KIND",
    "(mode & EVENTS_KIND) != EVENTS_KIND": "wanted->flags != 0 && (wanted->mode & KIND) != KIND",
    # A running task that has jobs is in one.
    "(task->timer.flags & TAKTI_FLAG_ACTIVE) != 0": "takti_required(TAKTI_HAS_JOBS(task->config), task->config->index)",
    "(task->holds & TAKTI_HOLDS_COUNT) == 0": "takti_required((task->holds & TAKTI_HOLDS_COUNT) == 0,",
    "(task->holds & TAKTI_HOLDS_COUNT) != TAKTI_HOLDS_COUNT": "!takti_holds_most(task)",
    "task->config->release == TAKT_SPORADIC": "task->config->release == TAKT_SPORADIC",
    "count->size > 0": "takti_required(count->size > 0 && count->size <= TAKT_PIPE_PIECE, count->size)",
    "count->least <= count->size": "takti_required(count->least <= count->size, count->least)",
    "serving->owner == task": "takti_required(task->in_process->serving.owner == task, (uintptr_t)accepted)",
    "events->trigger == NULL": "takti_required(events->trigger == NULL, handle)",
    "semaphore->trigger == NULL": "takti_required(semaphore->trigger == NULL, handle)",
    "duration_ns < TAKT_FOREVER - now_ns": "duration_ns <= TAKT_FOREVER / 2",
    "takti_watchdog_valid(watchdog)": "takti_watchdog_valid(watchdog)",
    "takti_kernel.ready.running == watchdog->task": "watchdog->task == takti_kernel.ready.running",
    "holds_signal(sent, lock)": "return takti_required(signal != NULL, (uintptr_t)copy) ? signal : NULL;",
    "holds_signal(given, lock)": "return takti_required(signal != NULL, (uintptr_t)copy) ? signal : NULL;",
    "queue->owner == task": "takti_required(queue->owner == takti_kernel.ready.running, handle)",
    "pool_turn(pool, block)": "takti_required(token != NULL, (uintptr_t)block)",
    "offset < (uintptr_t)(pool->end - pool->storage)": "takti_required(token != NULL, (uintptr_t)block)",
    "offset % pool->block_size == 0": "takti_required(token != NULL, (uintptr_t)block)",
    "slot->state != TAKT_SLOT_FREE": "takti_required(takti_slot_is_owner(slot, takti_kernel.ready.running), handle)",
    "slot->owner == takti_kernel.ready.running": "takti_slot_is_owner(slot, takti_kernel.ready.running), handle)",
    "entry->next == entry": "takti_required(buffer != NULL, (uintptr_t)message)",
    "*link != NULL": "takti_required(buffer != NULL, (uintptr_t)message)",
    "config_valid(config)": "takti_task_restart(task, &takti_kernel.system->configs[index], takti_clock_ns())",
}

# Files whose calls no process makes, except what is above: those of calls.h that begin with these are looked for.
NOT_OFFERED = {"alarm_queue.c": "alarm_serve"}

# Of the start, of tables that are constant, of what an object is made of, and of the kernel's own lists.
OWN = {
    "admission.c",
    "unprotected.c",  # without protection
    "start.c",
    "server.c",  # of its declaration
    "state.h",  # a process's read is an entry's own
    "invariants.c",
    "handed.c",  # what it is handed, an object says
}
OWN_CONDITIONS = {
    "holds_signal(signal, lock)",  # of takt_signal_data, which is no call: kernel/process/user/multiword.c
    "bytes != NULL",
    "count > 0",
    "block_size > 0",
    "(block_size | (uintptr_t)storage) % sizeof(void *) == 0",
    "memory != NULL",
    "((uintptr_t)memory & 7u) == 0",
    "max > 0",
    "owner != NULL",
    "handler != NULL",
    "*takti_kernel.interrupts == 0",
    "budget->full_ns != 0",
    "(budget->policy <= TAKT_BUDGET_STOP || takti_is_shared(budget))",
    "!takti_demotes(budget) || !takti_level_edf(&takti_kernel.ready, budget->level)",
    "set->count > 0",
    "set->count <= TAKT_HINT_SET_MAX",
    "storage != NULL",
    "message_size > 0",
    "capacity > 0",
    "((uintptr_t)storage & 7u) == 0",
    "config->storage != NULL",
    "((uintptr_t)config->storage & 7u) == 0",
    "config->message_size > 0",
    "config->capacity > 0",
    "level < TAKT_LEVELS - 1",  # of a slot with `pinc`, which processes have not
    "!takti_level_edf(&takti_kernel.ready, level)",
    "initial <= maximum",
    "maximum > 0",
    "(trigger == NULL || initial == 0)",
    "arrivals->capacity > 0",
    "arrivals->releases_ns != NULL",
    "!takti_timer_armed(timer)",
    "space != NULL",
    "space->capacity >= takti_kernel.system->task_count",
    "first > takti_kernel.system->timers->sorted + TAKT_TIMERS_MARGIN",
    "takti_timers_first_ns() <= takt_port_now_ns()",
    "size < task->config->stack_size",  # of the image: thread-local variables, of which the build refuses too many
}


def assertions() -> list[tuple[str, str]]:
    """File and condition of every TAKT_ASSERT of the kernel."""
    found = []
    paths = [path for room in rooms() for path in sorted((ROOT / "kernel" / room).glob("*.[ch]"))]
    paths += [ENTRIES / name for name in ("unprotected.c", "quota.c", "quota.h")]
    paths.append(ROOT / "kernel" / "include" / "takt" / "state.h")
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"TAKT_ASSERT\(", text):
            depth, end = 1, match.end()
            while depth > 0:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            found.append((path.name, " ".join(text[match.end() : end - 1].split())))
    return found


def parts(condition: str) -> list[str]:
    """What is joined by && outside of all brackets."""
    depth, begin, found = 0, 0, []
    for index, letter in enumerate(condition):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and condition.startswith("&&", index):
            found.append(condition[begin:index].strip())
            begin = index + 2
    return [*found, condition[begin:].strip()]


def entries() -> str:
    """All entries, in single spaces."""
    return " ".join(" ".join(path.read_text(encoding="utf-8").split()) for path in sorted(ENTRIES.rglob("*.h")))


@pytest.mark.parametrize(("file", "condition"), sorted(set(assertions())))
def test_asked_of_processes(file: str, condition: str) -> None:
    if file in NOT_OFFERED or file in OWN:
        return
    for part in parts(condition):
        if part in IN_A_TRAP or part in OWN_CONDITIONS:
            continue
        assert part in ASKED, f"{file}: TAKT_ASSERT({condition}): which code asks a process for `{part}`?"
        assert ASKED[part] in entries(), f"{file}: no entry says `{ASKED[part]}`"


def test_what_is_not_offered_is_not() -> None:
    assert len(CALLS) > 100
    assert not [call for call in CALLS if call.startswith(tuple(NOT_OFFERED.values()))]
