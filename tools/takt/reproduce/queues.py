# SPDX-License-Identifier: Apache-2.0
"""What the kernel of seed 000 takes of a job, by queue, and the partitions of tasks into queues (4.2.1 to 4.4).

A partition is a row of `cuts`: how many tasks, shortest period first, are in the first queue, in the first two ...; the
last queue, the fixed one, has the rest. Queues may be empty. edf is one unsorted queue, rm one sorted queue; neither
looks for a queue first.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from takt.bench.seed000 import study as seed000
from takt.reproduce.historic import Whole

HALVES = 3  # of blocks and unblocks of a job: half of the jobs block once more (4.2.1)
SCHEDULERS = ("edf", "rm", "csd2", "csd3", "csd4")
LISTS = ("position", "every queue", "nothing", "position, O(r)")
"""What finding a queue takes, 0.55 us "per queue" (4.4): for each down to the one that is selected; for each that there
is; nothing. O(r): after a task of DP2 or below blocks all edf queues are parsed, as table 4.2 has it."""


class Partitions(NamedTuple):
    """The partitions of a number of tasks. `cuts[p]`, and `costs_ns[p]`: what a job of each queue takes of the
    kernel."""

    cuts: Whole
    costs_ns: Whole


def _ns(terms: dict[str, float], lengths: Whole) -> Whole:
    """An entry of table 4.3, for these lengths of queues."""
    return round(1000 * terms.get("constant", 0)) + round(1000 * terms.get("per_task", 0)) * lengths


def costs_ns(lengths: Whole, known: dict[str, Any], finding: str) -> Whole:
    """By partition (rows of `lengths`) and queue, all but the last of which are edf.

    A task that blocks has one of its own or a lower queue selected, one that unblocks one of its own or a higher queue:
    the most expensive counts (4.2.4, table 4.2), with what finding it takes.
    """
    edf, fixed = (next(row for row in known["table_4_3"] if row["queue"] == f"{name}, queue") for name in ("EDF", "RM"))
    queues = lengths.shape[1]
    kinds = [edf] * (queues - 1) + [fixed]
    block, unblock, select = (
        np.stack([_ns(kind[name], lengths[:, index]) for index, kind in enumerate(kinds)], axis=1)
        for name in ("block", "unblock", "select")
    )
    steps = {"every queue": np.full(queues, queues), "nothing": np.zeros(queues, dtype=np.int64)}
    select = select + round(1000 * known["queue_list_us"]) * steps.get(finding, np.arange(1, queues + 1))
    select = np.where(lengths > 0, select, 0)
    blocks = np.maximum.accumulate(select[:, ::-1], axis=1)[:, ::-1]
    if finding == "position, O(r)":
        shorter = lengths[:, :-1].sum(axis=1, keepdims=True) - lengths[:, 1:-1]
        blocks[:, 1:-1] += round(1000 * edf["select"]["per_task"]) * shorter
    unblocks = np.maximum.accumulate(select, axis=1)
    return np.asarray(HALVES * (block + unblock + blocks + unblocks) // 2)


@cache
def partitions(scheduler: str, count: int, finding: str = LISTS[0]) -> Partitions:
    """Every partition of this number of tasks that a scheduler may have."""
    known = seed000.reference()
    if scheduler in ("edf", "rm"):
        lengths = np.array([[count, 0]] if scheduler == "edf" else [[count]])
        return Partitions(lengths[:, :-1], costs_ns(lengths, known, "nothing"))
    queues = int(scheduler.removeprefix("csd"))
    grids = np.indices((count + 1,) * (queues - 1)).reshape(queues - 1, -1).T
    cuts = grids[(np.diff(grids, axis=1) >= 0).all(axis=1)]
    assert len(cuts) == math.comb(count + queues - 1, queues - 1)
    ends = np.concatenate([cuts, np.full((len(cuts), 1), count)], axis=1)
    return Partitions(cuts, costs_ns(np.diff(ends, axis=1, prepend=0), known, finding))
