# SPDX-License-Identifier: Apache-2.0
"""A trace as Perfetto's UI and chrome://tracing open it: the JSON of the Trace Event Format.

A process each for the tasks (a track of states per task, releases, deadlines and misses as marks), the mutexes
(their holds it), the interrupts (nested) and, as counters, the levels of tasks that inherited and what is left of
budgets. Of a protected system one more for its processes: from the fault that stopped each until it starts again. Flows
lead from the waker of a task to where it ran."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from takt.observe.process_faults import CAUSES, UNKNOWN
from takt.support.c.traces import PROCESS_ON_CALL, PROCESS_START_CALL, PROCESS_STARTED, PROCESS_STOP_CALL
from takt.trace import log_lines
from takt.trace.records import IDLE, NO_JOB, NONE, Entry, Event, Names, Trace
from takt.trace.replay import Condition, History, Replay, Span, State

TASKS, MUTEXES, INTERRUPTS, LEVELS, BUDGETS, PROCESSES, SPANS = 1, 2, 3, 4, 5, 6, 7  # processes
_SHOWN = frozenset({State.RUNNING, State.READY, State.BLOCKED, State.SUSPENDED, State.UNKNOWN})

Item = dict[str, Any]
"""An event of the format; `ts` and `dur` in us."""


def export(trace: Trace) -> dict[str, Any]:
    """The document."""
    names = trace.names
    history = History(trace.entries, names)
    entries = [entry for entry in trace.entries if entry.event < Event.STAT_JOBS]
    items = [*_states(history, names), *_mutexes(entries, names, history.end_ns)]
    items += [*_interrupts(entries, names, history.end_ns), *_marks(entries, history.end_ns)]
    items += [*_levels(entries, names), *_budgets(entries, names), *_wakes(entries, names, history.spans)]
    items += _processes(entries, names, history.end_ns)
    items += [*_log(trace), *_spans(trace, history.end_ns)]
    items.sort(key=lambda item: float(item["ts"]))  # stable: what happened at one time keeps its order
    about = {"board": names.board, "scheduler": names.scheduler}
    return {"traceEvents": [*_titles(names, entries), *items], "displayTimeUnit": "ns", "otherData": about}


def _us(time_ns: int) -> float:
    return time_ns / 1000


def _item(kind: str, name: str, process: int, track: int, time_ns: int, **more: Any) -> Item:
    return {"ph": kind, "name": name, "pid": process, "tid": track, "ts": _us(time_ns), **more}


def _slice(name: str, process: int, track: int, start_ns: int, end_ns: int, **arguments: Any) -> Item:
    return _item("X", name, process, track, start_ns, dur=_us(end_ns - start_ns), args=arguments)


def _titles(names: Names, entries: Iterable[Entry]) -> Iterator[Item]:
    """Names of processes and tracks, and their order."""
    processes = {TASKS: "tasks", MUTEXES: "mutexes", INTERRUPTS: "interrupts", LEVELS: "levels"}
    processes |= {BUDGETS: "budgets"} if any(names.budgets) else {}
    processes |= {PROCESSES: "processes"} if names.processes else {}
    spanned = any(message.level == "mark_begin" for message in names.log.values())
    processes |= {SPANS: "spans"} if spanned else {}
    for process, name in processes.items():
        yield _item("M", "process_name", process, 0, 0, args={"name": name})
        yield _item("M", "process_sort_index", process, 0, 0, args={"sort_index": process})
    by_band = [name for band in names.bands for name in band["tasks"]]
    for task, name in enumerate(names.tasks):
        position = by_band.index(name) if name in by_band else len(by_band) + task
        yield _item("M", "thread_name", TASKS, task + 1, 0, args={"name": name})
        yield _item("M", "thread_sort_index", TASKS, task + 1, 0, args={"sort_index": position})
    for mutex in sorted({entry.object for entry in entries if entry.event is Event.LOCK}):
        yield _item("M", "thread_name", MUTEXES, mutex + 1, 0, args={"name": names.object(Event.LOCK, mutex)})
    yield _item("M", "thread_name", INTERRUPTS, 1, 0, args={"name": "interrupts"})
    for number, name in enumerate(names.processes):
        yield _item("M", "thread_name", PROCESSES, number + 1, 0, args={"name": name})
    for task, name in enumerate([*names.tasks, "interrupts"] if spanned else []):
        yield _item("M", "thread_name", SPANS, task + 1, 0, args={"name": name})


def _states(history: History, names: Names) -> Iterator[Item]:
    for task, start_ns, end_ns, condition in history.spans:
        if condition.state in _SHOWN:
            arguments: dict[str, Any] = {}
            if condition.job != NO_JOB:
                arguments["job"] = condition.job
            if condition.heir_of != NONE:
                arguments["has the priority of"] = names.lender(condition.heir_of)
            yield _slice(_state_name(condition, names), TASKS, task + 1, start_ns, end_ns, **arguments)


def _state_name(condition: Condition, names: Names) -> str:
    if condition.state is State.BLOCKED:
        waited = names.object(Event.BLOCK, condition.object)
        return "delayed" if waited is None else f"blocked on {waited}"
    return str(condition.state.value)


def _mutexes(entries: Iterable[Entry], names: Names, end_ns: int) -> Iterator[Item]:
    held: dict[int, tuple[int, int]] = {}  # by mutex: since when, and the task

    def close(mutex: int, now_ns: int) -> Iterator[Item]:
        since_ns, task = held.pop(mutex)
        yield _slice(names.task(task) or "", MUTEXES, mutex + 1, since_ns, now_ns)

    for entry in entries:
        lost = entry.event is Event.LOST_RECORDS
        ends = list(held) if lost else [entry.object] if entry.event in (Event.LOCK, Event.UNLOCK) else []
        for mutex in ends:
            if mutex in held:
                yield from close(mutex, entry.time_ns)
        if entry.event is Event.LOCK:
            held[entry.object] = (entry.time_ns, entry.task)
    for mutex in list(held):
        yield from close(mutex, end_ns)


def _interrupts(entries: Iterable[Entry], names: Names, end_ns: int) -> Iterator[Item]:
    active: list[str] = []
    for entry in entries:
        if entry.event is Event.INTERRUPT:
            active.append(names.object(entry.event, entry.object) or "")
            yield _item("B", active[-1], INTERRUPTS, 1, entry.time_ns)
        elif entry.event is Event.INTERRUPT_END and active:
            yield _item("E", active.pop(), INTERRUPTS, 1, entry.time_ns)
        elif entry.event is Event.LOST_RECORDS:
            yield from (_item("E", name, INTERRUPTS, 1, entry.time_ns) for name in reversed(active))
            active.clear()
    yield from (_item("E", name, INTERRUPTS, 1, end_ns) for name in reversed(active))


_CALLED = {PROCESS_STOP_CALL: "stopped by a call", PROCESS_START_CALL: "starts", PROCESS_ON_CALL: "not started yet"}


def _processes(entries: Iterable[Entry], names: Names, end_ns: int) -> Iterator[Item]:
    """Of each process the time in which it is stopped, and why."""
    stopped: dict[int, tuple[int, str]] = {}  # since when, and for what
    faults = [entry for entry in entries if entry.event is Event.PROCESS]
    for entry in faults:
        if entry.object in stopped:
            since_ns, why = stopped.pop(entry.object)
            yield _slice(why, PROCESSES, entry.object + 1, since_ns, entry.time_ns)
        if entry.value in _CALLED:
            stopped[entry.object] = (entry.time_ns, _CALLED[entry.value])
        elif entry.value != PROCESS_STARTED:
            word, _ = CAUSES.get(entry.value, UNKNOWN)
            stopped[entry.object] = (entry.time_ns, f"stopped: {word} of {names.task(entry.task)}")
    for process, (since_ns, why) in stopped.items():
        yield _slice(why, PROCESSES, process + 1, since_ns, end_ns)


def _log(trace: Trace) -> Iterator[Item]:
    """Messages of the log, in the track of their task or interrupt."""
    for line in log_lines.lines(trace):
        track = (TASKS, line.task + 1) if line.task < IDLE else (INTERRUPTS, 1)
        arguments = {"level": line.level, "where": line.where}
        yield _item("i", line.text, *track, line.time_ns, s="t", cat="log", args=arguments)


def _spans(trace: Trace, end_ns: int) -> Iterator[Item]:
    """What the program marked: of each task, and of all interrupts, a track."""
    for span in log_lines.spans(trace, end_ns):
        track = span.task + 1 if span.task < IDLE else len(trace.names.tasks) + 1
        yield _slice(span.name, SPANS, track, span.start_ns, span.end_ns)


_POINTS = frozenset(
    {Event.RELEASE, Event.COMPLETE, Event.MISS, Event.OVERRUN, Event.LOST, Event.YIELD, Event.STOP_LATER, Event.FAULT}
)


def _marks(entries: Iterable[Entry], end_ns: int) -> Iterator[Item]:
    for entry in entries:
        if entry.event in _POINTS and entry.task < IDLE:
            arguments = {} if entry.job is None else {"job": entry.job}
            name = entry.event.name.lower()
            yield _item("i", name, TASKS, entry.task + 1, entry.time_ns, s="t", args=arguments)
            if entry.event is Event.RELEASE and 0 < entry.value <= end_ns:
                yield _item("i", "deadline", TASKS, entry.task + 1, entry.value, s="t", args=arguments)


def _levels(entries: Iterable[Entry], names: Names) -> Iterator[Item]:
    """Of tasks whose priority changed at all."""
    kept = list(entries)
    heirs = {entry.task for entry in kept if entry.event is Event.KEY}
    for entry in kept:
        if entry.task in heirs and entry.event in (Event.START, Event.KEY):
            yield _item("C", names.task(entry.task) or "", LEVELS, 0, entry.time_ns, args={"level": entry.value})


def _budgets(entries: Iterable[Entry], names: Names) -> Iterator[Item]:
    """What is left of each, where it changes: begins, ends, and where the task gives up the processor."""
    replay = Replay(names)
    shown: dict[int, int] = {}
    for entry in entries:
        touched = {entry.task, replay.running}
        replay.step(entry)
        for task in sorted(touched):
            budget = replay.task(task).budget if names.budget(task) is not None else None
            if budget is not None and shown.get(task) != budget.left_ns:
                shown[task] = budget.left_ns
                yield _item("C", names.task(task) or "", BUDGETS, 0, entry.time_ns, args={"ns": budget.left_ns})


def _wakes(entries: Iterable[Entry], names: Names, spans: Iterable[Span]) -> Iterator[Item]:
    """From the waker of a task (a slice of its own that has not ended) to the slice in which it ran."""
    starts = {(span.task, span.start_ns) for span in spans if span.condition.state is State.RUNNING}
    replay = Replay(names)
    woken: dict[int, Item] = {}  # by task: where its flow begins
    began_ns = flows = 0
    for entry in entries:
        if entry.event is Event.READY and entry.task < IDLE:
            waker = (INTERRUPTS, 1) if replay.interrupts else (TASKS, replay.running + 1)
            if replay.interrupts or replay.running < IDLE:
                inside_ns = entry.time_ns - (1 if not replay.interrupts and entry.time_ns > began_ns else 0)
                woken[entry.task] = _item("s", "wake", *waker, inside_ns, cat="wake")
        replay.step(entry)
        if entry.event is Event.RUN:
            began_ns = entry.time_ns
            begin = woken.pop(entry.task, None)
            if begin is not None and (entry.task, entry.time_ns) in starts:
                flows += 1
                yield begin | {"id": flows}
                yield _item("f", "wake", TASKS, entry.task + 1, entry.time_ns, cat="wake", id=flows, bp="e")
        elif entry.event in (Event.STOP, Event.BLOCK, Event.SUSPEND, Event.LOST_RECORDS):
            woken = {} if entry.event is Event.LOST_RECORDS else woken
            woken.pop(entry.task, None)
