# SPDX-License-Identifier: Apache-2.0
"""Jobs of preemptive processors, tick by tick, and what chains of them show: naive, and none of the code under test."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class Job:
    arrival: int
    release: int
    left: int
    read: int | None = None
    write: int = 0
    end: int | None = None


@dataclass
class Task:
    """Of one processor, where those with a lower `priority` go first."""

    processor: int
    priority: int
    period: int
    offset: int
    shortest: int
    longest: int
    jitter: int
    sporadic: bool = False  # arrivals may lie further apart
    response: int = 0

    def arrivals(self, rng: random.Random, end: int, phase: int) -> list[int]:
        found, time = [], self.offset + phase
        while time < end:
            found.append(time)
            time += self.period + (rng.choice((0, 0, rng.randint(0, self.period))) if self.sporadic else 0)
        return found


def responses_hold(tasks: Sequence[Task]) -> bool:
    """Sets the bounds on responses from arrivals (Audsley and others 1993). False: one exceeds its period."""
    for task in tasks:
        above = [one for one in tasks if one.processor == task.processor and one.priority < task.priority]
        time = task.longest
        while True:
            more = task.longest + sum(-(-(time + one.jitter) // one.period) * one.longest for one in above)
            if more == time:
                break
            time = more
            if time + task.jitter > task.period:
                return False
        task.response = time + task.jitter
    return True


def simulate(rng: random.Random, tasks: Sequence[Task], end: int, phases: Sequence[int]) -> list[list[Job]]:
    """Jobs of each task, tick by tick; `phases`: of the processors' clocks. A job reads when it begins or in a later
    tick, and writes then or later, at its end at the latest."""
    jobs = [
        [
            Job(at, at + rng.randint(0, task.jitter), rng.randint(task.shortest, task.longest))
            for at in task.arrivals(rng, end, phases[task.processor])
        ]
        for task in tasks
    ]
    eager = rng.random() < 0.5
    first = [0] * len(tasks)
    for time in range(end):
        for processor in {task.processor for task in tasks}:
            ready = [
                index
                for index, task in enumerate(tasks)
                if task.processor == processor
                and first[index] < len(jobs[index])
                and jobs[index][first[index]].release <= time
            ]
            if not ready:
                continue
            index = min(ready, key=lambda index: tasks[index].priority)
            job = jobs[index][first[index]]
            job.left -= 1
            if job.read is None and (eager or job.left == 0 or rng.random() < 0.5):
                job.read = time
            if not job.write and job.read is not None and rng.random() < 0.3:
                job.write = time + 1
            if job.left == 0:
                job.end = time + 1
                job.write = job.write or time + 1
                first[index] += 1
    return jobs


def observed(jobs: Sequence[Sequence[Job]], path: Sequence[int], by_cause: bool) -> tuple[int, int]:
    """The longest reaction and age of a chain, from when each step has arrived once. `by_cause`: the cause starts the
    first step, which reads it then."""
    start = max(jobs[index][0].arrival for index in path)
    values = [(job, job.arrival if by_cause else job.read) for job in jobs[path[0]] if job.end is not None]
    for step in path[1:]:
        writes = sorted((job.write, number) for number, (job, _) in enumerate(values))
        times = [time for time, _ in writes]
        used = []
        for job in jobs[step]:
            if job.end is not None and job.read is not None and (place := bisect_right(times, job.read)):
                used.append((job, values[writes[place - 1][1]][1]))
        values = used
    outputs = [(job.end or 0, sample or 0) for job, sample in values]
    age = max((end - sample for end, sample in outputs), default=0)
    causes = [job.arrival if by_cause else job.read or 0 for job in jobs[path[0]] if job.end is not None]
    reaction, place = 0, 0
    for before, cause in zip([None, *causes], causes, strict=False):
        since = cause if by_cause else before
        while place < len(outputs) and outputs[place][1] < cause:
            place += 1
        if place < len(outputs) and since is not None and cause >= start:
            since = max(since, start)
            reaction = max(reaction, outputs[place][0] - since)
    return reaction, age
