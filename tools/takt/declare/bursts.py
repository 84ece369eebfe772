# SPDX-License-Identifier: Apache-2.0
"""Sporadic tasks with a burst in C: what the kernel enforces, and synthetic loads, which release themselves."""

from __future__ import annotations

from collections.abc import Iterator

from takt.declare.schema.model import System, Task
from takt.declare.schema.service import u64


def bursting(task: Task) -> bool:
    """A synthetic task that releases itself in bursts."""
    return task.burst > 1 and task.entry is None and task.trigger is None


def arrivals(task: Task) -> str:
    """The fields of struct takt_arrivals. A synthetic task releases the next burst during the first job of one."""
    capacity = max(task.pending_max, 1, 2 * task.burst - 1 if bursting(task) else 0)
    fields = f".releases_ns = takti_releases_{task.name}, .capacity = {capacity}"
    if task.burst > 1:
        burst_ns = (task.burst - 1) * (task.min_interarrival_ns or 0)
        fields += f", .burst_ns = {{{u64(burst_ns)}}}, .distance_ns = {{{u64(task.burst_distance_ns)}}}"
    return f"static uint64_t takti_releases_{task.name}[{capacity}];\n" + (
        f"static struct takt_arrivals takti_arrivals_{task.name} = {{{fields}}};"
    )


def function(system: System, task: Task) -> Iterator[str]:
    """Of the task's jobs: the first of a burst releases the next burst, as early as all of it may come at once."""
    pause_ns = task.burst * (task.min_interarrival_ns or 0)
    index = system.tasks.index(task)
    yield f"static void takti_burst_{task.name}(uint64_t now_ns)\n{{\n    static unsigned left;"
    yield f"    if (left == 0) {{\n        left = {task.burst};"
    yield f"        for (unsigned more = 0; more < {task.burst}; more++) {{"
    yield f"            takt_job_release_at(&takt_tasks[{index}], now_ns + {u64(pause_ns)});"
    yield "        }\n    }\n    left--;\n}\n"


def starts(system: System) -> Iterator[str]:
    """Statements at time 0: the first bursts."""
    for index, task in enumerate(system.tasks):
        if bursting(task):
            yield from [f"    takt_job_release(&takt_tasks[{index}]);"] * task.burst
