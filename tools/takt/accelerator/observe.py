# SPDX-License-Identifier: Apache-2.0
"""Runs a case on ibex-soc and says what the kernel took, and the responses, in a span of it."""

from __future__ import annotations

from dataclasses import replace

from takt.accelerator.costs import BOARD, CYCLE_NS
from takt.accelerator.fit import Observed
from takt.accelerator.plan import Plan, plan
from takt.accelerator.systems import Case
from takt.observe import run
from takt.observe.cycles import Cycles
from takt.prove.proof import Proved
from takt.support.errors import UserError
from takt.trace import records
from takt.trace.records import Event

_MS = 1_000_000
_NOT_THE_KERNEL = {
    *("takt_work", "takti_synthetic_job", "takti_synthetic_background"),  # jobs; and below their entries
    *("takti_idle", "idle_once", "takt_port_idle", "takti_timers_first_ns"),
    *("takt_hook_idle", "record_move", "batch_send", "takt_trace_read", "take_record", "skip_overwritten"),
    *("takt_board_stream_write", "takt_semihosting_write", "transfer", "takt_semihosting_call", "memcpy", "memset"),
    *("takt_trace_statistics", "figure_send", "tell", "total", "rest_send"),  # the end of a run
}
"""Functions by their origin before the compiler splits them: jobs, idle, and the sender of the trace."""


def kernel_cycles(counted: Cycles, entries: set[str]) -> int:
    """All that is not a job's, idle's or the trace's way out, nor asleep."""
    return sum(
        one.cycles
        for one in counted.functions
        if (name := one.name.split(".")[0]) not in _NOT_THE_KERNEL
        and name not in entries
        and not name.startswith("takti_waiting_")
    )


def responses(seen: records.Trace, from_ns: int) -> dict[str, list[float]]:
    """Of the jobs that ended at `from_ns` or later, by task."""
    names, released = seen.names, {}
    found: dict[str, list[float]] = {name: [] for name in names.tasks}
    for entry in seen.entries:
        if entry.event is Event.RELEASE:
            released[entry.task, entry.job] = entry.value - (names.deadlines_ns[entry.task] or 0)
        elif entry.event is Event.COMPLETE and entry.time_ns >= from_ns:
            found[names.tasks[entry.task]].append(float(entry.time_ns - released[entry.task, entry.job]))
    return found


def load(case: Case, engine: str) -> Proved:
    return run.load(str(case.folder), BOARD, case.scheduler, "none", False, engine)


def _plan(case: Case, proved: Proved) -> Plan:
    """As calls come in this case."""
    found, each_ns = plan(proved), case.calls_ms * _MS
    called = [replace(one, period_ns=each_ns, start_ns=each_ns) if one.kind == "call" else one for one in found.sources]
    return replace(found, sources=tuple(called)) if each_ns else found


def observe(case: Case, engine: str, access_cycles: int) -> Observed:
    """UserError: a run failed, or its trace has gaps."""
    proved = load(case, engine)
    spans = (case.from_ms * _MS, case.until_ms * _MS)
    short, long = (run.run(proved, span_ns, run.DEFAULT_SEED, access_cycles) for span_ns in spans)
    for one in (short, long):
        if one.outcome.failure is not None or one.outcome.cycles is None or one.outcome.lost_records:
            raise UserError(f"{case.name} with {engine}: {one.outcome.failure or 'records were lost'}")
    entries = {task.entry for task in proved.system.tasks if task.entry is not None}
    taken = [kernel_cycles(one.outcome.cycles, entries) for one in (short, long) if one.outcome.cycles is not None]
    found = {name: some for name, some in responses(long.trace, spans[0]).items() if some}
    return Observed(
        plan=_plan(case, proved),
        engine=engine,
        access_cycles=access_cycles,
        from_ns=spans[0],
        until_ns=spans[1],
        kernel_ns=float(CYCLE_NS * (taken[1] - taken[0])),
        longest_ns={name: max(some) for name, some in found.items()},
        mean_ns={name: sum(some) / len(some) for name, some in found.items()},
    )
