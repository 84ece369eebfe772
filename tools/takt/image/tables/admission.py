# SPDX-License-Identifier: Apache-2.0
"""The table of admission of a system with runtime_tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from takt.declare.schema.boards import Board
from takt.declare.schema.model import Band, Overheads, System
from takt.declare.schema.service import u64
from takt.prove import budgets

ITERATIONS = 1000  # per level, in the caller's context


def table(system: System, bands: Sequence[Band], overheads: Overheads | None, board: Board) -> Iterator[str]:
    """What takt_task_start proves with: room for the tasks of the run, and the costs of this board."""
    count = len(system.tasks) + system.runtime_tasks
    costs = budgets.admission(system, bands, overheads, board)
    yield f"static struct takt_admission_entry takti_admission_entries[{count}];"
    yield f"static struct takt_analysis_task takti_admission_snapshot[{count}];"
    yield "static struct takt_admission_state takti_admission_state;"
    if costs.load:
        yield f"static const struct takt_analysis_interrupt takti_admission_interrupts[{len(costs.load)}] = {{"
        yield from (f"    {{{u64(wcet_ns)}, {u64(distance_ns)}}}," for wcet_ns, distance_ns in costs.load)
        yield "};"
    yield "static const struct takt_admission takti_admission = {"
    yield "    .add = takti_admission_add,\n    .remove = takti_admission_remove,"
    yield "    .entries = takti_admission_entries,\n    .snapshot = takti_admission_snapshot,"
    yield "    .state = &takti_admission_state,"
    yield f"    .interrupts = {'takti_admission_interrupts' if costs.load else 'NULL'},"
    yield f"    .interrupt_count = {len(costs.load)},\n    .blocking_ns = {u64(costs.blocking_ns)},"
    if overheads is not None:
        for name, values in (("release", costs.release_ns), ("complete", costs.complete_ns)):
            yield f"    .{name}_ns = {{{', '.join(map(u64, values))}}},"
        yield f"    .timer_ns = {u64(costs.timer_ns)},"
    yield f"    .lock_ns = {u64(costs.lock_ns)},"
    if system.protection:
        yield "    .threads = {{.create = takti_thread_admit, .prove = takti_thread_prove,"
        yield f"                 .give_up = takti_thread_give_up, .wait_ns = {costs.wait_ns}u,"
        yield f"                 .yield_ns = {costs.yield_ns}u}}}},"
    yield f"    .iterations = {ITERATIONS},\n    .capacity = {count},\n}};"
